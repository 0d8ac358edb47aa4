"""Local servers that stand in for services on the network, and misbehave on demand.

Behind them are real records. A corpus of these ranks by BM25, whether by words or by likeness.
"""

from __future__ import annotations

import datetime as dt
import re
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qs, urlsplit

import numpy as np
from scipy import sparse

from likewise.documents import Document

WORD = re.compile(r"[^\W_]+")
K1, B = 1.2, 0.75
NEIGHBOURS = 150
"""How many similar articles a paper has, about as many as PubMed lists."""


class Reply(NamedTuple):
    """A prepared answer; one that is `cut` promises more than it sends."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    cut: bool = False


class Corpus:
    """Documents that are ranked by BM25 of the words of titles and abstracts."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.keys = [document.id for document in documents]
        self.rows = {key: row for row, key in enumerate(self.keys)}
        self._words: dict[str, int] = {}
        self._titled: defaultdict[str, set[int]] = defaultdict(set)
        rows, columns = [], []
        for row, document in enumerate(documents):
            words = list_words(document.text)
            for word in list_words(document.title):
                self._titled[word].add(row)
            columns += [self._words.setdefault(word, len(self._words)) for word in words]
            rows += [row] * len(words)
        shape = (len(documents), len(self._words))
        counts = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape)
        self._weights = weigh_by_bm25(counts).tocsc()
        self._presence = (counts > 0).astype(np.float64).tocsr()
        self._headings: defaultdict[str, set[int]] = defaultdict(set)
        for row, document in enumerate(documents):
            for heading in document.mesh:
                self._headings[heading.name.lower()].add(row)

    def match_words(self, text: str) -> np.ndarray:
        """Return the score of each document that has all words of a text; 0 for the others."""
        columns = [self._words.get(word) for word in list_words(text)]
        if not columns or None in columns:
            return np.zeros(len(self.keys))
        parts = self._weights[:, columns].toarray()
        return np.where((parts > 0).all(axis=1), parts.sum(axis=1), 0.0)

    def match_title(self, text: str) -> np.ndarray:
        """Return the score of each document whose title has all words of a text."""
        holders = [self._titled.get(word, set()) for word in list_words(text)]
        has_all = np.zeros(len(self.keys), dtype=bool)
        has_all[sorted(set.intersection(*holders)) if holders else []] = True
        return np.where(has_all, self.match_words(text), 0.0)

    def match_heading(self, name: str) -> np.ndarray:
        """Return the score of each document that has a heading."""
        holders = sorted(self._headings.get(name.lower(), ()))
        scores = np.zeros(len(self.keys))
        scores[holders] = np.log(1 + len(self.keys) / max(1, len(holders)))
        return scores

    def find_similar(self, key: str) -> list[tuple[str, float]]:
        """Return the documents most like one, with their scores, itself first."""
        words = self._presence[self.rows[key]]
        scores = np.asarray((self._weights @ words.T).todense()).ravel()
        best = np.argsort(-scores, kind="stable")[: NEIGHBOURS + 1]
        return [(self.keys[row], float(scores[row])) for row in best if scores[row] > 0]


def list_words(text: str) -> list[str]:
    """Return the words of a text as a service sees them, without stemming."""
    return WORD.findall(text.lower())


def weigh_by_bm25(counts: sparse.csr_matrix) -> sparse.csr_matrix:
    """Return the part that each word has in a document's BM25 score."""
    size = counts.shape[0]
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    holders = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.log(1 + (size - holders + 0.5) / (holders + 0.5))
    norm = K1 * (1 - B + B * lengths / max(lengths.mean() if size else 1.0, 1.0))
    rows = np.repeat(np.arange(size), np.diff(counts.indptr))
    weighed = counts.copy()
    weighed.data = idf[counts.indices] * counts.data * (K1 + 1) / (counts.data + norm[rows])
    return weighed


class LocalService:
    """What a local server has, what it was asked, and what it answers first."""

    def __init__(self) -> None:
        self.url = ""
        self.papers: dict[str, Document] = {}
        """By `spell_key`."""
        self.days: dict[str, dt.date] = {}
        """The day on which each paper came in."""
        self.citing: dict[str, list[str]] = {}
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.times: list[float] = []
        self.replies: list[Reply] = []
        self.trouble: Callable[[int], Reply | None] = lambda _: None
        """Called with the number of a request; what it returns is answered instead."""
        self.per_second: int | None = None
        """It answers 429 above this many requests per second; None for no limit."""
        self.latency = 0.0
        self._corpus: Corpus | None = None
        self._recent: deque[float] = deque()
        self._lock = threading.Lock()

    def spell_key(self, paper: Document) -> str:
        """Return the name by which the service knows a paper."""
        return paper.pmid

    def hold_papers(self, papers: Iterable[Document], *, day: str = "2001-02-03") -> None:
        """Hold papers, all of which came in on one day."""
        for paper in papers:
            key = self.spell_key(paper)
            self.papers[key], self.days[key] = paper, dt.date.fromisoformat(day)
        self._corpus = None

    @property
    def corpus(self) -> Corpus:
        """The papers, ready to be searched."""
        if self._corpus is None:
            self._corpus = Corpus(list(self.papers.values()))
        return self._corpus

    def answer(self, path: str, fields: dict[str, Any]) -> Reply:
        """Return the answer to a request."""
        with self._lock:
            now = time.monotonic()
            self.requests.append((path, fields))
            self.times.append(now)
            if self._is_too_fast(now):
                return self.refuse_haste()
            if self.replies:
                return self.replies.pop(0)
            if reply := self.trouble(len(self.requests)):
                return reply
            time.sleep(self.latency)
            return self.find_answer(path, fields)

    def find_answer(self, path: str, fields: dict[str, Any]) -> Reply:
        """Return what the service has to say."""
        raise AssertionError(path, fields)

    def refuse_haste(self) -> Reply:
        """Return the answer to a client that asks too often."""
        return Reply(b"", 429, (("Retry-After", "1"),))

    def count_fastest(self, seconds: float = 1.0) -> int:
        """Return the most requests that came within a span of `seconds`."""
        most, first = 0, 0
        for last, moment in enumerate(self.times):
            while moment - self.times[first] >= seconds:
                first += 1
            most = max(most, last - first + 1)
        return most

    def forget(self) -> None:
        """Forget what was asked so far."""
        self.requests.clear()
        self.times.clear()

    def _is_too_fast(self, now: float) -> bool:
        while self._recent and now - self._recent[0] >= 1.0:
            self._recent.popleft()
        self._recent.append(now)
        return self.per_second is not None and len(self._recent) > self.per_second


Service = TypeVar("Service", bound=LocalService)


@contextmanager
def serve(service: Service) -> Iterator[Service]:
    """Serve until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body leave together, lest the second wait for the first to be confirmed.
        wbufsize = -1

        def do_POST(self) -> None:
            form = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._reply(service.answer(self.path, parse_form(form)))

        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            self._reply(service.answer(parts.path, parse_form(parts.query)))

        def _reply(self, reply: Reply) -> None:
            self.send_response(reply.status)
            self.send_header("Content-Length", str(len(reply.body) + reply.cut))
            for name, value in reply.headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)
            self.close_connection = reply.cut

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.url = f"http://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def parse_form(text: str) -> dict[str, Any]:
    """Return the fields of a form; one that was sent several times has a list."""
    fields = parse_qs(text, keep_blank_values=True)
    return {name: values[0] if len(values) == 1 else values for name, values in fields.items()}
