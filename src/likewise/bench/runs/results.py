"""Results: what a method came to on a task, each a file of its own.

runs/runs.json                                   what this folder is
runs/results/L20/D000818.../draw-0/METHOD.json   a result

A file appears whole or not at all, so a run that was broken off leaves what it had done.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from likewise.bench.methods.spelling import parse_bench_method
from likewise.bench.tasks.task import TaskMetadata
from likewise.documents.files import replace_file
from likewise.errors import RunError, SettingsError
from likewise.expansion.saved import find_package_versions
from likewise.features.encoders import Encoder
from likewise.learn.parameters import Value
from likewise.learn.thresholds import parse_keep
from likewise.version import __version__

VERSION = 1
"""Rises when older versions could not make sense of what is written."""
KIND = "likewise runs"
DIGITS = 10
"""Numbers are rounded to so many, since their last bits differ between machines."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What a method came to on a task, and how."""

    version: int = VERSION
    task: str
    """The task's folder inside the folder of tasks."""
    fingerprint: str
    """The task's: results are compared only where it is the same."""
    topic: str
    seeds: int
    draw: int
    pool: int = 0
    """The task's |U|; 0 if that is not known."""
    pool_of: str = "all"
    """What it counts: the training part, or all parts, as in older tasks."""
    scheme: str
    setting: str
    seeds_bias: str = ""
    negatives: int = 0
    negatives_bias: str = ""
    method: str
    """As it is spelled."""
    settings: dict[str, str | int | float] = {}
    """What else was chosen: what decides, the encoder, the number of all randomness."""
    status: Literal["done", "failed"]
    error: str = ""
    measures: dict[str, float] = {}
    """By name, each as a number; what could not be measured is missing."""
    warnings: tuple[str, ...] = ()
    facts: dict[str, str | int | float] = {}
    """How the answer came about, by name, as far as the method tells: the size of batches."""
    seconds: float = 0.0
    megabytes: float = 0.0
    """The most memory that the process held meanwhile."""
    versions: dict[str, str] = {}


@dataclass(frozen=True, kw_only=True)
class RunSettings:
    """How methods are run."""

    keep: str = ""
    """What decides, as `likewise expand --keep` spells it; "" for what each method decides by."""
    encoder: str = ""
    """A pretrained encoder whose vectors are learned from too; "" for none."""
    number: int = 0
    """The number that all randomness comes from."""
    draws: int | None = None
    """How many draws of each task are run, the first ones; all if it is not said."""

    def __post_init__(self) -> None:
        if self.keep:
            parse_keep(self.keep)
        if self.number < 0 or (self.draws is not None and self.draws < 1):
            raise SettingsError("the number of randomness is 0 or more, and draws are at least 1")

    def choose_for(self, method: str) -> dict[str, str | int | float]:
        """Return what the results of a method depend on."""
        keep = str(parse_bench_method(method).decide_by(self.keep))
        return {"keep": keep, "encoder": self.encoder, "number": self.number}

    def load_encoder(self) -> Encoder | None:
        """Return the encoder, if one is used."""
        from likewise.features.encoders import encoder_named

        return encoder_named(self.encoder) if self.encoder else None


class MethodOutcome(NamedTuple):
    """What running a method came to."""

    measures: dict[str, float]
    error: str
    seconds: float
    megabytes: float
    warnings: tuple[str, ...] = ()
    facts: Mapping[str, Value] = {}


def make_result(
    metadata: TaskMetadata, outcome: MethodOutcome, *, task: str, method: str, settings: RunSettings
) -> Result:
    """Return the result of a method on a task."""
    return Result(
        task=task,
        fingerprint=metadata.fingerprint,
        topic=metadata.topic,
        seeds=metadata.seeds,
        draw=metadata.draw,
        pool=metadata.pool,
        pool_of=metadata.pool_of,
        scheme=metadata.scheme,
        setting=metadata.setting,
        seeds_bias=metadata.seeds_bias,
        negatives=metadata.negatives,
        negatives_bias=metadata.negatives_bias,
        method=method,
        settings=settings.choose_for(method),
        status="failed" if outcome.error else "done",
        error=outcome.error,
        measures={name: round(value, DIGITS) for name, value in outcome.measures.items()},
        warnings=outcome.warnings,
        facts=dict(outcome.facts),
        seconds=round(outcome.seconds, 3),
        megabytes=round(outcome.megabytes, 1),
        versions={"likewise": __version__, **_find_versions()},
    )


