"""The look that all figures share: colours, type, grid, and the places of labels.

Colours also differ in lightness, so that they can be told apart in greyscale and by colour-blind
readers; lines also differ in their dashes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

from likewise.extras import require

INK = "#222222"
QUIET = "#6b6b6b"
MUTED = "#a3a3a3"
GRID = "#e6e6e6"
FIRST, SECOND = "#1f4e79", "#d9822b"
"""The colours of two things that are compared."""
COLOURS = (FIRST, SECOND, "#3d9a8b", "#7b4b94", "#7aa6d6", "#8c2d2d", "#7f7f7f")
DASHES = ([1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [1, 0], [6, 2], [2, 2])
SHADES = ("#ffffff", "#e3ecf5", "#c2d6e9", "#9dbddb", "#7dabd2", "#5f95c6")
"""From low to high; text can be read on all of them."""
# The first comes with vl-convert; the others have letters of the same width.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
SIZE = 11
LETTER = 0.52 * (SIZE - 1)
"""About the width of a letter of a label."""
_AXIS = {
    "domainColor": QUIET,
    "grid": True,
    "gridColor": GRID,
    "labelFlush": False,
    "labelColor": INK,
    "labelFontSize": SIZE,
    "labelLimit": 260,
    "tickColor": QUIET,
    "tickSize": 4,
    "titleColor": INK,
    "titleFontSize": SIZE,
    "titleFontWeight": "normal",
    "titlePadding": 8,
}


class _Altair:
    """The package altair, which draws all figures; it is loaded once something is drawn."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # which whoever looks around asks for, such as doctest
            raise AttributeError(name)
        return getattr(require("altair", for_="Drawing figures", extra="bench"), name)


alt: Any = _Altair()


@dataclass(frozen=True, kw_only=True)
class CaptionedChart:
    """A chart with its caption."""

    name: str
    """The name of its files, without suffix."""
    title: str
    caption: str
    """What is drawn, in a sentence or two."""
    alternative: str
    """What the figure shows, in words, for those who can't see it."""
    chart: Any
    """An altair chart."""


def finish_chart(chart: Any, *, description: str) -> Any:
    """Return a chart with the common look and a description."""
    return (
        chart.properties(description=description, background="white", padding=10)
        .configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(**_AXIS)
        .configure_header(
            labelColor=INK,
            labelFontSize=SIZE,
            labelFontWeight="bold",
            labelPadding=6,
            labelAnchor="start",
        )
        .configure_legend(
            labelColor=INK, labelFontSize=SIZE, labelLimit=320, symbolStrokeWidth=2, title=None
        )
        .configure_title(
            color=INK, fontSize=SIZE, fontWeight="bold", anchor="start", frame="group", offset=8
        )
        .configure_concat(spacing=24)
    )


def make_panel_title(seeds: int) -> str:
    """Return the title of the panel for a number of seeds.

    >>> make_panel_title(1000)
    '|LP| = 1,000'
    """
    return f"|LP| = {seeds:,}"


def inline_rows(rows: Sequence[dict[str, Any]]) -> Any:
    """Return rows as data embedded in the chart."""
    return alt.Data(values=list(rows))


def make_colours(names: Sequence[str]) -> Any:
    """Return a scale with a colour for each name; they repeat if there are too many names."""
    given = [COLOURS[place % len(COLOURS)] for place in range(len(names))]
    return alt.Scale(domain=list(names), range=given)


def make_dashes(names: Sequence[str]) -> Any:
    """Return a scale with a dash for each name, so that lines of one colour differ too."""
    given = [DASHES[(place + place // len(COLOURS)) % len(DASHES)] for place in range(len(names))]
    return alt.Scale(domain=list(names), range=given)


def spread_labels(wanted: Sequence[float], *, gap: float) -> list[float]:
    """Return places at least `gap` apart, in order, and as near to those wanted as possible.

    >>> spread_labels([1.0, 5.0, 5.0], gap=2.0)
    [1.0, 4.0, 6.0]
    """
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(order))
    placed = np.empty(len(order))
    if len(order):
        placed[order] = isotonic_regression(np.asarray(wanted, float)[order] - steps).x + steps
    return [float(place) for place in placed]


def shorten_label(name: str, *, most: int = 32) -> str:
    """Return a name, cut off if it is too long for a label.

    >>> shorten_label("cnn(risk=pnu, batching=ordinary)", most=20)
    'cnn(risk=pnu, batch…'
    """
    return name if len(name) <= most else f"{name[: most - 1]}…"


class Spot(NamedTuple):
    """The place of a label relative to its point, in pixels."""

    right: float
    down: float
    align: str


def place_labels(
    points: Sequence[tuple[float, float]], widths: Sequence[float], *, width: float
) -> list[Spot]:
    """Return a spot for the label of each point, where it overlaps least with others.

    Args:
        points: The points in pixels, from the left and from the top.
        widths: The widths of the labels.
        width: How far to the right labels may reach.
    """
    taken = [_Box(x - 4, x + 4, y - 4, y + 4) for x, y in points]
    spots = []
    for (x, y), wide in zip(points, widths, strict=True):
        boxes = [_make_box((x, y), wide, spot) for spot in _SPOTS]
        costs = [
            sum(box.overlap(other) for other in taken)
            + 20 * max(0, box.right - width, -box.left)
            + 2 * abs(spot.down)
            for spot, box in zip(_SPOTS, boxes, strict=True)
        ]
        best = int(np.argmin(costs))
        taken.append(boxes[best])
        spots.append(_SPOTS[best])
    return spots


def draw_labels(
    rows: Sequence[dict[str, Any]],
    points: Sequence[tuple[float, float]],
    *,
    text: str,
    width: float,
    x: Any,
    y: Any,
) -> Iterator[Any]:
    """Yield the label of each point, where it overlaps least with others.

    Args:
        rows: The data of each point.
        points: The points in pixels, from the left and from the top.
        text: The name of what is written.
        width: How far to the right labels may reach.
        x: How the points are placed across.
        y: How they are placed in height.
    """
    widths = [LETTER * len(row[text]) for row in rows]
    for row, spot in zip(rows, place_labels(points, widths, width=width), strict=True):
        mark = alt.Chart(inline_rows([row])).mark_text(
            align=spot.align, dx=spot.right, dy=spot.down, fontSize=SIZE - 1, color=INK
        )
        yield mark.encode(x=x, y=y, text=f"{text}:N")


_SPOTS = tuple(
    Spot(right, down, align)
    for down in (0, -10, 10, -20, 20, -30, 30)
    for right, align in ((8, "left"), (-8, "right"), (0, "center"))
    if down or right
)


@dataclass(frozen=True)
class _Box:
    left: float
    right: float
    top: float
    bottom: float

    def overlap(self, other: _Box) -> float:
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, wide) * max(0.0, high)


def _make_box(point: tuple[float, float], wide: float, spot: Spot) -> _Box:
    x, y = point
    left = {"left": 0.0, "right": -wide, "center": -wide / 2}[spot.align] + x + spot.right
    return _Box(left, left + wide, y + spot.down - 5, y + spot.down + 5)
