"""Searching at scale: what an expansion asks of an engine, on the same documents in both."""

from __future__ import annotations

import random
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple, TypeVar

from likewise.documents import Document
from likewise.library import Library
from likewise.library.more_like import MoreLike, select_terms
from likewise.library.protocol import Query

Answer = TypeVar("Answer")

HITS = 20_000
SEEDS = 20


class Times(NamedTuple):
    """Seconds of the repetitions."""

    name: str
    seconds: list[float]

    def __str__(self) -> str:
        low, high = min(self.seconds) * 1e3, max(self.seconds) * 1e3
        return f"{median(self.seconds) * 1e3:,.0f} ms ({low:,.0f}-{high:,.0f})"


class SearchingFigures(NamedTuple):
    """What each engine took for each stage, by the engine's name, and how far they agree."""

    stages: list[dict[str, Times]]
    terms: int
    overlap: dict[int, float]
    """The mean share of the best documents that both have in common, by their number."""


def compare_searching(
    engines: dict[str, Library], *, documents: Sequence[Document], sets: int
) -> SearchingFigures:
    """Time the stages of retrieval, engine after engine, for several sets of seeds."""
    times: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    shared: defaultdict[int, list[float]] = defaultdict(list)
    terms = []
    for number in range(sets):
        seeds = random.Random(number).sample(list(documents), SEEDS)
        found = {}
        for name, library in engines.items():
            found[name], asked = _time_stages(library, seeds, times=times, engine=name)
            terms.append(asked)
        here, there = found.values()
        for depth in (1_000, HITS):
            common = set(here[:depth]) & set(there[:depth])
            shared[depth].append(len(common) / min(depth, max(len(here), 1)))
    stages = [
        {name: Times(stage, spent) for name, spent in of.items()} for stage, of in times.items()
    ]
    agreed = {depth: sum(shares) / len(shares) for depth, shares in shared.items()}
    return SearchingFigures(stages, round(sum(terms) / len(terms)), agreed)


def time_searching(
    library: Library, *, documents: Sequence[Document], sets: int
) -> dict[str, list[float]]:
    """Return the seconds of the stages of retrieval, for several sets of seeds."""
    times: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for number in range(sets):
        seeds = random.Random(number).sample(list(documents), SEEDS)
        _time_stages(library, seeds, times=times, engine="")
    return {stage: of[""] for stage, of in times.items()}


def _time_stages(
    library: Library,
    seeds: Sequence[Document],
    *,
    times: defaultdict[str, defaultdict[str, list[float]]],
    engine: str,
) -> tuple[list[str], int]:
    def timed(stage: str, action: Callable[[], Answer]) -> Answer:
        started = time.perf_counter()
        answer = action()
        times[stage][engine].append(time.perf_counter() - started)
        return answer

    terms = timed(
        f"terms of {SEEDS} seeds", lambda: select_terms(library, seeds, settings=MoreLike())
    )
    query = Query(terms)
    hits = timed(f"top {HITS:,}, first time", lambda: library.find_best(query, limit=HITS))
    timed(f"top {HITS:,}, again", lambda: library.find_best(query, limit=HITS))
    timed(f"get {HITS:,} documents", lambda: library.get(hits.ids))
    return hits.ids, len(terms)
