"""Excel workbooks: the first sheet with a header that we know."""

from __future__ import annotations

import datetime as dt
import re
import shutil
import tempfile
import warnings
import zipfile
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, Any

from likewise.documents.formats.cells import whole_characters
from likewise.documents.formats.columns import FIELDS
from likewise.documents.formats.rows import to_row
from likewise.documents.formats.tables import (
    HEADER_ROWS,
    Row,
    documents_in,
    is_header,
    no_header,
    texts,
)
from likewise.errors import ReadError, WriteError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from likewise.documents.document import Document, Record
    from likewise.documents.sources import Source

MAX_CELL = 32_767
MAX_ROWS = 1_048_576
# Sheets of text shrink to a tenth or so; a part that is both this large and this much shrunk is
# made to fill the memory.
MAX_PART = 100 << 20
MAX_RATIO = 100

_OLE = b"\xd0\xcf\x11\xe0"
# Excel writes characters that XML can't hold as _x000D_, and what looks like that with _x005F_.
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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


def write(documents: Iterable[Document], stream: IO[bytes]) -> None:
    """Write a workbook of one sheet; what Excel can't hold raises, rather than being cut."""
    from openpyxl import Workbook

    workbook = Workbook(write_only=True)
    sheet = workbook.create_sheet("documents")
    try:
        sheet.append(list(FIELDS))
        for number, document in enumerate(documents, 2):
            sheet.append(_cells(document, sheet=sheet, number=number))
    except BaseException:
        sheet.close()
        raise
    # A zip file is written back and forth, and not every stream can do that.
    with tempfile.TemporaryFile() as aside:
        workbook.save(aside)
        aside.seek(0)
        shutil.copyfileobj(aside, stream)


def _sheets(stream: IO[bytes], *, source: Source) -> Iterator[Any]:
    from openpyxl import load_workbook

    _check_parts(stream, source=source)
    try:
        with warnings.catch_warnings():
            # openpyxl warns of styles and extensions that it does not know; we need neither.
            warnings.simplefilter("ignore")
            workbook = load_workbook(stream, read_only=True, data_only=True, keep_links=False)
    except Exception as error:  # openpyxl raises whatever it trips over in a damaged file
        raise _damaged(source) from error
    yield from workbook.worksheets


def _check_parts(stream: IO[bytes], *, source: Source) -> None:
    if stream.read(4) == _OLE:
        raise source.fail(
            "an old Excel file (.xls), or one that is protected by a password",
            advice="save it as .xlsx without a password",
        )
    try:
        parts = zipfile.ZipFile(stream).infolist()
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise _damaged(source) from error
    if "xl/workbook.xml" not in {part.filename for part in parts}:
        raise source.fail(
            "a zip file that is no Excel workbook", advice="save it as .xlsx, or unpack it"
        )
    for part in parts:
        if part.file_size > MAX_PART and part.file_size > MAX_RATIO * part.compress_size:
            raise source.fail(
                f"{part.filename} in it unpacks to {part.file_size >> 20} MB, more than "
                f"{MAX_RATIO} times its size: this is not a table",
                advice="save it as .csv if it is one",
            )


def _rows(sheet: Any, *, source: Source) -> Iterator[Row]:
    # The size that a sheet claims is often wrong, and rows would be cut to it.
    sheet.reset_dimensions()
    values = enumerate(sheet.iter_rows(values_only=True), 1)
    while True:
        try:
            number, cells = next(values)
        except StopIteration:
            return
        except Exception as error:  # as above
            raise _damaged(source) from error
        yield Row(number, [_text(value) for value in cells])


def _damaged(source: Source) -> ReadError:
    return source.fail("the workbook is damaged", advice="copy it again, or save it as .csv")


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


def _cells(document: Document, *, sheet: Any, number: int) -> list[Any]:
    from openpyxl.cell import WriteOnlyCell

    if number > MAX_ROWS:
        raise WriteError(f"an Excel sheet holds {MAX_ROWS:,} rows; write .csv or .jsonl")
    cells: list[Any] = []
    for name, text in to_row(document).items():
        text = _ESCAPED.sub("_x005F_", _NOT_XML.sub("", text))
        length = len(text.encode("utf-16-le", "replace")) // 2
        if length > MAX_CELL:
            raise WriteError(
                f"document {document.id!r}: its {name} takes {length:,} characters, and a cell of "
                f"Excel holds {MAX_CELL:,}; write .csv or .jsonl"
            )
        cell = WriteOnlyCell(sheet, value=text or None)
        # Else a text such as "=1" would be a formula, and "#N/A" an error.
        cell.data_type = "s" if text else "n"
        cells.append(cell)
    return cells
