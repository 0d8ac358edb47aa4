"""Expansions and gatherings on a terminal: their progress, and what came of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from likewise.cli.output import list_some, print_above, print_rows, say, tell_problems
from likewise.errors import NotALibraryError, WriteError
from likewise.expansion.expansion import Expansion, StageProgress
from likewise.expansion.gathering import GatherListener, GatherReport, gather
from likewise.expansion.saved import Changes
from likewise.expansion.seed_sources import GivenPapers, sort_seeds
from likewise.expansion.seeds import Seeds
from likewise.expansion.settings import ExpandSettings
from likewise.expansion.wording import format_count
from likewise.library.folder import MARKER
from likewise.library.sources import list_sources
from likewise.library.sources.kept import Budget
from likewise.progress import make_bar, move_by

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


MOST_MOVES = 5
"""How many documents of each kind of change are shown."""

_KINDS = {"decided": "new", "dropped": "gone", "risen": "risen", "fallen": "fallen"}
_READ_ANEW = {
    (True, False): " Your papers no longer look like one corner of a wider topic.",
    (False, True): " Your papers look like one corner of a wider topic now.",
}


class SessionStep(NamedTuple):
    """An expansion, and what changed since the session's one before it."""

    expansion: Expansion
    changes: Changes | None = None


def begin_with_bar(
    path: str,
    library: str,
    seeds: Sequence[str],
    *,
    settings: ExpandSettings,
    most_problems: int | None,
) -> SessionStep:
    """Start a session and expand it; a session that can't be expanded is deleted."""
    from likewise.expansion.sessions.session import Session

    if not Path(path).parent.is_dir():
        raise WriteError(f"{path}: can't be written: there is no folder {Path(path).parent}")

    def expanding(watch: Watch) -> Expansion:
        session = Session.create(path, library, watch.sort_seeds(seeds), settings=settings)
        try:
            expansion = session.expand(on_seeds=watch.on_seeds, on_progress=watch.on_progress)
        except BaseException:
            session.discard()
            raise
        session.close()
        return expansion

    expansion = run_with_bar(expanding, most_problems=most_problems)
    say(f"{path}: started; see what to look at first with: likewise next {path}")
    return SessionStep(expansion)


def continue_with_bar(path: str, library: str | None, *, given: dict[str, Any]) -> SessionStep:
    """Expand from the seeds and marks of a session; given settings replace those it has."""
    from likewise.expansion.saved import compare_expansions
    from likewise.expansion.sessions.session import Session

    with Session.open(path) as session:
        # A line that somebody moved was not learned.
        before = session.expansion(as_learned=True)

        def expanding(watch: Watch) -> Expansion:
            return session.expand(
                library, on_seeds=watch.on_seeds, on_progress=watch.on_progress, **given
            )

        expansion = run_with_bar(expanding)
        after = session.expansion(as_learned=True)
    return SessionStep(expansion, compare_expansions(before, after) if before and after else None)


def print_changes(changes: Changes, expansion: Expansion) -> None:
    """Print a short table of changed decisions, and of the documents that moved furthest."""
    rows = [
        (
            kind,
            _format_rank(move.before),
            _format_rank(move.after),
            move.id,
            _find_title(expansion, move.id),
        )
        for name, kind in _KINDS.items()
        for move in getattr(changes, name)[:MOST_MOVES]
    ]
    if rows:
        print_rows(("", "rank before", "now", "id", "title"), rows)
    click.echo(f"{describe_changes(changes)}\n")


def describe_changes(changes: Changes) -> str:
    """Say how many decisions changed, how the estimate did, and what the seeds look like now."""
    from likewise.expansion.wording import round_count

    new, gone = len(changes.decided), len(changes.dropped)
    before, now = (f"{round_count(number):,}" for number in changes.relevant)
    said = f"{format_count(new, 'document')} came onto the list, and {gone:,} left it."
    if not new and not gone:
        said = "No unmarked document came onto the list or left it."
    if new or gone or now != before:
        said += f" About {now} are estimated on topic now, {before} before."
    return said + _READ_ANEW.get(changes.is_corner, "")


def list_session_values(done: SessionStep, path: str | None) -> dict[str, Any]:
    """Return what the JSON output says about a session's expansion."""
    if path is None:
        return {}
    if done.changes is None:
        return {"session": path, "changes": None}
    before, after = done.changes.relevant
    moved = {name: [move._asdict() for move in getattr(done.changes, name)] for name in _KINDS}
    return {"session": path, "changes": {**moved, "relevant": {"before": before, "after": after}}}


def _format_rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)


