"""Expanding within a session: from its seeds and marks to an expansion that is added to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import msgspec

from likewise.documents import Document
from likewise.documents.document import list_warnings
from likewise.errors import SessionError
from likewise.expansion.expansion import Expansion, OnProgress, OnSeeds
from likewise.expansion.kept_terms import KeptTerms
from likewise.expansion.saved import SavedExpansion, fingerprint_library
from likewise.expansion.seed_sources import GivenPapers, gather_seeds
from likewise.expansion.sessions.marking import open_own_library
from likewise.expansion.sessions.records import LookContent, SessionLook, SessionStart, read_clock
from likewise.expansion.sessions.session_file import SessionFile
from likewise.expansion.settings import ExpandSettings
from likewise.expansion.wording import format_count
from likewise.library.protocol import Library, find_changes

LEAST_HELD = 0.5
"""The share of a session's seeds and marked documents that its own library holds, at least."""


def is_only_begun(
    path: str | Path, seeds: Iterable[Document | str | int | Path] | GivenPapers
) -> bool:
    """Return whether a session was begun with just these seeds, and never expanded.

    A process that is killed while it expands leaves such a session; starting again continues it.
    """
    with SessionFile.open(path, read_only=True) as session:
        return not session.expansions() and list(session.start.seeds) == gather_seeds(seeds).seeds


def expand_session(
    session: SessionFile,
    *,
    library: Library | str | Path | None = None,
    settings: ExpandSettings | None = None,
    any_library: bool = False,
    on_seeds: OnSeeds | None = None,
    on_progress: OnProgress | None = None,
) -> Expansion:
    """Expand from a session's seeds and marks, and add the expansion, as `Session.expand` says."""
    with open_own_library(session, library) as (opened, address):
        warnings = check_library(opened, session=session, any_library=any_library)
        # Documents that come during the expansion will be reported as new, rather than never.
        here = find_changes(opened)
        made = learn_session(
            session,
            opened,
            settings=settings or session.start.settings,
            on_seeds=on_seeds,
            on_progress=on_progress,
        )
    expansion = replace(made.expansion, warnings=(*made.expansion.warnings, *warnings))
    # Nobody can mark while this is written, so what takes long is done before.
    saved, explanations = expansion.saved, expansion.explain.explain_all()
    with session.writing_together():
        number = session.add_expansion(
            saved, mark=made.mark, library=address, explanations=explanations
        )
        if not session.looks():
            known = [
                *expansion.seeds.documents,
                *(expansion.documents[p.id] for p in expansion.found),
            ]
            content = LookContent(
                fingerprint=expansion.library, notices=list_warnings(known), is_start=True
            )
            session.add_look(
                SessionLook(1, read_clock(), number, here.library, here.position, content=content)
            )
    return expansion


class LearnedSession(NamedTuple):
    """An expansion of a session that is not in it yet."""

    expansion: Expansion
    mark: int
    """The number of the last mark that it learned from: others may have been given meanwhile."""


def learn_session(
    session: SessionFile,
    library: Library,
    *,
    settings: ExpandSettings,
    on_seeds: OnSeeds | None = None,
    on_progress: OnProgress | None = None,
) -> LearnedSession:
    """Expand from a session's seeds and marks; nothing is added to the session."""
    # It takes long to load, and a process that begins sessions may leave expanding to others.
    from likewise.expansion.flow import expand

    with session.at_one_moment():
        marks, history = session.marks(), session.history()
    kept_terms = KeptTerms.beside(session.path)
    expansion = expand(
        library,
        session.start.seeds,
        marks=marks,
        settings=settings,
        kept_terms=kept_terms,
        on_seeds=on_seeds,
        on_progress=on_progress,
    )
    kept_terms.save(expansion.documents.values())
    return LearnedSession(expansion, history[-1].number if history else 0)


def find_latest_settings(saved: SavedExpansion | None, start: SessionStart) -> ExpandSettings:
    """Return the settings of a session's latest expansion, or those it began with."""
    if saved is None:
        return start.settings
    try:
        return msgspec.convert(saved.settings, ExpandSettings)
    except msgspec.ValidationError:  # written by another version
        return start.settings


def check_library(
    library: Library, *, session: SessionFile, any_library: bool = False
) -> list[str]:
    """Return warnings about a library that has changed; raise SessionError if it is another one."""
    latest = session.expansion()
    fingerprint = latest.library if latest else session.start.fingerprint
    if fingerprint_library(library.info()) == fingerprint:
        return []
    known = set(session.current())
    if latest:
        known |= set(latest.seeds.matched)
        known -= {seed.id for seed in latest.seeds.text_only}
    held = len(library.get(sorted(known)))
    if held < LEAST_HELD * len(known) and not any_library:
        raise SessionError(
            f"{session.path}: a session of another library: this one holds {held:,} of the "
            f"{format_count(len(known), 'document')} that are seeds or marked; give the session's "
            "own, or make a new session"
        )
    lost = len(known) - held
    missing = (
        f", and no longer holds {format_count(lost, 'seed or marked document')}" if lost else ""
    )
    return [f"the library has changed since the last expansion{missing}"]
