"""Gathering from sources on a terminal: what it may cost, how far it is, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from likewise.cli.expanding import show_stages_by
from likewise.cli.output import format_count, limit_lines, make_bar, print_above, say
from likewise.expansion.gathering import GatherListener, GatherReport, choose_folder, gather
from likewise.expansion.seed_sources import sort_seeds
from likewise.expansion.settings import ExpandSettings
from likewise.library.folder import MARKER
from likewise.library.sources.kept import Budget
from likewise.library.sources.source import is_source

MOST_PROBLEMS = 10
MOST_MISSING = 10
_Function = TypeVar("_Function", bound=Callable[..., Any])


def budget_options(function: _Function) -> _Function:
    """Add the options that say how much may be gathered from a source."""
    for option in (
        click.option("--minutes", type=click.FloatRange(min=0, min_open=True), metavar="N",
                     help="How long to gather at most."),
        click.option("--requests", type=click.IntRange(min=1), metavar="N",
                     help="How many requests to send at most."),
        click.option("--at-most", type=click.IntRange(min=1), metavar="N",
                     help="How many records to gather at most; 10,000 if nothing is said."),
    ):  # fmt: skip
        function = option(function)
    return function


def make_budget(chosen: Mapping[str, float | None]) -> Budget:
    """Return the budget that options say."""
    requests, minutes = chosen["requests"], chosen["minutes"]
    budget = Budget(requests=None if requests is None else int(requests), minutes=minutes)
    most = chosen["at_most"]
    return budget if most is None else replace(budget, records=int(most))


def names_source(library: str) -> bool:
    """Tell whether the argument for a library names a source; a library of that name wins."""
    return is_source(library) and not Path(library, MARKER).is_file()


def gather_for(
    source: str,
    seeds: Sequence[str],
    *,
    folder: str | None,
    budget: Budget,
    settings: ExpandSettings,
) -> str:
    """Gather before an expansion, say what came of it, and return the library's address."""
    address = folder or str(choose_folder(source))
    report = gather_with_bar(source, seeds, address, budget=budget, settings=settings)
    say(format_gathering(report))
    return address


def gather_with_bar(
    source: str,
    seeds: Sequence[str],
    address: str,
    *,
    budget: Budget,
    settings: ExpandSettings | None = None,
) -> GatherReport:
    """Gather with a progress bar, and report problems as they occur."""
    with make_bar("{task.fields[note]}") as bar:
        tell = limit_lines(print_above(bar), most=MOST_PROBLEMS)
        given = sort_seeds(seeds, on_problem=lambda problem: tell(problem.path, str(problem)))
        listener = GatherListener(
            on_progress=show_stages_by(bar),
            on_line=print_above(bar),
            on_problem=lambda problem: tell(problem.path, str(problem)),
        )
        return gather(source, given, address, budget=budget, settings=settings, listener=listener)


def format_gathering(report: GatherReport) -> str:
    """Return what a gathering did, in a few lines."""
    asked = (
        f"{format_count(report.requests, 'request')}, {format_count(report.fetched, 'record')} "
        "fetched"
        if report.requests
        else "nothing to ask: all of it was kept"
    )
    lines = [
        f"{report.source}: {format_count(report.candidates, 'candidate')}; {asked}",
        f"  kept in {report.folder}: {format_count(report.documents, 'document')}",
    ]
    if report.missing:
        some = ", ".join(report.missing[:MOST_MISSING])
        more = len(report.missing) - MOST_MISSING
        lines.append(f"  no record of {some}" + (f" and {more:,} more" if more > 0 else ""))
    if report.spent:
        lines.append(
            f"  stopped after {report.spent}; run it again to go on from there, or allow more"
        )
    return "\n".join(lines)
