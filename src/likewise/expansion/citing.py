"""Citations in an expansion: how finds are linked with the seeds, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from likewise.documents import Document
from likewise.learn.citations import SeedLinks


def describe_links(
    links: SeedLinks, ids: Sequence[str], *, seeds: Sequence[Document]
) -> Iterator[tuple[str, str]]:
    """Yield the ids of documents that are linked with seeds, each with how, in words.

    Args:
        links: How documents are linked, row by row.
        ids: Those of the rows.
        seeds: The first of these, as documents.
    """
    columns = zip(ids, *(column.tolist() for column in links), strict=True)
    for identifier, cites, cited_by, shared, sharing, together, cited_with in columns:
        parts = [
            f"cites {_count_papers(cites)}" if cites else "",
            f"is cited by {_count_papers(cited_by)}" if cited_by else "",
            f"shares {shared:,} reference{'s' * (shared > 1)} with {name_paper(seeds[sharing])}"
            if shared
            else "",
            f"is cited together with {name_paper(seeds[cited_with])} {together:,} time"
            f"{'s' * (together > 1)}"
            if together
            else "",
        ]
        if any(parts):
            yield identifier, "; ".join(filter(None, parts))


def _count_papers(count: int) -> str:
    return "one of your papers" if count == 1 else f"{count:,} of your papers"


def name_paper(paper: Document) -> str:
    """Return a paper as people name it in a sentence, with its id.

    >>> name_paper(Document(id="7", authors=("Okafor, Ngozi",), year=2014))
    'Okafor 2014 (7)'
    """
    family = paper.authors[0].partition(",")[0] if paper.authors else ""
    name = " ".join(filter(None, (family, str(paper.year or ""))))
    return f"{name} ({paper.id})" if name else paper.id
