"""What an order of looking at records is worth.

N records are left after the seeds, R of them on topic; the i-th on topic is found at the place
t(i), counted from 1. Every tool is measured on the same N records: seeds count for nobody. Records
off topic that a tool was given to begin with cost it nothing, but stay among the N.

Where an order ends before a measure is reached, there is none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

SHARES = (0.1, 0.2)
"""Of the records, after which recall is told."""
RECALL = 0.95
"""What work is saved at."""
# Products of shares are off in their last digits.
_TINY = 1e-9


@dataclass(frozen=True)
class Order:
    """An order of looking at the records of a review, as far as it counts."""

    records: int
    """How many are left after the seeds."""
    on_topic: int
    """How many of these are on topic."""
    found_at: tuple[int, ...]
    """The places, from 1 and rising, at which records on topic were found."""
    looked_at: int
    """How many were looked at in all."""

    def recall(self, looked_at: int) -> float | None:
        """Return the share of what is on topic that is found after looking at so many.

        >>> Order(10, 4, (1, 3, 4, 9), 9).recall(5)
        0.75
        """
        if looked_at > self.looked_at and len(self.found_at) < self.on_topic:
            return None
        return sum(place <= looked_at for place in self.found_at) / self.on_topic

    def recall_after(self, share: float) -> float | None:
        """Return recall after looking at floor(share N) records."""
        return self.recall(math.floor(share * self.records + _TINY))

    def needed(self, recall: float) -> int | None:
        """Return how many had to be looked at for a recall: t(ceil(recall R)).

        >>> Order(10, 4, (1, 3, 4, 9), 9).needed(0.7)
        4
        """
        count = max(1, math.ceil(recall * self.on_topic - _TINY))
        return self.found_at[count - 1] if count <= len(self.found_at) else None

    def work_saved(self, recall: float = RECALL) -> float | None:
        """Return work saved over sampling at a recall (WSS; Cohen et al., 2006).

            (N - t(ceil(recall R))) / N - (1 - recall)

        Reading in random order would save 1 - recall: that is taken off.
        """
        needed = self.needed(recall)
        return None if needed is None else (1 - needed / self.records) - (1 - recall)

    def time_to_discovery(self) -> float | None:
        """Return the average time to discovery (ATD; Ferdinands et al., 2020): mean of t(i) / N.

        >>> Order(10, 4, (1, 3, 4, 8), 8).time_to_discovery()
        0.4
        """
        if len(self.found_at) < self.on_topic:
            return None
        return sum(self.found_at) / self.on_topic / self.records


def measured(order: Order) -> dict[str, float | None]:
    """Return every measure of an order by its name."""
    needed = order.needed(RECALL)
    return {
        f"WSS@{RECALL:.0%}": order.work_saved(),
        **{f"recall after {share:.0%}": order.recall_after(share) for share in SHARES},
        "ATD": order.time_to_discovery(),
        f"read for {RECALL:.0%}": None if needed is None else needed / order.records,
    }


MEASURES = tuple(measured(Order(1, 1, (1,), 1)))
LOWER_IS_BETTER = frozenset(MEASURES[3:])
