"""Excel workbooks: the first sheet with a header that we know is read; one sheet is written.

A workbook is a zip file of XML, and either can be made to fill the memory: by parts that unpack to
a thousand times their size, by a directory of a million names, by entities made of entities. No
program that writes tables needs any of these, so a workbook that has them is refused. The size
that a part claims can be relied on: no more than that is ever unpacked.

The same documents are always written as the same bytes.
"""

from __future__ import annotations

import datetime as dt
import re
import shutil
import tempfile
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import IO, TYPE_CHECKING, Any, Literal
from urllib.parse import quote
from xml.parsers import expat

import msgspec

from likewise.documents.document import AnnotatedDocument, Document, format_note
from likewise.documents.formats.cells import is_like_a_formula, join_halves, lay_out_table, make_row
from likewise.documents.formats.tables import (
    HEADER_ROWS,
    TableRow,
    is_header,
    make_header_error,
    read_cells,
    read_rows,
)
from likewise.documents.sources import AS_REFERENCES, ReadItem, Source, name_other_kind
from likewise.errors import LikewiseError, ReadError, WriteError

if TYPE_CHECKING:
    from openpyxl import Workbook


# A row of a few letters can claim to be the billionth, or to end in the last column.
MAX_CELLS = 1 << 25
MAX_ROWS = 1_048_576
# Rows with a single value in the last column are filled up with thousands of empty cells.
MAX_NOTHING = 1 << 21
_MOST_NOTHING = 20

# Excel writes characters that XML can't hold as _x000D_.
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")


def read(source: Source) -> Iterator[ReadItem]:
    """Yield the records of the first sheet that names its columns."""
    first_found: list[str] = []
    with source.open() as stream:
        for sheet in _open_sheets(stream, source=source):
            rows = _read_rows(sheet, source=source)
            first = list(islice(rows, HEADER_ROWS))
            at = next((at for at, row in enumerate(first) if is_header(row)), None)
            if at is not None:
                below = chain(first[at + 1 :], rows)
                yield from read_rows(below, header=first[at], source=source)
                return
            first_found = first_found or next(filter(any, map(read_cells, first)), [])
    raise make_header_error(first_found, source=source)


def _open_sheets(stream: IO[bytes], *, source: Source) -> Iterator[Any]:
    from openpyxl import load_workbook

    check_parts(stream, source=source)
    try:
        with warnings.catch_warnings():
            # openpyxl warns of styles and extensions that it does not know; we need neither.
            warnings.simplefilter("ignore")
            workbook = load_workbook(stream, read_only=True, data_only=True, keep_links=False)
    except Exception as error:  # openpyxl raises whatever it trips over in a damaged file
        raise explain_damage(source) from error
    yield from workbook.worksheets


def _read_rows(sheet: Any, *, source: Source) -> Iterator[TableRow]:
    # The size that a sheet claims is often wrong, and rows would be cut to it.
    sheet.reset_dimensions()
    room = MAX_CELLS
    filled = 0
    values = enumerate(sheet.iter_rows(values_only=True), 1)
    while True:
        try:
            number, cells = next(values)
        except StopIteration:
            return
        except Exception as error:  # as above
            raise explain_damage(source) from error
        room -= len(cells)
        filled += len(cells) - cells.count(None)
        nothing = MAX_CELLS - room - filled
        is_sparse = nothing > MAX_NOTHING and nothing > _MOST_NOTHING * filled
        if number > MAX_ROWS or room < 0 or is_sparse:
            found = "a sheet of more rows or cells than Excel makes"
            wide = f"a sheet with rows as wide as {len(cells):,} cells, most of which are empty"
            raise source.fail(wide if is_sparse else found, line=number, advice="save it as .csv")
        yield TableRow(number, [_read_cell(value) for value in cells])


def _read_cell(value: Any) -> str:
    """Return a cell as text; an identifier that Excel made 12345678.0 becomes "12345678" again."""
    if value is None:
        return ""
    if isinstance(value, str):
        return _unescape(value) if "_x" in value else value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def _unescape(text: str) -> str:
    return join_halves(_ESCAPE.sub(lambda found: chr(int(found[1], 16)), text))


