"""How numbers and names are written in sentences: with only as many digits and names as help."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from likewise.learn.estimates import Interval


MOST_NAMED = 5
LONGEST_NAME = 60


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> format_count(1, "seed"), format_count(20000, "candidate")
    ('1 seed', '20,000 candidates')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def round_count(value: float, *, most: int | None = None) -> int:
    """Return an estimated count rounded to two digits, and at most `most`.

    >>> round_count(7.6), round_count(1834.2), round_count(1987, most=1990)
    (8, 1800, 1990)
    """
    unit: int = 10 ** (math.floor(math.log10(value)) - 1) if value >= 100 else 1
    whole = math.floor(value / unit + 0.5) * unit
    return whole if most is None else min(whole, most)


def format_share(value: float) -> str:
    """Return a share in percent.

    >>> format_share(0.123), format_share(0.002)
    ('12 %', 'less than 1 %')
    """
    return "less than 1 %" if value < 0.005 else f"{100 * value:.0f} %"


def format_recall(recall: float) -> str:
    """Return a recall rounded down, so that no more is claimed than was shown.

    >>> format_recall(0.9599), format_recall(0.95)
    ('0.95', '0.95')
    """
    return f"{math.floor(recall * 100 + 1e-9) / 100:.2f}"


def describe_likelihood(documents: str, probability: float) -> str:
    """Return documents with words that fit their mean probability of being on topic.

    >>> describe_likelihood("9 documents", 0.9), describe_likelihood("9 documents", 0.6)
    ('9 documents very likely on your topic', '9 documents likely on your topic')
    >>> describe_likelihood("9 documents", 0.13), describe_likelihood("90 documents", 0.03)
    ('9 documents possibly on your topic', '90 documents, few of them on your topic,')
    """
    if probability < 0.1:
        return f"{documents}, few of them on your topic,"
    words = "likely" if probability >= 0.5 else "possibly"
    return f"{documents} {'very likely' if probability >= 0.8 else words} on your topic"


def format_interval(estimate: Interval, *, most: int) -> str:
    """Return an estimated count with its interval, unless the bounds are the same number.

    >>> from likewise.learn.estimates import Interval
    >>> format_interval(Interval(391.2, 298.7, 514.0), most=20_000)
    '390 (300-510)'
    """
    return f"{round_count(estimate.value, most=most):,}{format_bounds(estimate, most=most)}"


def format_bounds(estimate: Interval, *, most: int) -> str:
    """Return the bounds of an estimated count, to be written after it; "" if they are equal.

    >>> from likewise.learn.estimates import Interval
    >>> format_bounds(Interval(391.2, 298.7, 514.0), most=20_000)
    ' (300-510)'
    """
    low, high = (round_count(bound, most=most) for bound in (estimate.low, estimate.high))
    return "" if low == high else f" ({low:,}-{high:,})"


def list_names(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are.

    >>> list_names(["1", "2", "3", "4", "5", "6", "7"])
    '1, 2, 3, 4, 5 and 2 more'
    """
    shown = ", ".join(_shorten_name(name) for name in names[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    return f"{shown} and {more:,} more" if more > 0 else shown


def _shorten_name(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1].rstrip() + "…"
