"""Reading many files at once: each in a process of its own, their records taken in order.

The writer takes the files one after the other, so that the outcome does not depend on which
process was faster; the processes of later files read ahead meanwhile, as far as memory allows.
Records travel from one process to the other in batches.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerContext, SpawnContext
from pathlib import Path
from types import ModuleType

import msgspec

from likewise.documents import Complaint, Deletion, Document, Record, read_records
from likewise.documents.identity import ensure_id
from likewise.documents.sources import Source, readable_name
from likewise.errors import LikewiseError, Problem, ReadError
from likewise.library.keys import MAX_ID
from likewise.machine import count_cores, has_little_memory

READ_AHEAD_BYTES, LESS_AHEAD_BYTES = 192_000_000, 24_000_000
"""How many bytes may be read ahead; the second if memory is short."""
# Starting a process takes longer than reading a smaller file.
SMALL_BYTES = 1_000_000

# Seconds to wait for the exit code of a process that has closed its connection.
_ENDING = 5.0
BATCH = 500
REPORT = "this is a bug in likewise: please report it with the file"
encode_batch = msgspec.msgpack.Encoder().encode


def read_files(
    paths: Sequence[Path],
    *,
    workers: int | None = None,
    format: str | None = None,  # noqa: A002  # the word that users know
) -> Generator[Iterator[Batch], None, None]:
    """Yield the batches of each file, file by file, reading `workers` files at a time."""
    is_short = has_little_memory()
    workers = workers or count_cores(most=2 if is_short else 4)
    read_ahead = LESS_AHEAD_BYTES if is_short else READ_AHEAD_BYTES
    large = [path for path in paths if workers > 1 and _measure_file(path) >= SMALL_BYTES]
    waiting = deque(large)
    running: deque[_FileReader] = deque()
    try:
        for path in paths:
            while waiting and len(running) < workers:
                share = read_ahead // workers
                running.append(_FileReader(waiting.popleft(), format=format, read_ahead=share))
            if running and running[0].path == path:
                yield _receive_first(running)
                running.popleft().stop()
            else:
                yield read_batches(path, format)
    finally:
        for reading in running:
            reading.stop()


def _measure_file(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _receive_first(running: Sequence[_FileReader]) -> Iterator[Batch]:
    """Yield the batches of the first file, and take in what the others have ready meanwhile.

    Threads would be no faster, and more could go wrong.
    """
    first, last = running[0], False
    while not last:
        for reading in running:
            reading.receive_what_is_there()
        while not first.received and not first.ended:
            wait([reading.receiver for reading in running if reading.has_room])
            for reading in running:
                reading.receive_what_is_there()
        batch = decode_batch(first.received.popleft()) if first.received else first.cut_off()
        last = batch.last
        yield batch


class _FileReader:
    """A process that reads one file, and what it has sent so far."""

    def __init__(self, path: Path, *, format: str | None, read_ahead: int) -> None:  # noqa: A002
        self.received: deque[bytes] = deque()
        self.ended = False
        self.path = path
        self._read_ahead = read_ahead
        context = _choose_context()
        self.receiver, sender = context.Pipe(duplex=False)
        self._process = context.Process(
            target=_send_batches, args=(path, format, sender), daemon=True
        )
        with _start_apart():
            self._process.start()
        sender.close()

    @property
    def has_room(self) -> bool:
        """Whether more of the file may be read ahead."""
        return not self.ended and sum(map(len, self.received)) < self._read_ahead

    def receive_what_is_there(self) -> None:
        """Take what the process has sent, without waiting for more."""
        try:
            while self.has_room and self.receiver.poll():
                self.received.append(self.receiver.recv_bytes())
        except (EOFError, OSError):
            self.ended = True

    def cut_off(self) -> Batch:
        """Return a last batch for a process that something else has ended."""
        self._process.join(_ENDING)
        code = self._process.exitcode or 0
        how = f" by {signal.Signals(-code).name}" if -code in set(signal.Signals) else ""
        found = f"the process that read it was ended{how}"
        advice = "run the command again, and leave the file out if it happens again"
        problem = Problem(readable_name(self.path), found, advice=advice)
        return Batch(problems=[problem], last=True, failed=True)

    def stop(self) -> None:
        """End the process if it is still running: nobody listens to it any more."""
        self.receiver.close()
        self._process.terminate()
        self._process.join()


@cache
def _choose_context() -> SpawnContext | ForkServerContext:
    # A plain fork would copy the locks of the engine's threads in whatever state they are.
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["likewise.library.reading", "likewise.documents.formats.pubmed"]
    )
    return context


@contextmanager
def _start_apart() -> Iterator[None]:
    """Start processes that load nothing of the program they serve, within this context.

    They leave Ctrl-C to that program, which ends them when it stops. And they do not load its main
    module, as processes otherwise do: a script without a guard would run again in each.
    """
    main = sys.modules["__main__"]
    is_main_thread = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN) if is_main_thread else None
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        if is_main_thread:
            signal.signal(signal.SIGINT, before)


def _send_batches(path: Path, format: str | None, sender: Connection) -> None:  # noqa: A002
    # Whoever wanted the records may be gone by now.
    with sender, suppress(BrokenPipeError):
        for batch in read_batches(path, format):
            try:
                message = encode_batch(batch)
            except (TypeError, ValueError, OverflowError) as error:
                found = f"{type(error).__name__} while passing on its records ({error})"
                problem = Problem(readable_name(path), found, advice=REPORT)
                sender.send_bytes(encode_batch(Batch(problems=[problem], last=True, failed=True)))
                return
            sender.send_bytes(message)


class Batch(msgspec.Struct):
    """Some records of a file, documents before deletions, and what was wrong with them."""

    documents: list[Document] = []
    lines: list[int | None] = []
    """Where each document begins."""
    deletions: list[Deletion] = []
    problems: list[Problem] = []
    position: int = 0
    """How many bytes of the file were read so far."""
    last: bool = False
    failed: bool = False
    """Whether the file could not be read to its end."""


decode_batch = msgspec.msgpack.Decoder(Batch).decode


def read_batches(path: Path, format: str | None = None) -> Iterator[Batch]:  # noqa: A002
    """Yield the records of a file; an error that ends it is a problem of the last batch."""
    batch = Batch()

    def advance(position: int) -> None:
        batch.position = position

    source, line = Source(path, on_bytes=advance), None
    try:
        for item in read_records(source, format=format):
            if isinstance(item, Complaint):
                batch.problems.append(source.problem(item))
                continue
            full = len(batch.documents) + len(batch.deletions) >= BATCH
            if full or (batch.deletions and isinstance(item, Record)):
                yield batch
                batch = Batch(position=batch.position)
            if isinstance(item, Deletion):
                batch.deletions.append(item)
            else:
                line = item.line
                batch.problems += map(source.problem, _put_record(item, batch))
    except ReadError as error:
        batch.problems.append(error.problem)
        batch.failed = True
    except LikewiseError as error:
        batch.problems.append(source.problem(Complaint(str(error), line, "")))
        batch.failed = True
    except Exception as error:  # noqa: BLE001  # one file's trouble must not stop the others
        found = f"{type(error).__name__} while reading it ({error})"
        batch.problems.append(source.problem(Complaint(found, line, REPORT)))
        batch.failed = True
    batch.last = True
    yield batch


def _put_record(record: Record, batch: Batch) -> Iterator[Complaint]:
    """Put a record's document into a batch, and yield what had to be changed or left out."""
    document = record.document
    if not (document.title or document.abstract):
        found = f"record {document.id[:80]!r} has neither title nor abstract"
        yield Complaint(found, record.line, "it was left out; there is nothing to search in it")
        return
    if len(document.id) > MAX_ID:
        found = f"an id of {len(document.id):,} characters"
        yield Complaint(found, record.line, "another was made")
        document = ensure_id(msgspec.structs.replace(document, id=""))
    if document.year is not None and not 0 < document.year < 10_000:
        yield Complaint(f"the year {str(document.year)[:20]}", record.line)
        document = msgspec.structs.replace(document, year=None)
    batch.documents.append(document)
    batch.lines.append(record.line)
