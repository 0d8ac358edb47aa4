"""A small E-utilities server for tests, which misbehaves on order as the real one does."""

import datetime as dt
import io
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import parse_qsl

from likewise.documents import Document
from likewise.documents.document import AnnotatedDocument
from likewise.documents.formats.pubmed import write
from likewise.documents.remote.eutils import Caller, Eutils
from likewise.web.client import WebClient

KEY = "0123456789abcdef"
EMPTY = b'<?xml version="1.0" ?>\n<PubmedArticleSet></PubmedArticleSet>'


class Reply(NamedTuple):
    """An answer on order; one that is `cut` promises more than it brings."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    cut: bool = False


class Ncbi:
    """What the server has, what it was asked, and what it answers first."""

    def __init__(self):
        self.papers = {}
        self.days = {}
        self.requests = []
        self.replies = []
        self.most_listed = 9999
        self.notes = {}
        self.url = ""

    def hold(self, *pmids, day="2001-02-03"):
        """Have a paper of each PMID, all of which came on one day."""
        for pmid in pmids:
            paper = Document(id=pmid, pmid=pmid, title=f"Paper {pmid} on cats", abstract="Purr.")
            self.papers[pmid] = paper
            self.days[pmid] = dt.date.fromisoformat(day)

    def asked(self, utility):
        return [fields for path, fields in self.requests if path.endswith(utility)]

    def groups(self):
        """The PMIDs of each request for records."""
        return [fields["id"].split(",") for fields in self.asked("efetch.fcgi")]

    def eutils(self, **caller):
        return Eutils(Caller(address=self.url, **caller), web=WebClient(pause=0.001))

    def answer(self, path, fields):
        self.requests.append((path, fields))
        if self.replies:
            return self.replies.pop(0)
        return Reply(self._found(fields) if "esearch" in path else self.records(fields["id"]))

    def records(self, pmids):
        stream = io.BytesIO()
        known = [self.papers[pmid] for pmid in pmids.split(",") if pmid in self.papers]
        write(map(AnnotatedDocument, known), stream)
        return stream.getvalue()

    def _found(self, fields):
        found = [pmid for pmid, paper in self.papers.items() if fields["term"] in paper.title]
        if "mindate" in fields:
            first, last = (
                dt.date(*map(int, fields[name].split("/"))) for name in ("mindate", "maxdate")
            )
            found = [pmid for pmid in found if first <= self.days[pmid] <= last]
        listed = found[: min(int(fields["retmax"]), self.most_listed)]
        result = {"count": str(len(found)), "idlist": listed, **self.notes}
        return json.dumps({"header": {}, "esearchresult": result}).encode()


@contextmanager
def ncbi_server():
    """Serve until the block ends."""
    ncbi = Ncbi()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body leave together, lest the second waits for the first to be confirmed.
        wbufsize = -1

        def do_POST(self):
            form = self.rfile.read(int(self.headers["Content-Length"])).decode()
            reply = ncbi.answer(self.path, dict(parse_qsl(form)))
            self.send_response(reply.status)
            self.send_header("Content-Length", str(len(reply.body) + reply.cut))
            for name, value in reply.headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)
            self.close_connection = reply.cut

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    ncbi.url = f"http://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield ncbi
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
