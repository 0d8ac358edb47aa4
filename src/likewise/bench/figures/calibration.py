"""How far probabilities and intervals can be believed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.bench.figures.dots import dot_plot, dots, told
from likewise.bench.figures.figure import Figure
from likewise.bench.figures.look import altair, finished
from likewise.bench.figures.points import comparable, counted_topics, labels_by_mean, with_measure
from likewise.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.bench.figures.points import Point

NAME = "calibration"
ERROR, COVERED = "calibration error", "interval covered"
WANTED = 0.8
"""The share of intervals that should hold the truth, as they claim."""


def calibration(points: Sequence[Point]) -> Figure:
    """Draw the calibration error of methods, and how often their intervals held the truth."""
    shown = comparable(with_measure(points, ERROR, COVERED))
    if not shown:
        raise RunError(f"{NAME} needs methods that tell probabilities and a prior")
    order = labels_by_mean(shown, ERROR)[::-1]
    errors, covered = list(dots(shown, ERROR)), list(dots(shown, COVERED))
    caption = (
        "Above, the expected calibration error of probabilities (lower is better); below, the "
        f"share of tasks whose {100 * WANTED:.0f} % interval held the true prior (dotted: what it "
        f"claims). Means over {counted_topics(shown)}, with 95 % bootstrap intervals."
    )
    chart = altair().vconcat(
        dot_plot(errors, order=order, title=ERROR),
        dot_plot(covered, order=order, title="share of intervals that held", wanted=WANTED),
    )
    return Figure(
        name=NAME,
        title="Calibration of methods",
        caption=caption,
        alternative=told([*errors, *covered]),
        chart=finished(chart, description=caption),
    )
