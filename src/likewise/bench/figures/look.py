"""The look that all figures share: colours, type, grid.

Colours differ in lightness too, so that they can be told apart in grey and by readers who see
fewer colours; lines differ in their dashes besides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from likewise.extras import require

if TYPE_CHECKING:
    from collections.abc import Sequence

INK = "#222222"
QUIET = "#6b6b6b"
MUTED = "#a3a3a3"
GRID = "#e6e6e6"
FIRST, SECOND = "#1f4e79", "#d9822b"
"""Of two things that are compared."""
COLOURS = (FIRST, SECOND, "#3d9a8b", "#7b4b94", "#7aa6d6", "#8c2d2d", "#7f7f7f")
DASHES = ([1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [1, 0], [6, 2], [2, 2])
SHADES = ("#ffffff", "#e3ecf5", "#c2d6e9", "#9dbddb", "#7dabd2", "#5f95c6")
"""From little to much; ink can be read on all."""
# The first comes along with vl-convert; the others have letters of the same width.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
SIZE = 11


def altair() -> Any:
    """Return altair, with which all figures are drawn."""
    return require("altair", for_="Drawing figures", extra="bench")


def finished(chart: Any, *, description: str) -> Any:
    """Return a chart with the common look and its text alternative."""
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


def panel_title(seeds: int) -> str:
    """Return the title of a panel of results with so many seeds.

    >>> panel_title(1000)
    '|LP| = 1,000'
    """
    return f"|LP| = {seeds:,}"


def inlined(rows: Sequence[dict[str, Any]]) -> Any:
    """Return rows as a chart takes them, written into it."""
    return altair().Data(values=list(rows))


def colours_of(names: Sequence[str]) -> Any:
    """Return a scale with a colour for each name, in their order; after the last, the first."""
    given = [COLOURS[place % len(COLOURS)] for place in range(len(names))]
    return altair().Scale(domain=list(names), range=given)


def dashes_of(names: Sequence[str]) -> Any:
    """Return a scale with a dash for each name, so that lines of one colour differ too."""
    given = [DASHES[(place + place // len(COLOURS)) % len(DASHES)] for place in range(len(names))]
    return altair().Scale(domain=list(names), range=given)
