"""likewise bench screen: reviews that people screened, replayed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from likewise.bench.screening.results import ScreenResult, ScreenSettings
from likewise.bench.screening.reviews import ReplayStart, Review
from likewise.bench.screening.tables import ScreenTables
from likewise.bench.tables.table import Table
from likewise.cli.commands import Several, SeveralCommand
from likewise.cli.options import json_option, seed_option
from likewise.cli.output import format_count, make_bar, print_json, say
from likewise.errors import SettingsError
from likewise.learn.stopping.target import Target

if TYPE_CHECKING:
    from likewise.bench.screening.running import ScreenReport


@click.command("screen", cls=SeveralCommand)
@click.argument(
    "paths",
    metavar="REVIEWS...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
)
@click.option("--out", type=click.Path(path_type=Path), help="The folder of results.")
@click.option(
    "--methods",
    cls=Several,
    default=("linear",),
    show_default=True,
    metavar="METHOD...",
    help="What puts records in order, as in likewise expand.",
)
@click.option(
    "--seeds",
    default=ScreenSettings.seeds,
    show_default=True,
    type=click.IntRange(min=2),
    help="How many records on topic are known at first; nothing else is.",
)
@click.option(
    "--rounds",
    default=ScreenSettings.rounds,
    show_default=True,
    type=click.IntRange(min=1),
    help="In how many rounds all records would be read; the method learns before each.",
)
@click.option(
    "--batch",
    type=click.IntRange(min=1),
    help="Or else, how many records are looked at in a round.",
)
@click.option(
    "--draws",
    default=5,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many times seeds are drawn for each review.",
)
@click.option(
    "--level",
    type=click.Choice(("abstract", "included")),
    default="abstract",
    show_default=True,
    help="What is on topic, where a file has both: past the screen of abstracts, or included.",
)
@click.option(
    "--least",
    default=40,
    show_default=True,
    type=click.IntRange(min=1),
    help="Leave reviews out that have fewer records on topic.",
)
@click.option("--review", "names", cls=Several, metavar="NAME...", help="Replay these alone.")
@click.option(
    "--until",
    type=click.FloatRange(min=0, max=1, min_open=True),
    help="End a replay when this share of what is on topic is found.  "
    "[default: when everything is read]",
)
@click.option(
    "--rules",
    cls=Several,
    metavar="RULE...",
    help="Stopping rules to ask, as in likewise status.  [default: ours and the published ones]",
)
@click.option(
    "--recall",
    default=Target().recall,
    show_default=True,
    type=click.FloatRange(min=0, max=1, min_open=True, max_open=True),
    help="The recall that rules are asked for ...",
)
@click.option(
    "--confidence",
    default=Target().confidence,
    show_default=True,
    type=click.FloatRange(min=0, max=1, min_open=True, max_open=True),
    help="... with this confidence, as far as they know one.",
)
@click.option(
    "--beside",
    cls=Several,
    metavar="NAME=FILE...",
    help="Orders of other tools from the same starts, to be measured too.",
)
@click.option(
    "--starts",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write what replays start from to a file, for other tools, and do no more.",
)
@click.option(
    "--figures", type=click.Path(path_type=Path), help="Draw into this folder, as SVG and PNG."
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write the tables."
)
@seed_option
@click.option("--workers", type=click.IntRange(min=1), help="Processes; by default, one a core.")
@json_option
def command(  # noqa: PLR0913  # an option each
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
    "reviews", or any file that likewise mark reads, one review each. A replay starts from a few
    records on topic, looks at the likeliest, learns from what people decided about them, and
    continues. Stopping rules are asked after each batch. Running again makes only what is missing.
    The exit code is 1 if a replay failed.
    """
    from likewise.bench.screening.reviews import read_reviews, write_starts

    settings = ScreenSettings(**chosen)
    reviews = read_reviews(paths, level=level, least=least, names=names)
    begun = _draw_starts(reviews, draws=draws, settings=settings)
    if starts:
        write_starts(begun, starts)
        of = format_count(len(reviews), "review")
        say(f"{starts}: {format_count(len(begun), 'start')} of {of}")
        return 0
    if not out:
        raise SettingsError("name the folder of results with --out")
    others = _read_others(beside, reviews=reviews, starts=begun)
    screened = _replay_with_bar(
        reviews,
        methods,
        out=out,
        draws=draws,
        settings=settings,
        workers=workers,
    )
    target = Target(recall, confidence)
    told = _ask_rules([*screened.results, *others], rules, target=target, batch=settings.batch)
    tables = _make_tables(told, against=others[0].method if others else "")
    drawn = _draw_figures(told, figures) if figures else []
    if output:
        _write(tables, output)
    if as_json:
        print_json({"tables": tables, "results": told.results, "figures": drawn})
    elif not output:
        _print(tables)
    return 1 if screened.failed else 0


