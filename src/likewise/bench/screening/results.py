"""Results of replays, each a file of its own.

screen/screen.json                            what this folder is
screen/results/REVIEW/draw-1/METHOD.json      a result

A file appears whole or not at all, so a run that was broken off leaves what it had done.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from likewise.bench.screening.replaying import Evidence  # decoded by its type
from likewise.bench.screening.reviews import SEEDS, ReplayStart, Review
from likewise.documents.files import replace_file
from likewise.documents.sources import Source
from likewise.errors import RunError, SettingsError

KIND = "likewise screening"
VERSION = 2
"""Rises when older versions could not make sense of what is written."""
T = TypeVar("T")


SHARES = (0.1, 0.2)
"""Of the records, after which recall is told."""
RECALL = 0.95
"""What work is saved at."""
# Products of shares are off in their last digits.
_TINY = 1e-9


@dataclass(frozen=True, kw_only=True)
class ScreenSettings:
    """How reviews are replayed."""

    seeds: int = SEEDS
    """How many records on topic are known at first; nothing else is."""
    rounds: int = 100
    """In how many rounds everything would be read; or else ..."""
    batch: int | None = None
    """... how many are looked at in a round."""
    until: float | None = None
    """What share of what is on topic is found when reading ends; by default, all is read."""
    number: int = 0
    """The number that all randomness comes from."""

    def __post_init__(self) -> None:
        if self.until is not None and not 0 < self.until <= 1:
            raise SettingsError(f"until is {self.until}; it is above 0 and at most 1")
        if self.seeds < 2 or self.rounds < 1 or (self.batch is not None and self.batch < 1):
            raise SettingsError("seeds are at least 2, rounds and a batch at least 1")
        if self.number < 0:
            raise SettingsError("the number of randomness is 0 or more")


class ReplayJob(NamedTuple):
    """A replay that is to be made."""

    start: ReplayStart
    fingerprint: str
    """Of the review."""
    method: str
    settings: ScreenSettings


class ScreenResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a replay came to."""

    version: int = VERSION
    review: str
    draw: int
    fingerprint: str
    """Of the review: results are compared only where it is the same."""
    method: str
    """As it is spelled, or the name of another tool."""
    kind: str = ""
    """Of review: the name of the file that it is from."""
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
        """Of each record, in order, whether it is on topic; what was not looked at comes last."""
        labels = np.zeros(self.records, dtype=bool)
        labels[np.array(self.found_at, dtype=np.int64) - 1] = True
        return labels

    @property
    def order(self) -> Order:
        """The order of looking, as it is measured."""
        return Order(self.records, self.on_topic, self.found_at, self.looked_at)


class ScreenFolder:
    """A folder of results."""

    def __init__(self, path: Path) -> None:
        """Open a folder of results, or make it where there is none."""
        self.path = path
        marker = path / "screen.json"
        if marker.is_file():
            _read_file(marker, _ReplayHead)
            return
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise RunError(f"{path}: no folder of replays, and not empty; name a new folder")
        path.mkdir(parents=True, exist_ok=True)
        with replace_file(marker) as stream:
            stream.write(msgspec.json.encode(_ReplayHead(KIND, VERSION)) + b"\n")

    def write(self, job: ReplayJob, result: ScreenResult) -> None:
        """Keep a result."""
        path = self._place(job)
        path.parent.mkdir(parents=True, exist_ok=True)
        with replace_file(path) as stream:
            stream.write(msgspec.json.encode(result) + b"\n")

    def result(self, job: ReplayJob) -> ScreenResult | None:
        """Return the result of a replay, if it was made."""
        path = self._place(job)
        if not path.is_file():
            return None
        result = _read_file(path, ScreenResult)
        if result.fingerprint != job.fingerprint:
            raise RunError(
                f"{path}: this is the result of another review of the same name; "
                "name another folder for these results"
            )
        return result

    def _place(self, job: ReplayJob) -> Path:
        chosen = sorted(asdict(job.settings).items())
        told = msgspec.json.encode([job.method, chosen, job.start.seeds])
        mark = hashlib.blake2b(told, digest_size=4).hexdigest()
        folder = self.path / "results" / _make_slug(job.start.review) / f"draw-{job.start.draw}"
        return folder / f"{_make_slug(job.method)}.{mark}.json"


def _make_slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")[:60]


class _ReplayHead(msgspec.Struct):
    kind: str = KIND
    version: int = VERSION


def _read_file(path: Path, kind: type[T]) -> T:
    """Return what a file holds, if it is of this version."""
    try:
        content = path.read_bytes()
        head, found = (
            msgspec.json.decode(content, type=_ReplayHead),
            msgspec.json.decode(content, type=kind),
        )
    except (OSError, msgspec.MsgspecError) as error:
        raise RunError(
            f"{path}: damaged or half written; delete it and run again: only it is made anew"
        ) from error
    # Of a result, the kind is that of its review.
    named = head.kind if kind is _ReplayHead else KIND
    if (named, head.version) != (KIND, VERSION):
        raise RunError(
            f"{path}: a {named!r} of version {head.version}, and this likewise reads "
            f"{KIND!r} of version {VERSION}; run again into a new folder"
        )
    return found


