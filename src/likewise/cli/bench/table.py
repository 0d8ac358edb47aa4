"""likewise bench table: the results of runs as tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from likewise.cli.commands import Several, SeveralCommand
from likewise.cli.output import json_option, print_json, say
from likewise.errors import TaskError

if TYPE_CHECKING:
    from likewise.bench.runs.summary import Summary
    from likewise.bench.tables import Table

LIKE = (
    "methods", "table1", "table2", "table3", "table4", "table5", "table6", "pretrained",
)  # fmt: skip
FORMATS = ("markdown", "latex", "csv")


@click.command("table", cls=SeveralCommand)
@click.argument(
    "paths",
    metavar="RUNS...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, path_type=Path),
)
@click.option(
    "--like",
    type=click.Choice(LIKE),
    help="Which table: methods (several measures, with intervals), one with the shape of the "
    "paper's Table 1 to 6, or pretrained.  [default: methods]",
)
@click.option("--format", "form", type=click.Choice(FORMATS), default="markdown", show_default=True)
@click.option(
    "--measure",
    "measures",
    cls=Several,
    metavar="NAME...",
    help="What to show in methods, which takes several, table1 and pretrained.  [default: F1]",
)
@click.option("--methods", cls=Several, metavar="METHOD...", help="Which to show.  [default: all]")
@click.option("--against", default="", metavar="METHOD", help="In methods: compare with this one.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to a file."
)
@click.option(
    "--summary",
    "kept",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write all results to one small file, which this command takes in place of RUNS.",
)
@json_option
def command(  # noqa: PLR0913  # one parameter an option
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
    """Print results as a table; RUNS are folders of results, or summaries of such.

    Where the paper has figures of its own, they stand beside ours. Methods are compared only on
    tasks that they have in common. Table 6 is about tasks: give a folder of tasks instead.
    """
    import numpy as np

    from likewise.bench.tables import TableSettings, make_tables

    settings = TableSettings(measures=measures, against=against)
    if like == "table6":
        tables = _make_statistics(paths)
    else:
        asked = (*methods, against) if methods and against else methods
        summary = _load_summaries(paths, asked)
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
        _show(tables, form=form, output=output)


def _load_summaries(paths: Sequence[Path], methods: Sequence[str]) -> Summary:
    from likewise.bench.runs.summary import keep_methods, load_summary, merge_summaries

    return keep_methods(merge_summaries([load_summary(path) for path in paths]), methods)


def _keep(summary: Summary, kept: Path) -> None:
    from likewise.bench.runs.summary import write_summary

    write_summary(summary, kept)
    results = sum(len(cell.draws) for cell in summary.cells)
    say(f"{kept}: a summary of {results:,} results, and of {len(summary.failures):,} that failed")


def _make_statistics(paths: Sequence[Path]) -> list[Table]:
    from likewise.bench.tables import make_table6
    from likewise.bench.tables.statistics import read_task_metadata

    for path in paths:
        if path.is_file() or (path / "results").is_dir():
            raise TaskError(
                f"{path}: Table 6 is about tasks; "
                'give a folder of them, as "likewise bench make" writes it'
            )
    return make_table6(metadata for path in paths for metadata in read_task_metadata(path))


def _show(tables: Sequence[Table], *, form: str, output: Path | None) -> None:
    from likewise.bench.tables import FORMATS
    from likewise.documents.files import replace_file

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
