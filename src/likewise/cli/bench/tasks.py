"""likewise bench import, export and stats: tasks of others, and what tasks hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from likewise.bench.tasks.settings import TaskSettings
from likewise.cli.commands import Several, SeveralCommand
from likewise.cli.options import json_option, seed_option
from likewise.cli.output import (
    format_count,
    make_bar,
    print_above,
    print_json,
    print_rows,
    say,
    show_progress_by,
)

if TYPE_CHECKING:
    from likewise.bench.tables.statistics import TaskStatistics


seeds_option = click.option(
    "--seeds", cls=Several, default=TaskSettings.seeds,
    show_default=" ".join(map(str, TaskSettings.seeds)), type=click.IntRange(min=3),
    metavar="N...", help="How many seeds for training, a task for each.",
)  # fmt: skip
pool_option = click.option(
    "--pool", default=TaskSettings.pool, show_default=True, type=click.IntRange(min=1),
    help="|U|: how many documents without a label for training; twice as many are retrieved, of "
    "which a quarter each is for validation and for testing.",
)  # fmt: skip
draws_option = click.option(
    "--draws", default=TaskSettings.draws, show_default=True, type=click.IntRange(min=1),
    help="How often to draw seeds, a task for each.",
)  # fmt: skip


@click.command("import", cls=SeveralCommand)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="TASKS",
    help="The folder of tasks to write.",
)  # fmt: skip
@seeds_option
@pool_option
@draws_option
@seed_option
@json_option
def import_command(  # noqa: PLR0913  # one parameter an option
    folder: Path,
    *,
    out: Path,
    seeds: tuple[int, ...],
    pool: int,
    draws: int,
    number: int,
    as_json: bool,
) -> None:
    """Make tasks from files in other formats.

    DIR holds tasks as the authors of the paper published them, which are taken as they are, or a
    collection in BEIR's format, whose queries become topics if enough documents are relevant; for
    it alone are seeds drawn and pools retrieved.
    """
    from likewise.bench.exchange.transfer import import_tasks

    settings = TaskSettings(seeds=seeds, pool=pool, draws=draws, number=number)
    with make_bar("{task.fields[note]}") as bar:
        on_progress = show_progress_by(bar, "import")
        say_above = print_above(bar)
        report = import_tasks(
            folder,
            out,
            settings=settings,
            on_progress=on_progress,
        )
        for note in report.notes:
            say_above(note)
    if as_json:
        print_json({"path": str(out), **report._asdict()})
    else:
        say(
            f"{out}: {format_count(len(report.tasks), 'task')} read from {folder} ({report.format})"
        )


EXPORT_FORMATS = ("dse", "beir", "trec")


@click.command("export")
@click.argument("tasks", type=click.Path(path_type=Path))
@click.option(
    "--as",
    "as_format",
    required=True,
    type=click.Choice(EXPORT_FORMATS),
    help="Which format to write.",
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Where to."
)
@json_option
def export_command(tasks: Path, *, as_format: str, out: Path, as_json: bool) -> None:
    """Write tasks in other formats.

    dse is the format of the paper's authors, a folder a task; beir one collection of all tasks, a
    query each; trec the qrels, and the engine's ranking of the pool as a run.
    """
    from likewise.bench.exchange.transfer import export_tasks

    names = export_tasks(tasks, out, as_format=as_format)
    if as_json:
        print_json({"path": str(out), "format": as_format, "tasks": names})
    else:
        say(f"{out}: {format_count(len(names), 'task')} written as {as_format}")


@click.command("stats")
@click.argument("tasks", type=click.Path(path_type=Path))
@json_option
def stats_command(tasks: Path, *, as_json: bool) -> None:
    """Show what tasks hold: seeds, pool, precision and recall of the pool, over all draws.

    TASKS is a folder made by "likewise bench make", or one in the format that the authors of the
    paper published.
    """
    from likewise.bench.tables.statistics import compute_statistics, read_task_metadata

    rows = compute_statistics(read_task_metadata(tasks))
    if as_json:
        print_json([row._asdict() for row in rows])
    else:
        print_statistics(rows)


def print_statistics(rows: Sequence[TaskStatistics]) -> None:
    """Print the paper's Table 6: precision and recall in percent."""
    print_rows(
        ("|LP|", "|U|", "precision", "recall", "on topic", "draws", "topic"),
        [
            (
                row.seeds,
                f"{row.pool:,.0f}",
                f"{100 * row.precision:.2f}",
                f"{100 * row.recall:.2f}",
                f"{row.on_topic:,}",
                row.draws,
                row.topic,
            )
            for row in rows
        ],
    )
