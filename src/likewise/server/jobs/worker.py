"""A worker: the process that does one job, and reports it on its standard output.

It ends itself as soon as its standard input closes, which happens when the server is gone, even by
`kill -9`. An expansion goes into the session in one transaction, and so does each file into the
library, so a worker that ends early leaves nothing half done behind.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from likewise.errors import LikewiseError
from likewise.expansion.expansion import StageProgress
from likewise.expansion.seeds import Seeds
from likewise.library.indexing import IndexProgress
from likewise.server.jobs import (
    AnyRequest,
    FailureMessage,
    GatherRequest,
    IntakeRequest,
    Message,
    ProgressMessage,
    ResultMessage,
    StartMessage,
    TakenMessage,
    WarningsMessage,
    WorkRequest,
    decode_request,
    encode_line,
    hide_folders,
)

if TYPE_CHECKING:
    from likewise.expansion.sessions.session import Session

AHEAD = "--ahead"
"""The argument of a worker that is started before there is a job for it."""
LEARNING = (
    "likewise.expansion.flow",
    "likewise.expansion.sessions.expanding",
    "likewise.learn.linear",
    "likewise.library.tantivy_index",
    "likewise.library.embedded",
    "likewise.library.link_files",
    "scipy.optimize",
)
"""Modules that an expansion loads as it runs, unless its worker had time to load them before."""
ALONE = 3
"""The exit code of a worker that nobody listens to any more."""
NICENESS = 10
SECONDS_BETWEEN_REPORTS = 0.05
MOST_WARNINGS = 50
MOST_CHARACTERS = 2_000
FETCHING = "fetching the sample"
ASKING = "asking for what is new"
NO_MEMORY = "there is not enough memory for it; choose a smaller pool, and start it again"


def main() -> None:
    """Do the job that standard input asks for."""
    # The server must be able to answer while this process computes.
    os.nice(NICENESS)
    send = open_channel()
    if AHEAD in sys.argv:
        load_ahead()
    if line := sys.stdin.buffer.readline():
        threading.Thread(target=end_when_alone, daemon=True).start()
        send(try_job(decode_request(line), tell=Reporter(send)))


def load_ahead() -> None:
    """Load what an expansion will need."""
    for name in LEARNING:
        import_module(name)


def open_channel() -> Callable[[Message], None]:
    """Return a function that sends messages; whatever else is printed goes to standard error."""
    channel = os.dup(1)
    os.dup2(2, 1)

    def send(message: Message) -> None:
        rest = encode_line(message)
        try:
            while rest:
                rest = rest[os.write(channel, rest) :]
        except OSError:
            os._exit(ALONE)

    return send


def end_when_alone() -> None:
    """Wait until standard input closes, then end this process at once, whatever it is doing."""
    try:
        while os.read(0, 4096):
            pass
    finally:
        os._exit(ALONE)


class Reporter:
    """Sends messages about how a job goes; progress at most every 50 ms."""

    def __init__(
        self, send: Callable[[Message], None], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.send = send
        self._clock = clock
        self._stage = ""
        self._sent = 0.0

    def on_seeds(self, _seeds: Seeds, warnings: Sequence[str]) -> None:
        """Send what may be wrong with the seeds."""
        if warnings:
            self.send(WarningsMessage(tuple(map(make_sendable, warnings[:MOST_WARNINGS]))))

    def on_progress(self, progress: StageProgress) -> None:
        """Send how far the job has come: every new stage at once, other progress now and then."""
        now = self._clock()
        if progress.stage == self._stage and now - self._sent < SECONDS_BETWEEN_REPORTS:
            return
        self._stage, self._sent = progress.stage, now
        self.send(ProgressMessage(progress.stage, progress.share, make_sendable(progress.note)))

    def on_indexed(self, name: str, progress: IndexProgress) -> None:
        """Send how much of a file has been read into a library."""
        share = progress.bytes / progress.total_bytes if progress.total_bytes else 0.0
        note = f"{progress.documents:,} records"
        self.on_progress(StageProgress(f"reading {name}", share, note))


def try_job(asked: AnyRequest, *, tell: Reporter) -> ResultMessage | TakenMessage | FailureMessage:
    """Do a job, and return the result, or why there is none."""
    try:
        if isinstance(asked, IntakeRequest):
            return TakenMessage(take_files(asked, tell=tell))
        if isinstance(asked, GatherRequest):
            return TakenMessage(gather_records(asked, tell=tell))
        return ResultMessage(add_expansion(asked, tell=tell))
    except LikewiseError as error:
        library = asked.library if isinstance(asked, WorkRequest) else ""
        return FailureMessage(make_sendable(hide_folders(error, [asked.path, library])))
    except MemoryError:
        return FailureMessage(NO_MEMORY)
    except Exception as error:  # noqa: BLE001  # whatever it is, a person waits for an answer
        traceback.print_exc()
        found = make_sendable(f"{type(error).__name__}: {error}")
        return FailureMessage(
            f"{found}; this is a bug in likewise, please report it", is_mistake=True
        )


def add_expansion(asked: WorkRequest, *, tell: Reporter) -> int:
    """Expand a session, and return the number of the new expansion."""
    from likewise.expansion.sessions.expanding import expand_session
    from likewise.expansion.sessions.session import Session

    with Session.open(Path(asked.path)) as session:
        tell.send(StartMessage(len(session.expansions())))
        if asked.is_watch:
            look_for_news(session, asked.library, source=asked.source, tell=tell)
            return len(session.expansions())
        expand_session(
            session,
            library=asked.library,
            settings=asked.settings,
            on_seeds=tell.on_seeds,
            on_progress=tell.on_progress,
        )
        return session.expansions()[-1].number


def look_for_news(session: Session, library: str, *, source: str, tell: Reporter) -> None:
    """Look for what is new in a session's library; ask a source for it first, if one is given."""
    from likewise.expansion.sessions.marking import open_own_library
    from likewise.expansion.sessions.watching import BroughtRecords, bring_new, look_for_new
    from likewise.library.sources import open_source

    brought = BroughtRecords()
    if source:
        with closing(open_source(source)) as asked:
            tell.on_progress(StageProgress(ASKING, 0.0, asked.label))
            brought = bring_new(session, library, name=source, source=asked)
    with open_own_library(session, library) as (opened, address):
        look_for_new(
            session, opened, address=address, brought=brought, on_progress=tell.on_progress
        )


