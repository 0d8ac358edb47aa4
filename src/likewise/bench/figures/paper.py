"""The paper's figures: how far methods stay below the upper bound (1), and how BM25 scores (2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likewise.bench.figures import look
from likewise.bench.figures.look import CaptionedChart, alt
from likewise.bench.figures.points import (
    BOUNDS,
    TOP_K,
    UPPER_BOUND,
    Distance,
    Point,
    describe_topics,
    keep_comparable,
    keep_measured,
    measure_distances,
)
from likewise.bench.tasks import TaskEntry, TaskMetadata, Truth
from likewise.errors import RunError

NAME = "learning-curve"
WIDTH, HEIGHT = 420, 280
SCORES_NAME = "scores"
HISTOGRAM_WIDTH, HISTOGRAM_HEIGHT = 460, 120
BUCKETS = 40
_WIDTHS = (0.1, 0.2, 0.25, 0.5, 1, 2, 2.5, 5, 10, 20, 25, 50, 100)


def draw_learning_curve(points: Sequence[Point]) -> CaptionedChart:
    """Draw the distance to the upper bound by the number of seeds, with a line per method."""
    shown = keep_comparable(keep_measured(points, "F1"), over_sizes=True)
    found = list(measure_distances(shown))
    if len({one.seeds for one in found}) < 2:
        raise RunError(
            f"{NAME} needs the methods and {' or '.join(BOUNDS)} on the same topics with two or "
            "more numbers of seeds"
        )
    caption = (
        "Distance of F1 to that of the upper bound, |F1 - bound| / (F1 + bound), as the labelled "
        f"seeds |LP| grow in number: mean and deviation over {describe_topics(shown)}. "
        f"{_describe_bounds(shown)}"
        + (
            " Top k is that of the first k documents of bm25, mean and deviation over k."
            if any(point.label == "bm25" and TOP_K in point.measures for point in shown)
            else ""
        )
    )
    return CaptionedChart(
        name=NAME,
        title="Distance to the upper bound as seeds grow in number",
        caption=caption,
        alternative=_describe_distances(found),
        chart=look.finish_chart(_draw_curves(found), description=caption),
    )


def _describe_bounds(points: Sequence[Point]) -> str:
    there = [name for name in BOUNDS if any(point.method == name for point in points)]
    if len(there) < 2:
        return f"The bound is {there[0] if there else UPPER_BOUND}."
    return "The bound of networks and of top k is upper-bound-cnn, that of others upper-bound."


def _describe_distances(found: Sequence[Distance]) -> str:
    lines = []
    for method in sorted({one.method for one in found}):
        line = [one for one in found if one.method == method]
        ends = f"{line[0].mean:.2f} with {line[0].seeds} seeds"
        if len(line) > 1:
            ends += f", {line[-1].mean:.2f} with {line[-1].seeds:,}"
        lines.append(f"{method}: {ends}")
    return "A line chart, a line a method. " + "; ".join(lines) + "."


def _draw_curves(found: Sequence[Distance]) -> Any:
    last = {one.method: one for one in found}
    names = sorted(last, key=lambda name: last[name].mean)
    top = max(one.high for one in found) * 1.05
    ticks = sorted({one.seeds for one in found})
    x = (
        alt.X("seeds:Q", title="labelled seeds |LP|")
        .scale(type="log", domain=[ticks[0], ticks[-1]], nice=False)
        .axis(values=ticks, grid=False, format=",d")
    )
    colour = alt.Color("method:N", scale=look.make_colours(names), legend=None)
    base = alt.Chart(look.inline_rows([asdict(one) for one in found])).encode(x=x, color=colour)
    y = alt.Y("mean:Q", title="distance to the upper bound").scale(domain=[0, top], nice=False)
    band = base.mark_area(opacity=0.12 if len(names) < 6 else 0.07).encode(
        y=alt.Y("low:Q").scale(domain=[0, top]), y2="high:Q"
    )
    dash = alt.StrokeDash("method:N", scale=look.make_dashes(names), legend=None)
    line = base.mark_line(strokeWidth=2).encode(y=y, strokeDash=dash)
    dots = base.mark_point(filled=True, size=36, opacity=1).encode(
        y=y, tooltip=["method:N", "seeds:Q", alt.Tooltip("mean:Q", format=".3f")]
    )
    ends = _draw_labels([last[name] for name in names], top)
    return alt.layer(band, line, dots, *ends).properties(width=WIDTH, height=HEIGHT)


def _draw_labels(last: Sequence[Distance], top: float) -> list[Any]:
    """Return the methods' names to the right of the panel, a thin stroke from each to its line."""
    places = look.spread_labels([one.mean for one in last], gap=14 * top / HEIGHT)
    rows = [
        {
            "method": look.shorten_label(one.method),
            "mean": one.mean,
            "place": place,
            "seeds": one.seeds,
        }
        for one, place in zip(last, places, strict=True)
    ]
    base = alt.Chart(look.inline_rows(rows))
    stroke = base.mark_rule(strokeWidth=0.6, color=look.MUTED).encode(
        x=alt.value(WIDTH + 5), x2=alt.value(WIDTH + 22), y="mean:Q", y2="place:Q"
    )
    text = base.mark_text(align="left", color=look.INK).encode(
        x=alt.value(WIDTH + 26), y="place:Q", text="method:N"
    )
    return [stroke, text]


