"""The neighbours of papers by links: what a paper cites, what cites it, what is cited with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from likewise.documents import Document
from likewise.library.keys import list_keys
from likewise.library.links import (
    Direction,
    LinkSource,
    Papers,
    list_names,
    number_paper,
)
from likewise.library.protocol import Library

MOST_CITING = 20_000
"""Of a paper that more cite, so many are asked what else they cite."""


class Neighbour(NamedTuple):
    """A paper that is linked with another."""

    name: str
    """Its PMID, its DOI, or "id:" and its id in the library."""
    times: int = 1
    """In how many papers both are cited, of those that are cited together."""
    document: Document | None = None
    """The paper, if the library holds it."""


class Neighbours(NamedTuple):
    """All that links tell of a paper."""

    cites: list[Neighbour]
    cited_by: list[Neighbour]
    cited_with: list[Neighbour]
    """Those that are most often cited together with it come first."""


def find_neighbours(
    library: Library, links: LinkSource, document: Document, *, limit: int = 20
) -> Neighbours:
    """Return what links tell of a document.

    Args:
        library: Where to look for the papers themselves.
        links: Those of the library.
        document: A document.
        limit: How many papers that are cited with it are listed.
    """
    own = number_papers(document)
    ends: dict[Direction, Papers] = {
        direction: np.unique(links.follow(own, direction).papers)
        for direction in ("cites", "cited_by")
    }
    together = links.follow(ends["cited_by"][:MOST_CITING], "cites").papers
    papers, counts = np.unique(together[~np.isin(together, own)], return_counts=True)
    best = np.lexsort((papers, -counts))[:limit]
    return Neighbours(
        name_neighbours(library, links, ends["cites"]),
        name_neighbours(library, links, ends["cited_by"]),
        name_neighbours(library, links, papers[best], counts=counts[best].tolist()),
    )


def number_papers(document: Document) -> Papers:
    """Return the numbers that a document has in links."""
    return np.array([number_paper(name) for name in list_names(document)], dtype=np.uint64)


def name_neighbours(
    library: Library, links: LinkSource, papers: Papers, *, counts: Sequence[int] = ()
) -> list[Neighbour]:
    """Return papers by name, with their documents as far as the library holds them."""
    names = links.name(papers)
    found = find_named(library, names)
    counted = counts or [1] * len(names)
    return [
        Neighbour(name, count, found.get(name))
        for name, count in zip(names, counted, strict=True)
        if name
    ]


def find_named(library: Library, names: Sequence[str]) -> dict[str, Document]:
    """Return the documents of a library that links call by these names."""
    keys = {make_key(name): name for name in names if name}
    found: dict[str, Document] = {}
    for document in library.find(keys):
        for key in list_keys(document):
            if key in keys:
                found.setdefault(keys[key], document)
    return found


def make_key(name: str) -> str:
    """Return the identity key of a paper that links call so.

    >>> make_key("7"), make_key("10.1/a"), make_key("id:x")
    ('pmid:7', 'doi:10.1/a', 'id:x')
    """
    if name.startswith("id:"):
        return name
    return f"pmid:{name}" if name.isdecimal() else f"doi:{name}"
