"""Results of replays, each a file of its own.

screen/screen.json                            what this folder is
screen/results/REVIEW/draw-1/METHOD.json      a result

A file appears whole or not at all, so a run that was broken off leaves what it had done.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec
import numpy as np

from likewise.bench.screening.measures import Order
from likewise.bench.screening.replaying import Evidence  # noqa: TC001  # decoded by its type
from likewise.bench.screening.starts import SEEDS
from likewise.documents.files import written_aside
from likewise.errors import RunError, SettingsError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from likewise.bench.screening.starts import Start

KIND = "likewise screening"
VERSION = 2
"""Rises when older versions could not make sense of what is written."""
T = TypeVar("T")


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


class Job(NamedTuple):
    """A replay that is to be made."""

    start: Start
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
            _read(marker, _Head)
            return
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise RunError(f"{path}: no folder of replays, and not empty; name a new folder")
        path.mkdir(parents=True, exist_ok=True)
        with written_aside(marker) as stream:
            stream.write(msgspec.json.encode(_Head(KIND, VERSION)) + b"\n")

    def write(self, job: Job, result: ScreenResult) -> None:
        """Keep a result."""
        path = self._place(job)
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_aside(path) as stream:
            stream.write(msgspec.json.encode(result) + b"\n")

    def result(self, job: Job) -> ScreenResult | None:
        """Return the result of a replay, if it was made."""
        path = self._place(job)
        if not path.is_file():
            return None
        result = _read(path, ScreenResult)
        if result.fingerprint != job.fingerprint:
            raise RunError(
                f"{path}: this is the result of another review of the same name; "
                "name another folder for these results"
            )
        return result

    def _place(self, job: Job) -> Path:
        chosen = sorted(asdict(job.settings).items())
        told = msgspec.json.encode([job.method, chosen, job.start.seeds])
        mark = hashlib.blake2b(told, digest_size=4).hexdigest()
        folder = self.path / "results" / _slug(job.start.review) / f"draw-{job.start.draw}"
        return folder / f"{_slug(job.method)}.{mark}.json"


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")[:60]


class _Head(msgspec.Struct):
    kind: str = KIND
    version: int = VERSION


def _read(path: Path, kind: type[T]) -> T:
    """Return what a file holds, if it is of this version."""
    try:
        content = path.read_bytes()
        head, found = (
            msgspec.json.decode(content, type=_Head),
            msgspec.json.decode(content, type=kind),
        )
    except (OSError, msgspec.MsgspecError) as error:
        raise RunError(
            f"{path}: damaged or half written; delete it and run again: only it is made anew"
        ) from error
    # Of a result, the kind is that of its review.
    named = head.kind if kind is _Head else KIND
    if (named, head.version) != (KIND, VERSION):
        raise RunError(
            f"{path}: a {named!r} of version {head.version}, and this likewise reads "
            f"{KIND!r} of version {VERSION}; run again into a new folder"
        )
    return found
