"""The view of citations: how documents are linked with the seeds, compared with chance.

Two papers are alike if they cite the same papers, if the same papers cite both, or if one cites the
other. A link that a share p of all papers and k of n seeds have is worth its log odds

    ln((k + p) / ((n + 1) p))        if they are more than 0

so that what everybody cites says nothing. A document's evidence t is the sum over its links, and
its score is t / (t + HALF): the hundredth link tells less than the first. A seed is scored by the
other seeds. A document without known links gets the mean score of the linked pool, so that it loses
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import betaincinv

from likewise.documents import Document
from likewise.learn.folds import Scores, measure_scale
from likewise.learn.material import LinearPlan, ScoredPart, View
from likewise.learn.rows import Numbers
from likewise.library.links import Direction, Links, LinkSource, Papers, list_names

HALF = 5.0
"""The evidence (log odds, in nats) that scores one half."""
STRENGTH, STRONGEST = 0.25, 4.0
"""What the strongest evidence is worth, in deviations of the fused scores of all other views: if
links find held-out seeds twice as well as chance does, and at most."""
FEWEST_LINKED = 3
"""If links of fewer seeds than this are known, they can't tell what links are worth."""
TOP = 0.05
MOST_ODDS = 10.0


@dataclass(frozen=True)
class CitationFeatures:
    """The links of documents, row by row."""

    cites: Any
    """Sparse, by papers that two or more of the documents cite."""
    cited_by: Any
    """Sparse, by papers that cite two or more of the documents."""
    direct: Any
    """Sparse, documents by documents: which cites which."""
    chances: tuple[Numbers, Numbers]
    """The share of all papers that cite each paper, and that each paper cites."""
    own_chances: tuple[Numbers, Numbers]
    """The share of all papers that cite each document, and that it cites."""
    is_known: NDArray[np.bool_]
    """Whether any link of each document is known."""

    def of(self, rows: NDArray[np.int64]) -> CitationFeatures:
        """Return the links of these rows, in this order."""
        return replace(
            self,
            cites=self.cites[rows],
            cited_by=self.cited_by[rows],
            direct=self.direct[rows][:, rows],
            own_chances=(self.own_chances[0][rows], self.own_chances[1][rows]),
            is_known=self.is_known[rows],
        )


def read_citations(documents: Sequence[Document], links: LinkSource) -> CitationFeatures | None:
    """Return the links of documents, or None if hardly any are linked."""
    named = [(name, row) for row, one in enumerate(documents) for name in list_names(one)]
    numbers = links.number(name for name, _ in named)
    rows = np.array([row for _, row in named], dtype=np.int64)
    total, size = links.count_all(), len(documents)
    cites = _read_direction(links, (numbers, rows), "cites", size=size, all_papers=total.citing)
    cited = _read_direction(links, (numbers, rows), "cited_by", size=size, all_papers=total.cited)
    is_known = np.zeros(size, dtype=np.bool_)
    is_known[cites.links.rows] = is_known[cited.links.rows] = True
    if is_known.sum() < FEWEST_LINKED:
        return None
    return CitationFeatures(
        cites=cites.matrix,
        cited_by=cited.matrix,
        direct=_find_direct(cites.links, numbers, rows),
        chances=(cites.chances, cited.chances),
        own_chances=(cites.own_chances, cited.own_chances),
        is_known=is_known,
    )


@dataclass(frozen=True)
class _LinkDirection:
    """The links of documents in one direction."""

    links: Links
    """By rows of documents."""
    matrix: Any
    chances: Numbers
    own_chances: Numbers


