"""Bulk requests: many changes in one, sent in the background, with an answer for each.

A server may take some changes of a request and turn others down. A change that it is too busy for
is sent again after a pause; one that it never takes is an error that names the document.

A few threads send one batch each. Two batches with the same document are never under way at once,
so that the last change stays. The first error ends everything: it is raised to whoever sends or
waits from then on, since something that was handed over is not in the index.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from likewise.errors import ClusterError, LibraryError
from likewise.library.opensearch.connection import Connection
from likewise.library.opensearch.troubles import RETRYABLE

Batch = Mapping[str, bytes]

logger = logging.getLogger(__name__)

MAX_PAUSE = 10.0
"""Seconds between two attempts, at most."""

# A document to delete that is not there.
_GONE = 404
_TOO_LARGE = 413
# What is not asked for need not be written, sent and parsed.
_WANTED = (
    "status",
    "_seq_no",
    "_primary_term",
    "error.type",
    "error.reason",
    "error.caused_by.reason",
)
_encode = msgspec.json.Encoder().encode


class StoredVersion(msgspec.Struct, frozen=True):
    """The number of a document's last change, as its shard counts changes."""

    seq_no: int
    primary_term: int


class ChangeOutcome(
    msgspec.Struct, frozen=True, rename={"seq_no": "_seq_no", "term": "_primary_term"}
):
    """What the server answers to one change of a bulk request."""

    status: int
    seq_no: int = -1
    term: int = -1
    error: dict[str, Any] = {}

    @property
    def version(self) -> StoredVersion:
        """The version that the change made."""
        return StoredVersion(self.seq_no, self.term)

    @property
    def reason(self) -> str:
        """Why it was turned down."""
        reasons = (self.error.get("reason"), (self.error.get("caused_by") or {}).get("reason"))
        return ": ".join(dict.fromkeys(" ".join(str(said).split()) for said in reasons if said))


class _BulkAnswer(msgspec.Struct):
    items: list[dict[str, ChangeOutcome]] = []


def make_put_lines(identifier: str, source: bytes, *, over: StoredVersion | None = None) -> bytes:
    """Return the lines that write a document.

    Args:
        identifier: The `_id` to write it under, in place of what is there.
        source: Its JSON, in one line.
        over: The version that is to be replaced; another one is a conflict (409).
    """
    return b"%b%b\n" % (_make_head("index", identifier, over), source)


def make_create_lines(identifier: str, source: bytes) -> bytes:
    """Return the lines that write a new document; one that is there is a conflict (409)."""
    return b"%b%b\n" % (_make_head("create", identifier), source)


def make_delete_lines(identifier: str, *, over: StoredVersion | None = None) -> bytes:
    """Return the line that deletes a document."""
    return _make_head("delete", identifier, over)


def _make_head(action: str, identifier: str, over: StoredVersion | None = None) -> bytes:
    about: dict[str, object] = {"_id": identifier}
    if over:
        about |= {"if_seq_no": over.seq_no, "if_primary_term": over.primary_term}
    return _encode({action: about}) + b"\n"


