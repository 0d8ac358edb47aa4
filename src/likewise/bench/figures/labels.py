"""Where labels stand, so that none hides another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

if TYPE_CHECKING:
    from collections.abc import Sequence


def spread(wanted: Sequence[float], *, gap: float) -> list[float]:
    """Return places at least a gap apart, as near as can be to those wanted, in the same order.

    >>> spread([1.0, 5.0, 5.0], gap=2.0)
    [1.0, 4.0, 6.0]
    """
    order = np.argsort(wanted, kind="stable")
    steps = gap * np.arange(len(order))
    placed = np.empty(len(order))
    if len(order):
        placed[order] = isotonic_regression(np.asarray(wanted, float)[order] - steps).x + steps
    return [float(place) for place in placed]


def shortened(name: str, *, most: int = 32) -> str:
    """Return a name, cut where it is too long to stand beside a figure.

    >>> shortened("cnn(risk=pnu, batching=ordinary)", most=20)
    'cnn(risk=pnu, batch…'
    """
    return name if len(name) <= most else f"{name[: most - 1]}…"


class Spot(NamedTuple):
    """A label's place beside its point, in pixels."""

    right: float
    down: float
    align: str


def beside(
    points: Sequence[tuple[float, float]], widths: Sequence[float], *, width: float
) -> list[Spot]:
    """Return a spot for the label of each point where it is least in the way of others.

    Args:
        points: In pixels, from the left and from the top.
        widths: Of the labels.
        width: How far to the right labels may reach.
    """
    taken = [_Box(x - 4, x + 4, y - 4, y + 4) for x, y in points]
    spots = []
    for (x, y), wide in zip(points, widths, strict=True):
        boxes = [_box((x, y), wide, spot) for spot in _SPOTS]
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


_SPOTS = tuple(
    Spot(right, down, align)
    for down in (0, -10, 10, -20, 20, -30, 30)
    for right, align in ((8, "left"), (-8, "right"), (0, "center"))
    if down or right
)


class _Box(NamedTuple):
    left: float
    right: float
    top: float
    bottom: float

    def overlap(self, other: _Box) -> float:
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(0.0, wide) * max(0.0, high)


def _box(point: tuple[float, float], wide: float, spot: Spot) -> _Box:
    x, y = point
    left = {"left": 0.0, "right": -wide, "center": -wide / 2}[spot.align] + x + spot.right
    return _Box(left, left + wide, y + spot.down - 5, y + spot.down + 5)
