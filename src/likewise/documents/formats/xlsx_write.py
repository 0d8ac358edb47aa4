"""The writer of Excel workbooks: one sheet, the same bytes for the same documents."""

from __future__ import annotations

import datetime as dt
import re
import shutil
import tempfile
import zipfile
from typing import IO, TYPE_CHECKING, Any, Literal

from likewise.documents.annotations import note_text
from likewise.documents.formats.guards import is_like_a_formula
from likewise.documents.formats.rows import table_of, to_row
from likewise.errors import WriteError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from openpyxl import Workbook

    from likewise.documents.annotations import Annotated

MAX_CELL = 32_767
MAX_ROWS = 1_048_576

# Excel writes characters that XML can't hold as _x000D_, and what looks like that with _x005F_.
_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# The first day that a zip file knows.
_EPOCH = dt.datetime(1980, 1, 1)  # noqa: DTZ001  # Excel knows no time zones


def write(annotated: Iterable[Annotated], stream: IO[bytes]) -> None:
    """Write a workbook of one sheet; what Excel can't hold raises, rather than being cut."""
    from openpyxl import Workbook

    workbook = Workbook(write_only=True)
    sheet = workbook.create_sheet("documents")
    try:
        columns, entries = table_of(annotated)
        sheet.append(columns)
        for number, entry in enumerate(entries, 2):
            _check_room(number)
            sheet.append(_cells(entry, columns, sheet=sheet))
    except BaseException:
        sheet.close()
        raise
    _save(workbook, stream)


def _check_room(number: int) -> None:
    if number > MAX_ROWS:
        raise WriteError(f"an Excel sheet holds {MAX_ROWS:,} rows; write .csv or .jsonl")


def _cells(entry: Annotated, columns: Sequence[str], *, sheet: Any) -> list[Any]:
    """Return the cells of a row; numbers stay numbers, to be sorted and filtered by."""
    values = {**to_row(entry.document), **entry.notes}
    whose = f"document {entry.document.id!r}"
    return [
        _text_cell(note_text(value), sheet=sheet, of=f"{whose}: its {name}")
        if isinstance(value := values.get(name, ""), str | bool)
        else value
        for name in columns
    ]


def _text_cell(text: str, *, sheet: Any, of: str) -> Any:
    from openpyxl.cell import WriteOnlyCell

    text = _ESCAPED.sub("_x005F_", _NOT_XML.sub("", text))
    length = len(text.encode("utf-16-le", "replace")) // 2
    if length > MAX_CELL:
        raise WriteError(
            f"{of} takes {length:,} characters, and a cell of Excel holds {MAX_CELL:,}; "
            "write .csv or .jsonl"
        )
    cell = WriteOnlyCell(sheet, value=text or None)
    # Else a text such as "=1" would be a formula, and "#N/A" an error.
    cell.data_type = "s" if text else "n"
    if is_like_a_formula(text):
        # And it would become one as soon as somebody edits the cell.
        cell.quotePrefix = True
    return cell


def _save(workbook: Workbook, stream: IO[bytes]) -> None:
    from openpyxl.writer.excel import ExcelWriter

    # `workbook.save` would write the time of day into it.
    workbook.properties.created = workbook.properties.modified = _EPOCH
    # A zip file is written back and forth, and not every stream can do that.
    with tempfile.TemporaryFile() as aside:
        ExcelWriter(workbook, _Archive(aside, "w", zipfile.ZIP_DEFLATED)).save()
        aside.seek(0)
        shutil.copyfileobj(aside, stream)


class _Archive(zipfile.ZipFile):
    """A zip file that gives all of its parts the same time."""

    def open(
        self,
        name: str | zipfile.ZipInfo,
        mode: Literal["r", "w"] = "r",
        pwd: bytes | None = None,
        *,
        force_zip64: bool = False,
    ) -> IO[bytes]:
        if isinstance(name, zipfile.ZipInfo):
            name.date_time = _EPOCH.timetuple()[:6]
        return super().open(name, mode, pwd, force_zip64=force_zip64)
