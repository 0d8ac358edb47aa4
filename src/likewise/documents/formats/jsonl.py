"""JSON lines: our own form, of which nothing is lost, and any that have a title or an abstract."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import IO, TYPE_CHECKING, Any

import msgspec

from likewise.documents.annotations import KNOWN_NOTES
from likewise.documents.document import Document
from likewise.documents.formats.cells import kind, whole_characters
from likewise.documents.formats.columns import FIELDS
from likewise.documents.formats.json_arrays import array_values, is_array
from likewise.documents.formats.records import LEFT_OUT
from likewise.documents.formats.rows import Layout, RowError
from likewise.documents.identity import clean_doi, clean_pmcid, clean_pmid
from likewise.documents.sources import Said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from likewise.documents.annotations import Annotated
    from likewise.documents.document import Record
    from likewise.documents.sources import Source

_DECODER = msgspec.json.Decoder()
_OURS = frozenset((*FIELDS, *KNOWN_NOTES))
_ADVICE = "each line is one JSON object"
_TOO_DEEP = "JSON nested too deeply"
# No program has so many names for what it knows of a paper.
MAX_NAMES = 10_000


def read(source: Source) -> Iterator[Record]:
    """Yield the documents of a file with a JSON object a line, or of a JSON array of objects."""
    yield from read_objects(source, document_of=document_of)


def write(annotated: Iterable[Annotated], stream: IO[bytes]) -> None:
    """Write our own form, a document a line, with the notes on it beside its fields."""
    encoder = msgspec.json.Encoder()
    buffer = bytearray()
    for document, notes in annotated:
        fields = {**msgspec.to_builtins(document), **notes} if notes else document
        encoder.encode_into(fields, buffer)
        buffer += b"\n"
        stream.write(buffer)


def read_objects(
    source: Source, *, document_of: Callable[[dict[str, Any]], Document]
) -> Iterator[Record]:
    """Yield what a function makes of each JSON object in a file."""
    found = False
    for line, value in _values(source):
        found = True
        try:
            record = _object(value)
            document = document_of(record)
        except RowError as error:
            source.problem(str(error), line=line, advice=error.advice)
            continue
        except RecursionError:
            source.problem(_TOO_DEEP, line=line, advice=LEFT_OUT)
            continue
        source.line, source.said = line, Said(tuple(record), tuple(record.values()))
        yield document
    if not found:
        raise source.fail("no record in it", advice="export it again")


def document_of(record: dict[str, Any]) -> Document:
    """Return the document in a JSON object; raise RowError if there is none.

    >>> document_of({"PubMed ID": 7, "Title": "On cats", "author": [{"family": "Li"}]}).authors
    ('Li',)
    """
    if record.keys() <= _OURS:
        try:
            return _checked(msgspec.convert(record, Document))
        except msgspec.ValidationError:
            pass  # A field of ours with another type in it is another's field.
    layout = _layout(tuple(record))
    return layout.document(list(record.values()))


def _checked(document: Document) -> Document:
    """Clean identifiers that others wrote under our names; ours are clean and stay as they are."""
    if not (document.says_something or document.id):
        raise RowError("no title, no abstract and no identifier")
    if document.doi and (document.doi[:3] != "10." or document.doi != document.doi.lower()):
        document = msgspec.structs.replace(document, doi=clean_doi(document.doi))
    if document.pmid and not document.pmid.isdigit():
        document = msgspec.structs.replace(document, pmid=clean_pmid(document.pmid))
    if document.pmcid and not document.pmcid.startswith("PMC"):
        document = msgspec.structs.replace(document, pmcid=clean_pmcid(document.pmcid))
    return document


# Few files have objects of more than a handful of shapes; the rest is not worth keeping.
@lru_cache(maxsize=256)
def _layout(names: tuple[str, ...]) -> Layout:
    return Layout(names)


def _object(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        if len(value) > MAX_NAMES:
            raise RowError(f"an object of {len(value):,} values", advice=_ADVICE)
        return value
    raise RowError(f"{kind(value)} where an object was expected", advice=_ADVICE)


def _values(source: Source) -> Iterator[tuple[int, Any]]:
    for line in array_values(source) if is_array(source) else source.lines():
        if not line.text or line.text.isspace():
            continue
        try:
            value = _DECODER.decode(line.text)
        except RecursionError:
            source.problem(_TOO_DEEP, line=line.number, advice=LEFT_OUT)
            continue
        except msgspec.DecodeError as error:
            value = _forgiven(line.text)
            if value is None:
                _complain(line.text, error=error, line=line.number, source=source)
                continue
        yield line.number, value


def _forgiven(text: str) -> Any:
    """Read what only Python's own JSON allows: NaN, and halves of characters cut in two."""
    try:
        value = json.loads(text, parse_constant=lambda _: None)
        return _DECODER.decode(whole_characters(json.dumps(value, ensure_ascii=False)))
    except (ValueError, RecursionError):
        return None


def _complain(text: str, *, error: Exception, line: int, source: Source) -> None:
    if text.strip() in ("{", "["):
        raise source.fail(
            "JSON that goes over several lines",
            line=line,
            advice="write each object on one line (jq -c), or all as one JSON array",
        )
    found = str(error).removeprefix("JSON is malformed: ")
    source.problem(f"broken JSON ({found})", line=line, advice=_ADVICE)
