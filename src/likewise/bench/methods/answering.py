"""Answering: the kinds of methods that a benchmark runs, and how each answers a task.

A method sees a view of a task, which has no truth in it. A method that learns from the truth says
so, and is given it as well; no other is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likewise.bench.methods.supervision import answer_from_truth, deal_by_label
from likewise.bench.methods.view import MethodAnswer, TaskView, judge_answer
from likewise.bench.tasks import Truth
from likewise.errors import SettingsError
from likewise.features.encoders import Encoder
from likewise.learn.material import OnStep
from likewise.learn.plugged import make_plugged_estimator, select_rows
from likewise.learn.rows import LabelledRows
from likewise.learn.spelling import Fusion, Method, choose_keep
from likewise.learn.thresholds import Keep, parse_keep

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class MethodInputs:
    """What a method is given along with a view."""

    rng: np.random.Generator
    on_step: OnStep | None = None
    keep: Keep | None = None
    truth: Truth | None = None
    """None unless the method needs it."""

    def require_truth(self) -> Truth:
        """Return the truth; raise if there is none."""
        if self.truth is None:
            raise SettingsError("a method that learns from the truth was not given it")
        return self.truth


class BenchMethod(ABC):
    """A way to answer a task; `str` is its spelling."""

    @abstractmethod
    def __str__(self) -> str: ...

    @property
    def needs_truth(self) -> bool:
        """Whether it has to be given the truth."""
        return False

    def check(self, *, encoder: Encoder | None = None) -> None:  # noqa: B027  # few need anything
        """Raise if an extra or an encoder that it needs is missing."""

    def choose_keep(self, keep: str) -> Keep:
        """Return the rule that decides: the one asked for or, if that is "", the method's own."""
        return parse_keep(keep) if keep else Keep()

    def answer(
        self,
        view: TaskView,
        *,
        rng: np.random.Generator,
        on_step: OnStep | None = None,
        keep: Keep | None = None,
        truth: Truth | None = None,
    ) -> MethodAnswer:
        """Return the answer to a task from what a method may see of it, or from the truth too."""
        if truth is not None and not self.needs_truth:
            raise SettingsError(
                f"the method {str(self)!r} needs no truth, and must not be given it"
            )
        return self.respond(view, MethodInputs(rng, on_step, keep, truth))

    @abstractmethod
    def respond(self, view: TaskView, inputs: MethodInputs) -> MethodAnswer:
        """Return the answer; the inputs hold the truth only if the method needs it."""


@dataclass(frozen=True)
class ScoringMethod(BenchMethod):
    """A method, or a fusion of several, that scores seeds and pool; the scores are then judged."""

    method: Method | Fusion

    def __str__(self) -> str:
        return str(self.method)

    def check(self, *, encoder: Encoder | None = None) -> None:
        """Raise if an extra or an encoder that a part needs is missing."""
        self.method.check(encoder=encoder)

    def choose_keep(self, keep: str) -> Keep:
        """Return the rule asked for or, if that is "", the method's own."""
        return choose_keep(keep, self.method)

    def respond(self, view: TaskView, inputs: MethodInputs) -> MethodAnswer:
        """Score, judge and decide."""
        material = view.make_material(vectors=self.method.uses_vectors)
        scored = self.method.score(material, rng=inputs.rng, on_step=inputs.on_step)
        return judge_answer(view, scored, keep=inputs.keep or self.method.keep)


@dataclass(frozen=True)
class AllPositive(BenchMethod):
    """A method that decides that everything is on topic."""

    def __str__(self) -> str:
        return "all"

    def respond(self, view: TaskView, inputs: MethodInputs) -> MethodAnswer:  # noqa: ARG002  # the others need them
        """Decide that everything is on topic, in no order."""
        ids = tuple(view.measured)
        return MethodAnswer(
            ids=ids, scores=np.zeros(len(ids)), decided=np.ones(len(ids), dtype=bool)
        )


