"""The summary: all results of a run in one small file, from which tables and figures are made.

It keeps every measure of every draw, rounded to six digits, with the task's fingerprint: methods
are compared only where their tasks are the same.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from likewise.bench.runs.cells import Cell, TaskKind
from likewise.bench.runs.results import read_results
from likewise.documents.files import written_aside
from likewise.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from likewise.bench.runs.results import Result

KIND = "likewise summary"
VERSION = 1
"""Rises when older versions could not make sense of what is written."""
DIGITS = 6


class Failure(msgspec.Struct, frozen=True):
    """A method that failed on a task."""

    method: str
    task: str
    error: str


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """All results of a run."""

    kind: str = KIND
    version: int = VERSION
    versions: dict[str, tuple[str, ...]] = {}
    """Each package with every version of it that results were made with."""
    failures: tuple[Failure, ...] = ()
    cells: tuple[Cell, ...]

    def by_method(self) -> dict[str, list[Cell]]:
        """Return the cells of each method under a name of its own.

        The name is its spelling; where it was run with several settings, those that differ follow.

        >>> one = Cell(method="linear", topic="a", seeds=20, draws=(0,), fingerprints=("f",),
        ...            measures={})
        >>> other = msgspec.structs.replace(one, settings={"encoder": "minilm"})
        >>> list(Summary(cells=(one, other)).by_method())
        ['linear', 'linear [encoder=minilm]']
        """
        spelled: defaultdict[str, list[Cell]] = defaultdict(list)
        for cell in self.cells:
            spelled[cell.method].append(cell)
        named: defaultdict[str, list[Cell]] = defaultdict(list)
        for method, cells in spelled.items():
            differing = _differing([cell.settings for cell in cells])
            for cell in cells:
                named[_named(method, cell.settings, differing)].append(cell)
        return dict(named)


def summarise(results: Sequence[Result]) -> Summary:
    """Return the summary of results."""
    groups: defaultdict[bytes, list[Result]] = defaultdict(list)
    for result in results:
        if result.status == "done":
            groups[_group(result)].append(result)
    cells = [_cell(group) for group in groups.values()]
    versions: defaultdict[str, set[str]] = defaultdict(set)
    for result in results:
        for package, version in result.versions.items():
            versions[package].add(version)
    return Summary(
        versions={name: tuple(sorted(versions[name])) for name in sorted(versions)},
        failures=tuple(
            Failure(result.method, result.task, result.error)
            for result in results
            if result.status == "failed"
        ),
        cells=in_order(cells),
    )


def in_order(cells: Iterable[Cell]) -> tuple[Cell, ...]:
    """Return cells by method, sort of task, seeds and topic."""
    return tuple(sorted(cells, key=_order))


def load_summary(path: Path) -> Summary:
    """Return the summary of a folder of results, or the one that a file holds."""
    return summarise(read_results(path)) if path.is_dir() else read_summary(path)


def read_summary(path: Path) -> Summary:
    """Return the summary that a file holds; `write_summary` is its inverse."""
    try:
        text = path.read_bytes()
        head = msgspec.json.decode(text, type=_Head)
    except OSError as error:
        raise RunError(
            f"{path}: can't be read: {error.strerror or error}; "
            'give a folder of results, as "likewise bench run" makes it, or a summary of one'
        ) from error
    except msgspec.MsgspecError as error:
        raise _no_summary(path, str(error)) from error
    if head.kind != KIND:
        raise _no_summary(path, f"its kind is {head.kind!r}")
    if head.version != VERSION:
        raise RunError(
            f"{path}: a summary of version {head.version}, and this likewise reads {VERSION}; "
            "write it anew with: likewise bench table RUNS --summary FILE"
        )
    try:
        return msgspec.json.decode(text, type=Summary)
    except msgspec.MsgspecError as error:
        raise _no_summary(path, str(error)) from error


def write_summary(summary: Summary, path: Path) -> None:
    """Write a summary as JSON, a cell a line, so that changes can be read."""
    head = msgspec.structs.replace(summary, cells=())
    opened = msgspec.json.encode(head).removesuffix(b"[]}")
    lines = b",\n".join(map(msgspec.json.encode, summary.cells))
    with written_aside(path) as stream:
        stream.write(opened + b"[\n" + lines + b"\n]}\n")


class _Head(msgspec.Struct):
    kind: str = ""
    version: int = 0


def _no_summary(path: Path, found: str) -> RunError:
    return RunError(
        f"{path}: is no summary of results: {found}; "
        "write one with: likewise bench table RUNS --summary FILE"
    )


def _group(result: Result) -> bytes:
    key = (result.method, sorted(result.settings.items()), _kind(result), result.topic)
    return msgspec.json.encode((*key, result.seeds))


def _kind(result: Result) -> TaskKind:
    return TaskKind(
        pool=result.pool,
        pool_of=result.pool_of,
        scheme=result.scheme,
        setting=result.setting,
        seeds_bias=result.seeds_bias,
        negatives=result.negatives,
        negatives_bias=result.negatives_bias,
    )


def _cell(group: Sequence[Result]) -> Cell:
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
        kind=_kind(first),
        topic=first.topic,
        seeds=first.seeds,
        draws=tuple(result.draw for result in group),
        fingerprints=tuple(result.fingerprint for result in group),
        measures={name: tuple(_rounded(one.get(name)) for one in measured) for name in names},
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")


def _order(cell: Cell) -> tuple[str, ...]:
    settings = msgspec.json.encode(cell.settings).decode()
    return (cell.method, settings, str(cell.kind), f"{cell.seeds:09}", cell.topic)


def _differing(settings: Sequence[Mapping[str, object]]) -> list[str]:
    names = sorted({name for one in settings for name in one})
    return [name for name in names if len({one.get(name, "") for one in settings}) > 1]


def _named(method: str, settings: Mapping[str, object], differing: Sequence[str]) -> str:
    said = [f"{name}={settings[name]}" for name in differing if settings.get(name, "") != ""]
    return f"{method} [{', '.join(said)}]" if said else method
