"""Dot plots: means over topics with their intervals, a row a method, a panel a number of seeds."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.bench.figures.look import FIRST, INK, SECOND, altair, inlined, panel_title
from likewise.bench.figures.points import with_measure
from likewise.bench.measures.significance import bootstrap_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from likewise.bench.figures.points import Point

WIDTH, ROW = 230, 22
COLUMNS = 3


class Dot(NamedTuple):
    """The mean of a method over topics, and between which values it lies with 95 % confidence."""

    label: str
    seeds: int
    measure: str
    mean: float
    low: float
    high: float


def dots(points: Sequence[Point], measure: str) -> Iterator[Dot]:
    """Yield the mean of a measure for each number of seeds and method."""
    found: dict[tuple[int, str], list[float]] = defaultdict(list)
    for point in with_measure(points, measure):
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


def told(found: Sequence[Dot]) -> str:
    """Return what dots show, in words."""
    said = [
        f"{one.label} with {one.seeds} seeds: {one.measure} {one.mean:.2f} "
        f"({one.low:.2f} to {one.high:.2f})"
        for one in found
    ]
    return "A dot plot, a row a method. " + "; ".join(said) + "."


def dot_plot(
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
    layers = _marks(alt.Chart().encode(y=y), x, list(dict.fromkeys(one.measure for one in found)))
    if wanted is not None:
        line = alt.Chart().mark_rule(strokeDash=[2, 2], color=INK)
        layers.append(line.encode(x=alt.datum(wanted)))
    return (
        alt.layer(*layers, data=inlined(rows))
        .properties(width=WIDTH, height=alt.Step(ROW, **{"for": "position"}))
        .facet(facet=alt.Facet("panel:N", title=None, sort=panels), columns=COLUMNS)
        .resolve_axis(x="independent")
    )


def _marks(base: Any, x: Any, measures: Sequence[str]) -> list[Any]:
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
