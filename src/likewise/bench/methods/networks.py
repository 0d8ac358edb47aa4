"""The paper's CNN by the paper's protocol, for its Tables 2 to 5.

A network is trained on the training part of a task, keeps the weights of the lowest validation risk
and decides at score 0; sizes and settings are the paper's. Where a task has no parts, a third is
set aside for validation at random. Several networks, or models of one, are averaged: the scores of
each are divided by their deviation over what is learned from, so that 0 stays 0.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch

from likewise.bench.methods.answers import Answer, joined_facts
from likewise.learn.batching import LARGEST, warn_of_few_steps
from likewise.learn.estimators import scale
from likewise.learn.fusions import steps_of_parts
from likewise.learn.neural.grouped_rows import GroupedRows, RiskOnRows, scores_of
from likewise.learn.neural.groups import border_of, validating
from likewise.learn.neural.losses import logistic
from likewise.learn.neural.negatives import BIASED
from likewise.learn.neural.pubn import (
    TAU,
    Labelled,
    Labelling,
    choose_eta,
    probability_labelled,
)
from likewise.learn.neural.randomness import seeded
from likewise.learn.neural.training import train

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray
    from torch import Tensor, nn

    from likewise.bench.methods.network_rows import NetworkRows
    from likewise.bench.methods.network_settings import Network
    from likewise.learn.batching import SizedBatches
    from likewise.learn.estimators import Rows
    from likewise.learn.material import OnStep
    from likewise.learn.neural.grouped_rows import RiskOf
    from likewise.learn.neural.groups import PURisk, Risk
    from likewise.learn.neural.history import History
    from likewise.learn.parameters import Value

    Numbers = NDArray[np.float64]


class Trained(NamedTuple):
    """A network that has learned, and where it decides."""

    model: nn.Module
    border: float
    deviation: float
    risk: float
    """On the validation part, the lowest."""
    warnings: tuple[str, ...]
    facts: dict[str, Value]

    def scores(self, rows: Rows) -> Numbers:
        """Return scores of deviation 1, decided at 0."""
        return (_scored(self.model, rows) - self.border) / self.deviation


def network_answer(
    networks: Sequence[Network],
    rows: NetworkRows,
    *,
    ids: Sequence[str],
    rng: np.random.Generator,
    on_step: OnStep | None = None,
) -> Answer:
    """Train networks, and decide by the mean of their scores.

    Args:
        networks: Each with its models.
        rows: What they learn from, and what is measured.
        ids: Of the documents that are measured.
        rng: Seeds each model.
        on_step: Hears of the steps of all models as of one.
    """
    models = [network for network in networks for _ in range(network.models)]
    steps = steps_of_parts(on_step, [True for _ in models])
    trained = [
        train_network(network, rows, seed=int(rng.integers(2**31)), on_step=step)
        for network, step in zip(models, steps, strict=True)
    ]
    scores = np.mean([each.scores(rows.measured) for each in trained], axis=0)
    warnings = dict.fromkeys(warning for each in trained for warning in each.warnings)
    return Answer(
        ids=tuple(ids),
        scores=scores,
        decided=scores > 0,
        warnings=tuple(warnings),
        facts=joined_facts([each.facts for each in trained]),
    )


def train_network(
    network: Network, rows: NetworkRows, *, seed: int, on_step: OnStep | None = None
) -> Trained:
    """Train one model on the training part, and keep what is best on the validation part."""
    tried = network.tried()
    steps = steps_of_parts(on_step, [True for _ in tried])
    found = [
        _train_once(each, rows, seed=seed, on_step=step)
        for each, step in zip(tried, steps, strict=True)
    ]
    return min(found, key=lambda trained: trained.risk)


def _train_once(
    network: Network, rows: NetworkRows, *, seed: int, on_step: OnStep | None
) -> Trained:
    parts = [network.grouped(part) for part in (rows.learned, rows.validation)]
    batches = network.batches(parts[0].sizes)
    fit = partial(_fit, network, rows, batches=batches, seed=seed)
    if network.is_of_two_steps:
        first, second = steps_of_parts(on_step, [True, True])
        labelling = network.made_risk(kind=Labelling, loss=logistic)
        model, _ = fit([(part, _plain(labelling)) for part in parts], on_step=first)
        risk, risks = _second_step(network, model, parts)
        model, history = fit(list(zip(parts, risks, strict=True)), on_step=second)
    else:
        risk = network.made_risk()
        risks = [_plain(risk), _plain(validating(risk))]
        model, history = fit(list(zip(parts, risks, strict=True)), on_step=on_step)
    scores = _scored(model, rows.learned.everyone)
    unlabeled = scores[: rows.learned.unlabeled.shape[0] or None]
    return Trained(
        model,
        border_of(risk, torch.from_numpy(unlabeled)),
        scale(scores)[1],
        history.best_risk,
        _warnings(history, batches),
        {"batch": batches.size, "steps": len(batches), "epochs": len(history.epochs)}
        | ({"gamma": network.gamma} if hasattr(risk, "gamma") else {}),
    )


def _fit(
    network: Network,
    rows: NetworkRows,
    parts: Sequence[tuple[GroupedRows, RiskOf]],
    *,
    batches: SizedBatches,
    seed: int,
    on_step: OnStep | None,
) -> tuple[nn.Module, History]:
    """Train a fresh model on the first part, and keep what is best on the second."""
    with seeded(seed, 0):
        model = rows.model(start=network.start, rng=np.random.default_rng(seed))
    learned, aside = (RiskOnRows(model, part, risk_of=risk_of) for part, risk_of in parts)
    history = train(
        model,
        learned.of_batch,
        batches,
        settings=replace(network.settings, seed=seed),
        validate=partial(aside.of_all, batch=LARGEST),
        on_step=on_step,
    )
    return model, history


def _plain(risk: Callable[..., Risk]) -> RiskOf:
    return lambda scores, _: risk(**scores)


def _second_step(
    network: Network, first: nn.Module, parts: Sequence[GroupedRows]
) -> tuple[PURisk, list[RiskOf]]:
    """Return the risk of PUbN, given how likely a first model takes each document for labelled."""
    shares = [probability_labelled(torch.from_numpy(_scored(first, p.block))) for p in parts]
    biased = BIASED * (1 - network.prior)
    unlabeled = shares[0][parts[0].numbers["unlabeled"]]
    risk = network.made_risk(eta=choose_eta(unlabeled, tau=TAU, prior=network.prior, biased=biased))

    def risk_with(labelled: Tensor) -> RiskOf:
        return lambda scores, numbers: risk(
            **scores,
            labelled=Labelled(**{n: labelled[at].to(scores[n]) for n, at in numbers.items()}),
        )

    return risk, [risk_with(labelled) for labelled in shares]


def _warnings(history: History, batches: SizedBatches) -> tuple[str, ...]:
    diverged = "training diverged; the best weights before are used"
    return (*warn_of_few_steps(batches), *[diverged] * (history.stopped == "diverged"))


def _scored(model: nn.Module, rows: Rows) -> Numbers:
    starts = range(0, rows.shape[0], LARGEST)
    with torch.no_grad():
        found = [scores_of(model, rows[start : start + LARGEST]) for start in starts]
    return np.concatenate([np.empty(0), *(part.cpu().double().numpy() for part in found)])
