"""Several reviewers: what each may see of a session, how far they agree, and what is to be settled.

A reviewer can't see another's mark on a document before they have marked it too, or two others have
(`DocumentMarks.is_open_to`). Counts and files could give away what lists hide: whoever sees one
more exclusion after each record that a colleague passes knows its label. So whatever a reviewer
sees of a session is read from a `SeenSession`, which holds only what they may see.

Agreement compares what two reviewers said independently: the labels that they had on a document
when both had marked it for the first time. Changing a mark later, when each can see the other's,
makes no difference, nor does taking it back and giving it again: nobody raises agreement by looking
first. While a mark is taken back, its document does not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from msgspec.structs import replace

from likewise.expansion.cuts import find_cut
from likewise.expansion.marks import LABELS, DocumentMarks, Label, Mark, Marks, gather_marks
from likewise.expansion.records import Place
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.sessions.reasons import is_same_name, make_key
from likewise.expansion.sessions.records import DocumentNote, TagChange
from likewise.expansion.sessions.review_notes import RemarkSet, ReviewNotes
from likewise.expansion.sessions.session import Session
from likewise.expansion.sessions.session_file import SessionFile


class SeenSession(Session):
    """The part of a session that a reviewer may see; the session itself still owns the file.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from likewise.documents import Document
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "cats.likewise")
    >>> seeds = [Document(id="1", title="On cats")]
    >>> with Session.make(path, library="lib", fingerprint="", seeds=seeds) as session:
    ...     _ = session.mark({"7": "relevant", "8": "irrelevant"}, reviewer="Ann")
    ...     _ = session.mark({"8": "relevant"}, reviewer="Bo")
    ...     SeenSession(session, "Bo").marks().maybe, SeenSession(session, "Bo").count_unseen()
    (('8',), 1)
    >>> folder.cleanup()
    """

    def __init__(self, session: Session, reviewer: str) -> None:
        """Look at a session as one of its reviewers.

        Args:
            session: The session, open.
            reviewer: Who looks.
        """
        super().__init__(session._store)  # noqa: SLF001  # it is a session itself
        # Expansions that were unpacked once need not be unpacked again for each reviewer.
        self._shelf = session._shelf  # noqa: SLF001  # as above
        self.reviewer = reviewer
        self.review = _SeenNotes(self)

    def history(self) -> list[Mark]:
        """Return all marks that were ever given to documents whose marks may be seen."""
        history = super().history()
        seen = self._find_seen(history)
        return [mark for mark in history if mark.document in seen]

    def expansion(
        self, number: int | None = None, *, as_learned: bool = False
    ) -> SavedExpansion | None:
        """Return an expansion in which documents with hidden marks look unmarked."""
        saved = super().expansion(number, as_learned=as_learned)
        return hide_marks(saved, self._find_seen(super().history())) if saved else None

    def count_unseen(self) -> int:
        """Return how many documents only others have marked."""
        history = super().history()
        return len(gather_marks(history)) - len(self._find_seen(history))

    def _find_seen(self, history: Collection[Mark]) -> set[str]:
        opinions = gather_marks(history)
        return {name for name, given in opinions.items() if given.is_open_to(self.reviewer)}


class _SeenNotes(ReviewNotes):
    """The tags and notes of a session that a reviewer may see."""

    def __init__(self, seen: SeenSession) -> None:
        super().__init__(seen._store)  # noqa: SLF001  # as a session's own
        self._seen = seen

    def remarks(self) -> RemarkSet:
        """Return the tags and notes that may be seen."""
        return self.remarks_for(self._seen.reviewer, self._seen.opinions())

    def tag_history(self) -> list[TagChange]:
        """Return the tags ever given or taken off that may be seen, oldest first."""
        return [one for one in super().tag_history() if self._is_visible(one)]

    def note_history(self) -> list[DocumentNote]:
        """Return the notes ever written that may be seen, oldest first."""
        return [one for one in super().note_history() if self._is_visible(one)]

    def _is_visible(self, one: TagChange | DocumentNote) -> bool:
        is_own = is_same_name(one.reviewer, self._seen.reviewer)
        return is_own or one.document in self._seen.opinions()


def hide_marks(saved: SavedExpansion, seen: Collection[str]) -> SavedExpansion:
    """Return an expansion without the marks on documents that may not be seen.

    A marked document lies on the side that its mark says, wherever the line is. With its mark
    hidden, it lies on the side that its rank says, like any unmarked one.
    """
    hidden = {place.id for place in saved.ranking if place.mark and place.id not in seen}
    marks = _keep(saved.marks, seen)
    if not hidden and marks == saved.marks:
        return saved
    cut = find_cut(saved)

    def show(place: Place) -> Place:
        if place.id not in hidden:
            return place
        return replace(place, mark=None, decision=place.rank <= cut)

    return replace(saved, ranking=tuple(map(show, saved.ranking)), marks=marks)


def _keep(marks: Marks, seen: Collection[str]) -> Marks:
    relevant, irrelevant, maybe, read = (
        tuple(name for name in names if name in seen)
        for names in (marks.relevant, marks.irrelevant, marks.maybe, marks.read)
    )
    ranks = {name: rank for name, rank in marks.ranks.items() if name in seen}
    return Marks(relevant, irrelevant, maybe, ranks, read)


@dataclass(frozen=True)
class ReviewerWork:
    """What a reviewer has done."""

    reviewer: str
    """The name as it was first written; "" if none was given."""
    relevant: int
    """How many documents they have marked relevant; the same goes for the other labels."""
    irrelevant: int
    maybe: int
    settled: int
    """How many conflicts they settled."""
    first: str
    """When they first marked something."""
    last: str


@dataclass(frozen=True)
class PairAgreement:
    """How far two reviewers agree."""

    first: str
    second: str
    both: int
    """How many documents both have marked."""
    agreed: int
    """How many of these they gave the same label, independently."""
    counts: dict[str, dict[str, int]]
    """How many documents have each pair of labels: the first reviewer's, then the second's."""
    kappa: float | None
    """Cohen's kappa; None if both only ever gave one label, or have no document in common."""

    @property
    def share(self) -> float | None:
        """The share of these documents that got the same label; None if there are none."""
        return self.agreed / self.both if self.both else None