def _find_title(expansion: Expansion, identifier: str) -> str:
    document = expansion.documents.get(identifier)
    return document.title or document.abstract if document else ""


class Watch:
    """The callbacks of an expansion with a progress bar."""

    def __init__(self, bar: Bar, *, most_problems: int | None) -> None:
        self._say = print_above(bar)
        self._on_problem = tell_problems(self._say, most=most_problems)
        self.on_progress = show_stages_by(bar)
        self.warned = 0

    def sort_seeds(self, arguments: Sequence[str]) -> GivenPapers:
        """Read the seeds, and report what their files say about them."""
        given = sort_seeds(arguments, on_problem=self._on_problem)
        for line in given.decisions:
            self._say(line)
        return given

    def on_seeds(self, seeds: Seeds, warnings: Sequence[str]) -> None:
        """Report on the seeds, before the long part starts."""
        from likewise.expansion.summary import describe_seeds

        for sentence in describe_seeds(seeds):
            self._say(sentence)
        _warn(warnings, say_one=self._say)
        self.warned = len(warnings)


def run_with_bar(
    expanding: Callable[[Watch], Expansion], *, most_problems: int | None = 10
) -> Expansion:
    """Call a function that expands, with a progress bar, and show its warnings."""
    with make_bar("{task.fields[note]}") as bar:
        watch = Watch(bar, most_problems=most_problems)
        expansion = expanding(watch)
    # Some warnings are known only once the documents are found.
    _warn(expansion.warnings[watch.warned :], say_one=say)
    return expansion


def show_stages_by(bar: Bar) -> Callable[[StageProgress], None]:
    """Return a function that shows the progress of an expansion on a bar."""
    move = move_by(bar, "seeds")
    return lambda progress: move(*progress)


def _warn(warnings: Sequence[str], *, say_one: Callable[[str], None]) -> None:
    for warning in warnings:
        say_one(f"warning: {warning}")


MOST_MISSING = 10
_Function = TypeVar("_Function", bound=Callable[..., Any])


def budget_options(function: _Function) -> _Function:
    """Add the options that say how much may be gathered from a source."""
    for option in (
        click.option("--minutes", type=click.FloatRange(min=0, min_open=True), metavar="N",
                     help="How long to gather at most."),
        click.option("--requests", type=click.IntRange(min=1), metavar="N",
                     help="How many requests to send at most."),
        click.option("--at-most", "records", type=click.IntRange(min=1), metavar="N",
                     help="How many records to gather at most; 10,000 by default."),
    ):  # fmt: skip
        function = option(function)
    return function


def names_source(library: str) -> bool:
    """Return whether the argument for a library names a source; a library with that name wins.

    Raises NotALibraryError if it nearly names a source, and nothing else has that name.
    """
    near = get_close_matches(library, list_sources(), n=1, cutoff=0.8)
    is_path = Path(library).name != library or Path(library).exists()
    if near and near[0] != library and not is_path:
        raise NotALibraryError(f"{library}: no library here; did you mean the source {near[0]}?")
    return library in near and not Path(library, MARKER).is_file()


def gather_with_bar(
    source: str,
    seeds: Sequence[str],
    address: str,
    *,
    budget: Mapping[str, Any],
    settings: ExpandSettings | None = None,
) -> GatherReport:
    """Gather with a progress bar, and report problems as they occur.

    Args:
        source: The source's name.
        seeds: The papers to gather for, as a person gives them.
        address: The library to keep records in.
        budget: The values of `budget_options`, by name.
        settings: How to expand from it later.
    """
    limits = Budget(**{name: value for name, value in budget.items() if value is not None})
    with make_bar("{task.fields[note]}") as bar:
        on_problem = tell_problems(print_above(bar))
        given = sort_seeds(seeds, on_problem=on_problem)
        listener = GatherListener(
            on_progress=show_stages_by(bar), on_line=print_above(bar), on_problem=on_problem
        )
        return gather(source, given, address, budget=limits, settings=settings, listener=listener)


def format_gathering(report: GatherReport) -> str:
    """Return what a gathering did, in a few lines."""
    asked = (
        f"{format_count(report.requests, 'request')}, {format_count(report.fetched, 'record')} "
        "fetched"
        if report.requests
        else "no requests: everything was already here"
    )
    lines = [
        f"{report.source}: {format_count(report.candidates, 'candidate')}; {asked}",
        f"  kept in {report.folder}: {format_count(report.documents, 'document')}",
    ]
    if report.missing:
        lines.append(f"  no record of {list_some(report.missing, MOST_MISSING)}")
    if report.spent:
        lines.append(f"  stopped after {report.spent}; run it again to continue, or allow more")
    return "\n".join(lines)
