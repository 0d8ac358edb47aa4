"""Reasons, tags, notes and criteria."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Annotated

from fastapi import Path, Query

from likewise.errors import SessionError
from likewise.expansion.sessions.reasons import ReasonList
from likewise.expansion.sessions.session import Session
from likewise.server.desks.desk import Desk, check_known
from likewise.server.desks.reading import SessionReader
from likewise.server.models.review import (
    CriteriaAnswer,
    CriteriaRequest,
    NoteAnswer,
    NoteRequest,
    ReasonAnswer,
    ReasonOrderRequest,
    ReasonRequest,
    ReasonsAnswer,
    TagAnswer,
    TagsAnswer,
    TagsRequest,
)
from likewise.server.routes import (
    TheDesk,
    TheReviewer,
    TheSessionLibrary,
    TheViewer,
    make_session_router,
)

router = make_session_router("review")

ReasonNumber = Annotated[int, Path(ge=1, le=1_000_000, description="The reason's number.")]


@router.get(
    "/reasons",
    summary="List the reasons for exclusion",
    response_description="The reasons, in their order.",
)
async def list_reasons(desk: TheDesk, viewer: TheViewer) -> ReasonsAnswer:
    """Return a session's own list of reasons, and how many documents are excluded for each."""
    return await desk.read(_answer_reasons, viewer=viewer)


@router.post(
    "/reasons",
    summary="Add a reason for exclusion",
    response_description="The reasons, in their order.",
)
async def add_reason(desk: TheDesk, wanted: ReasonRequest, *, viewer: TheViewer) -> ReasonsAnswer:
    """Add a reason to the end of the list; marks may carry it from then on."""

    def add(session: Session, _: ReasonList) -> None:
        session.review.add_reason(wanted.name)

    return await _change_reasons(desk, add, viewer=viewer)


@router.put(
    "/reasons",
    summary="Put the reasons for exclusion in order",
    response_description="The reasons, in their order.",
)
async def order_reasons(
    desk: TheDesk, wanted: ReasonOrderRequest, *, viewer: TheViewer
) -> ReasonsAnswer:
    """Put some reasons first, in the order given."""

    def order(session: Session, listed: ReasonList) -> None:
        session.review.order_reasons([_find_name(listed, number) for number in wanted.numbers])

    return await _change_reasons(desk, order, viewer=viewer)


@router.patch(
    "/reasons/{number}",
    summary="Rename a reason for exclusion",
    response_description="The reasons, in their order.",
)
async def rename_reason(
    desk: TheDesk, number: ReasonNumber, wanted: ReasonRequest, *, viewer: TheViewer
) -> ReasonsAnswer:
    """Give a reason another name, also in the marks that carry it."""

    def rename(session: Session, listed: ReasonList) -> None:
        session.review.rename_reason(_find_name(listed, number), wanted.name)

    return await _change_reasons(desk, rename, viewer=viewer)


@router.delete(
    "/reasons/{number}",
    summary="Remove a reason for exclusion",
    response_description="The reasons, in their order.",
)
async def remove_reason(
    desk: TheDesk,
    number: ReasonNumber,
    replacement: Annotated[
        int | None,
        Query(ge=1, le=1_000_000, description="The reason that marks carry instead, if any do."),
    ] = None,
    *,
    viewer: TheViewer,
) -> ReasonsAnswer:
    """Remove a reason; one that marks carry, or may carry, needs a replacement."""

    def remove(session: Session, listed: ReasonList) -> None:
        if viewer is not None and not replacement:
            raise SessionError(
                f"marks of others may carry the reason {_find_name(listed, number)!r}; say which "
                "reason takes its place, or rename it"
            )
        other = _find_name(listed, replacement) if replacement else ""
        session.review.remove_reason(_find_name(listed, number), replacement=other)

    return await _change_reasons(desk, remove, viewer=viewer)


@router.get("/tags", summary="List the tags", response_description="The tags, the oldest first.")
async def list_tags(desk: TheDesk, reviewer: TheReviewer) -> TagsAnswer:
    """Return the tags, and how many documents have each."""
    return await desk.read(_answer_tags, reviewer=reviewer)


