"""The summary: all results of a run in one small file, from which tables and figures are made.

It keeps every measure of every draw, rounded to six digits, with the task's fingerprint: methods
are compared only on the same tasks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

import msgspec

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
        spelled: defaultdict[str, list[Cell]] = defaultdict(list)
        for cell in self.cells:
            spelled[cell.method].append(cell)
        named: defaultdict[str, list[Cell]] = defaultdict(list)
        for method, cells in spelled.items():
            differing = _find_differing([cell.settings for cell in cells])
            for cell in cells:
                named[_name_method(method, cell.settings, differing)].append(cell)
        return dict(named)

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
        said = [f"|U| {self.pool:,}{' in all parts' if is_old else ''}"] if self.pool else []
        said += [self.setting, self.scheme]
        if self.seeds_bias:
            said.append(f"seeds by {self.seeds_bias}")
        if self.negatives:
            by = f" by {self.negatives_bias}" if self.negatives_bias else ""
            said.append(f"{self.negatives} labelled negatives{by}")
        return ", ".join(said)


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


def collect_values(cells: Iterable[Cell], measure: str) -> dict[TaskKey, float]:
    """Return the values of a measure by task."""
    return {
        TaskKey(cell.seeds, cell.topic, draw, fingerprint): value
        for cell in cells
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
    groups: defaultdict[bytes, list[Result]] = defaultdict(list)
    for result in results:
        if result.status == "done":
            groups[_make_group_key(result)].append(result)
    cells = [_make_cell(group) for group in groups.values()]
    versions: defaultdict[str, set[str]] = defaultdict(set)
    for result in results:
        for package, version in result.versions.items():
            versions[package].add(version)
    return Summary(
        versions={name: tuple(sorted(versions[name])) for name in sorted(versions)},
        failures=tuple(
            MethodFailure(result.method, result.task, result.error)
            for result in results
            if result.status == "failed"
        ),
        cells=sort_cells(cells),
    )


def sort_cells(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Return cells sorted by method, kind of task, seeds and topic."""
    return tuple(sorted(cells, key=_make_order_key))


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


def _make_group_key(result: Result) -> bytes:
    key = (result.method, sorted(result.settings.items()), _find_kind(result), result.topic)
    return msgspec.json.encode((*key, result.seeds))


def _find_kind(result: Result) -> TaskKind:
    return TaskKind(
        pool=result.pool,
        pool_of=result.pool_of,
        scheme=result.scheme,
        setting=result.setting,
        seeds_bias=result.seeds_bias,
        negatives=result.negatives,
        negatives_bias=result.negatives_bias,
    )


def _make_cell(group: Sequence[Result]) -> Cell:
    group = sorted(group, key=lambda result: (result.draw, result.fingerprint))
    first = group[0]
    measured = [
        {**result.measures, "seconds": result.seconds, "megabytes": result.megabytes}
        for result in group
    ]
    names = sorted({name for one in measured for name in one})
    return Cell(
        method=first.method,
        settings=dict(sorted(first.settings.items())),
        kind=_find_kind(first),
        topic=first.topic,
        seeds=first.seeds,
        draws=tuple(result.draw for result in group),
        fingerprints=tuple(result.fingerprint for result in group),
        measures={name: tuple(_round(one.get(name)) for one in measured) for name in names},
    )


def _round(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")


def _make_order_key(cell: Cell) -> tuple[str, ...]:
    settings = msgspec.json.encode(cell.settings).decode()
    return (cell.method, settings, str(cell.kind), f"{cell.seeds:09}", cell.topic)


def _find_differing(settings: Sequence[Mapping[str, object]]) -> list[str]:
    names = sorted({name for one in settings for name in one})
    return [name for name in names if len({one.get(name, "") for one in settings}) > 1]


def _name_method(method: str, settings: Mapping[str, object], differing: Sequence[str]) -> str:
    said = [f"{name}={settings[name]}" for name in differing if settings.get(name, "") != ""]
    return f"{method} [{', '.join(said)}]" if said else method


def merge_summaries(summaries: Sequence[Summary]) -> Summary:
    """Merge summaries into one; of several results on the same task, the first is kept."""
    alike: defaultdict[bytes, list[Cell]] = defaultdict(list)
    versions: defaultdict[str, set[str]] = defaultdict(set)
    for summary in summaries:
        for cell in summary.cells:
            alike[msgspec.json.encode(_drop_draws(cell))].append(cell)
        for package, found in summary.versions.items():
            versions[package].update(found)
    failures = (failure for summary in summaries for failure in summary.failures)
    return Summary(
        versions={name: tuple(sorted(versions[name])) for name in sorted(versions)},
        failures=tuple(dict.fromkeys(failures)),
        cells=sort_cells(map(_merge_cells, alike.values())),
    )


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


def _drop_draws(cell: Cell) -> Cell:
    return msgspec.structs.replace(cell, draws=(), fingerprints=(), measures={})


def _merge_cells(cells: Sequence[Cell]) -> Cell:
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
