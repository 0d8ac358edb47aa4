"""What was looked at: all that a rule may go by when it says whether to stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from likewise.learn.stopping.audits import AuditResult


class ControlSet(NamedTuple):
    """Documents on topic, drawn at random, that are known but were kept out of the learning."""

    size: int
    reached: int
    """How many of them stand above all that was not looked at yet."""


@dataclass(frozen=True, kw_only=True)
class Looked:
    """What was looked at, without the seeds."""

    labels: NDArray[np.bool_]
    """Whether each document is on topic, in the order in which they were looked at."""
    size: int
    """How many documents there are in all."""
    seeds: int = 0
    audits: tuple[AuditResult, ...] = ()
    control: ControlSet | None = None

    @property
    def count(self) -> int:
        """How many documents were looked at."""
        return len(self.labels)

    @property
    def found(self) -> int:
        """How many of them are on topic."""
        return int(self.labels.sum())

    @property
    def places(self) -> NDArray[np.int64]:
        """How many documents had been looked at by when each one on topic was found."""
        return np.flatnonzero(self.labels) + 1
