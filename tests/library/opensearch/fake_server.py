"""A small server that answers as it is told to, and remembers what it was asked."""

import json
import ssl
import subprocess
import threading
from collections import deque
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

GREETING = {
    "version": {"distribution": "opensearch", "number": "2.5.0"},
    "tagline": "The OpenSearch Project: https://opensearch.org/",
}
JSON = "application/json; charset=UTF-8"


class Reply(NamedTuple):
    """What is answered; a text is sent as it is, all else as JSON."""

    status: int = 200
    body: object = None
    kind: str = JSON
    headers: tuple[tuple[str, str], ...] = ()
    wait: threading.Event | None = None
    cut: bool = False
    """Whether the connection is cut instead, in the middle of the body if there is one."""


class Asked(NamedTuple):
    """What was asked."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class FakeServer:
    """Answers with each reply once, in their order, and with the last one from then on."""

    def __init__(
        self, *replies: Reply, greetings: tuple[Reply, ...] = (), host="127.0.0.1"
    ) -> None:
        self.replies = deque(replies or (Reply(body={"ok": True}),))
        self.greetings = deque(greetings or (Reply(body=GREETING),))
        self.asked: list[Asked] = []
        self.server = ThreadingHTTPServer((host, 0), _Handler)
        self.server.fake = self
        self.server.daemon_threads = True
        # What a client that hangs up does to a thread is its own affair.
        self.server.handle_error = lambda *_: None
        self.port = self.server.server_address[1]

    def reply_to(self, asked: Asked) -> Reply:
        self.asked.append(asked)
        queue = self.greetings if asked.path == "/" else self.replies
        return queue.popleft() if len(queue) > 1 else queue[0]

    def paths(self) -> list[str]:
        return [asked.path for asked in self.asked if asked.path != "/"]

    def last(self, header: str) -> str:
        return self.asked[-1].headers.get(header, "")


@contextmanager
def running(*replies: Reply, greetings: tuple[Reply, ...] = (), certificate=None):
    """A server that runs meanwhile; with a certificate it expects TLS."""
    fake = FakeServer(*replies, greetings=greetings)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        # Not while the connection is accepted: that would wait for whoever does not speak TLS.
        wrapped = context.wrap_socket(fake.server.socket, True, do_handshake_on_connect=False)
        fake.server.socket = wrapped
    thread = threading.Thread(target=fake.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield fake
    finally:
        fake.server.shutdown()
        thread.join()
        fake.server.server_close()


def make_certificate(folder, *, name="localhost"):
    """Return the file of a new key and its certificate, signed by itself."""
    key, certificate = folder / f"{name}.key", folder / f"{name}.crt"
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    of_whom = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    files = ["-keyout", key, "-out", certificate]
    subprocess.run(
        ["openssl", "req", "-x509", *kind, *of_whom, *files], check=True, capture_output=True
    )
    both = folder / f"{name}.pem"
    both.write_bytes(key.read_bytes() + certificate.read_bytes())
    return both


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 5
    disable_nagle_algorithm = True

    def log_message(self, *_) -> None:
        pass

    def _answer(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.command, self.path, headers, self.rfile.read(length))
        reply = self.server.fake.reply_to(asked)
        if reply.wait:
            reply.wait.wait(5)
        body = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
        content = b"" if reply.body is None else body.encode(errors="surrogatepass")
        if not (reply.cut and reply.body is None):
            self._send(reply, content[: len(content) // 2] if reply.cut else content, len(content))
        self.close_connection = reply.cut or self.close_connection

    def _send(self, reply: Reply, content: bytes, length: int) -> None:
        self.send_response(reply.status)
        self.send_header("content-type", reply.kind)
        self.send_header("content-length", str(length))
        for name, value in reply.headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _answer  # noqa: N815  # names of theirs
