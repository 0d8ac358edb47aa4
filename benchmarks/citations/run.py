"""What citations add: links planted with known strength on real topics, and files of made links.

Nobody may pass on who cites whom for the labelled collections, so links are planted. Every document
cites about 25 papers. A share of these, the strength, is of its own field; the rest is drawn from
what everybody cites, a few very often (heavy tails). Documents on topic make one field, all others
are dealt to 200 fields of the same kind. A strength of 0 is noise. "Elsewhere" plants fields that
have nothing to do with the topic. Topics are MeSH triples other than those of topics.txt; the
weights in `learn/citations.py` were chosen on the first six of them, which are not reported.

    python -m benchmarks.citations.run planted
    python -m benchmarks.citations.run pools
    python -m benchmarks.citations.run time
    python -m benchmarks.citations.run rows 50000000
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any, NamedTuple

import msgspec
import numpy as np
from benchmarks.labelled import (
    HELD_BACK,
    index_documents,
    list_mesh_triples,
    make_document,
    need_data,
    read_rows,
)
from numpy.typing import NDArray

from likewise.expansion.candidates import combine_marks
from likewise.expansion.flow import Flow, expand
from likewise.expansion.marks import Marks
from likewise.expansion.seeds import resolve_seeds
from likewise.expansion.settings import ExpandSettings
from likewise.learn.citations import make_citation_view
from likewise.learn.material import Material
from likewise.learn.spelling import parse_method
from likewise.library.embedded import EmbeddedLibrary
from likewise.library.link_files import FolderLinks
from likewise.library.link_imports import import_links
from likewise.library.links import Graphs, LinkGraph, number_paper
from likewise.library.more_like import more_like_these

CHOSEN, REPORTED = 6, 12
SEEDS = 20
POOL, POOL_TOPICS = 1000, 8
TIMED_POOL, TIMED = 20_000, 5
FIELDS, FIELD_PAPERS, COMMON = 200, 300, 300_000
CASES = {
    "noise": (0.0, 1.0, True), "0.05": (0.05, 1.0, True), "0.1": (0.1, 1.0, True),
    "0.2": (0.2, 1.0, True), "0.4": (0.4, 1.0, True), "0.2, of 30 %": (0.2, 0.3, True),
    "0.2 elsewhere": (0.2, 1.0, False), "absent": (0.0, 0.0, True),
}  # fmt: skip
"""Strength, the share of documents whose links are known, and whether the topic is a field."""


class PlantedLinks(Graphs):
    """Links of papers that are called by their PMIDs."""

    def name(self, papers: NDArray[np.uint64]) -> list[str]:
        """Return the PMID of each paper."""
        return [str(paper) for paper in papers.tolist()]


class PlantedLibrary:
    """A library with links that were planted."""

    def __init__(self, library: EmbeddedLibrary, links: PlantedLinks) -> None:
        self._library = library
        self._links = links

    def __getattr__(self, name: str) -> object:
        return getattr(self._library, name)

    def open_links(self) -> PlantedLinks:
        """Return the planted links."""
        return self._links


class PlantedTask(NamedTuple):
    """A topic with its pool; the truth is used for planting and measuring alone."""

    topic: str
    material: Material
    is_on: NDArray[np.bool_]
    """For each row: seeds, then the pool."""

    @property
    def numbers(self) -> NDArray[np.uint64]:
        """The number of each row's paper."""
        return np.array([number_paper(f"id:{one.id}") for one in self.material.documents], "u8")


def plant_links(
    numbers: NDArray[np.uint64],
    is_on: NDArray[np.bool_],
    strength: float,
    *,
    known: float = 1.0,
    on_topic: bool = True,
    rng: np.random.Generator,
) -> PlantedLinks:
    """Return links of papers, by their numbers."""
    size = len(is_on)
    fields = rng.integers(1, FIELDS + 1, size)
    if on_topic:
        fields[is_on] = 0
    counts = np.minimum(rng.lognormal(3.0, 0.6, size).astype(np.int64) + 1, 300)
    counts[rng.random(size) >= known] = 0
    rows = np.repeat(np.arange(size), counts)
    # Cited papers are drawn by a power of a uniform number: few very often, most hardly ever.
    own = (FIELD_PAPERS * rng.random(len(rows)) ** 2).astype(np.int64) + fields[rows] * FIELD_PAPERS
    common = 10**6 + (COMMON * rng.random(len(rows)) ** 3).astype(np.int64)
    cited = np.where(rng.random(len(rows)) < strength, own, common) + 10**8
    return PlantedLinks(
        [LinkGraph.of(np.stack([numbers[rows], cited.astype("u8")], 1))] if len(rows) else []
    )


