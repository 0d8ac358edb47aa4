"""Suggestions: conjunctions of headings that make good tasks.

A topic is better the fewer of its terms are check tags, which say little about what a document is
about, and the more its documents are spread over sources and years as the library's are; otherwise
the period alone would tell what is on topic. Its rarest term should have about twice as many
documents as the topic. With hardly more, that term alone would do as the topic; with many more, the
terms occur together by chance.

    worth = (1 - check tags / terms) * 4 * part * (1 - part) * spread

where `part` is the share of the rarest term's documents that is on topic. Terms that occur together
no more often than by chance make no topic.

Conjunctions are found in a sample of the library, as a matrix of documents by headings. The product
of its transpose with itself counts pairs of headings. Triples are pairs among the rows of a first
heading, and so on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from likewise.bench.topics import Topic, Vocabulary, parse_topic
from likewise.bench.topics.mesh import CHECK_TAGS, fold_name
from likewise.errors import SettingsError, TopicError
from likewise.library import Library
from likewise.library.protocol import require_headings

Report = Callable[[float], None]

BATCH = 5_000
# There are so many single years that few documents of a topic would fall into each.
PERIOD = 5
# With fewer, chance decides which conjunctions of a sample seem frequent enough.
FEWEST_OF_SAMPLE = 5
# How far the count of a sample may be off, both ways.
MARGIN = 1.5
KEPT_OF_HEADING = 3
CANDIDATES = 10


@dataclass(frozen=True, kw_only=True)
class SuggestSettings:
    """Which topics to suggest."""

    terms: int = 3
    minimum: int = 200
    maximum: int = 5_000
    limit: int = 50
    sample: int = 50_000
    """How many documents of a larger library are searched for conjunctions."""

    def __post_init__(self) -> None:
        if not 1 <= self.minimum <= self.maximum:
            raise SettingsError(
                f"from {self.minimum:,} to {self.maximum:,} documents: no such number; swap them"
            )


@dataclass(frozen=True)
class Suggestion:
    """A topic, and what makes it a good one or not."""

    topic: Topic
    documents: int
    spread: float
    """How evenly it is spread over sources and years: 1 as if drawn at random, 0 not at all."""
    check_tags: int
    """How many of its terms are check tags."""
    rarest: str
    """The rarest of its terms."""
    times: float
    """How many documents the rarest term has for each document on topic."""

    @property
    def worth(self) -> float:
        """How good a topic it is, by the formula above."""
        part = 1 / self.times
        return (1 - self.check_tags / len(self.topic.terms)) * 4 * part * (1 - part) * self.spread


class Suggestions(NamedTuple):
    """Topics, the best first."""

    topics: list[Suggestion]
    documents: int
    """How many documents the library has."""
    sampled: int
    """How many of them were searched."""


def suggest_topics(
    library: Library,
    settings: SuggestSettings,
    *,
    rng: np.random.Generator,
    on_progress: Report | None = None,
) -> Suggestions:
    """Return topics that make good tasks.

    Topics that were found in a sample are counted again in the whole library.

    Args:
        library: Where the documents are.
        settings: Which topics to look for.
        rng: Draws the sample.
        on_progress: Called with the share of the work that is done.
    """
    report = on_progress or (lambda _: None)
    ids = library.list_ids()
    if not require_headings(library).count_headings():
        raise TopicError("the library has no MeSH headings to make topics of")
    if len(ids) > settings.sample:
        drawn = rng.choice(len(ids), size=settings.sample, replace=False)
        asked = [ids[row] for row in np.sort(drawn)]
    else:
        asked = ids
    sample = read_sample(
        library,
        asked,
        minimum=settings.minimum,
        on_progress=lambda done: report(0.5 * done / len(asked)),
    )
    share = len(asked) / len(ids)
    found = _find_candidates(sample, settings, share=share, report=report)
    likely = [_estimate_suggestion(columns, sample, share=share, rng=rng) for columns in found]
    counted = _count_suggestions(library, _order_suggestions(likely), settings)
    return Suggestions(
        _order_suggestions(list(islice(counted, settings.limit))), len(ids), sample.has.shape[0]
    )


def _find_candidates(
    sample: LabelledSample, settings: SuggestSettings, *, share: float, report: Report
) -> list[tuple[int, ...]]:
    """Return the columns of the most promising conjunctions, a few for each rarest term."""
    least, most = settings.minimum, settings.maximum
    if share < 1:
        least = max(FEWEST_OF_SAMPLE, int(least * share / MARGIN))
        most = int(np.ceil(most * share * MARGIN))
    promising: list[tuple[int, float, tuple[int, ...]]] = []
    every = find_conjunctions(sample.has, size=settings.terms, minimum=least)
    for number, found in enumerate(every, 1):
        worth = _rate_conjunctions(found, sample)
        worth[found.counts > most] = 0
        best = np.argsort(-worth, kind="stable")[:KEPT_OF_HEADING]
        promising += [
            (place, -float(worth[row]), tuple(found.columns[row].tolist()))
            for place, row in enumerate(best)
            if worth[row] > 0
        ]
        report(0.5 + 0.5 * number / len(sample.names))
    return [columns for *_, columns in sorted(promising)[: CANDIDATES * settings.limit]]


def _rate_conjunctions(found: Conjunctions, sample: LabelledSample) -> np.ndarray:
    """Return the worth of conjunctions before their spread; 0 if chance alone makes as many."""
    documents = sample.has.shape[0]
    of_terms = sample.counts[found.columns]
    by_chance = documents * np.prod(of_terms / documents, axis=1)
    telling = 1 - sample.check_tags[found.columns].mean(axis=1)
    part = found.counts / of_terms.min(axis=1)
    worth = telling * 4 * part * (1 - part)
    return np.asarray(np.where(found.counts > by_chance, worth, 0.0))


def _estimate_suggestion(
    columns: tuple[int, ...], sample: LabelledSample, *, share: float, rng: np.random.Generator
) -> Suggestion:
    rows = sample.find_rows(columns)
    rarest = min(columns, key=sample.counts.__getitem__)
    return Suggestion(
        topic=Topic(tuple(sorted(sample.names[column] for column in columns))),
        documents=round(len(rows) / share),
        spread=min(
            measure_spread(rows, groups, rng=rng) for groups in (sample.sources, sample.periods)
        ),
        check_tags=int(sample.check_tags[list(columns)].sum()),
        rarest=sample.names[rarest],
        times=float(sample.counts[rarest] / len(rows)),
    )


def measure_spread(rows: np.ndarray, groups: np.ndarray, *, rng: np.random.Generator) -> float:
    """Return how evenly documents are spread over groups, such as sources: from 0 to 1.

    It is how much their distribution over groups overlaps with that of all documents, as a share
    of the same for as many documents drawn at random, since few can't be in every group.

    Args:
        rows: The documents.
        groups: The group of every document, as a number.
        rng: Draws documents at random.
    """
    overall = np.bincount(groups) / len(groups)
    here = np.bincount(groups[rows], minlength=len(overall)) / len(rows)
    drawn = rng.multinomial(len(rows), overall) / len(rows)
    overlap, expected = (np.minimum(part, overall).sum() for part in (here, drawn))
    return float(min(1.0, overlap / expected))


def _order_suggestions(suggestions: list[Suggestion]) -> list[Suggestion]:
    """Return suggestions, the best first, but with each rarest term once before any comes twice."""
    seen: Counter[str] = Counter()
    turns = []
    for suggestion in sorted(suggestions, key=lambda suggestion: -suggestion.worth):
        turns.append((seen[suggestion.rarest], suggestion))
        seen[suggestion.rarest] += 1
    return [suggestion for _, suggestion in sorted(turns, key=lambda turn: turn[0])]


def _count_suggestions(
    library: Library, suggestions: list[Suggestion], settings: SuggestSettings
) -> Iterator[Suggestion]:
    """Yield the suggestions that have the right size in the whole library, with their counts."""
    vocabulary = Vocabulary(library)
    for suggestion in suggestions:
        found = vocabulary.find_members(suggestion.topic)
        documents = len(found.relevant)
        if settings.minimum <= documents <= settings.maximum:
            rarest = min(range(len(found.names)), key=found.counts.__getitem__)
            yield replace(
                suggestion,
                documents=documents,
                rarest=found.names[rarest],
                times=found.counts[rarest] / documents,
            )


@dataclass(frozen=True, kw_only=True)
class LabelledSample:
    """Some documents and their headings, the rarest heading first."""

    names: tuple[str, ...]
    """The headings, one per column."""
    has: Any
    """A sparse matrix of ones, documents by headings."""
    sources: np.ndarray
    """A number for each document's source, such as its journal."""
    periods: np.ndarray
    """A number for the five years that each document is from; 0 if its year is unknown."""

    @cached_property
    def counts(self) -> np.ndarray:
        """How many of the documents have each heading."""
        return np.asarray(self.has.sum(axis=0))

    @cached_property
    def check_tags(self) -> np.ndarray:
        """Whether each heading is a check tag."""
        return np.array([name in CHECK_TAGS for name in self.names], dtype=bool)

    @cached_property
    def _by_heading(self) -> Any:
        return self.has.tocsc()

    def find_rows(self, columns: Sequence[int]) -> np.ndarray:
        """Return the rows of the documents that have all of these headings."""
        start, indices = self._by_heading.indptr, self._by_heading.indices
        parts = (indices[start[column] : start[column + 1]] for column in columns)
        return reduce(lambda these, those: np.intersect1d(these, those, assume_unique=True), parts)


