"""Tables 1 to 3: methods by topic, and one choice against another, beside the paper's figures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from likewise.bench.measures import TaskKey
from likewise.bench.methods.baselines import find_bound
from likewise.bench.runs.summary import Summary, check_measured, collect_values, note_failures
from likewise.bench.tables.columns import (
    ASIDE,
    KindMethods,
    MethodColumn,
    Named,
    TableSettings,
    average_tasks,
    average_values,
    count_topics,
    find_common_tasks,
    find_method_like,
    find_non_contenders,
    group_by_kind,
    mark_best,
    note_missing,
    rate_value,
)
from likewise.bench.tables.reference import (
    DAGGERS,
    SOURCE,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    Published1,
    group_by_dagger,
)
from likewise.bench.tables.table import Number, Row, Table, count, from_percent
from likewise.errors import RunError

TOP_K = "top-k F1"
PUBLISHED = (
    "|LP|", "topic", "BM25+nnPU", "BM25 (top-k)", "Rand+nnPU", "BM25+COPK", "Naive", "All +",
    "Upperbound",
)  # fmt: skip


def make_table1(summary: Summary, settings: TableSettings) -> list[Table]:
    """Return Table 1 for each kind of task, and the paper's."""
    check_measured(summary, settings.measures)
    tables = [
        _make_table(kind, settings.measure, failures=note_failures(summary))
        for kind in group_by_kind(summary)
    ]
    return [*tables, make_paper_table1()] if settings.measure == "F1" else tables


def make_paper_table1() -> Table:
    """Return the paper's Table 1."""
    return Table(
        title=f"Table 1 of {SOURCE}: F1, PubMed of January 2019, |U| = 20,000",
        columns=PUBLISHED,
        rows=tuple(
            _make_paper_row(row, is_apart=row.is_average or row.seeds != before.seeds)
            for before, row in zip((TABLE_1[0], *TABLE_1), TABLE_1, strict=False)
        ),
    )


def _make_paper_row(row: Published1, *, is_apart: bool) -> Row:
    ours = from_percent(row.nnpu)
    # The paper sets its averages in bold, and no other row.
    ours = Number(ours.value, is_best=row.is_average)
    rest = (row.random_nnpu, row.copkmeans, row.naive, row.all_positive, row.upper_bound)
    bm25 = from_percent(row.bm25, deviation=row.bm25_deviation)
    return Row(
        (count(row.seeds), row.topic, ours, bm25, *map(from_percent, rest)), is_apart=is_apart
    )


def _make_table(kind: KindMethods, measure: str, *, failures: Sequence[str]) -> Table:
    columns = sorted(
        _make_columns(kind, measure),
        key=lambda column: (
            column.is_bound,
            -rate_value(average_values(column.values), measure) if column.values else 0.0,
        ),
    )
    numbers = sorted({task.seeds for column in columns for task in column.values})
    return Table(
        title=f"{measure} by topic ({kind.kind})",
        columns=("|LP|", "topic", *(column.name for column in columns)),
        rows=tuple(row for seeds in numbers for row in _make_rows(columns, seeds, measure=measure)),
        notes=(
            f"Means over draws; shares in per cent. In bold: the best of a row, {ASIDE}.",
            *_note_daggers(columns),
            *_note_bounds(columns, measure=measure),
            *note_missing(columns),
            *failures,
        ),
    )


def _make_columns(kind: KindMethods, measure: str) -> Iterator[MethodColumn]:
    for name, cells in kind.named.items():
        if values := collect_values(cells, measure):
            yield MethodColumn(name, values)
        if name.partition(" [")[0] == "bm25" and measure == "F1":
            top_k = collect_values(cells, TOP_K)
            yield MethodColumn(
                f"{name} (top-k)", top_k, collect_values(cells, f"{TOP_K} deviation")
            )


