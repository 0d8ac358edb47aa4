"""Searching a million documents: our `search` beside a bare tantivy query, `get`, and memory."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import psutil
import tantivy
from benchmarks.kept import keep_library
from benchmarks.speed.synthetic import make_documents

from likewise.library.embedded import EmbeddedLibrary
from likewise.library.folder import INDEX
from likewise.library.more_like import MoreLike, select_terms
from likewise.library.protocol import Query
from likewise.library.tantivy_index import make_query, open_index

LIMIT = 20_000


class Searching(NamedTuple):
    """Seconds, medians of the repetitions."""

    terms: int
    hits: int
    ours: float
    bare: float
    get: float
    command_bytes: int
    """Peak memory of `likewise search`."""


def compare_searching(folder: Path, *, documents: int, repetitions: int = 15) -> Searching:
    """Time both, alternating, on a library that is made if it is not there yet."""
    keep_library(folder, lambda: make_documents(documents))
    index = open_index(folder / INDEX)
    with EmbeddedLibrary(folder) as library:
        query = _make_query(library)
        ours, bare = [], []
        for _ in range(repetitions):
            bare.append(_time_action(lambda: search_bare(index, query)))
            ours.append(_time_action(lambda: library.find_best(query, limit=LIMIT)))
        ids = library.find_best(query, limit=LIMIT).ids
        gets = []
        for seed in range(3):
            random.Random(seed).shuffle(ids)
            gets.append(_time_action(lambda: library.get(ids)))
        words = " ".join(term.text for term in query.terms[:3])
    return Searching(
        len(query.terms),
        len(ids),
        median(ours),
        median(bare),
        median(gets),
        _measure_memory(folder, words),
    )


def _make_query(library: EmbeddedLibrary) -> Query:
    seeds = list(itertools.islice(make_documents(3000), 0, 3000, 150))
    return Query(select_terms(library, seeds, settings=MoreLike(max_terms=140)))


def search_bare(index: tantivy.Index, query: Query) -> list[tuple[Any, float]]:
    """Do what anyone would: search, then take the ids out of their column."""
    searcher = index.searcher()
    hits = searcher.search(make_query(query, index.schema), limit=LIMIT, count=False).hits
    addresses: list[tantivy.DocAddress] = [address for _, address in hits]
    ids = searcher.fast_field_values("id_0", addresses)
    return [(identifier, score) for identifier, (score, _) in zip(ids, hits, strict=True)]


def _time_action(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def _measure_memory(folder: Path, words: str) -> int:
    command = [sys.executable, "-m", "likewise", "search", str(folder), words, "--json"]
    peak = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            try:
                peak = max(peak, watched.memory_info().rss)
            except psutil.Error:
                break
            time.sleep(0.002)
    return peak
