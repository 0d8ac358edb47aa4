"""The paper's CNN by the paper's protocol, for its Tables 2 to 5.

A network is trained on the training part of a task, keeps the weights of the lowest validation risk
and decides at score 0; sizes and settings are the paper's. Where a task has no parts, a third is
set aside for validation at random. Several networks, or models of one, are averaged: the scores of
each are divided by their deviation over what is learned from, so that 0 stays 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from likewise.bench.methods.answers import Answer
from likewise.learn.batching import OrdinaryBatches, ProportionalBatches
from likewise.learn.estimators import scale
from likewise.learn.neural.cnn import WordCNN
from likewise.learn.neural.grouped_rows import GroupedRows, RiskOnRows, scores_of
from likewise.learn.neural.losses import loss_named
from likewise.learn.neural.randomness import seeded
from likewise.learn.neural.risks import NNPU, PN, PNU, UPU
from likewise.learn.neural.training import TrainingSettings, train
from likewise.learn.neural.vpu import VPU, border

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from torch import nn

    from likewise.bench.methods.network_rows import Examples, NetworkRows
    from likewise.learn.batching import Batches
    from likewise.learn.estimators import Rows
    from likewise.learn.material import OnStep
    from likewise.learn.neural.groups import PURisk

    Numbers = NDArray[np.float64]

SPREAD = {"random": 0.01, "topics": 0.1}
"""The deviation of embeddings before training; AllenNLP's, and the product's for topics."""
GROUPS = {
    "nnpu": {"positive": "positive", "unlabeled": "unlabeled"},
    "upu": {"positive": "positive", "unlabeled": "unlabeled"},
    "vpu": {"positive": "positive", "unlabeled": "unlabeled"},
    "pn": {"positive": "positive", "negative": "negative"},
    "naive": {"positive": "positive", "negative": "unlabeled"},
    "pnu": {"positive": "positive", "negative": "negative", "unlabeled": "unlabeled"},
}
"""What each risk takes for each of its groups."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """The settings of a network."""

    risk: str
    prior: float
    loss: str
    batch: int
    batching: str
    epochs: int
    models: int
    start: str
    gamma: float = 0.5

    def made_risk(self) -> PURisk:
        """Return what is made small."""
        if self.risk == "vpu":
            return VPU(lenient=self._is_ordinary)
        common = {
            "prior": self.prior,
            "loss": loss_named(self.loss),
            "lenient": self._is_ordinary,
        }
        if self.risk == "pnu":
            return PNU(weight=self.gamma, **common)  # type: ignore[arg-type]  # as they are named
        kinds: dict[str, Any] = {"nnpu": NNPU, "upu": UPU, "pn": PN, "naive": PN}
        risk: PURisk = kinds[self.risk](**common)
        return risk

    def batches(self, sizes: dict[str, int]) -> Batches:
        """Return how an epoch is cut."""
        kind = OrdinaryBatches if self._is_ordinary else ProportionalBatches
        return kind(sizes, size=self.batch)

    @property
    def _is_ordinary(self) -> bool:
        return self.batching == "ordinary"


class Trained(NamedTuple):
    """A network that has learned, and where it decides."""

    model: nn.Module
    border: float
    deviation: float
    warnings: tuple[str, ...]
    batch: int

    def scores(self, rows: Rows) -> Numbers:
        """Return scores of deviation 1, decided at 0."""
        return (_scored(self.model, rows, batch=self.batch) - self.border) / self.deviation


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
    from likewise.learn.fusions import steps_of_parts

    models = [network for network in networks for _ in range(network.models)]
    steps = steps_of_parts(on_step, [True for _ in models])
    trained = [
        train_network(network, rows, seed=int(rng.integers(2**31)), on_step=step)
        for network, step in zip(models, steps, strict=True)
    ]
    scores = np.mean([each.scores(rows.measured) for each in trained], axis=0)
    warnings = dict.fromkeys(warning for each in trained for warning in each.warnings)
    return Answer(ids=tuple(ids), scores=scores, decided=scores > 0, warnings=tuple(warnings))


def train_network(
    network: Network, rows: NetworkRows, *, seed: int, on_step: OnStep | None = None
) -> Trained:
    """Train one model on the training part, and keep what is best on the validation part."""
    learned, aside = (_grouped(network, part) for part in (rows.learned, rows.validation))
    risk = network.made_risk()
    with seeded(seed, 0):
        vectors = rows.vectors(np.random.default_rng(seed)) if network.start == "topics" else None
        model = WordCNN(rows.words, start=vectors, spread=SPREAD[network.start])
    validation = RiskOnRows(model, aside, risk_of=lambda scores, _: risk(**scores))
    history = train(
        model,
        RiskOnRows(model, learned, risk_of=lambda scores, _: risk(**scores)).of_batch,
        network.batches(learned.sizes),
        settings=TrainingSettings(epochs=network.epochs, seed=seed),
        validate=partial(validation.of_all, batch=network.batch),
        on_step=on_step,
    )
    scores = _scored(model, rows.learned.everyone, batch=network.batch)
    return Trained(
        model,
        border(torch.from_numpy(scores)) if network.risk == "vpu" else 0.0,
        scale(scores)[1],
        ("training diverged; the best weights before are used",)
        if history.stopped == "diverged"
        else (),
        network.batch,
    )


def _grouped(network: Network, examples: Examples) -> GroupedRows:
    return GroupedRows.of({name: examples.group(of) for name, of in GROUPS[network.risk].items()})


def _scored(model: nn.Module, rows: Rows, *, batch: int) -> Numbers:
    starts = range(0, rows.shape[0], batch)
    with torch.no_grad():
        found = [scores_of(model, rows[start : start + batch]) for start in starts]
    return np.concatenate([np.empty(0), *(part.cpu().double().numpy() for part in found)])