@dataclass(frozen=True)
class Bulk:
    """Sends changes to an index, and sends again what the server was too busy for."""

    connection: Connection
    index: str
    patience: float | None = None
    """How many seconds to retry while the server is busy; None for the connection's patience."""
    pause: float = 0.5
    """Seconds before the second attempt; each further one waits twice as long."""
    stopping: threading.Event = field(default_factory=threading.Event)
    """Set when nobody wants to wait any longer."""

    def send(
        self,
        changes: Mapping[str, bytes],
        *,
        may_be: Collection[int] = (_GONE,),
        refresh: bool = False,
    ) -> dict[str, ChangeOutcome]:
        """Send changes until the server has answered each for good.

        Args:
            changes: The lines of each change by what it changes.
            may_be: Statuses that are answers rather than errors.
            refresh: Whether searches see them at once.
        """
        answered: dict[str, ChangeOutcome] = {}
        left = dict(changes)
        give_up, pause = time.monotonic() + self._choose_patience(), self.pause
        while True:
            outcomes = self._ask(left, refresh=refresh)
            answered |= outcomes
            left = {name: left[name] for name, said in outcomes.items() if said.status in RETRYABLE}
            self._check(outcomes, may_be)
            if not left:
                return answered
            refusal = outcomes[next(iter(left))]
            if time.monotonic() + pause > give_up:
                raise LibraryError(self._describe_too_busy(left, refusal))
            if pause == self.pause:
                self._say_that_it_waits(left, refusal)
            if self.stopping.wait(pause):
                raise LibraryError(f"{self.connection.address}: stopped before all were written")
            pause = min(2 * pause, MAX_PAUSE)

    def _choose_patience(self) -> float:
        return self.connection.patience if self.patience is None else self.patience

    def _ask(self, changes: Mapping[str, bytes], *, refresh: bool) -> dict[str, ChangeOutcome]:
        params = {"filter_path": ",".join(f"items.*.{name}" for name in _WANTED)}
        if refresh:
            params["refresh"] = "true"
        path, body = f"/{self.index}/_bulk", b"".join(changes.values())
        try:
            answer = self.connection.ask(
                "POST", path, body=body, params=params, shape=_BulkAnswer, patience=self.patience
            )
        except ClusterError as error:
            if error.status != _TOO_LARGE:
                raise
            return self._ask_for_less(changes, error, refresh=refresh)
        outcomes = [outcome for item in answer.items for outcome in item.values()]
        if len(outcomes) != len(changes):
            raise LibraryError(
                f"{self.connection.address}: {len(changes):,} changes were sent and "
                f"{len(outcomes):,} answered; check whether a proxy is in front of the server"
            )
        return dict(zip(changes, outcomes, strict=True))

    def _ask_for_less(
        self, changes: Mapping[str, bytes], error: ClusterError, *, refresh: bool
    ) -> dict[str, ChangeOutcome]:
        names, middle = list(changes), len(changes) // 2
        if not middle:
            raise LibraryError(f"{error}; it is the document {names[0]!r}") from error
        halves = [
            {name: changes[name] for name in some} for some in (names[:middle], names[middle:])
        ]
        return self._ask(halves[0], refresh=refresh) | self._ask(halves[1], refresh=refresh)

    def _check(self, outcomes: Mapping[str, ChangeOutcome], may_be: Collection[int]) -> None:
        for name, outcome in outcomes.items():
            fine = outcome.status < 300 or outcome.status in RETRYABLE or outcome.status in may_be
            # A missing document is not an error; a missing index or shard is.
            fine = fine and not (outcome.status == _GONE and outcome.error)
            if not fine:
                raise LibraryError(
                    f"{self.connection.address}: the server does not take the document {name!r} "
                    f"({outcome.status}: {outcome.reason[:200]})"
                )

    def _describe_too_busy(self, left: Mapping[str, bytes], refusal: ChangeOutcome) -> str:
        return (
            f"{self.connection.address}: {len(left):,} documents were not taken within "
            f"{self._choose_patience():g} s ({refusal.status}: {refusal.reason[:200]}); "
            "what was committed is safe: run the command again when the server has recovered"
        )

    def _say_that_it_waits(self, left: Mapping[str, bytes], refusal: ChangeOutcome) -> None:
        logger.warning(
            "%s: too busy for %d documents now (%d); sending them again for up to %g s",
            self.connection.address,
            len(left),
            refusal.status,
            self._choose_patience(),
        )


class Senders:
    """Threads that send batches."""

    def __init__(self, send: Callable[[Batch], object], *, threads: int) -> None:
        self._send = send
        self._threads = threads
        self._changed = threading.Condition()
        self._waiting: deque[Batch] = deque()
        self._under_way: list[Batch] = []
        self._error: Exception | None = None
        self._stopped = False
        for number in range(threads):
            # The end of the program must not wait for a server that hangs.
            threading.Thread(target=self._work, name=f"bulk-{number}", daemon=True).start()

    def send(self, batch: Batch) -> None:
        """Hand a batch over, as soon as a thread is free and none of its documents is under way."""
        with self._changed:
            self._changed.wait_for(lambda: self._error or self._has_room_for(batch))
            self._raise_error()
            # In this order, lest Ctrl-C leave a batch that no thread was told of.
            self._changed.notify_all()
            self._waiting.append(batch)

    def wait(self) -> None:
        """Wait until everything that was handed over is answered."""
        with self._changed:
            self._changed.wait_for(lambda: self._error or not self._list_in_hand())
            self._raise_error()

    def stop(self, *, seconds: float) -> bool:
        """Drop what was not yet sent, and give what is under way some time to be answered.

        Return whether anything has failed, or is still under way.
        """
        with self._changed:
            self._stopped = True
            self._waiting.clear()
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._under_way, timeout=seconds)
            return bool(self._error or self._under_way)

    def _list_in_hand(self) -> list[Batch]:
        return [*self._waiting, *self._under_way]

    def _has_room_for(self, batch: Batch) -> bool:
        others = self._list_in_hand()
        return len(others) < self._threads and all(
            batch.keys().isdisjoint(other) for other in others
        )

    def _raise_error(self) -> None:
        if self._error:
            raise self._error

    def _work(self) -> None:
        while (batch := self._take_next()) is not None:
            error = self._try_to_send(batch)
            with self._changed:
                self._under_way.remove(batch)
                self._error = self._error or error
                self._changed.notify_all()

    def _take_next(self) -> Batch | None:
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or self._waiting)
            if self._stopped:
                return None
            batch = self._waiting.popleft()
            self._under_way.append(batch)
            return batch

    def _try_to_send(self, batch: Batch) -> Exception | None:
        try:
            self._send(batch)
        except LibraryError as error:
            return error
        except Exception as error:  # noqa: BLE001  # a thread that dies silently would be waited for
            return LibraryError(f"a batch could not be sent: {type(error).__name__}: {error}")
        return None
