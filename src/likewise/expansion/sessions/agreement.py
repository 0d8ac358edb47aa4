"""Agreement: how far reviewers say the same, who marked what and when, and what is to settle.

What counts is what two reviewers said without knowing of one another: the labels that they had on a
document when both had marked it for the first time. A mark that is changed later, when both can see
both, changes nothing of it, and neither does one that is taken back and given again: nobody raises
agreement by looking first. As long as it is taken back, the document counts for nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

from likewise.expansion.marks import LABELS, Label, Mark
from likewise.expansion.sessions.reasons import make_key
from likewise.expansion.sessions.reviewers import DocumentMarks, gather_marks
from likewise.expansion.sessions.session import Session


class ReviewerWork(NamedTuple):
    """What a reviewer has done."""

    reviewer: str
    """The name as it was first written; "" if none was told."""
    relevant: int
    """How many documents they have marked so by now."""
    irrelevant: int
    maybe: int
    settled: int
    """How many conflicts they settled."""
    first: str
    """When they first marked something."""
    last: str


class PairAgreement(NamedTuple):
    """How far two reviewers agree."""

    first: str
    second: str
    both: int
    """How many documents both have marked."""
    agreed: int
    """On how many of them they said the same, each for themselves."""
    counts: dict[str, dict[str, int]]
    """How many documents the first marked so and the second so."""
    kappa: float | None
    """Cohen's; None if both always said one and the same, or have no document in common."""

    @property
    def share(self) -> float | None:
        """The share of documents on which they said the same; None if there is none."""
        return self.agreed / self.both if self.both else None


class Conflict(NamedTuple):
    """A document that reviewers disagree on."""

    document: str
    marks: tuple[Mark, ...]


class Agreement(NamedTuple):
    """What reviewers have done, and how far they agree."""

    reviewers: tuple[ReviewerWork, ...]
    """In the order in which they began."""
    pairs: tuple[PairAgreement, ...]
    conflicts: tuple[Conflict, ...]
    """What is to be settled."""
    settled: int
    """How many conflicts were."""


def read_agreement(session: Session) -> Agreement:
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
            _compare(screening, one, other)._replace(first=names[one], second=names[other])
            for one, other in combinations(voices, 2)
        ),
        list_conflicts(opinions),
        sum(given.settling is not None for given in opinions.values()),
    )


def list_conflicts(opinions: Mapping[str, DocumentMarks]) -> tuple[Conflict, ...]:
    """Return what reviewers disagree on and nobody has settled, in the order it came up."""
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


def _compare(screening: Iterable[Mark], one: str, other: str) -> PairAgreement:
    """Compare what two reviewers said of each document when both had marked it at first."""
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
    return PairAgreement(one, other, len(said), agreed, table, find_kappa(table))


def find_kappa(counts: Mapping[str, Mapping[str, int]]) -> float | None:
    """Return Cohen's kappa of a table of counts; None if it is not defined.

    With p the share on which both say the same, and e the share on which they would by chance, if
    each said every label as often as they do: kappa = (p - e) / (1 - e).

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
    # In whole numbers, lest rounding make something of nothing.
    if total * total == chance:
        return None
    return (agreed - chance) / (total * total - chance)
