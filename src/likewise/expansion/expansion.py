"""The expansion: the decided, ranked result, what it is worth, and the stages it goes through."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from likewise.documents import Document
from likewise.expansion.marks import Label, Marks
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.seeds import Seeds
from likewise.expansion.settings import ExpandSettings

STAGES = (
    "seeds",
    "retrieval",
    "documents",
    "features",
    "encoding",
    "learning",
    "judgement",
    "report",
)
"""Every stage, in the order in which they first come."""


class Interval(NamedTuple):
    """An estimate, and between which values it lies with 80 % confidence."""

    value: float
    low: float
    high: float


class Ranked(NamedTuple):
    """A document's place in an expansion."""

    id: str
    rank: int
    """In the pool, from 1; a seed has the rank of a document that scores as it did, held out."""
    score: float
    probability: float
    """Of being on topic."""
    decision: bool
    """Whether it is decided to be on topic; seeds always are, and marks decide."""
    seed: bool
    mark: Label | None = None
    """What the user said of it."""


class Estimates(NamedTuple):
    """What is believed about the pool and the decided list, from seeds and pool alone."""

    relevant: Interval
    """How many documents of the pool are on topic, without the seeds, with what was found."""
    precision: float
    """Of the decided documents, the share that is on topic."""
    recall: float
    """Of the documents in the pool that are on topic, the share that is decided."""
    outside: Interval | None
    """The share of the topic that lies outside the pool; None if no seed is in the library."""


class SeedReading(NamedTuple):
    """One way to read the seeds, and what it comes to."""

    is_corner: bool
    """Whether they are taken for one corner of a wider topic, and not for a fair sample of it."""
    weight: float
    """How likely that is, from 0 to 1."""
    left: float
    """How many documents of the pool are on topic then, without those looked at."""


class Round(NamedTuple):
    """What one round of retrieval and learning brought."""

    added: int
    """Documents that joined the pool."""
    likely: int
    """Those of them that were decided to be on topic at the end of the round."""
    decided: int
    """Documents of the pool decided to be on topic at the end of the round."""


class Explanation(NamedTuple):
    """Why a document has its score."""

    up: tuple[tuple[str, float], ...]
    """Terms (as the library's analysis gives them) that moved it up, the strongest first."""
    down: tuple[tuple[str, float], ...]
    """Terms that moved it down, the strongest first."""
    nearest_seed: str
    """The id of the seed most like it."""


class Reasons(NamedTuple):
    """Why a document has its score, in words alone."""

    up: tuple[str, ...]
    """Terms (as the library's analysis gives them) that moved it up, the strongest first."""
    down: tuple[str, ...]
    """Terms that moved it down, the strongest first."""
    nearest_seed: str
    """The id of the seed most like it."""


@dataclass(frozen=True, kw_only=True)
class Expansion:
    """The decided, ranked result."""

    seeds: Seeds
    settings: ExpandSettings
    ranking: tuple[Ranked, ...]
    """Pool and seeds, best first."""
    threshold: float
    """The lowest score of what was decided to be on topic; infinite if nothing was."""
    estimates: Estimates
    rounds: tuple[Round, ...]
    warnings: tuple[str, ...]
    seconds: Mapping[str, float]
    """How long each stage took."""
    documents: Mapping[str, Document]
    """The documents of the ranking by id."""
    library: str
    """The library's fingerprint."""
    library_size: int
    """How many documents it holds."""
    explain: Callable[[str], Explanation]
    """Returns why the document of an id has its score."""
    marks: Marks = field(default_factory=Marks)
    """What it learned from beside the seeds."""
    readings: tuple[SeedReading, ...] = ()
    """The ways to read the seeds, the likelier first."""
    signs: Mapping[str, float] = field(default_factory=dict)
    """What seeds, pool and scores look like, by which they were judged."""

    @cached_property
    def saved(self) -> SavedExpansion:
        """What is kept of it, in a session or beside an output."""
        # Whoever reads saved expansions need not make any.
        from likewise.expansion.saved import make_saved

        return make_saved(self)

    @property
    def found(self) -> list[Ranked]:
        """The documents decided to be on topic, without the seeds, best first."""
        return [ranked for ranked in self.ranking if ranked.decision and not ranked.seed]

    @property
    def pool_size(self) -> int:
        """How many documents there were to decide about."""
        return sum(not ranked.seed for ranked in self.ranking)


class StageProgress(NamedTuple):
    """How far an expansion is."""

    stage: str
    share: float
    """How much of the stage is done, from 0 to 1."""
    note: str = ""
    """A few words on how it goes, as some methods have them while they learn."""


OnProgress = Callable[[StageProgress], None]


class Stages:
    """Measures stages, and tells whoever listens which one is running and how far it is."""

    def __init__(self, on_progress: OnProgress | None = None) -> None:
        self.seconds = dict.fromkeys(STAGES, 0.0)
        self._on_progress = on_progress
        self._running = ""

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Run a stage; stages that come again add up."""
        self._running = name
        self.step(0, 1)
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - started
        self.step(1, 1)

    def step(self, done: int, total: int, note: str = "", /) -> None:
        """Tell how far the running stage is."""
        if self._on_progress:
            share = done / total if total else 1.0
            self._on_progress(StageProgress(self._running, share, note))
