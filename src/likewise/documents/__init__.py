"""Documents: what they are, which are the same, and the files that hold them."""

from __future__ import annotations

import gzip
import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from likewise.arguments import check_type, require_path
from likewise.documents.document import (
    AnnotatedDocument,
    Deletion,
    Document,
    MeshHeading,
    check_document,
)
from likewise.documents.formats import Format, format_for_writing, format_named, format_of
from likewise.documents.identity import identity_keys, is_same_paper, merge, settle
from likewise.documents.sources import (
    Complaint,
    ReadItem,
    Record,
    Source,
    report_problem,
    try_record,
)
from likewise.errors import PlugInError, Problem, WriteError

__all__ = [
    "Complaint",
    "Deletion",
    "Document",
    "MeshHeading",
    "Record",
    "identity_keys",
    "is_same_paper",
    "merge",
    "read",
    "read_documents",
    "read_records",
    "write",
]

PACKING = 5
"""The level of gzip: abstracts take 1.5 % more room than at 9, but less than half the time."""

# The umask can only be read by changing it; two threads at once would lose it.
_ASKING = threading.Lock()


def read(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002  # the word that users know
    on_problem: Callable[[Problem], None] | None = None,
    most_bytes: int | None = None,
) -> Iterator[Document]:
    r"""Yield the documents of a file, whatever its format.

    >>> import likewise, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "refs.csv")
    ...     _ = path.write_text("pmid,title\n101,Sleep apnea")
    ...     list(likewise.read(path))
    [<Document 101: Sleep apnea>]

    Args:
        path: The file; gzip is unpacked on the way.
        format: The format's name, if content and suffix would mislead.
        on_problem: Called for each record that can't be read; without it the first one raises.
        most_bytes: How many bytes it may hold, unpacked; a larger file is refused.
    """
    source = Source(require_path(path), most_bytes=most_bytes)
    records = read_documents(source, format=format, on_problem=on_problem)
    return (record.document for record in records)


def read_documents(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002
    on_problem: Callable[[Problem], None] | None = None,
) -> Iterator[Record]:
    """Yield the records that hold documents, and report those that can't be read."""
    for item in read_records(source, format=format):
        if isinstance(item, Record):
            yield item
        elif isinstance(item, Complaint):
            report_problem(source.problem(item), on_problem)


def read_records(source: Source, *, format: str | None = None) -> Iterator[ReadItem]:  # noqa: A002
    """Yield everything that a reader yields; documents get an id and a source if they lack one."""
    return source.watch(_read_items(source, format_named(format) if format else None))


def _read_items(source: Source, known: Format | None) -> Iterator[ReadItem]:
    chosen = known or format_of(source)
    origin = f"{chosen.name}:{source.name}"
    for item in chosen.read(source):
        if isinstance(item, Record):
            yield try_record(item.line, _complete_record, item, origin)
        elif isinstance(item, ReadItem):
            yield item
        else:
            raise PlugInError(
                f"the format {chosen.name!r} yields {type(item).__name__}, and not Record, "
                "Deletion or Complaint; the package that offers it has to correct it"
            )


def _complete_record(record: Record, origin: str) -> Record:
    document = settle(record.document, source=origin)
    return Record(document, record.line, record.names, record.values)


def write(
    documents: Iterable[Document],
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002
) -> None:
    r"""Write documents to a file in the format that its suffix (or `format`) asks for.

    The file appears whole or not at all.

    >>> import likewise, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "refs.ids")
    ...     likewise.write([likewise.Document(pmid="101", title="Sleep apnea")], path)
    ...     path.read_text()
    '101\n'
    """
    check_type(documents, Iterable, name="documents", wanted="a list of documents")
    write_annotated(map(_annotate, documents), path, format=format)


def _annotate(document: Document) -> AnnotatedDocument:
    check_document(document)
    return AnnotatedDocument(document)


def write_annotated(
    annotated: Iterable[AnnotatedDocument],
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002
) -> None:
    """Write documents with the notes on them, if the format has a place for notes."""
    path = require_path(path)
    chosen = format_named(format) if format else format_for_writing(path)
    write_documents = chosen.write
    with replace_file(path) as stream:
        write_documents(annotated, stream)


@contextmanager
def replace_file(path: Path, *, mode: int | None = None) -> Iterator[IO[bytes]]:
    """Open a stream that becomes the file `path` only when everything was written to it.

    Args:
        path: The file.
        mode: Its permissions, if not those that the user's umask gives.
    """
    if not path.parent.is_dir():
        raise WriteError(
            f"{path}: can't be written: there is no folder {path.parent}; choose another place"
        )
    try:
        handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise WriteError(f"{path}: can't be written: {error.strerror or error}") from error
    try:
        with os.fdopen(handle, "wb") as raw:
            if path.suffix.lower() == ".gz":
                packing = gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, compresslevel=PACKING)
                with packing as packed:
                    yield packed  # type: ignore[misc]  # GzipFile takes bytes like any other
            else:
                yield raw
            raw.flush()
            os.fsync(raw.fileno())
        Path(aside).chmod(new_file_mode() if mode is None else mode)
        Path(aside).replace(path)
    except OSError as error:
        raise WriteError(f"{path}: can't be written: {error.strerror or error}") from error
    except UnicodeError as error:
        raise WriteError(f"{path}: half a character in a text can't be written: {error}") from error
    finally:
        Path(aside).unlink(missing_ok=True)


def new_file_mode() -> int:
    """Return the permissions that a new file gets from the user's umask."""
    with _ASKING:
        mask = os.umask(0)
        os.umask(mask)
    return 0o666 & ~mask