def _make_rows(columns: Sequence[MethodColumn], seeds: int, *, measure: str) -> Iterator[Row]:
    there = [column.list_tasks(seeds) for column in columns]
    topics = sorted({task.topic for own in there for task in own})
    for place, topic in enumerate(topics):
        own = [{task for task in tasks if task.topic == topic} for tasks in there]
        yield _make_row(columns, seeds, topic, own=own, measure=measure, is_apart=not place)
    for name, tasks in _list_averages(there) if len(topics) > 1 else ():
        # The paper's two averages stand together.
        own, is_apart = [tasks] * len(columns), DAGGERS[1] not in name
        yield _make_row(columns, seeds, name, own=own, measure=measure, is_apart=is_apart)


def _list_averages(there: Sequence[set[TaskKey]]) -> Iterator[tuple[str, set[TaskKey]]]:
    """Yield averages over all tasks, if a method has them, and over those that all methods have."""
    tasks: set[TaskKey] = set().union(*there)
    for mark, marked in group_by_dagger(tasks).items():
        yield f"Average of {len({task.topic for task in marked})}{mark} topics", marked
    if tasks in there:
        yield f"Average of {len({task.topic for task in tasks})} topics", tasks
    common = set.intersection(*(own for own in there if own))
    if common and common != tasks:
        yield f"Average of the tasks that all have: {len(common)} of {len(tasks)}", common


def _note_daggers(columns: Sequence[MethodColumn]) -> Iterator[str]:
    if group_by_dagger({task for column in columns for task in column.values}):
        yield (
            f"{' and '.join(DAGGERS)}: the topics here that are among the ten and the fifteen "
            "that the paper averages over."
        )


def _note_bounds(columns: Sequence[MethodColumn], *, measure: str) -> Iterator[str]:
    """Yield notes on bounds that are below the methods they bound, and on why that can be."""
    named = {column.name: column for column in columns}
    passed = []
    for column in columns:
        bound = named.get(find_bound(column.name))
        if column.is_bound or bound is None:
            continue
        for seeds in sorted({task.seeds for task in column.values}):
            common = column.list_tasks(seeds) & bound.list_tasks(seeds)
            topics = {task.topic: {t for t in common if t.topic == task.topic} for task in common}
            above = sum(_is_above(column, bound, of, measure=measure) for of in topics.values())
            if _is_above(column, bound, common, measure=measure):
                yield (
                    f"{bound.name} is below {column.name} with |LP| = {seeds} on the "
                    f"{len(common)} tasks that both have."
                )
            if above:
                passed.append(f"{column.name} with |LP| = {seeds} on {above} of {len(topics)}")
    if passed:
        yield (
            f"Topics on which a method is above its bound: {'; '.join(passed)}. A bound is the "
            "method's own model, or else the default's, trained the same way on true labels. It "
            "is not the best that could be done: if few documents of the training part are on "
            "topic, it learns from few, and it decides as the model does."
        )


def _is_above(
    column: MethodColumn, bound: MethodColumn, tasks: Collection[TaskKey], *, measure: str
) -> bool:
    own, most = (one.average(tasks, measure=measure) for one in (column, bound))
    if own is None or most is None:
        return False
    return rate_value(own.value, measure) > rate_value(most.value, measure)


def _make_row(
    columns: Sequence[MethodColumn],
    seeds: int,
    name: str,
    *,
    own: Sequence[Collection[TaskKey]],
    measure: str,
    is_apart: bool,
) -> Row:
    numbers = [
        column.average(tasks, measure=measure) for column, tasks in zip(columns, own, strict=True)
    ]
    marked = mark_best(numbers, measure=measure, left_out=find_non_contenders(columns, own))
    return Row((count(seeds), name, *marked), is_apart=is_apart)


class AblationRow(NamedTuple):
    """A row of Table 2 or 3."""

    heads: tuple[str, ...]
    method: str
    """The spelling of the method; its other parameters may have any value."""
    published: tuple[float | None, ...]
    """The paper's figures, one for each measure."""


@dataclass(frozen=True)
class Ablation:
    """What Table 2 or 3 compares."""

    title: str
    heads: tuple[str, ...]
    measures: tuple[str, ...]
    lines: Callable[[int], Sequence[AblationRow]]
    """The rows for a number of seeds."""


