"""Labels of documents from a file beside the library, such as the decisions of a review.

A file gives labels in a field of its records, or as TREC's relevance judgements:

    ["a", "b"] or "a; b"                      the labels a and b
    {"X": {"abstract": 1, "included": 0}}     X for being listed, and X.abstract if it is true
    1 or 0, true or false, yes or no          FIELD if it is true, and FIELD.judged either way
    401 0 d7 1                                401 if it is above 0, and 401.judged either way

So "X.abstract within X" is what passed the screen among what was screened, and "401 within
401.judged" what is relevant among what was judged.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from likewise.bench.topics.mesh import fold_name
from likewise.documents import Document
from likewise.documents.formats.cells import is_nothing, name_kind
from likewise.documents.formats.csv import DELIMITERS
from likewise.documents.formats.jsonl import is_array, parse_object, read_array_values
from likewise.documents.formats.tables import Layout
from likewise.documents.identity import clean_pmid, ensure_id, identity_keys
from likewise.documents.sources import BadRecordError, Line, Source
from likewise.errors import TopicError
from likewise.library import Library
from likewise.library.keys import list_keys

JUDGED = ".judged"
"""The ending of the label of all documents that were decided on, either way."""
YES = frozenset({"1", "1.0", "true", "yes"})
DECISIONS = YES | {"0", "0.0", "false", "no"}
"""What stands for a yes, and what for a yes or a no."""
_JUDGEMENT = re.compile(r"(\S+)\s+\S+\s+(\S+)\s+(-?\d+)")
# The same without the second column, which says nothing, and with a header: as BEIR has it.
_BEIR_HEADER = re.compile(r"query-?_?id\tcorpus-?_?id\tscore")
_BEIR_JUDGEMENT = re.compile(r"([^\t]+)\t([^\t]+)\t(-?\d+)")


class Labels:
    """Labels, and which documents have them."""

    def __init__(
        self,
        labelled: Iterable[tuple[tuple[str, ...], Iterable[str]]],
        *,
        path: str | Path = "labels",
    ) -> None:
        """Take the labels of documents.

        Args:
            labelled: The keys that the library may know each document by, and its labels.
            path: The file that they were read from, for messages.
        """
        self.path = path
        self._documents: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
        for keys, labels in labelled:
            for label in dict.fromkeys(labels):
                self._documents[label].append(keys)
        self._named = {fold_name(label): label for label in self._documents}

    @property
    def names(self) -> list[str]:
        """All labels."""
        return list(self._documents)

    def find_label(self, text: str) -> str | None:
        """Return the label that a text names, whatever its case and spaces, or None."""
        return text if text in self._documents else self._named.get(fold_name(text))

    def find_ids(self, label: str, *, library: Library) -> frozenset[str]:
        """Return the ids of the library's documents that have a label; raise if there are none."""
        documents = self._documents[label]
        found = library.find({key for keys in documents for key in keys})
        by_key: dict[str, str] = {}
        for document in found:
            for key in list_keys(document):
                by_key.setdefault(key, document.id)
        # An id is its own document's first, even if another document was once called that.
        by_key |= {f"id:{document.id}": document.id for document in found}
        matched = (next(filter(None, map(by_key.get, keys)), None) for keys in documents)
        ids = frozenset(filter(None, matched))
        if not ids:
            raise TopicError(
                f"{self.path}: none of the {len(documents):,} documents labelled {label} is in the "
                "library; they are matched by id, PMID or DOI"
            )
        return ids


def read_labels(path: str | Path, field: str = "labels") -> Labels:
    """Read labels from JSON lines, a table with a header, or TREC's relevance judgements."""
    source = Source(path)
    rows = list(read_label_rows(source, field=field))
    filled = [row for row in rows if not is_nothing(row.value)]
    if not filled:
        raise source.fail(
            f"no record has anything in the field {field!r}", advice="name another with --field"
        )
    # A column of ones and zeros means yes and no; in a column of other numbers, 1 is a label.
    decides = all(_to_text(row.value).casefold() in DECISIONS for row in filled)
    labelled = (
        (row.keys, _list_decision(row) if decides or row.decides else _list_labels(row, source))
        for row in filled
    )
    return Labels(labelled, path=path)


def _list_decision(row: LabelRow) -> Iterator[str]:
    yield f"{row.field}{JUDGED}"
    if _to_text(row.value).casefold() in YES:
        yield row.field


def _list_labels(row: LabelRow, source: Source) -> Iterator[str]:
    value = row.value
    if isinstance(value, dict):
        yield from _flatten_labels(value)
    elif isinstance(value, list):
        for part in value:
            if isinstance(part, list | dict) or is_nothing(part):
                found = f"{name_kind(part)} among the labels of {row.field!r}"
                raise source.fail(found, line=row.line, advice="labels in a list are texts")
            yield _to_text(part)
    else:
        # The last of them may end with the separator, without the space.
        parts = _to_text(value).rstrip("; ").split("; ")
        yield from (part.strip() for part in parts if part.strip())