@router.post(
    "/tags",
    summary="Give tags to documents, or take tags off",
    response_description="All tags after the change.",
)
async def tag(
    desk: TheDesk, opened: TheSessionLibrary, wanted: TagsRequest, *, reviewer: TheReviewer
) -> TagsAnswer:
    """Give tags to all of these documents, and take tags off all of them."""
    await check_known(desk, wanted.ids, library=opened.library)

    def give(session: Session) -> None:
        session.review.tag(wanted.ids, add=wanted.add, remove=wanted.remove, reviewer=reviewer)

    await desk.write(give, together=True)
    return await desk.read(_answer_tags, reviewer=reviewer)


@router.put("/note", summary="Write a note on a document", response_description="The notes on it.")
async def write_note(
    desk: TheDesk, opened: TheSessionLibrary, wanted: NoteRequest, *, reviewer: TheReviewer
) -> NoteAnswer:
    """Write a note on a document; it replaces the reviewer's last one."""
    await check_known(desk, [wanted.document], library=opened.library)

    def write(session: Session) -> None:
        session.review.note(wanted.document, wanted.text, reviewer=reviewer)

    await desk.write(write, together=True)
    return await desk.read(_answer_note, wanted.document, reviewer=reviewer)


@router.get(
    "/criteria", summary="Show the inclusion criteria", response_description="The criteria."
)
async def get_criteria(desk: TheDesk) -> CriteriaAnswer:
    """Return the inclusion criteria that are kept with a session."""
    return await desk.read(_answer_criteria)


@router.put(
    "/criteria", summary="Write the inclusion criteria down", response_description="The criteria."
)
async def write_criteria(desk: TheDesk, wanted: CriteriaRequest) -> CriteriaAnswer:
    """Keep the inclusion criteria with a session, in place of the earlier ones."""
    await desk.write(lambda session: session.review.write_criteria(wanted.text), together=True)
    return await desk.read(_answer_criteria)


async def _change_reasons(
    desk: Desk, change: Callable[[Session, ReasonList], object], *, viewer: str | None
) -> ReasonsAnswer:
    await desk.write(lambda session: change(session, session.review.reasons()), together=True)
    return await desk.read(_answer_reasons, viewer=viewer)


def _find_name(listed: ReasonList, number: int) -> str:
    found = [one.name for one in listed.reasons if one.number == number and not one.is_removed]
    if not found:
        raise SessionError(f"no reason has the number {number}; GET /reasons lists them")
    return found[0]


def _answer_reasons(reader: SessionReader, *, viewer: str | None) -> ReasonsAnswer:
    given = Counter(mark.reason for mark in reader.find_decisions(viewer).values())
    # To say whether any mark carries a reason would reveal what another reviewer excluded.
    is_blind, opinions = viewer is not None, reader.state.opinions.values()
    carried = {mark.reason for of in opinions for mark in (*of.marks, of.settling) if mark}
    return ReasonsAnswer(
        reasons=[
            ReasonAnswer.of(
                one, documents=given[one.name], is_carried=is_blind or one.name in carried
            )
            for one in reader.session.review.reasons().reasons
            if not one.is_removed
        ]
    )


def _answer_tags(reader: SessionReader, *, reviewer: str) -> TagsAnswer:
    counts = Counter(one for of in reader.find_remarks(reviewer).tags.values() for one in of)
    return TagsAnswer(tags=[TagAnswer(tag=one, documents=n) for one, n in counts.items()])


def _answer_note(reader: SessionReader, document: str, *, reviewer: str) -> NoteAnswer:
    remarks = reader.find_remarks(reviewer)
    return NoteAnswer(
        document=document,
        note=remarks.find_own_note(document, reviewer),
        notes=remarks.describe_notes(document),
    )


def _answer_criteria(reader: SessionReader) -> CriteriaAnswer:
    return CriteriaAnswer(text=reader.session.review.criteria())
