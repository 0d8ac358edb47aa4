"""Excel workbooks: the first sheet with a header that we know."""

from __future__ import annotations

import datetime as dt
import re
import warnings
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, Any

from likewise.documents.formats.cells import whole_characters
from likewise.documents.formats.tables import (
    HEADER_ROWS,
    Row,
    documents_in,
    is_header,
    no_header,
    texts,
)
from likewise.documents.formats.xlsx_parts import check_parts, damaged
from likewise.documents.formats.xlsx_write import MAX_ROWS, write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.documents.document import Record
    from likewise.documents.sources import Source

__all__ = ["read", "write"]

# A row of a few letters can say that it is the billionth, or that it ends in the last column.
MAX_CELLS = 1 << 25

# Excel writes characters that XML can't hold as _x000D_.
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")


def read(source: Source) -> Iterator[Record]:
    """Yield the documents of the first sheet that names its columns."""
    first_found: list[str] = []
    with source.open() as stream:
        for sheet in _sheets(stream, source=source):
            rows = _rows(sheet, source=source)
            first = list(islice(rows, HEADER_ROWS))
            at = next((at for at, row in enumerate(first) if is_header(row)), None)
            if at is not None:
                below = chain(first[at + 1 :], rows)
                yield from documents_in(below, header=first[at], source=source)
                return
            first_found = first_found or next((texts(row) for row in first if any(row.cells)), [])
    raise no_header(first_found, source=source)


def _sheets(stream: IO[bytes], *, source: Source) -> Iterator[Any]:
    from openpyxl import load_workbook

    check_parts(stream, source=source)
    try:
        with warnings.catch_warnings():
            # openpyxl warns of styles and extensions that it does not know; we need neither.
            warnings.simplefilter("ignore")
            workbook = load_workbook(stream, read_only=True, data_only=True, keep_links=False)
    except Exception as error:  # openpyxl raises whatever it trips over in a damaged file
        raise damaged(source) from error
    yield from workbook.worksheets


def _rows(sheet: Any, *, source: Source) -> Iterator[Row]:
    # The size that a sheet claims is often wrong, and rows would be cut to it.
    sheet.reset_dimensions()
    room = MAX_CELLS
    values = enumerate(sheet.iter_rows(values_only=True), 1)
    while True:
        try:
            number, cells = next(values)
        except StopIteration:
            return
        except Exception as error:  # as above
            raise damaged(source) from error
        room -= len(cells)
        if number > MAX_ROWS or room < 0:
            raise source.fail(
                "a sheet of more rows or cells than Excel makes",
                line=number,
                advice="save it as .csv",
            )
        yield Row(number, [_text(value) for value in cells])


def _text(value: Any) -> str:
    """Return a cell as text; an identifier that Excel made 12345678.0 of is "12345678" again."""
    if value is None:
        return ""
    if isinstance(value, str):
        return _unescaped(value) if "_x" in value else value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def _unescaped(text: str) -> str:
    return whole_characters(_ESCAPE.sub(lambda found: chr(int(found[1], 16)), text))