def _flatten_labels(value: dict[str, Any], *, above: str = "") -> Iterator[str]:
    for name, inner in value.items():
        label = f"{above}{name}"
        if isinstance(inner, dict):
            yield label
            yield from _flatten_labels(inner, above=f"{label}.")
        elif not is_nothing(inner) and _to_text(inner).casefold() not in DECISIONS - YES:
            yield label


def _to_text(value: Any) -> str:
    """Return a value as text: whole numbers without a fraction, lists and objects as nothing."""
    if isinstance(value, list | dict):
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value).strip()


@dataclass(frozen=True)
class LabelRow:
    """What a row of a file says of a document."""

    keys: tuple[str, ...]
    """The keys that the library may know the document by, the surest first."""
    field: str
    value: Any
    line: int
    decides: bool = False
    """Whether its value is a yes or a no, whatever other rows say."""


def read_label_rows(source: Source, *, field: str) -> Iterator[LabelRow]:
    """Yield the value of a field in each row of a file, or each judgement of a file of qrels."""
    head = source.head().decode("utf-8", "replace").lstrip("\ufeff \r\n\t")
    first = head.splitlines()[0].rstrip() if head else ""
    if head.startswith(("{", "[")):
        yield from _read_json_rows(source, field=field)
    elif _JUDGEMENT.fullmatch(first):
        yield from _read_judgements(source, form=_JUDGEMENT)
    elif _BEIR_HEADER.fullmatch(first):
        yield from _read_judgements(source, form=_BEIR_JUDGEMENT)
    else:
        yield from _read_table_rows(source, field=field)


def _read_json_rows(source: Source, *, field: str) -> Iterator[LabelRow]:
    names: dict[str, None] = {}
    known = False
    for line in read_array_values(source) if is_array(source) else source.lines():
        if not line.text.strip():
            continue
        record = _decode_record(line, source=source)
        known = known or field in record
        names |= dict.fromkeys(record)
        if field in record:
            keys = _list_keys(_make_document(record, line=line.number, source=source))
            yield LabelRow(keys, field, record[field], line.number)
    if not known:
        raise _explain_missing_field(source, field=field, names=list(names))


def _decode_record(line: Line, *, source: Source) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(line.text)
    except (msgspec.DecodeError, RecursionError) as error:
        found = str(error).removeprefix("JSON is malformed: ")
        advice = "each line is one JSON object"
        raise source.fail(f"broken JSON ({found})", line=line.number, advice=advice) from error
    if not isinstance(value, dict):
        raise source.fail(f"{name_kind(value)} where an object was expected", line=line.number)
    return value


def _make_document(record: dict[str, Any], *, line: int, source: Source) -> Document:
    try:
        return ensure_id(parse_object(record))
    except BadRecordError as error:
        advice = "name its id, PMID or DOI, as the library knows it"
        raise source.fail(str(error), line=line, advice=advice) from error


def _list_keys(document: Document) -> tuple[str, ...]:
    # PMID and DOI are surer than an id, which in many files is a row's number; titles come last.
    titles = [key for key in identity_keys(document) if key.startswith("title:")]
    sure = [key for key in identity_keys(document) if key not in titles]
    return tuple(dict.fromkeys([*sure, *_list_id_keys(document.id), *titles]))


def _list_id_keys(identifier: str) -> list[str]:
    pmid = clean_pmid(identifier)
    return [f"id:{identifier}", *([f"pmid:{pmid}"] if pmid else [])]


def _read_judgements(source: Source, *, form: re.Pattern[str]) -> Iterator[LabelRow]:
    for line in source.lines():
        text = line.text.strip()
        if not text or (form is _BEIR_JUDGEMENT and _BEIR_HEADER.fullmatch(text)):
            continue
        parts = form.fullmatch(text)
        if not parts:
            found = f"{text[:60]!r} where a judgement was expected"
            raise source.fail(found, line=line.number, advice="as in: topic 0 document 1")
        topic, identifier, relevance = parts.groups()
        keys = tuple(_list_id_keys(identifier))
        yield LabelRow(keys, topic, int(int(relevance) > 0), line.number, decides=True)


def _read_table_rows(source: Source, *, field: str) -> Iterator[LabelRow]:
    lines = (f"{line.text}\n" for line in source.lines())
    header = next(lines, "")
    delimiter = max(DELIMITERS, key=header.count)
    names = [name.strip() for name in next(csv.reader([header], delimiter=delimiter), [])]
    if field not in names:
        raise _explain_missing_field(source, field=field, names=names)
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
            document = ensure_id(layout.document(cells))
        except BadRecordError as error:
            advice = "name its id, PMID or DOI in a column id, pmid or doi"
            raise source.fail(str(error), line=begins, advice=advice) from error
        yield LabelRow(_list_keys(document), field, cells[place], begins)


def _explain_missing_field(source: Source, *, field: str, names: list[str]) -> Exception:
    shown = ", ".join(name[:40] for name in names[:12] if name) or "nothing"
    return source.fail(f"no field {field!r} in it", advice=f"name one with --field; it has {shown}")
