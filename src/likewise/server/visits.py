"""Visits: the connections to a server, before anybody asks anything.

Whoever reaches the address can open connections, with a token or without, and each takes a file of
those that the system lets us have. So there are only so many, and who says nothing is hung up on.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from likewise.server.failures import Said, refusal

if TYPE_CHECKING:
    import asyncio

MOST = 1_000
"""How many connections there are at once."""
SECONDS_TO_ASK = 20.0
"""After how long a connection must have said what it asks, but for the body."""

_BUSY = Said(503, "busy")
_GARBLED = Said(400, "not-understood")


def most_connections() -> int:
    """Return how many connections there may be, so that files can still be opened beside them."""
    try:
        import resource
    except ImportError:  # only Unix has such limits
        return MOST
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if files == resource.RLIM_INFINITY else min(MOST, files // 2)


class Visit(H11Protocol):
    """A connection, which is refused if there are too many, and closed if it asks nothing."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        """Begin."""
        super().connection_made(transport)
        if len(self.connections) > most_connections():
            self._refuse(_BUSY, "too many connections are open; close some, or try again later")
        else:
            self._wait()

    def data_received(self, data: bytes) -> None:
        """Take what was sent."""
        super().data_received(data)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        super().connection_lost(exc)
        self._stop_waiting()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  # the name and the words are uvicorn's
        """Answer to what is no HTTP."""
        self._refuse(_GARBLED, "this is no request of HTTP 1.1")

    def _wait(self) -> None:
        """Wait for what is asked, unless all of it but the body is here."""
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(SECONDS_TO_ASK, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _refuse(self, how: Said, message: str) -> None:
        """Answer without the app, unless an answer is on its way, and hang up."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            body = bytes(refusal(how, message).body)
            head = (
                f"HTTP/1.1 {how.status} {HTTPStatus(how.status).phrase}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
                "Connection: close\r\n\r\n"
            )
            self.transport.write(head.encode("ascii") + body)
        self.transport.close()
