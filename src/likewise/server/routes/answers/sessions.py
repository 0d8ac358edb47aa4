"""Sessions and their expansions, as answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from likewise.expansion.settings import ExpandSettings
from likewise.server.desks.heads import changed_at
from likewise.server.models.sessions import (
    ChangesAnswer,
    ExpansionAnswer,
    ExpansionHeadAnswer,
    ExpansionList,
    IntervalAnswer,
    MoveAnswer,
    RoundAnswer,
    SessionAnswer,
    SessionHead,
    Settings,
)
from likewise.server.routes.answers.marks import interval_answer
from likewise.server.routes.shown import lost, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from likewise.expansion.changes import Move
    from likewise.expansion.saved import SavedInterval
    from likewise.server.desks.heads import Head
    from likewise.server.desks.reading import Reading
    from likewise.server.models.documents import Shown
    from likewise.server.models.jobs import Job

MOST_CHANGES = 50
"""How many documents are named that came above the line, or left it."""


class _Seeds(NamedTuple):
    matched: list[Shown]
    text_only: list[Shown]
    not_found: list[str]


def head_answer(head: Head, *, job: Job | None) -> SessionHead:
    """Return a session in a list."""
    return SessionHead(**head._asdict(), job=job)


def session_answer(reading: Reading, *, job: Job | None) -> SessionAnswer:
    """Return a session."""
    standing, start = reading.standing(), reading.session.start
    seeds, settings = _seeds(reading), settings_of(reading)
    return SessionAnswer(
        id=reading.identifier,
        name=standing.name,
        created=start.time,
        changed=changed_at(reading.session.path),
        seeds=len(start.seeds),
        expansions=len(standing.heads),
        relevant=standing.count("relevant"),
        irrelevant=standing.count("irrelevant"),
        maybe=standing.count("maybe"),
        job=job,
        settings=Settings(
            method=settings.method,
            keep=settings.keep,
            pool=settings.pool,
            rounds=settings.rounds,
            seed=settings.seed,
        ),
        matched=seeds.matched,
        text_only=seeds.text_only,
        not_found=seeds.not_found,
        expansion=expansion_answer(reading) if standing.ranked else None,
    )


def settings_of(reading: Reading) -> ExpandSettings:
    """Return how a session was expanded last, or is to be."""
    ranked = reading.standing().ranked
    if ranked is None:
        return reading.session.start.settings
    try:
        return msgspec.convert(ranked.saved.settings, ExpandSettings)
    except msgspec.ValidationError:  # written by another version
        return reading.session.start.settings


def expansion_answer(reading: Reading) -> ExpansionAnswer:
    """Return the latest expansion without its ranking."""
    ranked, head = reading.ranked(), reading.standing().heads[-1]
    estimates, outside = ranked.saved.estimates, ranked.saved.estimates.outside
    return ExpansionAnswer(
        number=head.number,
        time=head.time,
        mark=head.mark,
        pool=head.pool,
        decided=ranked.cut,
        learned=ranked.learned,
        precision=estimates.precision,
        recall=estimates.recall,
        relevant=_interval(estimates.relevant),
        outside=_interval(outside) if outside else None,
        rounds=[
            RoundAnswer(added=done.added, likely=done.likely, decided=done.decided)
            for done in ranked.saved.rounds
        ],
        warnings=list(ranked.saved.warnings),
    )


def _interval(saved: SavedInterval) -> IntervalAnswer:
    return interval_answer(saved.value, saved.low, saved.high)


def expansion_list(reading: Reading) -> ExpansionList:
    """Return the expansions of a session."""
    return ExpansionList(
        expansions=[
            ExpansionHeadAnswer(
                number=head.number,
                time=head.time,
                mark=head.mark,
                pool=head.pool,
                decided=head.decided,
            )
            for head in reading.standing().heads
        ]
    )


def changes_answer(reading: Reading) -> ChangesAnswer:
    """Return what the latest expansion says otherwise than the one before it."""
    changes = reading.changes()
    decided, dropped = changes.decided[:MOST_CHANGES], changes.dropped[:MOST_CHANGES]
    moves = [*decided, *dropped, *changes.risen, *changes.fallen]
    held = reading.library.get(list(dict.fromkeys(move.id for move in moves)))
    titles = {document.id: document.title for document in held}
    return ChangesAnswer(
        decided=_moves(decided, titles),
        dropped=_moves(dropped, titles),
        risen=_moves(changes.risen, titles),
        fallen=_moves(changes.fallen, titles),
        came=len(changes.decided),
        left=len(changes.dropped),
    )


def _moves(moves: Sequence[Move], titles: Mapping[str, str]) -> list[MoveAnswer]:
    return [
        MoveAnswer(
            document=move.id,
            title=titles.get(move.id, lost(move.id).title),
            before=move.before,
            after=move.after,
        )
        for move in moves
    ]


def _seeds(reading: Reading) -> _Seeds:
    """Return the seeds as they were learned from, or before that as they are matched now."""
    ranked = reading.standing().ranked
    if ranked is None:
        found = reading.matched_seeds()
        matched, text_only, not_found = found.matched, found.text_only, found.not_found
    else:
        seeds = ranked.saved.seeds
        held = {document.id: document for document in reading.library.get(seeds.matched)}
        matched = tuple(held.get(name) or lost(name) for name in seeds.matched)
        text_only, not_found = seeds.text_only, seeds.not_found
    return _Seeds(list(map(shown, matched)), list(map(shown, text_only)), list(not_found))
