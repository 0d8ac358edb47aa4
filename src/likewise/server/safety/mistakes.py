"""Mistakes of our own: answered in the one shape, and told to the log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.server.failures import mistake

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Mistakes:
    """Answers what nobody else did."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the app answer; if it breaks before it did, say so."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_begun = False

        async def send_noted(message: Message) -> None:
            nonlocal is_begun
            is_begun = True
            await send(message)

        try:
            await self.app(scope, receive, send_noted)
        except Exception as error:
            # Half an answer can only be broken off: then its reader knows that it is not whole.
            if is_begun:
                raise
            await mistake(error)(scope, receive, send)
