"""What figures are drawn with: elements of SVG, scales, and the numbers along an axis.

Nothing here has a colour: the page gives one to each class, in light and in dark.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Iterable


class Scale(NamedTuple):
    """Where a value lies on a drawing; logarithmic scales start above zero."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def __call__(self, value: float) -> float:
        """Return the place of a value.

        >>> Scale(0, 10, 100, 200)(2.5), Scale(1, 100, 0, 200, logarithmic=True)(10)
        (125.0, 100.0)
        """
        low, high = self.low, self.high
        if self.logarithmic:
            value, low, high = math.log(value), math.log(low), math.log(high)
        return self.start + (value - low) / ((high - low) or 1.0) * (self.end - self.start)


def element(name: str, *content: Markup | str, **attributes: str | float) -> Markup:
    """Return an element; text is escaped, numbers have one decimal, `class_` is written `class`.

    >>> element("text", "p < 1", x=1.25, text_anchor="end")
    Markup('<text x="1.2" text-anchor="end">p &lt; 1</text>')
    """
    written = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _attribute(value))
        for key, value in attributes.items()
    )
    inside = Markup("").join(escape(part) for part in content)
    return Markup("<{0}{1}>{2}</{0}>").format(name, written, inside)


def label(text: str, **attributes: str | float) -> Markup:
    """Return a text at a place."""
    return element("text", text, **attributes)


def path(points: Iterable[tuple[float, float]], *, class_: str) -> Markup:
    """Return a line through points."""
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return element("polyline", points=places, class_=class_)


def picture(*content: Markup, size: tuple[int, int], title: str, description: str) -> Markup:
    """Return a drawing with the text that stands in for it."""
    return element(
        "svg",
        element("title", title),
        element("desc", description),
        *content,
        viewBox=f"0 0 {size[0]} {size[1]}",
        role="img",
    )


def steps(low: float, high: float, *, most: int) -> list[float]:
    """Return round numbers from low to high, at most so many.

    >>> steps(-1.3, 2.2, most=5), steps(0, 7, most=3)
    ([-1.0, 0.0, 1.0, 2.0], [0.0, 5.0])
    """
    power = 10.0 ** math.floor(math.log10((high - low) / most or 1.0))
    for width in (power, 2 * power, 5 * power, 10 * power):
        first, last = math.ceil(low / width), math.floor(high / width)
        if last - first < most:
            break
    return [round(place * width, 12) + 0.0 for place in range(first, last + 1)]


def powers(high: float) -> list[int]:
    """Return the powers of ten from 1 to a number.

    >>> powers(20_000)
    [1, 10, 100, 1000, 10000]
    """
    return [10**exponent for exponent in range(math.floor(math.log10(max(high, 1))) + 1)]


def _attribute(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")
