"""How far methods stay below the upper bound as seeds grow in number; Figure 1 of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.bench.figures.distances import TOP_K, distances
from likewise.bench.figures.figure import Figure
from likewise.bench.figures.labels import shortened, spread
from likewise.bench.figures.look import (
    INK,
    MUTED,
    altair,
    colours_of,
    dashes_of,
    finished,
    inlined,
)
from likewise.bench.figures.points import (
    BOUNDS,
    UPPER_BOUND,
    comparable,
    counted_topics,
    with_measure,
)
from likewise.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.bench.figures.distances import Distance
    from likewise.bench.figures.points import Point

NAME = "learning-curve"
WIDTH, HEIGHT = 420, 280


def learning_curve(points: Sequence[Point]) -> Figure:
    """Draw the distance to the upper bound as the seeds grow in number, a line a method."""
    shown = comparable(with_measure(points, "F1"), over_sizes=True)
    found = list(distances(shown))
    if len({one.seeds for one in found}) < 2:
        raise RunError(
            f"{NAME} needs the methods and {' or '.join(BOUNDS)} on the same topics with two or "
            "more numbers of seeds"
        )
    caption = (
        "Distance of F1 to that of the upper bound, |F1 - bound| / (F1 + bound), as the labelled "
        f"seeds |LP| grow in number: mean and deviation over {counted_topics(shown)}. "
        f"{_bounds_told(shown)}"
        + (
            " Top k is that of the first k documents of bm25, mean and deviation over k."
            if _top_k(shown)
            else ""
        )
    )
    return Figure(
        name=NAME,
        title="Distance to the upper bound as seeds grow in number",
        caption=caption,
        alternative=_told(found),
        chart=finished(_chart(found), description=caption),
    )


def _bounds_told(points: Sequence[Point]) -> str:
    there = [name for name in BOUNDS if any(point.method == name for point in points)]
    if len(there) < 2:
        return f"The bound is {there[0] if there else UPPER_BOUND}."
    return "The bound of networks and of top k is upper-bound-cnn, that of others upper-bound."


def _top_k(points: Sequence[Point]) -> bool:
    return any(point.label == "bm25" and TOP_K in point.measures for point in points)


def _told(found: Sequence[Distance]) -> str:
    lines = []
    for method in sorted({one.method for one in found}):
        line = [one for one in found if one.method == method]
        ends = f"{line[0].mean:.2f} with {line[0].seeds} seeds"
        if len(line) > 1:
            ends += f", {line[-1].mean:.2f} with {line[-1].seeds:,}"
        lines.append(f"{method}: {ends}")
    return "A line chart, a line a method. " + "; ".join(lines) + "."


def _chart(found: Sequence[Distance]) -> Any:
    alt = altair()
    last = {one.method: one for one in found}
    names = sorted(last, key=lambda name: last[name].mean)
    top = max(one.high for one in found) * 1.05
    ticks = sorted({one.seeds for one in found})
    x = (
        alt.X("seeds:Q", title="labelled seeds |LP|")
        .scale(type="log", domain=[ticks[0], ticks[-1]], nice=False)
        .axis(values=ticks, grid=False, format=",d")
    )
    colour = alt.Color("method:N", scale=colours_of(names), legend=None)
    base = alt.Chart(inlined([one._asdict() for one in found])).encode(x=x, color=colour)
    y = alt.Y("mean:Q", title="distance to the upper bound").scale(domain=[0, top], nice=False)
    band = base.mark_area(opacity=0.12 if len(names) < 6 else 0.07).encode(
        y=alt.Y("low:Q").scale(domain=[0, top]), y2="high:Q"
    )
    dash = alt.StrokeDash("method:N", scale=dashes_of(names), legend=None)
    line = base.mark_line(strokeWidth=2).encode(y=y, strokeDash=dash)
    dots = base.mark_point(filled=True, size=36, opacity=1).encode(
        y=y, tooltip=["method:N", "seeds:Q", alt.Tooltip("mean:Q", format=".3f")]
    )
    ends = _labels([last[name] for name in names], top)
    return alt.layer(band, line, dots, *ends).properties(width=WIDTH, height=HEIGHT)


def _labels(last: Sequence[Distance], top: float) -> list[Any]:
    """Return the methods' names right of the panel, each with a thin stroke to its line's end."""
    alt = altair()
    places = spread([one.mean for one in last], gap=14 * top / HEIGHT)
    rows = [
        {"method": shortened(one.method), "mean": one.mean, "place": place, "seeds": one.seeds}
        for one, place in zip(last, places, strict=True)
    ]
    base = alt.Chart(inlined(rows))
    stroke = base.mark_rule(strokeWidth=0.6, color=MUTED).encode(
        x=alt.value(WIDTH + 5), x2=alt.value(WIDTH + 22), y="mean:Q", y2="place:Q"
    )
    text = base.mark_text(align="left", color=INK).encode(
        x=alt.value(WIDTH + 26), y="place:Q", text="method:N"
    )
    return [stroke, text]
