"""How BM25 scores documents on and off topic; Figure 2 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likewise.bench.figures.look import (
    FIRST,
    INK,
    MUTED,
    SIZE,
    CaptionedChart,
    finish_chart,
    inline_rows,
    load_altair,
)
from likewise.bench.tasks.task import TaskEntry, TaskMetadata, Truth
from likewise.errors import RunError

NAME = "scores"
WIDTH, HEIGHT = 460, 120
BUCKETS = 40
_WIDTHS = (0.1, 0.2, 0.25, 0.5, 1, 2, 2.5, 5, 10, 20, 25, 50, 100)


class Bucket(NamedTuple):
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
        raise RunError(f"{NAME} needs a pool with the engine's scores, which this one has not")
    on, off = int(relevant.sum()), int((~relevant).sum())
    caption = (
        f"BM25 scores of the pool for {metadata.topic} with {metadata.seeds} seeds: {on:,} "
        f"documents on topic, {off:,} off topic (precision {100 * on / len(found):.1f} %)."
    )
    return CaptionedChart(
        name=NAME,
        title=f"BM25 scores of the pool for {metadata.topic}",
        caption=caption,
        alternative=_describe_scores(found, relevant),
        chart=finish_chart(_draw_histograms(found, relevant), description=caption),
    )


def count_buckets(found: NDArray[np.float64], relevant: NDArray[np.bool_]) -> list[Bucket]:
    """Return how many scores are in each of at most about forty buckets of a round width."""
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
        _draw_histogram(counted, "on_topic", colour=FIRST, scores=found[relevant], last=False),
        _draw_histogram(counted, "off_topic", colour=MUTED, scores=found[~relevant], last=True),
    ]
    return load_altair().vconcat(*panels, spacing=14)


def _draw_histogram(
    counted: Sequence[Bucket], side: str, *, colour: str, scores: NDArray[np.float64], last: bool
) -> Any:
    alt = load_altair()
    rows = [{"low": one.low, "high": one.high, "documents": getattr(one, side)} for one in counted]
    axis = alt.Axis(grid=False, labels=last, title="BM25 score" if last else None)
    x = alt.X("low:Q", axis=axis).scale(domain=[counted[0].low, counted[-1].high], nice=False)
    bars = alt.Chart(inline_rows(rows)).mark_bar(color=colour, stroke="white", strokeWidth=0.5)
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
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title)


def _draw_median(scores: NDArray[np.float64]) -> list[Any]:
    if not len(scores):
        return []
    middle = float(np.median(scores))
    alt = load_altair()
    at = alt.Chart(inline_rows([{"low": middle, "text": f"median {middle:.1f}"}])).encode(x="low:Q")
    rule = at.mark_rule(strokeDash=[2, 2], color=INK)
    text = at.mark_text(align="left", dx=4, fontSize=SIZE, color=INK)
    return [rule, text.encode(y=alt.value(6), text="text:N")]
