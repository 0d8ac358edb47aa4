"""likewise bench run: run methods on tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

import click

from likewise.cli.commands import Several, SeveralCommand
from likewise.cli.options import json_option, seed_option
from likewise.cli.output import format_count, make_bar, print_json, say, show_progress_by

if TYPE_CHECKING:
    from likewise.bench.runs.crew import CrewProgress
    from likewise.bench.runs.running import RunReport


workers_option = click.option(
    "--workers", type=click.IntRange(min=1),
    help="How many processes.  [default: one for each core]",
)  # fmt: skip


@click.command("run", cls=SeveralCommand)
@click.argument("tasks", type=click.Path(path_type=Path))
@click.option(
    "--methods", cls=Several, required=True, metavar="METHOD...",
    help='What to run, such as --methods bm25 linear "nnpu-cnn(loss=logistic)" upper-bound.',
)  # fmt: skip
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="The folder of results."
)
@click.option("--draws", type=click.IntRange(min=1), help="Run only the first draws.")
@click.option("--keep", default="", help="The rule that decides, as in likewise expand.")
@click.option("--encoder", default="", help="A pretrained encoder, as in likewise expand.")
@seed_option
@workers_option
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

    Methods are those that likewise methods lists, alone or fused, and those that only the benchmark
    has: all, random+METHOD, upper-bound and the others in docs/benchmark.md. Run it again to make
    only the results that are missing, and to retry what failed. The exit code is 1 if a method
    failed.
    """
    from likewise.bench.runs.results import RunSettings
    from likewise.bench.runs.running import run_methods

    settings = RunSettings(keep=keep, encoder=encoder, number=number, draws=draws)
    run = partial(run_methods, tasks, methods, out=out, settings=settings, workers=workers)
    report = run_with_bar("running", run)
    if as_json:
        print_json(report._asdict())
    else:
        click.echo(format_run(report, out))
    return 1 if report.failed else 0


class CrewReport(Protocol):
    """The report on a run by several processes."""

    @property
    def failed(self) -> Sequence[str]:
        """What failed and why, one line for each."""


R = TypeVar("R", bound=CrewReport)


def run_with_bar(name: str, run: Callable[..., R]) -> R:
    """Call a function under a progress bar, list what failed, and return its report.

    Args:
        name: What the bar says is going on.
        run: Takes `on_progress`, which it calls as results come in.
    """
    with make_bar("{task.fields[note]}") as bar:
        move = show_progress_by(bar, name)

        def on_progress(at: CrewProgress) -> None:
            # The end of a note is what a narrow terminal leaves out.
            move(at.done, at.total, f"{at.done}/{at.total} {at.note}")

        report = run(on_progress=on_progress)
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
