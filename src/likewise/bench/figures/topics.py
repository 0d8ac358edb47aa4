"""Which method wins where: methods by topics, as shades with their numbers."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, Any

from likewise.bench.figures.figure import Figure
from likewise.bench.figures.look import INK, SHADES, SIZE, altair, finished, inlined, panel_title
from likewise.bench.figures.points import UPPER_BOUND, labels_by_mean, sizes, with_measure
from likewise.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.bench.figures.points import Point

NAME = "topics"
MEASURE = "F1"
COLUMN, ROW = 44, 20


def topics(points: Sequence[Point]) -> Figure:
    """Draw F1 for every method and topic, a panel a number of seeds; the best are outlined."""
    shown = with_measure(points, MEASURE)
    if len({point.topic for point in shown}) < 2:
        raise RunError(f"{NAME} needs results with {MEASURE} on two or more topics")
    won = best(shown)
    caption = (
        f"{MEASURE} of the methods on each topic, mean over draws; methods are ordered by their "
        "mean, topics by theirs, and the best of a topic (but for upper bounds) is outlined."
    )
    return Figure(
        name=NAME,
        title=f"{MEASURE} of methods by topic",
        caption=caption,
        alternative=_told(won),
        chart=finished(_chart(shown, won), description=caption),
    )


def best(points: Sequence[Point]) -> list[Point]:
    """Return for each topic and number of seeds the best point, upper bounds left aside."""
    found: dict[tuple[int, str], list[Point]] = defaultdict(list)
    for point in points:
        if not point.label.startswith(UPPER_BOUND):
            found[point.seeds, point.topic].append(point)
    return [max(found[place], key=_measured) for place in sorted(found)]


def _measured(point: Point) -> float:
    return point.measures[MEASURE]


def _told(won: Sequence[Point]) -> str:
    said = [f"{one.topic} with {one.seeds} seeds: {one.label}, {_measured(one):.2f}" for one in won]
    return "A table of shades, topics by methods. The best: " + "; ".join(said) + "."


def _chart(shown: Sequence[Point], won: Sequence[Point]) -> Any:
    alt = altair()
    found: dict[str, list[float]] = defaultdict(list)
    for point in shown:
        found[point.topic].append(_measured(point))
    down = sorted(found, key=lambda topic: (-fmean(found[topic]), topic))
    across = labels_by_mean(shown, MEASURE)
    top = max(map(_measured, shown))
    panels = [
        _panel([point for point in shown if point.seeds == size], won, top).encode(
            x=alt.X("label:N", sort=across, title=None).axis(
                orient="top", labelAngle=-40, grid=False, domain=False, ticks=False, labelLimit=180
            ),
            y=alt.Y("topic:N", sort=down, title=None).axis(
                grid=False, domain=False, ticks=False, labelLimit=300
            ),
        )
        for size in sizes(shown)
    ]
    return alt.vconcat(*panels)


def _panel(shown: Sequence[Point], won: Sequence[Point], top: float) -> Any:
    alt = altair()
    rows = [
        {
            "label": point.label,
            "topic": point.topic,
            "value": _measured(point),
            "won": point in won,
        }
        for point in shown
    ]
    base = alt.Chart(inlined(rows))
    shade = alt.Color("value:Q", legend=None).scale(domain=[0, top], range=list(SHADES))
    hover = ["topic:N", "label:N", alt.Tooltip("value:Q", format=".3f", title=MEASURE)]
    cells = base.mark_rect(stroke="white", strokeWidth=1).encode(color=shade, tooltip=hover)
    outlines = base.transform_filter("datum.won").mark_rect(
        fill=None, stroke=INK, strokeWidth=1.5, filled=False
    )
    numbers = base.mark_text(fontSize=SIZE - 1, color=INK).encode(
        text=alt.Text("value:Q", format=".2f")
    )
    return alt.layer(cells, outlines, numbers).properties(
        width=alt.Step(COLUMN), height=alt.Step(ROW), title=panel_title(shown[0].seeds)
    )
