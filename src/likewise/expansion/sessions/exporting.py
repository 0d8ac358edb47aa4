"""Exporting: a session as one JSON document, or its documents in any format that we write.

ASReview takes the labels of a table from the column "label_included" (1, 0, or nothing), and those
of a RIS file from the words ASReview_relevant and ASReview_irrelevant in its notes.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from likewise.arguments import require_path
from likewise.documents import Document, replace_file, write_annotated
from likewise.documents.document import AnnotatedDocument, Note, describe_warning
from likewise.documents.formats import format_for_writing, list_written_suffixes, suffix_of
from likewise.errors import SessionError, UnknownFormatError
from likewise.expansion.marks import DocumentMarks, Label, Mark, describe_opinions
from likewise.expansion.records import Place, note_place
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.sessions.review_notes import RemarkSet
from likewise.expansion.sessions.session_file import SessionFile
from likewise.library.protocol import Library

EVERYTHING = ".json"
KIND = "likewise exported session"
FORMAT = 1
"""The format of the JSON document; rises when older readers could not read it."""

Which = Literal["listed", "relevant", "all"]
"""What is listed: what is decided or marked, only what is relevant, or the whole ranking."""
TABLES = frozenset({".csv", ".tsv", ".xlsx"})
RIS = ".ris"
_INCLUDED: Mapping[Label | None, int] = {"relevant": 1, "irrelevant": 0}


class ExportResult(NamedTuple):
    """What was written."""

    documents: int
    """How many documents; 0 if everything was written as JSON."""
    missing: tuple[str, ...]
    """The ids of those that the library no longer holds, which are not in the file."""


def export_session(
    session: SessionFile,
    path: str | Path,
    *,
    library: Library | None = None,
    which: Which = "listed",
) -> ExportResult:
    """Write a session to a file, in the form that its suffix asks for.

    A .json file holds everything. Any format of documents holds the seeds, what is marked and what
    is decided to be on topic, with the notes on each; `likewise mark` reads mark, reason, tags and
    review_note back. A .csv file begins with a byte order mark, which tells Excel the encoding.

    Args:
        session: The session.
        path: The file, which appears whole or not at all.
        library: The library that the documents are in; for .json, none is needed.
        which: `listed` is as above, `relevant` only the seeds and what is marked relevant, `all`
            the whole ranking.
    """
    path = require_path(path)
    check_export(path)
    if which not in _BELONGS:
        raise SessionError(f"there is no {which!r} to write; use one of: {', '.join(_BELONGS)}")
    if suffix_of(path) == EVERYTHING:
        with replace_file(path) as stream:
            stream.write(msgspec.json.format(_encode_session(session), indent=1) + b"\n")
        return ExportResult(0, ())
    if library is None:
        raise SessionError(f"{path}: the documents are in the library; give it, or write .json")
    annotated, missing = _list_documents(
        session, library=library, suffix=suffix_of(path), which=which
    )
    if suffix_of(path) == ".csv":
        write_documents = format_for_writing(path).write
        with replace_file(path) as stream:
            stream.write(codecs.BOM_UTF8)
            write_documents(annotated, stream)
    else:
        write_annotated(annotated, path)
    return ExportResult(len(annotated), missing)


def check_export(path: str | Path) -> None:
    """Raise UnknownFormatError if a session can't be written to a file of this suffix."""
    suffix = suffix_of(Path(path))
    if suffix == EVERYTHING:
        return
    try:
        format_for_writing(Path(path))
    except UnknownFormatError as error:
        offered = sorted({EVERYTHING, *list_written_suffixes()})
        raise UnknownFormatError(
            f"{path}: a session can't be written as {suffix or 'a file without a suffix'!r}; "
            f"use one of: {' '.join(offered)} (and .gz after it)"
        ) from error