MAX_CELL = 32_767
# Excel writes characters that XML can't hold as _x000D_, and what looks like that with _x005F_.
_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WIDTHS = {"title": 60, "abstract": 60, "authors": 28, "journal": 24, "reason": 22, "tags": 18}
_USUAL_WIDTH = 13
"""Of a column, in letters."""
_LINKS = {
    "doi": "https://doi.org/",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/",
    "pmcid": "https://pmc.ncbi.nlm.nih.gov/articles/",
}
MAX_LINKS = 65_000
"""A sheet with more than 65,530 loses all of its links when Excel opens it."""
# The first day that a zip file can hold.
_EPOCH = dt.datetime(1980, 1, 1)  # noqa: DTZ001  # Excel knows no time zones


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write a workbook of one sheet; raise if a text is too long, but drop long further tags."""
    from openpyxl import Workbook
    from openpyxl.utils import get_column_letter

    workbook = Workbook(write_only=True)
    sheet = workbook.create_sheet("documents")
    try:
        columns, entries = lay_out_table(annotated)
        _set_up_sheet(sheet, columns)
        number, links = 1, 0
        for number, entry in enumerate(entries, 2):
            _check_room(number)
            cells = _make_cells(entry, columns, sheet=sheet)
            if links < MAX_LINKS:
                links += _add_links(cells, columns)
            sheet.append(cells)
        sheet.auto_filter.ref = f"A1:{get_column_letter(len(columns))}{number}"
    except BaseException:
        sheet.close()
        raise
    _save(workbook, stream)


def _set_up_sheet(sheet: Any, columns: Sequence[str]) -> None:
    """Write a header that stays in sight, and set the widths of the columns."""
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    sheet.freeze_panes = "A2"
    header = []
    for place, name in enumerate(columns, 1):
        sheet.column_dimensions[get_column_letter(place)].width = _WIDTHS.get(name, _USUAL_WIDTH)
        header.append(WriteOnlyCell(sheet, value=name))
        header[-1].font = Font(bold=True)
    sheet.append(header)


def _add_links(cells: Sequence[Any], columns: Sequence[str]) -> int:
    """Link identifiers to where the paper can be read, and return how many links there are."""
    linked = 0
    for cell, name in zip(cells, columns, strict=True):
        if name in _LINKS and (value := getattr(cell, "value", None)):
            cell.hyperlink = f"{_LINKS[name]}{quote(str(value), safe='/:;()')}"
            # By its docstring, openpyxl may put the address there; the text has to stay.
            cell.value, cell.data_type = value, "s"
            linked += 1
    return linked


def _check_room(number: int) -> None:
    if number > MAX_ROWS:
        raise WriteError(f"an Excel sheet holds {MAX_ROWS:,} rows; write .csv or .jsonl")


def _make_cells(entry: AnnotatedDocument, columns: Sequence[str], *, sheet: Any) -> list[Any]:
    """Return the cells of a row; numbers stay numbers, to be sorted and filtered by."""
    values = make_row(_fit_extra(entry.document), entry.notes)
    whose = f"document {entry.document.id!r}"
    return [
        _make_text_cell(format_note(value), sheet=sheet, of=f"{whose}: its {name}")
        if isinstance(value := values.get(name, ""), str | bool)
        else value
        for name in columns
    ]


def _fit_extra(document: Document) -> Document:
    """Leave out further tags that do not fit in a cell, such as long lists of references."""
    room, kept = MAX_CELL, []
    for tag, value in document.extra:
        # Marks are written twice, and what looks like one of Excel's escapes gets six more letters.
        marked = sum(map(value.count, ("\\", ";"))) + 6 * value.count("_x")
        wide = sum(character > "\uffff" for character in value)
        length = 4 * len(tag) + 8 + len(value) + marked + wide
        if length <= room:
            kept.append((tag, value))
            room -= length
    if len(kept) == len(document.extra):
        return document
    return msgspec.structs.replace(document, extra=tuple(kept))


def _make_text_cell(text: str, *, sheet: Any, of: str) -> Any:
    from openpyxl.cell import WriteOnlyCell

    text = _ESCAPED.sub("_x005F_", _NOT_XML.sub("", text))
    length = len(text.encode("utf-16-le", "replace")) // 2
    if length > MAX_CELL:
        raise WriteError(
            f"{of} takes {length:,} characters, but a cell of Excel holds {MAX_CELL:,}; "
            "write .csv or .jsonl"
        )
    cell = WriteOnlyCell(sheet, value=text or None)
    # Otherwise a text such as "=1" would be a formula, and "#N/A" an error.
    cell.data_type = "s" if text else "n"
    if is_like_a_formula(text):
        # And it would become one as soon as somebody edits the cell.
        cell.quotePrefix = True
    return cell


def _save(workbook: Workbook, stream: IO[bytes]) -> None:
    from openpyxl.writer.excel import ExcelWriter

    # `workbook.save` would write the time of day into it.
    workbook.properties.created = workbook.properties.modified = _EPOCH
    # Writing a zip file takes a stream that can seek, and not every stream can.
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


# Sheets of text shrink to a tenth or so; a part that is both this large and this much shrunk is
# made to fill the memory.
MAX_PART = 100 << 20
MAX_RATIO = 100
# While a row is read, it takes many times its size.
MAX_ROW = 4 << 20
# For files whose size is limited: reading this many takes a quarter of a minute.
MAX_TAGS = 5_000_000
# Enough for the names of some thousands of parts; most workbooks have a dozen.
MAX_DIRECTORY = 1 << 20
_OLE = b"\xd0\xcf\x11\xe0"
_END = b"PK\x05\x06"
_END_SIZE, _LONGEST_END = 22, 22 + (1 << 16)
_LARGE_END = b"PK\x06\x07"
_LARGE_END_SIZE = 20
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BLOCK = 1 << 16


def check_parts(stream: IO[bytes], *, source: Source) -> None:
    """Raise ReadError unless a stream is a workbook that can be unpacked safely."""
    if stream.read(4) == _OLE:
        raise source.fail(
            "an old Excel file (.xls), or one that is protected by a password",
            advice="save it as .xlsx without a password",
        )
    _check_directory(stream, source=source)
    try:
        with zipfile.ZipFile(stream) as archive:
            parts = archive.infolist()
            _check_sizes(parts, source=source)
            for part in parts:
                is_xml = _check_prolog(archive, part, source=source)
                if is_xml and part.file_size > MAX_ROW:
                    _check_rows(archive, part, source=source)
    except LikewiseError:
        raise
    except Exception as error:  # zipfile raises whatever it and zlib trip over
        raise explain_damage(source) from error


def explain_damage(source: Source) -> ReadError:
    """Return the error to raise when a workbook can't be read, or is something else."""
    if kind := name_other_kind(source):
        return source.fail(f"{kind}, not a list of references", advice=AS_REFERENCES)
    return source.fail("the workbook is damaged", advice="copy it again, or save it as .csv")


