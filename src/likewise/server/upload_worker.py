"""A worker: the process that reads the files that visitors send, one by one, within limits.

A file that takes forever to read, or all the memory, ends this process and not the server, which
then starts another one. The process ends itself when its standard input closes, since that means
that the server is gone. It imports nothing that takes long to load.
"""

from __future__ import annotations

import os
import struct
import sys
import tempfile
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TypeVar

import msgspec

from likewise import errors
from likewise.documents import Document, read_documents
from likewise.documents.sources import Source
from likewise.errors import LikewiseError, Problem, ReadError
from likewise.expansion.seed_sources import GivenPapers, parse_content, sort_records
from likewise.machine import limit_memory, limit_seconds, measure_memory

T = TypeVar("T")

SIZE = struct.Struct(">Q")
"""The number of an answer's bytes, which is sent before the answer."""
WORN = 300_000_000
"""A worker that has grown by more bytes than this is not used again, since it would keep them."""
MOST_OPEN = 20
"""How many times `most_papers` records a file may hold, if it says which are relevant."""
MOST_TRACE = 4_000
MOST_PROBLEMS = 20
"""How many problems are listed; the rest are only counted."""
MOST_TEXT = 100_000
"""The most characters in a title or an abstract; papers sent one by one have the same limit."""
MOST_RECORD = 1_000_000
"""The most bytes in a whole record."""
MOST_CHARACTERS = 300
"""How many characters are shown of an error that is not ours."""


class UploadRequest(msgspec.Struct, frozen=True):
    """What a worker is asked to read."""

    path: str
    """The file that holds what was sent; its suffix may tell the format."""
    name: str
    """What its owner calls it, for messages."""
    most_papers: int
    most_bytes: int | None = None
    """The most bytes that it may unpack to."""
    is_pasted: bool = False
    """Whether it is text that a person pasted, which may be a list of titles."""
    seconds: int = 10
    """How long the worker may compute before its system kills it."""


class Upload(msgspec.Struct, frozen=True, tag="upload"):
    """The papers in what was sent, and what could not be read of it, one line each."""

    documents: list[Document]
    problems: list[str]
    irrelevant: list[Document] = []
    """Papers that were excluded, as the file says."""
    decisions: list[str] = []
    """A line on what the file says about its papers, if it says anything."""


class Refusal(msgspec.Struct, frozen=True, tag="refusal"):
    """Why nothing was read."""

    message: str
    error: str = "ReadError"
    """The class of the error, if it is one of likewise."""
    problem: Problem | None = None
    is_memory: bool = False
    """Whether there was not enough memory."""
    trace: str = ""
    """The traceback, if the error is not one of likewise; only the log shows it."""

    def revive(self) -> LikewiseError:
        """Return the error that was raised in the worker."""
        if self.problem:
            return ReadError(self.problem)
        kind: type[LikewiseError] = getattr(errors, self.error, LikewiseError)
        return kind(self.message)


class UploadReply(msgspec.Struct, frozen=True):
    """What a worker answers."""

    outcome: Upload | Refusal
    is_last: bool = False
    """Whether the worker ends after this answer."""


class Problems:
    """The problems of a file: the first ones, and how many more there are."""

    def __init__(self, path: str, *, most: int) -> None:
        """Start without problems.

        Args:
            path: The file's name for people, whatever it is called here.
            most: How many problems beyond the listed ones are allowed.
        """
        self._path = path
        self._most = most
        self._told: list[str] = []
        self._more = 0

    def add(self, problem: Problem) -> None:
        """Add a problem; raise ReadError if there are too many."""
        if len(self._told) < MOST_PROBLEMS:
            self._told.append(str(replace(problem, path=self._path)))
        else:
            self._more += 1
        if self._more > self._most:
            # Reading them all would keep others waiting, and help nobody.
            reason = f"more than {self._most:,} records that can't be read"
            advice = f"the first of them: {self._told[0]}"
            raise ReadError(Problem(self._path, reason, advice=advice))

    @property
    def lines(self) -> list[str]:
        """The problems, one line each."""
        more = [f"and {self._more:,} more of these"] if self._more else []
        return self._told + more


def read_upload(asked: UploadRequest) -> Upload:
    """Return the papers in what was sent, and what could not be read of it."""
    problems = Problems(asked.name, most=asked.most_papers)
    path = Path(asked.path)
    if asked.is_pasted:
        content, most = path.read_bytes(), asked.most_papers
        pasted = parse_content(content, name=asked.name, on_problem=problems.add, most=most)
        return Upload(list(_leave_out_excess(pasted, problems)), problems.lines)
    try:
        given = _read_file(path, asked, problems)
    except ReadError as error:
        raise ReadError(replace(error.problem, path=asked.name)) from error
    seeds, irrelevant = (
        [_rename_source(document, path.name, asked.name) for document in fit]
        for fit in (_leave_out_excess(papers, problems) for papers in given[:2])
    )
    decisions = [line.replace(path.name, asked.name, 1) for line in given.decisions]
    return Upload(seeds, problems.lines, irrelevant, decisions)


