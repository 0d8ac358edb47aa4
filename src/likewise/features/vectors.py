"""The vector cache: what encoders made of texts, kept on disk, so that each is made once.

A vector is found by the encoder's name and the text itself: a document whose abstract changed is
encoded anew, and a document that is in two libraries is encoded once. Why this is SQLite:
docs/decisions/0010-vector-cache.md.
"""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.errors import Problem, ReadError, SettingsError, WriteError
from likewise.features.caches import cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.errors import LikewiseError
    from likewise.features.encoders import Encoder

    Vector = NDArray[np.float32]

BATCH = 128
"""Texts that are encoded before they are saved: what a killed run can lose."""

_STORED = np.dtype("<f4")
_ASKED_AT_ONCE = 500  # SQLite of old allows 999 parameters in a statement.
_PATIENCE = 60.0  # Seconds; other processes hold the file for milliseconds.


class Progress(NamedTuple):
    """How far encoding is."""

    encoded: int
    """Different texts that have their vector, those from the cache among them."""
    total: int


def cached_vectors(
    texts: Sequence[str],
    *,
    encoder: Encoder,
    cache: VectorCache,
    on_progress: Callable[[Progress], None] | None = None,
) -> NDArray[np.float32]:
    """Return a vector for each text, encoding only those that the cache does not hold.

    Args:
        texts: As `Document.text` gives them; equal ones are encoded once.
        encoder: What makes the vectors.
        cache: Where they are kept; what was encoded is saved as it goes.
        on_progress: Called once before encoding, and after each batch.
    """
    say = on_progress or (lambda _: None)
    vectors = cache.get(texts, encoder=encoder)
    missing = [text for text in dict.fromkeys(texts) if text not in vectors]
    total = len(vectors) + len(missing)
    say(Progress(len(vectors), total))
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        made = dict(zip(batch, _encoded(batch, encoder), strict=True))
        cache.add(made, encoder=encoder)
        vectors |= made
        say(Progress(len(vectors), total))
    rows = [vectors[text] for text in texts]
    return np.stack(rows) if rows else np.empty((0, encoder.dimensions), np.float32)


def _encoded(texts: list[str], encoder: Encoder) -> NDArray[np.float32]:
    made = np.asarray(encoder.encode(texts), dtype=np.float32)
    expected = (len(texts), encoder.dimensions)
    if made.shape != expected:
        raise SettingsError(
            f"the encoder {encoder.name!r} made an array of shape {made.shape} "
            f"where {expected} is due; the package that offers it has to be repaired"
        )
    return made


class VectorCache:
    """Vectors in a file, which any number of processes may use at once.

    The file is opened for each call alone, so there is nothing to close.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or cache_folder() / "vectors.sqlite"

    def get(self, texts: Sequence[str], *, encoder: Encoder) -> dict[str, Vector]:
        """Return the vectors that are there, by their texts."""
        if not self.path.exists():
            return {}
        named = {_digest(text): text for text in texts}
        size = encoder.dimensions * _STORED.itemsize
        with self._opened() as connection:
            # A vector of another length was made by another encoder of that name: it is left.
            return {
                named[digest]: np.frombuffer(vector, _STORED)
                for digest, vector in _rows(connection, encoder.name, list(named))
                if len(vector) == size
            }

    def add(self, vectors: Mapping[str, Vector], *, encoder: Encoder) -> None:
        """Save vectors under their texts, all of them or, if something goes wrong, none."""
        rows = (
            (encoder.name, _digest(text), vector.astype(_STORED).tobytes())
            for text, vector in vectors.items()
        )
        with self._opened() as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as connection:
                # Five vectors of 384 numbers fill such a page; of 4 KB a quarter would be empty.
                connection.execute("PRAGMA page_size = 8192")
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS vectors (encoder TEXT NOT NULL, "
                    "text BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (encoder, text))"
                )
                yield connection
        except (sqlite3.Error, OSError) as error:
            raise _explained(self.path, error) from error


def _rows(
    connection: sqlite3.Connection, encoder: str, digests: list[bytes]
) -> Iterator[tuple[bytes, bytes]]:
    for start in range(0, len(digests), _ASKED_AT_ONCE):
        asked = digests[start : start + _ASKED_AT_ONCE]
        places = ", ".join("?" * len(asked))
        yield from connection.execute(
            f"SELECT text, vector FROM vectors WHERE encoder = ? AND text IN ({places})",  # noqa: S608  # question marks only
            (encoder, *asked),
        )


def _digest(text: str) -> bytes:
    # Halves of characters, which JSON can hold, are no UTF-8 but still a text.
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _explained(path: Path, error: Exception) -> LikewiseError:
    kind = getattr(error, "sqlite_errorname", "")
    if kind.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return ReadError(
            Problem(
                str(path),
                f"no cache of vectors, or a damaged one ({error})",
                advice="delete it, and they are computed again",
            )
        )
    if kind.startswith("SQLITE_BUSY"):
        return WriteError(f"{path}: another process keeps it to itself; try again when it is done")
    return WriteError(
        f"{path}: vectors can't be kept here: {error}; "
        "set LIKEWISE_CACHE to a folder with room that you may write to"
    )
