"""Networks as methods of the benchmark: the paper's, averages of them, and their upper bound.

Torch loads when they answer, not when they are spelled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.bench.methods.answering import BenchMethod, Supervised
from likewise.bench.methods.answers import Answer, joined_facts
from likewise.bench.methods.supervision import supervisions
from likewise.bench.methods.upper_bound import relevant
from likewise.errors import SettingsError
from likewise.learn.fusions import steps_of_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.bench.methods.answering import Asked
    from likewise.bench.methods.network_rows import Numbered
    from likewise.bench.methods.network_settings import Network
    from likewise.bench.methods.view import View
    from likewise.features.encoders import Encoder
    from likewise.learn.material import OnStep
    from likewise.learn.spelling import Method

NETWORKS = frozenset({"cnn", "vpu", "dist-pu", "cvir", "tedn"})
"""Methods that are networks, which can be averaged; one without a parameter `risk` is named after
its own."""
LEAST_PRIOR = 0.001
"""A prior of 0 or 1 is none that a risk can be computed with."""
BALANCED = 0.5
"""The prior of a risk that needs none: it is not looked at."""


@dataclass(frozen=True)
class Networks(BenchMethod):
    """Networks that are averaged, or a single one."""

    methods: tuple[Method, ...]

    def __post_init__(self) -> None:
        if len({method.chosen["embeddings"] for method in self.methods}) > 1:
            raise SettingsError(
                f"{self}: networks that are averaged read the same embeddings; run each on its own"
            )

    def __str__(self) -> str:
        return " + ".join(map(str, self.methods))

    @property
    def needs_truth(self) -> bool:
        """Whether a network is to know the true prior, and nothing else of the truth."""
        return any(method.chosen.get("prior") == "true" for method in self.methods)

    @property
    def is_costly(self) -> bool:
        """Say that they take their time."""
        return True

    def check(self, *, encoder: Encoder | None = None) -> None:
        """Raise if torch is not there."""
        for method in self.methods:
            method.check(encoder=encoder)

    def respond(self, view: View, asked: Asked) -> Answer:
        """Train, and decide at score 0."""
        from likewise.bench.methods.networks import network_answer

        numbered, step = _numbered(view, self.methods[0], on_step=asked.on_step)
        # Apart from one another, so that networks that differ in the prior are dealt the same.
        dealing, estimating, training = asked.rng.spawn(3)
        asked = asked._replace(rng=estimating)
        networks = [_network(method, prior=_prior(method, view, asked)) for method in self.methods]
        rows = numbered.rows(rng=dealing)
        return network_answer(networks, rows, ids=view.measured, rng=training, on_step=step)


@dataclass(frozen=True)
class SupervisedNetwork(Supervised):
    """The network's upper bound: the truth about the training part is learned."""

    @property
    def is_costly(self) -> bool:
        """Say that it takes its time."""
        return True

    def check(self, *, encoder: Encoder | None = None) -> None:
        """Raise if torch is not there."""
        self.method.check(encoder=encoder)

    def respond(self, view: View, asked: Asked) -> Answer:
        """Learn the truth about the training part, and decide what is measured at score 0."""
        from likewise.bench.methods.networks import network_answer

        is_relevant = relevant(view.pool, asked.told_truth())
        numbered, on_step = _numbered(view, self.method, on_step=asked.on_step)
        dealing, _, training = asked.rng.spawn(3)
        parts = supervisions(view, rng=dealing)
        steps = steps_of_parts(on_step, [True for _ in parts])
        ids, answers = np.array(view.pool), []
        for part, step in zip(parts, steps, strict=True):
            network = self._network(is_relevant[part.learned])
            rows = numbered.supervised(is_relevant, part=part, rng=dealing)
            measured = ids[part.measured].tolist()
            answers.append(
                network_answer([network], rows, ids=measured, rng=training, on_step=step)
            )
        return joined(answers, ids=view.measured)

    def _network(self, is_relevant: NDArray[np.bool_]) -> Network:
        prior = self.method.chosen["prior"]
        return _network(
            self.method, prior=is_relevant.mean() if prior == "true" else prior, risk="pn"
        )


def joined(answers: list[Answer], *, ids: list[str]) -> Answer:
    """Return answers about parts as one, in the order of ids."""
    places = {identifier: place for place, identifier in enumerate(ids)}
    scores, decided = np.empty(len(ids)), np.empty(len(ids), dtype=bool)
    for answer in answers:
        rows = [places[identifier] for identifier in answer.ids]
        scores[rows], decided[rows] = answer.scores, answer.decided
    warnings = dict.fromkeys(warning for answer in answers for warning in answer.warnings)
    return Answer(
        ids=tuple(ids),
        scores=scores,
        decided=decided,
        warnings=tuple(warnings),
        facts=joined_facts([answer.facts for answer in answers]),
    )


def _numbered(
    view: View, method: Method, *, on_step: OnStep | None
) -> tuple[Numbered, OnStep | None]:
    """Return documents as a network reads them, and what hears of its training."""
    from likewise.bench.methods.network_rows import Numbered

    embeddings = str(method.chosen["embeddings"])
    if embeddings != "encoder":
        return Numbered(view, embeddings=embeddings), on_step
    # A transformer reads for about as long as a network learns.
    reading, training = steps_of_parts(on_step, [True, True])
    return Numbered(view, embeddings=embeddings, on_step=reading), training


def _prior(method: Method, view: View, asked: Asked) -> Any:
    prior = method.chosen.get("prior", BALANCED)
    if prior == "true":
        return relevant(view.learned, asked.told_truth()).mean()
    if isinstance(prior, str):
        from likewise.learn.neural.scorers import estimated_prior

        return estimated_prior(view.material(), by=prior, rng=asked.rng)
    return prior


def _network(method: Method, *, prior: Any, **others: str) -> Network:
    from likewise.bench.methods.network_settings import Network

    bounded = float(np.clip(prior, LEAST_PRIOR, 1 - LEAST_PRIOR))
    settings: dict[str, Any] = {"risk": method.name, **method.chosen, **others, "prior": bounded}
    return Network(**settings)
