"""The figures of a report, drawn as SVG: scores of seeds and pool, precision and recall.

Nothing here has a colour: the page gives one to each class, for light and dark screens.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

from likewise.expansion.cuts import Curve
from likewise.expansion.records import Place
from likewise.expansion.wording import format_count, round_count

WIDTH, HEIGHT = 460, 300
LEFT, RIGHT, TOP, BOTTOM = 46, 442, 24, 258
MIDDLE = (LEFT + RIGHT) / 2
SEEDS_END, POOL_START = 98, 122
BINS = 44
HIGH_RECALL = 0.95


class ReportFigure(NamedTuple):
    """A drawing and the sentence below it, which is also its text alternative."""

    drawing: Markup
    caption: str


def draw_scores(ranking: Sequence[Place], *, threshold: float) -> ReportFigure | None:
    """Draw how often each score occurs, and the threshold; None if there is nothing to draw.

    A pool has hundreds of times more documents than there are seeds, and most of them are off
    topic. So the seeds have a panel of their own, above the pool's, whose counts are on a
    logarithmic scale.
    """
    if not ranking:
        return None
    seeds, pool = (
        [place.height for place in ranking if place.seed == is_seed] for is_seed in (True, False)
    )
    bins = _make_bins([*seeds, *pool], threshold=threshold)
    across = Scale(bins.edges[0], bins.edges[-1], LEFT, RIGHT)
    ticks = [(across(tick), f"{tick:g}") for tick in choose_steps(across.low, across.high, most=7)]
    caption = _describe_scores(seeds, pool, threshold=threshold)
    drawing = draw_picture(
        *_draw_seeds(np.histogram(seeds, bins.edges)[0], bins=bins, across=across),
        *_draw_pool(np.histogram(pool, bins.edges)[0], bins=bins, across=across),
        *draw_axis(ticks, name="score"),
        *draw_threshold(across(bins.cut), name="threshold"),
        title="Scores of seeds and pool",
        description=caption,
    )
    return ReportFigure(drawing, caption)


class Bins(NamedTuple):
    """Equal bins of scores."""

    edges: NDArray[np.float64]
    cut: float
    """The edge at the threshold, or at the end of the scores if the threshold lies beyond them."""


def _make_bins(scores: Sequence[float], *, threshold: float) -> Bins:
    low, high = min(scores), max(scores)
    width = (high - low) / BINS or 1.0
    cut = min(max(threshold, low), high + width / 2)
    before = math.ceil((cut - low) / width)
    after = max(math.floor((high - cut) / width) + 1, 0)
    return Bins(np.asarray(cut + width * np.arange(-before, after + 1), dtype=np.float64), cut)


def _describe_scores(seeds: Sequence[float], pool: Sequence[float], *, threshold: float) -> str:
    above = [sum(score >= threshold for score in scores) for scores in (seeds, pool)]
    place = f", {threshold:.2f}" if math.isfinite(threshold) else ""
    return (
        f"{above[0]:,} of {format_count(len(seeds), 'seed')} and {above[1]:,} of "
        f"{format_count(len(pool), 'candidate')} score at or above the threshold{place}."
    )


def _draw_seeds(counts: NDArray[np.int64], *, bins: Bins, across: Scale) -> list[Markup]:
    most = max(int(counts.max()), 1)
    up = Scale(0, most, SEEDS_END, TOP + 14)
    ticks = [
        (up(tick), f"{tick:.0f}") for tick in choose_steps(0, most, most=3) if tick.is_integer()
    ]
    return [
        *draw_grid(ticks),
        *_draw_bars([up(count) for count in counts], bins=bins, across=across, floor=up(0)),
        draw_label("seeds", x=LEFT, y=TOP + 6, class_="name"),
    ]


def _draw_pool(counts: NDArray[np.int64], *, bins: Bins, across: Scale) -> list[Markup]:
    most = max(int(counts.max()), 1)
    # One is added to each count, so that a bin of 1 has a height, and an empty one has none.
    up = Scale(1, most + 1, BOTTOM, POOL_START + 14, logarithmic=True)
    ticks = [(up(tick + 1), f"{tick:,}") for tick in list_powers(most)]
    return [
        *draw_grid([(up(1), ""), *ticks]),
        *_draw_bars([up(count + 1) for count in counts], bins=bins, across=across, floor=up(1)),
        draw_label("pool, logarithmic", x=LEFT, y=POOL_START + 6, class_="name"),
    ]


def _draw_bars(tops: Sequence[float], *, bins: Bins, across: Scale, floor: float) -> list[Markup]:
    return [
        make_element(
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


def draw_curve(curve: Curve) -> ReportFigure | None:
    """Draw expected precision and recall along a list, and the threshold; None if it is empty.

    The list is on a logarithmic scale: what is found is a small part of it, at its beginning.
    """
    if not len(curve.documents):
        return None
    caption = _describe_curve(curve)
    across = Scale(1, max(int(curve.documents[-1]), 2), LEFT, RIGHT, logarithmic=True)
    up = Scale(0, 1, BOTTOM, TOP)
    drawing = draw_picture(
        *draw_grid([(up(tick), f"{tick:.2f}") for tick in (0, 0.25, 0.5, 0.75, 1)]),
        *draw_axis(_choose_lengths(across), name="documents read, best first, logarithmic"),
        *_draw_lines(curve, across=across, up=up),
        *_draw_curve_threshold(curve, across=across, up=up),
        title="Expected precision and recall along the list",
        description=caption,
    )
    return ReportFigure(drawing, caption)


def _describe_curve(curve: Curve) -> str:
    parts = []
    if curve.threshold is not None:
        parts.append(
            f"At the threshold, after {format_count(curve.decided, 'document')}, precision is "
            f"expected to be {curve.precision[curve.threshold]:.2f} and recall within the pool "
            f"{curve.recall[curve.threshold]:.2f}."
        )
    reached = np.flatnonzero(curve.recall >= HIGH_RECALL)
    if len(reached):
        needed = round_count(float(curve.documents[reached[0]]), most=int(curve.documents[-1]))
        parts.append(f"A recall of {HIGH_RECALL} takes about {format_count(needed, 'document')}.")
    return " ".join(parts)


def _choose_lengths(across: Scale) -> list[tuple[float, str]]:
    # The label of a power of ten close to the end would overlap with that of the end.
    lengths = [length for length in list_powers(across.high) if 4 * length < across.high]
    return [(across(length), f"{length:,}") for length in [*lengths, int(across.high)]]


def _draw_lines(curve: Curve, *, across: Scale, up: Scale) -> list[Markup]:
    x = [across(number) for number in curve.documents]
    precision, recall = ([up(value) for value in line] for line in (curve.precision, curve.recall))
    # Precision falls and recall rises: each name goes below the lowest point of the line above it.
    under = float(np.interp(x[0] + 60, x, precision)), float(np.interp(x[-1] - 40, x, recall))
    return [
        draw_path(zip(x, recall, strict=True), class_="line recall"),
        draw_path(zip(x, precision, strict=True), class_="line precision"),
        draw_label("precision", x=LEFT + 6, y=under[0] + 18, class_="name precision"),
        draw_label("recall", x=RIGHT, y=under[1] + 18, text_anchor="end", class_="name recall"),
    ]


def _draw_curve_threshold(curve: Curve, *, across: Scale, up: Scale) -> list[Markup]:
    if curve.threshold is None:
        return []
    x = across(curve.decided)
    points = (up(line[curve.threshold]) for line in (curve.precision, curve.recall))
    return [
        *draw_threshold(x, name=f"threshold: {format_count(curve.decided, 'document')}"),
        *(make_element("circle", cx=x, cy=y, r=3.5, class_="point") for y in points),
    ]


def draw_grid(ticks: Sequence[tuple[float, str]]) -> list[Markup]:
    """Draw a horizontal line, with a text before it, for each tick of the vertical axis."""
    lines = [make_element("line", x1=LEFT, x2=RIGHT, y1=y, y2=y, class_="grid") for y, _ in ticks]
    return lines + [draw_label(text, x=LEFT - 6, y=y + 4, text_anchor="end") for y, text in ticks]


def draw_axis(ticks: Sequence[tuple[float, str]], *, name: str) -> list[Markup]:
    """Draw a text below each tick of the horizontal axis, and the axis' name below them."""
    return [
        *(draw_label(text, x=x, y=BOTTOM + 17, text_anchor="middle") for x, text in ticks),
        draw_label(name, x=MIDDLE, y=HEIGHT - 6, text_anchor="middle", class_="axis"),
    ]