def take_files(asked: IntakeRequest, *, tell: Reporter) -> int:
    """Read the waiting files into a library, and return how many there were."""
    from likewise.library.collection import Collection
    from likewise.library.receiving import add_sample, take_waiting

    path = Path(asked.path)
    library = Collection(path.parent).get(path.name)
    if asked.has_sample:
        add_sample(
            library, on_step=lambda step: tell.on_progress(StageProgress(FETCHING, 0.0, step))
        )
    return len(take_waiting(library, most_bytes=asked.most_bytes, on_progress=tell.on_indexed))


def gather_records(asked: GatherRequest, *, tell: Reporter) -> int:
    """Gather what may be on the topic of seeds into a library, and return how many came."""
    from likewise.expansion.gathering import GatherListener, gather
    from likewise.expansion.seed_sources import GivenPapers
    from likewise.library.collection import note_gathering
    from likewise.library.sources.kept import Budget

    path = Path(asked.path)
    report = gather(
        asked.source,
        GivenPapers(asked.seeds, [], []),
        path,
        budget=Budget(records=asked.records),
        listener=GatherListener(on_progress=tell.on_progress),
    )
    note_gathering(path, f"{report.source}: {len(asked.seeds):,} seeds", added=report.fetched)
    return report.fetched


def make_sendable(text: object) -> str:
    r"""Return a text as one line that is not too long, and without halves of characters.

    >>> make_sendable("lost:\n a\ud800b")
    'lost: a?b'
    """
    line = " ".join(str(text).encode("utf-8", "replace").decode().split())
    return line if len(line) <= MOST_CHARACTERS else f"{line[: MOST_CHARACTERS - 1]}…"


if __name__ == "__main__":
    main()
