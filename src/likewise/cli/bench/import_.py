"""likewise bench import: tasks from files in formats of others."""

from __future__ import annotations

from pathlib import Path

import click

from likewise.cli.commands import SeveralCommand
from likewise.cli.options import draws_option, pool_option, seeds_option
from likewise.cli.output import (
    format_count,
    json_option,
    make_bar,
    print_above,
    print_json,
    say,
    seed_option,
    show_progress_by,
)


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
def command(  # noqa: PLR0913  # one parameter an option
    folder: Path,
    *,
    out: Path,
    seeds: tuple[int, ...],
    pool: int,
    draws: int,
    number: int,
    as_json: bool,
) -> None:
    """Make tasks of files in formats of others.

    DIR holds tasks as the authors of the paper published them, which are taken as they are, or a
    collection in BEIR's format, whose queries become topics if enough documents are relevant; for
    it alone are seeds drawn and pools retrieved.
    """
    from likewise.bench.exchange.transfer import import_tasks
    from likewise.bench.tasks.settings import TaskSettings

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
