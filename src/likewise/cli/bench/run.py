"""likewise bench run: methods on tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from likewise.cli.commands import Several, SeveralCommand
from likewise.cli.options import json_option, seed_option
from likewise.cli.output import format_count, make_bar, print_json, say

if TYPE_CHECKING:
    from likewise.bench.runs.results import RunSettings
    from likewise.bench.runs.running import RunReport


@click.command("run", cls=SeveralCommand)
@click.argument("tasks", type=click.Path(path_type=Path))
@click.option(
    "--methods",
    cls=Several,
    required=True,
    metavar="METHOD...",
    help='What to run, as in --methods bm25 linear "nnpu-cnn(loss=logistic)" upper-bound.',
)
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="The folder of results."
)
@click.option("--draws", type=click.IntRange(min=1), help="Run the first draws only.")
@click.option(
    "--keep", default="", help="What decides, as in likewise expand; by default, as there."
)
@click.option("--encoder", default="", help="A pretrained encoder, as in likewise expand.")
@seed_option
@click.option("--workers", type=click.IntRange(min=1), help="Processes; by default, one a core.")
@json_option
def command(  # noqa: PLR0913  # an option each
    tasks: Path,
    *,
    methods: tuple[str, ...],
    out: Path,
    draws: int | None,
    keep: str,
    encoder: str,
    number: int,
    workers: int | None,
    as_json: bool,
) -> int:
    """Run methods on the tasks of a folder.

    Methods are those of likewise methods, alone or fused, and those that only a benchmark has: all,
    random+METHOD, upper-bound and the others that docs/benchmark.md lists. Running again makes only
    results that are missing, and tries again what failed. The exit code is 1 if a method failed.
    """
    from likewise.bench.runs.results import RunSettings

    settings = RunSettings(keep=keep, encoder=encoder, number=number, draws=draws)
    report = run_with_bar(tasks, methods, out=out, settings=settings, workers=workers)
    if as_json:
        print_json(report._asdict())
    else:
        click.echo(format_run(report, out))
    return 1 if report.failed else 0


def run_with_bar(
    tasks: Path,
    methods: tuple[str, ...],
    *,
    out: Path,
    settings: RunSettings,
    workers: int | None,
) -> RunReport:
    """Run with one line of progress, and tell of what failed."""
    from likewise.bench.runs.running import run_methods

    with make_bar("{task.fields[note]}") as bar:
        shown = bar.add_task("running", total=None, note="")
        report = run_methods(
            tasks,
            methods,
            out=out,
            settings=settings,
            workers=workers,
            on_progress=lambda at: bar.update(
                # The end of a note is what a narrow terminal leaves out.
                shown,
                completed=at.done,
                total=at.total,
                note=f"{at.done}/{at.total} {at.note}",
            ),
        )
    for line in report.failed:
        say(f"failed: {line}")
    return report


def format_run(report: RunReport, out: Path) -> str:
    """Return what a run did, in a few lines."""
    told = [f"{format_count(report.made, 'result')} made"]
    if report.kept:
        told.append(f"{report.kept:,} were there already")
    if report.failed:
        told.append(f"{len(report.failed):,} failed, listed above")
    return f"{out}: {', '.join(told)}\nsee them with: likewise bench table {out}"
