"""Results of methods on tasks, and folders that keep each result in a file."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar

import msgspec

from likewise.bench.methods import parse_bench_method
from likewise.bench.tasks import TaskMetadata
from likewise.documents import replace_file
from likewise.errors import RunError, SettingsError
from likewise.expansion.saved import find_package_versions
from likewise.features.encoders import Encoder, encoder_named
from likewise.learn.thresholds import parse_keep
from likewise.parameters import Value
from likewise.version import __version__

VERSION = 1
"""Rises when older versions could not make sense of what is written."""
DIGITS = 10
"""How many decimals of measures are kept, since their last bits differ between machines."""
_OF_TASK = ("fingerprint", "topic", "seeds", "draw", "pool", "pool_of", "scheme", "setting",
            "seeds_bias", "negatives", "negatives_bias")  # fmt: skip


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a method on a task, and how it was made."""

    version: int = VERSION
    task: str
    """The task's folder inside the folder of tasks."""
    fingerprint: str
    """The task's fingerprint: results are compared only if it is the same."""
    topic: str
    seeds: int
    draw: int
    pool: int = 0
    """The task's |U|; 0 if that is not known."""
    pool_of: str = "all"
    """What `pool` counts: the training part, or all parts, as in older tasks."""
    scheme: str
    setting: str
    seeds_bias: str = ""
    negatives: int = 0
    negatives_bias: str = ""
    method: str
    """The method's spelling."""
    settings: dict[str, str | int | float] = {}
    """What else the result depends on: the rule that decides, the encoder, the random number."""
    status: Literal["done", "failed"]
    error: str = ""
    measures: dict[str, float] = {}
    """Values by name; what could not be measured is missing."""
    warnings: tuple[str, ...] = ()
    facts: dict[str, str | int | float] = {}
    """What the method says about how it found its answer, such as the size of batches."""
    seconds: float = 0.0
    megabytes: float = 0.0
    """The most memory that the process held."""
    versions: dict[str, str] = {}


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """How methods are run."""

    keep: str = ""
    """The rule that decides, as for `likewise expand --keep`; "" for each method's default."""
    encoder: str = ""
    """A pretrained encoder whose vectors methods learn from too; "" for none."""
    number: int = 0
    """The number that all randomness comes from."""
    draws: int | None = None
    """How many draws of each topic are run, from the first on; None for all."""

    def __post_init__(self) -> None:
        if self.keep:
            parse_keep(self.keep)
        if self.number < 0 or (self.draws is not None and self.draws < 1):
            raise SettingsError("the random seed must be 0 or more, and draws at least 1")

    def choose_for(self, method: str) -> dict[str, str | int | float]:
        """Return the settings that the results of a method depend on."""
        keep = str(parse_bench_method(method).choose_keep(self.keep))
        return {"keep": keep, "encoder": self.encoder, "number": self.number}

    def load_encoder(self) -> Encoder | None:
        """Return the encoder, if one is used."""
        return encoder_named(self.encoder) if self.encoder else None


@dataclass(frozen=True)
class MethodOutcome:
    """What a method achieved on a task, and what that cost."""

    measures: dict[str, float]
    error: str
    seconds: float
    megabytes: float
    warnings: tuple[str, ...] = ()
    facts: Mapping[str, Value] = field(default_factory=dict)


def make_result(
    metadata: TaskMetadata, outcome: MethodOutcome, *, task: str, method: str, settings: RunSettings
) -> Result:
    """Return the result of a method on a task."""
    return Result(
        task=task,
        **{name: getattr(metadata, name) for name in _OF_TASK},
        method=method,
        settings=settings.choose_for(method),
        status="failed" if outcome.error else "done",
        error=outcome.error,
        measures={name: round(value, DIGITS) for name, value in outcome.measures.items()},
        warnings=outcome.warnings,
        facts=dict(outcome.facts),
        seconds=round(outcome.seconds, 3),
        megabytes=round(outcome.megabytes, 1),
        versions=find_versions(),
    )


@cache
def find_versions() -> dict[str, str]:
    """Return the versions that a result depends on: ours, and those of packages."""
    return {"likewise": __version__, **find_package_versions()}


