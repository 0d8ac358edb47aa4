"""What the server and a worker say to each other: one JSON object a line."""

from __future__ import annotations

import msgspec

# msgspec reads it.
from likewise.expansion.settings import ExpandSettings

MOST_LINE = 1_000_000
"""How many bytes a line may have."""


class WorkRequest(msgspec.Struct, frozen=True):
    """What a worker is asked for, once."""

    path: str
    """The session's file."""
    library: str
    settings: ExpandSettings | None = None
    """How to expand; as the session says, if not given."""


class StartMessage(msgspec.Struct, frozen=True, tag=True):
    """The session is open."""

    expansions: int
    """How many expansions it has before this one."""


class WarningsMessage(msgspec.Struct, frozen=True, tag=True):
    """What may be wrong with the seeds."""

    warnings: tuple[str, ...]


class ProgressMessage(msgspec.Struct, frozen=True, tag=True):
    """How far the expansion is."""

    stage: str
    share: float
    note: str = ""


class ResultMessage(msgspec.Struct, frozen=True, tag=True):
    """The expansion is in the session."""

    expansion: int


class FailureMessage(msgspec.Struct, frozen=True, tag=True):
    """There will be no expansion."""

    error: str
    is_mistake: bool = False
    """Whether likewise is to blame, and the log says more."""


Message = StartMessage | WarningsMessage | ProgressMessage | ResultMessage | FailureMessage


def encode_line(value: WorkRequest | Message) -> bytes:
    r"""Return something to say as a line.

    >>> line_of(Done(expansion=2))
    b'{"type":"Done","expansion":2}\n'
    """
    return msgspec.json.encode(value) + b"\n"


def decode_request(line: bytes) -> WorkRequest:
    """Return what a worker is asked for by a line."""
    return msgspec.json.decode(line, type=WorkRequest)


def decode_message(line: bytes) -> Message:
    """Return the message of a line; raise ValueError if it is none."""
    try:
        message: Message = msgspec.json.decode(line, type=Message)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise ValueError(f"a worker said what is no message: {error}") from error
    return message
