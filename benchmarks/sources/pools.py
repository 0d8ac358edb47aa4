"""How much of a topic is in a gathered pool, compared with the embedded engine's pool.

Both pools are of the same size. The lists made from both are judged too. What was measured is kept
line by line, so that an interrupted run continues from there.
"""

from __future__ import annotations

import itertools
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from benchmarks.labelled import Collection
from benchmarks.seed_kinds import SeedSource
from benchmarks.sources.ncbi import Ncbi

from likewise.documents import Document
from likewise.expansion.expansion import Expansion
from likewise.expansion.flow import expand
from likewise.expansion.gathering import gather
from likewise.expansion.seed_sources import GivenPapers
from likewise.expansion.settings import ExpandSettings
from likewise.library import open_library
from likewise.library.embedded import EmbeddedLibrary
from likewise.library.more_like import more_like_these
from likewise.library.sources.kept import Budget
from likewise.library.sources.pubmed import PubmedSource

RESULTS = Path(__file__).parents[1] / "results"
KEPT = Path(__file__).with_name("work") / "pools.jsonl"
SEEDS, DRAWS = 20, 2
SIZES = (1000, 3000)
KINDS = ("random", "corner")
LIST_SIZE = 3000
"""The size of the pools that lists are made from."""


class MeasuredPools(NamedTuple):
    """The outcome of seeds of one topic."""

    topic: str
    kind: str
    draw: int
    gathered: list[float]
    """The share of the topic in the pool, for each size."""
    embedded: list[float]
    gathered_list: list[float]
    """F1, R-precision, whether the estimate holds, and the share outside: estimated and true."""
    embedded_list: list[float]


def measure_pools(
    service: Ncbi, collection: Collection, library: EmbeddedLibrary, *, draws: int
) -> None:
    """Measure each topic with seeds of each kind, except what is kept already."""
    done = {each[:3] for each in read_kept()}
    KEPT.parent.mkdir(exist_ok=True)
    for draw, topic, kind in itertools.product(range(draws), collection.topics, KINDS):
        if (topic, kind, draw) in done:
            continue
        seeds = draw_seeds(collection, topic, kind=kind, draw=draw, library=library)
        truth = set(collection.topics[topic]) - set(seeds)
        gathered, gathered_list = measure_gathered(service, seeds, truth)
        found = more_like_these(library, library.get(seeds), limit=max(SIZES), exclude=seeds)
        theirs = expand(library, give(seeds), settings=ExpandSettings(pool=LIST_SIZE, rounds=1))
        measured = MeasuredPools(
            topic,
            kind,
            draw,
            gathered,
            [find_share(found.hits.ids[:size], truth) for size in SIZES],
            gathered_list,
            judge(theirs, truth),
        )
        with KEPT.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(measured._asdict()) + "\n")
        print(f"{topic} {kind} {draw}: {gathered} {measured.embedded}", file=sys.stderr, flush=True)


def read_kept() -> list[MeasuredPools]:
    """Return what was measured so far."""
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    return [MeasuredPools(**json.loads(line)) for line in lines]


def measure_gathered(
    service: Ncbi, seeds: Sequence[str], truth: set[str]
) -> tuple[list[float], list[float]]:
    """Return the share of a topic in gathered pools of each size, and how good the list is."""
    shares, judged = [], []
    for size in SIZES:
        # The engine may still merge what was written when the folder is deleted.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            # The seeds themselves count as records of the budget.
            own = gather_ids(service, seeds, folder, records=size + len(seeds))
            if size == LIST_SIZE:
                judged = judge(expand(Path(folder, "lib"), give(seeds)), truth)
        shares.append(find_share(own, truth))
    return shares, judged


def find_share(ids: Iterable[str], truth: set[str]) -> float:
    """Return the share of the topic that is among some ids."""
    return round(len(truth.intersection(ids)) / len(truth), 4)