@cache
def _find_versions() -> dict[str, str]:
    return find_package_versions()


class ResultFolder:
    """A folder of results."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        """Open a folder of results, or with `create` make it where there is none."""
        self.path = path
        if create:
            self._claim()

    def write(self, result: Result) -> None:
        """Keep a result, in place of an earlier one of the same task, method and settings."""
        path = self._place(result.task, result.method, result.settings)
        path.parent.mkdir(parents=True, exist_ok=True)
        with replace_file(path) as stream:
            stream.write(msgspec.json.format(msgspec.json.encode(result), indent=2))

    def holds(self, task: str, method: str, *, settings: RunSettings, fingerprint: str) -> bool:
        """Tell whether there is a result; one that failed does not count."""
        path = self._place(task, method, settings.choose_for(method))
        if not path.is_file():
            return False
        result = _read_result(path)
        if result.fingerprint != fingerprint:
            raise RunError(
                f"{path}: this is the result of another task of the same name; "
                "name another folder for these results"
            )
        return result.status == "done"

    def results(self) -> list[Result]:
        """Return all results, in the order of their files."""
        return [_read_result(path) for path in sorted(self.path.glob("results/**/*.json"))]

    def check_pool(self, metadata: TaskMetadata) -> None:
        """Raise RunError if there are results of tasks whose pool counts something else."""
        first = next(iter(self.path.glob("results/**/*.json")), None)
        found = _read_result(first) if first else None
        if not found or found.setting != metadata.setting or found.pool_of == metadata.pool_of:
            return
        counts = {"train": "the training part", "all": "all parts"}
        raise RunError(
            f"{self.path}: holds results of tasks whose pool counts {counts[found.pool_of]}, and "
            f"that of these counts {counts[metadata.pool_of]}; name another folder"
        )

    def _place(self, task: str, method: str, chosen: dict[str, Any]) -> Path:
        told = msgspec.json.encode([method, sorted(chosen.items())])
        mark = hashlib.blake2b(told, digest_size=4).hexdigest()
        slug = re.sub(r"[^a-z0-9]+", "-", method.lower()).strip("-")[:60]
        return self.path / "results" / task / f"{slug}.{mark}.json"

    def _claim(self) -> None:
        marker = self.path / "runs.json"
        if marker.is_file():
            _check_version(marker)
            return
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise RunError(f"{self.path}: no folder of results, and not empty; name a new folder")
        self.path.mkdir(parents=True, exist_ok=True)
        with replace_file(marker) as stream:
            stream.write(msgspec.json.encode({"kind": KIND, "version": VERSION}) + b"\n")


def read_results(path: Path) -> list[Result]:
    """Return the results of a folder of runs."""
    if not path.is_dir():
        raise RunError(f"{path}: no folder of results; make one with: likewise bench run")
    found = ResultFolder(path).results()
    if not found:
        raise RunError(f"{path}: no results in it; make some with: likewise bench run TASKS")
    return found


class _ResultHead(msgspec.Struct):
    version: int


def _check_version(path: Path) -> None:
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_ResultHead).version
    except (OSError, msgspec.DecodeError) as error:
        raise _explain_damage(path) from error
    if found != VERSION:
        raise RunError(
            f"{path}: version {found}, and this likewise reads version {VERSION}; "
            "use the likewise that made it, or run again into a new folder"
        )


def _read_result(path: Path) -> Result:
    _check_version(path)
    try:
        return msgspec.json.decode(path.read_bytes(), type=Result)
    except (OSError, msgspec.DecodeError) as error:
        raise _explain_damage(path) from error


def _explain_damage(path: Path) -> RunError:
    return RunError(
        f"{path}: damaged or half written; delete it and run again: only it is made anew"
    )
