"""A local server that behaves as Europe PMC's RESTful service is documented to.

https://europepmc.org/RestfulWebService describes requests and answers.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from benchmarks.sources.serving import LocalService, Reply, serve

from likewise.documents import Document
from likewise.library.sources.europepmc import EuropePmcSource
from likewise.web import WebClient

MOST_ON_A_PAGE = 1000
_ATOM = re.compile(r'(TITLE|ABSTRACT|KW|DOI|PMCID|EXT_ID):(?:"([^"]*)"|(\w+))(?: AND SRC:(\w+))?')
_SINCE = re.compile(r"FIRST_IDATE:\[([0-9-]+) TO ([0-9-]+)\]")


class EuropePmc(LocalService):
    """What the server has, what it was asked, and what it answers first."""

    def __init__(self) -> None:
        super().__init__()
        self._listed: dict[str, list[str]] = {}

    def spell_key(self, paper: Document) -> str:
        """Return a key such as MED/7; those without a PMID are preprints."""
        return f"MED/{paper.pmid}" if paper.pmid else f"PPR/{paper.id}"

    def source(self) -> EuropePmcSource:
        """Return a source that asks this server, without waiting between requests."""
        return EuropePmcSource(self.url, web=WebClient(pause=0.001))

    def find_answer(self, path: str, fields: dict[str, Any]) -> Reply:
        """Return the answer to a request for a search, for citations or for references."""
        if path.endswith("/searchPOST"):
            return Reply(json.dumps(self._search(fields)).encode())
        origin, _, method = path.strip("/").rpartition("/")
        if origin not in self.papers:
            return Reply(b'{"errCode":404,"errMsg":"no such publication"}', 404)
        if method == "citations":
            found = [other for other, cited in self.citing.items() if origin in cited]
            told = {"citationList": {"citation": [describe_key(key) for key in found]}}
        else:
            found = self.citing.get(origin, [])
            # A cited work that is not in Europe PMC has no id.
            listed = [
                {**describe_key(key), "citedOrder": order, "match": "Y"}
                for order, key in enumerate(found, 1)
            ]
            listed.append({"title": "A thesis", "citedOrder": len(listed) + 1, "match": "N"})
            told = {"referenceList": {"reference": listed}}
        return Reply(json.dumps({"version": "6.9", "hitCount": len(found), **told}).encode())

    def _search(self, fields: dict[str, Any]) -> dict[str, Any]:
        query, cursor = fields["query"], fields.get("cursorMark", "*")
        if cursor == "*":
            self._listed[query] = self._find(query)
        start = 0 if cursor == "*" else int(cursor.removeprefix("mark"))
        size = min(int(fields.get("pageSize", "25")), MOST_ON_A_PAGE)
        keys = self._listed[query]
        page = keys[start : start + size]
        # On the last page the cursor stays where it is.
        following = f"mark{start + len(page)}" if page else cursor
        results = [self.describe(key) for key in page]
        return {
            "version": "6.9",
            "hitCount": len(keys),
            "nextCursorMark": following,
            "resultList": {"result": results},
        }

    def _find(self, query: str) -> list[str]:
        scores = np.zeros(len(self.papers))
        for field, quoted, plain, source in _ATOM.findall(query):
            scores += self._score(field, quoted or plain, source)
        keys = list(self.papers)
        found = [keys[row] for row in np.argsort(-scores, kind="stable") if scores[row] > 0]
        if since := _SINCE.search(query):
            first, last = map(dt.date.fromisoformat, since.groups())
            found = [key for key in found if first <= self.days[key] <= last]
        return found

    def _score(self, field: str, text: str, source: str) -> np.ndarray:
        papers = self.papers
        if field == "EXT_ID":
            return np.array([float(key == f"{source}/{text}") for key in papers])
        if field in ("DOI", "PMCID"):
            name = field.lower()
            return np.array([float(getattr(each, name) == text) for each in papers.values()])
        if field == "KW":
            return self.corpus.match_heading(text)
        if field == "TITLE":
            return self.corpus.match_title(text)
        return self.corpus.match_words(text)

    def describe(self, key: str) -> dict[str, Any]:
        """Return a result of resultType=core."""
        paper = self.papers[key]
        told = {
            **describe_key(key),
            "title": paper.title,
            "abstractText": f"<h4>Aim</h4>{paper.abstract}" if paper.abstract else None,
            "pubYear": str(paper.year) if paper.year else None,
            "authorList": {
                "author": [dict(zip(("lastName", "firstName"), name.split(", "), strict=False))
                           for name in paper.authors]
            },
            "journalInfo": {"volume": paper.volume, "journal": {"title": paper.journal}},
            "meshHeadingList": {
                "meshHeading": [
                    {"descriptorName": each.name, "majorTopic_YN": "NY"[each.major]}
                    for each in paper.mesh
                ]
            },
            "doi": paper.doi or None,
            "pmid": paper.pmid or None,
            "pmcid": paper.pmcid or None,
        }  # fmt: skip
        cited = sum(key in others for others in self.citing.values())
        linked = {"citedByCount": cited, "hasReferences": "NY"[key in self.citing]}
        return {name: value for name, value in told.items() if value} | linked


def describe_key(key: str) -> dict[str, Any]:
    """Return the fields that name a publication in any answer."""
    source, _, identifier = key.partition("/")
    return {"id": identifier, "source": source}


def europe_pmc_server() -> AbstractContextManager[EuropePmc]:
    """Serve until the block ends."""
    return serve(EuropePmc())
