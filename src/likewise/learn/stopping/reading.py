"""What reading down the ranking tells of how many are left, without an audit.

Two views, each of which can be wrong where the other is right:

- the estimate, which knows where seeds stand and how topics usually thin out (`left.py`),
- the test of Callaghan and Müller-Hansen, by which the last documents that were read would hardly
  be so poor if more were left, so long as the ranking is no worse than chance (`published.py`).

Both have to leave room for no more. This is not proven as audits prove it: it takes for granted
that the topic thins out down the ranking as topics usually do. Readings count least where they are
best: what is read is likelier than what is left, so it shows more of it than a random sample would.
That is why tests that stay valid however often they are asked gain nothing over audits from it.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import TYPE_CHECKING

from likewise.learn.stopping.published import chance_of_reading

if TYPE_CHECKING:
    from likewise.learn.precision import LikelyCount
    from likewise.learn.stopping.looked import Looked

STARTS = 200
"""At how many starts the test looks at most."""


def left_by_reading(looked: Looked, *, counts: LikelyCount, confidence: float) -> int:
    """Return how many are left at most, as far as reading tells.

    Args:
        looked: What was looked at.
        counts: How likely each number left is, as estimated.
        confidence: Of either view.
    """
    rest = looked.size - looked.count
    estimated = min(rest, counts.quantile(confidence))
    unlikely = math.log(1 - confidence)

    def is_ruled_out(left: int) -> bool:
        return chance_of_reading(looked, left=left, starts=STARTS) < unlikely

    # As many as estimated may be left in any case; those that are ruled out come after the others.
    others = range(estimated + 1, rest + 1)
    return estimated + bisect_left(others, x=True, key=is_ruled_out)
