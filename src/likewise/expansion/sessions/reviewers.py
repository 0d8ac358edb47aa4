"""What reviewers said of documents, each for themselves, and the decision that follows from it.

What all who marked a document agree on is the decision. Where they disagree it is a *conflict*, and
maybe, until somebody settles it. What another marked is hidden from a reviewer who has not marked
the document yet, unless two others have: then whoever settles conflicts may see it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from likewise.errors import SessionError
from likewise.expansion.marks import Label, Mark
from likewise.expansion.sessions.reasons import check_name, clean_name, is_same_name, make_key

NAMELESS = "(no name)"
"""What a reviewer is called who told no name."""


class DocumentMarks(NamedTuple):
    """The marks that stand on a document."""

    marks: tuple[Mark, ...]
    """The latest of each reviewer, in the order given."""
    settling: Mark | None = None
    """What settled a conflict, if something did."""

    @property
    def is_conflict(self) -> bool:
        """Whether reviewers disagree, and nobody has settled it."""
        return self.settling is None and len({mark.label for mark in self.marks}) > 1

    @property
    def decision(self) -> Mark:
        """The mark that counts: what settled it, what all agree on, or maybe."""
        if self.settling:
            return self.settling
        latest = self.marks[-1]
        if len(self.marks) == 1:
            return latest
        return latest._replace(label="maybe", reason="") if self.is_conflict else latest

    def find_own(self, reviewer: str) -> Mark | None:
        """Return the mark of a reviewer."""
        return next((one for one in self.marks if is_same_name(one.reviewer, reviewer)), None)

    def list_others(self, reviewer: str) -> tuple[Mark, ...]:
        """Return the marks of others, and what settled it, so far as a reviewer may see them."""
        if not self.is_open_to(reviewer):
            return ()
        others = [mark for mark in self.marks if not is_same_name(mark.reviewer, reviewer)]
        return (*others, self.settling) if self.settling else tuple(others)

    def is_open_to(self, reviewer: str) -> bool:
        """Tell whether a reviewer may see what others marked."""
        return bool(self.settling or len(self.marks) > 1 or self.find_own(reviewer))

    def show_to(self, reviewer: str) -> Mark | None:
        """Return the mark to show a reviewer: what settled it, their own, or that of others."""
        if self.settling:
            return self.settling
        own = self.find_own(reviewer)
        return own or (self.decision if self.is_open_to(reviewer) else None)


def gather_marks(history: Iterable[Mark]) -> dict[str, DocumentMarks]:
    """Return the marks that stand, by document, in the order of the latest that decides."""
    history = list(history)
    if not any(mark.reviewer or mark.is_settling for mark in history):
        return _gather_alone(history)
    voices: dict[str, dict[tuple[str, bool], Mark]] = {}
    for mark in history:
        voice = ("", True) if mark.is_settling else (make_key(mark.reviewer), False)
        of_document = voices.setdefault(mark.document, {})
        of_document.pop(voice, None)
        if mark.label:
            of_document[voice] = mark
    found = {}
    for document, given in voices.items():
        settling = given.pop(("", True), None)
        # Without a reviewer's mark there is nothing left to settle.
        if given:
            found[document] = DocumentMarks(tuple(given.values()), settling)
    return dict(sorted(found.items(), key=lambda item: item[1].decision.number))


def _gather_alone(history: Iterable[Mark]) -> dict[str, DocumentMarks]:
    """Return the same of marks that one person gave, which is done after each of them."""
    latest: dict[str, Mark] = {}
    for mark in history:
        latest.pop(mark.document, None)
        if mark.label:
            latest[mark.document] = mark
    return {document: DocumentMarks((mark,)) for document, mark in latest.items()}


def show_marks(documents: Mapping[str, DocumentMarks], reviewer: str) -> dict[str, Mark]:
    """Return the mark of each document that a reviewer may see, in the order given."""
    shown = {name: given.show_to(reviewer) for name, given in documents.items()}
    return {name: mark for name, mark in shown.items() if mark}


def list_own_labels(documents: Mapping[str, DocumentMarks], reviewer: str) -> dict[str, Label]:
    """Return what a reviewer need not look at any more: their own labels, and what was settled."""
    own = {name: given.settling or given.find_own(reviewer) for name, given in documents.items()}
    return {name: mark.label for name, mark in own.items() if mark and mark.label}


def check_reviewer(name: str) -> str:
    """Return the name of a reviewer, cleaned, which may be empty; raise SessionError."""
    return check_name(name, "reviewer") if clean_name(name) else ""


def check_conflicts(documents: Mapping[str, DocumentMarks], ids: Iterable[str]) -> None:
    """Raise SessionError unless reviewers disagree, or did, on all of these documents."""
    known = [documents.get(name) for name in ids]
    for name, given in zip(ids, known, strict=True):
        if given is None or not (given.is_conflict or given.settling):
            raise SessionError(
                f"{name}: reviewers do not disagree on it, so there is nothing to settle; "
                "nothing was settled"
            )


def describe_opinions(given: DocumentMarks) -> str:
    """Return who said what of a document; "" if one person without a name did, and alone.

    >>> mark = Mark(1, "7", "relevant", "", 0, None, None, None, None, "", reviewer="Ann")
    >>> describe_opinions(DocumentMarks((mark, mark._replace(reviewer="Bob", label="maybe"))))
    'Ann: relevant; Bob: maybe'
    """
    if given.settling is None and not any(mark.reviewer for mark in given.marks):
        return ""
    said = [f"{mark.reviewer or NAMELESS}: {mark.label}" for mark in given.marks]
    if settled := given.settling:
        said.append(f"settled by {settled.reviewer or NAMELESS}: {settled.label}")
    return "; ".join(said)