def draw_threshold(x: float, *, name: str) -> list[Markup]:
    """Draw the threshold from top to bottom, its name on the side where there is room."""
    beside, side = (x + 5, "start") if x < MIDDLE else (x - 5, "end")
    return [
        make_element("line", x1=x, x2=x, y1=TOP - 14, y2=BOTTOM, class_="threshold"),
        draw_label(name, x=beside, y=TOP - 5, text_anchor=side, class_="name"),
    ]


@dataclass(frozen=True)
class Scale:
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


def choose_steps(low: float, high: float, *, most: int) -> list[float]:
    """Return at most `most` round numbers from low to high.

    >>> choose_steps(-1.3, 2.2, most=5), choose_steps(0, 7, most=3)
    ([-1.0, 0.0, 1.0, 2.0], [0.0, 5.0])
    """
    power = 10.0 ** math.floor(math.log10((high - low) / most or 1.0))
    for width in (power, 2 * power, 5 * power, 10 * power):
        first, last = math.ceil(low / width), math.floor(high / width)
        if last - first < most:
            break
    return [round(place * width, 12) + 0.0 for place in range(first, last + 1)]


def list_powers(high: float) -> list[int]:
    """Return the powers of ten from 1 up to a number.

    >>> list_powers(20_000)
    [1, 10, 100, 1000, 10000]
    """
    return [10**exponent for exponent in range(math.floor(math.log10(max(high, 1))) + 1)]


def make_element(name: str, *content: Markup | str, **attributes: str | float) -> Markup:
    """Return an element; text is escaped, numbers have one decimal, `class_` is written `class`.

    >>> make_element("text", "p < 1", x=1.25, text_anchor="end")
    Markup('<text x="1.2" text-anchor="end">p &lt; 1</text>')
    """
    written = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _format_attribute(value))
        for key, value in attributes.items()
    )
    inside = Markup("").join(escape(part) for part in content)
    return Markup("<{0}{1}>{2}</{0}>").format(name, written, inside)


def _format_attribute(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")


def draw_label(text: str, **attributes: str | float) -> Markup:
    """Return a text, at the place that its attributes give."""
    return make_element("text", text, **attributes)


def draw_path(points: Iterable[tuple[float, float]], *, class_: str) -> Markup:
    """Return a line through points."""
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return make_element("polyline", points=places, class_=class_)


def draw_picture(*content: Markup, title: str, description: str) -> Markup:
    """Return a drawing with its text alternative."""
    return make_element(
        "svg",
        make_element("title", title),
        make_element("desc", description),
        *content,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
    )
