"""Expansions on a terminal: their progress, and what changed since the session's last one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from likewise.cli.output import format_count, limit_lines, make_bar, print_above, print_rows, say
from likewise.errors import Problem, WriteError
from likewise.expansion.expansion import Expansion, StageProgress
from likewise.expansion.saved import Changes
from likewise.expansion.seed_sources import GivenPapers, sort_seeds
from likewise.expansion.seeds import Seeds
from likewise.expansion.settings import ExpandSettings

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


MOST_MOVES = 5
"""How many documents of each kind of change are shown."""

_KINDS = {"decided": "new", "dropped": "gone", "risen": "risen", "fallen": "fallen"}


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
    from likewise.expansion.sessions.expanding import expand_session, start_session

    if not Path(path).parent.is_dir():
        raise WriteError(f"{path}: can't be written: there is no folder {Path(path).parent}")

    def expanding(watch: Watch) -> Expansion:
        session = start_session(path, library, watch.sort_seeds(seeds), settings=settings)
        try:
            expansion = expand_session(
                session, on_seeds=watch.on_seeds, on_progress=watch.on_progress
            )
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
    from likewise.expansion.sessions.expanding import expand_session
    from likewise.expansion.sessions.session import Session

    with Session.open(path) as session:
        # A line that somebody moved is nothing that was learned.
        before = session.expansion(as_learned=True)

        def expanding(watch: Watch) -> Expansion:
            return expand_session(
                session,
                library=library,
                settings=session.start.settings.with_chosen(**given),
                on_seeds=watch.on_seeds,
                on_progress=watch.on_progress,
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
    """Say how many decisions changed, and how the estimate did."""
    from likewise.expansion.wording import round_count

    new, gone = len(changes.decided), len(changes.dropped)
    before, now = (f"{round_count(number):,}" for number in changes.relevant)
    estimate = f" About {now} are estimated on topic now, {before} before."
    if not new and not gone:
        unchanged = "No unmarked document came onto the list or left it."
        return unchanged + (estimate if now != before else "")
    return f"{format_count(new, 'document')} came onto the list, and {gone:,} left it.{estimate}"


def list_session_values(done: SessionStep, path: str | None) -> dict[str, Any]:
    """Return what the JSON output says about a session's expansion."""
    if path is None:
        return {}
    changes = done.changes
    moved = {name: getattr(changes, name) for name in _KINDS} if changes else None
    named = moved and {name: [move._asdict() for move in moved[name]] for name in moved}
    if named and changes:
        named["relevant"] = dict(zip(("before", "after"), changes.relevant, strict=True))
    return {"session": path, "changes": named}


def _format_rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)


def _find_title(expansion: Expansion, identifier: str) -> str:
    document = expansion.documents.get(identifier)
    return document.title or document.abstract if document else ""


class Watch:
    """The callbacks of an expansion with a progress bar."""

    def __init__(self, bar: Bar, *, most_problems: int | None) -> None:
        self._say = print_above(bar)
        self._tell = limit_lines(self._say, most=most_problems)
        self.on_progress = show_stages_by(bar)
        self.warned = 0

    def on_problem(self, problem: Problem) -> None:
        """Report a record that can't be read."""
        self._tell(problem.path, str(problem))

    def sort_seeds(self, arguments: Sequence[str]) -> GivenPapers:
        """Read the seeds, and tell what their files say of them."""
        given = sort_seeds(arguments, on_problem=self.on_problem)
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
    # Of some things only what was found can warn.
    _warn(expansion.warnings[watch.warned :], say_one=say)
    return expansion


def show_stages_by(bar: Bar) -> Callable[[StageProgress], None]:
    """Return a function that shows the progress of an expansion on a bar."""
    task = bar.add_task("seeds", total=1.0, note="")
    # What does not fit behind stage, bar and share would squeeze them.
    room = max(0, bar.console.width - 48)

    def show(progress: StageProgress) -> None:
        bar.update(
            task,
            description=f"{progress.stage:9}",
            completed=progress.share,
            note=progress.note[:room],
        )

    return show


def _warn(warnings: Sequence[str], *, say_one: Callable[[str], None]) -> None:
    for warning in warnings:
        say_one(f"warning: {warning}")