@dataclass(frozen=True)
class Order:
    """An order of looking at the records of a review, as far as it counts."""

    records: int
    """How many are left after the seeds."""
    on_topic: int
    """How many of these are on topic."""
    found_at: tuple[int, ...]
    """The places, from 1 and rising, at which records on topic were found."""
    looked_at: int
    """How many were looked at in all."""

    def recall(self, looked_at: int) -> float | None:
        """Return the share of what is on topic that is found after looking at so many.

        >>> Order(10, 4, (1, 3, 4, 9), 9).recall(5)
        0.75
        """
        if looked_at > self.looked_at and len(self.found_at) < self.on_topic:
            return None
        return sum(place <= looked_at for place in self.found_at) / self.on_topic

    def recall_after(self, share: float) -> float | None:
        """Return recall after looking at floor(share N) records."""
        return self.recall(math.floor(share * self.records + _TINY))

    def needed(self, recall: float) -> int | None:
        """Return how many had to be looked at for a recall: t(ceil(recall R)).

        >>> Order(10, 4, (1, 3, 4, 9), 9).needed(0.7)
        4
        """
        count = max(1, math.ceil(recall * self.on_topic - _TINY))
        return self.found_at[count - 1] if count <= len(self.found_at) else None

    def work_saved(self, recall: float = RECALL) -> float | None:
        """Return work saved over sampling at a recall (WSS; Cohen et al., 2006).

            (N - t(ceil(recall R))) / N - (1 - recall)

        Reading in random order would save 1 - recall: that is taken off.
        """
        needed = self.needed(recall)
        return None if needed is None else (1 - needed / self.records) - (1 - recall)

    def time_to_discovery(self) -> float | None:
        """Return the average time to discovery (ATD; Ferdinands et al., 2020): mean of t(i) / N.

        >>> Order(10, 4, (1, 3, 4, 8), 8).time_to_discovery()
        0.4
        """
        if len(self.found_at) < self.on_topic:
            return None
        return sum(self.found_at) / self.on_topic / self.records


def measure_order(order: Order) -> dict[str, float | None]:
    """Return every measure of an order by its name."""
    needed = order.needed(RECALL)
    return {
        f"WSS@{RECALL:.0%}": order.work_saved(),
        **{f"recall after {share:.0%}": order.recall_after(share) for share in SHARES},
        "ATD": order.time_to_discovery(),
        f"read for {RECALL:.0%}": None if needed is None else needed / order.records,
    }


MEASURES = tuple(measure_order(Order(1, 1, (1,), 1)))
LOWER_IS_BETTER = frozenset(MEASURES[3:])


class OtherOrder(msgspec.Struct, frozen=True):
    """The order of another tool."""

    review: str
    draw: int
    ids: tuple[str, ...]


def read_orders(
    path: Path,
    *,
    tool: str,
    reviews: Mapping[str, Review],
    starts: Mapping[tuple[str, int], ReplayStart],
) -> list[ScreenResult]:
    """Return the results of a tool on the reviews and starts that are asked for.

    Args:
        path: The file.
        tool: The name that it has in tables.
        reviews: By name.
        starts: By review and draw; orders of others are left out.
    """
    source = Source(path)
    decoder = msgspec.json.Decoder(OtherOrder)
    found = []
    for line in source.lines():
        if not line.text.strip():
            continue
        try:
            order = decoder.decode(line.text)
        except msgspec.MsgspecError as error:
            advice = 'write {"review": "X", "draw": 1, "ids": ["7", "12"]}'
            raise source.fail(f"no order ({error})", line=line.number, advice=advice) from error
        if start := starts.get((order.review, order.draw)):
            _check_order(order, reviews[order.review], start, source=source, line=line.number)
            found.append(_make_result(order, reviews[order.review], start, tool=tool))
    return found


def _check_order(
    order: OtherOrder, review: Review, start: ReplayStart, *, source: Source, line: int
) -> None:
    """Raise if an order is not one of the records that are left after the seeds."""
    known = {document.id for document in review.documents}
    where = f"{order.review}, draw {order.draw}"
    if strange := [one for one in order.ids if one not in known]:
        raise source.fail(
            f"{where}: {strange[0]!r} is no record of it", line=line, advice="order its records"
        )
    if given := [one for one in order.ids if one in start.seeds]:
        raise source.fail(
            f"{where}: {given[0]!r} is one of its seeds", line=line, advice="leave seeds out"
        )
    if len(set(order.ids)) < len(order.ids):
        raise source.fail(f"{where}: a record is in it twice", line=line, advice="name each once")


def _make_result(
    order: OtherOrder, review: Review, start: ReplayStart, *, tool: str
) -> ScreenResult:
    places = (place for place, one in enumerate(order.ids, 1) if one in review.on_topic)
    return ScreenResult(
        review=review.name,
        draw=order.draw,
        fingerprint=review.fingerprint,
        method=tool,
        kind=review.kind,
        seeds=len(start.seeds),
        records=len(review.documents) - len(start.seeds),
        on_topic=len(review.on_topic) - len(start.seeds),
        looked_at=len(order.ids),
        found_at=tuple(places),
    )
