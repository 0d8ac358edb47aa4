"""What learning beforehand is worth: the same method without and with it, topic by topic."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean
from typing import TYPE_CHECKING, Any

from likewise.bench.figures.figure import Figure
from likewise.bench.figures.look import FIRST, QUIET, SIZE, altair, finished, inlined, panel_title
from likewise.bench.figures.pairs import MEASURE, pairs
from likewise.bench.figures.points import with_measure
from likewise.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from likewise.bench.figures.pairs import Pair
    from likewise.bench.figures.points import Point

NAME = "pretrained"
WIDTH, HEIGHT = 150, 220
_POINT = {"color": FIRST, "filled": True, "size": 40}


def pretrained(points: Sequence[Point]) -> Figure:
    """Draw F1 without and with pretraining, a line a topic, a panel a method and |LP|."""
    found = list(pairs(with_measure(points, MEASURE)))
    if not found:
        raise RunError(
            f"{NAME} needs a method without and with an encoder, or with start=random and "
            "start=topics, on the same tasks"
        )
    caption = (
        f"{MEASURE} of methods without and with what was learned beforehand: a thin line a topic, "
        "the thick line their mean."
    )
    return Figure(
        name=NAME,
        title=f"{MEASURE} without and with pretraining",
        caption=caption,
        alternative=_told(found),
        chart=finished(_chart(found), description=caption),
    )


def _panels(found: Sequence[Pair]) -> dict[tuple[str, str, int], list[Pair]]:
    panels: dict[tuple[str, str, int], list[Pair]] = defaultdict(list)
    for pair in sorted(found, key=lambda pair: (pair.method, pair.having, pair.seeds, pair.topic)):
        panels[pair.method, pair.having, pair.seeds].append(pair)
    return panels


def _told(found: Sequence[Pair]) -> str:
    said = [
        f"{method} with {seeds} seeds: {fmean(pair.before for pair in cell):.2f} with "
        f"{cell[0].without}, {fmean(pair.after for pair in cell):.2f} with {having}"
        for (method, having, seeds), cell in _panels(found).items()
    ]
    return "Slope lines, a line a topic. Means: " + "; ".join(said) + "."


def _chart(found: Sequence[Pair]) -> Any:
    top = min(1.0, 1.05 * max(max(pair.before, pair.after) for pair in found))
    rows: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for (method, having, _), cell in _panels(found).items():
        rows[method, having].append(_panel(cell, top))
    return altair().vconcat(*(altair().hconcat(*row) for row in rows.values()))


def _panel(cell: Sequence[Pair], top: float) -> Any:
    alt = altair()
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
    thin = alt.Chart(inlined(rows)).mark_line(strokeWidth=1, color=QUIET, opacity=0.5)
    thick = alt.Chart(inlined(averages)).mark_line(strokeWidth=3, color=FIRST, point=_POINT)
    layers = [
        thin.encode(x=x, y=y, detail="topic:N", tooltip=["topic:N"]),
        thick.encode(x=x, y=y),
        *_values(averages, ends, x),
    ]
    title = alt.Title(cell[0].method, subtitle=panel_title(cell[0].seeds), subtitleFontSize=SIZE)
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title)


def _values(averages: Sequence[dict[str, Any]], ends: Sequence[str], x: Any) -> Iterator[Any]:
    alt = altair()
    for end, align, right in zip(ends, ("right", "left"), (-8, 8), strict=True):
        at = alt.Chart(inlined([row for row in averages if row["end"] == end]))
        mark = at.mark_text(align=align, dx=right, color=FIRST, fontWeight="bold")
        yield mark.encode(x=x, y="value:Q", text=alt.Text("value:Q", format=".2f"))
