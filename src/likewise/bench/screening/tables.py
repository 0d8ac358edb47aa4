"""Tables of replays: measures of orders, their differences, and where rules stop."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np

from likewise.bench import group_by
from likewise.bench.measures import (
    Mean,
    TaskKey,
    average_over_topics,
    average_topics,
    compare_methods,
)
from likewise.bench.screening.results import LOWER_IS_BETTER, MEASURES, ScreenResult, measure_order
from likewise.bench.screening.stops import DEPTHS, Stop, list_estimates
from likewise.bench.tables.table import Number, Row, Table, count
from likewise.learn.estimates import Target
from likewise.learn.stopping.audits import share_at_least, share_at_most

ANY_KIND = "all"
"""The name for reviews that have no kind."""
Measured = dict[str, dict[str, dict[TaskKey, float]]]
"""Values by method, measure and replay."""


class ScreenTables(NamedTuple):
    """The replays and stops that tables are made of."""

    results: Sequence[ScreenResult]
    stops: Sequence[Stop]
    target: Target
    """The target that rules were asked for."""


def make_screen_tables(
    shown: ScreenTables, *, rng: np.random.Generator, against: str = ""
) -> list[Table]:
    """Return all tables of replays; differences are to the tool `against`, if it has results."""
    tables = make_order_tables(shown.results, rng=rng, against=against)
    if shown.stops:
        tables.append(make_rules_table(shown.stops, target=shown.target))
    if any(result.rounds for result in shown.results):
        tables.append(make_estimates_table(shown.results))
    return tables


def make_order_tables(
    results: Sequence[ScreenResult], *, rng: np.random.Generator, against: str = ""
) -> list[Table]:
    """Return the tables of how soon records are found."""
    by_method = _measure_results(results)
    if not by_method:
        return []
    tables = [_make_methods_table(by_method, rng=rng)]
    if against in by_method and len(by_method) > 1:
        tables.append(_make_differences_table(by_method, against, rng=rng))
    return [*tables, _make_reviews_table(results, by_method)]


def make_task_key(result: ScreenResult) -> TaskKey:
    """Return the key by which replays are paired."""
    return TaskKey(result.seeds, result.review, result.draw, result.fingerprint)


def _measure_results(results: Iterable[ScreenResult]) -> Measured:
    found: Measured = defaultdict(lambda: {name: {} for name in MEASURES})
    for result in results:
        for name, value in measure_order(result.order).items():
            if value is not None:
                found[result.method][name][make_task_key(result)] = value
    return dict(found)


def _make_methods_table(by_method: Measured, *, rng: np.random.Generator) -> Table:
    means = {
        method: {
            name: average_over_topics(values, rng=rng) for name, values in by_name.items() if values
        }
        for method, by_name in by_method.items()
    }
    rows = [
        Row(
            (
                method,
                *(_make_number(name, means[method].get(name), means) for name in MEASURES),
                count(max(map(len, by_method[method].values()))),
            )
        )
        for method in by_method
    ]
    reviews = {key.topic for by_name in by_method.values() for key in by_name[MEASURES[0]]}
    return Table(
        title=f"Reviews replayed: means over {len(reviews)} review{'s' * (len(reviews) > 1)}",
        columns=("method", *MEASURES, "replays"),
        rows=tuple(rows),
        notes=(
            "Means over draws, then over reviews, with 95 % intervals over reviews, in per cent.",
            (
                "Of the records that are left after the seeds; negatives that a tool was given to "
                "begin with cost it nothing."
            ),
            "ATD (average time to discovery) and what has to be read are better if they are low.",
        ),
    )


def _make_number(
    name: str, mean: Mean | None, means: Mapping[str, Mapping[str, Mean]]
) -> Number | None:
    if mean is None:
        return None
    values = [one[name].value for one in means.values() if name in one]
    best = min(values) if name in LOWER_IS_BETTER else max(values)
    return Number(mean.value, low=mean.low, high=mean.high, is_best=mean.value == best)


def _make_differences_table(
    by_method: Measured, against: str, *, rng: np.random.Generator
) -> Table:
    rows = []
    for method in (name for name in by_method if name != against):
        own, other = by_method[method], by_method[against]
        # An order that ends early has only some measures.
        for name in [one for one in MEASURES if own[one].keys() & other[one].keys()] or MEASURES:
            found = compare_methods(own[name], other[name], rng=rng)
            gap = found.difference
            difference = Number(gap.value, "difference", low=gap.low, high=gap.high)
            rows.append(Row((method, name, difference, Number(found.p, "p"), count(found.tasks))))
    return Table(
        title=f"Differences to {against}",
        columns=("method", "measure", "difference", "p", "replays"),
        rows=tuple(rows),
        notes=(
            (
                "Paired by review and draw; 95 % intervals and Wilcoxon's signed-rank test over "
                "reviews. ATD and what has to be read are better if they are low."
            ),
        ),
    )


def _make_reviews_table(results: Sequence[ScreenResult], by_method: Measured) -> Table:
    methods = [name for name in dict.fromkeys(one.method for one in results) if name in by_method]
    means = {method: average_topics(by_method[method][MEASURES[0]]) for method in methods}
    first = {result.review: result for result in results}
    rows = []
    for review in sorted(first):
        found = [means[method].get(review) for method in methods]
        best = max((value for value in found if value is not None), default=None)
        shown = [None if one is None else Number(one, is_best=one == best) for one in found]
        sizes = (count(first[review].records), count(first[review].on_topic))
        rows.append(Row((review, *sizes, *shown)))
    return Table(
        title=f"{MEASURES[0]}, review by review",
        columns=("review", "records", "on topic", *methods),
        rows=tuple(rows),
        notes=("Means over draws; seeds are not counted.",),
    )


def make_rules_table(stops: Sequence[Stop], *, target: Target) -> Table:
    """Return the table of where rules stop, by kind of review."""
    groups = group_by(
        sorted(stops, key=lambda stop: stop.result.kind),
        lambda stop: (stop.result.kind or ANY_KIND, stop.result.method, stop.rule),
    )
    rows = tuple(_make_rule_row(names, found, target=target) for names, found in groups.items())
    return Table(
        title=f"Stopping rules, asked for a recall of {target.recall:.0%}",
        columns=(
            *("reviews", "order of", "rule"),
            *("read", "beyond need", "recall", "lowest", "stated", "reached", "replays"),
        ),
        rows=rows,
        notes=(
            (
                "What share of the records is looked at, audits included, how much of that is more "
                "than the recall takes in the same order, and what recall is reached: means over "
                "reviews, and the lowest of all replays."
            ),
            (
                "Reached: the share of replays that end at the recall or above it, with its exact "
                "95 % interval; draws of one review are alike, so it is a little too narrow."
            ),
            "What is calibrated on replays is asked without those of the same review.",
        ),
    )


def _make_rule_row(names: tuple[str, ...], found: Sequence[Stop], *, target: Target) -> Row:
    """Return the row of a rule on the orders of a method, for one kind of review."""
    reached = sum(stop.recall >= target.recall - 1e-9 for stop in found)
    return Row(
        (
            *names,
            *(Number(average_reviews(found, name)) for name in ("cost", "beyond", "recall")),
            Number(min(stop.recall for stop in found)),
            None if found[0].stated is None else Number(found[0].stated),
            _make_share(reached, len(found)),
            count(len(found)),
        )
    )


def _make_share(hits: int, replays: int) -> Number:
    """Return a share with its exact 95 % interval."""
    return Number(
        hits / replays,
        low=share_at_least(hits, sample=replays, confidence=0.975),
        high=share_at_most(hits, sample=replays, confidence=0.975),
    )


def average_reviews(stops: Sequence[Stop], name: str) -> float:
    """Return the mean over reviews of what stops have by this name, such as their cost."""
    values = {make_task_key(stop.result): getattr(stop, name) for stop in stops}
    return fmean(average_topics(values).values())


def make_estimates_table(results: Sequence[ScreenResult]) -> Table:
    """Return the table of estimates of what is left, by kind of review."""
    groups = group_by(
        sorted((result for result in results if result.rounds), key=lambda result: result.kind),
        lambda result: (result.kind or ANY_KIND, result.method),
    )
    rows = []
    for names, members in groups.items():
        by_depth = group_by(list_estimates(members), lambda one: one.depth)
        for depth in DEPTHS:
            if at := by_depth.get(depth):
                covered = _make_share(sum(one.is_inside for one in at), len(at))
                error = Number(fmean(one.error for one in at), "difference")
                rows.append(Row((*names, f"{depth:.0%}", error, covered, count(len(at)))))
    return Table(
        title="How many are left: estimates and the truth",
        columns=("reviews", "method", "recall so far", "error", "inside", "replays"),
        rows=tuple(rows),
        notes=(
            (
                "Error: what is estimated to be left less what is, as a share of all on topic. "
                "Inside: how often the truth is within the 80 % interval."
            ),
        ),
    )
