"""Encoders: pretrained models that turn texts into vectors, each under one name, and their cache.

The cache keeps every vector on disk under the encoder's name and the text itself: a document whose
abstract changed is encoded anew, and one that is in two libraries is encoded once. Why it is
SQLite: docs/decisions/0010-vector-cache.md.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from likewise.errors import LikewiseError, Problem, ReadError, SettingsError, WriteError
from likewise.extras import load_plug_in

Vector = NDArray[np.float32]


GROUP = "likewise.encoders"

# As a plug-in would offer them: the name, and what makes the encoder when it is called.
BUILT_IN = (
    EntryPoint("minilm-l6-v2", "likewise.features.minilm:MiniLM", GROUP),
)  # fmt: skip


BATCH = 128
"""How many texts are encoded before they are saved; a killed run loses at most these."""
_STORED = np.dtype("<f4")
_ASKED_AT_ONCE = 500  # Old versions of SQLite allow 999 parameters in a statement.
_PATIENCE = 60.0  # Seconds; other processes hold the file for milliseconds.


class Encoder(Protocol):
    """Turns texts into vectors, and the same text always into the same vector."""

    @property
    def name(self) -> str:
        """The name under which vectors are kept; other weights or pooling need another."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of its vectors."""
        ...

    def encode(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return a row for each text: an array of shape (texts, dimensions)."""
        ...


def encoder_named(name: str) -> Encoder:
    """Return the encoder of this name; its weights may be loaded only when it first encodes.

    The name may also be that of a model of Hugging Face, or of a folder that holds one.
    """
    for entry in _list_entries():
        if entry.name == name:
            return _load_entry(entry)
    from likewise.features.huggingface import HuggingFace, is_model

    if is_model(name):
        return HuggingFace(name)
    raise SettingsError(
        f"no encoder is called {name!r}; the encoders are: {', '.join(list_encoder_names())}, "
        "any model of Hugging Face as owner/model, and any folder that holds one"
    )


def list_encoder_names() -> list[str]:
    """Return the names of all encoders: those that plug-ins add, then the built-in ones."""
    return [entry.name for entry in _list_entries()]


@cache
def _list_entries() -> tuple[EntryPoint, ...]:
    return (*entry_points(group=GROUP), *BUILT_IN)


def _load_entry(entry: EntryPoint) -> Encoder:
    encoder = cast("Encoder", load_plug_in(entry, kind="encoder")())
    # Vectors are kept under the encoder's own name, so a second spelling would mix them up.
    if encoder.name != entry.name:
        raise SettingsError(
            f"the encoder {entry.name!r} of {entry.value} calls itself {encoder.name!r}; "
            "the package that offers it has to give it one name"
        )
    return encoder


class EncodingProgress(NamedTuple):
    """How far encoding has come."""

    encoded: int
    """How many different texts have a vector by now, including those from the cache."""
    total: int


def encode_texts(
    texts: Sequence[str],
    *,
    encoder: Encoder,
    cache: VectorCache,
    on_progress: Callable[[EncodingProgress], None] | None = None,
) -> NDArray[np.float32]:
    """Return a vector for each text, encoding only those that the cache does not hold.

    Args:
        texts: As `Document.text` gives them; equal ones are encoded once.
        encoder: What makes the vectors.
        cache: Where they are kept; each batch is saved as soon as it is encoded.
        on_progress: Called once before encoding, and after each batch.
    """
    say = on_progress or (lambda _: None)
    vectors = cache.get(texts, encoder=encoder)
    missing = [text for text in dict.fromkeys(texts) if text not in vectors]
    total = len(vectors) + len(missing)
    say(EncodingProgress(len(vectors), total))
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        made = dict(zip(batch, _encode_batch(batch, encoder), strict=True))
        cache.add(made, encoder=encoder)
        vectors |= made
        say(EncodingProgress(len(vectors), total))
    rows = [vectors[text] for text in texts]
    return np.stack(rows) if rows else np.empty((0, encoder.dimensions), np.float32)


def _encode_batch(texts: list[str], encoder: Encoder) -> NDArray[np.float32]:
    made = np.asarray(encoder.encode(texts), dtype=np.float32)
    expected = (len(texts), encoder.dimensions)
    if made.shape != expected:
        raise SettingsError(
            f"the encoder {encoder.name!r} made an array of shape {made.shape} "
            f"instead of {expected}; the package that offers it has to correct it"
        )
    return made


class VectorCache:
    """Vectors in a file, which any number of processes may use at once.

    The file is opened anew for each call, so there is nothing to close.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or find_cache_folder() / "vectors.sqlite"

    def get(self, texts: Sequence[str], *, encoder: Encoder) -> dict[str, Vector]:
        """Return the vectors that the file holds, by their texts."""
        if not self.path.exists():
            return {}
        named = {_digest_text(text): text for text in texts}
        size = encoder.dimensions * _STORED.itemsize
        with self._open() as connection:
            # A vector of another length was made by another encoder of that name: ignore it.
            return {
                named[digest]: np.frombuffer(vector, _STORED)
                for digest, vector in _select_rows(connection, encoder.name, list(named))
                if len(vector) == size
            }

    def add(self, vectors: Mapping[str, Vector], *, encoder: Encoder) -> None:
        """Save vectors under their texts, all of them or, if something goes wrong, none."""
        rows = (
            (encoder.name, _digest_text(text), vector.astype(_STORED).tobytes())
            for text, vector in vectors.items()
        )
        with self._open() as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as connection:
                # 5 vectors of 384 numbers fill such a page; one of 4 KB would be a quarter empty.
                connection.execute("PRAGMA page_size = 8192")
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS vectors (encoder TEXT NOT NULL, "
                    "text BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (encoder, text))"
                )
                yield connection
        except (sqlite3.Error, OSError) as error:
            raise _explain_error(self.path, error) from error


def _select_rows(
    connection: sqlite3.Connection, encoder: str, digests: list[bytes]
) -> Iterator[tuple[bytes, bytes]]:
    for start in range(0, len(digests), _ASKED_AT_ONCE):
        asked = digests[start : start + _ASKED_AT_ONCE]
        places = ", ".join("?" * len(asked))
        yield from connection.execute(
            f"SELECT text, vector FROM vectors WHERE encoder = ? AND text IN ({places})",  # noqa: S608  # question marks only
            (encoder, *asked),
        )


def _digest_text(text: str) -> bytes:
    # JSON can hold halves of characters, which are not valid UTF-8 but still text.
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _explain_error(path: Path, error: Exception) -> LikewiseError:
    kind = getattr(error, "sqlite_errorname", "")
    if kind.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return ReadError(
            Problem(
                str(path),
                f"not a cache of vectors, or a damaged one ({error})",
                advice="delete it; the vectors are then computed again",
            )
        )
    if kind.startswith("SQLITE_BUSY"):
        return WriteError(f"{path}: another process has locked it; try again when it is done")
    return WriteError(
        f"{path}: vectors can't be kept here: {error}; "
        "set LIKEWISE_CACHE to a folder with room that you may write to"
    )


def find_cache_folder() -> Path:
    """Return the folder of the cache, which may not exist yet.

    It is the folder that the variable LIKEWISE_CACHE names; if there is none, `likewise` in the
    folder that XDG_CACHE_HOME names; if there is none either, `~/.cache/likewise`.
    """
    if chosen := os.environ.get("LIKEWISE_CACHE"):
        return _expand_home(chosen)
    shared = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification wants relative paths to be ignored.
    if Path(shared).is_absolute():
        return Path(shared, "likewise")
    return _expand_home("~/.cache/likewise")


def _expand_home(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise SettingsError(
            f"{path}: there is no such home folder; set LIKEWISE_CACHE to a folder to keep "
            "vectors and weights in"
        ) from error
