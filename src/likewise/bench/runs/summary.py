"""The summary: all results of a run in one small file, from which tables and figures are made.

It keeps every measure of every draw, rounded to six digits, with the task's fingerprint: methods
are compared only on the same tasks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from operator import itemgetter
from pathlib import Path
from statistics import fmean

import msgspec

from likewise.bench import group_by
from likewise.bench.measures import TaskKey
from likewise.bench.methods import parse_bench_method
from likewise.bench.runs.results import Result, read_results
from likewise.documents import replace_file
from likewise.documents.notebook import render_sentences, render_table, wrap_html
from likewise.errors import LikewiseError, RunError

KIND = "likewise summary"
VERSION = 1
"""Rises when older versions could not make sense of what is written."""
DIGITS = 6
SHOWN = ("F1", "precision", "recall", "AP")
"""The measures that a notebook shows of a summary."""


class MethodFailure(msgspec.Struct, frozen=True):
    """A method that failed on a task."""

    method: str
    task: str
    error: str


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """All results of a run."""

    kind: str = KIND
    version: int = VERSION
    versions: dict[str, tuple[str, ...]] = {}
    """For each package, all versions that results were made with."""
    failures: tuple[MethodFailure, ...] = ()
    cells: tuple[Cell, ...]

    def group_by_method(self) -> dict[str, list[Cell]]:
        """Return the cells of each method, by its name.

        The name is its spelling and, if it was run with several settings, those that differ.

        >>> one = Cell(method="linear", topic="a", seeds=20, draws=(0,), fingerprints=("f",),
        ...            measures={})
        >>> other = msgspec.structs.replace(one, settings={"encoder": "minilm"})
        >>> list(Summary(cells=(one, other)).group_by_method())
        ['linear', 'linear [encoder=minilm]']
        """
        named: dict[str, list[Cell]] = {}
        for method, cells in group_by(self.cells, lambda cell: cell.method).items():
            names = sorted({name for cell in cells for name in cell.settings})
            differing = [
                name for name in names if len({cell.settings.get(name, "") for cell in cells}) > 1
            ]
            for cell in cells:
                chosen = [(name, cell.settings.get(name, "")) for name in differing]
                words = ", ".join(f"{name}={value}" for name, value in chosen if value != "")
                named.setdefault(f"{method} [{words}]" if words else method, []).append(cell)
        return named

    def __repr__(self) -> str:
        methods, topics = len(self.group_by_method()), len({cell.topic for cell in self.cells})
        failed = f", failures: {len(self.failures)}" if self.failures else ""
        return f"<Summary: methods: {methods}, topics: {topics}{failed}>"

    def _repr_html_(self) -> str:
        """Return a table of each method's means over the tasks that it ran on."""
        rows = [
            (method, sum(len(cell.draws) for cell in cells), *_average_cells(cells))
            for method, cells in self.group_by_method().items()
        ]
        table = render_table(("method", "tasks", *SHOWN), rows, numbers=range(1, len(SHOWN) + 2))
        return wrap_html(table, *render_sentences(note_failures(self)))


class TaskKind(msgspec.Struct, frozen=True, omit_defaults=True):
    """A kind of task; results on different kinds are never averaged."""

    scheme: str = "case-control"
    setting: str = "inductive"
    seeds_bias: str = ""
    negatives: int = 0
    negatives_bias: str = ""
    pool: int = 0
    """|U|; 0 if that is not known."""
    pool_of: str = "all"
    """What `pool` counts: the training part, or all parts, as in older tasks."""

    def __str__(self) -> str:
        is_old = self.setting == "inductive" and self.pool_of == "all"
        words = [f"|U| {self.pool:,}{' in all parts' if is_old else ''}"] if self.pool else []
        words += [self.setting, self.scheme]
        if self.seeds_bias:
            words.append(f"seeds by {self.seeds_bias}")
        if self.negatives:
            by = f" by {self.negatives_bias}" if self.negatives_bias else ""
            words.append(f"{self.negatives} labelled negatives{by}")
        return ", ".join(words)


