"""Every figure by name, and those that can be drawn of what is there."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from likewise.bench.figures.calibration import calibration
from likewise.bench.figures.cost import cost
from likewise.bench.figures.learning_curve import learning_curve
from likewise.bench.figures.methods import methods
from likewise.bench.figures.points import incomplete, most_common_kind, points_of
from likewise.bench.figures.pretrained import pretrained
from likewise.bench.figures.scores import scores
from likewise.bench.figures.topics import topics
from likewise.errors import RunError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from likewise.bench.figures.figure import Figure
    from likewise.bench.figures.points import Point
    from likewise.bench.runs.summary import Summary
    from likewise.bench.tasks.task import Entry, TaskMetadata, Truth

OF_RESULTS: dict[str, Callable[[Sequence[Point]], Figure]] = {
    "learning-curve": learning_curve,
    "methods": methods,
    "topics": topics,
    "calibration": calibration,
    "cost": cost,
    "pretrained": pretrained,
}
OF_TASKS: dict[str, Callable[[TaskMetadata, Sequence[Entry], Truth], Figure]] = {"scores": scores}
NAMES = (*OF_RESULTS, *OF_TASKS)


class Drawn(NamedTuple):
    """Figures, and a line for whatever is not in them."""

    figures: list[Figure]
    left_out: list[str]


def draw_results(summary: Summary, *, only: Sequence[str] = ()) -> Drawn:
    """Draw the figures of results."""
    check_names(only)
    if not summary.cells:
        raise RunError("nothing can be drawn: every method failed; run them again")
    kind = most_common_kind(summary)
    points = points_of(summary, kind=kind)
    drawn = _drawn({name: partial(draw, points) for name, draw in OF_RESULTS.items()}, only)
    others = sorted({str(cell.kind) for cell in summary.cells if cell.kind != kind})
    if others:
        drawn.left_out.append(f"tasks drawn are {kind}; left out are others: {'; '.join(others)}")
    drawn.left_out.extend(
        f"{run.label} with {run.seeds} seeds is left out of means: it has less than half of the "
        "topics"
        for run in incomplete(points)
    )
    return drawn


def draw_task(
    metadata: TaskMetadata, entries: Sequence[Entry], truth: Truth, *, only: Sequence[str] = ()
) -> Drawn:
    """Draw the figures of a task."""
    check_names(only)
    offered = {name: partial(draw, metadata, entries, truth) for name, draw in OF_TASKS.items()}
    return _drawn(offered, only)


def check_names(names: Sequence[str]) -> None:
    """Raise if there is no figure of a name."""
    for name in names:
        if name not in NAMES:
            raise SettingsError(f"there is no figure {name!r}; choose of: {', '.join(NAMES)}")


def _drawn(offered: Mapping[str, Callable[[], Figure]], only: Sequence[str]) -> Drawn:
    drawn = Drawn([], [])
    for name in dict.fromkeys(only) or offered:
        try:
            drawn.figures.append(_one(name, offered))
        except RunError as error:
            drawn.left_out.append(str(error))
    if not drawn.figures:
        raise RunError(f"nothing can be drawn: {'; '.join(drawn.left_out)}")
    return drawn


def _one(name: str, offered: Mapping[str, Callable[[], Figure]]) -> Figure:
    if name not in offered:
        of = "results" if name in OF_RESULTS else "tasks"
        raise RunError(f"{name} is drawn of {of}, which these are not")
    return offered[name]()
