"""Headers on every answer: what a browser must not do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

from likewise.server.safety.guards import STATIC

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
ALWAYS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class Headers:
    """Sets the headers that keep an answer to this page, this browser and this moment."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the app answer, with our headers."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        # Scripts and styles may be kept, and are asked for anew: their ETag says if they changed.
        keeping = "no-cache" if scope["path"].startswith(STATIC) else "no-store"

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update({**ALWAYS, "Cache-Control": keeping})
                del headers["Server"]
            await send(message)

        await self.app(scope, receive, send_guarded)