class Cell(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The measures of a method on a topic with a number of seeds, for each draw."""

    method: str
    settings: dict[str, str | int | float] = {}
    kind: TaskKind = TaskKind()
    topic: str
    seeds: int
    draws: tuple[int, ...]
    fingerprints: tuple[str, ...]
    """The fingerprints of the tasks, one for each draw."""
    measures: dict[str, tuple[float | None, ...]]
    """The values of each measure, one for each draw; seconds and megabytes are measures too."""

    def mean(self, measure: str) -> float | None:
        """Return the mean of a measure over the draws that have it."""
        found = [value for value in self.measures.get(measure, ()) if value is not None]
        return fmean(found) if found else None


def _average_cells(cells: Sequence[Cell]) -> list[str]:
    """Return the means of the measures that are shown, in per cent."""
    means = (list(collect_values(cells, measure).values()) for measure in SHOWN)
    return [f"{100 * fmean(values):.1f}" if values else "" for values in means]


def collect_values(
    cells: Iterable[Cell], measure: str, *, seeds: int | None = None
) -> dict[TaskKey, float]:
    """Return the values of a measure by task, of all tasks or of those with a number of seeds."""
    return {
        TaskKey(cell.seeds, cell.topic, draw, fingerprint): value
        for cell in cells
        if seeds in (None, cell.seeds)
        for draw, fingerprint, value in zip(
            cell.draws,
            cell.fingerprints,
            cell.measures.get(measure, (None,) * len(cell.draws)),
            strict=True,
        )
        if value is not None
    }


def summarise(results: Sequence[Result]) -> Summary:
    """Return the summary of results."""
    return Summary(
        versions=_merge_versions(one for result in results for one in result.versions.items()),
        failures=tuple(
            MethodFailure(result.method, result.task, result.error)
            for result in results
            if result.status == "failed"
        ),
        cells=_merge_cells(_make_cell(result) for result in results if result.status == "done"),
    )


def load_summary(path: Path) -> Summary:
    """Return the summary of a folder of results, or the one in a file."""
    return summarise(read_results(path)) if path.is_dir() else read_summary(path)


def read_summary(path: Path) -> Summary:
    """Return the summary in a file; `write_summary` is the inverse."""
    try:
        text = path.read_bytes()
        head = msgspec.json.decode(text, type=_SummaryHead)
    except OSError as error:
        raise RunError(
            f"{path}: can't be read: {error.strerror or error}; "
            'give a folder of results, as "likewise bench run" makes it, or a summary of one'
        ) from error
    except msgspec.MsgspecError as error:
        raise _explain_no_summary(path, str(error)) from error
    if head.kind != KIND:
        raise _explain_no_summary(path, f"its kind is {head.kind!r}")
    if head.version != VERSION:
        raise RunError(
            f"{path}: a summary of version {head.version}, but this likewise reads {VERSION}; "
            "write it again with: likewise bench table RUNS --summary FILE"
        )
    try:
        return msgspec.json.decode(text, type=Summary)
    except msgspec.MsgspecError as error:
        raise _explain_no_summary(path, str(error)) from error


def write_summary(summary: Summary, path: Path) -> None:
    """Write a summary as JSON with a cell on each line, so that a diff can be read."""
    head = msgspec.structs.replace(summary, cells=())
    opened = msgspec.json.encode(head).removesuffix(b"[]}")
    lines = b",\n".join(map(msgspec.json.encode, summary.cells))
    with replace_file(path) as stream:
        stream.write(opened + b"[\n" + lines + b"\n]}\n")


class _SummaryHead(msgspec.Struct):
    kind: str = ""
    version: int = 0


def _explain_no_summary(path: Path, found: str) -> RunError:
    return RunError(
        f"{path}: not a summary of results: {found}; "
        "write one with: likewise bench table RUNS --summary FILE"
    )


def _make_cell(result: Result) -> Cell:
    measured = {**result.measures, "seconds": result.seconds, "megabytes": result.megabytes}
    return Cell(
        method=result.method,
        settings=dict(sorted(result.settings.items())),
        kind=TaskKind(**{name: getattr(result, name) for name in TaskKind.__struct_fields__}),
        topic=result.topic,
        seeds=result.seeds,
        draws=(result.draw,),
        fingerprints=(result.fingerprint,),
        measures={name: (float(f"{value:.{DIGITS}g}"),) for name, value in measured.items()},
    )


def merge_summaries(summaries: Sequence[Summary]) -> Summary:
    """Merge summaries into one; of several results on the same task, the first is kept."""
    failures = (failure for summary in summaries for failure in summary.failures)
    versions = (one for summary in summaries for one in summary.versions.items())
    return Summary(
        versions=_merge_versions((package, one) for package, found in versions for one in found),
        failures=tuple(dict.fromkeys(failures)),
        cells=_merge_cells(cell for summary in summaries for cell in summary.cells),
    )


def _merge_versions(versions: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Return all versions of each package."""
    found = group_by(sorted(set(versions)), itemgetter(0))
    return {package: tuple(version for _, version in of) for package, of in found.items()}


def keep_methods(summary: Summary, methods: Sequence[str]) -> Summary:
    """Return a summary of only these methods, however they are spelled; of all if none is named."""
    if not methods:
        return summary
    chosen = {id(cell) for wanted in methods for cell in _find_cells(summary, wanted)}
    spelled = {spell_canonically(wanted) for wanted in methods}
    return msgspec.structs.replace(
        summary,
        cells=tuple(cell for cell in summary.cells if id(cell) in chosen),
        failures=tuple(one for one in summary.failures if one.method in spelled),
    )


def spell_canonically(method: str) -> str:
    """Return a method's spelling as results have it; unknown methods are returned unchanged.

    >>> spell_canonically("random+naive( strength=2.0 )")
    'random + naive(strength=2)'
    """
    try:
        return str(parse_bench_method(method))
    except LikewiseError:
        return method


def _find_cells(summary: Summary, wanted: str) -> list[Cell]:
    spelled, named = spell_canonically(wanted), summary.group_by_method()
    found = [cell for cell in summary.cells if cell.method == spelled] or named.get(wanted, [])
    if not found and spelled not in {failure.method for failure in summary.failures}:
        raise RunError(f"the method {wanted!r} has no results; choose one of: {', '.join(named)}")
    return found


def _merge_cells(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Merge cells that differ only in draws; sort them by method, kind, seeds and topic."""

    def drop_draws(cell: Cell) -> bytes:
        bare = msgspec.structs.replace(cell, draws=(), fingerprints=(), measures={})
        return msgspec.json.encode(bare)

    def order(cell: Cell) -> tuple[str, ...]:
        settings = msgspec.json.encode(cell.settings).decode()
        return (cell.method, settings, str(cell.kind), f"{cell.seeds:09}", cell.topic)

    return tuple(sorted(map(_join_draws, group_by(cells, drop_draws).values()), key=order))


def _join_draws(cells: Sequence[Cell]) -> Cell:
    """Return cells of the same method, topic and seeds as one cell, with each task once."""
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


def check_measured(summary: Summary, measures: Iterable[str]) -> None:
    """Raise if any of these measures is in no result."""
    there = {name for cell in summary.cells for name in cell.measures}
    for name in measures:
        if name not in there:
            raise RunError(
                f"no result has the measure {name!r}; they have: {', '.join(sorted(there))}"
            )


def note_failures(summary: Summary) -> list[str]:
    """Return a sentence on how many results failed, if any did."""
    if not summary.failures:
        return []
    counted = Counter(failure.method for failure in summary.failures)
    said = ", ".join(f"{method} ({number})" for method, number in sorted(counted.items()))
    number = len(summary.failures)
    results = "1 result is" if number == 1 else f"{number} results are"
    return [f"{results} missing because the method failed: {said}."]
