"""likewise bench run and screen: run methods on tasks, and replay reviews that people screened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from likewise.bench.screening.results import ScreenResult, ScreenSettings
from likewise.bench.screening.reviews import ReplayStart, Review
from likewise.bench.screening.tables import ScreenTables
from likewise.cli import Several, SeveralCommand
from likewise.cli.bench.results import list_figure_values, show_tables
from likewise.cli.options import json_option, seed_option
from likewise.cli.output import print_json, print_result, say, show_progress_by
from likewise.errors import SettingsError
from likewise.expansion.wording import format_count
from likewise.learn.estimates import Target
from likewise.progress import make_bar

if TYPE_CHECKING:
    from likewise.bench.runs import RunReport
    from likewise.bench.runs.crew import CrewProgress
    from likewise.bench.screening import ScreenReport


workers_option = click.option(
    "--workers", type=click.IntRange(min=1),
    help="How many processes to use.  [default: one for each core]",
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
def run_command(  # an option each
    tasks: Path,
    *,
    methods: tuple[str, ...],
    out: Path,
    workers: int | None,
    as_json: bool,
    **chosen: Any,
) -> int:
    """Run methods on the tasks of a folder.

    Methods are those that likewise methods lists, alone or fused, and those that only the benchmark
    has: all, random+METHOD, upper-bound and the others in docs/benchmark.md. Run it again to make
    only the results that are missing, and to retry what failed. The exit code is 1 if a method
    failed.
    """
    from likewise.bench.runs import run_methods
    from likewise.bench.runs.results import RunSettings

    settings = RunSettings(**chosen)
    run = partial(run_methods, tasks, methods, out=out, settings=settings, workers=workers)
    report = run_with_bar("running", run)
    print_result(format_run(report, out), report._asdict(), as_json=as_json)
    return 1 if report.failed else 0


R = TypeVar("R", "RunReport", "ScreenReport")


def run_with_bar(name: str, run: Callable[..., R]) -> R:
    """Call a function under a progress bar, list what failed, and return its report.

    Args:
        name: What the bar calls the work.
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


