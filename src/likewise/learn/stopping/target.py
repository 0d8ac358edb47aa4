"""The target: which recall is to be reached, and how sure of it a person wants to be."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, get_args

from likewise.errors import SettingsError

Basis = Literal["reading", "audits"]
BASES: tuple[Basis, ...] = get_args(Basis)
"""What may show that it is reached; the first is the default."""

LEAST, SUREST = 0.01, 0.9999
"""The least recall and confidence, and the greatest confidence, that may be asked for."""


class Target(NamedTuple):
    """A recall, and the confidence that it is reached."""

    recall: float = 0.95
    confidence: float = 0.95
    by: Basis = "reading"
    """What shows it: audits, however good the ranking is, or reading, if finds decline as usual."""

    def check(self) -> None:
        """Raise if it can't be reached, or says nothing."""
        if not LEAST <= self.recall <= 1:
            raise SettingsError(
                f"--recall {self.recall:g}: a recall is from {LEAST} to 1, as in 0.95"
            )
        if not LEAST <= self.confidence <= SUREST:
            raise SettingsError(
                f"--confidence {self.confidence:g}: a confidence is from {LEAST} to {SUREST}, "
                "as in 0.95"
            )

    def count_allowed(self, found: int) -> int:
        """Return how many may be left if so many are found.

        >>> [Target(recall=0.95).count_allowed(found) for found in (100, 18)]
        [5, 0]
        """
        # 0.95 is no binary fraction: 95 found and 5 left are 0.95, whatever the last digits say.
        return math.floor(found * (1 - self.recall) / self.recall + 1e-9)


def compute_recall(found: int, *, left: float) -> float:
    """Return the recall if so many are found and so many left; 1 if there are none at all.

    >>> compute_recall(95, left=5), compute_recall(0, left=0)
    (0.95, 1.0)
    """
    return found / (found + left) if found + left else 1.0
