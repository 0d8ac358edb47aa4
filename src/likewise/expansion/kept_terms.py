"""The terms of a session's candidates, kept in a file beside it so that texts are read only once.

The file may be deleted at any time. It is made anew if it is missing or broken, or if it comes from
another version of likewise or another analysis; a document whose texts have changed is read again.
The file appears whole or not at all; of two that are written at once, the later one stays.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable
from pathlib import Path

import msgspec
import numpy as np

from likewise.documents import Document, replace_file
from likewise.errors import WriteError
from likewise.features import Ragged
from likewise.features.terms import ReadTexts, TermCounter
from likewise.library.protocol import FIELDS, Library
from likewise.version import __version__

SUFFIX = "-terms"
FORMAT = 1
PROBE = "The patients' responses in Sjögren's syndrome: β-blockers, 12 re-treated rats and IL-6"
"""Its terms tell one analysis from another, as far as stems, stop words and accents go."""

_HEAD = b"likewise terms\n"
_CHECKSUM_SIZE = 16
_log = logging.getLogger(__name__)


class _PackedRows(msgspec.Struct, frozen=True, array_like=True):
    """Rows of numbers as bytes."""

    values: bytes
    lengths: bytes

    @classmethod
    def of(cls, rows: Ragged) -> _PackedRows:
        packed = rows.pack()
        return cls(packed.values.astype("<i4").tobytes(), packed.lengths.astype("<i4").tobytes())

    def rows(self) -> Ragged:
        values, lengths = (
            np.frombuffer(content, dtype="<i4") for content in (self.values, self.lengths)
        )
        counted = lengths.astype(np.int64)
        return Ragged(values.astype(np.int32), np.cumsum(counted) - counted, counted)


class _Content(msgspec.Struct, frozen=True):
    """What is in the file."""

    stamp: str
    digests: dict[str, bytes]
    chunks: list[str]
    chunk_rows: _PackedRows
    terms: list[str]
    term_rows: _PackedRows


class KeptTerms:
    """The file, and the counter of terms that is filled from it."""

    def __init__(self, path: Path) -> None:
        """Use the file at a path, which need not exist."""
        self.path = path
        self._counter: TermCounter | None = None
        self._stamp = ""

    @classmethod
    def beside(cls, session: str | Path) -> KeptTerms:
        """Return the kept terms of a session, in the file beside it."""
        return cls(Path(f"{session}{SUFFIX}"))

    def counter(self, library: Library) -> TermCounter:
        """Return a counter of terms as a library analyses them, filled with the kept ones."""
        self._stamp = _make_stamp(library)
        self._counter = TermCounter(
            library.analyze_all,
            by_chunk=library.analyzes_by_chunk,
            read=load_terms(self.path, stamp=self._stamp),
        )
        return self._counter

    def save(self, documents: Iterable[Document]) -> None:
        """Write the terms of documents if some are new; if that fails, only log a warning."""
        if not self._counter or not self._counter.has_read:
            return
        read = self._counter.read(documents)
        content = _Content(
            stamp=self._stamp,
            digests=read.digests,
            chunks=read.chunks,
            chunk_rows=_PackedRows.of(read.chunk_rows),
            terms=read.terms,
            term_rows=_PackedRows.of(read.term_rows),
        )
        packed = msgspec.msgpack.encode(content)
        try:
            with replace_file(self.path) as stream:
                stream.write(_HEAD + _compute_checksum(packed))
                stream.write(packed)
        except WriteError as error:
            _log.warning("%s; texts will be read again next time", error)


def load_terms(path: Path, *, stamp: str) -> ReadTexts | None:
    """Return the terms that a file keeps; None if it is not whole, or has another stamp."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    end = len(_HEAD) + _CHECKSUM_SIZE
    head, packed = content[:end], memoryview(content)[end:]
    if head != _HEAD + _compute_checksum(packed):
        return None
    try:
        kept = msgspec.msgpack.decode(packed, type=_Content)
    except msgspec.DecodeError:
        return None
    if kept.stamp != stamp:
        return None
    rows, terms = kept.chunk_rows.rows(), kept.term_rows.rows()
    return ReadTexts(kept.digests, kept.chunks, rows, kept.terms, terms)


def _make_stamp(library: Library) -> str:
    """Return a text that changes with whatever the terms of documents depend on."""
    probed = [library.analyze_all(field, [PROBE])[0] for field in FIELDS]
    parts = (FORMAT, __version__, library.engine, library.analyzes_by_chunk, probed)
    return " ".join(map(str, parts))


def _compute_checksum(content: bytes | memoryview) -> bytes:
    return hashlib.blake2b(content, digest_size=_CHECKSUM_SIZE).digest()