def _check_directory(stream: IO[bytes], *, source: Source) -> None:
    """Refuse a directory that would take much memory, before it is read."""
    size = stream.seek(0, 2)
    stream.seek(max(0, size - _LONGEST_END - _LARGE_END_SIZE))
    tail = stream.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + _END_SIZE:
        raise explain_damage(source)
    length = int.from_bytes(tail[at + 12 : at + 16], "little")
    is_large = tail[max(0, at - _LARGE_END_SIZE) : at].startswith(_LARGE_END)
    if length > MAX_DIRECTORY or is_large:
        raise source.fail(
            "a zip file of more parts than a workbook has", advice="save it as .xlsx again"
        )


def _check_sizes(parts: list[zipfile.ZipInfo], *, source: Source) -> None:
    if "xl/workbook.xml" not in {part.filename for part in parts}:
        if name_other_kind(source):
            raise explain_damage(source)
        raise source.fail(
            "a zip file, not an Excel workbook", advice="save it as .xlsx, or unpack it"
        )
    if any(part.compress_type not in _PACKINGS for part in parts):
        raise source.fail("a workbook packed in an unusual way", advice="save it as .xlsx again")
    if source.most_bytes is not None and sum(p.file_size for p in parts) > source.most_bytes:
        raise source.too_large()
    for part in parts:
        if part.file_size > MAX_PART and part.file_size > MAX_RATIO * part.compress_size:
            raise source.fail(
                f"{part.filename} in it unpacks to {part.file_size >> 20} MB, more than "
                f"{MAX_RATIO} times its size: this is not a table",
                advice="save it as .csv if it is one",
            )


def _check_prolog(archive: zipfile.ZipFile, part: zipfile.ZipInfo, *, source: Source) -> bool:
    """Refuse a part with a document type, which may declare entities; return whether it is XML."""
    seen: set[str] = set()
    parser = expat.ParserCreate()  # the one that reads sheets
    parser.StartDoctypeDeclHandler = lambda *_: seen.add("document type")
    parser.StartElementHandler = lambda *_: seen.add("element")
    with archive.open(part) as stream:
        while not seen and (block := stream.read(_BLOCK)):
            try:
                parser.Parse(block)
            except (expat.ExpatError, ValueError, LookupError):
                break  # What is not XML has no prolog.
    if "document type" in seen:
        raise source.fail(
            f"{part.filename} in it declares a document type (<!DOCTYPE)",
            advice="it is refused: such a file can be made to fill the memory",
        )
    return "element" in seen


def _check_rows(archive: zipfile.ZipFile, part: zipfile.ZipInfo, *, source: Source) -> None:
    """Refuse a part with a row, or a text that cells share, that would take much memory."""
    length = tags = 0
    with archive.open(part) as stream:
        while block := stream.read(MAX_ROW >> 2):
            end = max(block.rfind(b"row>"), block.rfind(b"si>"))
            length = len(block) - end if end >= 0 else length + len(block)
            tags += block.count(b"<")
            if length > MAX_ROW:
                raise source.fail(
                    f"{part.filename} in it has a row of more than {MAX_ROW >> 20} MB",
                    advice="save it as .csv if it is a table",
                )
            if source.most_bytes is not None and tags > MAX_TAGS:
                raise source.fail(
                    f"{part.filename} in it has more than {MAX_TAGS:,} cells and other elements",
                    advice="save it as .csv, or split it",
                )
