"""The ranking of a session: its pages, the line through it, its figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, NamedTuple

import numpy as np
from fastapi import Depends, Query

from likewise.documents import Document
from likewise.expansion.citing import lay_out_map
from likewise.expansion.display import MOST_DOWN, MOST_UP, Highlighter, choose_telling
from likewise.expansion.marks import DocumentMarks, Mark, list_own_labels
from likewise.expansion.records import Explanation
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.sessions.review_notes import RemarkSet
from likewise.server.desks.reading import SessionReader
from likewise.server.desks.state import RankedPool, RankedRow, Sorting, View
from likewise.server.models.rankings import (
    MOST_WORD,
    CurveAnswer,
    EntryAnswer,
    FiguresAnswer,
    LimitsAnswer,
    MapAnswer,
    MapDotAnswer,
    NearestSeedAnswer,
    OpinionAnswer,
    PieceAnswer,
    RankingAnswer,
    ScoresAnswer,
    ThresholdRequest,
    UnmarkedAnswer,
    ValueAnswer,
)
from likewise.server.models.sessions import ExpansionAnswer
from likewise.server.routes import TheDesk, TheReviewer, TheViewer, make_session_router
from likewise.server.routes.expansions import answer_expansion
from likewise.server.routes.libraries import answer_document, make_stand_in

router = make_session_router("rankings")

_NONE = Explanation((), (), "")
BINS = 44
MOST_VALUES = 200
LEAD = 8
"""How many documents come before the one that a page is asked for around."""
DIGITS = 6
MAP_WIDTH = 320
"""The width of the map of citations, for which there is room beside the list."""


class AskedList(NamedTuple):
    """The list that is asked for."""

    view: View
    words: str
    sorting: Sorting


def _ask_list(
    view: Annotated[
        View, Query(description="`listed`: above the line, or marked relevant.")
    ] = "all",
    words: Annotated[
        str,
        Query(
            max_length=1_000,
            description="A filter: words, all of which must occur in title, abstract, authors, "
            'journal or year; "phrases"; NOT, OR, brackets; year:2010..2015, journal:, type:, '
            "title:, author:, source:; tag:, reason: and note:, as far as the reviewer may see "
            "them, where * stands for any.",
        ),
    ] = "",
    sort: Annotated[
        Sorting, Query(description="Best first, latest first, or alphabetically.")
    ] = "rank",
) -> AskedList:
    return AskedList(view, words, sort)


TheList = Annotated[AskedList, Depends(_ask_list)]


@router.get(
    "/ranking", summary="Show a page of the ranking", response_description="Documents, best first."
)
async def get_ranking(
    desk: TheDesk,
    asked: TheList,
    *,
    around: Annotated[
        str,
        Query(max_length=MOST_WORD, description="Begin a few before this document, if listed."),
    ] = "",
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    reviewer: TheReviewer = "",
) -> RankingAnswer:
    """Return documents of the latest expansion without the seeds, and why they are there.

    It shows only the marks that the reviewer may see: another's mark is hidden until the reviewer,
    or a third person, has marked the document too.
    """
    return await desk.read(
        _answer_ranking, asked, around=around, offset=offset, limit=limit, reviewer=reviewer
    )


@router.get(
    "/unmarked",
    summary="Find the next documents that are not marked",
    response_description="Their ids.",
)
async def list_unmarked(
    desk: TheDesk,
    asked: TheList,
    *,
    after: Annotated[
        str, Query(max_length=MOST_WORD, description="Begin after this document; else at the top.")
    ] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 1,
    reviewer: TheReviewer = "",
) -> UnmarkedAnswer:
    """Return the next documents of a list that the reviewer has not marked, however far down.

    They include documents that only others have marked, unless those were settled.
    """
    return await desk.read(_answer_unmarked, asked, after, limit=limit, reviewer=reviewer)


@router.get(
    "/limits",
    summary="List what the ranking can be limited to",
    response_description="Years, sources and types.",
)
async def list_limits(desk: TheDesk) -> LimitsAnswer:
    """Return the years, sources and types of the documents, for use in a filter."""
    return await desk.read(_answer_limits)


@router.get(
    "/curve",
    summary="Show expected precision and recall along the ranking",
    response_description="The curve.",
)
async def get_curve(desk: TheDesk, viewer: TheViewer) -> CurveAnswer:
    """Return what to expect of the list wherever the line is drawn, given the current marks."""
    return await desk.read(_answer_curve, viewer=viewer)


@router.get(
    "/figures",
    summary="Show the numbers that figures are drawn from",
    response_description="Scores.",
)
async def get_figures(desk: TheDesk, reviewer: TheReviewer = "") -> FiguresAnswer:
    """Return how often scores occur among seeds and pool, and how citations link finds and seeds.

    A seed that is one only by another's mark is left out until the reviewer may see that mark.
    """
    return await desk.read(_answer_figures, reviewer=reviewer)


@router.put(
    "/threshold",
    summary="Move the line",
    response_description="The expansion, with what to expect of it now.",
)
async def move_threshold(desk: TheDesk, wanted: ThresholdRequest) -> ExpansionAnswer:
    """Draw the line below the document with this rank; status, next and export follow it."""
    await desk.read(SessionReader.get_pool)
    await desk.write(lambda session: session.move_threshold(wanted.decided))
    return await desk.read(answer_expansion)


@dataclass(frozen=True)
class _Moment:
    """What all entries of a page have in common."""

    pool: RankedPool
    highlighter: Highlighter
    marks: Mapping[str, Mark]
    opinions: Mapping[str, DocumentMarks]
    remarks: RemarkSet
    new: Mapping[str, str]
    reviewer: str


def _answer_ranking(
    reader: SessionReader, asked: AskedList, *, around: str, offset: int, limit: int, reviewer: str
) -> RankingAnswer:
    rows, pool = reader.find_rows(*asked, reviewer=reviewer), reader.get_pool()
    if around:
        at = next((place for place, row in enumerate(rows) if row.id == around), offset + LEAD)
        offset = max(0, at - LEAD)
    wanted = reader.read_filter(asked.words)
    return RankingAnswer(
        expansion=pool.number,
        total=len(rows),
        above=pool.count_above(rows),
        offset=offset,
        entries=_answer_entries(reader, rows[offset : offset + limit], reviewer=reviewer),
        words=list(wanted.words),
        complaint=wanted.complaint,
    )


def _answer_unmarked(
    reader: SessionReader, asked: AskedList, after: str, *, limit: int, reviewer: str
) -> UnmarkedAnswer:
    """Find what follows a document, even if its mark has removed it from the view."""
    every = reader.find_rows("all", asked.words, asked.sorting, reviewer=reviewer)
    start = next((place + 1 for place, row in enumerate(every) if row.id == after), 0)
    shown = {row.id for row in reader.find_rows(*asked, reviewer=reviewer)}
    own = list_own_labels(reader.state.opinions, reviewer)
    ids = (row.id for row in every[start:] if row.id in shown and row.id not in own)
    return UnmarkedAnswer(documents=list(islice(ids, limit)))


def _answer_limits(reader: SessionReader) -> LimitsAnswer:
    values = reader.count_values()
    return LimitsAnswer(
        first_year=min(values.years, default=None),
        last_year=max(values.years, default=None),
        sources=_answer_values(values.sources),
        types=_answer_values(values.types),
    )


def _answer_values(counts: Counter[str]) -> list[ValueAnswer]:
    return [ValueAnswer(name=name, documents=n) for name, n in counts.most_common(MOST_VALUES)]


def answer_entries(
    reader: SessionReader, ids: Sequence[str], *, reviewer: str
) -> list[EntryAnswer]:
    """Return documents, by their ids, as a reviewer may see them."""
    return _answer_entries(reader, reader.get_pool().find_rows(ids), reviewer=reviewer)


def _answer_entries(
    reader: SessionReader, rows: Sequence[RankedRow], *, reviewer: str
) -> list[EntryAnswer]:
    """Return rows of the ranking with their documents, as the library has them now."""
    at = _Moment(
        pool=reader.get_pool(),
        highlighter=reader.highlighter,
        marks=reader.show_marks(reviewer),
        opinions=reader.state.opinions,
        remarks=reader.find_remarks(reviewer),
        new=reader.find_new(reviewer),
        reviewer=reviewer,
    )
    explain = reader.find_explanations()
    reasons = [(explain.explain(row.id) if explain else None) or _NONE for row in rows]
    nearest = {why.nearest_seed for why in reasons} - {""}
    documents = _get_documents(reader, [row.id for row in rows], nearest=nearest)
    return [
        _answer_entry(row, why, documents=documents, at=at)
        for row, why in zip(rows, reasons, strict=True)
    ]


def _get_documents(
    reader: SessionReader, ids: Sequence[str], *, nearest: set[str]
) -> dict[str, Document]:
    """Return the documents with these ids, and the seeds that they are nearest to."""
    seeds = {seed.id: seed for seed in reader.get_pool().saved.seeds.text_only}
    held = reader.library.get(list(dict.fromkeys([*ids, *sorted(nearest)])))
    return seeds | {document.id: document for document in held}


def _answer_entry(
    row: RankedRow, why: Explanation, *, documents: Mapping[str, Document], at: _Moment
) -> EntryAnswer:
    document = documents.get(row.id) or make_stand_in(row.id)
    mark, place, terms = at.marks.get(row.id), row.place, frozenset(why.up)
    label, given = mark.label if mark else None, at.opinions.get(row.id)
    others = given.list_others(at.reviewer) if given else ()
    is_decided = at.pool.is_above(place) if label in (None, "maybe") else label == "relevant"
    up, down = why.up[:MOST_UP], choose_telling(why.down)[:MOST_DOWN]
    spelled = at.highlighter.spell([*up, *down], document.text)
    return EntryAnswer(
        rank=place.rank if place else None,
        score=place.score if place else None,
        probability=place.probability if place else None,
        decision=is_decided,
        mark=label,
        reason=mark.reason if mark else "",
        others=[OpinionAnswer.of(other) for other in others],
        is_conflict=bool(others and given and given.is_conflict),
        tags=list(at.remarks.tags.get(row.id, ())),
        note=at.remarks.find_own_note(row.id, at.reviewer),
        notes=at.remarks.describe_notes(row.id),
        other_notes=at.remarks.describe_notes(row.id, besides=at.reviewer),
        new=at.new.get(row.id, ""),
        document=answer_document(document),
        title=_answer_pieces(at.highlighter, document.title, terms),
        abstract=_answer_pieces(at.highlighter, document.abstract, terms),
        up=spelled[: len(up)],
        down=spelled[len(up) :],
        nearest_seed=_answer_nearest(why.nearest_seed, documents, at=at),
        links=why.links,
    )


def _answer_pieces(highlighter: Highlighter, text: str, terms: frozenset[str]) -> list[PieceAnswer]:
    return [
        PieceAnswer(text=piece.text, strong=piece.is_strong)
        for piece in highlighter.pieces(text, terms)
    ]


def _answer_nearest(
    identifier: str, documents: Mapping[str, Document], *, at: _Moment
) -> NearestSeedAnswer | None:
    """Return the nearest seed; None if it is a seed by a mark that the reviewer may not see."""
    if not identifier or (identifier not in at.pool.seeds and identifier not in at.marks):
        return None
    return NearestSeedAnswer.of(documents.get(identifier) or make_stand_in(identifier))


def _answer_curve(reader: SessionReader, *, viewer: str | None) -> CurveAnswer:
    pool, curve = reader.get_pool(), reader.find_curve(viewer)
    return CurveAnswer(
        expansion=pool.number,
        documents=curve.documents.tolist(),
        precision=curve.precision.round(DIGITS).tolist(),
        recall=curve.recall.round(DIGITS).tolist(),
        decided=pool.cut,
        learned=pool.learned,
    )


def _answer_figures(reader: SessionReader, *, reviewer: str) -> FiguresAnswer:
    saved = reader.get_pool().saved
    return FiguresAnswer(scores=_count_scores(saved), map=answer_map(reader, reviewer=reviewer))


def answer_map(reader: SessionReader, *, reviewer: str) -> MapAnswer | None:
    """Return the map of citations as a reviewer may see it; None if nothing is linked."""
    pool, marks = reader.get_pool(), reader.show_marks(reviewer)
    why = reader.find_explanations()
    found = (place.id for place in pool.saved.ranking if place.decision and not place.seed)
    told = {name: why.links[name] for name in found if why and name in why.links}
    links = [
        link for link in pool.saved.seed_links if link.seed in pool.seeds or link.seed in marks
    ]
    names = {name for link in links for name in (link.document, link.seed)}
    held = _get_documents(reader, sorted(names), nearest=set())
    documents = {name: held.get(name) or make_stand_in(name) for name in names}
    drawn = lay_out_map(links, documents, told=told, width=MAP_WIDTH)
    if not drawn:
        return None
    dots = [MapDotAnswer.of(dot, document=answer_document(documents[dot.id])) for dot in drawn.dots]
    return MapAnswer.of(drawn, dots=dots)


def _count_scores(saved: SavedExpansion) -> ScoresAnswer | None:
    scored = [(place.score, place.seed) for place in saved.ranking if place.score is not None]
    if not scored:
        return None
    scores = np.array([score for score, _ in scored], dtype=np.float64)
    is_seed = np.array([seed for _, seed in scored], dtype=bool)
    edges = np.histogram_bin_edges(scores, BINS)
    return ScoresAnswer(
        edges=edges.round(DIGITS).tolist(),
        seeds=np.histogram(scores[is_seed], edges)[0].tolist(),
        pool=np.histogram(scores[~is_seed], edges)[0].tolist(),
        threshold=saved.threshold,
    )