def _read_file(path: Path, asked: UploadRequest, problems: Problems) -> GivenPapers:
    """Return the papers of a file; raise ReadError if there are more than `most_papers`.

    Records that were screened but left undecided don't count: there may be many more of them.
    """
    source = Source(path, most_bytes=asked.most_bytes)
    found = read_documents(source, on_problem=problems.add)
    records = list(islice(found, asked.most_papers * MOST_OPEN + 1))
    given = sort_records(records, source=source, on_problem=problems.add)
    is_cut = len(records) > asked.most_papers * MOST_OPEN
    for papers in (records if is_cut else [], given.seeds, given.irrelevant):
        for _ in limit_documents(papers, asked.name, most=asked.most_papers):
            pass
    return given


def limit_documents(documents: Iterable[T], name: str, *, most: int) -> Iterator[T]:
    """Yield documents; raise ReadError if there are more than `most`."""
    for number, document in enumerate(documents):
        if number >= most:
            advice = "give the papers that you have on one topic"
            raise ReadError(Problem(name, f"more than {most:,} records", advice=advice))
        yield document


def _leave_out_excess(documents: Iterable[Document], problems: Problems) -> Iterator[Document]:
    """Yield the documents that the server can show and match without keeping others waiting."""
    for document in documents:
        longest = max(len(document.title), len(document.abstract))
        size = len(msgspec.msgpack.encode(document))
        if longest <= MOST_TEXT and size <= MOST_RECORD:
            yield document
            continue
        start = " ".join(document.title[:40].split())
        reason = f"left out, since no paper has a record of {size:,} bytes: {start}"
        problems.add(Problem("", reason))


def _rename_source(document: Document, ours: str, name: str) -> Document:
    if not document.source.endswith(f":{ours}"):
        return document
    return msgspec.structs.replace(document, source=f"{document.source.removesuffix(ours)}{name}")


def main() -> None:
    """Read what standard input asks for, answer on standard output, and end when input closes."""
    channel = os.dup(1)
    # Whatever else is printed goes to standard error.
    os.dup2(2, 1)
    limit_memory(int(sys.argv[1]))
    at_first = measure_memory()
    is_last = False
    while not is_last and (line := sys.stdin.buffer.readline()):
        asked = msgspec.json.decode(line, type=UploadRequest)
        limit_seconds(asked.seconds)
        outcome = try_reading(asked)
        has_failed = isinstance(outcome, Refusal) and outcome.is_memory
        is_last = has_failed or measure_memory() - at_first > WORN
        _send(channel, msgspec.msgpack.encode(UploadReply(outcome, is_last)))


def try_reading(asked: UploadRequest) -> Upload | Refusal:
    """Read what was sent, or return why it can't be read, whatever the reason."""
    # What a killed process leaves behind is deleted with the rest of this folder.
    tempfile.tempdir = str(Path(asked.path).parent)
    try:
        with blame_content(asked.name):
            return read_upload(asked)
    except ReadError as error:
        trace = _format_foreign(error.__cause__)
        return Refusal(str(error), problem=error.problem, trace=trace)
    except LikewiseError as error:
        return Refusal(str(error), error=type(error).__name__)
    except (MemoryError, RecursionError) as error:
        return Refusal(type(error).__name__, is_memory=True)
    except OSError as error:
        reason = f"{asked.name}: the server's system can't read it: {error.strerror}"
        return Refusal(reason, error="LikewiseError", trace=_format_foreign(error))


@contextmanager
def blame_content(name: str) -> Iterator[None]:
    """Turn errors that packages raise over a visitor's content into a ReadError of one line.

    Put it around code that looks into what a visitor sent, so that bad content is not reported as
    a mistake of ours. Errors of the system, and a lack of memory, pass unchanged.

    Args:
        name: The content's name for people.
    """
    try:
        yield
    except (LikewiseError, MemoryError, RecursionError):
        raise
    except Exception as error:
        # A damaged packed file raises an OSError too, but one without a number.
        if isinstance(error, OSError) and error.errno:
            raise
        raise ReadError(Problem(name, f"this can't be read ({describe_error(error)})")) from error


def _format_foreign(error: BaseException | None) -> str:
    """Return the traceback of an error that is not ours; "" if it is ours."""
    if error is None or isinstance(error, LikewiseError):
        return ""
    return "".join(traceback.format_exception(error))[-MOST_TRACE:]


def describe_error(error: Exception) -> str:
    r"""Return an error that is not ours as one short line.

    >>> describe_error(ValueError("not this,\n but that"))
    'ValueError: not this, but that'
    """
    line = " ".join(f"{type(error).__name__}: {error}".split())
    line = line.encode("utf-8", "replace").decode()
    return line if len(line) <= MOST_CHARACTERS else f"{line[: MOST_CHARACTERS - 1]}…"


def _send(channel: int, answer: bytes) -> None:
    rest = SIZE.pack(len(answer)) + answer
    while rest:
        rest = rest[os.write(channel, rest) :]


if __name__ == "__main__":
    main()
