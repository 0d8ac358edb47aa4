"""What a session holds beside its marks, as values."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from likewise.documents import Document
    from likewise.expansion.marks import Label
    from likewise.expansion.settings import ExpandSettings
    from likewise.learn.stopping.target import Basis


class Start(NamedTuple):
    """What a session began with."""

    likewise: str
    """The version that made it."""
    time: str
    """When, in UTC, as 2026-01-31T09:30:00.123Z."""
    library: str
    """Where the library lay."""
    fingerprint: str
    """What `library_fingerprint` said of it."""
    settings: ExpandSettings
    seeds: tuple[Document, ...]
    """As they were given."""


class Change(NamedTuple):
    """A mark that says something else than the one before."""

    document: str
    before: Label
    now: Label | None
    """None if the mark was taken back."""


class Marked(NamedTuple):
    """What became of marks that were given at once."""

    new: int
    """Documents that had no label."""
    same: int
    """Documents that had this label; nothing was added for them."""
    changed: tuple[Change, ...]


class ExpansionHead(NamedTuple):
    """What is known of an expansion without unpacking it."""

    number: int
    time: str
    mark: int
    """The number of the last mark that it knew; 0 if none."""
    pool: int
    """How many documents there were to decide about."""
    decided: int
    """How many of them lie above the line, where it is by now."""


class Version(NamedTuple):
    """The number of the latest of each thing that is added to a session; 0 where there is none."""

    expansion: int
    mark: int
    threshold: int
    name: int
    audit: int
    target: int


class Name(NamedTuple):
    """A name that a session was given."""

    number: int
    time: str
    name: str


class Threshold(NamedTuple):
    """A line that was moved."""

    number: int
    time: str
    expansion: int
    """The number of the expansion through whose ranking it goes."""
    decided: int | None
    """The rank below which it lies; None for back to where it was learned."""
    above: int | None
    """How many documents lie above it; None as before."""


class ChosenTarget(NamedTuple):
    """A target that was chosen."""

    number: int
    time: str
    recall: float
    confidence: float
    proof: Basis
    """What it is to be shown by."""


class Audit(NamedTuple):
    """A random sample that was drawn to be looked at."""

    number: int
    time: str
    expansion: int
    """The number of the expansion whose pool it was drawn from; 0 if there was none."""
    drawn: tuple[str, ...]
    """The ids drawn, in the order in which they were."""
    population: tuple[str, ...]
    """The ids that it was drawn from, the drawn ones among them."""