def _read_direction(
    source: LinkSource,
    named: tuple[Papers, NDArray[np.int64]],
    direction: Direction,
    *,
    size: int,
    all_papers: int,
) -> _LinkDirection:
    numbers, rows = named
    found = source.follow(numbers, direction)
    links = Links(rows[found.rows], found.papers)
    papers, inverse, counts = np.unique(links.papers, return_inverse=True, return_counts=True)
    # A paper that only one document is linked with makes no two alike.
    is_shared = counts > 1
    columns = (np.cumsum(is_shared) - 1)[inverse]
    kept = is_shared[inverse]
    shape = size, int(is_shared.sum())
    matrix = _mark_cells(links.rows[kept], columns[kept], shape=shape)
    other: Direction = "cited_by" if direction == "cites" else "cites"
    own = np.zeros(size)
    np.maximum.at(own, rows, source.count(numbers, other))
    of = max(all_papers, 1)
    chances = np.maximum(source.count(papers[is_shared], other), 1) / of
    return _LinkDirection(links, matrix, chances, np.maximum(own, 1) / of)


def _find_direct(links: Links, numbers: Papers, rows: NDArray[np.int64]) -> Any:
    """Return which document cites which, as a sparse matrix."""
    order = np.argsort(numbers)
    places = np.minimum(np.searchsorted(numbers[order], links.papers), len(numbers) - 1)
    inside = numbers[order][places] == links.papers
    size = int(rows.max()) + 1
    return _mark_cells(links.rows[inside], rows[order][places[inside]], shape=(size, size))


def _mark_cells(
    rows: NDArray[np.int64], columns: NDArray[np.int64], *, shape: tuple[int, int]
) -> Any:
    """Return a sparse matrix with 1 in these cells, however often they are named."""
    matrix = sparse.coo_matrix((np.ones(len(rows)), (rows, columns)), shape=shape).tocsr()
    matrix.data[:] = 1
    return matrix


class CitationEvidence(NamedTuple):
    """What links with the seeds say of documents, row by row; seeds are judged by the others."""

    odds: Numbers
    """Log odds of being linked like this, against chance."""
    is_known: NDArray[np.bool_]

    @property
    def scores(self) -> Numbers:
        """From 0 to 1."""
        return np.asarray(self.odds / (self.odds + HALF))


def weigh_citations(features: CitationFeatures, *, seeds: int) -> CitationEvidence:
    """Return what links say of documents, the first of which are seeds."""
    odds = _weigh_direct(features, seeds)
    for matrix, chances in zip((features.cites, features.cited_by), features.chances, strict=True):
        counts = np.asarray(matrix[:seeds].sum(axis=0)).ravel()
        shared = matrix @ compute_log_odds(counts, chances, seeds)
        # A seed's own links count only if other seeds have them too.
        shared[:seeds] = matrix[:seeds] @ compute_log_odds(counts - 1, chances, seeds - 1)
        odds += shared
    return CitationEvidence(odds, features.is_known)


def compute_log_odds(counts: Numbers, chances: Numbers, seeds: int) -> Numbers:
    """Return what links are worth, given how many seeds and what share of all papers have them.

    >>> compute_log_odds(np.array([2.0, 1.0, 0.0]), np.array([0.001, 0.5, 0.001]), 4).round(2)
    array([5.99, 0.  , 0.  ])
    """
    odds = np.log((np.maximum(counts, 0) + chances) / ((seeds + 1) * chances))
    return np.asarray(np.where(counts > 0, np.clip(odds, 0, MOST_ODDS), 0))


def _weigh_direct(features: CitationFeatures, seeds: int) -> Numbers:
    """Return the log odds of links with the seeds themselves, by the rate of links among them."""
    to_seeds, from_seeds = features.direct[:, :seeds], features.direct[:seeds].T
    among = to_seeds[:seeds].sum()
    rate = (among + 1) / (seeds * max(seeds - 1, 1))
    odds = np.zeros(len(features.is_known))
    for matrix, chances in zip((to_seeds, from_seeds), features.own_chances, strict=True):
        odds += matrix @ np.clip(np.log(rate / chances[:seeds]), 0, MOST_ODDS)
    return odds


