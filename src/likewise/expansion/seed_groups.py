"""Whether seeds are of two topics: two groups of them that have little in common.

Each seed is a vector of its terms, 1 + ln(count) times the idf that the library gives a term, and
the similarity of two seeds is the cosine of their vectors. The seeds are split so that the two
groups differ most. What they have in common is then

    mean similarity of seeds of different groups / mean similarity of seeds of the same group

(the latter the mean of both groups). It is far below 1 only if each group is about something, and
not about the same. benchmarks/seeds/run.py measures how far is far enough; the choice is explained
in docs/decisions/0009-seed-warnings.md.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from likewise.documents import Document
from likewise.library.protocol import FIELDS, Field, Library

Matrix = NDArray[np.float64]
Side = NDArray[np.bool_]
AnalyzeAll = Callable[[Field, Sequence[str]], list[list[str]]]

MIN_SEEDS = 10
"""Among fewer seeds, groups arise by chance."""
MIN_GROUP = 3
"""Two stray seeds are not a topic."""
LITTLE_IN_COMMON = 0.48
"""Two topics have less than this in common, if their seeds are many and not short."""
USUAL_TERMS = 100
"""How many different terms a title and an abstract usually have."""
_TERMS_TOLD = 3
_MOST_STEPS = 30

MIN_TERMS = 30
"""A title has fewer terms than this, an abstract has more."""
# Words as the analysis cuts them: runs of letters and digits.
_WORD = re.compile(r"[^\W_]+")


class SeedGroup(NamedTuple):
    """Some of the seeds, and the terms that tell them from the others."""

    documents: tuple[Document, ...]
    terms: tuple[str, ...]


class SeedGroups(NamedTuple):
    """Seeds in two groups, the larger first, and how much these have in common."""

    larger: SeedGroup
    smaller: SeedGroup
    in_common: float
    length: float = USUAL_TERMS
    """How many different terms a seed has, on average."""

    @property
    def are_two_topics(self) -> bool:
        """Whether they have as little in common as two topics."""
        number = len(self.larger.documents) + len(self.smaller.documents)
        return number >= MIN_SEEDS and self.in_common < compute_limit(number, self.length)


def compute_limit(number: int, length: float = USUAL_TERMS) -> float:
    """Return how much the groups of `number` seeds may have in common and still be two topics.

    >>> round(compute_limit(10), 2), round(compute_limit(50), 2), round(compute_limit(50, 60), 2)
    (0.4, 0.46, 0.41)
    """
    # Few or short seeds differ more by chance, even if they are on one topic.
    shortness = 1 / max(length, MIN_TERMS) - 1 / USUAL_TERMS
    return LITTLE_IN_COMMON - 0.8 / number - 8 * max(0.0, shortness)


def split_seeds(documents: Sequence[Document], *, library: Library) -> SeedGroups | None:
    """Split documents into the groups that differ most; None if too few have enough text."""
    comparable = select_comparable(documents, analyze_all=library.analyze_all)
    if len(comparable) < 2 * MIN_GROUP:
        return None
    documents, counts = zip(*comparable, strict=True)
    idf = _compute_idf(counts, library)
    similarity = _compute_similarity(counts, idf)
    side = _find_split(similarity)
    if side is None:
        return None
    if side.sum() * 2 < len(side):
        side = ~side
    larger, smaller = (
        SeedGroup(tuple(compress(documents, mask)), _find_telling_terms(counts, mask, idf=idf))
        for mask in (side, ~side)
    )
    first, second, between = _compute_means(similarity, side)
    within = (first + second) / 2
    in_common = between / within if within > 0 else 1.0
    return SeedGroups(larger, smaller, in_common, fmean(len(terms) for terms in counts))


def _compute_idf(counts: Sequence[Counter[str]], library: Library) -> dict[str, float]:
    """Weigh the terms that more than one of the documents has."""
    holders = Counter(term for count in counts for term in count)
    terms = [term for term, number in holders.items() if number > 1]
    by_field = [library.document_frequencies(field, terms) for field in FIELDS]
    size = library.count()
    held = {term: max(frequencies[term] for frequencies in by_field) for term in terms}
    return {term: math.log((size + 1) / (number + 0.5)) for term, number in held.items()}


def _compute_similarity(counts: Sequence[Counter[str]], idf: Mapping[str, float]) -> Matrix:
    """Return the cosines of all pairs, with zeros on the diagonal."""
    columns = {term: column for column, term in enumerate(idf)}
    vectors = np.zeros((len(counts), len(columns)))
    for row, count in enumerate(counts):
        for term in count.keys() & columns.keys():
            vectors[row, columns[term]] = (1 + math.log(count[term])) * idf[term]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(lengths > 0, lengths, 1)
    similarity: Matrix = vectors @ vectors.T
    np.fill_diagonal(similarity, 0)
    return similarity


def _compute_means(similarity: Matrix, side: Side) -> tuple[float, float, float]:
    """Return the mean similarity of pairs within either group, and of pairs between the two."""
    first, second = (
        float(similarity[np.ix_(mask, mask)].sum() / (mask.sum() * (mask.sum() - 1)))
        for mask in (side, ~side)
    )
    return first, second, float(similarity[np.ix_(side, ~side)].mean())


def _find_split(similarity: Matrix) -> Side | None:
    """Return the split into groups that are most alike inside and least like each other."""

    def contrast(side: Side) -> float:
        first, second, between = _compute_means(similarity, side)
        size, other = int(side.sum()), int((~side).sum())
        return (size * first + other * second) / (size + other) - between

    splits = [_settle(similarity, side) for side in _propose_splits(similarity) if _is_fair(side)]
    return max(splits, key=contrast, default=None)


def _propose_splits(similarity: Matrix) -> Iterator[Side]:
    """Yield splits along the two directions in which the documents differ most."""
    number = len(similarity)
    quarter = max(MIN_GROUP, number // 4)
    for direction in _find_directions(similarity).T:
        ranks = np.argsort(np.argsort(direction, kind="stable"), kind="stable")
        yield direction > 0
        yield ranks < quarter
        yield ranks >= number - quarter


def _find_directions(similarity: Matrix) -> Matrix:
    """Return nearly the first two eigenvectors of the centred similarities.

    They only start a split, and all eigenvectors of 500 documents take seconds on a busy machine.
    """
    places = np.arange(len(similarity))
    directions = np.stack([np.cos(places), np.sin(places)], axis=1)
    for _ in range(_MOST_STEPS):
        # The similarity of a document with itself is 1, but 0 in this matrix.
        moved = similarity @ directions + directions
        directions = np.linalg.qr(moved - moved.mean(axis=0)).Q
    return directions


def _settle(similarity: Matrix, side: Side) -> Side:
    """Move documents to the group that they are more like until none moves."""
    for _ in range(_MOST_STEPS):
        # A document is not compared with itself, so its own group counts one less.
        here = similarity[:, side].sum(axis=1) / (side.sum() - side)
        there = similarity[:, ~side].sum(axis=1) / ((~side).sum() - ~side)
        moved = here > there
        if not _is_fair(moved) or (moved == side).all():
            break
        side = moved
    return side


def _is_fair(side: Side) -> bool:
    return MIN_GROUP <= int(side.sum()) <= len(side) - MIN_GROUP


def _find_telling_terms(
    counts: Sequence[Counter[str]], side: Side, *, idf: Mapping[str, float]
) -> tuple[str, ...]:
    """Return the terms that are more common in one group than in the other, most telling first."""
    here, there = (
        Counter(term for count in compress(counts, mask) for term in count)
        for mask in (side, ~side)
    )
    size, other = int(side.sum()), int((~side).sum())
    value = {term: (here[term] / size - there[term] / other) * idf[term] for term in idf}
    telling = [term for term in value if value[term] > 0 and is_word(term)]
    return tuple(sorted(telling, key=lambda term: (-value[term], term))[:_TERMS_TOLD])


def select_comparable(
    documents: Sequence[Document], *, analyze_all: AnalyzeAll
) -> list[tuple[Document, Counter[str]]]:
    """Return the documents with enough text to be compared, and how often each term occurs in them.

    A title leaves out most of a paper's words, so two titles on one topic seldom share any.
    """
    analyzed = analyze_all("abstract", [document.text for document in documents])
    counted = zip(documents, map(Counter, analyzed), strict=True)
    return [(document, terms) for document, terms in counted if terms.total() >= MIN_TERMS]


def spell_terms(
    terms: Sequence[str], documents: Iterable[Document], *, analyze_all: AnalyzeAll
) -> list[str]:
    """Return the word that documents most often write for each term, or else the term itself.

    A word loses its capital ("Glucose" may open a sentence), an abbreviation keeps its capitals.
    """
    if not terms:
        return []
    words = Counter(word for document in documents for word in _WORD.findall(document.text))
    written: dict[str, Counter[str]] = {term: Counter() for term in terms}
    for word, given in zip(words, analyze_all("abstract", list(words)), strict=True):
        for term in written.keys() & set(given):
            written[term][word.lower() if word.istitle() else word] += words[word]
    return [
        max(counts, key=lambda word: (counts[word], word)) if counts else term
        for term, counts in written.items()
    ]


def is_word(term: str) -> bool:
    """Return whether a term means something to a reader: numbers and single letters do not."""
    return len(term) > 1 and not term.isdigit()
