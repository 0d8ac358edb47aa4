"""PubMed as a source: similar articles, citations, searches and records by the E-utilities."""

from __future__ import annotations

import datetime as dt
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from likewise.documents import Document
from likewise.documents.releases import FETCHED
from likewise.documents.remote.eutils import (
    MOST_FETCHED,
    SIMILAR,
    Days,
    Eutils,
    find_own_pmids,
)
from likewise.library.reading import Batch, read_batches
from likewise.library.sources import Arrivals, LinkKind, SearchTerm, split_groups

LABEL = "PubMed"
MOST_LINKED = 20
"""How many papers' links to ask for at a time: each paper has hundreds."""
MOST_NAMED = 100
"""How many papers to look for at a time by their DOIs and PMCIDs."""

# Readers name the source of a record after the file that it is read from.
_EFETCH = FETCHED.removeprefix("pubmed:")
_LINK_NAMES: dict[LinkKind, str] = {
    "similar": SIMILAR,
    "citing": "pubmed_pubmed_citedin",
    "cited": "pubmed_pubmed_refs",
}
_END_OF_DAYS = dt.date(2100, 12, 31)
_NO_WORD = re.compile(r"[^\w-]+")
_LEAST_TITLE_WORDS = 4


class PubmedSource:
    """PubMed, whose keys are PMIDs; by default, it is asked as the environment says (`Eutils`)."""

    label = LABEL
    links: Sequence[LinkKind] = tuple(_LINK_NAMES)
    lists_at_once = True

    def __init__(self, eutils: Eutils | None = None) -> None:
        self._eutils = eutils or Eutils()

    @property
    def requests(self) -> int:
        """How many requests were sent so far."""
        return self._eutils.requests

    def key_of(self, paper: Document) -> str:
        """Return the PMID of a paper."""
        return paper.pmid

    def identity_of(self, key: str) -> str:
        """Return the identity key of a PMID."""
        return f"pmid:{key}"

    def find_papers(self, papers: Sequence[Document]) -> Iterator[list[str]]:
        """Yield the PMIDs of papers that have a DOI or a PMCID, then of those with a title."""
        named = [name for paper in papers if (name := _spell_identifier(paper))]
        for some in split_groups(named, MOST_NAMED):
            yield self._eutils.search(" OR ".join(some), limit=2 * len(some)).pmids
        for title in (paper.title for paper in papers if not _spell_identifier(paper)):
            if query := _spell_title(title):
                found = self._eutils.search(query, limit=2)
                yield found.pmids if found.total == 1 else []

    def find_linked(self, keys: Sequence[str], kind: LinkKind) -> Iterator[dict[str, list[str]]]:
        """Yield the similar, citing or cited articles of each paper."""
        for some in split_groups(keys, MOST_LINKED):
            yield self._eutils.find_links(some, _LINK_NAMES[kind])

    def search(
        self, terms: Sequence[SearchTerm], *, limit: int, since: dt.date | None = None
    ) -> list[str]:
        """Return the PMIDs of the papers that have any of the terms, the best match first."""
        days = Days(since, _END_OF_DAYS) if since else None
        query = " OR ".join(map(_spell_term, terms))
        return self._eutils.search(query, days=days, limit=limit, by_relevance=True).pmids

    def fetch(self, keys: Sequence[str]) -> Iterator[Arrivals]:
        """Yield records, a few hundred at a time."""
        for some in split_groups(keys, MOST_FETCHED):
            records = self._eutils.fetch(some)
            came = find_own_pmids(records)
            batches = list(_read(records)) if came else []
            # Any others that came were not asked for.
            papers = {
                paper.pmid: paper
                for batch in batches
                for paper in batch.documents
                if paper.pmid in set(some)
            }
            problems = [each for batch in batches for each in batch.problems]
            yield Arrivals(
                list(papers.values()),
                missing=[pmid for pmid in some if pmid not in came],
                unusable=[pmid for pmid in some if pmid in came and pmid not in papers],
                problems=[replace(each, path=LABEL, line=None) for each in problems],
            )

    def close(self) -> None:
        """Close the connections."""
        self._eutils.close()


def _spell_identifier(paper: Document) -> str:
    if paper.doi and '"' not in paper.doi:
        return f'"{paper.doi}"[doi]'
    return f"{paper.pmcid}[pmcid]" if paper.pmcid else ""


def _spell_title(title: str) -> str:
    """Return a query for a title; "" if it says too little to be found by."""
    words = _NO_WORD.sub(" ", title).split()
    return f"{' '.join(words)}[ti]" if len(words) >= _LEAST_TITLE_WORDS else ""


def _spell_term(term: SearchTerm) -> str:
    """Return a term in PubMed's language.

    >>> _spell_term(SearchTerm("insulin")), _spell_term(SearchTerm("Liver", is_heading=True))
    ('insulin[tiab]', '"Liver"[mh:noexp]')
    """
    plain = term.text.replace('"', " ")
    return f'"{plain}"[mh:noexp]' if term.is_heading else f"{plain}[tiab]"


def _read(records: bytes) -> Iterator[Batch]:
    """Yield the records in an answer, read like any file of PubMed."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, _EFETCH)
        path.write_bytes(records)
        yield from read_batches(path, "pubmed")