def _encode_session(session: SessionFile) -> bytes:
    review = session.review
    with session.at_one_moment():
        content = {
            "kind": KIND,
            "format": FORMAT,
            "start": session.start._asdict(),
            "names": [name._asdict() for name in session.names()],
            "marks": [mark._asdict() for mark in session.history()],
            "expansions": [
                {**head._asdict(), "content": session.expansion(head.number)}
                for head in session.expansions()
            ],
            "thresholds": [threshold._asdict() for threshold in session.thresholds()],
            "audits": [audit._asdict() for audit in session.audits()],
            "targets": [target._asdict() for target in session.targets()],
            "looks": [look._asdict() for look in session.looks()],
            "reasons": review.reasons().reasons,
            "tags": [change._asdict() for change in review.tag_history()],
            "notes": [note._asdict() for note in review.note_history()],
            "given_numbers": review.read_numbers(),
            "criteria": [criteria._asdict() for criteria in review.criteria_history()],
        }
    return msgspec.json.encode(content)


@dataclass(frozen=True)
class _ListedDocument:
    """What is known about a document: its place in the latest expansion, and its marks."""

    id: str
    place: Place | None
    given: DocumentMarks | None
    is_seed: bool

    @property
    def mark(self) -> Mark | None:
        return self.given.decision if self.given else None

    @property
    def label(self) -> Label | None:
        return self.mark.label if self.mark else None

    @property
    def decision(self) -> bool:
        """Whether it is on topic: a mark counts more than what was learned."""
        if self.label in ("relevant", "irrelevant"):
            return self.label == "relevant"
        return self.is_seed or bool(self.place and self.place.decision)

    def make_notes(self, document: Document, suffix: str, remarks: RemarkSet) -> dict[str, Note]:
        """Return what is noted on it in a file of this suffix."""
        included, mark = _INCLUDED.get(self.label, ""), self.mark
        notes: dict[str, Note] = {
            **note_place(self.place),
            "decision": self.decision,
            "seed": self.is_seed,
            "notice": describe_warning(document),
            "mark": self.label or "",
            "reason": mark.reason if mark else "",
            "tags": "; ".join(remarks.tags.get(self.id, ())),
            "marked_at": mark.time if mark else "",
            "marked_by": describe_opinions(self.given) if self.given else "",
        }
        if suffix in TABLES:
            notes["label_included"] = included
        elif suffix == RIS:
            notes["asreview"] = "" if included == "" else f"ASReview_{self.label}"
        # This one is last: if notes are one text, what follows it would be taken for a part of it.
        notes["review_note"] = remarks.describe_notes(self.id)
        return notes


def _list_documents(
    session: SessionFile, *, library: Library, suffix: str, which: Which
) -> tuple[list[AnnotatedDocument], tuple[str, ...]]:
    """Return documents with their notes, and the ids of those that the library no longer holds.

    They are in the order of the latest ranking; those that are not in it come last.
    """
    with session.at_one_moment():
        latest, opinions = session.expansion(), session.opinions()
        remarks = session.review.remarks()
    # Before any expansion, no seed is known to be in the library.
    seeds = latest.seeds.text_only if latest else session.start.seeds
    outside = {seed.id: seed for seed in seeds}
    entries = _gather_documents(latest, opinions, outside=outside)
    chosen = [entry for entry in entries if _BELONGS[which](entry)]
    documents = outside | {held.id: held for held in library.get([e.id for e in chosen])}
    annotated = [
        AnnotatedDocument(document, entry.make_notes(document, suffix, remarks))
        for entry in chosen
        if (document := documents.get(entry.id))
    ]
    return annotated, tuple(entry.id for entry in chosen if entry.id not in documents)


def _gather_documents(
    latest: SavedExpansion | None,
    opinions: Mapping[str, DocumentMarks],
    *,
    outside: Mapping[str, Document],
) -> list[_ListedDocument]:
    ranking: Sequence[Place] = latest.ranking if latest else ()
    places = {place.id: place for place in ranking}
    seeds = {place.id for place in ranking if place.seed} or set(outside)
    ids = dict.fromkeys([*places, *(() if latest else outside), *opinions])
    return [
        _ListedDocument(
            identifier, places.get(identifier), opinions.get(identifier), identifier in seeds
        )
        for identifier in ids
    ]


def _is_listed(entry: _ListedDocument) -> bool:
    return entry.is_seed or entry.mark is not None or entry.decision


def _is_relevant(entry: _ListedDocument) -> bool:
    return entry.label == "relevant" or (entry.is_seed and entry.label is None)


_BELONGS: Mapping[Which, Callable[[_ListedDocument], bool]] = {
    "listed": _is_listed,
    "relevant": _is_relevant,
    "all": lambda _: True,
}
