"""The steps of a session: its first expansion, every further one, and what that changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from likewise.cli.output import counted, print_rows, say
from likewise.cli.watching import watched
from likewise.errors import WriteError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.cli.watching import Watch
    from likewise.documents import Document
    from likewise.expansion.changes import Changes
    from likewise.expansion.expansion import Expansion
    from likewise.expansion.settings import ExpandSettings

MOST_MOVES = 5
"""How many documents of each kind of change are shown."""

_KINDS = {"decided": "new", "dropped": "gone", "risen": "risen", "fallen": "fallen"}


class Done(NamedTuple):
    """An expansion, and what it says otherwise than the session's one before it."""

    expansion: Expansion
    changes: Changes | None = None


def begun(
    path: str,
    library: str,
    seeds: Sequence[str],
    *,
    settings: ExpandSettings,
    most_problems: int | None,
) -> Done:
    """Expand, and begin a session with what comes out."""
    from likewise.expansion.explanations import Explanations
    from likewise.expansion.flow import expand
    from likewise.expansion.kept_terms import KeptTerms
    from likewise.expansion.seed_arguments import read_seeds
    from likewise.expansion.sessions.session import Session

    if not Path(path).parent.is_dir():
        raise WriteError(f"{path}: can't be written: there is no folder {Path(path).parent}")
    given: list[Document] = []
    kept_terms = KeptTerms.beside(path)

    def expanding(watch: Watch) -> Expansion:
        given.extend(read_seeds(seeds, on_problem=watch.on_problem))
        return expand(
            library,
            given,
            settings=settings,
            kept_terms=kept_terms,
            on_seeds=watch.on_seeds,
            on_progress=watch.on_progress,
        )

    expansion = watched(expanding, most_problems=most_problems)
    kept_terms.save(expansion.documents.values())
    fingerprint = expansion.library
    with Session.create(
        path, library=library, fingerprint=fingerprint, seeds=given, settings=settings
    ) as session:
        explanations = Explanations.of(expansion)
        session.add_expansion(expansion.saved, library=library, explanations=explanations)
    say(f"{path}: begun; what to look at first: likewise next {path}")
    return Done(expansion)


def gone_on(path: str, library: str | None, *, given: dict[str, Any]) -> Done:
    """Expand from a session's seeds and marks, with the settings given in place of its own."""
    from likewise.expansion.changes import changes_between
    from likewise.expansion.sessions.expanding import expand_session
    from likewise.expansion.sessions.session import Session

    with Session.open(path) as session:
        before = session.expansion()

        def expanding(watch: Watch) -> Expansion:
            return expand_session(
                session,
                library=library,
                settings=session.start.settings.with_chosen(**given),
                on_seeds=watch.on_seeds,
                on_progress=watch.on_progress,
            )

        expansion = watched(expanding)
        after = session.expansion()
    return Done(expansion, changes_between(before, after) if before and after else None)


def print_changes(changes: Changes, expansion: Expansion) -> None:
    """Print what is decided otherwise than before, and what moved furthest, as a short table."""
    rows = [
        (kind, _rank(move.before), _rank(move.after), move.id, _title(expansion, move.id))
        for name, kind in _KINDS.items()
        for move in getattr(changes, name)[:MOST_MOVES]
    ]
    if rows:
        print_rows(("", "rank before", "now", "id", "title"), rows)
    click.echo(f"{changed_sentence(changes)}\n")


def changed_sentence(changes: Changes) -> str:
    """Say how many documents are decided otherwise than before, and how the estimate changed."""
    from likewise.expansion.wording import rounded

    new, gone = len(changes.decided), len(changes.dropped)
    before, now = (f"{rounded(number):,}" for number in changes.relevant)
    estimate = f" About {now} are estimated on topic now, {before} before."
    if not new and not gone:
        unchanged = "Nothing that is not marked is decided otherwise than before."
        return unchanged + (estimate if now != before else "")
    return f"{counted(new, 'document')} came onto the list, and {gone:,} left it.{estimate}"


def session_values(done: Done, path: str | None) -> dict[str, Any]:
    """Return what programs may want to know of a session's expansion."""
    if path is None:
        return {}
    changes = done.changes
    moved = {name: getattr(changes, name) for name in _KINDS} if changes else None
    named = moved and {name: [move._asdict() for move in moved[name]] for name in moved}
    if named and changes:
        named["relevant"] = dict(zip(("before", "after"), changes.relevant, strict=True))
    return {"session": path, "changes": named}


def _rank(rank: int | None) -> str:
    return "-" if rank is None else str(rank)


def _title(expansion: Expansion, identifier: str) -> str:
    document = expansion.documents.get(identifier)
    return document.title or document.abstract if document else ""
