"""Links between papers on a cluster: the references of its documents, asked for in batches.

A document that cites others has two more fields to be found by: `paper`, the name that it cites
under, and `references`, the PMIDs and DOIs that it cites. What a paper cites is looked up by the
first, what cites it by the second; both come back with each hit, from columns. No request asks for
more terms or buckets than servers take, and at most `MOST_READ` documents that cite are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from likewise.library.links import (
    NAMED,
    Direction,
    LinkCounts,
    Links,
    Papers,
    number_paper,
    stack_pairs,
)
from likewise.library.opensearch.connection import (
    WHOLE,
    Connection,
    ask_for_each,
    split_batches,
)
from likewise.library.opensearch.layouts import Hit, OwnLayout
from likewise.library.opensearch.reading import aggregate
from likewise.library.opensearch.searches import Clause, Pages, make_column_search

PAPER, REFERENCES = "find.paper", "find.references"
NAMES_AT_ONCE = 2000
"""How many papers a search asks for: few, so that what cites the first ones comes first."""
COUNTED_AT_ONCE = 10_000
"""How many papers are counted at once; servers take 65,536 terms, and give as many buckets."""
HITS_A_PAGE = 5000
"""How many documents come in one page, each with all that it cites."""
MOST_READ = 50_000
"""How many documents that cite some papers are read at most; the rest is left out."""
PRECISION = 40_000
"""How many cited papers are counted exactly, and beyond it nearly so; servers take no more."""


class ClusterLinks:
    """The links of an index that likewise made, from the references of its documents."""

    def __init__(self, connection: Connection, layout: OwnLayout) -> None:
        self._connection, self._layout = connection, layout
        self._pages = Pages(connection, layout, params=WHOLE, page=HITS_A_PAGE)
        self._names: dict[int, str] = {}
        self._cited: dict[int, Papers] = {}

    def number(self, names: Iterable[str]) -> Papers:
        """Return the numbers of papers with these names, and remember the names."""
        numbers = []
        for name in names:
            number = number_paper(name)
            if number >= NAMED:
                self._names[number] = name
            numbers.append(number)
        return np.array(numbers, dtype=np.uint64)

    def name(self, papers: Papers) -> list[str]:
        """Return the PMID, the DOI, or "id:" and the id of each paper; "" if it is unknown."""
        return [
            str(paper) if paper < NAMED else self._names.get(paper, "") for paper in papers.tolist()
        ]

    def follow(self, papers: Papers, direction: Direction) -> Links:
        """Return what papers cite, or what they are cited by; the links of the first come first.

        If more than `MOST_READ` documents cite the papers, some of them are left out.
        """
        papers = np.asarray(papers, dtype=np.uint64)
        if direction == "cites":
            self._learn_cited(papers)
            pairs = self._pair(dict.fromkeys(papers.tolist()))
        else:
            pairs = self._read_citing(papers)
        return stack_pairs(pairs).follow(papers)

    def count(self, papers: Papers, direction: Direction) -> NDArray[np.int64]:
        """Return how many papers each one cites, or is cited by."""
        papers = np.asarray(papers, dtype=np.uint64)
        if direction == "cites":
            self._learn_cited(papers)
            return np.array([len(self._cited[paper]) for paper in papers.tolist()], dtype=np.int64)
        names = self.name(papers)
        batches = list(split_batches(dict.fromkeys(filter(None, names)), COUNTED_AT_ONCE))
        counts: dict[str, int] = {}
        for some in ask_for_each(self._count_citing, batches):
            counts |= some
        return np.array([counts.get(name, 0) for name in names], dtype=np.int64)

    def count_all(self) -> LinkCounts:
        """Return how many links and papers there are."""
        counted = {
            "links": {"value_count": {"field": REFERENCES}},
            "cited": {"cardinality": {"field": REFERENCES, "precision_threshold": PRECISION}},
        }
        answer = aggregate(
            self._connection,
            self._layout,
            counted,
            query={"exists": {"field": PAPER}},
            track_total_hits=True,
        )
        found = answer["aggregations"]
        citing = int(answer["hits"]["total"]["value"])
        return LinkCounts(int(found["links"]["value"]), citing, int(found["cited"]["value"]))

    def _learn_cited(self, papers: Papers) -> None:
        """Read what papers cite, unless it is known already."""
        unknown = [paper for paper in dict.fromkeys(papers.tolist()) if paper not in self._cited]
        names = filter(None, self.name(np.array(unknown, dtype=np.uint64)))
        batches = list(split_batches(names, NAMES_AT_ONCE))
        for hits in ask_for_each(lambda some: self._find({"terms": {PAPER: some}}), batches):
            self._learn(hits)
        nothing = np.empty(0, dtype=np.uint64)
        for paper in unknown:
            self._cited.setdefault(paper, nothing)

    def _read_citing(self, papers: Papers) -> Papers:
        """Return pairs of these papers and what they are cited by."""
        citing: dict[int, None] = {}
        names = dict.fromkeys(filter(None, self.name(papers)))
        left = MOST_READ
        for some in split_batches(names, NAMES_AT_ONCE):
            if left <= 0:
                break
            hits = self._find({"terms": {REFERENCES: some}}, most=left)
            left -= len(hits)
            citing.update(dict.fromkeys(self._learn(hits)))
        pairs = self._pair(citing)
        return pairs[np.isin(pairs[:, 1], papers)][:, ::-1]

    def _pair(self, citing: Iterable[int]) -> Papers:
        """Return pairs of papers and what they cite, which must be known."""
        papers = list(citing)
        lengths = [len(self._cited[paper]) for paper in papers]
        if not any(lengths):
            return np.empty((0, 2), dtype=np.uint64)
        own = np.repeat(np.array(papers, dtype=np.uint64), lengths)
        return np.stack([own, np.concatenate([self._cited[paper] for paper in papers])], axis=1)

    def _find(self, query: Clause, *, most: int | None = None) -> list[Hit]:
        search = make_column_search(query, self._layout, columns=(PAPER, REFERENCES))
        if most is None:
            return self._pages.read_hits(search)
        # Mostly one page is enough, and needs no point in time.
        first = min(most, HITS_A_PAGE, self._layout.window)
        hits = self._pages.read_hits(search, wanted=first)
        if len(hits) < first or first == most:
            return hits
        return self._pages.read_hits(search, wanted=most)

    def _learn(self, hits: Sequence[Hit]) -> list[int]:
        """Remember what documents cite, and return the numbers of the documents."""
        found = []
        for hit in hits:
            (own,) = self.number(hit.fields[PAPER]).tolist()
            # Two documents may be of the same paper.
            before = self._cited.get(own, ())
            cited = self.number(hit.fields.get(REFERENCES, ()))
            self._cited[own] = np.union1d(cited, before) if len(before) else cited
            found.append(own)
        return found

    def _count_citing(self, names: list[str]) -> dict[str, int]:
        """Return how many documents cite each of the papers that any document cites."""
        terms = {"field": REFERENCES, "include": names, "size": len(names)}
        # Without this hint, the server numbers all papers ever cited, for the sake of a few.
        counted = {"counts": {"terms": {**terms, "execution_hint": "map"}}}
        query = {"bool": {"filter": [{"terms": {REFERENCES: names}}]}}
        answer = aggregate(self._connection, self._layout, counted, query=query)
        buckets = answer["aggregations"]["counts"]["buckets"]
        return {str(bucket["key"]): int(bucket["doc_count"]) for bucket in buckets}
