"""Watching: what came into a library since the last look, and is likely on a session's topic.

The library's own order (`library/tantivy_index.py`) says what is new, not a clock, so nothing is
lost or reported twice when a clock is set back. A library that keeps no order, or that was made
anew, is compared with what the session ranked at its last look. Then the session learns again, with
the new documents in its library, so that their scores and probabilities come from the ranking that
they are in. If nothing on topic came, the session stays as it is, except for a short note of how
far the look went.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from likewise.documents.document import list_warnings
from likewise.expansion.cuts import find_cut, find_last_rank, move_cut, split_pool
from likewise.expansion.expansion import OnProgress
from likewise.expansion.marks import Label
from likewise.expansion.retrieval import SEED_WEIGHT
from likewise.expansion.saved import SavedExpansion, fingerprint_library
from likewise.expansion.sessions.expanding import check_library, find_latest_settings, learn_session
from likewise.expansion.sessions.looking import require_expansion
from likewise.expansion.sessions.records import LookContent, NewFind, SessionLook, read_clock
from likewise.expansion.sessions.session_file import SessionFile
from likewise.library import open_library
from likewise.library.fetching import fetch_records
from likewise.library.protocol import Library, LibraryChanges, find_changes
from likewise.library.sources import RemoteSource
from likewise.library.sources.gathering import RankedList, choose_sizes, fuse_lists
from likewise.library.sources.terms import pick_best, weigh_terms

OVERLAP = dt.timedelta(days=2)
"""Days are not the same everywhere, and a source may show records late."""
MOST_BROUGHT = 2_000
"""How many new records are brought from a source at most, and how many known ones again."""


class BroughtRecords(NamedTuple):
    """What was brought into the library from a source before a look."""

    source: str = ""
    asked_on: str = ""
    """The day, such as 2026-01-31."""


def bring_new(
    session: SessionFile, address: str, *, name: str, source: RemoteSource
) -> BroughtRecords:
    """Bring new records that are like the topic from a source, and known records again.

    Known records are seeds and documents on the list, which may have been revised or retracted.

    Args:
        session: The session.
        address: Its library, which is written to.
        name: The source's name, such as pubmed.
        source: The source.
    """
    today = dt.datetime.now(dt.UTC).date()
    saved = require_expansion(session)
    with open_library(address) as library:
        known = library.get(sorted(_list_known(saved, session)))
    chances = {place.id: place.chance for place in saved.ranking if not place.seed}
    papers = [*saved.seeds.text_only, *known]
    worth = weigh_terms(papers, [chances.get(paper.id, SEED_WEIGHT) for paper in papers])
    since = _find_day(session, name, today=today)
    lists = [
        RankedList(source.search(pick_best(worth, size), limit=MOST_BROUGHT, since=since), 1.0)
        for size in choose_sizes(source)
    ]
    again = [key for paper in known[:MOST_BROUGHT] if (key := source.key_of(paper))]
    keys = fuse_lists(lists, exclude=again)[:MOST_BROUGHT]
    fetch_records([*keys, *again], address, source=source, again=True)
    return BroughtRecords(name, today.isoformat())


def _find_day(session: SessionFile, source: str, *, today: dt.date) -> dt.date:
    """Return the day since which to ask: just before the latest noted day that is not to come.

    Days noted by a clock that ran ahead are passed over. Records that come twice are in the library
    already, and are not reported again.
    """
    asked = [look.content.asked_on for look in session.looks() if look.source == source]
    days = [day for day in (*asked, session.start.time[:10]) if day and day <= today.isoformat()]
    return (dt.date.fromisoformat(max(days)) if days else today) - OVERLAP


def look_for_new(
    session: SessionFile,
    library: Library,
    *,
    address: str = "",
    brought: BroughtRecords | None = None,
    on_progress: OnProgress | None = None,
) -> SessionLook:
    """Find what came into a library since the last look, and add what is likely to the session.

    Raises SessionError if nothing was expanded yet, if it is another library, or if another look
    has ended in the meantime.

    Args:
        session: The session.
        library: Its library, open.
        address: The library's address, if it is known.
        brought: What was brought into it for this look.
        on_progress: Called with the running stage, the share of it that is done, and a note.
    """
    before = require_expansion(session)
    check_library(library, session=session)
    brought = brought or BroughtRecords()
    news = _find_news(session, library, before=before)
    made, after = None, before
    if news.is_any:
        settings = find_latest_settings(before, session.start)
        made = learn_session(session, library, settings=settings, on_progress=on_progress)
        after = _carry_line(session, before, made.expansion.saved)
    look = news.make_look(session, library, before=before, after=after, brought=brought)
    if not (news.is_any or look.content.has_news or brought.source or look.number == 1):
        return look
    # Nobody can mark while this is written, so what takes long is done before.
    explanations = made.expansion.explain.explain_all() if made and look.content.finds else None
    with session.writing_together():
        if made and look.content.finds:
            number = session.add_expansion(
                made.expansion.saved, mark=made.mark, library=address, explanations=explanations
            )
            look = look._replace(expansion=number)
            if after is not made.expansion.saved:
                session.move_threshold(find_cut(after))
        session.add_look(look)
    return look


@dataclass(frozen=True)
class _News:
    """What is new in a library, as far as it can tell."""

    number: int
    """The number of the look."""
    here: LibraryChanges
    """The current state of the library."""
    fingerprint: str
    is_any: bool
    """Whether anything may have changed."""
    added: frozenset[str] | None
    """The ids of what came since the last look; None if the library can't tell."""
    revised: frozenset[str]
    known: frozenset[str]
    """The ids reported before; if the library can't tell what is new, all that the session knew."""

    def holds(self, identifier: str) -> bool:
        """Return whether a document has come since the last look."""
        is_added = self.added is None or identifier in self.added
        return is_added and identifier not in self.known

    def make_look(
        self,
        session: SessionFile,
        library: Library,
        *,
        before: SavedExpansion,
        after: SavedExpansion,
        brought: BroughtRecords,
    ) -> SessionLook:
        """Return the look, with the new documents that are likely by the expansion after it."""
        content = LookContent(
            fingerprint=self.fingerprint,
            added=-1 if self.added is None else len(self.added),
            changed=len(self.revised),
            finds=_select_finds(after, before=before, news=self, labels=_read_labels(session)),
            revised=tuple(sorted(_list_known(before, session) & self.revised)),
            notices=_find_notices(session, library, after),
            asked_on=brought.asked_on,
        )
        return SessionLook(
            number=self.number,
            time=read_clock(),
            expansion=len(session.expansions()),
            library=self.here.library,
            position=self.here.position,
            source=brought.source,
            content=content,
        )