def _draw_starts(
    reviews: Sequence[Review], *, draws: int, settings: ScreenSettings
) -> list[ReplayStart]:
    from likewise.bench.screening.reviews import draw_start

    return [
        draw_start(review, draw, number=settings.number, seeds=settings.seeds)
        for draw in range(1, draws + 1)
        for review in reviews
    ]


def _read_others(
    beside: Sequence[str], *, reviews: Sequence[Review], starts: Sequence[ReplayStart]
) -> list[ScreenResult]:
    """Return what other tools came to."""
    from likewise.bench.screening.results import read_orders

    by_name = {review.name: review for review in reviews}
    by_draw = {(start.review, start.draw): start for start in starts}
    found: list[ScreenResult] = []
    for text in beside:
        tool, is_there, path = text.partition("=")
        if not (tool and is_there and path):
            raise SettingsError(f"--beside {text}: give a name and a file, as in asreview=FILE")
        orders = read_orders(Path(path), tool=tool, reviews=by_name, starts=by_draw)
        if len(orders) < len(starts):
            say(f"{path}: {len(orders):,} orders of {format_count(len(starts), 'start')}")
        found += orders
    return found


def _replay_with_bar(
    reviews: Sequence[Review], methods: Sequence[str], **chosen: Any
) -> ScreenReport:
    """Replay with one line of progress, and tell of what failed."""
    from likewise.bench.screening.running import screen_reviews

    with make_bar("{task.fields[note]}") as bar:
        shown = bar.add_task("replaying", total=None, note="")
        screened = screen_reviews(
            reviews,
            methods,
            on_progress=lambda at: bar.update(
                shown,
                completed=at.done,
                total=at.total,
                note=f"{at.done}/{at.total} {at.note}",
            ),
            **chosen,
        )
    for line in screened.failed:
        say(f"failed: {line}")
    return screened


def _ask_rules(
    results: Sequence[ScreenResult], rules: Sequence[str], *, target: Target, batch: int | None
) -> ScreenTables:
    from likewise.bench.screening.stops import find_stops
    from likewise.bench.screening.tables import ScreenTables

    return ScreenTables(results, find_stops(results, rules, target=target, batch=batch), target)


def _make_tables(told: ScreenTables, *, against: str) -> list[Table]:
    import numpy as np

    from likewise.bench.screening.tables import make_screen_tables

    # Intervals are the same whenever they are asked for.
    return make_screen_tables(told, rng=np.random.default_rng(0), against=against)


def _draw_figures(told: ScreenTables, folder: Path) -> list[dict[str, Any]]:
    """Draw the figures, and return what is said of them."""
    from likewise.bench.figures.drawing import write_figures
    from likewise.bench.screening.figures import draw_recall, draw_rules

    figures = [draw_recall(told.results), draw_rules(told.stops, recall=told.target.recall)]
    written = write_figures(figures, folder, formats=("svg", "png"))
    say(f"{folder}: {format_count(sum(map(len, written)), 'file')} written")
    return [
        {
            "name": one.name,
            "caption": one.caption,
            "alternative": one.alternative,
            "files": [str(file) for file in files],
        }
        for one, files in zip(figures, written, strict=True)
    ]


def _write(tables: Sequence[Table], output: Path) -> None:
    from likewise.bench.tables.table import as_markdown
    from likewise.documents.files import replace_file

    with replace_file(output) as stream:
        stream.write(as_markdown(tables).encode())
    say(f"{output}: written")


def _print(tables: Sequence[Table]) -> None:
    from likewise.bench.tables.table import as_markdown

    click.echo(as_markdown(tables).rstrip("\n"))
