"""All figures by name, and the functions that draw them and write them to files.

Figures are drawn from results, from a summary of results, or from tasks: ours or those of the
paper's authors. They are written as SVG, as PNG, and as pages that need no network.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from likewise.bench.figures.look import FONT, INK, CaptionedChart, alt
from likewise.bench.figures.methods import draw_calibration, draw_cost, draw_methods
from likewise.bench.figures.paper import draw_learning_curve, draw_scores
from likewise.bench.figures.points import Point, find_incomplete, find_main_kind, make_points
from likewise.bench.figures.topics import draw_pretrained, draw_topics
from likewise.bench.runs.summary import Summary, load_summary
from likewise.bench.tasks import TaskEntry, TaskMetadata, Truth
from likewise.bench.tasks.dse import METADATA, find_dse_folders, read_dse
from likewise.bench.tasks.folders import HEAD, TaskFolder
from likewise.documents import replace_file
from likewise.errors import RunError, SettingsError, WriteError
from likewise.extras import require

OF_RESULTS: dict[str, Callable[[Sequence[Point]], CaptionedChart]] = {
    "learning-curve": draw_learning_curve,
    "methods": draw_methods,
    "topics": draw_topics,
    "calibration": draw_calibration,
    "cost": draw_cost,
    "pretrained": draw_pretrained,
}
OF_TASKS: dict[str, Callable[[TaskMetadata, Sequence[TaskEntry], Truth], CaptionedChart]] = {
    "scores": draw_scores
}
NAMES = (*OF_RESULTS, *OF_TASKS)


class FigureSet(NamedTuple):
    """Figures, and a line for each thing that could not be drawn."""

    figures: list[CaptionedChart]
    left_out: list[str]


def draw_figures(path: Path, *, only: Sequence[str] = (), task: str = "") -> FigureSet:
    """Draw the figures of results or tasks, whichever are at a path.

    Args:
        path: A folder of results, a summary of one, a folder of tasks, or the authors' tasks.
        only: The names of the figures wanted; by default, all that can be drawn.
        task: Which task of a folder to draw; by default, the first.
    """
    for name in only:
        if name not in NAMES:
            raise SettingsError(f"there is no figure {name!r}; choose one of: {', '.join(NAMES)}")
    if (path / HEAD).is_file():
        folder = TaskFolder(path)
        name = task or folder.list_names()[0]
        return draw_task(
            folder.read_metadata(name),
            folder.read_entries(name),
            folder.read_truth(name),
            only=only,
        )
    if path.is_file() or (path / "results").is_dir():
        if task:
            raise RunError(f"{path}: these are results, and --task {task} is for folders of tasks")
        return draw_results(load_summary(path), only=only)
    # Look only two levels down: this might be a folder that holds everything.
    if (path / METADATA).is_file() or any(path.glob(f"L*/*/{METADATA}")):
        return _draw_dse(path, find_dse_folders(path), only=only, task=task)
    raise RunError(
        f"{path}: neither results, nor a summary of them, nor tasks; "
        'give a folder that "likewise bench run" or "likewise bench make" wrote'
    )


def _draw_dse(path: Path, folders: Sequence[Path], *, only: Sequence[str], task: str) -> FigureSet:
    named = {folder.relative_to(path).as_posix(): folder for folder in folders}
    if not named:
        raise RunError(f"{path}: metadata of tasks, but no task; copy the whole folder again")
    if task and task not in named:
        raise RunError(f"{path}: no task {task!r}; there are: {', '.join(named)}")
    found = read_dse(named[task] if task else folders[0])
    drawn = draw_task(found.task.metadata, found.task.entries, found.truth, only=only)
    drawn.left_out.extend(
        f"{path}: {name} is missing; the figure shows what is there" for name in found.missing
    )
    return drawn


def draw_results(summary: Summary, *, only: Sequence[str] = ()) -> FigureSet:
    """Draw the figures of results."""
    if not summary.cells:
        raise RunError("nothing can be drawn: every method failed; run them again")
    kind = find_main_kind(summary)
    points = make_points(summary, kind=kind)
    drawn = _draw_offered({name: partial(draw, points) for name, draw in OF_RESULTS.items()}, only)
    others = sorted({str(cell.kind) for cell in summary.cells if cell.kind != kind})
    if others:
        drawn.left_out.append(f"only one kind of task is drawn ({kind}), not: {'; '.join(others)}")
    drawn.left_out.extend(
        f"{run.label} with {run.seeds} seeds is left out of means: it has fewer than half of the "
        "topics"
        for run in find_incomplete(points)
    )
    return drawn


def draw_task(
    metadata: TaskMetadata, entries: Sequence[TaskEntry], truth: Truth, *, only: Sequence[str] = ()
) -> FigureSet:
    """Draw the figures of a task."""
    offered = {name: partial(draw, metadata, entries, truth) for name, draw in OF_TASKS.items()}
    return _draw_offered(offered, only)


def _draw_offered(
    offered: Mapping[str, Callable[[], CaptionedChart]], only: Sequence[str]
) -> FigureSet:
    drawn = FigureSet([], [])
    for name in dict.fromkeys(only) or offered:
        if name not in offered:
            of = "results" if name in OF_RESULTS else "tasks"
            drawn.left_out.append(f"{name} is drawn from {of}; give a folder of these")
            continue
        try:
            drawn.figures.append(offered[name]())
        except RunError as error:
            drawn.left_out.append(str(error))
    if not drawn.figures:
        raise RunError(f"nothing can be drawn: {'; '.join(drawn.left_out)}")
    return drawn


SCALE = 2
"""The number of pixels in a PNG file for each pixel of the figure."""


def write_figures(
    figures: Sequence[CaptionedChart], folder: Path, *, formats: Sequence[str]
) -> list[list[Path]]:
    """Write figures into a folder in some formats, and return the paths of each figure.

    Nothing is written until all are drawn.
    """
    drawn = [
        {folder / f"{figure.name}.{name}": FORMATS[name](figure) for name in formats}
        for figure in figures
    ]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(f"{folder}: can't be made: {error.strerror or error}") from error
    for files in drawn:
        for path, content in files.items():
            with replace_file(path) as stream:
                stream.write(content)
    return [list(files) for files in drawn]


def _render_png(figure: CaptionedChart) -> bytes:
    chart = figure.chart.to_dict()
    return bytes(_load_converter().vegalite_to_png(chart, scale=SCALE, **_find_version()))


def _render_svg(figure: CaptionedChart) -> bytes:
    """Return a figure as SVG, with a title and a description for screen readers."""
    svg: str = _load_converter().vegalite_to_svg(figure.chart.to_dict(), **_find_version())
    tag, _, rest = svg.partition(">")
    words = (
        f"<title>{escape(figure.title)}</title>"
        f"<desc>{escape(f'{figure.caption} {figure.alternative}')}</desc>"
    )
    return f'{tag} role="img">{words}{rest}\n'.encode()


def _render_page(figure: CaptionedChart) -> bytes:
    # The name of a topic may contain a tag that would end the script.
    chart, words = (
        json.dumps(each, ensure_ascii=False).replace("<", "\\u003c")
        for each in (figure.chart.to_dict(), figure.alternative)
    )
    return _PAGE.format(
        title=escape(figure.title),
        caption=escape(figure.caption),
        chart=chart,
        words=words,
        script=_load_converter().javascript_bundle(vl_version=_find_version()["vl_version"]),
        font=FONT,
        ink=INK,
    ).encode()


def _load_converter() -> Any:
    return require("vl_convert", for_="Drawing figures", extra="bench")


def _find_version() -> dict[str, str]:
    """Return the version of Vega-Lite, on which altair and vl-convert must agree."""
    return {"vl_version": ".".join(alt.SCHEMA_VERSION.split(".")[:2])}


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font-family: {font}; color: {ink}; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }}
figure {{ margin: 0; overflow-x: auto; }}
figcaption {{ font-size: 0.9rem; line-height: 1.4; max-width: 44rem; margin-top: 1rem; }}
</style>
<script>{script}</script>
</head>
<body>
<figure>
<div id="chart"></div>
<figcaption>{caption}</figcaption>
</figure>
<script>
const chart = {chart};
vegaEmbed("#chart", chart, {{renderer: "svg", actions: false}}).then(() => {{
  const drawing = document.querySelector("#chart svg");
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", {words});
}});
</script>
</body>
</html>
"""
FORMATS: dict[str, Callable[[CaptionedChart], bytes]] = {
    "svg": _render_svg,
    "png": _render_png,
    "html": _render_page,
}
"""All formats, each with a function that writes it; the same figure gives the same bytes."""
