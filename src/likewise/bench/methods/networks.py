"""The paper's CNN by the paper's protocol, for its Tables 2 to 5.

A network is trained on the training part of a task, keeps the weights of the lowest validation risk
and decides at score 0; sizes and settings are the paper's. If a task has no parts, a random third
is set aside for validation. Several networks, or several models of one, are averaged: each model's
scores are divided by their deviation over the documents that it learns from, so that 0 stays 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from likewise.bench.methods.network_rows import Examples, NetworkRows
from likewise.bench.methods.view import MethodAnswer, join_facts
from likewise.learn.batching import (
    LARGEST,
    OrdinaryBatches,
    ProportionalBatches,
    SizedBatches,
    cut_batches,
    warn_of_few_steps,
)
from likewise.learn.folds import measure_scale
from likewise.learn.material import OnStep
from likewise.learn.neural.grouped_rows import GroupedRows, RiskOf, RiskOnRows, score_in_blocks
from likewise.learn.neural.groups import PURisk, Risk, choose_validation, find_border
from likewise.learn.neural.losses import logistic, loss_named
from likewise.learn.neural.negatives import BIASED, bind_labelled
from likewise.learn.neural.pubn import TAU, Labelling, PUbN, choose_eta, probability_labelled
from likewise.learn.neural.records import History, TrainingSettings
from likewise.learn.neural.risks import GAMMAS, find_risk
from likewise.learn.neural.training import seed_torch, train
from likewise.learn.neural.transformer import LEARNING_RATE
from likewise.learn.rows import Rows
from likewise.learn.spelling import split_steps
from likewise.parameters import Value

Numbers = NDArray[np.float64]
DIVERGED = "training diverged; the best weights from before that are used"


@dataclass(frozen=True)
class TrainedNetwork:
    """A network that has learned, and where it decides."""

    model: nn.Module
    border: float
    deviation: float
    risk: float
    """The lowest risk on the validation part."""
    warnings: tuple[str, ...]
    facts: dict[str, Value]

    def score(self, rows: Rows) -> Numbers:
        """Return scores with a deviation of 1; rows that score above 0 are on topic."""
        return (score_in_blocks(self.model, rows, size=LARGEST) - self.border) / self.deviation


def answer_by_networks(
    networks: Sequence[NetworkSettings],
    rows: NetworkRows,
    *,
    ids: Sequence[str],
    rng: np.random.Generator,
    on_step: OnStep | None = None,
) -> MethodAnswer:
    """Train networks, and decide by the mean of their scores.

    Args:
        networks: The networks, each of one or more models.
        rows: What they learn from, and what is measured.
        ids: The ids of the documents that are measured.
        rng: Seeds each model.
        on_step: Called with the steps of all models, counted together.
    """
    models = [network for network in networks for _ in range(network.models)]
    steps = split_steps(on_step, [True for _ in models])
    trained = [
        train_network(network, rows, seed=int(rng.integers(2**31)), on_step=step)
        for network, step in zip(models, steps, strict=True)
    ]
    scores = np.mean([each.score(rows.measured) for each in trained], axis=0)
    warnings = dict.fromkeys(warning for each in trained for warning in each.warnings)
    return MethodAnswer(
        ids=tuple(ids),
        scores=scores,
        decided=scores > 0,
        warnings=tuple(warnings),
        facts=join_facts([each.facts for each in trained]),
    )


def train_network(
    network: NetworkSettings, rows: NetworkRows, *, seed: int, on_step: OnStep | None = None
) -> TrainedNetwork:
    """Train a model for each trial, and return the one with the lowest validation risk."""
    tried = network.list_trials()
    steps = split_steps(on_step, [True for _ in tried])
    found = [
        _train_once(each, rows, seed=seed, on_step=step)
        for each, step in zip(tried, steps, strict=True)
    ]
    return min(found, key=lambda trained: trained.risk)


def _train_once(
    network: NetworkSettings, rows: NetworkRows, *, seed: int, on_step: OnStep | None
) -> TrainedNetwork:
    parts = [network.group_rows(part) for part in (rows.learned, rows.validation)]
    batches = network.cut_batches(parts[0].sizes)
    fit = partial(_fit, network, rows, batches=batches, seed=seed)
    # PUbN takes two: one estimates which rows are labelled, and a second learns from that.
    if network.kind is PUbN:
        first, second = split_steps(on_step, [True, True])
        labelling = network.make_risk(kind=Labelling, loss=logistic)
        model, _ = fit([(part, _ignore_numbers(labelling)) for part in parts], on_step=first)
        risk, risks = _make_second_risk(network, model, parts)
        model, history = fit(list(zip(parts, risks, strict=True)), on_step=second)
    else:
        risk = network.make_risk()
        risks = [_ignore_numbers(risk), _ignore_numbers(choose_validation(risk))]
        model, history = fit(list(zip(parts, risks, strict=True)), on_step=on_step)
    scores = score_in_blocks(model, rows.learned.everyone, size=LARGEST)
    unlabeled = scores[: rows.learned.unlabeled.shape[0] or None]
    return TrainedNetwork(
        model,
        find_border(risk, torch.from_numpy(unlabeled)),
        measure_scale(scores)[1],
        history.best_risk,
        (*warn_of_few_steps(batches), *[DIVERGED] * (history.stopped == "diverged")),
        {"batch": batches.size, "steps": len(batches), "epochs": len(history.epochs)}
        | ({"gamma": network.gamma} if hasattr(risk, "gamma") else {}),
    )


def _fit(
    network: NetworkSettings,
    rows: NetworkRows,
    parts: Sequence[tuple[GroupedRows, RiskOf]],
    *,
    batches: SizedBatches,
    seed: int,
    on_step: OnStep | None,
) -> tuple[nn.Module, History]:
    """Train a fresh model on the first part, and keep the weights that are best on the second."""
    with seed_torch(seed, 0):
        model = rows.embedded.build_model(start=network.start, rng=np.random.default_rng(seed))
    learned, aside = (RiskOnRows(model, part, risk_of=risk_of) for part, risk_of in parts)
    history = train(
        model,
        learned.measure_batch,
        batches,
        settings=replace(network.settings, seed=seed),
        validate=partial(aside.measure_all, batch=LARGEST),
        on_step=on_step,
    )
    return model, history


def _ignore_numbers(risk: Callable[..., Risk]) -> RiskOf:
    return lambda scores, _: risk(**scores)


def _make_second_risk(
    network: NetworkSettings, first: nn.Module, parts: Sequence[GroupedRows]
) -> tuple[PURisk, list[RiskOf]]:
    """Return the risk of PUbN; the first model says how likely each document is labelled."""
    found = (score_in_blocks(first, part.block, size=LARGEST) for part in parts)
    shares = [probability_labelled(torch.from_numpy(scores)) for scores in found]
    biased = BIASED * (1 - network.prior)
    unlabeled = shares[0][parts[0].numbers["unlabeled"]]
    risk = network.make_risk(eta=choose_eta(unlabeled, tau=TAU, prior=network.prior, biased=biased))
    return risk, [bind_labelled(risk, labelled) for labelled in shares]


class UsualTraining(NamedTuple):
    """The defaults of training."""

    batch: int
    """The largest batch; it is smaller if an epoch would have too few steps."""
    learning_rate: float


USUAL = {
    "words": UsualTraining(LARGEST, 0.001),
    "encoder": UsualTraining(250, 0.001),
    "tuned": UsualTraining(16, LEARNING_RATE),
}
"""By embeddings: the paper's for words and tuned ones. An encoder's batches are smaller, since the
states of 1,000 documents would take 2 GB of memory per step."""


@dataclass(frozen=True, kw_only=True)
class NetworkSettings:
    """The settings of a network."""

    risk: str
    """The name of a risk, or "naive": pn, with the whole pool as off topic."""
    prior: float
    batch: int | str
    """How many documents, or "auto"."""
    batching: str
    epochs: int
    models: int
    start: str
    embeddings: str = "words"
    """What is read: see `network_rows.py`."""
    loss: str = "sigmoid"
    patience: int = 20
    learning_rate: float | str = "auto"
    """A number, or "auto" for the usual rate of these embeddings."""
    beta: float = 0.0
    gamma: float | str = 1.0
    """A number, or "tune"."""
    pnu_weight: float = 0.5

    def make_risk(self, *, kind: Any = None, **others: Any) -> PURisk:
        """Return the risk, made with those of these settings that it takes.

        Args:
            kind: A kind of risk to use instead of the named one.
            others: Settings of the risk that are not among these, or that replace them.
        """
        settings = {
            "prior": self.prior,
            "loss": loss_named(self.loss),
            "beta": self.beta,
            "gamma": self.gamma,
            "weight": self.pnu_weight,
            "lenient": self._is_ordinary,
            "biased": BIASED * (1 - self.prior),
            **others,
        }
        kind = kind or self.kind
        known = {field.name for field in fields(kind)}
        risk: PURisk = kind(**{name: settings[name] for name in settings if name in known})
        return risk

    def list_trials(self) -> list[NetworkSettings]:
        """Return the settings to try: one for each gamma with gamma=tune, or just these."""
        if self.gamma != "tune":
            return [self]
        has_gamma = any(field.name == "gamma" for field in fields(self.kind))
        return [replace(self, gamma=gamma) for gamma in GAMMAS[: None if has_gamma else 1]]

    def group_rows(self, examples: Examples) -> GroupedRows:
        """Return the rows of each group of the risk."""
        taken = {"negative": "unlabeled"} if self.risk == "naive" else {}
        groups = self.kind.groups
        return GroupedRows.of({name: examples.select(taken.get(name, name)) for name in groups})

    def cut_batches(self, sizes: dict[str, int]) -> SizedBatches:
        """Return the batches of an epoch; proportional ones go through the positive rows once."""
        proportional = partial(ProportionalBatches, loop="positive")
        cut = OrdinaryBatches if self._is_ordinary else proportional
        return cut_batches(self.batch, sizes, cut, most=USUAL[self.embeddings].batch)

    @property
    def settings(self) -> TrainingSettings:
        """The settings of its training."""
        rate = self.learning_rate
        if isinstance(rate, str):
            rate = USUAL[self.embeddings].learning_rate
        return TrainingSettings(epochs=self.epochs, patience=self.patience, learning_rate=rate)

    @property
    def kind(self) -> Any:
        """The kind of risk."""
        return find_risk("pn" if self.risk == "naive" else self.risk)

    @property
    def _is_ordinary(self) -> bool:
        return self.batching == "ordinary"
