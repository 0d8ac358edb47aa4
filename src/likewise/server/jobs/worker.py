"""A worker: the process that makes one expansion, and tells how it goes on its standard output.

It ends itself as soon as its standard input closes, as it does when the server is gone, even by
`kill -9`. What it makes is put into the session in one transaction: a worker that ends early leaves
nothing behind.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

from likewise.errors import LikewiseError
from likewise.expansion.expansion import StageProgress
from likewise.expansion.seeds import Seeds
from likewise.server.jobs.messages import (
    FailureMessage,
    Message,
    ProgressMessage,
    ResultMessage,
    StartMessage,
    WarningsMessage,
    WorkRequest,
    decode_request,
    encode_line,
)

ALONE = 3
"""The code with which a worker ends if nobody listens any more."""
NICENESS = 10
SECONDS_BETWEEN_MOVES = 0.05
MOST_WARNINGS = 50
MOST_CHARACTERS = 2_000
NO_MEMORY = "there is not enough memory for it; choose a smaller pool, and start it again"


def main() -> None:
    """Do what is asked for on standard input."""
    # Whoever asks is to be answered while this one computes.
    os.nice(NICENESS)
    send = open_channel()
    if line := sys.stdin.buffer.readline():
        threading.Thread(target=end_when_alone, daemon=True).start()
        send(try_expansion(decode_request(line), tell=Reporter(send)))


def open_channel() -> Callable[[Message], None]:
    """Take standard output for messages; whatever else is printed goes where errors go."""
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
    """Wait until standard input closes, and end this process at once, whatever it is at."""
    try:
        while os.read(0, 4096):
            pass
    finally:
        os._exit(ALONE)


class Reporter:
    """What an expansion calls on its way, told by messages; moves are told now and then."""

    def __init__(
        self, send: Callable[[Message], None], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.send = send
        self._clock = clock
        self._stage = ""
        self._told = 0.0

    def on_seeds(self, _seeds: Seeds, warnings: Sequence[str]) -> None:
        """Tell what may be wrong with the seeds."""
        if warnings:
            self.send(WarningsMessage(tuple(map(make_sendable, warnings[:MOST_WARNINGS]))))

    def on_progress(self, progress: StageProgress) -> None:
        """Tell how far it is: each new stage at once, and else what is not too soon."""
        now = self._clock()
        if progress.stage == self._stage and now - self._told < SECONDS_BETWEEN_MOVES:
            return
        self._stage, self._told = progress.stage, now
        self.send(ProgressMessage(progress.stage, progress.share, make_sendable(progress.note)))


def try_expansion(asked: WorkRequest, *, tell: Reporter) -> ResultMessage | FailureMessage:
    """Expand, and return what came of it."""
    try:
        return ResultMessage(add_expansion(asked, tell=tell))
    except LikewiseError as error:
        return FailureMessage(make_sendable(error))
    except MemoryError:
        return FailureMessage(NO_MEMORY)
    except Exception as error:  # noqa: BLE001  # whatever it is, a person waits for an answer
        traceback.print_exc()
        told = make_sendable(f"{type(error).__name__}: {error}")
        return FailureMessage(
            f"{told}; this is a mistake of likewise, please report it", is_mistake=True
        )


def add_expansion(asked: WorkRequest, *, tell: Reporter) -> int:
    """Expand a session, and return the number of the expansion that was added to it."""
    from likewise.expansion.sessions.expanding import expand_session
    from likewise.expansion.sessions.session import Session

    with Session.open(Path(asked.path)) as session:
        tell.send(StartMessage(len(session.expansions())))
        expand_session(
            session,
            library=asked.library,
            settings=asked.settings,
            on_seeds=tell.on_seeds,
            on_progress=tell.on_progress,
        )
        return session.expansions()[-1].number


def make_sendable(text: object) -> str:
    r"""Return a text as one line that is not too long, and has no half of a character.

    >>> sendable("lost:\n a\ud800b")
    'lost: a?b'
    """
    line = " ".join(str(text).encode("utf-8", "replace").decode().split())
    return line if len(line) <= MOST_CHARACTERS else f"{line[: MOST_CHARACTERS - 1]}…"


if __name__ == "__main__":
    main()