@dataclass(frozen=True)
class BackgroundMethod(BenchMethod):
    """A method that learns from documents drawn at random instead of retrieved ones."""

    method: BenchMethod

    def __str__(self) -> str:
        return f"random + {self.method}"

    def check(self, *, encoder: Encoder | None = None) -> None:
        """Raise if an extra or an encoder that the method needs is missing."""
        self.method.check(encoder=encoder)

    def choose_keep(self, keep: str) -> Keep:
        """Return the rule by which the method itself decides."""
        return self.method.choose_keep(keep)

    def respond(self, view: TaskView, inputs: MethodInputs) -> MethodAnswer:
        """Return an answer about the same documents, without learning from any of them."""
        drawn = view.on_background
        if not drawn.learned:
            raise SettingsError(
                f"{view.task.name}: there are no documents drawn at random to learn from; make the "
                "tasks again, from a library that holds more than their pools"
            )
        answer, count = self.method.respond(drawn, inputs), len(drawn.learned)
        if count == len(view.learned):
            return answer
        warning = (
            f"only {count:,} documents drawn at random were there to learn from, but other methods "
            f"learn from {len(view.learned):,}; make the tasks again, from a larger library"
        )
        return replace(answer, warnings=(*answer.warnings, warning))


@dataclass(frozen=True)
class SupervisedMethod(BenchMethod):
    """A method that learns from the truth: an upper bound on what can be learned without it."""

    method: Method

    def __str__(self) -> str:
        return str(self.method)

    @property
    def needs_truth(self) -> bool:
        """True: it learns from the truth."""
        return True


@dataclass(frozen=True)
class UpperBound(SupervisedMethod):
    """The regressions of the default method with full supervision."""

    def respond(self, view: TaskView, inputs: MethodInputs) -> MethodAnswer:
        """Learn from the truth, and decide."""
        strength = float(self.method.chosen["strength"])
        return answer_from_truth(view, inputs.require_truth(), rng=inputs.rng, strength=strength)


def list_methods(method: Method | Fusion) -> tuple[Method, ...]:
    """Return the methods of a fusion, or the method itself."""
    return method.parts if isinstance(method, Fusion) else (method,)


@dataclass(frozen=True)
class PluggedMethod(ScoringMethod):
    """A method with an estimator from another package, run by the paper's protocol.

    An estimator that decides for itself is treated as networks are: it is trained on the training
    part of a task, sees the validation part if it asks for it (if not, it learns from both), and
    decides about the documents that are measured. It never sees the truth. An estimator that only
    scores is judged as the methods of the product are.
    """

    method: Method

    def respond(self, view: TaskView, inputs: MethodInputs) -> MethodAnswer:
        """Train the estimator and let it decide, or let it score and judge the scores."""
        info, rng = self.method.info, inputs.rng
        seed = int(rng.integers(2**31))
        estimator = make_plugged_estimator(info, self.method.chosen, seed=seed)
        if not estimator.decides:
            return super().respond(view, inputs)
        material = view.make_material(vectors=self.method.uses_vectors)
        rows, seeds, known = select_rows(material, info, rng=rng), material.seeds, material.known
        learned = known + len(view.learned)
        groups = {
            "positive": rows[:seeds],
            "unlabeled": rows[known:learned],
            "negative": rows[seeds:known],
        }
        if estimator.validates:
            is_aside = deal_by_label(view, rng=rng)
            parts = [{name: ~aside for name, aside in is_aside.items()}, is_aside]
            estimator.learn_parts(*(_label_rows(groups, chosen) for chosen in parts))
        else:
            estimator.learn_parts(_label_rows(groups))
        measured = rows[learned:] if view.unseen else rows[known:]
        return MethodAnswer(
            ids=tuple(view.measured),
            scores=estimator.decision_function(measured),
            decided=estimator.decide(measured),
        )


def _label_rows(groups: dict[str, Any], chosen: dict[str, Mask] | None = None) -> LabelledRows:
    """Return the rows of each label, or only those that are chosen."""
    if chosen:
        groups = {name: rows[chosen[name]] for name, rows in groups.items()}
    negative = groups["negative"] if groups["negative"].shape[0] else None
    return LabelledRows(groups["positive"], groups["unlabeled"], negative)
