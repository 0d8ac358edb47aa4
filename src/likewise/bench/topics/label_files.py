"""Files of labels, row by row: which document a row speaks of, and what it says."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from likewise.documents.formats.cells import kind
from likewise.documents.formats.csv import DELIMITERS
from likewise.documents.formats.json_arrays import array_values, is_array
from likewise.documents.formats.jsonl import document_of
from likewise.documents.formats.rows import Layout, RowError
from likewise.documents.identity import clean_pmid, identity_keys, with_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.documents import Document
    from likewise.documents.sources import Line, Source

_JUDGEMENT = re.compile(r"(\S+)\s+\S+\s+(\S+)\s+(-?\d+)")
# The same without the second column, which says nothing, and with a header: as BEIR has it.
_BEIR_HEADER = re.compile(r"query-?_?id\tcorpus-?_?id\tscore")
_BEIR_JUDGEMENT = re.compile(r"([^\t]+)\t([^\t]+)\t(-?\d+)")


class LabelRow(NamedTuple):
    """What a row of a file says of a document."""

    keys: tuple[str, ...]
    """The keys that the document may be known under, the surest first."""
    field: str
    value: Any
    line: int
    decides: bool = False
    """Whether its value is known to be a yes or a no."""


def label_rows(source: Source, *, field: str) -> Iterator[LabelRow]:
    """Yield what each row of a file says in a field, or judges."""
    head = source.head().decode("utf-8", "replace").lstrip("\ufeff \r\n\t")
    first = head.splitlines()[0].rstrip() if head else ""
    if head.startswith(("{", "[")):
        yield from _json_rows(source, field=field)
    elif _JUDGEMENT.fullmatch(first):
        yield from _judgements(source, form=_JUDGEMENT)
    elif _BEIR_HEADER.fullmatch(first):
        yield from _judgements(source, form=_BEIR_JUDGEMENT)
    else:
        yield from _table_rows(source, field=field)


def _json_rows(source: Source, *, field: str) -> Iterator[LabelRow]:
    names: dict[str, None] = {}
    known = False
    for line in array_values(source) if is_array(source) else source.lines():
        if not line.text.strip():
            continue
        record = _record(line, source=source)
        known = known or field in record
        names |= dict.fromkeys(record)
        if field in record:
            keys = _keys(_document(record, line=line.number, source=source))
            yield LabelRow(keys, field, record[field], line.number)
    if not known:
        raise _no_field(source, field=field, names=list(names))


def _record(line: Line, *, source: Source) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(line.text)
    except (msgspec.DecodeError, RecursionError) as error:
        found = str(error).removeprefix("JSON is malformed: ")
        advice = "each line is one JSON object"
        raise source.fail(f"broken JSON ({found})", line=line.number, advice=advice) from error
    if not isinstance(value, dict):
        raise source.fail(f"{kind(value)} where an object was expected", line=line.number)
    return value


def _document(record: dict[str, Any], *, line: int, source: Source) -> Document:
    try:
        return with_id(document_of(record))
    except RowError as error:
        advice = "name its id, PMID or DOI, as the library knows it"
        raise source.fail(str(error), line=line, advice=advice) from error


def _keys(document: Document) -> tuple[str, ...]:
    # PMID and DOI tell more than an id, which in many files is the number of a row; titles least.
    titles = [key for key in identity_keys(document) if key.startswith("title:")]
    sure = [key for key in identity_keys(document) if key not in titles]
    return tuple(dict.fromkeys([*sure, *_keys_of_id(document.id), *titles]))


def _keys_of_id(identifier: str) -> list[str]:
    pmid = clean_pmid(identifier)
    return [f"id:{identifier}", *([f"pmid:{pmid}"] if pmid else [])]


def _judgements(source: Source, *, form: re.Pattern[str]) -> Iterator[LabelRow]:
    for line in source.lines():
        text = line.text.strip()
        if not text or (form is _BEIR_JUDGEMENT and _BEIR_HEADER.fullmatch(text)):
            continue
        parts = form.fullmatch(text)
        if not parts:
            found = f"{text[:60]!r} where a judgement was expected"
            raise source.fail(found, line=line.number, advice="as in: topic 0 document 1")
        topic, identifier, relevance = parts.groups()
        keys = tuple(_keys_of_id(identifier))
        yield LabelRow(keys, topic, int(int(relevance) > 0), line.number, decides=True)


def _table_rows(source: Source, *, field: str) -> Iterator[LabelRow]:
    lines = (f"{line.text}\n" for line in source.lines())
    header = next(lines, "")
    delimiter = max(DELIMITERS, key=header.count)
    names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter), [])]
    if field not in names:
        raise _no_field(source, field=field, names=names)
    layout, place = Layout(names), names.index(field)
    reader = csv.reader(lines, delimiter=delimiter)
    ended = 1
    for cells in reader:
        begins, ended = ended + 1, reader.line_num + 1
        if not any(cells):
            continue
        if len(cells) != len(names):
            found = f"a row of {len(cells)} values under {len(names)} columns"
            raise source.fail(found, line=begins, advice="check its quotes and separators")
        try:
            document = with_id(layout.document(cells))
        except RowError as error:
            advice = "name its id, PMID or DOI in a column id, pmid or doi"
            raise source.fail(str(error), line=begins, advice=advice) from error
        yield LabelRow(_keys(document), field, cells[place], begins)


def _no_field(source: Source, *, field: str, names: list[str]) -> Exception:
    shown = ", ".join(name[:40] for name in names[:12] if name) or "nothing"
    return source.fail(f"no field {field!r} in it", advice=f"name one with --field; it has {shown}")
