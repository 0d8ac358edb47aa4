"""Suggestions: conjunctions of headings that tasks are worth making of.

A topic is worth more the fewer of its terms are check tags, which say little of what a document is
about, and the more its documents spread over sources and years as the library's do: where they
don't, the era tells what is on topic. Its rarest term alone should have about twice as many
documents. With no more it would do in the topic's place, and with many more the others meet it by
coincidence.

    worth = (1 - check tags / terms) * 4 * part * (1 - part) * spread

where `part` is the part of the rarest term's documents that is on topic. Terms that occur together
no more often than by chance make no topic.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from likewise.bench.topics.samples import (
    Conjunctions,
    LabelledSample,
    find_conjunctions,
    read_sample,
)
from likewise.bench.topics.topics import Topic, Vocabulary
from likewise.errors import SettingsError, TopicError
from likewise.library import Library
from likewise.library.protocol import require_headings

Report = Callable[[float], None]

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
                f"from {self.minimum:,} to {self.maximum:,} documents: there is no such number"
            )


class Suggestion(NamedTuple):
    """A topic, and what makes it a good one or not."""

    topic: Topic
    documents: int
    spread: float
    """How evenly it lies over sources and years: 1 as documents drawn at random, 0 all apart."""
    check_tags: int
    """How many of its terms are check tags."""
    rarest: str
    """The rarest of its terms."""
    times: float
    """How many documents the rarest term has for each on topic."""

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
    """Suggest topics that tasks are worth making of.

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
    """Return how evenly documents lie over groups, such as sources: 1 as at random, 0 all apart.

    It is how much their distribution over groups overlaps with that of all documents, as a share
    of the same for as many documents drawn at random: few documents can't be in every group.

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
    """Return the best first, but each rarest term once before any comes a second time."""
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
            yield suggestion._replace(
                documents=documents,
                rarest=found.names[rarest],
                times=found.counts[rarest] / documents,
            )
