"""JSON lines: our own lossless form, BEIR's corpora, and any with a title or an abstract."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import IO, Any

import msgspec

from likewise.documents.document import KNOWN_NOTES, AnnotatedDocument, Document
from likewise.documents.formats.cells import FIELDS, join_halves, name_kind
from likewise.documents.formats.tables import Layout
from likewise.documents.identity import (
    clean_doi,
    clean_pmcid,
    clean_pmid,
    clean_reference,
    list_references,
)
from likewise.documents.sources import (
    MAX_LINE,
    BadRecordError,
    Complaint,
    Line,
    ReadItem,
    Record,
    Source,
    try_record,
)

_DECODER = msgspec.json.Decoder()
_OURS = frozenset((*FIELDS, *KNOWN_NOTES))
_ADVICE = "each line is one JSON object"
_TOO_DEEP = "JSON nested too deeply"
# No program has this many names for what it knows about a paper.
MAX_NAMES = 10_000


def read(source: Source) -> Iterator[ReadItem]:
    """Yield the records of a file with one JSON object per line, or of a JSON array."""
    yield from read_objects(source, parse_object)


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write our own form, one document per line, with its notes beside its fields."""
    encoder = msgspec.json.Encoder()
    buffer = bytearray()
    for document, notes in annotated:
        fields = {**msgspec.to_builtins(document), **notes} if notes else document
        encoder.encode_into(fields, buffer)
        buffer += b"\n"
        stream.write(buffer)


def read_objects(
    source: Source, parse: Callable[[dict[str, Any]], Document]
) -> Iterator[Record | Complaint]:
    """Yield the records that a function makes of the JSON objects in a file."""
    found = False
    for line in read_array_values(source) if is_array(source) else source.lines():
        if not line.text or line.text.isspace():
            continue
        value = try_record(line.number, _decode, line, source)
        if isinstance(value, Complaint):
            yield value
            continue
        found = True
        yield try_record(line.number, _read_object, value, line.number, parse)
    if not found:
        raise source.fail("no record in it", advice="export it again")


def _read_object(value: Any, line: int, parse: Callable[[dict[str, Any]], Document]) -> Record:
    if not isinstance(value, dict):
        raise BadRecordError(f"{name_kind(value)} where an object was expected", advice=_ADVICE)
    if len(value) > MAX_NAMES:
        raise BadRecordError(f"an object of {len(value):,} values", advice=_ADVICE)
    try:
        return Record(parse(value), line, tuple(value), tuple(value.values()))
    except RecursionError as error:
        raise BadRecordError(_TOO_DEEP) from error


def _decode(line: Line, source: Source) -> Any:
    """Return the JSON value in a line; raise BadRecordError if it is broken."""
    try:
        return _DECODER.decode(line.text)
    except RecursionError as error:
        raise BadRecordError(_TOO_DEEP) from error
    except msgspec.DecodeError as error:
        value = _decode_forgivingly(line.text)
        if value is not None:
            return value
        if line.text.strip() in ("{", "["):
            raise source.fail(
                "JSON that goes over several lines",
                line=line.number,
                advice="write each object on one line (jq -c), or all as one JSON array",
            ) from error
        found = str(error).removeprefix("JSON is malformed: ")
        raise BadRecordError(f"broken JSON ({found})", advice=_ADVICE) from error


def _decode_forgivingly(text: str) -> Any:
    """Read what only Python's own JSON allows: NaN, and halves of characters cut in two."""
    try:
        value = json.loads(text, parse_constant=lambda _: None)
        return _DECODER.decode(join_halves(json.dumps(value, ensure_ascii=False)))
    except (ValueError, RecursionError):
        return None


def parse_object(record: dict[str, Any]) -> Document:
    """Return the document in a JSON object; raise BadRecordError if there is none.

    >>> parse_object({"PubMed ID": 7, "Title": "On cats", "author": [{"family": "Li"}]}).authors
    ('Li',)
    """
    if record.keys() <= _OURS:
        try:
            return _clean_identifiers(msgspec.convert(record, Document))
        except msgspec.ValidationError:
            pass  # A field with our name but another type is someone else's.
    return _make_layout(tuple(record)).document(list(record.values()))