@dataclass(frozen=True)
class Bucket:
    """How many documents of a pool have scores in a range."""

    low: float
    high: float
    on_topic: int
    off_topic: int


def draw_scores(
    metadata: TaskMetadata, entries: Sequence[TaskEntry], truth: Truth
) -> CaptionedChart:
    """Draw histograms of the engine's scores of a pool, on topic and off topic."""
    scored = [one for one in entries if one.label == "unlabeled" and one.score is not None]
    found = np.array([entry.score for entry in scored], dtype=float)
    relevant = np.array([entry.id in truth.relevant for entry in scored], dtype=bool)
    if not len(found):
        raise RunError(
            f"{SCORES_NAME} needs a pool with the engine's scores, and this one has none"
        )
    on, off = int(relevant.sum()), int((~relevant).sum())
    caption = (
        f"BM25 scores of the pool for {metadata.topic} with {metadata.seeds} seeds: {on:,} "
        f"documents on topic, {off:,} off topic (precision {100 * on / len(found):.1f} %)."
    )
    return CaptionedChart(
        name=SCORES_NAME,
        title=f"BM25 scores of the pool for {metadata.topic}",
        caption=caption,
        alternative=_describe_scores(found, relevant),
        chart=look.finish_chart(_draw_histograms(found, relevant), description=caption),
    )


def count_buckets(found: NDArray[np.float64], relevant: NDArray[np.bool_]) -> list[Bucket]:
    """Count the scores in buckets of a round width, about forty at most."""
    span = float(found.max() - found.min())
    width = next((width for width in _WIDTHS if width * BUCKETS >= span), span / BUCKETS)
    first = np.floor(found.min() / width)
    edges = width * np.arange(first, np.floor(found.max() / width) + 2)
    on, off = (np.histogram(found[side], edges)[0] for side in (relevant, ~relevant))
    return [
        Bucket(float(low), float(high), int(few), int(many))
        for low, high, few, many in zip(edges, edges[1:], on, off, strict=False)
    ]


def _describe_scores(found: NDArray[np.float64], relevant: NDArray[np.bool_]) -> str:
    sides = [
        f"{name}, {side.sum():,} documents, median {np.median(found[side]):.1f}"
        for name, side in (("on topic", relevant), ("off topic", ~relevant))
        if side.any()
    ]
    return (
        f"Two histograms of scores from {found.min():.1f} to {found.max():.1f}: "
        + "; ".join(sides)
        + "."
    )


def _draw_histograms(found: NDArray[np.float64], relevant: NDArray[np.bool_]) -> Any:
    counted = count_buckets(found, relevant)
    panels = [
        _draw_histogram(counted, "on_topic", colour=look.FIRST, scores=found[relevant], last=False),
        _draw_histogram(
            counted, "off_topic", colour=look.MUTED, scores=found[~relevant], last=True
        ),
    ]
    return alt.vconcat(*panels, spacing=14)


def _draw_histogram(
    counted: Sequence[Bucket], side: str, *, colour: str, scores: NDArray[np.float64], last: bool
) -> Any:
    rows = [{"low": one.low, "high": one.high, "documents": getattr(one, side)} for one in counted]
    axis = alt.Axis(grid=False, labels=last, title="BM25 score" if last else None)
    x = alt.X("low:Q", axis=axis).scale(domain=[counted[0].low, counted[-1].high], nice=False)
    bars = alt.Chart(look.inline_rows(rows)).mark_bar(color=colour, stroke="white", strokeWidth=0.5)
    shown = bars.encode(
        x=x,
        x2="high:Q",
        y=alt.Y("documents:Q", title="documents")
        .scale(domain=[0, 1.15 * max(1, *(row["documents"] for row in rows))], nice=False)
        .axis(tickCount=4, format=",d", minExtent=32),
        y2=alt.datum(0),
        tooltip=["low:Q", "high:Q", "documents:Q"],
    )
    title = f"{side.replace('_', ' ')} ({len(scores):,})"
    layers = [shown, *_draw_median(scores)]
    return alt.layer(*layers).properties(
        width=HISTOGRAM_WIDTH, height=HISTOGRAM_HEIGHT, title=title
    )


def _draw_median(scores: NDArray[np.float64]) -> list[Any]:
    if not len(scores):
        return []
    middle = float(np.median(scores))
    at = alt.Chart(look.inline_rows([{"low": middle, "text": f"median {middle:.1f}"}])).encode(
        x="low:Q"
    )
    rule = at.mark_rule(strokeDash=[2, 2], color=look.INK)
    text = at.mark_text(align="left", dx=4, fontSize=look.SIZE, color=look.INK)
    return [rule, text.encode(y=alt.value(6), text="text:N")]
