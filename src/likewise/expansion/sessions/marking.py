"""Marking: what a person or a file says of papers, said of a library's documents in a session."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from likewise.documents import Document, is_same_paper
from likewise.expansion.marks import Label
from likewise.expansion.seeds import find_copies
from likewise.expansion.sessions.records import Change
from likewise.expansion.sessions.session import Session
from likewise.library.protocol import Library


class Statement(NamedTuple):
    """What was said of a paper."""

    paper: Document
    label: Label
    place: str
    """Where it was said, as a message names it: a file and a line, or the id that was given."""
    source: str = ""
    """The file that says it; "" if it was said by hand."""


class Contradiction(NamedTuple):
    """Two statements on one document, of which the later counts."""

    document: str
    before: Statement
    now: Statement


class Marking(NamedTuple):
    """The result of marking papers."""

    labels: dict[str, Label]
    """What each document is marked now."""
    same: int
    """How many of them had that mark before."""
    changed: tuple[Change, ...]
    """Those that had another."""
    contradictions: tuple[Contradiction, ...]
    unknown: tuple[Statement, ...]
    """Of papers that the library does not hold, and no seed is."""
    seeds: tuple[str, ...]
    """Seeds that are marked irrelevant by this, and so are seeds no more."""


def mark_papers(session: Session, statements: Sequence[Statement], *, library: Library) -> Marking:
    """Mark the documents that statements are about; the last one on a document counts."""
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
    same, changed = _write_marks(session, last)
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
    )


def find_documents(
    papers: Iterable[Document], *, session: Session, library: Library
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


def _write_marks(session: Session, said: dict[str, Statement]) -> tuple[int, tuple[Change, ...]]:
    """Give the marks to the session, those of one source at once."""
    same = 0
    changed: tuple[Change, ...] = ()
    for source, group in groupby(said.items(), key=lambda item: item[1].source):
        marked = session.mark({document: one.label for document, one in group}, source=source)
        same += marked.same
        changed += marked.changed
    return same, changed


def _list_seeds(session: Session) -> set[str]:
    saved = session.expansion()
    if saved is None:
        return {seed.id for seed in session.start.seeds}
    return {*saved.seeds.matched, *(seed.id for seed in saved.seeds.text_only)}
