"""Figures of means over topics: how good methods are, how well calibrated, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from likewise.bench import group_by
from likewise.bench.figures import look
from likewise.bench.figures.look import CaptionedChart, alt
from likewise.bench.figures.points import (
    Point,
    describe_topics,
    keep_comparable,
    keep_measured,
    order_labels,
)
from likewise.bench.measures import bootstrap_mean
from likewise.errors import RunError

METHODS = "methods"
WIDTH, ROW = 230, 22
COLUMNS = 3
CALIBRATION = "calibration"
ERROR, COVERED = "calibration error", "interval covered"
WANTED = 0.8
"""The share of intervals that should contain the truth."""
COST = "cost"
WORTH, SECONDS = "AP", "seconds"
LEAST = 0.001
"""Shorter times are drawn as this one, about the resolution of clocks."""
COST_WIDTH, COST_HEIGHT = 340, 260
MARGIN = 45
"""How far labels may reach beyond a panel."""


def draw_methods(points: Sequence[Point]) -> CaptionedChart:
    """Draw means of F1 and average precision, with a row per method and a panel per |LP|."""
    shown = keep_comparable(keep_measured(points, "F1"))
    if not shown:
        raise RunError(f"{METHODS} needs F1 on topics that all methods have")
    found = [*average_dots(shown, "F1"), *average_dots(shown, "AP")]
    caption = (
        "F1 at the decision and average precision (AP) of the methods, sorted by F1: means over "
        f"{describe_topics(shown)}, with 95 % bootstrap intervals."
    )
    chart = plot_dots(found, order=order_labels(shown, "F1"), title="mean over topics")
    return CaptionedChart(
        name=METHODS,
        title="Methods in the mean over topics",
        caption=caption,
        alternative=describe_dots(found),
        chart=look.finish_chart(chart, description=caption),
    )


@dataclass(frozen=True)
class Dot:
    """The mean of a method over topics, with its 95 % interval."""

    label: str
    seeds: int
    measure: str
    mean: float
    low: float
    high: float


def average_dots(points: Sequence[Point], measure: str) -> Iterator[Dot]:
    """Yield the mean of a measure for each method and number of seeds."""
    found = group_by(keep_measured(points, measure), lambda point: (point.seeds, point.label))
    for seeds, label in sorted(found):
        values = [point.measures[measure] for point in found[seeds, label]]
        # Every method's bootstrap starts from the same number, so all of them draw the same topics.
        mean, low, high = bootstrap_mean(values, rng=np.random.default_rng(0))
        yield Dot(
            label,
            seeds,
            measure,
            mean,
            low=mean if low is None else low,
            high=mean if high is None else high,
        )


def describe_dots(found: Sequence[Dot]) -> str:
    """Return a description of dots in words."""
    parts = [
        f"{one.label} with {one.seeds} seeds: {one.measure} {one.mean:.2f} "
        f"({one.low:.2f} to {one.high:.2f})"
        for one in found
    ]
    return "A dot plot, a row a method. " + "; ".join(parts) + "."


def plot_dots(
    found: Sequence[Dot], *, order: Sequence[str], title: str, wanted: float | None = None
) -> Any:
    """Return a chart of dots.

    Args:
        found: The dots of one or two measures.
        order: The labels of the methods, from the top.
        title: The title of the horizontal axis.
        wanted: A value to compare with, drawn as a dotted line.
    """
    panels = [look.make_panel_title(size) for size in sorted({one.seeds for one in found})]
    rows = [{**asdict(one), "panel": look.make_panel_title(one.seeds)} for one in found]
    top = min(1.0, max(0.1, *(one.high * 1.05 for one in found), wanted or 0))
    y = alt.Y("label:N", sort=list(order), title=None).axis(domain=False, ticks=False)
    x = alt.X("low:Q", title=title).scale(domain=[0, top], nice=True).axis(tickCount=5)
    layers = _draw_marks(
        alt.Chart().encode(y=y), x, list(dict.fromkeys(one.measure for one in found))
    )
    if wanted is not None:
        line = alt.Chart().mark_rule(strokeDash=[2, 2], color=look.INK)
        layers.append(line.encode(x=alt.datum(wanted)))
    return (
        alt.layer(*layers, data=look.inline_rows(rows))
        .properties(width=WIDTH, height=alt.Step(ROW, **{"for": "position"}))
        .facet(facet=alt.Facet("panel:N", title=None, sort=panels), columns=COLUMNS)
        .resolve_axis(x="independent")
    )


def _draw_marks(base: Any, x: Any, measures: Sequence[str]) -> list[Any]:
    numbers = [alt.Tooltip(f"{name}:Q", format=".3f") for name in ("mean", "low", "high")]
    hover = ["label:N", "measure:N", *numbers]
    whiskers = base.mark_rule(strokeWidth=1.5, color=look.FIRST).encode(x=x, x2="high:Q")
    marks = base.mark_point(
        filled=True, size=50, opacity=1, color=look.FIRST, shape="circle"
    ).encode(x="mean:Q", tooltip=hover)
    if len(measures) < 2:
        return [whiskers, marks]
    key = alt.Legend(orient="top")
    apart = {
        "color": alt.Color("measure:N", legend=key).scale(
            domain=measures, range=[look.FIRST, look.SECOND]
        ),
        "yOffset": alt.YOffset("measure:N", sort=list(measures)),
    }
    shape = alt.Shape("measure:N", legend=key).scale(domain=measures, range=["circle", "diamond"])
    return [whiskers.encode(**apart), marks.encode(shape=shape, **apart)]


def draw_calibration(points: Sequence[Point]) -> CaptionedChart:
    """Draw methods' calibration error, and how often their intervals contain the truth."""
    shown = keep_comparable(keep_measured(points, ERROR, COVERED))
    if not shown:
        raise RunError(f"{CALIBRATION} needs methods that estimate probabilities and a prior")
    order = order_labels(shown, ERROR)[::-1]
    errors, covered = list(average_dots(shown, ERROR)), list(average_dots(shown, COVERED))
    caption = (
        "Above, the expected calibration error of probabilities (lower is better); below, the "
        f"share of tasks whose {100 * WANTED:.0f} % interval held the true prior (dotted: what it "
        f"claims). Means over {describe_topics(shown)}, with 95 % bootstrap intervals."
    )
    chart = alt.vconcat(
        plot_dots(errors, order=order, title=ERROR),
        plot_dots(covered, order=order, title="share of intervals that held", wanted=WANTED),
    )
    return CaptionedChart(
        name=CALIBRATION,
        title="Calibration of methods",
        caption=caption,
        alternative=describe_dots([*errors, *covered]),
        chart=look.finish_chart(chart, description=caption),
    )


