"""What citations add: links planted with known strength on real topics, and made files of links.

Nobody may pass on who cites whom for the labelled collections, so links are planted. Every document
cites about 25 papers. A share of these, the strength, is of its own field; the rest is drawn from
what everybody cites, a few very often (heavy tails). Documents on topic make one field, all others
are dealt to 200 fields of the same kind. A strength of 0 is noise. "Elsewhere" plants fields that
have nothing to do with the topic. Topics are MeSH triples other than those of topics.txt; the
weights in `learn/citations.py` were chosen on the first six of them, which are not reported.

    python -m benchmarks.citations.run planted
    python -m benchmarks.citations.run rows 50000000
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

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
from likewise.expansion.flow import Flow
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

CHOSEN, REPORTED = 6, 12
SEEDS = 20
FIELDS, FIELD_PAPERS, COMMON = 200, 300, 300_000
CASES = {
    "noise": (0.0, 1.0, True), "0.05": (0.05, 1.0, True), "0.1": (0.1, 1.0, True),
    "0.2": (0.2, 1.0, True), "0.4": (0.4, 1.0, True), "0.2, of 30 %": (0.2, 0.3, True),
    "0.2 elsewhere": (0.2, 1.0, False), "absent": (0.0, 0.0, True),
}  # fmt: skip
"""Strength, the share of documents of which links are known, and whether the topic is a field."""


class PlantedTask(NamedTuple):
    """A topic with its pool; the truth is used for planting and measuring alone."""

    topic: str
    material: Material
    is_on: NDArray[np.bool_]
    """Of all rows: seeds, then the pool."""


def plant_links(
    task: PlantedTask, strength: float, *, known: float, on_topic: bool, rng: np.random.Generator
) -> Graphs:
    """Return links of all documents of a task."""
    size = len(task.is_on)
    numbers = np.array([number_paper(f"id:{one.id}") for one in task.material.documents], "u8")
    fields = rng.integers(1, FIELDS + 1, size)
    if on_topic:
        fields[task.is_on] = 0
    counts = np.minimum(rng.lognormal(3.0, 0.6, size).astype(np.int64) + 1, 300)
    counts[rng.random(size) >= known] = 0
    rows = np.repeat(np.arange(size), counts)
    # Papers are cited by the square of a uniform number: few very often, most hardly ever.
    own = (FIELD_PAPERS * rng.random(len(rows)) ** 2).astype(np.int64) + fields[rows] * FIELD_PAPERS
    common = 10**6 + (COMMON * rng.random(len(rows)) ** 3).astype(np.int64)
    cited = np.where(rng.random(len(rows)) < strength, own, common) + 10**8
    return Graphs(
        [LinkGraph.of(np.stack([numbers[rows], cited.astype("u8")], 1))] if len(rows) else []
    )


def make_tasks(count: int) -> list[PlantedTask]:
    """Return topics with their pools of 2,000, links apart."""
    rows = read_rows("mesh.jsonl.gz")
    topics = {
        name: members
        for name, members in list_mesh_triples(rows).items()
        if HELD_BACK.isdisjoint(name.split(" + "))
    }
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
    """Hear nothing."""


def report_planted(tasks: list[PlantedTask]) -> None:
    """Print the gain over words alone, for each case."""
    base = [measure(task) for task in tasks]
    print(f"\n{len(tasks)} topics, {SEEDS} seeds, pool of 2,000; words alone: {fmean(base):.3f}")
    print("| strength | average precision | gain | ± |\n|---|---:|---:|---:|")
    for name, (strength, known, on_topic) in CASES.items():
        found = [
            measure(task, links=plant_links(task, strength, known=known, on_topic=on_topic,
                                            rng=np.random.default_rng(number)))
            for number, task in enumerate(tasks)
        ]  # fmt: skip
        gains = [here - there for here, there in zip(found, base, strict=True)]
        error = stdev(gains) / len(gains) ** 0.5
        print(f"| {name} | {fmean(found):.3f} | {fmean(gains):+.4f} | {error:.4f} |", flush=True)


def make_rows(path: Path, count: int) -> None:
    """Write so many rows of a made citation graph: newer papers cite older ones, few very often."""
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
    """Print how fast so many rows are read, what they take, and how fast neighbours are found."""
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
    """Run the parts that are named, or all."""
    part = sys.argv[1] if sys.argv[1:] else "planted"
    if part == "rows":
        report_rows(int(sys.argv[2]) if sys.argv[2:] else 50_000_000)
        return
    need_data()
    report_planted(make_tasks(CHOSEN + REPORTED)[CHOSEN:])


if __name__ == "__main__":
    main()