def read_sample(
    library: Library,
    ids: Sequence[str],
    *,
    minimum: int,
    on_progress: Callable[[int], None] | None = None,
) -> LabelledSample:
    """Return documents with their headings, without those that are rare in the whole library.

    Args:
        library: Where the documents are.
        ids: The documents.
        minimum: How many documents of the library must have a heading.
        on_progress: Called with how many documents were read, from time to time.
    """
    spellings = _list_common(library, minimum=minimum)
    column = {name: number for number, names in enumerate(spellings) for name in names}
    sources: defaultdict[str, int] = defaultdict(lambda: len(sources))
    pairs: list[tuple[int, int]] = []
    placed: list[tuple[int, int]] = []
    for start in range(0, len(ids), BATCH):
        for document in library.get(ids[start : start + BATCH]):
            columns = {column.get(heading.name, -1) for heading in document.mesh} - {-1}
            pairs += [(len(placed), number) for number in columns]
            placed.append((sources[document.source], (document.year or 0) // PERIOD))
        if on_progress:
            on_progress(len(placed))
    places = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    ones = np.ones(len(pairs), dtype=np.int32)
    has = sparse.csr_array((ones, tuple(places)), shape=(len(placed), len(spellings)))
    where, when = np.array(placed, dtype=np.int64).reshape(-1, 2).T
    return LabelledSample(
        names=tuple(names[0] for names in spellings), has=has, sources=where, periods=when
    )


def _list_common(library: Library, *, minimum: int) -> list[list[str]]:
    """Return the headings that are not rare, the rarest first, each with all its spellings."""
    counts: defaultdict[str, int] = defaultdict(int)
    spellings: defaultdict[str, list[str]] = defaultdict(list)
    for heading, count in sorted(require_headings(library).count_headings().items()):
        key = fold_name(heading.name)
        counts[key] += count
        if heading.name not in spellings[key]:
            spellings[key].append(heading.name)
    often = sorted((count, spellings[key]) for key, count in counts.items() if count >= minimum)
    return [names for _, names in often if _is_spellable(names[0])]


def _is_spellable(name: str) -> bool:
    try:
        return parse_topic(name).terms == (name,)
    except TopicError:
        return False


class Conjunctions(NamedTuple):
    """Headings that occur together."""

    columns: np.ndarray
    """A row for each conjunction, with the columns of its headings."""
    counts: np.ndarray
    """How many documents have all of them."""


def find_conjunctions(has: Any, *, size: int, minimum: int) -> Iterator[Conjunctions]:
    """Yield the conjunctions that enough documents have, those of each first column together.

    Args:
        has: A sparse matrix of ones, documents by headings; this is quickest with the rarest first.
        size: How many headings a conjunction has; at least 2.
        minimum: How many documents must have all of them; at least 1.
    """
    has = sparse.csr_array(has, dtype=np.int32)
    by_column = has.tocsc()
    for first in range(has.shape[1]):
        rows = by_column.indices[by_column.indptr[first] : by_column.indptr[first + 1]]
        if len(rows) < minimum:
            yield _make_empty(size)
        else:
            rest = _find_among(has[rows][:, first + 1 :], size=size - 1, minimum=minimum)
            yield _put_first(first, rest)


def _find_among(has: Any, *, size: int, minimum: int) -> Conjunctions:
    often = np.flatnonzero(has.sum(axis=0) >= minimum)
    has = has[:, often]
    if size == 1:
        return Conjunctions(often[:, None], has.sum(axis=0))
    if size == 2:
        pairs = sparse.triu(has.T @ has, k=1).tocoo()
        kept = pairs.data >= minimum
        columns = np.column_stack([pairs.row[kept], pairs.col[kept]])
        return Conjunctions(often[columns], pairs.data[kept])
    parts = list(find_conjunctions(has, size=size, minimum=minimum)) or [_make_empty(size)]
    columns = np.concatenate([part.columns for part in parts])
    return Conjunctions(often[columns], np.concatenate([part.counts for part in parts]))


def _put_first(first: int, rest: Conjunctions) -> Conjunctions:
    """Add a first column to conjunctions of the columns after it."""
    column = np.full((len(rest.counts), 1), first)
    return Conjunctions(np.hstack([column, rest.columns + first + 1]), rest.counts)


def _make_empty(size: int) -> Conjunctions:
    return Conjunctions(np.empty((0, size), dtype=np.int64), np.empty(0, dtype=np.int64))
