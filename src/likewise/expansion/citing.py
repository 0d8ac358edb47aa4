"""Citations in an expansion: what they bring into the pool, and how finds are linked, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from likewise.documents import Document
from likewise.expansion.records import Recapture, SeedLink
from likewise.learn.citations import CitationFeatures, SeedLinks, compute_log_odds
from likewise.learn.estimates import Interval
from likewise.library.links import Direction, LinkSource, Papers, find_named, list_names
from likewise.library.protocol import Library
from likewise.library.where import Where

HUB = 1000
"""Papers with more links than this tell little of any one, and lead to too many."""
LEAST_ODDS = 8.0
"""What links must tell, in log odds against chance, for a paper to join the pool."""
LOOKED_UP = 2000
LEAST_RECAPTURED = 5
"""Fewer papers on topic than this, found by citations, tell nothing of what words miss."""


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


def list_seed_links(
    features: CitationFeatures, links: SeedLinks, rows: Mapping[str, int], *, seeds: Sequence[str]
) -> Iterator[SeedLink]:
    """Yield what links documents with seeds, those that tell most of each document first.

    Of shared references, and of papers that cite both, it is the seed that most of them tell of.

    Args:
        features: The links of documents, row by row.
        links: How they are linked with seeds, row by row.
        rows: The documents to tell of, by id, and their rows.
        seeds: The ids of the first rows.
    """
    direct = features.direct
    for identifier, row in rows.items():
        cited = direct[row, : len(seeds)].nonzero()[1].tolist()
        citing = direct[: len(seeds), row].nonzero()[0].tolist()
        yield from (SeedLink(identifier, seeds[seed], "cites") for seed in cited)
        yield from (SeedLink(identifier, seeds[seed], "cited_by") for seed in citing)
        if shared := int(links.references[row]):
            yield SeedLink(identifier, seeds[links.sharing[row]], "shares", shared)
        if together := int(links.together[row]):
            yield SeedLink(identifier, seeds[links.cited_with[row]], "together", together)


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


def find_linked(
    library: Library, links: LinkSource, seeds: Sequence[Document], *, limit: int, where: Where
) -> list[str]:
    """Return the ids of papers that links with the seeds speak for, the strongest first.

    Args:
        library: Where they are to be.
        links: Those of the library.
        seeds: What is known to be on topic.
        limit: How many there may be.
        where: What they are limited to.
    """
    own = np.unique(links.number(name for seed in seeds for name in list_names(seed)))
    papers, odds = _weigh_neighbours(links, own, seeds=len(seeds))
    kept = (odds >= LEAST_ODDS) & ~np.isin(papers, own)
    best = papers[kept][np.lexsort((papers[kept], -odds[kept]))][: 10 * limit]
    found: dict[str, None] = {}
    for start in range(0, len(best), LOOKED_UP):
        if len(found) >= limit:
            break
        names = links.name(best[start : start + LOOKED_UP])
        held = find_named(library, names)
        found |= {held[n].id: None for n in names if n in held and where.matches(held[n])}
    return list(found)[:limit]


def estimate_missed(
    chances: Mapping[str, float],
    *,
    words: Collection[str],
    links: Collection[str],
    relevant: Interval,
) -> Recapture | None:
    """Estimate how many papers on topic neither words nor citations found, from what both did.

    With n found by words, k by citations and m by both, the share m / k of what citations found was
    found by words too. If citations find what words miss as often as what words find, then of all
    papers on topic words found that share as well (Lincoln 1930, Petersen 1896), and

        missed = (n - m) (k - m) / (m + 1)        as Chapman (1951) corrects it

    Its interval is that of the share, 80 % (Jeffreys'), and as wide as that of how many are on
    topic. None where citations found too few to tell.

    Args:
        chances: How likely candidates are on topic.
        words: What words found, of the papers of which links are known.
        links: What citations found.
        relevant: How many of the candidates are on topic.
    """
    found, second = set(words), set(links)
    n, k, m = (
        sum(chances[name] for name in chances if name in arm)
        for arm in (found, second, found & second)
    )
    if k < LEAST_RECAPTURED:
        return None
    low, high = (float(betaincinv(m + 0.5, k - m + 0.5, share)) for share in (0.1, 0.9))
    value = (n - m) * (k - m) / (m + 1)
    fewest, most = (
        n * bound / max(relevant.value, 1e-9) for bound in (relevant.low, relevant.high)
    )
    least = max(0.0, fewest * (1 - high) / high - (k - m))
    largest = most * (1 - low) / low - (k - m)
    return Recapture(n, k, m, Interval(value, min(value, least), max(value, largest)))


def _weigh_neighbours(
    links: LinkSource, own: Papers, *, seeds: int
) -> tuple[Papers, NDArray[np.float64]]:
    """Return all papers that are linked with the seeds, near or one paper apart, with log odds."""
    total = links.count_all()
    reached: list[Papers] = []
    worth: list[NDArray[np.float64]] = []
    ways: tuple[tuple[Direction, Direction, int], ...] = (
        ("cites", "cited_by", total.citing),
        ("cited_by", "cites", total.cited),
    )
    for out, back, size in ways:
        near, counts = np.unique(links.follow(own, out).papers, return_counts=True)
        degrees = links.count(near, back)
        odds = compute_log_odds(
            counts.astype(np.float64), np.maximum(degrees, 1) / max(size, 1), seeds
        )
        is_telling = (odds > 0) & (degrees <= HUB)
        beyond = links.follow(near[is_telling], back)
        reached += [near, beyond.papers]
        worth += [odds, odds[is_telling][beyond.rows]]
    papers, inverse = np.unique(np.concatenate(reached), return_inverse=True)
    odds = np.zeros(len(papers))
    np.add.at(odds, inverse, np.concatenate(worth))
    return papers, odds
