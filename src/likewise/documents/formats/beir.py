"""The corpus file of a BEIR collection: JSON lines with `_id`, `title`, `text` and `metadata`."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

import msgspec

from likewise.documents.formats.jsonl import document_of, read_objects
from likewise.documents.formats.rows import RowError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from likewise.documents.annotations import Annotated
    from likewise.documents.document import Document, Record
    from likewise.documents.sources import Source

_NAMES = {"_id": "id", "title": "title", "text": "abstract"}


def read(source: Source) -> Iterator[Record]:
    """Yield the documents of a corpus; what its metadata says in names that we know is kept."""
    yield from read_objects(source, document_of=_document_of)


def write(annotated: Iterable[Annotated], stream: IO[bytes]) -> None:
    """Write a corpus; what BEIR has no place for goes to the metadata under our names."""
    for document, notes in annotated:
        fields = {**msgspec.to_builtins(document), **notes}
        entry = {name: fields.pop(ours, "") for name, ours in _NAMES.items()}
        stream.write(msgspec.json.encode({**entry, "metadata": fields}) + b"\n")


def _document_of(entry: dict[str, Any]) -> Document:
    metadata = entry.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise RowError("metadata that is no object", advice="make it one, or leave it away")
    if "_id" not in entry:
        raise RowError("no _id, which BEIR asks for", advice="give it one")
    named = {ours: entry[name] for name, ours in _NAMES.items() if name in entry}
    return document_of({**metadata, **named})
