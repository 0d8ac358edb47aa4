"""Tables as text, with commas, semicolons, tabs or bars between the values."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import IO, NamedTuple

from likewise.documents.document import AnnotatedDocument, Note, format_note
from likewise.documents.formats.cells import guard_cell, lay_out_table, make_row, unguard_cell
from likewise.documents.formats.tables import (
    HEADER_ROWS,
    Layout,
    TableRow,
    is_header,
    make_header_error,
    read_rows,
)
from likewise.documents.sources import MAX_LINE, Complaint, Line, ReadItem, RecordSize, Source

DELIMITERS = ",;\t|"
# No table has this many columns, and none has names that take this much room.
MAX_CELLS = 100_000
MAX_HEADER = 50_000

_LINE_END = re.compile(r"\r\n?")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f]")


class CsvDialect(NamedTuple):
    """How values are separated and quoted."""

    delimiter: str
    skips_spaces: bool = False
    is_quoted: bool = True
    """Whether values may be in quotation marks; Web of Science writes values as they are."""


def read(source: Source) -> Iterator[ReadItem]:
    """Yield the records of a table that names its columns."""
    lines = source.lines()
    first = list(islice(lines, HEADER_ROWS))
    start, dialect = _find_header(first, source=source)
    rows = _read_rows(chain(first[start:], lines), before=start, dialect=dialect, source=source)
    header = next(rows, None)
    while isinstance(header, Complaint):
        yield header
        header = next(rows, None)
    yield from read_rows(rows, header=header or TableRow(start + 1, ()), source=source)


def write(
    annotated: Iterable[AnnotatedDocument], stream: IO[bytes], *, delimiter: str = ","
) -> None:
    """Write a table that loses nothing."""
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    columns, entries = lay_out_table(annotated)
    table = csv.DictWriter(text, columns, delimiter=delimiter, lineterminator="\r\n")
    table.writeheader()
    for entry in entries:
        table.writerow({name: _write_cell(value) for name, value in make_row(*entry).items()})
    text.detach()


# One function reads both: the header shows what separates the values.
read_tsv = read
write_tsv = partial(write, delimiter="\t")


def _write_cell(value: Note) -> str:
    """Return a value as it is written; only texts are guarded, since no number is a formula."""
    if not isinstance(value, str):
        return format_note(value)
    if not value.isprintable():
        # Control characters would make a table binary data.
        value = _CONTROL.sub("", _LINE_END.sub("\n", value))
    return guard_cell(value)


def _find_header(first: list[Line], *, source: Source) -> tuple[int, CsvDialect]:
    """Return which of the first lines is the header, and how it separates its values."""
    announced = _read_announced(first[0].text) if first else None
    short = [line for line in first if len(line.text) <= MAX_HEADER]
    for line in short:
        dialect = announced or _choose_dialect(line.text)
        names = _split_cells(line.text, dialect)
        if is_header(TableRow(line.number, names)):
            is_raw = dialect.delimiter == "\t" and {"PT", "TI", "SO"} <= set(names)
            return first.index(line), dialect._replace(is_quoted=not is_raw)
    shown = next((line.text for line in short if line.text.strip()), "")
    raise make_header_error(_split_cells(shown, _choose_dialect(shown)), source=source)


def _read_announced(line: str) -> CsvDialect | None:
    """Read a first line such as "sep=;", which tells Excel the separator."""
    order = line.strip('" ')
    return CsvDialect(order[4]) if order[:4].lower() == "sep=" and len(order) == 5 else None


def _choose_dialect(header: str) -> CsvDialect:
    """Choose the separator that gives a header the most known names, then the most names."""

    def count_known(delimiter: str) -> tuple[int, int]:
        names = _split_cells(header, CsvDialect(delimiter))
        return sum(map(len, Layout(names).places.values())), len(names)

    delimiter = max(DELIMITERS, key=count_known)
    later = _split_cells(header, CsvDialect(delimiter))[1:]
    spaced = bool(later) and all(name.startswith(" ") for name in later)
    return CsvDialect(delimiter, skips_spaces=spaced)


def _split_cells(line: str, dialect: CsvDialect) -> list[str]:
    return next(_make_reader([line], dialect), [])


def _read_rows(
    lines: Iterable[Line], *, before: int, dialect: CsvDialect, source: Source
) -> Iterator[TableRow | Complaint]:
    feed = _Feed(lines, before=before, delimiter=dialect.delimiter, source=source)
    reader = _make_reader(feed, dialect)
    while True:
        begins = feed.last + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise source.fail(
                f"not a table ({error})", line=begins, advice="export it again, or as RIS"
            ) from error
        if fault := _describe_quotes(feed, dialect):
            yield Complaint(fault, begins, "close it, or double it inside a value")
        else:
            bare = [unguard_cell(cell) if cell[:1] == "'" else cell for cell in cells]
            if not dialect.is_quoted:
                bare = [_unquote(cell) if cell[:1] == '"' else cell for cell in bare]
            yield TableRow(begins, bare, lines=len(feed.taken))
        feed.begin_row()


def _unquote(cell: str) -> str:
    """Return a cell without its quotes if a program has quoted it after all, or else as it is.

    >>> _unquote('"a ""b"" c"'), _unquote('"Sleep" and work'), _unquote('"Sleep" and "work"')
    ('a "b" c', '"Sleep" and work', '"Sleep" and "work"')
    """
    inner = cell[1:-1].replace('""', "")
    is_quoted = len(cell) > 1 and cell[-1] == '"' and '"' not in inner
    return cell[1:-1].replace('""', '"') if is_quoted else cell


def _describe_quotes(feed: _Feed, dialect: CsvDialect) -> str:
    """Describe how a quotation mark has joined the last row to those below it."""
    if feed.is_spent:
        return f"a quotation mark is not closed up to the end of the file, line {feed.last}"
    if len(feed.taken) > 1:
        try:
            next(_make_reader(feed.taken, dialect, strict=True))
        except csv.Error:
            return f"a stray quotation mark joins this row to those up to line {feed.last}"
    return ""


class _Feed:
    """Lines for a reader that takes as many as a row has; knows if it asked for one too many."""

    def __init__(
        self, lines: Iterable[Line], *, before: int, delimiter: str, source: Source
    ) -> None:
        self._lines = iter(lines)
        self._delimiter = delimiter
        self._source = source
        self._size = RecordSize(before + 1, source)
        self.taken: list[str] = []
        self.last = before
        self.is_spent = False

    def begin_row(self) -> None:
        """Forget the lines of the row that was read."""
        self.taken.clear()
        self._size = RecordSize(self.last + 1, self._source)

    def __iter__(self) -> _Feed:
        return self

    def __next__(self) -> str:
        line = next(self._lines, None)
        if line is None:
            self.is_spent = True
            raise StopIteration
        self.last = line.number
        self._size.grow(line.text)
        if line.text.count(self._delimiter) > MAX_CELLS:
            raise self._source.fail(
                f"a row of more than {MAX_CELLS:,} values",
                line=line.number,
                advice="the file has lost its line ends, or is not a table",
            )
        self.taken.append(f"{line.text}\n")
        return self.taken[-1]


def _make_reader(
    lines: Iterable[str], dialect: CsvDialect, *, strict: bool = False
) -> Iterator[list[str]]:
    # The limit holds for the whole process, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE))
    return csv.reader(
        lines,
        delimiter=dialect.delimiter,
        skipinitialspace=dialect.skips_spaces,
        quoting=csv.QUOTE_MINIMAL if dialect.is_quoted else csv.QUOTE_NONE,
        strict=strict,
    )