def _find_news(session: SessionFile, library: Library, *, before: SavedExpansion) -> _News:
    looks = session.looks()
    last = looks[-1] if looks else SessionLook(0, "", 0, "", 0)
    news = _News(
        number=last.number + 1,
        here=find_changes(library),
        fingerprint=fingerprint_library(library.info()),
        is_any=False,
        added=None,
        revised=frozenset(),
        known=frozenset(find.id for look in looks for find in look.content.finds),
    )
    if news.here.library and news.here.library == last.library:
        changes = find_changes(library, last.position)
        return replace(
            news,
            here=changes,
            is_any=bool(changes.added or changes.revised),
            added=frozenset(changes.added),
            revised=frozenset(changes.revised),
        )
    ranked = session.expansion(last.expansion) if last.expansion else before
    known = {place.id for place in (ranked or before).ranking} | session.current().keys()
    was = last.content.fingerprint or before.library
    return replace(news, is_any=news.fingerprint != was, known=news.known | known)


def _read_labels(session: SessionFile) -> dict[str, Label]:
    return {name: mark.label for name, mark in session.current().items() if mark.label}


def _carry_line(
    session: SessionFile, before: SavedExpansion, after: SavedExpansion
) -> SavedExpansion:
    """Return an expansion with the line at the probability that a person moved it to, if any."""
    if session.cut() == session.original_cut():
        return after
    above = [place.chance for place in split_pool(before.ranking).open if place.decision]
    least = min(above, default=2.0)
    rank = max((p.rank for p in split_pool(after.ranking).open if p.chance >= least), default=0)
    return move_cut(after, min(rank, find_last_rank(after)))


def _select_finds(
    after: SavedExpansion,
    *,
    before: SavedExpansion,
    news: _News,
    labels: Mapping[str, Label],
) -> tuple[NewFind, ...]:
    """Return the new documents that are likely, and those likely only since they were revised."""
    if after is before:
        return ()
    listed = {place.id for place in before.ranking if place.decision}
    revised = news.revised - listed - news.known
    return tuple(
        NewFind(place.id, place.rank, place.round().probability, place.id in revised)
        for place in after.ranking
        if place.decision and not place.seed and place.id not in labels
        if news.holds(place.id) or place.id in revised
    )


def _list_known(saved: SavedExpansion, session: SessionFile) -> set[str]:
    """Return the ids of seeds, of the list, and of what is marked relevant or maybe."""
    marked = {name for name, label in _read_labels(session).items() if label != "irrelevant"}
    seeds = {place.id for place in saved.ranking if place.seed} | set(saved.seeds.matched)
    return seeds | marked | {place.id for place in saved.ranking if place.decision}


def _find_notices(session: SessionFile, library: Library, saved: SavedExpansion) -> dict[str, str]:
    """Return the warnings about seeds and finds that readers have not been given yet."""
    given = {notice for look in session.looks() for notice in look.content.notices.items()}
    held = library.get(sorted(_list_known(saved, session)))
    found = list_warnings([*saved.seeds.text_only, *held])
    return dict(notice for notice in found.items() if notice not in given)


def find_last_news(looks: Sequence[SessionLook]) -> SessionLook | None:
    """Return the latest look that had news; None if none had."""
    return next((look for look in reversed(looks) if look.content.has_news), None)
