"""Tables, and their formats: Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

import msgspec
from markupsafe import Markup

from likewise.documents.notebook import render_sentences, render_table, wrap_html

MISSING = "\u2013"
Unit = Literal["share", "difference", "count", "log", "seconds", "megabytes", "p"]
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "\u00b1": r"$\pm$",
    "\u2013": "--",
    "\u03c0": r"$\pi$",
}


class Number(msgspec.Struct, frozen=True, omit_defaults=True):
    """A number with all its digits, its unit and, if known, its deviation and interval."""

    value: float
    unit: Unit = "share"
    deviation: float | None = None
    low: float | None = None
    """The ends of its 95 % interval."""
    high: float | None = None
    is_best: bool = False

    def __str__(self) -> str:
        text = format_number(self.value, self.unit)
        if self.deviation is not None:
            text += f" \u00b1 {format_number(self.deviation, self.unit)}"
        if self.low is not None and self.high is not None:
            text += (
                f" [{format_number(self.low, self.unit)}, {format_number(self.high, self.unit)}]"
            )
        return text


Value = str | Number | None


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """A row, with a value for each column; None is missing."""

    values: tuple[Value, ...]
    is_apart: bool = False
    """Whether a line is drawn above it."""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A table with a title, in no format yet."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    """What a reader has to know, a sentence each."""

    def __repr__(self) -> str:
        return f"<Table {self.title!r}: {len(self.rows)} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        numbers = [place for place, is_number in enumerate(_find_numbers(self)) if is_number]
        rows = [[_render_value(value) for value in row.values] for row in self.rows]
        title = Markup("<p><strong>{}</strong></p>").format(self.title)
        table = render_table(self.columns, rows, numbers=numbers)
        return wrap_html(title, table, *render_sentences(self.notes))


def format_number(value: float, unit: Unit) -> str:
    """Return a number as tables show it: shares in per cent with one decimal.

    >>> format_number(0.4897, "share"), format_number(-0.031, "difference")
    ('49.0', '-3.1')
    >>> format_number(20000, "count"), format_number(0.0004, "p"), format_number(0.25, "log")
    ('20,000', '<0.001', '+0.25')
    """
    match unit:
        case "share":
            return f"{_to_percent(value)}"
        case "difference":
            return f"{_to_percent(value):+}"
        case "count" | "megabytes":
            return f"{value:,.0f}"
        case "log":
            return f"{value:+.2f}"
        case "p":
            return "<0.001" if value < 0.001 else f"{value:.3f}"
    return f"{value:,.1f}"


def _to_percent(value: float) -> Decimal:
    """Return a share in per cent, rounded as by hand: 32.25 becomes 32.3."""
    return (Decimal(repr(value)) * 100).quantize(Decimal("0.1"), ROUND_HALF_UP)


def count(value: int) -> Number:
    """Return a number that counts things."""
    return Number(value, "count")


def from_percent(value: float, *, deviation: float | None = None) -> Number:
    """Return a figure that was published in per cent, as a share."""
    return Number(_to_share(value), deviation=None if deviation is None else _to_share(deviation))


def _to_share(value: float) -> float:
    # A division may add digits to those that were published.
    return round(value / 100, 6)


def as_markdown(tables: Sequence[Table]) -> str:
    """Return tables in Markdown, with columns that line up as plain text too."""
    return "\n".join("\n".join(_write_markdown(table)) for table in tables)


def as_latex(tables: Sequence[Table]) -> str:
    """Return tables in LaTeX, to be used with the package booktabs."""
    return "\n".join("\n".join(_write_latex(table)) for table in tables)


def as_csv(tables: Sequence[Table]) -> str:
    """Return tables as CSV with all digits, an empty line between them; shares are from 0 to 1.

    Deviations and the ends of intervals have columns of their own; notes are left out.
    """
    return "\n".join(map(_write_csv, tables))


FORMATS: dict[str, Callable[[Sequence[Table]], str]] = {
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
}
"""Every format by its name; the first is the default."""


def _write_markdown(table: Table) -> Iterator[str]:
    lines = [[_escape_markdown(value) for value in row.values] for row in table.rows]
    names = [_escape_markdown(name) for name in table.columns]
    widths = [max(map(len, column)) for column in zip(names, *lines, strict=True)]
    right = _find_numbers(table)
    rule = [
        "-" * (width - 1) + (":" if side else "-")
        for width, side in zip(widths, right, strict=True)
    ]
    yield f"**{_escape_markdown(table.title)}**"
    yield ""
    for line in (names, rule, *lines):
        padded = [
            cell.rjust(width) if side else cell.ljust(width)
            for cell, width, side in zip(line, widths, right, strict=True)
        ]
        yield f"| {' | '.join(padded)} |"
    yield ""
    for note in table.notes:
        yield _escape_markdown(note)
        yield ""


def _escape_markdown(value: Value) -> str:
    text = re.sub(r"([\\`*_|<])", r"\\\1", _write_text(value))
    return f"**{text}**" if isinstance(value, Number) and value.is_best else text


def _write_latex(table: Table) -> Iterator[str]:
    sides = "".join("r" if side else "l" for side in _find_numbers(table))
    caption = " ".join(f"{_escape_latex(text)}." for text in (table.title, *table.notes))
    yield from (r"\begin{table}", r"\centering", rf"\caption{{{caption.replace('..', '.')}}}")
    yield rf"\begin{{tabular}}{{{sides}}}"
    yield r"\toprule"
    yield " & ".join(map(_escape_latex, table.columns)) + r" \\"
    yield r"\midrule"
    for place, row in enumerate(table.rows):
        if row.is_apart and place:
            yield r"\midrule"
        yield " & ".join(map(_escape_latex, row.values)) + r" \\"
    yield from (r"\bottomrule", r"\end{tabular}", r"\end{table}", "")


def _escape_latex(value: Value) -> str:
    text = "".join(_LATEX.get(letter, letter) for letter in _write_text(value))
    return rf"\textbf{{{text}}}" if isinstance(value, Number) and value.is_best else text


def _write_csv(table: Table) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    columns = list(zip(*(row.values for row in table.rows), strict=True))
    columns = columns or [()] * len(table.columns)
    spread = [
        _spread_column(name, column) for name, column in zip(table.columns, columns, strict=True)
    ]
    writer.writerow([name for one in spread for name, _ in one])
    writer.writerows(zip(*(values for one in spread for _, values in one), strict=True))
    return stream.getvalue()


def _spread_column(name: str, column: Sequence[Value]) -> list[tuple[str, list[str]]]:
    """Return a column as several columns with one value each."""
    spread = [(name, [_write_digits(value) for value in column])]
    for part in ("deviation", "low", "high"):
        found = [getattr(value, part, None) for value in column]
        if any(value is not None for value in found):
            spread.append((f"{name} {part}", ["" if one is None else repr(one) for one in found]))
    return spread


def _write_digits(value: Value) -> str:
    if isinstance(value, Number):
        whole = int(value.value)
        return repr(whole) if value.unit == "count" and whole == value.value else repr(value.value)
    return value or ""


def _render_value(value: Value) -> str:
    text = _write_text(value)
    is_best = isinstance(value, Number) and value.is_best
    return Markup("<strong>{}</strong>").format(text) if is_best else text


def _write_text(value: Value) -> str:
    return MISSING if value is None else " ".join(str(value).split())


def _find_numbers(table: Table) -> list[bool]:
    """Return which columns have numbers, and are aligned to the right."""
    return [
        any(isinstance(row.values[place], Number) for row in table.rows)
        for place in range(len(table.columns))
    ]
