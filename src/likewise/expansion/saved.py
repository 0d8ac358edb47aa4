"""The saved expansion: what it was made from and what came out, as a file beside the output.

There is no time in it and numbers are rounded, so that the same inputs give the same bytes.
"""

from __future__ import annotations

import hashlib
import math
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from likewise import __version__
from likewise.documents.document import Document  # noqa: TC001  # msgspec reads the annotation
from likewise.documents.files import written_aside
from likewise.errors import SessionError
from likewise.expansion.marks import Label, Marks

if TYPE_CHECKING:
    from likewise.expansion.expansion import Estimates, Expansion, Interval
    from likewise.library.protocol import LibraryInfo

FORMAT = 2
"""Rises when older versions could not make sense of what is written; the first had no ranks."""
PACKAGES = ("numpy", "scipy", "tantivy", "torch", "transformers")
"""Those whose versions may change what comes out."""
SCORE_DIGITS = 6
PROBABILITY_DIGITS = 4

_Kind = Literal["likewise expansion", "likewise session"]
"""What it is called, and what it was called in the first format."""


class _Head(msgspec.Struct, frozen=True):
    """What a saved expansion of any format begins with."""

    kind: _Kind
    format: int


class SavedSeeds(msgspec.Struct, frozen=True, kw_only=True):
    """The seeds; those that the library does not hold are kept whole."""

    matched: tuple[str, ...]
    text_only: tuple[Document, ...]
    not_found: tuple[str, ...]


class SavedInterval(msgspec.Struct, frozen=True):
    """An estimate with its bounds; None for what is not finite."""

    value: float | None
    low: float | None
    high: float | None


class SavedEstimates(msgspec.Struct, frozen=True, kw_only=True):
    """What was believed about the pool and the decided list."""

    relevant: SavedInterval
    precision: float | None
    recall: float | None
    outside: SavedInterval | None


class SavedReading(msgspec.Struct, frozen=True, kw_only=True):
    """One way to read the seeds."""

    is_corner: bool
    weight: float
    left: float


class SavedRound(msgspec.Struct, frozen=True, kw_only=True):
    """What one round brought."""

    added: int
    likely: int
    decided: int


