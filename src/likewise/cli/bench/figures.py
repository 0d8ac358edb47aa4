"""likewise bench figures: results and tasks, drawn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from likewise.cli.commands import Several, SeveralCommand
from likewise.cli.output import format_count, json_option, print_json, print_rows, say

if TYPE_CHECKING:
    from likewise.bench.figures.look import CaptionedChart

NAMES = (
    "learning-curve",
    "methods",
    "topics",
    "calibration",
    "cost",
    "pretrained",
    "scores",
)
"""As the catalogue of figures has them, which takes long to load."""
FORMATS = ("svg", "png", "html")


@click.command("figures", cls=SeveralCommand)
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="The folder to write to.  [default: PATH/figures]",
)
@click.option(
    "--only",
    cls=Several,
    type=click.Choice(NAMES),
    metavar="NAME...",
    help=f"Draw these: {', '.join(NAMES)}.",
)
@click.option(
    "--format",
    "formats",
    cls=Several,
    type=click.Choice(FORMATS),
    metavar="FORMAT...",
    help="svg, png or html, a page that needs no network.  [default: all three]",
)
@click.option(
    "--task", default="", metavar="NAME", help="Of tasks, the one to draw, not the first."
)
@json_option
def command(
    path: Path,
    *,
    out: Path | None,
    only: tuple[str, ...],
    formats: tuple[str, ...],
    task: str,
    as_json: bool,
) -> None:
    """Draw results or tasks.

    PATH is a folder of results, a summary of one, a folder of tasks, or one in the format of the
    paper's authors. Of results: how far methods stay below the upper bound as seeds grow in number,
    their means with intervals, topic by topic, calibration, cost, and what pretraining is worth. Of
    a task: the scores of its pool, on and off topic. What can't be drawn is left out, and said.
    """
    from likewise.bench.figures.catalogue import draw_figures
    from likewise.bench.figures.drawing import write_figures

    drawn = draw_figures(path, only=only, task=task)
    folder = out or (path if path.is_dir() else path.parent) / "figures"
    written = write_figures(drawn.figures, folder, formats=formats or FORMATS)
    for line in drawn.left_out:
        say(line)
    if as_json:
        told = [
            _list_figure_values(one, files)
            for one, files in zip(drawn.figures, written, strict=True)
        ]
        print_json({"figures": told, "left_out": drawn.left_out})
        return
    print_rows(("figure", "caption"), [(one.name, one.caption) for one in drawn.figures])
    say(f"{folder}: {format_count(sum(map(len, written)), 'file')} written")


def _list_figure_values(figure: CaptionedChart, files: list[Path]) -> dict[str, Any]:
    return {
        "name": figure.name,
        "title": figure.title,
        "caption": figure.caption,
        "alternative": figure.alternative,
        "files": [str(file) for file in files],
    }
