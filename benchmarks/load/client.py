"""A client of the HTTP API that costs little, so that the server is what is measured."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from typing import Any, NamedTuple, Self

TIMEOUT = 30.0


def find_port() -> int:
    """Return a port that nothing on this machine listens on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class Answer(NamedTuple):
    """What came back, and after how long."""

    status: int
    content: Any
    seconds: float


class Client:
    """One connection that is kept open, like that of a browser's tab."""

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_connection(self.host, self.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()

    async def ask(self, method: str, path: str, content: Any = None) -> Answer:
        """Send a request, and return its answer."""
        began = time.perf_counter()
        async with asyncio.timeout(TIMEOUT):
            self._writer.write(self._request(method, path, content))
            await self._writer.drain()
            head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            body = await self._reader.readexactly(_read_length(head))
        seconds = time.perf_counter() - began
        return Answer(int(head.split(" ", 2)[1]), json.loads(body or b"null"), seconds)

    def _request(self, method: str, path: str, content: Any) -> bytes:
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.host}:{self.port}"]
        body = b"" if content is None else json.dumps(content).encode()
        if content is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        return "\r\n".join([*lines, "", ""]).encode() + body


def _read_length(head: str) -> int:
    for line in head.lower().split("\r\n"):
        name, _, value = line.partition(":")
        if name == "content-length":
            return int(value)
    raise ValueError("an answer without its length")
