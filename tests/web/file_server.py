"""A server of files on this machine, like NLM's: listings, ranges, tags; it misbehaves on order."""

import hashlib
import threading
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DATE = "2026-01-10 14:05"


@dataclass
class Served:
    """A file, and how the server treats it.

    `cuts` are lengths after which connections are cut, one a request, until there are none left;
    `refusals` are (status, Retry-After) that come first, one a request. At `stalls_at` bytes it
    waits until it is told to go on.
    """

    content: bytes
    listed: str = DATE
    tag: str = '"first"'
    cuts: list = field(default_factory=list)
    refusals: list = field(default_factory=list)
    takes_ranges: bool = True
    stalls_at: int | None = None
    changes_to: bytes | None = None


class FileServer:
    """Folders of files by their path, and what was asked for."""

    def __init__(self):
        self.files = {}
        self.folders = ["/pubmed/baseline/", "/pubmed/updatefiles/"]
        self.asked = []
        self.with_dates = True
        self.hold = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 2**20  # headers and content in one go

            def do_GET(self):
                server.answer(self)

            do_HEAD = do_POST = do_GET  # noqa: N815

            def log_message(self, *_):
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                """A client that goes away is no news."""

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.host = f"http://127.0.0.1:{self._server.server_port}"
        self.base = f"{self.host}/pubmed/"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self.hold.set()
        self._server.shutdown()
        self._server.server_close()

    def put(self, path, content=b"", **treatment):
        """Put a file of PubMed there, with its sum beside it."""
        name = path.rpartition("/")[2]
        served = self.put_plain(path, content, **treatment)
        self.put_plain(f"{path}.md5", f"MD5({name})= {hashlib.md5(content).hexdigest()}\n".encode())
        return served

    def put_plain(self, path, content, **treatment):
        self.files[f"/pubmed/{path}"] = served = Served(content, **treatment)
        return served

    def requests(self, ending):
        """What was asked for at addresses that end so: their headers."""
        return [headers for path, headers in self.asked if path.endswith(ending)]

    def answer(self, handler):
        path = handler.path
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        self.asked.append((path, {**handler.headers, "body": body.decode()}))
        if path in self.folders:
            self.send(handler, 200, self.listing(path))
        elif path in self.files:
            self.send_file(handler, self.files[path])
        else:
            self.send(handler, 404, b"not here")

    def send_file(self, handler, served):
        if served.refusals:
            status, after = served.refusals.pop(0)
            self.send(handler, status, b"busy", {"Retry-After": after} if after else {})
            return
        content = served.content
        headers = {"Last-Modified": formatdate(0, usegmt=True)} | (
            {"ETag": served.tag} if served.tag else {}
        )
        asked = handler.headers.get("Range")
        unchanged = handler.headers.get("If-Range", served.tag) in {
            served.tag,
            headers["Last-Modified"],
        }
        status, rest = 200, content
        if asked and unchanged and served.takes_ranges:
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
            if start >= len(content):
                gone = {"Content-Range": f"bytes */{len(content)}"}
                self.send(handler, 416, b"", gone)
                return
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
            status, rest = 206, content[start:]
        cut = served.cuts.pop(0) if served.cuts else None
        self.send(handler, status, rest, headers, cut=cut, stall=served.stalls_at)
        if served.changes_to is not None:
            served.content, served.changes_to, served.tag = served.changes_to, None, '"second"'

    def send(self, handler, status, content, headers=None, *, cut=None, stall=None):
        handler.send_response(status)
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        if stall is not None:
            handler.wfile.write(content[:stall])
            handler.wfile.flush()
            self.hold.wait(10)
        if handler.command != "HEAD":
            handler.wfile.write(content[stall:cut])
        if cut is not None:
            handler.close_connection = True

    def listing(self, folder):
        """The page that Apache makes of a folder, with sizes as it rounds them."""
        title = f"<title>Index of {folder}</title>"
        parent = '<hr><a href="/pubmed/">Parent Directory</a>                 -   \n'
        lines = [
            f'<a href="{name}">{name}</a>{" " * (30 - len(name))}'
            f"{served.listed if self.with_dates else ''}  {_rounded(len(served.content))}  \n"
            for path, served in sorted(self.files.items())
            if path.startswith(folder) and (name := path.removeprefix(folder))
        ]
        body = f"<pre>Name  Last modified  Size  {parent}{''.join(lines)}<hr></pre>"
        return f"<html><head>{title}</head><body>{body}</body></html>".encode()


def _rounded(size):
    return f"{size / 1024:.1f}K" if size >= 1024 else str(size)