class SavedPlace(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A document of the ranking."""

    id: str
    rank: int = 0
    """In the pool, from 1; a seed has the rank of a document that scores as it did, held out."""
    score: float | None
    probability: float | None
    decision: bool
    seed: bool
    mark: Label | None = None
    """What the person had said of it; its score and its probability know nothing of that."""


class SavedExpansion(msgspec.Struct, frozen=True, kw_only=True):
    """What an expansion was made from and what came out."""

    kind: _Kind = "likewise expansion"
    format: int = FORMAT
    likewise: str
    """The version that made it."""
    versions: dict[str, str]
    """Of the packages that may change what comes out, as far as they are installed."""
    settings: dict[str, Any]
    """As plain values; `msgspec.convert(settings, ExpandSettings)` makes them settings again."""
    library: str
    """The library's fingerprint."""
    seeds: SavedSeeds
    marks: Marks = Marks()
    """What it learned from beside the seeds."""
    estimates: SavedEstimates
    rounds: tuple[SavedRound, ...]
    warnings: tuple[str, ...]
    threshold: float | None
    """None if it is not finite: then all of the pool was decided to be on topic, or nothing."""
    ranking: tuple[SavedPlace, ...]
    """Pool and seeds, best first."""
    library_size: int = 0
    """How many documents the library held; 0 if it was not noted."""
    readings: tuple[SavedReading, ...] = ()
    """The ways to read the seeds, the likelier first."""
    signs: dict[str, float] = {}
    """What seeds, pool and scores looked like, by which they were judged."""

    def save(self, path: str | Path) -> None:
        """Write the expansion; the file appears whole or not at all."""
        with written_aside(Path(path)) as stream:
            stream.write(msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")

    @classmethod
    def load(cls, path: str | Path) -> SavedExpansion:
        """Return the expansion that was saved to a file."""
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise SessionError(f"{path}: can't be read: {error.strerror or error}") from error
        return cls.from_json(content, path=path)

    @classmethod
    def from_json(cls, content: bytes, *, path: str | Path) -> SavedExpansion:
        """Return the expansion that was written as JSON; `path` is where, for error messages."""
        _check_format(content, path=path)
        try:
            saved = msgspec.json.decode(content, type=cls)
        except msgspec.ValidationError as error:
            raise SessionError(f"{path}: a damaged expansion ({error}); expand again") from error
        return saved if saved.format > 1 else _with_ranks(saved)


def saved_of(expansion: Expansion) -> SavedExpansion:
    """Return what is to be kept of an expansion."""
    seeds = expansion.seeds
    return SavedExpansion(
        likewise=__version__,
        versions=package_versions(),
        settings=msgspec.to_builtins(expansion.settings),
        library=expansion.library,
        marks=expansion.marks,
        seeds=SavedSeeds(
            matched=tuple(seed.id for seed in seeds.matched),
            text_only=seeds.text_only,
            not_found=seeds.not_found,
        ),
        estimates=_estimates(expansion.estimates),
        rounds=tuple(SavedRound(**done._asdict()) for done in expansion.rounds),
        warnings=expansion.warnings,
        threshold=_finite(expansion.threshold, SCORE_DIGITS),
        library_size=expansion.library_size,
        readings=tuple(
            SavedReading(
                is_corner=reading.is_corner,
                weight=stable(reading.weight, PROBABILITY_DIGITS),
                left=stable(reading.left, PROBABILITY_DIGITS),
            )
            for reading in expansion.readings
        ),
        signs={name: stable(sign, PROBABILITY_DIGITS) for name, sign in expansion.signs.items()},
        ranking=tuple(
            SavedPlace(
                id=ranked.id,
                rank=int(ranked.rank),
                score=_finite(ranked.score, SCORE_DIGITS),
                probability=_finite(ranked.probability, PROBABILITY_DIGITS),
                decision=bool(ranked.decision),
                seed=bool(ranked.seed),
                mark=ranked.mark,
            )
            for ranked in expansion.ranking
        ),
    )


def saved_path(output: Path) -> Path:
    """Return the place of a saved expansion beside an output.

    >>> saved_path(Path("out/found.ris.gz")).as_posix()
    'out/found.expansion.json'
    """
    plain = output.with_suffix("") if output.suffix.lower() == ".gz" else output
    return plain.with_name(f"{plain.stem}.expansion.json")


def library_fingerprint(info: LibraryInfo) -> str:
    """Return a text that differs for libraries that hold different documents, as far as counts go.

    Where a library lies, its size on disk and when it was changed make no difference.
    """
    counts = [info.documents, sorted(info.fields.items()), sorted(info.sources.items())]
    return hashlib.blake2b(msgspec.json.encode(counts), digest_size=16).hexdigest()


def stable(value: float, digits: int) -> float:
    """Return a number rounded, since its last bits differ between machines; and no -0.0.

    >>> stable(-0.00000001, 6), stable(2.00000012, 6)
    (0.0, 2.0)
    """
    return round(float(value), digits) + 0.0


def _check_format(content: bytes, *, path: str | Path) -> None:
    try:
        head = msgspec.json.decode(content, type=_Head)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SessionError(
            f"{path}: no saved expansion; `likewise expand` writes one beside its output, "
            "as .expansion.json"
        ) from error
    if head.format > FORMAT:
        raise SessionError(
            f"{path}: an expansion of format {head.format}, and likewise {__version__} reads up to "
            f"{FORMAT}; install a newer version"
        )


def _with_ranks(saved: SavedExpansion) -> SavedExpansion:
    """Return an expansion of the first format with the ranks that its order gives."""
    ranking, rank = [], 1
    for place in saved.ranking:
        ranking.append(msgspec.structs.replace(place, rank=rank))
        rank += not place.seed
    return msgspec.structs.replace(saved, ranking=tuple(ranking))


def package_versions() -> dict[str, str]:
    """Return the versions of what may change what comes out, as far as it is installed."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _estimates(estimates: Estimates) -> SavedEstimates:
    outside = estimates.outside
    return SavedEstimates(
        relevant=_interval(estimates.relevant),
        precision=_finite(estimates.precision, PROBABILITY_DIGITS),
        recall=_finite(estimates.recall, PROBABILITY_DIGITS),
        outside=None if outside is None else _interval(outside),
    )


def _interval(interval: Interval) -> SavedInterval:
    return SavedInterval(*(_finite(value, PROBABILITY_DIGITS) for value in interval))


def _finite(value: float, digits: int) -> float | None:
    return stable(value, digits) if math.isfinite(value) else None
