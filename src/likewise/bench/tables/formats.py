"""Formats of tables: Markdown, LaTeX, CSV."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from likewise.bench.tables.table import MISSING, Number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from likewise.bench.tables.table import Table, Value

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


def as_markdown(tables: Sequence[Table]) -> str:
    """Return tables in Markdown, with columns that line up as plain text too."""
    return "\n".join("\n".join(_markdown(table)) for table in tables)


def as_latex(tables: Sequence[Table]) -> str:
    """Return tables in LaTeX, to be used with the package booktabs."""
    return "\n".join("\n".join(_latex(table)) for table in tables)


def as_csv(tables: Sequence[Table]) -> str:
    """Return tables as CSV with all digits, an empty line between them; shares are from 0 to 1.

    Deviations and the ends of intervals have columns of their own; notes are left out.
    """
    return "\n".join(map(_csv, tables))


FORMATS: dict[str, Callable[[Sequence[Table]], str]] = {
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
}
"""Every format by its name; the first is the default."""


def _markdown(table: Table) -> Iterator[str]:
    lines = [[_for_markdown(value) for value in row.values] for row in table.rows]
    names = [_for_markdown(name) for name in table.columns]
    widths = [max(map(len, column)) for column in zip(names, *lines, strict=True)]
    right = _are_numbers(table)
    rule = [
        "-" * (width - 1) + (":" if side else "-")
        for width, side in zip(widths, right, strict=True)
    ]
    yield f"**{_for_markdown(table.title)}**"
    yield ""
    for line in (names, rule, *lines):
        padded = [
            cell.rjust(width) if side else cell.ljust(width)
            for cell, width, side in zip(line, widths, right, strict=True)
        ]
        yield f"| {' | '.join(padded)} |"
    yield ""
    for note in table.notes:
        yield _for_markdown(note)
        yield ""


def _for_markdown(value: Value) -> str:
    text = re.sub(r"([\\`*_|<])", r"\\\1", _text(value))
    return f"**{text}**" if isinstance(value, Number) and value.is_best else text


def _latex(table: Table) -> Iterator[str]:
    sides = "".join("r" if side else "l" for side in _are_numbers(table))
    caption = " ".join(f"{_for_latex(text)}." for text in (table.title, *table.notes))
    yield from (r"\begin{table}", r"\centering", rf"\caption{{{caption.replace('..', '.')}}}")
    yield rf"\begin{{tabular}}{{{sides}}}"
    yield r"\toprule"
    yield " & ".join(map(_for_latex, table.columns)) + r" \\"
    yield r"\midrule"
    for place, row in enumerate(table.rows):
        if row.is_apart and place:
            yield r"\midrule"
        yield " & ".join(map(_for_latex, row.values)) + r" \\"
    yield from (r"\bottomrule", r"\end{tabular}", r"\end{table}", "")


def _for_latex(value: Value) -> str:
    text = "".join(_LATEX.get(letter, letter) for letter in _text(value))
    return rf"\textbf{{{text}}}" if isinstance(value, Number) and value.is_best else text


def _csv(table: Table) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    columns = list(zip(*(row.values for row in table.rows), strict=True))
    columns = columns or [()] * len(table.columns)
    spread = [_spread(name, column) for name, column in zip(table.columns, columns, strict=True)]
    writer.writerow([name for one in spread for name, _ in one])
    writer.writerows(zip(*(values for one in spread for _, values in one), strict=True))
    return stream.getvalue()


def _spread(name: str, column: Sequence[Value]) -> list[tuple[str, list[str]]]:
    """Return a column as those that hold one value each."""
    spread = [(name, [_digits(value) for value in column])]
    for part in ("deviation", "low", "high"):
        found = [getattr(value, part, None) for value in column]
        if any(value is not None for value in found):
            spread.append((f"{name} {part}", ["" if one is None else repr(one) for one in found]))
    return spread


def _digits(value: Value) -> str:
    if isinstance(value, Number):
        whole = int(value.value)
        return repr(whole) if value.unit == "count" and whole == value.value else repr(value.value)
    return value or ""


def _text(value: Value) -> str:
    return MISSING if value is None else " ".join(str(value).split())


def _are_numbers(table: Table) -> list[bool]:
    """Tell which columns hold numbers, and are set to the right."""
    return [
        any(isinstance(row.values[place], Number) for row in table.rows)
        for place in range(len(table.columns))
    ]