def write_tables() -> None:
    """Write what is kept into the results: means over all topics, of complete draws."""
    pools: dict[str, list[tuple[float, float]]] = defaultdict(list)
    lists: dict[str, list[list[float]]] = defaultdict(list)
    kept = read_kept()
    size = sum(each.draw == 0 for each in kept)
    whole = {draw for draw in range(DRAWS) if sum(each.draw == draw for each in kept) == size}
    for each in kept:
        if each.draw not in whole:
            continue
        for count, ours, theirs in zip(SIZES, each.gathered, each.embedded, strict=True):
            pools[f"{each.kind} seeds, {count:,} records"].append((ours, theirs))
        lists[f"{each.kind} seeds, gathered"].append(each.gathered_list)
        lists[f"{each.kind} seeds, embedded"].append(each.embedded_list)
    head = ["draws", "gathered", "embedded", "difference", "worst topic"]
    rows = {name: [str(len(pairs)), *summarise(pairs)] for name, pairs in pools.items()}
    write_table("pools", ["share of the topic in the pool", *head], rows)
    head = ["F1", "R-precision", "within", "outside", "truly"]
    means = {
        name: [f"{fmean(column):.3f}" for column in zip(*columns, strict=True)]
        for name, columns in lists.items()
    }
    write_table("lists", ["", *head], means)


def write_table(name: str, head: Sequence[str], rows: dict[str, list[str]]) -> None:
    """Write a table, and print it."""
    lines = [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1)]
    lines += [f"| {' | '.join([first, *rows[first]])} |" for first in rows]
    text = "\n".join(lines) + "\n"
    (RESULTS / f"sources-{name}.md").write_text(text, encoding="utf-8")
    print(text, flush=True)


def summarise(pairs: Sequence[tuple[float, float]]) -> list[str]:
    """Return the means of two columns, and the mean and the lowest of their differences."""
    ours, theirs = zip(*pairs, strict=True)
    gaps = [one - other for one, other in pairs]
    return [f"{value:.3f}" for value in (fmean(ours), fmean(theirs), fmean(gaps), min(gaps))]


def judge(expansion: Expansion, truth: set[str]) -> list[float]:
    """Return F1, R-precision, if the estimate holds, and the share outside: estimated and true."""
    places = [place for place in expansion.ranking if not place.seed]
    decided = {place.id for place in places if place.decision}
    inside = truth.intersection(place.id for place in places)
    first = truth.intersection(place.id for place in places[: len(truth)])
    estimate, outside = expansion.estimates.relevant, expansion.estimates.outside
    return [
        2 * len(decided & truth) / max(1, len(decided) + len(truth)),
        len(first) / len(truth),
        float(estimate.low <= len(inside) <= estimate.high),
        outside.value if outside else 0.0,
        1 - len(inside) / len(truth),
    ]


def draw_seeds(
    collection: Collection,
    topic: str,
    *,
    kind: str,
    draw: int,
    library: EmbeddedLibrary | None = None,
) -> list[str]:
    """Draw seeds of a topic."""
    wanted = set(collection.topics[topic])
    members = {paper.id: paper for paper in collection.documents if paper.id in wanted}
    # Only seeds of a corner need the library.
    return SeedSource(topic, members, library).draw(kind, SEEDS, draw=draw)  # type: ignore[arg-type]


def gather_ids(service: Ncbi, seeds: Iterable[str], folder: str, *, records: int) -> set[str]:
    """Gather into a folder, and return the ids of what is there then, without the seeds."""
    given, source = give(seeds), PubmedSource(service.eutils())
    gather(source, given, Path(folder, "lib"), budget=Budget(records=records))
    with open_library(Path(folder, "lib")) as gathered:
        return set(gathered.list_ids()) - {seed.id for seed in given.seeds}


def give(seeds: Iterable[str]) -> GivenPapers:
    """Return seeds of which nothing but their PMIDs is known."""
    return GivenPapers([Document(id=name) for name in seeds], [], [])
