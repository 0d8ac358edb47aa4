"""Marks: what a person says of documents, and where each of them stood when it was said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from math import inf
from typing import Literal, NamedTuple, get_args

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