class Conflict(NamedTuple):
    """A document that reviewers disagree on."""

    document: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Agreement:
    """What reviewers have done, and how far they agree."""

    reviewers: tuple[ReviewerWork, ...]
    """In the order in which they began."""
    pairs: tuple[PairAgreement, ...]
    conflicts: tuple[Conflict, ...]
    """The conflicts that are left to settle."""
    settled: int
    """How many conflicts were settled."""


def read_agreement(session: SessionFile) -> Agreement:
    """Return how far the reviewers of a session agree."""
    history = session.history()
    opinions = gather_marks(history)
    names: dict[str, str] = {}
    for mark in history:
        names.setdefault(make_key(mark.reviewer), mark.reviewer)
    screening = [mark for mark in history if not mark.is_settling]
    voices = list(dict.fromkeys(make_key(mark.reviewer) for mark in screening))
    return Agreement(
        tuple(_describe_work(names[key], history, opinions) for key in names),
        tuple(
            _compare(screening, one, other, names=names) for one, other in combinations(voices, 2)
        ),
        list_conflicts(opinions),
        sum(given.settling is not None for given in opinions.values()),
    )


def list_conflicts(opinions: Mapping[str, DocumentMarks]) -> tuple[Conflict, ...]:
    """Return the conflicts that nobody has settled, in the order in which they came up."""
    return tuple(
        Conflict(name, given.marks) for name, given in opinions.items() if given.is_conflict
    )


def _describe_work(
    reviewer: str, history: Iterable[Mark], opinions: Mapping[str, DocumentMarks]
) -> ReviewerWork:
    key = make_key(reviewer)
    times = [mark.time for mark in history if make_key(mark.reviewer) == key]
    own = Counter(mark.label for given in opinions.values() if (mark := given.find_own(reviewer)))
    settled = [given.settling for given in opinions.values() if given.settling]
    relevant, irrelevant, maybe = (own[label] for label in LABELS)
    return ReviewerWork(
        reviewer,
        relevant,
        irrelevant,
        maybe,
        sum(make_key(mark.reviewer) == key for mark in settled),
        min(times),
        max(times),
    )


def _compare(
    screening: Iterable[Mark], one: str, other: str, *, names: Mapping[str, str]
) -> PairAgreement:
    """Compare the labels of two reviewers on each document when both had first marked it."""
    now: dict[str, dict[str, Label]] = {}
    said: dict[str, tuple[Label, Label]] = {}
    for mark in screening:
        key = make_key(mark.reviewer)
        if key not in (one, other):
            continue
        labels = now.setdefault(mark.document, {})
        if mark.label is None:
            labels.pop(key, None)
            continue
        labels[key] = mark.label
        if len(labels) == 2:
            said.setdefault(mark.document, (labels[one], labels[other]))
    said = {document: both for document, both in said.items() if len(now[document]) == 2}
    counts = Counter(said.values())
    table: dict[str, dict[str, int]] = {
        one_label: {other_label: counts[one_label, other_label] for other_label in LABELS}
        for one_label in LABELS
    }
    agreed = sum(counts[label, label] for label in LABELS)
    return PairAgreement(names[one], names[other], len(said), agreed, table, find_kappa(table))


def find_kappa(counts: Mapping[str, Mapping[str, int]]) -> float | None:
    """Return Cohen's kappa of a table of counts; None if it is not defined.

    With p the share of documents with equal labels, and e the share expected by chance if each
    reviewer used every label as often as they do, kappa = (p - e) / (1 - e).

    >>> find_kappa({"a": {"a": 20, "b": 5}, "b": {"a": 10, "b": 15}})
    0.4
    >>> find_kappa({"a": {"a": 7, "b": 0}, "b": {"a": 0, "b": 0}}) is None
    True
    """
    total = sum(sum(row.values()) for row in counts.values())
    by_first = {label: sum(row.values()) for label, row in counts.items()}
    by_second = {label: sum(row[label] for row in counts.values()) for label in counts}
    agreed = sum(counts[label][label] for label in counts) * total
    chance = sum(by_first[label] * by_second[label] for label in counts)
    # Whole numbers, since rounding could turn an undefined kappa into a number.
    if total * total == chance:
        return None
    return (agreed - chance) / (total * total - chance)
