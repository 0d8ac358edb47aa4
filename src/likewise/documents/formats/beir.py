"""The corpus file of a BEIR collection: JSON lines with `_id`, `title`, `text` and `metadata`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Any

import msgspec

from likewise.documents.document import AnnotatedDocument, Document
from likewise.documents.formats.columns import RowError
from likewise.documents.formats.jsonl import parse_object, read_objects
from likewise.documents.sources import ReadItem, Source

_NAMES = {"_id": "id", "title": "title", "text": "abstract"}


def read(source: Source) -> Iterator[ReadItem]:
    """Yield the records of a corpus; what its metadata says in names that we know is kept."""
    yield from read_objects(source, _parse_entry)


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write a corpus; what BEIR has no place for goes to the metadata under our names."""
    for document, notes in annotated:
        fields = {**msgspec.to_builtins(document), **notes}
        entry = {name: fields.pop(ours, "") for name, ours in _NAMES.items()}
        stream.write(msgspec.json.encode({**entry, "metadata": fields}) + b"\n")


def _parse_entry(entry: dict[str, Any]) -> Document:
    metadata = entry.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise RowError("metadata that is not an object", advice="make it one, or leave it out")
    if "_id" not in entry:
        raise RowError("no _id, which BEIR asks for", advice="give it one")
    named = {ours: entry[name] for name, ours in _NAMES.items() if name in entry}
    return parse_object({**metadata, **named})
