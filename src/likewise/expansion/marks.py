"""Marks: what people say about documents, where these stood, and the decision that follows from it.

If all who marked a document agree, their label is the decision. If they disagree, that is a
*conflict*, and the decision is maybe until somebody settles it. The mark of another is hidden from
a reviewer who has not marked the document yet, unless two others have: then the reviewer may see
their marks, to settle conflicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from math import inf
from typing import Literal, NamedTuple, get_args

from likewise.arguments import check_type
from likewise.errors import SessionError
from likewise.expansion.sessions.reasons import check_name, clean_name, is_same_name, make_key

Label = Literal["relevant", "irrelevant", "maybe"]
LABELS: tuple[Label, ...] = get_args(Label)
Strategy = Literal["likely", "uncertain", "calibrate", "audit"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
"""How a document can be chosen to be looked at; the first is the default."""
STOOD_FIRST = 0.8
"""A file was read by rank if at least this share of the ranks down to its lowest is marked."""


class Mark(NamedTuple):
    """One statement about a document; a later one by the same person replaces it."""

    number: int
    """Its number among all marks ever given in a session, from 1."""
    document: str
    label: Label | None
    """None takes back the mark before."""
    time: str
    """When, in UTC, such as 2026-01-31T09:30:00.123Z."""
    expansion: int
    """The number of the session's latest expansion at that time; 0 if there was none."""
    rank: int | None
    """Its rank there; None if it was not in the ranking."""
    probability: float | None
    """Its probability there, computed without this mark."""
    strategy: Strategy | None
    """How it was chosen; None if the person chose it, or a file brought it."""
    audit: int | None
    """The number of the audit that it was drawn for, if it was."""
    source: str
    """The file that brought it, or who gave it; "" if it was given by hand."""
    reviewer: str = ""
    """Who gave it; "" if no name was given, as when one person works alone."""
    reason: str = ""
    """Why it was excluded, by the reason's current name; "" if no reason was given."""
    is_settling: bool = False
    """Whether it settles what reviewers disagree on, rather than being a reviewer's own mark."""


@dataclass(frozen=True)
class Marks:
    """The current labels of documents, one each."""

    relevant: tuple[str, ...] = ()
    irrelevant: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()
    ranks: dict[str, int] = field(default_factory=dict)
    """The ranks that documents had when they were marked, if they had one."""
    read: tuple[str, ...] = ()
    """The documents that were read, in the order of reading.

    Not those drawn for an audit, nor those from a file that was not read by rank.
    """

    @classmethod
    def of(
        cls,
        labels: Mapping[str, Label],
        *,
        ranks: dict[str, int] | None = None,
        read: Iterable[str] = (),
    ) -> Marks:
        """Return the documents of each label, in the order given."""
        relevant, irrelevant, maybe = (
            tuple(name for name, given in labels.items() if given == label) for label in LABELS
        )
        return cls(relevant, irrelevant, maybe, ranks or {}, tuple(read))

    def __len__(self) -> int:
        """Return how many documents are marked."""
        return len(self.relevant) + len(self.irrelevant) + len(self.maybe)


def is_new_mark(label: Label | None, reason: str | None, *, before: Mark | None) -> bool:
    """Return whether a label, or the reason for it, differs from the mark before."""
    if label != (before.label if before else None):
        return True
    return bool(before and label == "irrelevant" and reason not in (None, before.reason))


def find_reading_order(history: Iterable[Mark]) -> list[str]:
    """Return documents in the order in which they were read, as far as that is known.

    Documents that were marked at once were read by rank. Those that a file brought count as read
    only if they stood first: then nearly all ranks down to their lowest are marked.
    """
    read: list[str] = []
    marked: set[str] = set()
    for (_, source), given in groupby(history, key=lambda mark: (mark.time, mark.source)):
        new = {mark.document: mark.rank for mark in given if mark.document not in marked}
        marked.update(new)
        ranks = {name: inf if rank is None else rank for name, rank in new.items()}
        if not source or max(ranks.values(), default=0) * STOOD_FIRST <= len(marked):
            read += sorted(ranks, key=ranks.__getitem__)
    return read