@click.command("screen", cls=SeveralCommand)
@click.argument(
    "paths", metavar="REVIEWS...", nargs=-1, required=True,
    type=click.Path(path_type=Path, dir_okay=False),
)  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), help="The folder of results.")
@click.option(
    "--methods", cls=Several, default=("linear",), show_default=True, metavar="METHOD...",
    help="The methods that put records in order, as in likewise expand.",
)  # fmt: skip
@click.option(
    "--seeds", default=ScreenSettings.seeds, show_default=True, type=click.IntRange(min=2),
    help="How many records on topic are known at the start; nothing else is known.",
)  # fmt: skip
@click.option(
    "--rounds", default=ScreenSettings.rounds, show_default=True, type=click.IntRange(min=1),
    help="How many rounds it would take to read all records; the method learns before each.",
)  # fmt: skip
@click.option(
    "--batch", type=click.IntRange(min=1),
    help="How many records are looked at in a round, instead of --rounds.",
)  # fmt: skip
@click.option(
    "--draws", default=5, show_default=True, type=click.IntRange(min=1),
    help="How many times to draw seeds for each review.",
)  # fmt: skip
@click.option(
    "--level", type=click.Choice(("abstract", "included")), default="abstract", show_default=True,
    help="What counts as on topic, if a file has both decisions: kept by abstract, or included.",
)  # fmt: skip
@click.option(
    "--least", default=40, show_default=True, type=click.IntRange(min=1),
    help="Leave out reviews with fewer records on topic.",
)  # fmt: skip
@click.option("--review", "names", cls=Several, metavar="NAME...", help="Replay only these.")
@click.option(
    "--until", type=click.FloatRange(min=0, max=1, min_open=True),
    help="End a replay when this share of what is on topic is found.  "
    "[default: when everything is read]",
)  # fmt: skip
@click.option(
    "--rules", cls=Several, metavar="RULE...",
    help="Stopping rules to ask, as in likewise status.  [default: ours and the published ones]",
)  # fmt: skip
@click.option(
    "--recall", default=Target().recall, show_default=True,
    type=click.FloatRange(min=0, max=1, min_open=True, max_open=True),
    help="The recall that rules are asked to reach.",
)  # fmt: skip
@click.option(
    "--confidence", default=Target().confidence, show_default=True,
    type=click.FloatRange(min=0, max=1, min_open=True, max_open=True),
    help="The confidence that rules are asked for, if they take one.",
)  # fmt: skip
@click.option(
    "--beside", cls=Several, metavar="NAME=FILE...",
    help="The orders of other tools from the same starts, to measure as well.",
)  # fmt: skip
@click.option(
    "--starts", type=click.Path(path_type=Path, dir_okay=False),
    help="Only write the starts of the replays to a file, for other tools.",
)  # fmt: skip
@click.option(
    "--figures", type=click.Path(path_type=Path),
    help="A folder to draw figures into, as SVG and PNG.",
)  # fmt: skip
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False),
    help="Write the tables to a file.",
)  # fmt: skip
@seed_option
@workers_option
@json_option
def screen_command(  # noqa: PLR0913  # an option each
    *,
    paths: tuple[Path, ...],
    out: Path | None,
    methods: tuple[str, ...],
    draws: int,
    level: Any,
    least: int,
    names: tuple[str, ...],
    rules: tuple[str, ...],
    recall: float,
    confidence: float,
    beside: tuple[str, ...],
    starts: Path | None,
    figures: Path | None,
    output: Path | None,
    workers: int | None,
    as_json: bool,
    **chosen: Any,
) -> int:
    """Replay reviews that people screened, and measure how soon their records are found.

    REVIEWS are files of records with decisions: JSON lines that name several reviews in a field
    "reviews", or any file that likewise mark reads, which is one review. A replay starts from a few
    records on topic, looks at the most likely ones, learns from what people decided about them, and
    continues. Stopping rules are asked after each batch. Run it again to make only what is missing.
    The exit code is 1 if a replay failed.
    """
    import numpy as np

    from likewise.bench.screening import screen_reviews
    from likewise.bench.screening.reviews import draw_starts, read_reviews, write_starts
    from likewise.bench.screening.stops import find_stops
    from likewise.bench.screening.tables import make_screen_tables

    settings = ScreenSettings(**chosen)
    reviews = read_reviews(paths, level=level, least=least, names=names)
    begun = draw_starts(reviews, draws=draws, number=settings.number, seeds=settings.seeds)
    if starts:
        write_starts(begun, starts)
        of = format_count(len(reviews), "review")
        say(f"{starts}: {format_count(len(begun), 'start')} of {of}")
        return 0
    if not out:
        raise SettingsError("name the folder of results with --out")
    others = [one for text in beside for one in _read_orders(text, reviews, begun)]
    replay = partial(screen_reviews, reviews, methods, out=out, draws=draws, settings=settings)
    screened = run_with_bar("replaying", partial(replay, workers=workers))
    results, target = [*screened.results, *others], Target(recall, confidence)
    stops = find_stops(results, rules, target=target, batch=settings.batch)
    shown = ScreenTables(results, stops, target)
    # Intervals are the same whenever they are asked for.
    rng = np.random.default_rng(0)
    tables = make_screen_tables(shown, rng=rng, against=others[0].method if others else "")
    drawn = _draw_figures(shown, figures) if figures else []
    if output or not as_json:
        show_tables(tables, output=output)
    if as_json:
        print_json({"tables": tables, "results": shown.results, "figures": drawn})
    return 1 if screened.failed else 0


def _read_orders(
    text: str, reviews: Sequence[Review], starts: Sequence[ReplayStart]
) -> list[ScreenResult]:
    """Return the results of another tool, given as NAME=FILE."""
    from likewise.bench.screening.results import read_orders

    tool, is_there, path = text.partition("=")
    if not (tool and is_there and path):
        raise SettingsError(f"--beside {text}: give a name and a file, as in asreview=FILE")
    orders = read_orders(Path(path), tool=tool, reviews=reviews, starts=starts)
    if len(orders) < len(starts):
        say(f"{path}: orders for {len(orders):,} of {format_count(len(starts), 'start')}")
    return orders


def _draw_figures(shown: ScreenTables, folder: Path) -> list[dict[str, Any]]:
    """Draw the figures, and return what the JSON output says about them."""
    from likewise.bench.figures import write_figures
    from likewise.bench.screening.figures import draw_screening

    figures = draw_screening(shown)
    written = write_figures(figures, folder, formats=("svg", "png"))
    say(f"{folder}: {format_count(sum(map(len, written)), 'file')} written")
    return list(map(list_figure_values, figures, written))
