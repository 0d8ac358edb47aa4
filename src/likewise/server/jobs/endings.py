"""How jobs end, and what is said of it."""

from __future__ import annotations

import logging
import signal
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import SessionError
from likewise.expansion.sessions.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    from likewise.server.models.jobs import State

LOG = logging.getLogger(__name__)


class Ending(NamedTuple):
    """How a job ended."""

    state: State
    expansion: int | None = None
    """The number of the expansion that it made."""
    error: str = ""


CANCELLED = Ending("cancelled")
INTERRUPTED = Ending("failed", error="the server ended before this was done; start it again")
MISTAKEN = Ending(
    "failed", error="this is a mistake of likewise, please report it; the server's log says more"
)


def ending_by_code(code: int) -> Ending:
    """Return what is said of a process that ended without a word.

    >>> ending_by_code(-11).error
    'its process was ended by SIGSEGV; start it again, and report it if that happens again'
    """
    if code == -signal.SIGKILL:
        found = "its process was killed, as the system does for want of memory"
        advice = "choose a smaller pool, or close other programs, and start it again"
    else:
        found = f"its process ended with code {code}"
        if code < 0:
            found = f"its process was ended by {_name(-code)}"
        advice = "start it again, and report it if that happens again"
    return Ending("failed", error=f"{found}; {advice}")


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def ending_in_session(path: str | Path, *, before: int | None) -> Ending | None:
    """Return that a job is done if its session has more expansions than before, else None.

    The session is asked because a process can be ended after its expansion is on the disk, and
    before it says so. If it did not even say how many there were before, it added none.
    """
    if before is None:
        return None
    try:
        with Session.open(path, read_only=True) as session:
            found = len(session.expansions())
    except SessionError as error:
        LOG.warning("what became of a job is not known: %s", error)
        return None
    return Ending("done", expansion=found) if found > before else None
