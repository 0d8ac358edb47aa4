"""What a desk refuses."""

from __future__ import annotations

from likewise.server.failures import ServerError


class UnknownSession(ServerError):  # noqa: N818  # it is what the answer says
    """A session that is not there."""

    status = 404
    kind = "unknown-session"

    def __init__(self, session: str) -> None:
        super().__init__(f"there is no session {session}; GET /api/sessions lists those there are")


class NoExpansion(ServerError):  # noqa: N818
    """A session that nothing was expanded in yet."""

    status = 409
    kind = "no-expansion"

    def __init__(self, session: str) -> None:
        super().__init__(
            f"nothing was expanded in session {session} yet; "
            f"POST /api/sessions/{session}/expansions does it"
        )


class NothingBefore(ServerError):  # noqa: N818
    """A session that was not expanded twice, so that nothing could change."""

    status = 404
    kind = "no-expansion"

    def __init__(self, session: str) -> None:
        super().__init__(
            f"session {session} was not expanded twice yet, so there is nothing to compare"
        )
