"""Measures of a decision: which documents are taken for on topic, against which are.

With TP, FP, FN and TN the numbers of documents that are rightly or wrongly decided to be on topic
(positive) or off it (negative):

    precision = TP / (TP + FP)            0 where nothing is decided
    recall    = TP / (TP + FN)
    F1        = 2 TP / (2 TP + FP + FN)
    accuracy  = (TP + TN) / N
    BER       = (FP / (FP + TN) + FN / (FN + TP)) / 2
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Counts(NamedTuple):
    """How many documents were decided, and how many rightly."""

    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int

    @property
    def positive(self) -> int:
        """Documents on topic."""
        return self.true_positive + self.false_negative

    @property
    def negative(self) -> int:
        """Documents off topic."""
        return self.false_positive + self.true_negative

    @property
    def decided(self) -> int:
        """Documents decided to be on topic."""
        return self.true_positive + self.false_positive


def counts(decided: NDArray[np.bool_], relevant: NDArray[np.bool_]) -> Counts:
    """Count the documents that were decided rightly and wrongly."""
    return Counts(
        true_positive=int((decided & relevant).sum()),
        false_positive=int((decided & ~relevant).sum()),
        false_negative=int((~decided & relevant).sum()),
        true_negative=int((~decided & ~relevant).sum()),
    )


def precision(counted: Counts) -> float:
    """Return TP / (TP + FP), and 0 where nothing is decided.

    >>> precision(Counts(3, 1, 2, 4))
    0.75
    """
    return counted.true_positive / counted.decided if counted.decided else 0.0


def recall(counted: Counts) -> float | None:
    """Return TP / (TP + FN), or None where nothing is on topic.

    >>> recall(Counts(3, 1, 2, 4))
    0.6
    """
    return counted.true_positive / counted.positive if counted.positive else None


def f1(counted: Counts) -> float | None:
    """Return 2 TP / (2 TP + FP + FN), or None where nothing is on topic.

    >>> f1(Counts(3, 1, 2, 4))
    0.6666666666666666
    """
    if not counted.positive:
        return None
    return 2 * counted.true_positive / (counted.decided + counted.positive)


def accuracy(counted: Counts) -> float:
    """Return (TP + TN) / N.

    >>> accuracy(Counts(3, 1, 2, 4))
    0.7
    """
    return (counted.true_positive + counted.true_negative) / sum(counted)


def balanced_error(counted: Counts) -> float | None:
    """Return (FP / (FP + TN) + FN / (FN + TP)) / 2, or None where there is but one side.

    >>> balanced_error(Counts(3, 1, 2, 4))
    0.30000000000000004
    """
    if not counted.positive or not counted.negative:
        return None
    wrong = counted.false_positive / counted.negative, counted.false_negative / counted.positive
    return sum(wrong) / 2
