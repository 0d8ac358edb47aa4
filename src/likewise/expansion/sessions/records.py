"""The records of a session: what it began with, and what was added to it since."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from likewise.documents import Document
from likewise.errors import SessionError
from likewise.expansion.marks import LABELS, STRATEGIES, Label, Strategy
from likewise.expansion.settings import ExpandSettings
from likewise.learn.estimates import Basis


class SessionStart(NamedTuple):
    """What a session began with."""

    likewise: str
    """The version that made it."""
    time: str
    """When, in UTC, such as 2026-01-31T09:30:00.123Z."""
    library: str
    """Where the library was."""
    fingerprint: str
    """The library's fingerprint, from `fingerprint_library`."""
    settings: ExpandSettings
    seeds: tuple[Document, ...]
    """As they were given."""


class Change(NamedTuple):
    """A mark that differs from the one before."""

    document: str
    before: Label
    now: Label | None
    """None if the mark was taken back."""


class MarkCounts(NamedTuple):
    """How many marks were new, repeated or changed."""

    new: int
    """Documents that had no label."""
    same: int
    """Documents that had this label; nothing was added for them."""
    changed: tuple[Change, ...]


class ExpansionHead(NamedTuple):
    """An expansion in a list: everything but its content."""

    number: int
    time: str
    mark: int
    """The number of the last mark that it learned from; 0 if none."""
    pool: int
    """How many documents there were to decide about."""
    decided: int
    """How many of them lie above the line, where it is now."""


class SessionVersion(NamedTuple):
    """The number of the latest record of each kind; it changes whenever something is added."""

    expansion: int
    mark: int
    threshold: int
    name: int
    audit: int
    target: int
    reasons: int
    tag: int
    note: int
    criteria: int
    look: int


class SessionName(NamedTuple):
    """A name that a session was given."""

    number: int
    time: str
    name: str


class Threshold(NamedTuple):
    """A move of the line."""

    number: int
    time: str
    expansion: int
    """The number of the expansion through whose ranking it goes."""
    decided: int | None
    """The rank below which it lies; None if it was moved back to where it was learned."""
    above: int | None
    """How many documents lie above it; None if it was moved back."""


class ChosenTarget(NamedTuple):
    """A target that was chosen."""

    number: int
    time: str
    recall: float
    confidence: float
    proof: Basis
    """What has to show that it is reached."""


class TagChange(NamedTuple):
    """A tag that was given to a document, or taken off it."""

    number: int
    time: str
    document: str
    tag: str
    is_given: int
    """1, or 0 if it was taken off."""
    reviewer: str


class DocumentNote(NamedTuple):
    """What a reviewer noted on a document."""

    number: int
    time: str
    document: str
    text: str
    """Empty if an earlier note was taken back."""
    reviewer: str


class ReviewCriteria(NamedTuple):
    """The inclusion criteria of a review, as they were written down at some time."""

    number: int
    time: str
    text: str


class Audit(NamedTuple):
    """A random sample that was drawn to be looked at."""

    number: int
    time: str
    expansion: int
    """The number of the expansion whose pool it was drawn from; 0 if there was none."""
    drawn: tuple[str, ...]
    """The ids drawn, in the order of drawing."""
    population: tuple[str, ...]
    """The ids that it was drawn from, the drawn ones among them."""


class NewFind(msgspec.Struct, frozen=True, omit_defaults=True):
    """A document that a look found likely to be on topic."""

    id: str
    rank: int
    """Its rank in the expansion that was made for the look; the probability is from there too."""
    probability: float | None = None
    is_revised: bool = False
    """Whether it was in the library before, and is likely only since its record was revised."""


class LookContent(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a look saw."""

    fingerprint: str = ""
    """The library's fingerprint, which shows whether a library that keeps no order has changed."""
    added: int = 0
    """How many documents came; -1 if the library keeps no order, and can't tell."""
    changed: int = 0
    """How many records were revised."""
    finds: tuple[NewFind, ...] = ()
    """Best first."""
    revised: tuple[str, ...] = ()
    """The ids of seeds, and of documents on the list, whose records were revised."""
    notices: dict[str, str] = {}
    """New warnings to readers, by the ids of seeds and finds."""
    asked_on: str = ""
    """The day on which a source was asked for new records, such as 2026-01-31."""
    is_start: bool = False
    """Whether it only notes the state of the library when the session was first expanded."""

    @property
    def has_news(self) -> bool:
        """Whether there is something to tell a person."""
        return not self.is_start and bool(self.finds or self.notices)


class SessionLook(NamedTuple):
    """A look for new documents; the first only notes the state of the library."""

    number: int
    time: str
    expansion: int
    """The number of the latest expansion at that time."""
    library: str
    """The library's identity; "" if it keeps no order."""
    position: int
    """The position in the library's order up to which the look went."""
    source: str = ""
    """The source that new records were brought from before the look; "" if from none."""
    content: LookContent = LookContent()


def check_words(labels: Iterable[Label | None], strategy: Strategy | None) -> None:
    """Raise SessionError for a label or a strategy that does not exist."""
    for label in set(labels):
        if label is not None and label not in LABELS:
            raise SessionError(f"there is no label {label!r}; use one of: {', '.join(LABELS)}")
    if strategy is not None and strategy not in STRATEGIES:
        raise SessionError(
            f"there is no strategy {strategy!r}; use one of: {', '.join(STRATEGIES)}"
        )


def read_clock() -> str:
    """Return the time in UTC, such as 2026-01-31T09:30:00.123Z."""
    time = dt.datetime.now(dt.UTC)
    return f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03}Z"
