"""Tables: find the header among the first rows, and the documents in the rows below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.documents.formats.cells import is_nothing
from likewise.documents.formats.columns import TELLING
from likewise.documents.formats.rows import Layout, RowError
from likewise.documents.sources import Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from likewise.documents.document import Document
    from likewise.documents.sources import Source

# Some programs put a title, a date or a licence above the header.
HEADER_ROWS = 10


class Row(NamedTuple):
    """The cells of a row, the line where it begins and the number of lines that it takes."""

    line: int
    cells: Sequence[Any]
    lines: int = 1


def documents_in(rows: Iterable[Row], *, header: Row, source: Source) -> Iterator[Document]:
    """Yield the documents in the rows below a header."""
    names = texts(header)
    layout, width, found = Layout(names), len(header.cells), 0
    for row in rows:
        if all(is_nothing(value) for value in row.cells):
            continue
        found += 1
        misfit = _misfit(row, width=width)
        if misfit:
            source.problem(misfit, line=row.line, advice="check its quotes and separators")
            continue
        try:
            document = layout.document(row.cells)
        except RowError as error:
            source.problem(str(error), line=row.line, advice=error.advice)
            continue
        source.line, source.said = row.line, Said(names, row.cells)
        yield document
    if not found:
        raise source.fail("a header but no rows below it", advice="export it again")


def is_header(row: Row) -> bool:
    """Tell whether a row names columns, among them one to know documents by."""
    layout = Layout(texts(row))
    return layout.is_telling and (row.line == 1 or len(layout.places) > 1)


def no_header(first: Sequence[str], *, source: Source) -> Exception:
    """Return the error that names the columns found and those that we know."""
    shown = ", ".join(repr(name[:40]) for name in first[:12] if name) or "none"
    return source.fail(
        f"no header with a column that we know; the first row has {shown}",
        line=1,
        advice=f"name at least one column {', '.join(TELLING[:-1])} or {TELLING[-1]}",
    )


def texts(row: Row) -> list[str]:
    """Return the cells of a row as texts."""
    return ["" if value is None else str(value).strip() for value in row.cells]


def _misfit(row: Row, *, width: int) -> str:
    """Say why a row can't be read safely; shorter ones can, if they are a single line."""
    over = sum(not is_nothing(value) for value in row.cells[width:])
    if over:
        return f"a row with {over} more values than there are columns ({width})"
    if row.lines > 1 and len(row.cells) < width:
        return f"a row over {row.lines} lines with {len(row.cells)} values for {width} columns"
    return ""
