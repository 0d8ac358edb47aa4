"""The lines of a report: documents as a reader sees them, and why they are there; seeds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from likewise.expansion.highlight import Highlighter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from markupsafe import Markup

    from likewise.documents import Document
    from likewise.expansion.expansion import Expansion, Ranked

MOST_UP, MOST_DOWN, MOST_AUTHORS = 5, 2, 3

_PMID = re.compile(r"[0-9]{1,9}")
_PMCID = re.compile(r"PMC[0-9]{1,9}")
_DOI = re.compile(r"10\.[^/\s]+/\S+")


class Link(NamedTuple):
    """A place where a document can be read."""

    name: str
    address: str


class Row(NamedTuple):
    """A document in the table."""

    ranked: Ranked
    document: Document
    title: Markup
    abstract: Markup
    authors: str
    links: tuple[Link, ...]
    nearest_seed: str
    """Its title."""
    up: list[str]
    """Words that moved it up, the strongest first."""
    down: list[str]


class SeedLine(NamedTuple):
    """A seed as the report lists it."""

    document: Document
    in_library: bool
    below: bool
    """Whether it scores below the threshold."""


def report_rows(
    expansion: Expansion, ranking: Iterable[Ranked], *, analyze: Callable[[str], Sequence[str]]
) -> list[Row]:
    """Return a row for each place of a ranking, with the words that spoke for it marked."""
    highlighter = Highlighter(lambda words: list(map(analyze, words)))
    seeds = {seed.id: seed.title for seed in expansion.seeds.documents}
    return [_row(expansion, ranked, seeds=seeds, highlighter=highlighter) for ranked in ranking]


def _row(
    expansion: Expansion, ranked: Ranked, *, seeds: dict[str, str], highlighter: Highlighter
) -> Row:
    document = expansion.documents[ranked.id]
    why = expansion.explain(ranked.id)
    up = [term for term, _ in why.up]
    down = [term for term, _ in why.down]
    return Row(
        ranked=ranked,
        document=document,
        title=highlighter.mark(document.title or "(no title)", frozenset(up)),
        abstract=highlighter.mark(document.abstract, frozenset(up)),
        authors=short_authors(document.authors),
        links=links(document),
        nearest_seed=seeds.get(why.nearest_seed) or why.nearest_seed,
        up=highlighter.spell(up[:MOST_UP], document.text),
        down=highlighter.spell(down[:MOST_DOWN], document.text),
    )


def seed_lines(expansion: Expansion) -> list[SeedLine]:
    """Return the seeds that were learned from, those in the library first."""
    below = {
        ranked.id
        for ranked in expansion.ranking
        if ranked.seed and ranked.score < expansion.threshold
    }
    return [
        SeedLine(document, in_library, below=document.id in below)
        for group, in_library in (
            (expansion.seeds.matched, True),
            (expansion.seeds.text_only, False),
        )
        for document in group
    ]


def short_authors(authors: Sequence[str]) -> str:
    """Return the first authors' family names.

    >>> short_authors(["Curie, Marie", "Curie, Pierre"])
    'Curie, Curie'
    >>> short_authors(["Curie, Marie", "Dog Study Group", "Li, X", "Wu, Y"])
    'Curie, Dog Study Group, Li et al.'
    """
    families = ", ".join(author.split(",")[0].strip() for author in authors[:MOST_AUTHORS])
    return f"{families} et al." if len(authors) > MOST_AUTHORS else families


def links(document: Document) -> tuple[Link, ...]:
    """Return where a document can be read; identifiers that are none make no link.

    >>> from likewise.documents import Document
    >>> [link.address for link in links(Document(pmid="7", doi="10.1/a<b"))]
    ['https://pubmed.ncbi.nlm.nih.gov/7/', 'https://doi.org/10.1/a%3Cb']
    """
    found = []
    if _PMID.fullmatch(document.pmid):
        found.append(Link("PubMed", f"https://pubmed.ncbi.nlm.nih.gov/{document.pmid}/"))
    if _PMCID.fullmatch(document.pmcid):
        found.append(Link("PMC", f"https://pmc.ncbi.nlm.nih.gov/articles/{document.pmcid}/"))
    if _DOI.fullmatch(document.doi):
        found.append(Link("DOI", f"https://doi.org/{quote(document.doi, safe='/:;()')}"))
    return tuple(found)
