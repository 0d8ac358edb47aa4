"""Results of replays, and measures of the order in which a replay looked at records.

N records are left after the seeds, R of them on topic; the i-th on topic is found at the place
t(i), counted from 1. Every tool is measured on the same N records; seeds count for none. Records
off topic that a tool was given to begin with cost it nothing, but stay among the N. If an order
ends too early for a measure, it has none.

Other tools may look at the records of the same reviews, from the same starts. A file of their
orders has a line for each, {"review": "X", "draw": 1, "ids": ["7", "12", ...]}, without the seeds
and whatever else the tool was given to begin with.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from likewise.bench.runs.results import ResultFolder
from likewise.bench.screening.replaying import Evidence, count_enough
from likewise.bench.screening.reviews import SEEDS, ReplayStart, Review
from likewise.documents.sources import Source
from likewise.errors import SettingsError

VERSION = 2
"""Rises when older versions could not make sense of what is written."""
SHARES = (0.1, 0.2)
"""Shares of the records after which recall is measured."""
RECALL = 0.95
"""The recall at which saved work is measured."""
# Products of shares may be off in their last digits.
_TINY = 1e-9


@dataclass(frozen=True, kw_only=True)
class ScreenSettings:
    """How reviews are replayed."""

    seeds: int = SEEDS
    """How many records on topic are known at the start; nothing else is known."""
    rounds: int = 100
    """How many rounds it would take to read everything, unless `batch` is given."""
    batch: int | None = None
    """How many records are looked at in a round."""
    until: float | None = None
    """The recall at which reading ends; by default, everything is read."""
    number: int = 0
    """The number that all randomness comes from."""

    def __post_init__(self) -> None:
        if self.until is not None and not 0 < self.until <= 1:
            raise SettingsError(f"until is {self.until}; it must be above 0 and at most 1")
        if self.seeds < 2 or self.rounds < 1 or (self.batch is not None and self.batch < 1):
            raise SettingsError("seeds must be at least 2, rounds and a batch at least 1")
        if self.number < 0:
            raise SettingsError("the random seed must be 0 or more")


class ReplayJob(NamedTuple):
    """A replay to make."""

    review: Review
    start: ReplayStart
    method: str
    settings: ScreenSettings


class ScreenResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a replay."""

    version: int = VERSION
    review: str
    draw: int
    fingerprint: str
    """The review's fingerprint: results are compared only if it is the same."""
    method: str
    """The spelling of the method, or the name of another tool."""
    kind: str = ""
    """The kind of review: the name of the file that it is from."""
    settings: dict[str, int | float | None] = {}
    seeds: int
    records: int
    """How many are left after the seeds."""
    on_topic: int
    """How many of these are on topic."""
    looked_at: int
    """How many of these were looked at."""
    found_at: tuple[int, ...]
    """The places, from 1, at which records on topic were found."""
    rounds: tuple[Evidence, ...] = ()
    seconds: float = 0.0
    versions: dict[str, str] = {}

    @property
    def labels(self) -> NDArray[np.bool_]:
        """Whether each record is on topic, in order; what was not looked at comes last."""
        labels = np.zeros(self.records, dtype=bool)
        labels[np.array(self.found_at, dtype=np.int64) - 1] = True
        return labels

    @property
    def order(self) -> Order:
        """The order in which records were looked at, which can be measured."""
        return Order(self.records, self.on_topic, self.found_at, self.looked_at)


def make_screen_result(
    review: Review, start: ReplayStart, looked: Sequence[bool], *, method: str, **replayed: Any
) -> ScreenResult:
    """Return the result of a tool that looked at records of a review.

    Args:
        review: The review.
        start: What was known before.
        looked: Whether each record that was looked at is on topic, in order.
        method: The spelling of the method, or the name of another tool.
        replayed: The other fields of `ScreenResult`, which only our own replays have.
    """
    return ScreenResult(
        review=review.name,
        draw=start.draw,
        fingerprint=review.fingerprint,
        method=method,
        kind=review.kind,
        seeds=len(start.seeds),
        records=len(review.documents) - len(start.seeds),
        on_topic=len(review.on_topic) - len(start.seeds),
        looked_at=len(looked),
        found_at=tuple(place for place, is_on_topic in enumerate(looked, 1) if is_on_topic),
        **replayed,
    )


class ScreenFolder(ResultFolder[ScreenResult]):
    """A folder of replays, as in results/REVIEW/draw-1/linear.json, made if it is not there."""

    marker = "screen.json"
    kind = "likewise screening"
    version = VERSION
    record = ScreenResult
    contents = "replays"
    subject = "review"

    def __init__(self, path: Path) -> None:
        super().__init__(path, create=True)

    def write(self, job: ReplayJob, result: ScreenResult) -> None:
        """Keep the result of a replay."""
        self.keep(result, self._place(job))

    def find_result(self, job: ReplayJob) -> ScreenResult | None:
        """Return the result of a replay, if it was made."""
        return self.find(self._place(job), fingerprint=job.review.fingerprint)

    def encode(self, result: ScreenResult) -> bytes:
        """Return a result as it is written: in one line, since it has many rounds."""
        return msgspec.json.encode(result) + b"\n"

    def _place(self, job: ReplayJob) -> Path:
        key = [job.method, sorted(asdict(job.settings).items()), job.start.seeds]
        folder = f"{_make_slug(job.start.review)}/draw-{job.start.draw}"
        return self.locate(folder, _make_slug(job.method), key)


