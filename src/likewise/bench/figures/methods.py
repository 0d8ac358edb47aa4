"""What methods come to in the mean over topics, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.bench.figures.dots import dot_plot, dots, told
from likewise.bench.figures.figure import Figure
from likewise.bench.figures.look import finished
from likewise.bench.figures.points import comparable, counted_topics, labels_by_mean, with_measure
from likewise.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.bench.figures.points import Point

NAME = "methods"


def methods(points: Sequence[Point]) -> Figure:
    """Draw the means of F1 and average precision, a row a method, a panel a number of seeds."""
    shown = comparable(with_measure(points, "F1"))
    if not shown:
        raise RunError(f"{NAME} needs F1 on topics that all methods have")
    found = [*dots(shown, "F1"), *dots(shown, "AP")]
    caption = (
        "F1 at the decision and average precision (AP) of the methods, sorted by F1: means over "
        f"{counted_topics(shown)}, with 95 % bootstrap intervals."
    )
    chart = dot_plot(found, order=labels_by_mean(shown, "F1"), title="mean over topics")
    return Figure(
        name=NAME,
        title="Methods in the mean over topics",
        caption=caption,
        alternative=told(found),
        chart=finished(chart, description=caption),
    )