class Fingerprinted(Protocol):
    """A result that says which task or review it is of."""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the task or review."""


R = TypeVar("R", bound=Fingerprinted)
T = TypeVar("T")


class ResultFolder(Generic[R]):
    """A folder of results, each a file of its own.

        FOLDER/MARKER                        what this folder is
        FOLDER/results/SUBJECT/METHOD.json   a result

    A file appears whole or not at all, so an interrupted run leaves what it had finished.
    """

    marker: ClassVar[str]
    kind: ClassVar[str]
    """What the marker calls the folder."""
    version: ClassVar[int]
    record: ClassVar[type[Any]]
    """The class of a result."""
    contents: ClassVar[str]
    """What messages call the results."""
    subject: ClassVar[str]
    """What messages call the things that results are of."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        """Open a folder of results; with `create`, make it if it is not there."""
        self.path = path
        if create:
            self._claim()

    def read_all(self) -> list[R]:
        """Return all results, in the order of their files."""
        return [self.read(path) for path in sorted(self.path.glob("results/**/*.json"))]

    def locate(self, folder: str, slug: str, key: object) -> Path:
        """Return the path for a result; different keys have different paths."""
        mark = hashlib.blake2b(msgspec.json.encode(key), digest_size=4).hexdigest()
        return self.path / "results" / folder / f"{slug}.{mark}.json"

    def find(self, path: Path, *, fingerprint: str) -> R | None:
        """Return the result at a path, or None; raise RunError if it is of something else."""
        if not path.is_file():
            return None
        result = self.read(path)
        if result.fingerprint != fingerprint:
            raise RunError(
                f"{path}: this is the result of another {self.subject} of the same name; "
                "name another folder for these results"
            )
        return result

    def read(self, path: Path) -> R:
        """Return the result in a file; `keep` is the inverse."""
        self._decode_head(path)
        found: R = _decode(path, self.record)
        return found

    def keep(self, result: R, path: Path) -> None:
        """Write a result to its file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with replace_file(path) as stream:
            stream.write(self.encode(result))

    def encode(self, result: R) -> bytes:
        """Return a result as it is written: with a line for each value."""
        return msgspec.json.format(msgspec.json.encode(result), indent=2)

    def _claim(self) -> None:
        marker = self.path / self.marker
        if marker.is_file():
            if self._decode_head(marker).kind not in ("", self.kind):
                raise RunError(f"{marker}: not a folder of {self.contents}; name a new folder")
            return
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise RunError(
                f"{self.path}: neither a folder of {self.contents} nor empty; name a new folder"
            )
        self.path.mkdir(parents=True, exist_ok=True)
        with replace_file(marker) as stream:
            head = {"kind": self.kind, "version": self.version}
            stream.write(msgspec.json.encode(head) + b"\n")

    def _decode_head(self, path: Path) -> _ResultHead:
        """Return the head of a file; raise RunError if it is of another version."""
        head = _decode(path, _ResultHead)
        if head.version != self.version:
            raise RunError(
                f"{path}: {self.contents} of version {head.version}, but this likewise reads "
                f"version {self.version}; "
                "use the likewise that made it, or run again into a new folder"
            )
        return head


class _ResultHead(msgspec.Struct):
    """What the marker of a folder and every result have in common."""

    version: int
    kind: str = ""
    """Of a marker, what the folder is; of the result of a replay, its kind of review."""


def _decode(path: Path, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError) as error:
        raise RunError(
            f"{path}: damaged or half written; delete it and run again: only this one is made again"
        ) from error


class RunFolder(ResultFolder[Result]):
    """A folder of results of methods on tasks, as in results/L20/D000818.../draw-0/bm25.json."""

    marker = "runs.json"
    kind = "likewise runs"
    version = VERSION
    record = Result
    contents = "results"
    subject = "task"

    def write(self, result: Result) -> None:
        """Keep a result, in place of an earlier one of the same task, method and settings."""
        self.keep(result, self._place(result.task, result.method, result.settings))

    def holds(self, task: str, method: str, *, settings: RunSettings, fingerprint: str) -> bool:
        """Return whether there is a result; one that failed does not count."""
        path = self._place(task, method, settings.choose_for(method))
        result = self.find(path, fingerprint=fingerprint)
        return result is not None and result.status == "done"

    def check_pool(self, metadata: TaskMetadata) -> None:
        """Raise RunError if there are results of tasks whose `pool` counts other parts."""
        first = next(iter(self.path.glob("results/**/*.json")), None)
        found = self.read(first) if first else None
        if not found or found.setting != metadata.setting or found.pool_of == metadata.pool_of:
            return
        counts = {"train": "the training part", "all": "all parts"}
        raise RunError(
            f"{self.path}: holds results of tasks whose pool counts {counts[found.pool_of]}, but "
            f"that of these counts {counts[metadata.pool_of]}; name another folder"
        )

    def _place(self, task: str, method: str, chosen: Mapping[str, Any]) -> Path:
        slug = re.sub(r"[^a-z0-9]+", "-", method.lower()).strip("-")[:60]
        return self.locate(task, slug, [method, sorted(chosen.items())])


def read_results(path: Path) -> list[Result]:
    """Return the results of a folder of runs."""
    if not path.is_dir():
        raise RunError(f"{path}: not a folder of results; make one with: likewise bench run")
    found = RunFolder(path).read_all()
    if not found:
        raise RunError(f"{path}: no results in it; make some with: likewise bench run TASKS")
    return found
