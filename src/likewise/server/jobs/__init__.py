"""Jobs: what workers are asked to do, and the messages between them and the server."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from likewise.documents import Document
from likewise.expansion.settings import ExpandSettings

MOST_LINE = 1_000_000
"""How many bytes a line may have."""


class WorkRequest(msgspec.Struct, frozen=True, tag="expansion"):
    """The expansion that a worker is asked to make."""

    path: str
    """The session's file."""
    library: str
    """Where the library lies."""
    settings: ExpandSettings | None = None
    """How to expand; if None, the session's settings apply."""
    is_watch: bool = False
    """Whether to look for new documents, and expand only if some came."""
    source: str = ""
    """The source to ask for new records before the look, if any."""


class IntakeRequest(msgspec.Struct, frozen=True, tag="intake"):
    """The files that a worker is asked to read into a library."""

    path: str
    """The library's folder, in which the files wait."""
    most_bytes: int | None = None
    """The most bytes that each file may unpack to."""
    has_sample: bool = False
    """Whether to fetch the sample, and read it too."""


class GatherRequest(msgspec.Struct, frozen=True, tag="gathering"):
    """What a worker is asked to gather from a source into a library."""

    path: str
    """The library's folder."""
    source: str
    seeds: list[Document]
    records: int
    """The most records to gather."""


AnyRequest = WorkRequest | IntakeRequest | GatherRequest


class StartMessage(msgspec.Struct, frozen=True, tag="start"):
    """The worker has opened the session."""

    expansions: int
    """How many expansions the session has before this one."""


class WarningsMessage(msgspec.Struct, frozen=True, tag="warnings"):
    """What may be wrong with the seeds."""

    warnings: tuple[str, ...]


class ProgressMessage(msgspec.Struct, frozen=True, tag="progress"):
    """How far the job has come."""

    stage: str
    share: float
    note: str = ""


class ResultMessage(msgspec.Struct, frozen=True, tag="result"):
    """The expansion was added to the session."""

    expansion: int


class TakenMessage(msgspec.Struct, frozen=True, tag="taken"):
    """Files were read, or records gathered, into the library."""

    number: int


class FailureMessage(msgspec.Struct, frozen=True, tag="failure"):
    """The job has failed."""

    error: str
    is_mistake: bool = False
    """Whether likewise is to blame, and the log says more."""


Message = (
    StartMessage | WarningsMessage | ProgressMessage | ResultMessage | TakenMessage | FailureMessage
)


def encode_line(value: AnyRequest | Message) -> bytes:
    r"""Return a request or a message as a line.

    >>> encode_line(ResultMessage(expansion=2))
    b'{"type":"result","expansion":2}\n'
    """
    return msgspec.json.encode(value) + b"\n"


def decode_request(line: bytes) -> AnyRequest:
    """Return the request that a line holds."""
    request: AnyRequest = msgspec.json.decode(line, type=AnyRequest)
    return request


def decode_message(line: bytes) -> Message:
    """Return the message that a line holds; raise ValueError if it holds none."""
    try:
        message: Message = msgspec.json.decode(line, type=Message)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise ValueError(f"a worker sent something that is not a message: {error}") from error
    return message


def hide_folders(message: object, places: Iterable[str | Path]) -> str:
    """Return a message without the folders of these places, which visitors need not know.

    >>> hide_folders("/srv/lib: damaged; see: likewise search /srv/lib WORDS", ["/srv/lib"])
    'lib: damaged; see: likewise search lib WORDS'
    """
    text = str(message)
    for folder in {Path(place).parent for place in places}:
        if folder.name:
            text = text.replace(f"{folder}/", "")
    return text