def measure_worth(evidence: CitationEvidence, *, seeds: int, known: int) -> float:
    """Return how well links find the seeds, each by the others: 0 if not at all, at most 1.

    A share p of the linked pool, about `TOP`, has the strongest evidence, and with 95 % confidence
    at least a share s of the linked seeds has it. Then a share p / s of that evidence is due to
    chance, and 1 - p / s is not. The first `known` rows are not part of the pool.
    """
    own = evidence.odds[:seeds][evidence.is_known[:seeds]]
    pool = evidence.odds[known:][evidence.is_known[known:]]
    if len(own) < FEWEST_LINKED or not len(pool):
        return 0.0
    cut = max(float(np.quantile(pool, 1 - TOP)), 1e-9)
    found = int((own >= cut).sum())
    at_least = float(betaincinv(found + 0.5, len(own) - found + 0.5, 0.05)) if found else 0.0
    return max(0.0, 1 - float((pool >= cut).mean()) / at_least) if at_least else 0.0


class SeedLinks(NamedTuple):
    """How documents are linked with the seeds, row by row, in counts for people."""

    cites: NDArray[np.int64]
    """How many of the seeds each cites."""
    cited_by: NDArray[np.int64]
    """How many of the seeds cite it."""
    references: NDArray[np.int64]
    """The most references that it shares with any one seed; `sharing` is that seed."""
    sharing: NDArray[np.int64]
    together: NDArray[np.int64]
    """The most papers that cite it together with any one seed; `cited_with` is that seed."""
    cited_with: NDArray[np.int64]


def count_seed_links(features: CitationFeatures, *, seeds: int) -> SeedLinks:
    """Return how documents are linked with the seeds, which are the first of them."""
    direct = features.direct
    return SeedLinks(
        np.asarray(direct[:, :seeds].sum(axis=1)).ravel().astype(np.int64),
        np.asarray(direct[:seeds].sum(axis=0)).ravel().astype(np.int64),
        *_find_closest(features.cites, seeds),
        *_find_closest(features.cited_by, seeds),
    )


def _find_closest(matrix: Any, seeds: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the most that each row shares with any one seed, and which seed that is."""
    shared = (matrix @ matrix[:seeds].T).tocoo()
    is_other = shared.row != shared.col
    rows, columns, counts = shared.row[is_other], shared.col[is_other], shared.data[is_other]
    order = np.lexsort((columns, -counts, rows))
    first, places = np.unique(rows[order], return_index=True)
    most, closest = np.zeros((2, matrix.shape[0]), dtype=np.int64)
    most[first], closest[first] = counts[order][places], columns[order][places]
    return most, closest


@dataclass(frozen=True, eq=False)
class CitationView(View):
    """How documents are linked with the seeds."""

    name = "citations"
    evidence: CitationFeatures

    def list_scored(self, plan: LinearPlan) -> list[ScoredPart]:
        """Return the evidence, if it would have found the seeds."""
        material, seeds = plan.material, plan.material.seeds
        if not plan.citations:
            return []
        found = weigh_citations(self.evidence, seeds=seeds)
        worth = measure_worth(found, seeds=seeds, known=material.known)
        if not worth:
            return []
        pool = slice(material.known, None)
        mean = found.scores[pool][found.is_known[pool]].mean()
        scores = np.where(found.is_known, found.scores, mean)
        _, deviation = measure_scale(scores[pool])
        part = Scores(scores[:seeds], scores[pool], scores[seeds : material.known])
        strength = plan.citations * min(STRONGEST, STRENGTH * worth / max(1 - worth, 1e-9))
        others = 1 + plan.regressions + plan.library
        # Fusing brings views to deviation 1, which this undoes: rare evidence keeps its worth.
        return [ScoredPart(part, strength * others * deviation)]


def make_citation_view(
    documents: Sequence[Document], links: LinkSource | None
) -> CitationView | None:
    """Return the view of citations, or None if hardly any document is linked."""
    features = read_citations(documents, links) if links else None
    return CitationView(features) if features else None
