"""What methods come to in the mean over topics, how far they can be believed, and what they cost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from likewise.bench.figures.look import (
    FIRST,
    INK,
    SECOND,
    CaptionedChart,
    altair,
    finish_chart,
    inline_rows,
    panel_title,
)
from likewise.bench.figures.points import (
    Point,
    describe_topics,
    keep_comparable,
    keep_measured,
    order_labels,
)
from likewise.bench.measures.significance import bootstrap_mean
from likewise.errors import RunError

METHODS = "methods"


WIDTH, ROW = 230, 22
COLUMNS = 3
CALIBRATION = "calibration"
ERROR, COVERED = "calibration error", "interval covered"
WANTED = 0.8
"""The share of intervals that should hold the truth, as they claim."""


def draw_methods(points: Sequence[Point]) -> CaptionedChart:
    """Draw the means of F1 and average precision, a row a method, a panel a number of seeds."""
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
        chart=finish_chart(chart, description=caption),
    )


class Dot(NamedTuple):
    """The mean of a method over topics, and between which values it lies with 95 % confidence."""

    label: str
    seeds: int
    measure: str
    mean: float
    low: float
    high: float


def average_dots(points: Sequence[Point], measure: str) -> Iterator[Dot]:
    """Yield the mean of a measure for each number of seeds and method."""
    found: dict[tuple[int, str], list[float]] = defaultdict(list)
    for point in keep_measured(points, measure):
        found[point.seeds, point.label].append(point.measures[measure])
    for (seeds, label), values in sorted(found.items()):
        # The same topics are drawn for every method, since each begins with the same number.
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
    """Return what dots show, in words."""
    said = [
        f"{one.label} with {one.seeds} seeds: {one.measure} {one.mean:.2f} "
        f"({one.low:.2f} to {one.high:.2f})"
        for one in found
    ]
    return "A dot plot, a row a method. " + "; ".join(said) + "."


def plot_dots(
    found: Sequence[Dot], *, order: Sequence[str], title: str, wanted: float | None = None
) -> Any:
    """Return the chart of dots.

    Args:
        found: Of one or two measures.
        order: The labels of the methods, from the top.
        title: Of the horizontal axis.
        wanted: A value to compare with, drawn as a dotted line.
    """
    alt = altair()
    panels = [panel_title(size) for size in sorted({one.seeds for one in found})]
    rows = [{**one._asdict(), "panel": panel_title(one.seeds)} for one in found]
    top = min(1.0, max(0.1, *(one.high * 1.05 for one in found), wanted or 0))
    y = alt.Y("label:N", sort=list(order), title=None).axis(domain=False, ticks=False)
    x = alt.X("low:Q", title=title).scale(domain=[0, top], nice=True).axis(tickCount=5)
    layers = _draw_marks(
        alt.Chart().encode(y=y), x, list(dict.fromkeys(one.measure for one in found))
    )
    if wanted is not None:
        line = alt.Chart().mark_rule(strokeDash=[2, 2], color=INK)
        layers.append(line.encode(x=alt.datum(wanted)))
    return (
        alt.layer(*layers, data=inline_rows(rows))
        .properties(width=WIDTH, height=alt.Step(ROW, **{"for": "position"}))
        .facet(facet=alt.Facet("panel:N", title=None, sort=panels), columns=COLUMNS)
        .resolve_axis(x="independent")
    )


def _draw_marks(base: Any, x: Any, measures: Sequence[str]) -> list[Any]:
    alt = altair()
    numbers = [alt.Tooltip(f"{name}:Q", format=".3f") for name in ("mean", "low", "high")]
    hover = ["label:N", "measure:N", *numbers]
    whiskers = base.mark_rule(strokeWidth=1.5, color=FIRST).encode(x=x, x2="high:Q")
    marks = base.mark_point(filled=True, size=50, opacity=1, color=FIRST, shape="circle").encode(
        x="mean:Q", tooltip=hover
    )
    if len(measures) < 2:
        return [whiskers, marks]
    key = alt.Legend(orient="top")
    apart = {
        "color": alt.Color("measure:N", legend=key).scale(domain=measures, range=[FIRST, SECOND]),
        "yOffset": alt.YOffset("measure:N", sort=list(measures)),
    }
    shape = alt.Shape("measure:N", legend=key).scale(domain=measures, range=["circle", "diamond"])
    return [whiskers.encode(**apart), marks.encode(shape=shape, **apart)]


def draw_calibration(points: Sequence[Point]) -> CaptionedChart:
    """Draw the calibration error of methods, and how often their intervals held the truth."""
    shown = keep_comparable(keep_measured(points, ERROR, COVERED))
    if not shown:
        raise RunError(f"{CALIBRATION} needs methods that tell probabilities and a prior")
    order = order_labels(shown, ERROR)[::-1]
    errors, covered = list(average_dots(shown, ERROR)), list(average_dots(shown, COVERED))
    caption = (
        "Above, the expected calibration error of probabilities (lower is better); below, the "
        f"share of tasks whose {100 * WANTED:.0f} % interval held the true prior (dotted: what it "
        f"claims). Means over {describe_topics(shown)}, with 95 % bootstrap intervals."
    )
    chart = altair().vconcat(
        plot_dots(errors, order=order, title=ERROR),
        plot_dots(covered, order=order, title="share of intervals that held", wanted=WANTED),
    )
    return CaptionedChart(
        name=CALIBRATION,
        title="Calibration of methods",
        caption=caption,
        alternative=describe_dots([*errors, *covered]),
        chart=finish_chart(chart, description=caption),
    )
