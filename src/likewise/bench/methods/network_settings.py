"""The settings of a network of the benchmark: its risk, its batches, and how long it is trained."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.learn.batching import LARGEST, OrdinaryBatches, ProportionalBatches, batches_of
from likewise.learn.neural.grouped_rows import GroupedRows
from likewise.learn.neural.losses import loss_named
from likewise.learn.neural.negatives import BIASED
from likewise.learn.neural.pubn import PUbN
from likewise.learn.neural.risks import GAMMAS, risk_named
from likewise.learn.neural.training import TrainingSettings
from likewise.learn.neural.transformer import LEARNING_RATE

if TYPE_CHECKING:
    from likewise.bench.methods.network_rows import Examples
    from likewise.learn.batching import SizedBatches
    from likewise.learn.neural.groups import PURisk


class UsualTraining(NamedTuple):
    """How networks are trained where nothing else is said."""

    batch: int
    """At most so many documents, so that an epoch has steps enough."""
    learning_rate: float


USUAL = {
    "words": UsualTraining(LARGEST, 0.001),
    "encoder": UsualTraining(250, 0.001),
    "tuned": UsualTraining(16, LEARNING_RATE),
}
"""By embeddings: the paper's for words and for what is tuned. The states of 1,000 documents would
take 2 GB of memory at a step."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """The settings of a network."""

    risk: str
    """A risk by its name, or "naive": pn, with the pool for off topic."""
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
    """A number, or "auto": what is usual for these embeddings."""
    beta: float = 0.0
    gamma: float | str = 1.0
    """A number, or "tune"."""
    pnu_weight: float = 0.5

    def made_risk(self, *, kind: Any = None, **others: Any) -> PURisk:
        """Return what is made small, with those of these settings that it knows.

        Args:
            kind: Of risk, if it is not the one that is named.
            others: What else it is to know, or otherwise.
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
        kind = kind or self._kind
        known = {field.name for field in fields(kind)}
        risk: PURisk = kind(**{name: settings[name] for name in settings if name in known})
        return risk

    def tried(self) -> list[Network]:
        """Return itself, or with gamma=tune one for each gamma, if the risk has such."""
        if self.gamma != "tune":
            return [self]
        has_gamma = any(field.name == "gamma" for field in fields(self._kind))
        return [replace(self, gamma=gamma) for gamma in GAMMAS[: None if has_gamma else 1]]

    def grouped(self, examples: Examples) -> GroupedRows:
        """Return the rows of each group of the risk."""
        taken = {"negative": "unlabeled"} if self._is_naive else {}
        groups = self._kind.groups
        return GroupedRows.of({name: examples.group(taken.get(name, name)) for name in groups})

    def batches(self, sizes: dict[str, int]) -> SizedBatches:
        """Return how an epoch is cut: with proportional batches, one loop through the positive."""
        proportional = partial(ProportionalBatches, loop="positive")
        cut = OrdinaryBatches if self._is_ordinary else proportional
        return batches_of(self.batch, sizes, cut, most=USUAL[self.embeddings].batch)

    @property
    def settings(self) -> TrainingSettings:
        """How it is trained."""
        rate = self.learning_rate
        if isinstance(rate, str):
            rate = USUAL[self.embeddings].learning_rate
        return TrainingSettings(epochs=self.epochs, patience=self.patience, learning_rate=rate)

    @property
    def is_of_two_steps(self) -> bool:
        """Whether one network says how likely each document is labelled, and another learns."""
        return self._kind is PUbN

    @property
    def _kind(self) -> Any:
        return risk_named("pn" if self._is_naive else self.risk)

    @property
    def _is_naive(self) -> bool:
        return self.risk == "naive"

    @property
    def _is_ordinary(self) -> bool:
        return self.batching == "ordinary"
