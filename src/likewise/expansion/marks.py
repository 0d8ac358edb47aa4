"""Marks: what people say of documents, where these stood, and the decision that follows from it.

What all who marked a document agree on is the decision. Where they disagree it is a *conflict*, and
maybe, until somebody settles it. What another marked is hidden from a reviewer who has not marked
the document yet, unless two others have: then whoever settles conflicts may see it.
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
"""By what a document was chosen to be looked at; the first is the default."""
STOOD_FIRST = 0.8
"""What share of the first ranks a file has at least that brings what stood first."""


class Mark(NamedTuple):
    """What was said of a document once; what is said later counts."""

    number: int
    """Of all that was ever said in a session, from 1."""
    document: str
    label: Label | None
    """None takes back what was said before."""
    time: str
    """When, in UTC, as 2026-01-31T09:30:00.123Z."""
    expansion: int
    """The number of the session's expansion that the document was looked at in; 0 if in none."""
    rank: int | None
    """Its rank there; None if it was not in the ranking."""
    probability: float | None
    """Its probability there, which knew nothing of this mark."""
    strategy: Strategy | None
    """By what it was chosen; None if the person chose it, or a file brought it."""
    audit: int | None
    """The number of the audit that it was drawn for, if it was."""
    source: str
    """The file that brought it, or the name of who gave it; "" if it was given by hand."""
    reviewer: str = ""
    """Who gave it; "" if no name was told, as when one person works alone."""
    reason: str = ""
    """Why it was excluded, by the name that this reason has by now; "" if none was told."""
    is_settling: bool = False
    """Whether it settles what reviewers disagree on, rather than being a reviewer's own mark."""


@dataclass(frozen=True)
class Marks:
    """What is said of documents by now: each has one label."""

    relevant: tuple[str, ...] = ()
    irrelevant: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()
    ranks: dict[str, int] = field(default_factory=dict)
    """Where in the ranking documents stood when they were marked, as far as they did."""
    read: tuple[str, ...] = ()
    """Those that were read, in the order in which they were first marked.

    Neither files brought them, nor were they drawn at random for an audit.
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
        ids: dict[Label, list[str]] = {label: [] for label in LABELS}
        for identifier, label in labels.items():
            ids[label].append(identifier)
        relevant, irrelevant, maybe = (tuple(ids[label]) for label in LABELS)
        return cls(relevant, irrelevant, maybe, ranks or {}, tuple(read))

    def __len__(self) -> int:
        """Return how many documents are marked."""
        return len(self.relevant) + len(self.irrelevant) + len(self.maybe)

    def label(self, identifier: str) -> Label | None:
        """Return the label of a document; None if it has none."""
        for label in LABELS:
            if identifier in getattr(self, label):
                return label
        return None


def is_new_mark(label: Label | None, reason: str | None, *, before: Mark | None) -> bool:
    """Return whether a label, or the reason for it, is another than before."""
    if label != (before.label if before else None):
        return True
    return bool(before and label == "irrelevant" and reason not in (None, before.reason))


def find_reading_order(history: Iterable[Mark]) -> list[str]:
    """Return documents in the order in which they were read, as far as that is known.

    What was marked at once was read by rank. What a file brought was read so only if it is what
    stood first: then there is little else down to its lowest rank that was not marked.
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
        """Return whether a reviewer may see what others marked."""
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
    check_type(name, str, name="reviewer", wanted="a name")
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