@dataclass(frozen=True)
class Cost:
    """The mean seconds per task and mean average precision of a method over topics."""

    label: str
    seeds: int
    seconds: float
    value: float


def draw_cost(points: Sequence[Point]) -> CaptionedChart:
    """Draw average precision against seconds, with a dot per method and a panel per |LP|."""
    shown = keep_comparable(keep_measured(points, WORTH, SECONDS))
    found = list(average_costs(shown))
    if not found:
        raise RunError(f"{COST} needs {WORTH} and seconds on topics that all methods have")
    caption = (
        f"Average precision ({WORTH}) of the methods against the seconds that they take for a "
        f"task (logarithmic): means over {describe_topics(shown)}."
    )
    parts = [
        f"{one.label} with {one.seeds} seeds: {one.value:.2f} in {one.seconds:.3g} s"
        for one in found
    ]
    return CaptionedChart(
        name=COST,
        title="Average precision against time",
        caption=caption,
        alternative="A scatter plot, a dot a method. " + "; ".join(parts) + ".",
        chart=look.finish_chart(_draw_costs(found), description=caption),
    )


def average_costs(points: Sequence[Point]) -> Iterator[Cost]:
    """Yield the time and average precision of each method for each number of seeds."""
    found = group_by(points, lambda point: (point.seeds, point.label))
    for (seeds, label), cell in sorted(found.items()):
        seconds = fmean(point.measures[SECONDS] for point in cell)
        value = fmean(point.measures[WORTH] for point in cell)
        yield Cost(label, seeds, max(LEAST, seconds), value)


class _Frame(NamedTuple):
    """The range of the axes, which is the same in every panel."""

    least: float
    most: float
    top: float

    def locate(self, one: Cost) -> tuple[float, float]:
        """Return the place of a dot, from the left and from the top."""
        across = math.log(one.seconds / self.least) / math.log(self.most / self.least)
        return COST_WIDTH * across, COST_HEIGHT * (1 - one.value / self.top)


def _draw_costs(found: Sequence[Cost]) -> Any:
    times = [one.seconds for one in found]
    frame = _Frame(
        least=10 ** math.floor(math.log10(min(times))),
        # The factor leaves room for the labels of the slowest methods.
        most=10 ** math.ceil(math.log10(8 * max(times))),
        top=max(0.1, math.ceil(10.5 * max(one.value for one in found)) / 10),
    )
    panels = [
        _draw_cost_panel([one for one in found if one.seeds == size], frame)
        for size in sorted({one.seeds for one in found})
    ]
    return alt.concat(*panels, columns=2, spacing=MARGIN)


def _draw_cost_panel(found: Sequence[Cost], frame: _Frame) -> Any:
    x = (
        alt.X("seconds:Q", title="seconds a task")
        .scale(type="log", domain=[frame.least, frame.most])
        .axis(format="~g", tickCount=5, grid=True)
    )
    y = alt.Y("value:Q", title=WORTH).scale(domain=[0, frame.top]).axis(tickCount=6)
    hover = ["label:N", *(alt.Tooltip(f"{name}:Q", format=".3f") for name in (SECONDS, "value"))]
    marks = alt.Chart(look.inline_rows([asdict(one) for one in found])).mark_point(
        filled=True, size=50, color=look.FIRST, opacity=1
    )
    labels = look.draw_labels(
        [asdict(one) | {"label": look.shorten_label(one.label)} for one in found],
        [frame.locate(one) for one in found],
        text="label",
        width=COST_WIDTH + MARGIN,
        x="seconds:Q",
        y="value:Q",
    )
    return alt.layer(marks.encode(x=x, y=y, tooltip=hover), *labels).properties(
        width=COST_WIDTH, height=COST_HEIGHT, title=look.make_panel_title(found[0].seeds)
    )