def list_topics(rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Return the topics that may be planted on, in their order."""
    return {
        name: members
        for name, members in list_mesh_triples(rows).items()
        if HELD_BACK.isdisjoint(name.split(" + "))
    }


def make_tasks(count: int) -> list[PlantedTask]:
    """Return topics with their pools of 2,000, without links."""
    rows = read_rows("mesh.jsonl.gz")
    topics = list_topics(rows)
    documents = {row["id"]: make_document(row) for row in rows}
    tasks = []
    with index_documents(list(documents.values())) as library:
        for name, members in list(topics.items())[:count]:
            seeds = [documents[one] for one in random.Random(name).sample(members, SEEDS)]
            flow = Flow(library, settings=ExpandSettings(pool=2_000, rounds=1))
            known = combine_marks(library, resolve_seeds(library, seeds), Marks())
            material = (found := flow.retrieve_candidates(known))[0].material(found[1])
            is_on = np.isin([one.id for one in material.documents], members)
            tasks.append(PlantedTask(name, material, is_on))
            print(f"\r{len(tasks)} topics ", end="", file=sys.stderr, flush=True)
    return tasks


def measure(task: PlantedTask, method: str = "linear", links: Graphs | None = None) -> float:
    """Return the average precision of a method with these links."""
    view = make_citation_view(task.material.documents, links)  # type: ignore[arg-type]
    material = task.material.with_views(view) if view else task.material
    scores = parse_method(method).score(material, rng=np.random.default_rng(0), on_step=_ignore)
    order = np.argsort(-scores.scores.pool, kind="stable")
    is_on = task.is_on[task.material.known :][order]
    return float((is_on * np.cumsum(is_on) / np.arange(1, len(is_on) + 1)).sum() / is_on.sum())


def _ignore(*_: object) -> None:
    """Ignore the steps."""


def report_planted(tasks: list[PlantedTask]) -> None:
    """Print the gain over words alone, for each case."""
    base = [measure(task) for task in tasks]
    print(f"\n{len(tasks)} topics, {SEEDS} seeds, pool of 2,000; words alone: {fmean(base):.3f}")
    print("| strength | average precision | gain | ± |\n|---|---:|---:|---:|")
    for name, (strength, known, on_topic) in CASES.items():
        found = [
            measure(task, links=plant_links(task.numbers, task.is_on, strength, known=known,
                                            on_topic=on_topic, rng=np.random.default_rng(number)))
            for number, task in enumerate(tasks)
        ]  # fmt: skip
        gains = [here - there for here, there in zip(found, base, strict=True)]
        error = stdev(gains) / len(gains) ** 0.5
        print(f"| {name} | {fmean(found):.3f} | {fmean(gains):+.4f} | {error:.4f} |", flush=True)


def report_pools() -> None:
    """Print how much of a topic is in the pool with links and without, and what both arms missed.

    The pool of words alone has as many documents as the other, whatever links have brought in.
    """
    rows = read_rows("mesh.jsonl.gz")
    papers = [msgspec.structs.replace(make_document(row), pmid=row["id"]) for row in rows]
    numbers = np.array([int(paper.pmid) for paper in papers], "u8")
    topics = list(list_topics(rows).items())[CHOSEN : CHOSEN + POOL_TOPICS]
    print(f"\n{len(topics)} topics, {SEEDS} seeds, pool of {POOL:,}")
    print("| strength | words | with links | gain | ± | brought in | missed, estimated | truly |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    with index_documents(papers) as library:
        for strength in (0.0, 0.1, 0.2, 0.4):
            found = [
                measure_pool(library, numbers, (name, members), strength=strength)
                for name, members in topics
            ]
            gains = [one.linked - one.words for one in found]
            told = [one for one in found if one.missed is not None]
            missed = fmean(one.missed or 0.0 for one in told) if told else 0.0
            truly = fmean(one.truly for one in told) if told else 0.0
            print(
                f"| {strength:g} | {fmean(one.words for one in found):.3f} "
                f"| {fmean(one.linked for one in found):.3f} | {fmean(gains):+.3f} "
                f"| {stdev(gains) / len(gains) ** 0.5:.3f} "
                f"| {fmean(one.brought for one in found):.0f} "
                f"| {missed:.0f} (within: {sum(one.is_within for one in told)} of {len(told)}) "
                f"| {truly:.0f} |",
                flush=True,
            )


class PlantedPool(NamedTuple):
    """The outcome of one topic."""

    words: float
    """The share of the topic in a pool of words alone."""
    linked: float
    brought: int
    missed: float | None
    """How many are estimated to be found by neither arm."""
    truly: int
    is_within: bool


def measure_pool(
    library: EmbeddedLibrary,
    numbers: NDArray[np.uint64],
    topic: tuple[str, list[str]],
    *,
    strength: float,
) -> PlantedPool:
    """Return the shares of a topic in pools of one size, with links planted and without."""
    name, members = topic
    is_on = np.isin(numbers, [int(member) for member in members])
    links = plant_links(numbers, is_on, strength, rng=np.random.default_rng(len(name)))
    seeds = random.Random(name).sample(members, SEEDS)
    truth = set(members) - set(seeds)
    settings = ExpandSettings(pool=POOL, rounds=1)
    expansion = expand(PlantedLibrary(library, links), library.get(seeds), settings=settings)  # type: ignore[arg-type]
    pool = {place.id for place in expansion.ranking if not place.seed}
    plain = more_like_these(library, library.get(seeds), limit=len(pool), exclude=seeds).hits.ids
    recapture, truly = expansion.estimates.recapture, len(truth - pool)
    return PlantedPool(
        len(truth.intersection(plain)) / len(truth),
        len(truth & pool) / len(truth),
        len(pool - set(plain)),
        recapture.missed.value if recapture else None,
        truly,
        recapture is not None and recapture.missed.low <= truly <= recapture.missed.high,
    )


def report_time() -> None:
    """Print how long an expansion of 20,000 candidates takes with links and without, in turns."""
    rows = read_rows("mesh.jsonl.gz")
    papers = [msgspec.structs.replace(make_document(row), pmid=row["id"]) for row in rows]
    numbers = np.array([int(paper.pmid) for paper in papers], "u8")
    name, members = list(list_topics(rows).items())[CHOSEN]
    is_on = np.isin(numbers, [int(member) for member in members])
    links = plant_links(numbers, is_on, 0.2, rng=np.random.default_rng(0))
    seconds: dict[str, list[float]] = {"linear": [], "linear(citations=0)": []}
    with index_documents(papers) as library:
        seeds = library.get(random.Random(name).sample(members, SEEDS))
        # The first run of each fills caches that the later ones use, so it does not count.
        for turn in range(TIMED + 1):
            for method, taken in seconds.items():
                settings = ExpandSettings(pool=TIMED_POOL, rounds=1, method=method)
                begun = time.perf_counter()
                found = expand(PlantedLibrary(library, links), seeds, settings=settings)  # type: ignore[arg-type]
                if turn:
                    taken.append(time.perf_counter() - begun)
    with_links, without = (median(taken) for taken in seconds.values())
    ratios = [a / b for a, b in zip(*seconds.values(), strict=True)]
    print(
        f"{len(found.ranking):,} documents, {links.count_all().links:,} links, {TIMED} turns: "
        f"{with_links:.1f} s with links, {without:.1f} s without; "
        f"{median(ratios):.2f} times ({min(ratios):.2f} to {max(ratios):.2f})"
    )


def make_rows(path: Path, count: int) -> None:
    """Write `count` rows of an invented citation graph: newer papers cite older ones, few often."""
    rng, papers = np.random.default_rng(1), count // 25 + 2
    numbers = np.sort(rng.choice(38_000_000, papers, replace=False)) + 1
    with path.open("wb") as stream:
        stream.write(b"citing,referenced\n")
        for start in range(0, count, 1_000_000):
            size = min(1_000_000, count - start)
            citing = 1 + ((papers - 1) * rng.random(size) ** 0.5).astype(np.int64)
            cited = (citing * rng.random(size) ** 0.4).astype(np.int64)
            # A fifth of all links go to one paper in a thousand.
            cited = np.where(rng.random(size) < 0.2, cited // 1000, cited)
            pairs = np.stack([numbers[citing], numbers[cited]], 1)
            stream.write("".join(f"{a},{b}\n" for a, b in pairs.tolist()).encode())


def report_rows(count: int) -> None:
    """Print how fast `count` rows are read, their size, and how fast neighbours are found."""
    with tempfile.TemporaryDirectory(dir=Path(tempfile.gettempdir())) as folder:
        path, library = Path(folder) / "links.csv", Path(folder) / "lib"
        make_rows(path, count)
        EmbeddedLibrary(library, write=True).close()
        begun = time.perf_counter()
        report = import_links(library, path)
        seconds = time.perf_counter() - begun
        size = sum(one.stat().st_size for one in (library / "links").rglob("*") if one.is_file())
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        links = FolderLinks(library)
        asked = np.random.default_rng(2).choice(links.graphs[0].cites.papers, 20_000).astype("u8")
        for name in ("cold", "warm"):
            begun = time.perf_counter()
            found = sum(len(links.follow(asked, way).papers) for way in ("cites", "cited_by"))
            took = time.perf_counter() - begun
            print(f"{name}: {found:,} neighbours of 20,000 papers in {took:.2f} s")
        print(
            f"{report.rows:,} rows in {seconds:.0f} s, {report.rows / seconds:,.0f} a second; "
            f"{report.links:,} links, {size / report.links:.1f} bytes each; peak {peak:.0f} MB"
        )


def main() -> None:
    """Run the part that is named; by default, the one with planted links."""
    part = sys.argv[1] if sys.argv[1:] else "planted"
    if part == "rows":
        report_rows(int(sys.argv[2]) if sys.argv[2:] else 50_000_000)
        return
    need_data()
    if part in ("pools", "time"):
        report_pools() if part == "pools" else report_time()
        return
    report_planted(make_tasks(CHOSEN + REPORTED)[CHOSEN:])


if __name__ == "__main__":
    main()
