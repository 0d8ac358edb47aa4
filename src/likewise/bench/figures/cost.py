"""What methods cost: average precision against time."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from likewise.bench.figures.look import (
    FIRST,
    INK,
    SIZE,
    CaptionedChart,
    altair,
    finish_chart,
    inline_rows,
    panel_title,
    place_labels,
    shorten_label,
)
from likewise.bench.figures.points import Point, describe_topics, keep_comparable, keep_measured
from likewise.errors import RunError

COST = "cost"
MEASURE, SECONDS = "AP", "seconds"
LEAST = 0.001
"""Shorter times are drawn as this one, which is what clocks tell apart."""
WIDTH, HEIGHT = 340, 260
MARGIN = 45
"""How far labels may reach beyond a panel."""
LETTER = 0.52 * (SIZE - 1)
"""About as wide as a letter is."""


class Cost(NamedTuple):
    """What a method took for a task and came to, in the mean over topics."""

    label: str
    seeds: int
    seconds: float
    value: float


def draw_cost(points: Sequence[Point]) -> CaptionedChart:
    """Draw average precision against seconds, a dot a method, a panel a number of seeds."""
    shown = keep_comparable(keep_measured(points, MEASURE, SECONDS))
    found = list(average_costs(shown))
    if not found:
        raise RunError(f"{COST} needs {MEASURE} and seconds on topics that all methods have")
    caption = (
        f"Average precision ({MEASURE}) of the methods against the seconds that they take for a "
        f"task (logarithmic): means over {describe_topics(shown)}."
    )
    said = [
        f"{one.label} with {one.seeds} seeds: {one.value:.2f} in {one.seconds:.3g} s"
        for one in found
    ]
    return CaptionedChart(
        name=COST,
        title="Average precision against time",
        caption=caption,
        alternative="A scatter plot, a dot a method. " + "; ".join(said) + ".",
        chart=finish_chart(_draw_costs(found), description=caption),
    )


def average_costs(points: Sequence[Point]) -> Iterator[Cost]:
    """Yield what each method took and came to, for each number of seeds."""
    found: dict[tuple[int, str], list[Point]] = defaultdict(list)
    for point in points:
        found[point.seeds, point.label].append(point)
    for (seeds, label), cell in sorted(found.items()):
        seconds = fmean(point.measures[SECONDS] for point in cell)
        value = fmean(point.measures[MEASURE] for point in cell)
        yield Cost(label, seeds, max(LEAST, seconds), value)


class _Frame(NamedTuple):
    """What the axes span; the same in every panel."""

    least: float
    most: float
    top: float

    def pixels(self, one: Cost) -> tuple[float, float]:
        """Return where a dot is, from the left and from the top."""
        across = math.log(one.seconds / self.least) / math.log(self.most / self.least)
        return WIDTH * across, HEIGHT * (1 - one.value / self.top)


def _draw_costs(found: Sequence[Cost]) -> Any:
    times = [one.seconds for one in found]
    frame = _Frame(
        least=10 ** math.floor(math.log10(min(times))),
        # Room for the labels of the slowest.
        most=10 ** math.ceil(math.log10(8 * max(times))),
        top=max(0.1, math.ceil(10.5 * max(one.value for one in found)) / 10),
    )
    panels = [
        _draw_cost_panel([one for one in found if one.seeds == size], frame)
        for size in _list_cost_sizes(found)
    ]
    return altair().concat(*panels, columns=2, spacing=MARGIN)


def _list_cost_sizes(found: Sequence[Cost]) -> list[int]:
    return sorted({one.seeds for one in found})


def _draw_cost_panel(found: Sequence[Cost], frame: _Frame) -> Any:
    alt = altair()
    x = (
        alt.X("seconds:Q", title="seconds a task")
        .scale(type="log", domain=[frame.least, frame.most])
        .axis(format="~g", tickCount=5, grid=True)
    )
    y = alt.Y("value:Q", title=MEASURE).scale(domain=[0, frame.top]).axis(tickCount=6)
    hover = ["label:N", *(alt.Tooltip(f"{name}:Q", format=".3f") for name in (SECONDS, "value"))]
    marks = alt.Chart(inline_rows([one._asdict() for one in found])).mark_point(
        filled=True, size=50, color=FIRST, opacity=1
    )
    layers = [marks.encode(x=x, y=y, tooltip=hover), *_draw_cost_labels(found, frame)]
    return alt.layer(*layers).properties(
        width=WIDTH, height=HEIGHT, title=panel_title(found[0].seeds)
    )


def _draw_cost_labels(found: Sequence[Cost], frame: _Frame) -> Iterator[Any]:
    alt = altair()
    spots = place_labels(
        [frame.pixels(one) for one in found],
        [LETTER * len(shorten_label(one.label)) for one in found],
        width=WIDTH + MARGIN,
    )
    for one, spot in zip(found, spots, strict=True):
        told = one._replace(label=shorten_label(one.label))
        mark = alt.Chart(inline_rows([told._asdict()])).mark_text(
            align=spot.align, dx=spot.right, dy=spot.down, fontSize=SIZE - 1, color=INK
        )
        yield mark.encode(x="seconds:Q", y="value:Q", text="label:N")
