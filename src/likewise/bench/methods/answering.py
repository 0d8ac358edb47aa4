"""What can answer a task: a method of the benchmark, of whatever kind.

A method sees a view, in which there is no truth. Those that learn from the truth say so, and are
handed it by a door of their own, which is closed to all others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.bench.methods.answers import Answer
from likewise.bench.methods.upper_bound import upper_bound
from likewise.bench.methods.view import judged_answer
from likewise.errors import SettingsError
from likewise.learn.spelling import Fusion, decide_by
from likewise.learn.thresholds import Keep, parse_keep

if TYPE_CHECKING:
    from likewise.bench.methods.view import View
    from likewise.bench.tasks.task import Truth
    from likewise.features.encoders import Encoder
    from likewise.learn.material import OnStep
    from likewise.learn.spelling import Method


class Asked(NamedTuple):
    """What a method is given along with a view."""

    rng: np.random.Generator
    on_step: OnStep | None = None
    keep: Keep | None = None
    truth: Truth | None = None
    """Only if the method needs it."""

    def told_truth(self) -> Truth:
        """Return the truth."""
        if self.truth is None:
            raise SettingsError("a method that learns from the truth was asked without it")
        return self.truth


class BenchMethod(ABC):
    """A way to answer a task; `str` is its spelling."""

    @abstractmethod
    def __str__(self) -> str: ...

    @property
    def needs_truth(self) -> bool:
        """Whether it has to be asked by `answer_with_truth`."""
        return False

    @property
    def is_costly(self) -> bool:
        """Whether it takes minutes where others take seconds."""
        return False

    def check(self, *, encoder: Encoder | None = None) -> None:  # noqa: B027  # few need anything
        """Raise if what it needs is not there."""

    def decide_by(self, keep: str) -> Keep:
        """Return what decides, given what was asked for, which may be ""; raise if that can't."""
        return parse_keep(keep) if keep else Keep()

    def answer(
        self,
        view: View,
        *,
        rng: np.random.Generator,
        on_step: OnStep | None = None,
        keep: Keep | None = None,
    ) -> Answer:
        """Answer from what a method may see."""
        if self.needs_truth:
            raise SettingsError(
                f"the method {str(self)!r} learns from the truth; it has its own door"
            )
        return self.respond(view, Asked(rng, on_step, keep))

    def answer_with_truth(
        self,
        view: View,
        truth: Truth,
        *,
        rng: np.random.Generator,
        on_step: OnStep | None = None,
        keep: Keep | None = None,
    ) -> Answer:
        """Answer from the truth as well, if that is what the method needs."""
        if not self.needs_truth:
            raise SettingsError(
                f"the method {str(self)!r} needs no truth, and must not be given it"
            )
        return self.respond(view, Asked(rng, on_step, keep, truth))

    @abstractmethod
    def respond(self, view: View, asked: Asked) -> Answer:
        """Answer, once it is clear that there is all that is needed and no more."""


@dataclass(frozen=True)
class Scoring(BenchMethod):
    """A method, or a fusion of several, that scores seeds and pool; the scores are then judged."""

    method: Method | Fusion

    def __str__(self) -> str:
        return str(self.method)

    @property
    def is_costly(self) -> bool:
        """Whether a part takes minutes where others take seconds."""
        return any(part.is_costly for part in parts_of(self.method))

    def check(self, *, encoder: Encoder | None = None) -> None:
        """Raise if what a part needs is not there."""
        self.method.check(encoder=encoder)

    def decide_by(self, keep: str) -> Keep:
        """Return what was asked for, or else the method's own rule."""
        return decide_by(keep, self.method)

    def respond(self, view: View, asked: Asked) -> Answer:
        """Score, judge and decide."""
        material = view.material(vectors=self.method.uses_vectors)
        scored = self.method.score(material, rng=asked.rng, on_step=asked.on_step)
        return judged_answer(view, scored, keep=asked.keep or self.method.keep)


@dataclass(frozen=True)
class AllPositive(BenchMethod):
    """Takes everything for on topic."""

    def __str__(self) -> str:
        return "all"

    def respond(self, view: View, asked: Asked) -> Answer:  # noqa: ARG002  # as others are
        """Decide that everything is on topic, in no order."""
        ids = tuple(view.measured)
        return Answer(ids=ids, scores=np.zeros(len(ids)), decided=np.ones(len(ids), dtype=bool))


@dataclass(frozen=True)
class OnBackground(BenchMethod):
    """A method that learns from documents drawn at random instead of retrieved ones."""

    method: BenchMethod

    def __str__(self) -> str:
        return f"random + {self.method}"

    @property
    def is_costly(self) -> bool:
        """Whether the method is."""
        return self.method.is_costly

    def check(self, *, encoder: Encoder | None = None) -> None:
        """Raise if what the method needs is not there."""
        self.method.check(encoder=encoder)

    def decide_by(self, keep: str) -> Keep:
        """Return what the method decides by."""
        return self.method.decide_by(keep)

    def respond(self, view: View, asked: Asked) -> Answer:
        """Answer about the same documents, none of which is learned from."""
        drawn = view.on_background
        if not drawn.learned:
            raise SettingsError(
                f"{view.task.name}: there are no documents drawn at random to learn from; make the "
                "tasks anew, from a library that holds more than their pools"
            )
        answer, count = self.method.respond(drawn, asked), len(drawn.learned)
        if count == len(view.learned):
            return answer
        warning = (
            f"only {count:,} documents drawn at random were there to learn from, and others learn "
            f"from {len(view.learned):,}; make the tasks anew, from a larger library"
        )
        return replace(answer, warnings=(*answer.warnings, warning))


@dataclass(frozen=True)
class Supervised(BenchMethod):
    """Something that learns from the truth, as a bound to what can be learned without."""

    method: Method

    def __str__(self) -> str:
        return str(self.method)

    @property
    def needs_truth(self) -> bool:
        """Say that it learns from the truth."""
        return True


@dataclass(frozen=True)
class UpperBound(Supervised):
    """Full supervision of the default method's regressions."""

    def respond(self, view: View, asked: Asked) -> Answer:
        """Learn from the truth, and decide."""
        strength = float(self.method.chosen["strength"])
        return upper_bound(view, asked.told_truth(), rng=asked.rng, strength=strength)


def parts_of(method: Method | Fusion) -> tuple[Method, ...]:
    """Return the methods that are fused, or the only one."""
    return method.parts if isinstance(method, Fusion) else (method,)
