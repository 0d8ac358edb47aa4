"""What a method answers to a task, before the truth is looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from likewise.expansion.expansion import Interval
    from likewise.learn.parameters import Value
    from likewise.learn.priors import Prior


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Scores and decisions for the documents that a method is measured on."""

    ids: tuple[str, ...]
    scores: NDArray[np.float64]
    decided: NDArray[np.bool_] | None
    """Which are taken for on topic; None if the method can rank them, but not decide."""
    probabilities: NDArray[np.float64] | None = None
    """Of being on topic, if the method says so."""
    prior: Prior | None = None
    """The estimated share of the documents that is on topic, if the method says so."""
    outside: Interval | None = None
    """The estimated share of the topic that lies outside the pool."""
    warnings: tuple[str, ...] = ()
    facts: Mapping[str, Value] = field(default_factory=dict)
    """How it came about, by name: the size of batches that was chosen, and the like."""


def joined_facts(facts: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
    """Return facts of several parts as one; where they differ, each once, in their order.

    >>> joined_facts([{"batch": 16, "steps": 3}, {"batch": 16, "steps": 4}])
    {'batch': 16, 'steps': '3, 4'}
    """
    told: dict[str, dict[Value, None]] = {}
    for one in facts:
        for name, value in one.items():
            told.setdefault(name, {})[value] = None
    return {
        name: next(iter(values)) if len(values) == 1 else ", ".join(map(str, values))
        for name, values in told.items()
    }
