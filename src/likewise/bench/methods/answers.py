"""What a method answers to a task, before the truth is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from likewise.expansion.expansion import Interval
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
