"""Figures topic by topic: which method is best, and what pretraining is worth.

To show what pretraining is worth, a method with an encoder is compared with the same method without
one, or a network whose embeddings start from latent topics with one whose embeddings start random.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

from likewise.bench import group_by
from likewise.bench.figures import look
from likewise.bench.figures.look import CaptionedChart, alt
from likewise.bench.figures.points import (
    UPPER_BOUND,
    Point,
    keep_measured,
    list_sizes,
    order_labels,
)
from likewise.errors import RunError

TOPICS = "topics"
MEASURE = "F1"
COLUMN, ROW = 44, 20
PRETRAINED = "pretrained"
WIDTH, HEIGHT = 150, 220
_POINT = {"color": look.FIRST, "filled": True, "size": 40}
_START = re.compile(r",?\s*\bstart=(random|topics)")


def draw_topics(points: Sequence[Point]) -> CaptionedChart:
    """Draw F1 for every method and topic, with a panel per |LP|; the best are outlined."""
    shown = keep_measured(points, MEASURE)
    if len({point.topic for point in shown}) < 2:
        raise RunError(f"{TOPICS} needs results with {MEASURE} on two or more topics")
    won = find_best(shown)
    caption = (
        f"{MEASURE} of the methods on each topic, mean over draws; methods are ordered by their "
        "mean, topics by theirs, and the best of a topic (but for upper bounds) is outlined."
    )
    return CaptionedChart(
        name=TOPICS,
        title=f"{MEASURE} of methods by topic",
        caption=caption,
        alternative=_describe_best(won),
        chart=look.finish_chart(_draw_shades(shown, won), description=caption),
    )


def find_best(points: Sequence[Point]) -> list[Point]:
    """Return the best point of each topic and number of seeds, without upper bounds."""
    rivals = (point for point in points if not point.label.startswith(UPPER_BOUND))
    found = group_by(rivals, lambda point: (point.seeds, point.topic))
    return [max(found[place], key=_get_value) for place in sorted(found)]


def _get_value(point: Point) -> float:
    return point.measures[MEASURE]


def _describe_best(won: Sequence[Point]) -> str:
    parts = [
        f"{one.topic} with {one.seeds} seeds: {one.label}, {_get_value(one):.2f}" for one in won
    ]
    return "A table of shades, topics by methods. The best: " + "; ".join(parts) + "."


def _draw_shades(shown: Sequence[Point], won: Sequence[Point]) -> Any:
    found = group_by(shown, lambda point: point.topic)
    down = sorted(found, key=lambda topic: (-fmean(map(_get_value, found[topic])), topic))
    across = order_labels(shown, MEASURE)
    top = max(map(_get_value, shown))
    panels = [
        _draw_shades_panel([point for point in shown if point.seeds == size], won, top).encode(
            x=alt.X("label:N", sort=across, title=None).axis(
                orient="top", labelAngle=-40, grid=False, domain=False, ticks=False, labelLimit=180
            ),
            y=alt.Y("topic:N", sort=down, title=None).axis(
                grid=False, domain=False, ticks=False, labelLimit=300
            ),
        )
        for size in list_sizes(shown)
    ]
    return alt.vconcat(*panels)


def _draw_shades_panel(shown: Sequence[Point], won: Sequence[Point], top: float) -> Any:
    rows = [
        {
            "label": point.label,
            "topic": point.topic,
            "value": _get_value(point),
            "won": point in won,
        }
        for point in shown
    ]
    base = alt.Chart(look.inline_rows(rows))
    shade = alt.Color("value:Q", legend=None).scale(domain=[0, top], range=list(look.SHADES))
    hover = ["topic:N", "label:N", alt.Tooltip("value:Q", format=".3f", title=MEASURE)]
    cells = base.mark_rect(stroke="white", strokeWidth=1).encode(color=shade, tooltip=hover)
    outlines = base.transform_filter("datum.won").mark_rect(
        fill=None, stroke=look.INK, strokeWidth=1.5, filled=False
    )
    numbers = base.mark_text(fontSize=look.SIZE - 1, color=look.INK).encode(
        text=alt.Text("value:Q", format=".2f")
    )
    return alt.layer(cells, outlines, numbers).properties(
        width=alt.Step(COLUMN), height=alt.Step(ROW), title=look.make_panel_title(shown[0].seeds)
    )


def draw_pretrained(points: Sequence[Point]) -> CaptionedChart:
    """Draw F1 without and with pretraining: a line per topic, a panel per method and |LP|."""
    found = sorted(
        find_pretraining_pairs(keep_measured(points, MEASURE)),
        key=lambda pair: (pair.method, pair.having, pair.seeds, pair.topic),
    )
    panels = list(group_by(found, lambda pair: (pair.method, pair.having, pair.seeds)).values())
    if not panels:
        raise RunError(
            f"{PRETRAINED} needs a method without and with an encoder, or with start=random and "
            "start=topics, on the same tasks"
        )
    caption = (
        f"{MEASURE} of methods without and with what was learned beforehand: a thin line a topic, "
        "the thick line their mean."
    )
    return CaptionedChart(
        name=PRETRAINED,
        title=f"{MEASURE} without and with pretraining",
        caption=caption,
        alternative=_describe_pairs(panels),
        chart=look.finish_chart(_draw_slopes(panels), description=caption),
    )


def _describe_pairs(panels: Sequence[Sequence[PretrainingPair]]) -> str:
    means = [
        f"{cell[0].method} with {cell[0].seeds} seeds: {fmean(pair.before for pair in cell):.2f} "
        f"with {cell[0].without}, {fmean(pair.after for pair in cell):.2f} with {cell[0].having}"
        for cell in panels
    ]
    return "Slope lines, a line a topic. Means: " + "; ".join(means) + "."


def _draw_slopes(panels: Sequence[Sequence[PretrainingPair]]) -> Any:
    top = min(1.0, 1.05 * max(max(pair.before, pair.after) for cell in panels for pair in cell))
    rows = group_by(panels, lambda cell: (cell[0].method, cell[0].having)).values()
    return alt.vconcat(
        *(alt.hconcat(*(_draw_slopes_panel(cell, top) for cell in row)) for row in rows)
    )


def _draw_slopes_panel(cell: Sequence[PretrainingPair], top: float) -> Any:
    ends = [cell[0].without, cell[0].having]
    rows = [
        {"topic": pair.topic, "end": end, "value": value}
        for pair in cell
        for end, value in zip(ends, (pair.before, pair.after), strict=True)
    ]
    averages = [
        {"end": end, "value": fmean(row["value"] for row in rows if row["end"] == end)}  # type: ignore[misc]
        for end in ends
    ]
    x = alt.X("end:N", sort=ends, title=None).axis(labelAngle=0, grid=False, labelLimit=120)
    y = alt.Y("value:Q", title=MEASURE).scale(domain=[0, top], nice=True).axis(tickCount=5)
    thin = alt.Chart(look.inline_rows(rows)).mark_line(strokeWidth=1, color=look.QUIET, opacity=0.5)
    thick = alt.Chart(look.inline_rows(averages)).mark_line(
        strokeWidth=3, color=look.FIRST, point=_POINT
    )
    layers = [
        thin.encode(x=x, y=y, detail="topic:N", tooltip=["topic:N"]),
        thick.encode(x=x, y=y),
        *_draw_means(averages, ends, x),
    ]
    title = alt.Title(
        cell[0].method, subtitle=look.make_panel_title(cell[0].seeds), subtitleFontSize=look.SIZE
    )
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title)


def _draw_means(averages: Sequence[dict[str, Any]], ends: Sequence[str], x: Any) -> Iterator[Any]:
    for end, align, right in zip(ends, ("right", "left"), (-8, 8), strict=True):
        at = alt.Chart(look.inline_rows([row for row in averages if row["end"] == end]))
        mark = at.mark_text(align=align, dx=right, color=look.FIRST, fontWeight="bold")
        yield mark.encode(x=x, y="value:Q", text=alt.Text("value:Q", format=".2f"))


@dataclass(frozen=True)
class PretrainingPair:
    """A method on the same tasks without and with pretraining."""

    method: str
    without: str
    """The name of the method without pretraining."""
    having: str
    """The name of the method with pretraining."""
    seeds: int
    topic: str
    before: float
    """The F1 without pretraining."""
    after: float
    """The F1 with pretraining."""


class _Variant(NamedTuple):
    """A method, apart from the start and the encoder in which the two of a pair differ."""

    method: str
    start: str
    encoder: str


def find_pretraining_pairs(points: Sequence[Point]) -> Iterator[PretrainingPair]:
    """Yield methods that differ only in an encoder, or in the start of embeddings."""
    places: dict[tuple[int, str], dict[_Variant, float]] = defaultdict(dict)
    for point in points:
        places[point.seeds, point.topic][_find_variant(point)] = point.measures[MEASURE]
    for (seeds, topic), found in sorted(places.items()):
        for variant, after in sorted(found.items()):
            for other, names in _list_others(variant, found):
                if other in found:
                    yield PretrainingPair(variant.method, *names, seeds, topic, found[other], after)
                    break


def _find_variant(point: Point) -> _Variant:
    start = _START.search(point.method)
    method = _START.sub("", point.method).replace("(, ", "(").replace("()", "")
    return _Variant(method, start[1] if start else "", point.encoder)


def _list_others(
    variant: _Variant, found: Container[_Variant]
) -> Iterator[tuple[_Variant, tuple[str, str]]]:
    """Yield the variants that one may be compared with, and what the two are called."""
    if variant.encoder:
        yield variant._replace(encoder=""), ("no encoder", variant.encoder)
    names = ("start=random", "start=topics")
    if variant.start == "topics":
        yield variant._replace(start="random"), names
        yield variant._replace(start=""), names
    # If no start is named and no variant names topics, then topics is the default.
    if variant.start == "" and variant._replace(start="topics") not in found:
        yield variant._replace(start="random"), names
