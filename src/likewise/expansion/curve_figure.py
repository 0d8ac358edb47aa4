"""The figure of what reading on brings: expected precision and recall along the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from likewise.expansion.figures import (
    BOTTOM,
    LEFT,
    RIGHT,
    SIZE,
    TOP,
    Figure,
    axis,
    grid,
    threshold_line,
)
from likewise.expansion.svg import Scale, element, label, path, picture, powers
from likewise.expansion.wording import counted, rounded

if TYPE_CHECKING:
    from markupsafe import Markup

    from likewise.expansion.curve import Curve

HIGH_RECALL = 0.95


def curve_figure(curve: Curve) -> Figure | None:
    """Draw both lines and the threshold; None for an empty list.

    The list is on a logarithmic scale: what is found is a small part of it, at its beginning.
    """
    if not len(curve.documents):
        return None
    caption = _caption(curve)
    across = Scale(1, max(int(curve.documents[-1]), 2), LEFT, RIGHT, logarithmic=True)
    up = Scale(0, 1, BOTTOM, TOP)
    drawing = picture(
        *grid([(up(tick), f"{tick:.2f}") for tick in (0, 0.25, 0.5, 0.75, 1)]),
        *axis(_lengths(across), name="documents read, best first, logarithmic"),
        *_lines(curve, across=across, up=up),
        *_threshold(curve, across=across, up=up),
        size=SIZE,
        title="Expected precision and recall along the list",
        description=caption,
    )
    return Figure(drawing, caption)


def _caption(curve: Curve) -> str:
    parts = []
    if curve.threshold is not None:
        parts.append(
            f"At the threshold, after {counted(curve.decided, 'document')}, precision is expected "
            f"to be {curve.precision[curve.threshold]:.2f} and recall within the pool "
            f"{curve.recall[curve.threshold]:.2f}."
        )
    reached = np.flatnonzero(curve.recall >= HIGH_RECALL)
    if len(reached):
        needed = rounded(float(curve.documents[reached[0]]), most=int(curve.documents[-1]))
        parts.append(f"A recall of {HIGH_RECALL} takes about {counted(needed, 'document')}.")
    return " ".join(parts)


def _lengths(across: Scale) -> list[tuple[float, str]]:
    # A power of ten close to the end would be written into the end's number.
    lengths = [length for length in powers(across.high) if 4 * length < across.high]
    return [(across(length), f"{length:,}") for length in [*lengths, int(across.high)]]


def _lines(curve: Curve, *, across: Scale, up: Scale) -> list[Markup]:
    x = [across(number) for number in curve.documents]
    precision, recall = ([up(value) for value in line] for line in (curve.precision, curve.recall))
    # Precision falls and recall rises: below the lower end of its piece of line, a name is clear.
    under = float(np.interp(x[0] + 60, x, precision)), float(np.interp(x[-1] - 40, x, recall))
    return [
        path(zip(x, recall, strict=True), class_="line recall"),
        path(zip(x, precision, strict=True), class_="line precision"),
        label("precision", x=LEFT + 6, y=under[0] + 18, class_="name precision"),
        label("recall", x=RIGHT, y=under[1] + 18, text_anchor="end", class_="name recall"),
    ]


def _threshold(curve: Curve, *, across: Scale, up: Scale) -> list[Markup]:
    if curve.threshold is None:
        return []
    x = across(curve.decided)
    points = (up(line[curve.threshold]) for line in (curve.precision, curve.recall))
    return [
        *threshold_line(x, name=f"threshold: {counted(curve.decided, 'document')}"),
        *(element("circle", cx=x, cy=y, r=3.5, class_="point") for y in points),
    ]
