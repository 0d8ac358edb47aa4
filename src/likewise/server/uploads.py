"""Files that a visitor sends: read as files of ours are, within bounds, and never by their name."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from likewise.documents import read
from likewise.documents.formats import formats
from likewise.errors import Problem, ReadError
from likewise.server.failures import STEERING
from likewise.server.models.seeds import MOST_SEEDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from likewise.documents import Document

MOST_NAME = 120
MOST_TOLD = 20
"""How many problems are told; of the rest, how many there are."""

_UNNAMED = "the file"
_STEM = "upload"


class Uploaded(NamedTuple):
    """What a file held."""

    documents: list[Document]
    problems: list[str]


class Problems:
    """The problems of a file: the first ones, and how many more there are."""

    def __init__(self, path: str | None = None) -> None:
        """Begin to collect.

        Args:
            path: What the file is called towards people, whatever it is called here.
        """
        self._path = path
        self._told: list[str] = []
        self._more = 0

    def add(self, problem: Problem) -> None:
        """Take one more."""
        if len(self._told) < MOST_TOLD:
            self._told.append(str(problem._replace(path=self._path or problem.path)))
        else:
            self._more += 1
        if self._more > MOST_SEEDS:
            # Reading them all would keep others waiting, and tell nobody anything.
            found = f"more than {MOST_SEEDS:,} records that can't be read"
            advice = f"the first of them: {self._told[0]}"
            raise ReadError(Problem(self._path or problem.path, found, advice=advice))

    @property
    def lines(self) -> list[str]:
        """Each in a line."""
        more = [f"and {self._more:,} more of these"] if self._more else []
        return self._told + more


def read_upload(body: bytes, name: str, *, most_bytes: int) -> Uploaded:
    """Return the documents of a file that was sent, and what could not be read of it.

    Args:
        body: The file, gzipped or not.
        name: What its owner calls it: its suffix may tell the format, the rest is for messages.
        most_bytes: The most that it may unpack to.
    """
    name = shown_name(name)
    problems = Problems(name)
    with tempfile.TemporaryDirectory(prefix="likewise-") as folder:
        path = Path(folder) / f"{_STEM}{known_suffix(name)}"
        path.write_bytes(body)
        found = read(path, on_problem=problems.add, most_bytes=most_bytes)
        try:
            documents = list(bounded(found, name))
        except ReadError as error:
            raise ReadError(error.problem._replace(path=name)) from error
    return Uploaded([_renamed(document, path.name, name) for document in documents], problems.lines)


def bounded(documents: Iterable[Document], name: str) -> Iterator[Document]:
    """Yield documents; raise ReadError if there are more than anybody's seeds."""
    for number, document in enumerate(documents):
        if number >= MOST_SEEDS:
            advice = "give the papers that you have on one topic"
            raise ReadError(Problem(name, f"more than {MOST_SEEDS:,} records", advice=advice))
        yield document


def _renamed(document: Document, ours: str, name: str) -> Document:
    if not document.source.endswith(f":{ours}"):
        return document
    return msgspec.structs.replace(document, source=f"{document.source.removesuffix(ours)}{name}")


def shown_name(name: str) -> str:
    r"""Return what a file is called towards people: no folder, one line, not too long.

    >>> shown_name("C:\\papers\\refs.ris"), shown_name("../../etc/passwd"), shown_name("..")
    ('refs.ris', 'passwd', 'the file')
    """
    last = STEERING.sub("", name).replace("\\", "/").rstrip("/").rpartition("/")[2].strip()
    return last[-MOST_NAME:] if last.strip(".") else _UNNAMED


def known_suffix(name: str) -> str:
    """Return the suffix of ours that a name ends with, or "".

    >>> known_suffix("Refs.RIS.gz"), known_suffix("library.endnote.xml"), known_suffix("refs.exe")
    ('.ris', '.endnote.xml', '')
    """
    low = name.lower().removesuffix(".gz")
    ends = [suffix for known in formats() for suffix in known.suffixes if low.endswith(suffix)]
    return max(ends, key=len, default="")
