"""likewise bench table and figures: show the results of runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from likewise.cli import Several, SeveralCommand
from likewise.cli.options import json_option
from likewise.cli.output import print_json, print_rows, say
from likewise.errors import TaskError
from likewise.expansion.wording import format_count

if TYPE_CHECKING:
    from likewise.bench.figures.look import CaptionedChart
    from likewise.bench.runs.summary import Summary
    from likewise.bench.tables import Table


LIKE = (
    "methods", "table1", "table2", "table3", "table4", "table5", "table6", "pretrained",
)  # fmt: skip
TABLE_FORMATS = ("markdown", "latex", "csv")


@click.command("table", cls=SeveralCommand)
@click.argument(
    "paths", metavar="RUNS...", nargs=-1, required=True,
    type=click.Path(exists=True, path_type=Path),
)  # fmt: skip
@click.option(
    "--like", type=click.Choice(LIKE),
    help="Which table: methods (several measures, with intervals), one with the shape of the "
    "paper's Table 1 to 6, or pretrained.  [default: methods]",
)  # fmt: skip
@click.option(
    "--format", "form", type=click.Choice(TABLE_FORMATS), default=TABLE_FORMATS[0],
    show_default=True,
)  # fmt: skip
@click.option(
    "--measure", "measures", cls=Several, metavar="NAME...",
    help="The measure of table1 and pretrained; methods takes several.  [default: F1]",
)  # fmt: skip
@click.option(
    "--methods", cls=Several, metavar="METHOD...", help="The methods to show.  [default: all]"
)
@click.option(
    "--against", default="", metavar="METHOD",
    help="In the methods table: the method to compare with.",
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to a file."
)
@click.option(
    "--summary", "kept", type=click.Path(path_type=Path, dir_okay=False),
    help="Write all results to one small file, which this command takes in place of RUNS.",
)  # fmt: skip
@json_option
def table_command(  # noqa: PLR0913  # one parameter an option
    *,
    paths: tuple[Path, ...],
    like: str | None,
    form: str,
    measures: tuple[str, ...],
    methods: tuple[str, ...],
    against: str,
    output: Path | None,
    kept: Path | None,
    as_json: bool,
) -> None:
    """Print results as a table; RUNS are folders of results, or summaries of them.

    If the paper published figures, they are shown beside ours. Methods are compared only on tasks
    that they have in common. Table 6 is about tasks: give a folder of tasks instead.
    """
    import numpy as np

    from likewise.bench.runs.summary import keep_methods, load_summary, merge_summaries
    from likewise.bench.tables import TableSettings, make_tables

    settings = TableSettings(measures=measures, against=against)
    if like == "table6":
        tables = _make_statistics(paths)
    else:
        asked = (*methods, against) if methods and against else methods
        summary = keep_methods(merge_summaries([load_summary(path) for path in paths]), asked)
        if kept:
            _keep(summary, kept)
            if not like:
                return
        # Intervals are the same whenever they are asked for.
        rng = np.random.default_rng(0)
        tables = make_tables(summary, like or "methods", settings=settings, rng=rng)
    if as_json:
        print_json(tables)
    else:
        show_tables(tables, form=form, output=output)


def _keep(summary: Summary, kept: Path) -> None:
    from likewise.bench.runs.summary import write_summary

    write_summary(summary, kept)
    results = sum(len(cell.draws) for cell in summary.cells)
    say(f"{kept}: a summary of {results:,} results, and of {len(summary.failures):,} that failed")


def _make_statistics(paths: Sequence[Path]) -> list[Table]:
    from likewise.bench.tables import make_table6, read_task_metadata

    for path in paths:
        if path.is_file() or (path / "results").is_dir():
            raise TaskError(
                f"{path}: Table 6 is about tasks; "
                'give a folder of them, as "likewise bench make" writes it'
            )
    return make_table6(metadata for path in paths for metadata in read_task_metadata(path))


def show_tables(
    tables: Sequence[Table], *, output: Path | None, form: str = TABLE_FORMATS[0]
) -> None:
    """Write tables to a file, or print them if no file is given."""
    from likewise.bench.tables import FORMATS
    from likewise.documents import replace_file

    text = FORMATS[form](tables)
    if output:
        with replace_file(output) as stream:
            stream.write(text.encode())
        say(f"{output}: written")
    else:
        click.echo(text.rstrip("\n"))
    if form == "csv":
        for note in (note for table in tables for note in table.notes):
            say(note)


NAMES = (
    "learning-curve",
    "methods",
    "topics",
    "calibration",
    "cost",
    "pretrained",
    "scores",
)
"""The names of all figures, repeated here since their own module takes long to load."""
FIGURE_FORMATS = ("svg", "png", "html")


@click.command("figures", cls=SeveralCommand)
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path),
    help="The folder to write to.  [default: PATH/figures]",
)  # fmt: skip
@click.option(
    "--only", cls=Several, type=click.Choice(NAMES), metavar="NAME...",
    help=f"Draw these: {', '.join(NAMES)}.",
)  # fmt: skip
@click.option(
    "--format", "formats", cls=Several, type=click.Choice(FIGURE_FORMATS), metavar="FORMAT...",
    help="svg, png or html, a page that needs no network.  [default: all three]",
)  # fmt: skip
@click.option("--task", default="", metavar="NAME", help="The task to draw.  [default: the first]")
@json_option
def figures_command(
    path: Path,
    *,
    out: Path | None,
    only: tuple[str, ...],
    formats: tuple[str, ...],
    task: str,
    as_json: bool,
) -> None:
    """Draw results or tasks.

    PATH is a folder of results, a summary of one, a folder of tasks, or tasks in the format of the
    paper's authors. Results are drawn as: the distance of methods to the upper bound as the number
    of seeds grows, their means with intervals, topic by topic, calibration, cost, and what
    pretraining is worth. A task is drawn as the scores of its pool, on and off topic. Figures that
    can't be drawn are left out, with the reason.
    """
    from likewise.bench.figures import draw_figures, write_figures

    drawn = draw_figures(path, only=only, task=task)
    folder = out or (path if path.is_dir() else path.parent) / "figures"
    written = write_figures(drawn.figures, folder, formats=formats or FIGURE_FORMATS)
    for line in drawn.left_out:
        say(line)
    if as_json:
        told = list(map(list_figure_values, drawn.figures, written))
        print_json({"figures": told, "left_out": drawn.left_out})
        return
    print_rows(("figure", "caption"), [(one.name, one.caption) for one in drawn.figures])
    say(f"{folder}: {format_count(sum(map(len, written)), 'file')} written")


def list_figure_values(figure: CaptionedChart, files: list[Path]) -> dict[str, Any]:
    """Return what the JSON output says about a figure."""
    return {
        "name": figure.name,
        "title": figure.title,
        "caption": figure.caption,
        "alternative": figure.alternative,
        "files": [str(file) for file in files],
    }
