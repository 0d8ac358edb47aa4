"""Reading many files at once: each in a process of its own, their records taken in order.

The writer takes the files one after the other, so that the outcome does not depend on which
process was faster; the processes of later files read ahead meanwhile, as far as memory allows.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import threading
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from likewise.documents import Deletion, Document, read_records
from likewise.documents.sources import Source
from likewise.errors import LikewiseError, Problem, ReadError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkServerContext, SpawnContext
    from pathlib import Path

BATCH = 500
READ_AHEAD_BYTES = 192_000_000
# Below this, starting processes takes longer than reading.
SMALL_BYTES = 3_000_000


class Batch(msgspec.Struct):
    """Some records of a file, in the order documents then deletions, and what was wrong."""

    documents: list[Document] = []
    lines: list[int | None] = []
    """Where each document begins."""
    deletions: list[str] = []
    problems: list[Problem] = []
    position: int = 0
    """How many bytes of the file were taken so far."""
    last: bool = False
    failed: bool = False
    """Whether the file could not be read to its end."""


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Batch).decode


def read_files(paths: Sequence[Path], *, workers: int | None = None) -> Iterator[Iterator[Batch]]:
    """Yield the batches of each file, file by file, reading `workers` files at a time."""
    workers = workers or min(os.cpu_count() or 1, 4)
    if workers == 1 or sum(map(_size, paths)) < SMALL_BYTES:
        for path in paths:
            yield batches(path)
        return
    waiting = list(reversed(paths))
    running: list[_Reading] = []
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                share = READ_AHEAD_BYTES // workers
                running.append(_Reading(waiting.pop(), read_ahead=share))
            yield iter(running[0])
            running.pop(0).stop()
    finally:
        for reading in running:
            reading.stop()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def batches(path: Path) -> Iterator[Batch]:
    """Yield the records of a file; what stops the file is in the last batch, as a problem."""
    batch = Batch()

    def advance(position: int) -> None:
        batch.position = position

    def report(problem: Problem) -> None:
        batch.problems.append(problem)

    source = Source(path, on_problem=report, on_bytes=advance)
    try:
        for record in read_records(source):
            full = len(batch.documents) + len(batch.deletions) >= BATCH
            if full or (batch.deletions and isinstance(record, Document)):
                yield batch
                batch = Batch(position=batch.position)
            _put(record, batch, source)
    except ReadError as error:
        batch.problems.append(error.problem)
        batch.failed = True
    except LikewiseError as error:
        batch.problems.append(Problem(str(path), str(error)))
        batch.failed = True
    batch.last = True
    yield batch


def _put(record: Document | Deletion, batch: Batch, source: Source) -> None:
    if isinstance(record, Deletion):
        batch.deletions.append(record.pmid)
    elif record.title or record.abstract:
        batch.documents.append(record)
        batch.lines.append(source.line)
    else:
        source.problem(
            f"record {record.id!r} has neither title nor abstract",
            advice="it was left out; there is nothing to search in it",
        )


class _Reading:
    """A process that reads one file, and a thread that takes what it sends."""

    def __init__(self, path: Path, *, read_ahead: int) -> None:
        self._path = path
        self._room = threading.Semaphore(max(2, read_ahead // 1_500_000))
        self._batches: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        context = _context()
        self._receiver, sender = context.Pipe(duplex=False)
        self._process = context.Process(target=_send, args=(path, sender), daemon=True)
        self._process.start()
        sender.close()
        threading.Thread(target=self._receive, daemon=True).start()

    def __iter__(self) -> Iterator[Batch]:
        last = False
        while not last:
            sent = self._batches.get()
            batch = _decode(sent) if sent else self._ended()
            last = batch.last
            self._room.release()
            yield batch

    def _ended(self) -> Batch:
        found, advice = "the process that read it was ended", "run the command again"
        problem = Problem(str(self._path), found, advice=advice)
        return Batch(problems=[problem], last=True, failed=True)

    def stop(self) -> None:
        """End the process if it still runs."""
        self._process.terminate()
        self._process.join()
        self._receiver.close()

    def _receive(self) -> None:
        try:
            while True:
                self._room.acquire()
                self._batches.put(self._receiver.recv_bytes())
        except (EOFError, OSError):
            self._batches.put(None)


@cache
def _context() -> SpawnContext | ForkServerContext:
    # Plain forks would copy the engine's threads' locks in whatever state they are.
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["likewise.library.reading", "likewise.documents.formats.pubmed"]
    )
    return context


def _send(path: Path, sender: Connection) -> None:
    send: Callable[[bytes], None] = sender.send_bytes
    try:
        for batch in batches(path):
            send(_encode(batch))
    except (BrokenPipeError, KeyboardInterrupt):
        # Whoever wanted the records is gone, or was told to stop.
        pass
    finally:
        sender.close()
