"""Marks: what a person says of documents, and where each of them stood when it was said."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

Label = Literal["relevant", "irrelevant", "maybe"]
LABELS: tuple[Label, ...] = get_args(Label)
Strategy = Literal["likely", "uncertain", "calibrate", "audit"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)
"""By what a document was chosen to be looked at; the first is the default."""


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


@dataclass(frozen=True)
class Marks:
    """What is said of documents by now: each has one label."""

    relevant: tuple[str, ...] = ()
    irrelevant: tuple[str, ...] = ()
    maybe: tuple[str, ...] = ()
    ranks: dict[str, int] = field(default_factory=dict)
    """Where in the ranking documents stood when they were marked, as far as they did."""

    @classmethod
    def of(cls, labels: Mapping[str, Label], *, ranks: dict[str, int] | None = None) -> Marks:
        """Return the documents of each label, in the order given."""
        ids: dict[Label, list[str]] = {label: [] for label in LABELS}
        for identifier, label in labels.items():
            ids[label].append(identifier)
        relevant, irrelevant, maybe = (tuple(ids[label]) for label in LABELS)
        return cls(relevant, irrelevant, maybe, ranks or {})

    def __len__(self) -> int:
        """Return how many documents are marked."""
        return len(self.relevant) + len(self.irrelevant) + len(self.maybe)

    def label(self, identifier: str) -> Label | None:
        """Return the label of a document; None if it has none."""
        for label in LABELS:
            if identifier in getattr(self, label):
                return label
        return None