def _clean_identifiers(document: Document) -> Document:
    """Clean identifiers that others wrote under our names; ours are clean and stay as they are."""
    if not (document.is_identifiable or document.id):
        raise BadRecordError("no title, no abstract and no identifier")
    if document.references:
        document = msgspec.structs.replace(
            document, references=list_references(map(clean_reference, document.references))
        )
    if document.doi and (document.doi[:3] != "10." or document.doi != document.doi.lower()):
        document = msgspec.structs.replace(document, doi=clean_doi(document.doi))
    if document.pmid and not document.pmid.isdigit():
        document = msgspec.structs.replace(document, pmid=clean_pmid(document.pmid))
    if document.pmcid and not document.pmcid.startswith("PMC"):
        document = msgspec.structs.replace(document, pmcid=clean_pmcid(document.pmcid))
    return document


# Few files have objects of more than a handful of shapes; the rest is not worth keeping.
@lru_cache(maxsize=256)
def _make_layout(names: tuple[str, ...]) -> Layout:
    return Layout(names, prefix="json")


_OPENING = re.compile(r"\s*+(\[\s*+)?")
_BETWEEN = re.compile(r"[\s,]*+")
# Only a value's end is of interest, and Python makes no numbers of thousands of digits.
_SCANNER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
# If a block's end cuts a value off, the error is right there, give or take an escape.
_MARGIN = 16


def is_array(source: Source) -> bool:
    """Return whether a file is a JSON array."""
    return source.head().removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"[")


def read_array_values(source: Source) -> Iterator[Line]:
    """Yield the text of each value of an array, with the line where it begins."""
    text, at, line, enough = "", 0, 1, 0
    expected = _OPENING
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    for block in chain(source.blocks(), [b""]):
        text, at = text[at:] + decoder.decode(block), 0
        # A value that was cut off is read again when there is twice as much text, or no more.
        enough = enough if block else 0
        while len(text) - at >= enough:
            found = expected.match(text, at)
            begins = found.end() if found else at
            if "[" in text[at:begins]:
                expected = _BETWEEN
            line += text.count("\n", at, begins)
            at = begins
            if text.startswith("]", at):
                return
            end = _find_value_end(text, at=at, line=line, source=source)
            if end is None:
                enough = 2 * (len(text) - at)
                break
            yield Line(line, text[at:end])
            line += text.count("\n", at, end)
            at, enough = end, 0
    raise source.fail(
        "the JSON array is cut off", line=line, advice="copy or download the file again"
    )


def _find_value_end(text: str, *, at: int, line: int, source: Source) -> int | None:
    """Return where the value that begins here ends, or None if more text is needed to tell."""
    if at == len(text):
        return None
    try:
        return _SCANNER.raw_decode(text, at)[1]
    except json.JSONDecodeError as error:
        waits = error.msg.startswith("Unterminated") or error.pos >= len(text) - _MARGIN
        if waits and len(text) - at < MAX_LINE:
            return None
        where = line + text.count("\n", at, error.pos)
        raise source.fail(
            f"broken JSON ({error.msg})", line=where, advice="fix it there, or export it again"
        ) from error
    except RecursionError as error:
        raise source.fail(
            _TOO_DEEP, line=line, advice="write each object on a line of its own"
        ) from error


_BEIR_NAMES = {"_id": "id", "title": "title", "text": "abstract"}


def read_beir(source: Source) -> Iterator[ReadItem]:
    """Yield the records of a BEIR corpus: `_id`, `title`, `text` and `metadata`.

    What the metadata says under names that we know is kept.
    """
    yield from read_objects(source, _parse_beir_entry)


def write_beir(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write a BEIR corpus; what BEIR has no place for goes to the metadata under our names."""
    for document, notes in annotated:
        fields = {**msgspec.to_builtins(document), **notes}
        entry = {name: fields.pop(ours, "") for name, ours in _BEIR_NAMES.items()}
        stream.write(msgspec.json.encode({**entry, "metadata": fields}) + b"\n")


def _parse_beir_entry(entry: dict[str, Any]) -> Document:
    metadata = entry.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise BadRecordError(
            "metadata that is not an object", advice="make it one, or leave it out"
        )
    if "_id" not in entry:
        raise BadRecordError("no _id, which BEIR asks for", advice="give it one")
    named = {ours: entry[name] for name, ours in _BEIR_NAMES.items() if name in entry}
    return parse_object({**metadata, **named})
