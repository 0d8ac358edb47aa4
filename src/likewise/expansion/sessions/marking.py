"""Marking: what a person or a file says about papers becomes marks on a library's documents.

It loads nothing that only learning needs, so that a mark is given at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from likewise.documents import Document, is_same_paper
from likewise.errors import (
    LibraryError,
    MissingExtraError,
    NotALibraryError,
    SessionError,
    UnknownDocumentError,
)
from likewise.expansion.marks import Label, Mark
from likewise.expansion.seeds import find_copies
from likewise.expansion.sessions.records import Change
from likewise.expansion.sessions.session_file import SessionFile
from likewise.expansion.wording import list_names
from likewise.library import check_address, open_library, remember_address
from likewise.library.protocol import Library, check_is_library


@dataclass(frozen=True)
class Statement:
    """What a person or a file says about a paper."""

    paper: Document
    label: Label
    place: str
    """Where it was said, for messages: a file and a line, or the id that was given."""
    source: str = ""
    """The file that says it; "" if it was said by hand."""
    reason: str = ""
    """Why it is irrelevant, if given; a reason that is not in the list yet is added to it."""
    tags: tuple[str, ...] = ()
    note: str = ""


class Contradiction(NamedTuple):
    """Two statements about one document, of which the later counts."""

    document: str
    before: Statement
    now: Statement


@dataclass(frozen=True)
class Marking:
    """The result of marking papers."""

    labels: dict[str, Label]
    """What each document is marked now."""
    same: int
    """How many of them had that mark before."""
    changed: tuple[Change, ...]
    """Those that had another."""
    contradictions: tuple[Contradiction, ...]
    unknown: tuple[Statement, ...]
    """Those about papers that are neither in the library nor seeds."""
    seeds: tuple[str, ...]
    """Seeds that are now marked irrelevant, and so are no longer seeds."""
    marked_seeds: int
    """How many seeds are marked; the status never counts these as found."""


def mark_papers(
    session: SessionFile,
    statements: Sequence[Statement],
    *,
    library: Library,
    reviewer: str = "",
    is_settling: bool = False,
) -> Marking:
    """Mark or settle the documents that statements are about; the last statement on each counts."""
    ids = find_documents([said.paper for said in statements], session=session, library=library)
    last: dict[str, Statement] = {}
    unknown, contradictions = [], []
    for said, document in zip(statements, ids, strict=True):
        if document is None:
            unknown.append(said)
            continue
        before = last.pop(document, said)
        if before.label != said.label:
            contradictions.append(Contradiction(document, before, said))
        last[document] = said
    with session.writing_together():
        same, changed = _write_marks(session, last, reviewer=reviewer, is_settling=is_settling)
    labels = {document: said.label for document, said in last.items()}
    irrelevant = [document for document, label in labels.items() if label == "irrelevant"]
    seeds = _list_seeds(session)
    return Marking(
        labels,
        same,
        changed,
        tuple(contradictions),
        tuple(unknown),
        tuple(document for document in irrelevant if document in seeds),
        len(seeds.intersection(session.current())),
    )


class TakenBack(NamedTuple):
    """The result of taking marks back."""

    marks: tuple[Mark, ...]
    """What was taken back."""
    labels: dict[str, Label]
    """The labels that these documents now have, from before; most have none."""
    unmarked: tuple[str, ...]
    """The given ids of documents that had no label to take back."""


def take_back_marks(
    session: SessionFile,
    ids: Sequence[str] = (),
    *,
    reviewer: str = "",
    is_settling: bool = False,
    open_library: Callable[[], AbstractContextManager[Library]],
) -> TakenBack:
    """Take back the marks on documents, or the latest mark; earlier marks then count again.

    Args:
        session: The session.
        ids: Ids, PMIDs, DOIs or PMCIDs; without any, the latest mark is taken back.
        reviewer: Whose marks.
        is_settling: Whether to take back what settled these documents instead.
        open_library: Opens the library, which is needed only for ids that no marked document has.
    """
    opinions = session.opinions()
    others = [name for name in ids if name not in opinions]
    known: dict[str, str | None] = {}
    if others:
        papers = [Document(id=name) for name in others]
        with open_library() as library:
            found = find_documents(papers, session=session, library=library)
        known = dict(zip(others, found, strict=True))
    meant = list(dict.fromkeys(known.get(name) or name for name in ids))
    if is_settling:
        settled = [opinions[name].settling for name in meant if name in opinions]
        taken = [mark for mark in settled if mark]
        session.settle(dict.fromkeys(mark.document for mark in taken), reviewer=reviewer)
    else:
        taken = session.undo(meant, reviewer=reviewer)
    documents = {mark.document for mark in taken}
    labels = {
        name: mark.label
        for name, given in session.opinions().items()
        if name in documents and (mark := given.find_own(reviewer)) and mark.label
    }
    return TakenBack(tuple(taken), labels, tuple(name for name in meant if name not in documents))


def find_documents(
    papers: Iterable[Document], *, session: SessionFile, library: Library
) -> list[str | None]:
    """Return the id of each paper in the library, or among seeds that only the session holds."""
    papers = list(papers)
    saved = session.expansion()
    text_only = saved.seeds.text_only if saved else ()

    def find_seed(paper: Document) -> str | None:
        seeds = (seed for seed in text_only if seed.id == paper.id or is_same_paper(seed, paper))
        return next((seed.id for seed in seeds), None)

    copies = find_copies(library, papers)
    return [
        copy.id if copy else find_seed(paper) for paper, copy in zip(papers, copies, strict=True)
    ]


@contextmanager
def open_own_library(
    session: SessionFile,
    library: Library | str | Path | None,
    *,
    opening: Callable[[str], AbstractContextManager[Library]] = open_library,
    advice: str = "",
) -> Iterator[tuple[Library, str]]:
    """Open the given library, or the session's own; yield it with its address, if known.

    Raises SessionError if the session names an address that nobody gave for it.

    Args:
        session: The session.
        library: A library or its address; by default, the session's own.
        opening: Opens the library at an address.
        advice: How to say where a library has moved to, in place of the usual commands.
    """
    if library is not None and not isinstance(library, str | Path):
        check_is_library(library)
        yield library, ""
        return
    address = str(library or session.library)
    if library is None:
        check_address(session.path, address)
    else:
        remember_address(session.path, address)
    how = f": likewise expand LIB --session {session.path} (for watch: --library LIB)"
    with ExitStack() as stack:
        try:
            opened = stack.enter_context(opening(address))
        except NotALibraryError as error:
            if library is not None:
                raise
            moved = f"its library is no longer at {address}; say where it is now{advice or how}"
            raise SessionError(f"{session.path}: {moved}") from error
        yield opened, address


def check_known(session: SessionFile, ids: Iterable[str], *, library: Library | None) -> None:
    """Raise UnknownDocumentError for ids that neither a session nor its library knows.

    If the library is not where it was or can't be asked, nobody can tell, and nothing is raised.
    """
    marked = {mark.document for mark in session.history()}
    unknown = set(ids) - marked - {seed.id for seed in session.start.seeds}
    if not unknown:
        return
    try:
        with open_own_library(session, library) as (opened, _):
            unknown -= {document.id for document in opened.get(sorted(unknown))}
    except (SessionError, LibraryError, MissingExtraError):
        return
    if unknown:
        raise UnknownDocumentError(describe_unknown(sorted(unknown)))


def describe_unknown(ids: Sequence[str]) -> str:
    """Return that documents with these ids can't be marked, and what to do."""
    # A single id is shown whole, to be copied and looked for.
    names = ids[0] if len(ids) == 1 else list_names(ids)
    return (
        f"{names}: not in the library, so not marked; "
        "find the right id with: likewise search LIB WORDS"
    )


def _write_marks(
    session: SessionFile, said: dict[str, Statement], *, reviewer: str, is_settling: bool
) -> tuple[int, tuple[Change, ...]]:
    """Write the marks to the session, those of one source and reason together."""
    same = 0
    changed: tuple[Change, ...] = ()
    for (source, reason), group in groupby(
        said.items(), key=lambda item: (item[1].source, item[1].reason)
    ):
        if reason and not session.review.reasons().has(reason):
            session.review.add_reason(reason)
        labels: dict[str, Label | None] = {document: one.label for document, one in group}
        why = reason or None
        if is_settling:
            marked = session.settle(labels, reviewer=reviewer, reason=why)
        else:
            marked = session.mark_known(labels, source=source, reviewer=reviewer, reason=why)
        same += marked.same
        changed += marked.changed
    for document, one in said.items():
        if one.tags:
            session.review.tag([document], add=one.tags, reviewer=reviewer)
        if one.note:
            session.review.note(document, one.note, reviewer=reviewer)
    return same, changed


def _list_seeds(session: SessionFile) -> set[str]:
    saved = session.expansion()
    if saved is None:
        return {seed.id for seed in session.start.seeds}
    return {*saved.seeds.matched, *(seed.id for seed in saved.seeds.text_only)}
