"""The table: what is shown, before it has a format."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

import msgspec

MISSING = "\u2013"
Unit = Literal["share", "difference", "count", "log", "seconds", "megabytes", "p"]


class Number(msgspec.Struct, frozen=True, omit_defaults=True):
    """A number with all its digits, and what is known about it."""

    value: float
    unit: Unit = "share"
    deviation: float | None = None
    low: float | None = None
    """The ends of its 95 % interval."""
    high: float | None = None
    is_best: bool = False

    def __str__(self) -> str:
        text = shown(self.value, self.unit)
        if self.deviation is not None:
            text += f" \u00b1 {shown(self.deviation, self.unit)}"
        if self.low is not None and self.high is not None:
            text += f" [{shown(self.low, self.unit)}, {shown(self.high, self.unit)}]"
        return text


Value = str | Number | None


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """A row, with a value for each column; None is missing."""

    values: tuple[Value, ...]
    is_apart: bool = False
    """Whether a line is drawn above it."""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """Rows under the names of their columns."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    """What has to be known to read it, a sentence each."""


def shown(value: float, unit: Unit) -> str:
    """Return a number as tables show it: shares in per cent with one decimal.

    >>> shown(0.4897, "share"), shown(-0.031, "difference"), shown(20000, "count")
    ('49.0', '-3.1', '20,000')
    >>> shown(0.0004, "p"), shown(0.031, "p"), shown(0.25, "log"), shown(12.34, "seconds")
    ('<0.001', '0.031', '+0.25', '12.3')
    """
    match unit:
        case "share":
            return f"{_percent(value)}"
        case "difference":
            return f"{_percent(value):+}"
        case "count" | "megabytes":
            return f"{value:,.0f}"
        case "log":
            return f"{value:+.2f}"
        case "p":
            return "<0.001" if value < 0.001 else f"{value:.3f}"
    return f"{value:,.1f}"


def _percent(value: float) -> Decimal:
    """Return a share in per cent, rounded as by hand: 32.25 becomes 32.3."""
    return (Decimal(repr(value)) * 100).quantize(Decimal("0.1"), ROUND_HALF_UP)


def count(value: int) -> Number:
    """Return a number of things."""
    return Number(value, "count")


def percent(value: float, *, deviation: float | None = None) -> Number:
    """Return a figure that was published in per cent, as a share."""
    return Number(_share(value), deviation=None if deviation is None else _share(deviation))


def _share(value: float) -> float:
    # Dividing leaves digits behind the last one that was published.
    return round(value / 100, 6)
