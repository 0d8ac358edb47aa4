"""The figure of scores: how often each occurs among the seeds and in the pool.

A pool has hundreds of times more documents than there are seeds, and most of them are off topic.
So each group has a panel of its own, and the pool's counts are on a logarithmic scale.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

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
from likewise.expansion.svg import Scale, element, label, picture, powers, steps
from likewise.expansion.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup
    from numpy.typing import NDArray

SEEDS_END, POOL_START = 98, 122
BINS = 44


class Bins(NamedTuple):
    """Equal bins of scores."""

    edges: NDArray[np.float64]
    cut: float
    """The edge at the threshold, or where it leaves the scores behind."""


def score_figure(
    *, seeds: Sequence[float], pool: Sequence[float], threshold: float
) -> Figure | None:
    """Draw the scores of the seeds above, of the pool below, and the threshold through both.

    Returns None if there is nothing to draw.
    """
    scores = np.array([*seeds, *pool], dtype=np.float64)
    if not len(scores):
        return None
    bins = _bins(scores, threshold=threshold)
    across = Scale(bins.edges[0], bins.edges[-1], LEFT, RIGHT)
    ticks = [(across(tick), f"{tick:g}") for tick in steps(across.low, across.high, most=7)]
    caption = _caption(seeds, pool, threshold=threshold)
    drawing = picture(
        *_seeds_panel(np.histogram(seeds, bins.edges)[0], bins=bins, across=across),
        *_pool_panel(np.histogram(pool, bins.edges)[0], bins=bins, across=across),
        *axis(ticks, name="score"),
        *threshold_line(across(bins.cut), name="threshold"),
        size=SIZE,
        title="Scores of seeds and pool",
        description=caption,
    )
    return Figure(drawing, caption)


def _bins(scores: NDArray[np.float64], *, threshold: float) -> Bins:
    low, high = float(scores.min()), float(scores.max())
    width = (high - low) / BINS or 1.0
    cut = min(max(threshold, low), high + width / 2)
    before = math.ceil((cut - low) / width)
    after = max(math.floor((high - cut) / width) + 1, 0)
    return Bins(np.asarray(cut + width * np.arange(-before, after + 1), dtype=np.float64), cut)


def _caption(seeds: Sequence[float], pool: Sequence[float], *, threshold: float) -> str:
    above = [sum(score >= threshold for score in scores) for scores in (seeds, pool)]
    place = f", {threshold:.2f}" if math.isfinite(threshold) else ""
    return (
        f"{above[0]:,} of {counted(len(seeds), 'seed')} and {above[1]:,} of "
        f"{counted(len(pool), 'candidate')} score at or above the threshold{place}."
    )


def _seeds_panel(counts: NDArray[np.int64], *, bins: Bins, across: Scale) -> list[Markup]:
    most = max(int(counts.max()), 1)
    up = Scale(0, most, SEEDS_END, TOP + 14)
    ticks = [(up(tick), f"{tick:.0f}") for tick in steps(0, most, most=3) if tick.is_integer()]
    return [
        *grid(ticks),
        *_bars([up(count) for count in counts], bins=bins, across=across, floor=up(0)),
        label("seeds", x=LEFT, y=TOP + 6, class_="name"),
    ]


def _pool_panel(counts: NDArray[np.int64], *, bins: Bins, across: Scale) -> list[Markup]:
    most = max(int(counts.max()), 1)
    # Counts are drawn as one more than they are: a bin with none has no height, one with one has.
    up = Scale(1, most + 1, BOTTOM, POOL_START + 14, logarithmic=True)
    ticks = [(up(tick + 1), f"{tick:,}") for tick in powers(most)]
    return [
        *grid([(up(1), ""), *ticks]),
        *_bars([up(count + 1) for count in counts], bins=bins, across=across, floor=up(1)),
        label("pool, logarithmic", x=LEFT, y=POOL_START + 6, class_="name"),
    ]


def _bars(tops: Sequence[float], *, bins: Bins, across: Scale, floor: float) -> list[Markup]:
    return [
        element(
            "rect",
            x=across(left) + 0.5,
            y=top,
            width=across(right) - across(left) - 1,
            height=floor - top,
            class_="bar above" if left >= bins.cut else "bar",
        )
        for top, left, right in zip(tops, bins.edges[:-1], bins.edges[1:], strict=True)
        if top < floor
    ]
