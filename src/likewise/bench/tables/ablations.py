"""Tables 2 and 3: one choice against another, a row each, with the paper's figures beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from likewise.bench.runs.cells import values
from likewise.bench.tables.columns import (
    by_kind,
    common_tasks,
    failure_notes,
    mean_in,
    topic_count,
    with_seeds,
)
from likewise.bench.tables.reference import SOURCE, TABLE_2, TABLE_3
from likewise.bench.tables.spellings import method_like
from likewise.bench.tables.table import Row, Table, count, percent
from likewise.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from likewise.bench.runs.summary import Summary
    from likewise.bench.tables.columns import Kind, Named
    from likewise.bench.tables.reference import Published3


class Line(NamedTuple):
    """A row that a table asks for."""

    heads: tuple[str, ...]
    method: str
    """As it is spelled; parameters that make no difference to the table may be added."""
    published: tuple[float | None, ...]
    """The paper's figures, one for each measure."""


class Layout(NamedTuple):
    """What a table is made of."""

    title: str
    heads: tuple[str, ...]
    measures: tuple[str, ...]
    lines: Callable[[int], Sequence[Line]]
    """The rows for a number of seeds."""


def table2(summary: Summary) -> list[Table]:
    """Return nnPU with the true prior, and with 0.5."""
    layout = Layout(
        "The prior of nnPU: the true one, or 0.5", ("prior",), ("accuracy", "F1"), _prior_lines
    )
    return _tables(summary, layout)


def table3(summary: Summary) -> list[Table]:
    """Return batches of both kinds, with full supervision (PN) and without (PU)."""
    heads = ("setting", "batch", "proportional")
    layout = Layout("The size of batches, and proportional ones", heads, ("F1",), _batching_lines)
    return _tables(summary, layout)


def _prior_lines(seeds: int) -> list[Line]:
    published = {(row.seeds, row.prior): (row.accuracy, row.f1) for row in TABLE_2}
    return [
        Line((head,), f"cnn(risk=nnpu, prior={prior})", published.get((seeds, prior), (None, None)))
        for head, prior in (("\u03c0+", "true"), ("0.5", "0.5"))
    ]


def _batching_lines(seeds: int) -> list[Line]:  # noqa: ARG001  # the paper does not say
    return [_batching_line(row) for row in TABLE_3]


def _batching_line(row: Published3) -> Line:
    batching = "proportional" if row.is_proportional else "ordinary"
    given = f"batch={row.batch}, batching={batching}"
    method = f"upper-bound-cnn({given})" if row.setting == "PN" else f"cnn(risk=nnpu, {given})"
    heads = (row.setting, str(row.batch), "yes" if row.is_proportional else "no")
    return Line(heads, method, (row.f1,))


def _tables(summary: Summary, layout: Layout) -> list[Table]:
    kinds = by_kind(summary)
    # Networks of other tables, on tasks with negatives say, may happen to be one of these rows.
    found = [kind for kind in kinds if _found(kind, layout) > 1]
    found = found or [kind for kind in kinds if _found(kind, layout)]
    if not found:
        asked = " ".join(f'"{line.method}"' for line in layout.lines(20))
        raise RunError(f"no results of what this table compares; run: --methods {asked}")
    return [_table(kind, layout, notes=failure_notes(summary)) for kind in found]


def _found(kind: Kind, layout: Layout) -> int:
    return sum(bool(method_like(kind.named, line.method)) for line in layout.lines(20))


def _table(kind: Kind, layout: Layout, *, notes: Sequence[str]) -> Table:
    numbers = sorted({cell.seeds for cells in kind.named.values() for cell in cells})
    rows = [row for seeds in numbers for row in _rows(kind.named, layout, seeds=seeds)]
    paper = (f"{measure}, paper" for measure in layout.measures)
    note = f"Means over the topics that all rows of the same |LP| have. Paper: {SOURCE}."
    return Table(
        title=f"{layout.title} ({kind.kind})",
        columns=("|LP|", *layout.heads, "method", "topics", *layout.measures, *paper),
        rows=tuple(rows),
        notes=(note, *notes),
    )


def _rows(named: Named, layout: Layout, *, seeds: int) -> Iterator[Row]:
    lines = layout.lines(seeds)
    found = [method_like(named, line.method) for line in lines]
    measured = [
        [with_seeds(values(named[name] if name else (), one), seeds) for one in layout.measures]
        for name in found
    ]
    common = common_tasks([one for row in measured for one in row])
    if not any(one for row in measured for one in row):
        return
    for place, (line, name, row) in enumerate(zip(lines, found, measured, strict=True)):
        numbers = [mean_in(common, one) for one in row]
        topics = topic_count(common) if any(numbers) else None
        heads = (count(seeds), *line.heads, name or line.method, topics)
        paper = (one if one is None else percent(one) for one in line.published)
        yield Row((*heads, *numbers, *paper), is_apart=not place)