def make_table2(summary: Summary) -> list[Table]:
    """Return Table 2: nnPU with the true prior, and with 0.5."""
    layout = Ablation(
        "The prior of nnPU: the true one, or 0.5", ("prior",), ("accuracy", "F1"), _list_priors
    )
    return _make_ablations(summary, layout)


def make_table3(summary: Summary) -> list[Table]:
    """Return Table 3: both kinds of batches, with full supervision (PN) and without (PU)."""
    heads = ("setting", "batch", "proportional")
    layout = Ablation("The size of batches, and proportional ones", heads, ("F1",), _list_batchings)
    return _make_ablations(summary, layout)


def _list_priors(seeds: int) -> list[AblationRow]:
    published = {(row.seeds, row.prior): (row.accuracy, row.f1) for row in TABLE_2}
    return [
        AblationRow(
            (head,), f"cnn(risk=nnpu, prior={prior})", published.get((seeds, prior), (None, None))
        )
        for head, prior in (("\u03c0+", "true"), ("0.5", "0.5"))
    ]


def _list_batchings(seeds: int) -> list[AblationRow]:  # noqa: ARG001  # the paper does not say
    rows = []
    for setting, batch, is_proportional, f1 in TABLE_3:
        batching = "proportional" if is_proportional else "ordinary"
        network = "upper-bound-cnn(" if setting == "PN" else "cnn(risk=nnpu, "
        method = f"{network}batch={batch}, batching={batching})"
        heads = (setting, str(batch), "yes" if is_proportional else "no")
        rows.append(AblationRow(heads, method, (f1,)))
    return rows


def _make_ablations(summary: Summary, layout: Ablation) -> list[Table]:
    kinds = group_by_kind(summary)
    # A network that was run for another table may happen to be one of these rows.
    found = [kind for kind in kinds if _count_run(kind, layout) > 1]
    found = found or [kind for kind in kinds if _count_run(kind, layout)]
    if not found:
        asked = " ".join(f'"{line.method}"' for line in layout.lines(20))
        raise RunError(f"no results of what this table compares; run: --methods {asked}")
    return [_make_ablation(kind, layout, notes=note_failures(summary)) for kind in found]


def _count_run(kind: KindMethods, layout: Ablation) -> int:
    return sum(bool(find_method_like(kind.named, line.method)) for line in layout.lines(20))


def _make_ablation(kind: KindMethods, layout: Ablation, *, notes: Sequence[str]) -> Table:
    numbers = sorted({cell.seeds for cells in kind.named.values() for cell in cells})
    rows = [
        row for seeds in numbers for row in _make_ablation_rows(kind.named, layout, seeds=seeds)
    ]
    paper = (f"{measure}, paper" for measure in layout.measures)
    note = f"Means over the topics that all rows of the same |LP| have. Paper: {SOURCE}."
    return Table(
        title=f"{layout.title} ({kind.kind})",
        columns=("|LP|", *layout.heads, "method", "topics", *layout.measures, *paper),
        rows=tuple(rows),
        notes=(note, *notes),
    )


def _make_ablation_rows(named: Named, layout: Ablation, *, seeds: int) -> Iterator[Row]:
    lines = layout.lines(seeds)
    found = [find_method_like(named, line.method) for line in lines]
    measured = [
        [collect_values(named[name] if name else (), one, seeds=seeds) for one in layout.measures]
        for name in found
    ]
    common = find_common_tasks([one for row in measured for one in row])
    if not any(one for row in measured for one in row):
        return
    for place, (line, name, row) in enumerate(zip(lines, found, measured, strict=True)):
        numbers = [average_tasks(common, one) for one in row]
        topics = count_topics(common) if any(numbers) else None
        heads = (count(seeds), *line.heads, name or line.method, topics)
        paper = (one if one is None else from_percent(one) for one in line.published)
        yield Row((*heads, *numbers, *paper), is_apart=not place)
