"""The target: which recall is to be reached, and how sure of it a person wants to be."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, get_args

from likewise.errors import SettingsError

Basis = Literal["reading", "audits"]
BASES: tuple[Basis, ...] = get_args(Basis)
"""What it is to be shown by; the first is the default."""

LEAST, SUREST = 0.01, 0.9999
"""Between these a recall and a confidence say something, and can be reckoned with."""


class Target(NamedTuple):
    """A recall, and the confidence that it is reached."""

    recall: float = 0.95
    confidence: float = 0.95
    by: Basis = "reading"
    """Audits prove it whatever the ranking is; reading shows it if topics thin out as usual."""

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
        """Return how many may be left where so many are found.

        >>> [Target(recall=0.95).count_allowed(found) for found in (100, 18)]
        [5, 0]
        """
        # 0.95 is no binary fraction: 95 found and 5 left are 0.95, whatever the last digits say.
        return math.floor(found * (1 - self.recall) / self.recall + 1e-9)


def recall_of(found: int, *, left: float) -> float:
    """Return the recall where so many are found and so many left; 1 if there are none at all.

    >>> recall_of(95, left=5), recall_of(0, left=0)
    (0.95, 1.0)
    """
    return found / (found + left) if found + left else 1.0
