"""Entries: documents of the ranking, and why they are where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from likewise.expansion.expansion import Reasons
from likewise.expansion.report_rows import MOST_DOWN, MOST_UP
from likewise.server.models.rankings import Entry, NearestSeed, Next, Piece, Ranking
from likewise.server.routes.shown import lost, shown

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from likewise.documents import Document
    from likewise.expansion.highlight import Highlighter
    from likewise.expansion.marks import Label, Strategy
    from likewise.server.desks.ranked import Ranked, Row
    from likewise.server.desks.reading import Reading
    from likewise.server.models.rankings import View


_NONE = Reasons((), (), "")


class _Moment(NamedTuple):
    """What all entries of a page go by."""

    ranked: Ranked
    labels: Mapping[str, Label]
    highlighter: Highlighter


def ranking_page(reading: Reading, *, view: View, words: str, offset: int, limit: int) -> Ranking:
    """Return a page of the ranking."""
    rows = reading.rows(view, words)
    ranked = reading.ranked()
    return Ranking(
        expansion=ranked.number,
        total=len(rows),
        above=ranked.count_above(rows),
        offset=offset,
        entries=entries_of(reading, rows[offset : offset + limit]),
    )


def next_page(reading: Reading, ids: Sequence[str], *, strategy: Strategy) -> Next:
    """Return documents that were chosen to be looked at next."""
    return Next(strategy=strategy, entries=entries_of(reading, reading.ranked().rows_of(ids)))


def entries_of(reading: Reading, rows: Sequence[Row]) -> list[Entry]:
    """Return rows of the ranking with their documents, as the library has them now."""
    at = _Moment(reading.ranked(), reading.standing().labels, reading.highlighter)
    reasons = _reasons(reading, rows)
    nearest = {why.nearest_seed for why in reasons} - {""}
    documents = _documents(reading, [row.id for row in rows], nearest=nearest)
    return [
        _entry(row, why, documents=documents, at=at) for row, why in zip(rows, reasons, strict=True)
    ]


def _reasons(reading: Reading, rows: Sequence[Row]) -> list[Reasons]:
    explanations = reading.explanations()
    if explanations is None:
        return [_NONE] * len(rows)
    return [explanations.why(row.id) or _NONE for row in rows]


def _documents(reading: Reading, ids: Sequence[str], *, nearest: set[str]) -> dict[str, Document]:
    """Return the documents of these ids, and the seeds that they are nearest to."""
    seeds = {seed.id: seed for seed in reading.ranked().saved.seeds.text_only}
    held = reading.library.get(list(dict.fromkeys([*ids, *sorted(nearest)])))
    return seeds | {document.id: document for document in held}


def _entry(row: Row, why: Reasons, *, documents: Mapping[str, Document], at: _Moment) -> Entry:
    document = documents.get(row.id) or lost(row.id)
    label, place, terms = at.labels.get(row.id), row.place, frozenset(why.up)
    is_decided = at.ranked.is_above(place) if label in (None, "maybe") else label == "relevant"
    up, down = why.up[:MOST_UP], why.down[:MOST_DOWN]
    spelled = at.highlighter.spell([*up, *down], document.text)
    return Entry(
        rank=place.rank if place else None,
        score=place.score if place else None,
        probability=place.probability if place else None,
        decision=is_decided,
        mark=label,
        document=shown(document),
        title=_pieces(at.highlighter, document.title, terms),
        abstract=_pieces(at.highlighter, document.abstract, terms),
        up=spelled[: len(up)],
        down=spelled[len(up) :],
        nearest_seed=_nearest(why.nearest_seed, documents),
    )


def _pieces(highlighter: Highlighter, text: str, terms: frozenset[str]) -> list[Piece]:
    return [
        Piece(text=piece.text, strong=piece.is_strong) for piece in highlighter.pieces(text, terms)
    ]


def _nearest(identifier: str, documents: Mapping[str, Document]) -> NearestSeed | None:
    if not identifier:
        return None
    seed = documents.get(identifier) or lost(identifier)
    return NearestSeed(id=seed.id, title=seed.title)