def _make_slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")[:60]


@dataclass(frozen=True)
class Order:
    """The order in which the records of a review were looked at."""

    records: int
    """How many are left after the seeds."""
    on_topic: int
    """How many of these are on topic."""
    found_at: tuple[int, ...]
    """The places, from 1 and rising, at which records on topic were found."""
    looked_at: int
    """How many records were looked at."""

    def measure_recall(self, looked_at: int) -> float | None:
        """Return the recall after `looked_at` records; None if the order ends before, incomplete.

        >>> Order(10, 4, (1, 3, 4, 9), 9).measure_recall(5)
        0.75
        """
        if looked_at > self.looked_at and len(self.found_at) < self.on_topic:
            return None
        return sum(place <= looked_at for place in self.found_at) / self.on_topic

    def measure_recall_after(self, share: float) -> float | None:
        """Return recall after looking at floor(share N) records."""
        return self.measure_recall(math.floor(share * self.records + _TINY))

    def count_needed(self, recall: float) -> int | None:
        """Return how many records had to be looked at for a recall: t(ceil(recall R)).

        >>> Order(10, 4, (1, 3, 4, 9), 9).count_needed(0.7)
        4
        """
        count = max(1, count_enough(recall, on_topic=self.on_topic))
        return self.found_at[count - 1] if count <= len(self.found_at) else None

    def measure_work_saved(self, recall: float = RECALL) -> float | None:
        """Return work saved over sampling at a recall (WSS; Cohen et al., 2006).

            (N - t(ceil(recall R))) / N - (1 - recall)

        Reading in random order would save 1 - recall, which is subtracted.
        """
        needed = self.count_needed(recall)
        return None if needed is None else (1 - needed / self.records) - (1 - recall)

    def measure_time_to_discovery(self) -> float | None:
        """Return the average time to discovery (ATD; Ferdinands et al., 2020): mean of t(i) / N.

        >>> Order(10, 4, (1, 3, 4, 8), 8).measure_time_to_discovery()
        0.4
        """
        if len(self.found_at) < self.on_topic:
            return None
        return sum(self.found_at) / self.on_topic / self.records


def measure_order(order: Order) -> dict[str, float | None]:
    """Return all measures of an order, by name."""
    needed = order.count_needed(RECALL)
    return {
        f"WSS@{RECALL:.0%}": order.measure_work_saved(),
        **{f"recall after {share:.0%}": order.measure_recall_after(share) for share in SHARES},
        "ATD": order.measure_time_to_discovery(),
        f"read for {RECALL:.0%}": None if needed is None else needed / order.records,
    }


MEASURES = tuple(measure_order(Order(1, 1, (1,), 1)))
LOWER_IS_BETTER = frozenset(MEASURES[3:])


class OtherOrder(msgspec.Struct, frozen=True):
    """The order in which another tool looked at records."""

    review: str
    draw: int
    ids: tuple[str, ...]


def read_orders(
    path: Path, *, tool: str, reviews: Iterable[Review], starts: Iterable[ReplayStart]
) -> list[ScreenResult]:
    """Return the results of another tool on these reviews, from these starts.

    Args:
        path: The file of its orders.
        tool: The name that it has in tables.
        reviews: The reviews that were replayed.
        starts: What the replays started from; orders from other starts are left out.
    """
    by_name = {review.name: review for review in reviews}
    by_draw = {(start.review, start.draw): start for start in starts}
    source, found = Source(path), []
    for line in source.lines():
        if not line.text.strip():
            continue
        try:
            order = msgspec.json.decode(line.text, type=OtherOrder)
        except msgspec.MsgspecError as error:
            advice = 'write {"review": "X", "draw": 1, "ids": ["7", "12"]}'
            raise source.fail(f"not an order ({error})", line=line.number, advice=advice) from error
        if start := by_draw.get((order.review, order.draw)):
            review = by_name[order.review]
            _check_order(order, review, start, source=source, line=line.number)
            looked = [one in review.on_topic for one in order.ids]
            found.append(make_screen_result(review, start, looked, method=tool))
    return found


def _check_order(
    order: OtherOrder, review: Review, start: ReplayStart, *, source: Source, line: int
) -> None:
    """Raise if an order has a record twice, a seed, or an id that is not of a record."""
    known = {document.id for document in review.documents}
    if strange := [one for one in order.ids if one not in known]:
        problem, advice = f"{strange[0]!r} is not one of its records", "name only its records"
    elif given := [one for one in order.ids if one in start.seeds]:
        problem, advice = f"{given[0]!r} is one of its seeds", "leave seeds out"
    elif len(set(order.ids)) < len(order.ids):
        problem, advice = "a record is in it twice", "name each once"
    else:
        return
    raise source.fail(f"{order.review}, draw {order.draw}: {problem}", line=line, advice=advice)
