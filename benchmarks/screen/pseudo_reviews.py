"""Pseudo-reviews: MeSH topics in lists like those that people screen, to calibrate advice on.

There are too few real reviews to learn from and to be judged by. A pseudo-review takes a topic, a
conjunction of two or three descriptors, for what is on topic. Its list is what a person who
searches for it would get: the best matches of its descriptors' names, or everything that has one of
its main descriptors, filled up with the best matches. Between 2 and 30 % of the list is on topic.

No main descriptor of `benchmarks/topics.txt` is used, and none twice among lists of the same sort.
"""

from __future__ import annotations

import gzip
import itertools
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.labelled import (
    CHECK_TAGS,
    HELD_BACK,
    find_holders,
    index_documents,
    make_document,
    read_rows,
)

from likewise.library.embedded import EmbeddedLibrary
from likewise.library.protocol import make_words_query

COUNT = 240
"""How many are made."""
LEAST, MOST = 40, 400
"""The fewest and the most documents of the collection that are on a topic."""
SHARES = 0.02, 0.3
"""The lowest and the highest share of a list that is meant to be on topic."""
SIZES = 250, 2_000
"""The shortest and the longest list."""
NEEDED = 30
"""A list with fewer on topic is not used."""


class PseudoReview(NamedTuple):
    """A topic, the ids of a list, and which of them are on topic."""

    topic: str
    listed: list[str]
    on_topic: set[str]


def write_pseudo_reviews(path: Path) -> None:
    """Write pseudo-reviews to a file, in the format for several reviews."""
    rows = read_rows("mesh.jsonl.gz")
    named: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for review in make_pseudo_reviews(rows):
        for identifier in review.listed:
            named[identifier][review.topic] = {"abstract": int(identifier in review.on_topic)}
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        for row in rows:
            if row["id"] in named:
                kept = {name: row[name] for name in ("id", "title", "abstract")}
                lines.write(json.dumps(kept | {"reviews": named[row["id"]]}) + "\n")


def make_pseudo_reviews(rows: list[dict[str, Any]]) -> Iterator[PseudoReview]:
    """Yield pseudo-reviews, always the same for the same rows."""
    holders = find_holders(rows)
    with index_documents([make_document(row) for row in rows]) as library:
        made = 0
        for number, topic in enumerate(_choose_topics(rows)):
            review = _make_list(topic, holders, library, is_broad=bool(number % 2))
            if len(review.on_topic) >= NEEDED:
                yield review
                made += 1
            if made == COUNT:
                return


def _choose_topics(rows: list[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Yield conjunctions for the two sorts of lists in turn, no main descriptor twice in one."""
    counts = Counter(name for row in rows for name in row["mesh"])
    frequent = {name for name, count in counts.items() if count >= LEAST} - HELD_BACK
    sizes: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        names = sorted(frequent.intersection(row["mesh"]))
        for length in (2, 3):
            sizes.update(itertools.combinations(names, length))
    fit = [names for names in sorted(sizes) if LEAST <= sizes[names] <= MOST]
    random.Random(18).shuffle(fit)
    used: tuple[set[str], set[str]] = set(), set()
    turn = 0
    for topic in fit:
        main_names = set(topic) - CHECK_TAGS
        if main_names and not main_names & used[turn]:
            used[turn].update(main_names)
            turn = 1 - turn
            yield topic


def _make_list(
    names: tuple[str, ...],
    holders: dict[str, set[str]],
    library: EmbeddedLibrary,
    *,
    is_broad: bool,
) -> PseudoReview:
    """Return a topic with a list that a person might have got by searching for it."""
    topic, rng = " + ".join(names), random.Random(" + ".join(names))
    members = set.intersection(*(holders[name] for name in names))
    low, high = SHARES
    share = low * (high / low) ** rng.random()
    size = round(min(max(len(members) / share, SIZES[0]), SIZES[1]))
    matches = library.find_best(make_words_query(" ".join(names), library=library), limit=size).ids
    main_names = set(names) - CHECK_TAGS
    broad = sorted(set().union(*(holders[name] for name in main_names))) if is_broad else []
    rng.shuffle(broad)
    listed = list(dict.fromkeys([*broad, *matches]))[:size]
    return PseudoReview(topic, sorted(listed), members.intersection(listed))