NAMELESS = "(no name)"
"""What to call a reviewer who gave no name."""


class DocumentMarks(NamedTuple):
    """The current marks on a document."""

    marks: tuple[Mark, ...]
    """The latest of each reviewer, in the order given."""
    settling: Mark | None = None
    """The mark that settled a conflict, if one did."""

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
        """Return a reviewer's own mark; None if there is none."""
        return next((one for one in self.marks if is_same_name(one.reviewer, reviewer)), None)

    def list_others(self, reviewer: str) -> tuple[Mark, ...]:
        """Return the marks of others, with any that settled it, if the reviewer may see them."""
        if not self.is_open_to(reviewer):
            return ()
        others = [mark for mark in self.marks if not is_same_name(mark.reviewer, reviewer)]
        return (*others, self.settling) if self.settling else tuple(others)

    def is_open_to(self, reviewer: str) -> bool:
        """Return whether a reviewer may see what others marked."""
        return bool(self.settling or len(self.marks) > 1 or self.find_own(reviewer))

    def show_to(self, reviewer: str) -> Mark | None:
        """Return the mark to show a reviewer: what settled it, their own, or the decision."""
        if self.settling:
            return self.settling
        own = self.find_own(reviewer)
        return own or (self.decision if self.is_open_to(reviewer) else None)


def gather_marks(history: Iterable[Mark]) -> dict[str, DocumentMarks]:
    """Return the current marks by document, in the order of the marks that decide."""
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
    """Do the same, but faster, for marks of one person: it is done after each mark."""
    latest: dict[str, Mark] = {}
    for mark in history:
        latest.pop(mark.document, None)
        if mark.label:
            latest[mark.document] = mark
    return {document: DocumentMarks((mark,)) for document, mark in latest.items()}


def show_marks(documents: Mapping[str, DocumentMarks], reviewer: str) -> dict[str, Mark]:
    """Return the mark to show a reviewer for each document, in the order given."""
    shown = {name: given.show_to(reviewer) for name, given in documents.items()}
    return {name: mark for name, mark in shown.items() if mark}


def list_own_labels(documents: Mapping[str, DocumentMarks], reviewer: str) -> dict[str, Label]:
    """Return the labels that a reviewer need not look at again: their own and settled ones."""
    own = {name: given.settling or given.find_own(reviewer) for name, given in documents.items()}
    return {name: mark.label for name, mark in own.items() if mark and mark.label}


def check_reviewer(name: str) -> str:
    """Return a reviewer's name, cleaned, or ""; raise SessionError if it can't be a name."""
    check_type(name, str, name="reviewer", wanted="a name")
    return check_name(name, "reviewer") if clean_name(name) else ""


def check_conflicts(documents: Mapping[str, DocumentMarks], ids: Iterable[str]) -> None:
    """Raise SessionError unless reviewers disagree, or did, on all of these documents."""
    for name in ids:
        given = documents.get(name)
        if given is None or not (given.is_conflict or given.settling):
            raise SessionError(
                f"{name}: reviewers do not disagree on it, so there is nothing to settle; "
                "nothing was settled"
            )


def describe_opinions(given: DocumentMarks) -> str:
    """Return who gave which label to a document; "" if only one person without a name did.

    >>> mark = Mark(1, "7", "relevant", "", 0, None, None, None, None, "", reviewer="Ann")
    >>> describe_opinions(DocumentMarks((mark, mark._replace(reviewer="Bob", label="maybe"))))
    'Ann: relevant; Bob: maybe'
    """
    if given.settling is None and not any(mark.reviewer for mark in given.marks):
        return ""
    opinions = [f"{mark.reviewer or NAMELESS}: {mark.label}" for mark in given.marks]
    if settled := given.settling:
        opinions.append(f"settled by {settled.reviewer or NAMELESS}: {settled.label}")
    return "; ".join(opinions)
