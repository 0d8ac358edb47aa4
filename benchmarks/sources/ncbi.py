"""A local server that behaves as NCBI's E-utilities are documented to, with real records behind it.

https://www.ncbi.nlm.nih.gov/books/NBK25499/ describes requests and answers; what else it does
(errors inside a 200, merged and deleted PMIDs, empty sets of links) is as its users report.
"""

from __future__ import annotations

import datetime as dt
import io
import json
import re
from contextlib import AbstractContextManager
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
from benchmarks.sources.serving import LocalService, Reply, serve

from likewise.documents import Document
from likewise.documents.document import AnnotatedDocument
from likewise.documents.formats.pubmed import write
from likewise.documents.remote.eutils import Caller, Eutils
from likewise.web import WebClient

KEY = "0123456789abcdef"
EMPTY = b'<?xml version="1.0" ?>\n<PubmedArticleSet></PubmedArticleSet>'
_ATOM = re.compile(r'"?(.*?)"?\[([a-z:]+)\]', re.IGNORECASE)


class Ncbi(LocalService):
    """What the server has, what it was asked, and what it answers first."""

    def __init__(self) -> None:
        super().__init__()
        self.merged: dict[str, str] = {}
        """The PMIDs that old ones were merged into."""
        self.most_listed = 9999
        self.notes: dict[str, Any] = {}

    def hold(self, *pmids: str, day: str = "2001-02-03") -> None:
        """Hold a paper for each PMID, all of which came on one day."""
        papers = (
            Document(id=pmid, pmid=pmid, title=f"Paper {pmid} on cats", abstract="Purr.")
            for pmid in pmids
        )
        self.hold_papers(papers, day=day)

    def asked(self, utility: str) -> list[dict[str, Any]]:
        """Return the fields of every request to a utility."""
        return [fields for path, fields in self.requests if path.endswith(utility)]

    def groups(self) -> list[list[str]]:
        """Return the PMIDs of each request for records."""
        return [fields["id"].split(",") for fields in self.asked("efetch.fcgi")]

    def eutils(self, **caller: str) -> Eutils:
        """Return a client that asks this server, without waiting between requests."""
        return Eutils(Caller(address=self.url, **caller), web=WebClient(pause=0.001))

    def find_answer(self, path: str, fields: dict[str, Any]) -> Reply:
        """Return the answer to a request to esearch, elink or efetch."""
        if "esearch" in path:
            return Reply(self._find(fields))
        if "elink" in path:
            return Reply(self._link(fields))
        return Reply(self.records(fields["id"]))

    def refuse_haste(self) -> Reply:
        """Return what NCBI answers if it is asked too often."""
        said = {"error": "API rate limit exceeded", "count": "4", "limit": str(self.per_second)}
        return Reply(json.dumps(said).encode(), 429, (("Retry-After", "1"),))

    def records(self, pmids: str) -> bytes:
        """Return the records of PMIDs; for a merged one, that of its successor."""
        stream = io.BytesIO()
        wanted = (self.merged.get(pmid, pmid) for pmid in pmids.split(","))
        known = [self.papers[pmid] for pmid in dict.fromkeys(wanted) if pmid in self.papers]
        write(map(AnnotatedDocument, known), stream)
        return stream.getvalue()

    def _find(self, fields: dict[str, Any]) -> bytes:
        scores = sum(map(self._score, fields["term"].split(" OR ")), np.zeros(len(self.papers)))
        rows = np.flatnonzero(scores)
        if fields.get("sort") == "relevance":
            rows = rows[np.argsort(-scores[rows], kind="stable")]
        found = [self.corpus.keys[row] for row in rows]
        if "mindate" in fields:
            first, last = (
                dt.date(*map(int, fields[name].split("/"))) for name in ("mindate", "maxdate")
            )
            found = [pmid for pmid in found if first <= self.days[pmid] <= last]
        listed = found[: min(int(fields["retmax"]), self.most_listed)]
        result = {"count": str(len(found)), "idlist": listed, **self.notes}
        return json.dumps({"header": {}, "esearchresult": result}).encode()

    def _score(self, atom: str) -> np.ndarray:
        """Return how well each paper matches a part of a query."""
        tagged = _ATOM.fullmatch(atom.strip())
        text, tag = (tagged[1], tagged[2].lower()) if tagged else (atom, "")
        if tag.startswith("mh"):
            return self.corpus.match_heading(text)
        if tag == "ti":
            return self.corpus.match_title(text)
        if tag in ("doi", "pmcid"):
            papers = self.papers.values()
            return np.array([float(getattr(paper, tag) == text) for paper in papers])
        return self.corpus.match_words(text)

    def _link(self, fields: dict[str, Any]) -> bytes:
        pmids = fields["id"] if isinstance(fields["id"], list) else [fields["id"]]
        name = fields["linkname"]
        sets = [self._link_one(pmid, name) for pmid in pmids]
        head = '<?xml version="1.0" encoding="UTF-8" ?>\n<eLinkResult>\n'
        return (head + "\n".join(sets) + "\n</eLinkResult>").encode()

    def _link_one(self, pmid: str, name: str) -> str:
        linked: list[tuple[str, float]] = []
        if name == "pubmed_pubmed" and pmid in self.papers:
            linked = self.corpus.find_similar(pmid)
        elif name == "pubmed_pubmed_citedin":
            linked = [(other, 0.0) for other, cited in self.citing.items() if pmid in cited]
        elif name == "pubmed_pubmed_refs":
            linked = [(other, 0.0) for other in self.citing.get(pmid, ())]
        links = "".join(
            f"<Link><Id>{other}</Id><Score>{round(score * 1e6)}</Score></Link>"
            for other, score in linked
        )
        # Without links there is no LinkSetDb at all.
        group = f"<DbTo>pubmed</DbTo><LinkName>{escape(name)}</LinkName>{links}"
        group = f"<LinkSetDb>{group}</LinkSetDb>" if links else ""
        ids = f"<DbFrom>pubmed</DbFrom><IdList><Id>{escape(pmid)}</Id></IdList>"
        return f"<LinkSet>{ids}{group}</LinkSet>"


def ncbi_server() -> AbstractContextManager[Ncbi]:
    """Serve until the block ends."""
    return serve(Ncbi())
