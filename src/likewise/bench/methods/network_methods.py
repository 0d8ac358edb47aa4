"""Networks as methods of the benchmark: the paper's, averages of them, and their upper bound.

Torch loads when they answer, not when they are spelled.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from likewise.bench.methods.answering import BenchMethod, Supervised, chosen
from likewise.bench.methods.answers import Answer
from likewise.bench.methods.supervision import supervisions
from likewise.bench.methods.upper_bound import relevant
from likewise.learn.fusions import steps_of_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.bench.methods.answering import Asked
    from likewise.bench.methods.networks import Network
    from likewise.bench.methods.view import View
    from likewise.features.encoders import Encoder
    from likewise.learn.spelling import Method

LEAST_PRIOR = 0.001
"""A prior of 0 or 1 is none that a risk can be computed with."""


@dataclass(frozen=True)
class Networks(BenchMethod):
    """Networks that are averaged, or a single one."""

    methods: tuple[Method, ...]

    def __str__(self) -> str:
        return " + ".join(map(str, self.methods))

    @property
    def needs_truth(self) -> bool:
        """Whether a network is to know the true prior, and nothing else of the truth."""
        return any(chosen(method)["prior"] == "true" for method in self.methods)

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
        from likewise.bench.methods.network_rows import Numbered
        from likewise.bench.methods.networks import network_answer

        networks = [_network(method, prior=_prior(method, view, asked)) for method in self.methods]
        rows = Numbered(view).rows(rng=asked.rng)
        return network_answer(
            networks, rows, ids=view.measured, rng=asked.rng, on_step=asked.on_step
        )


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
        from likewise.bench.methods.network_rows import Numbered
        from likewise.bench.methods.networks import network_answer

        is_relevant, numbered = relevant(view.pool, asked.told_truth()), Numbered(view)
        parts = supervisions(view, rng=asked.rng)
        steps = steps_of_parts(asked.on_step, [True for _ in parts])
        ids, answers = np.array(view.pool), []
        for part, step in zip(parts, steps, strict=True):
            network = self._network(is_relevant[part.learned])
            rows = numbered.supervised(is_relevant, part=part, rng=asked.rng)
            measured = ids[part.measured].tolist()
            answers.append(
                network_answer([network], rows, ids=measured, rng=asked.rng, on_step=step)
            )
        return joined(answers, ids=view.measured)

    def _network(self, is_relevant: NDArray[np.bool_]) -> Network:
        prior = chosen(self.method)["prior"]
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
    return Answer(ids=tuple(ids), scores=scores, decided=decided, warnings=tuple(warnings))


def _prior(method: Method, view: View, asked: Asked) -> Any:
    prior = chosen(method)["prior"]
    if prior == "true":
        return relevant(view.learned, asked.told_truth()).mean()
    if prior == "estimate":
        from likewise.learn.neural.scorers import estimated_prior

        return estimated_prior(view.material(), by="estimate", rng=asked.rng)
    return prior


def _network(method: Method, *, prior: Any, **others: str) -> Network:
    from likewise.bench.methods.networks import Network

    bounded = float(np.clip(prior, LEAST_PRIOR, 1 - LEAST_PRIOR))
    settings: dict[str, Any] = {**chosen(method), **others, "prior": bounded}
    return Network(**settings)
