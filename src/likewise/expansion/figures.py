"""What the figures of a report have in common: the frame, the grid and the threshold's line."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from likewise.expansion.svg import element, label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

SIZE = WIDTH, HEIGHT = 460, 300
LEFT, RIGHT, TOP, BOTTOM = 46, 442, 24, 258
MIDDLE = (LEFT + RIGHT) / 2


class Figure(NamedTuple):
    """A drawing and the sentence below it, which is its text alternative too."""

    drawing: Markup
    caption: str


def grid(ticks: Sequence[tuple[float, str]]) -> list[Markup]:
    """Draw a line across, and a text before it, for each place on the upward axis."""
    lines = [element("line", x1=LEFT, x2=RIGHT, y1=y, y2=y, class_="grid") for y, _ in ticks]
    return lines + [label(text, x=LEFT - 6, y=y + 4, text_anchor="end") for y, text in ticks]


def axis(ticks: Sequence[tuple[float, str]], *, name: str) -> list[Markup]:
    """Draw a text below each place on the axis across, and the axis' name below them."""
    return [
        *(label(text, x=x, y=BOTTOM + 17, text_anchor="middle") for x, text in ticks),
        label(name, x=MIDDLE, y=HEIGHT - 6, text_anchor="middle", class_="axis"),
    ]


def threshold_line(x: float, *, name: str) -> list[Markup]:
    """Draw the threshold from top to bottom, its name on the side where there is room."""
    beside, side = (x + 5, "start") if x < MIDDLE else (x - 5, "end")
    return [
        element("line", x1=x, x2=x, y1=TOP - 14, y2=BOTTOM, class_="threshold"),
        label(name, x=beside, y=TOP - 5, text_anchor=side, class_="name"),
    ]
