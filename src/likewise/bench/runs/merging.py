"""Merging: several summaries as one, and the part of one that is of some methods."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from likewise.bench.methods.spelling import bench_method
from likewise.bench.runs.summary import Summary, in_order
from likewise.errors import LikewiseError, RunError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.bench.runs.cells import Cell


def merged(summaries: Sequence[Summary]) -> Summary:
    """Return summaries as one; of results of the same task, method and settings, the first."""
    alike: defaultdict[bytes, list[Cell]] = defaultdict(list)
    versions: defaultdict[str, set[str]] = defaultdict(set)
    for summary in summaries:
        for cell in summary.cells:
            alike[msgspec.json.encode(_without_draws(cell))].append(cell)
        for package, found in summary.versions.items():
            versions[package].update(found)
    failures = (failure for summary in summaries for failure in summary.failures)
    return Summary(
        versions={name: tuple(sorted(versions[name])) for name in sorted(versions)},
        failures=tuple(dict.fromkeys(failures)),
        cells=in_order(map(_merged_cell, alike.values())),
    )


def with_methods(summary: Summary, methods: Sequence[str]) -> Summary:
    """Return what a summary has of some methods, however they are spelled; if none is said, all."""
    if not methods:
        return summary
    chosen = {id(cell) for wanted in methods for cell in _cells_of(summary, wanted)}
    spelled = {canonical(wanted) for wanted in methods}
    return msgspec.structs.replace(
        summary,
        cells=tuple(cell for cell in summary.cells if id(cell) in chosen),
        failures=tuple(one for one in summary.failures if one.method in spelled),
    )


def canonical(method: str) -> str:
    """Return a method as results spell it, or as it is if no method is spelled so.

    >>> canonical("random+naive( strength=2.0 )")
    'random + naive(strength=2)'
    """
    try:
        return str(bench_method(method))
    except LikewiseError:
        return method


def _cells_of(summary: Summary, wanted: str) -> list[Cell]:
    spelled, named = canonical(wanted), summary.by_method()
    found = [cell for cell in summary.cells if cell.method == spelled] or named.get(wanted, [])
    if not found and spelled not in {failure.method for failure in summary.failures}:
        raise RunError(f"the method {wanted!r} has no results; choose one of: {', '.join(named)}")
    return found


def _without_draws(cell: Cell) -> Cell:
    return msgspec.structs.replace(cell, draws=(), fingerprints=(), measures={})


def _merged_cell(cells: Sequence[Cell]) -> Cell:
    """Return cells of the same method, topic and seeds as one, each task once."""
    places: dict[tuple[int, str], tuple[Cell, int]] = {}
    for cell in cells:
        for place, task in enumerate(zip(cell.draws, cell.fingerprints, strict=True)):
            places.setdefault(task, (cell, place))
    tasks = sorted(places)
    names = sorted({name for cell in cells for name in cell.measures})
    absent = (None,) * max(len(cell.draws) for cell in cells)
    return msgspec.structs.replace(
        cells[0],
        draws=tuple(draw for draw, _ in tasks),
        fingerprints=tuple(fingerprint for _, fingerprint in tasks),
        measures={
            name: tuple(
                cell.measures.get(name, absent)[place]
                for cell, place in (places[task] for task in tasks)
            )
            for name in names
        },
    )
