"""The session: what an expansion was made from and what came out, as a file beside the output.

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

if TYPE_CHECKING:
    from likewise.expansion.expansion import Estimates, Expansion, Interval
    from likewise.library.protocol import LibraryInfo

FORMAT = 1
"""Rises when older versions could not make sense of what is written."""
PACKAGES = ("numpy", "scipy", "tantivy", "torch", "transformers")
"""Those whose versions may change what comes out."""
SCORE_DIGITS = 6
PROBABILITY_DIGITS = 4

_Kind = Literal["likewise session"]


class _Head(msgspec.Struct, frozen=True):
    """What a session of any format begins with."""

    kind: _Kind
    format: int


class SessionSeeds(msgspec.Struct, frozen=True, kw_only=True):
    """The seeds; those that the library does not hold are kept whole."""

    matched: tuple[str, ...]
    text_only: tuple[Document, ...]
    not_found: tuple[str, ...]


class SessionInterval(msgspec.Struct, frozen=True):
    """An estimate with its bounds; None for what is not finite."""

    value: float | None
    low: float | None
    high: float | None


class SessionEstimates(msgspec.Struct, frozen=True, kw_only=True):
    """What was believed about the pool and the decided list."""

    relevant: SessionInterval
    precision: float | None
    recall: float | None
    outside: SessionInterval | None


class SessionRound(msgspec.Struct, frozen=True, kw_only=True):
    """What one round brought."""

    added: int
    likely: int
    decided: int


class SessionPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A document of the ranking."""

    id: str
    score: float | None
    probability: float | None
    decision: bool
    seed: bool


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """What an expansion was made from and what came out."""

    kind: _Kind = "likewise session"
    format: int = FORMAT
    likewise: str
    """The version that made it."""
    versions: dict[str, str]
    """Of the packages that may change what comes out, as far as they are installed."""
    settings: dict[str, Any]
    """As plain values; `msgspec.convert(settings, ExpandSettings)` makes them settings again."""
    library: str
    """The library's fingerprint."""
    seeds: SessionSeeds
    estimates: SessionEstimates
    rounds: tuple[SessionRound, ...]
    warnings: tuple[str, ...]
    threshold: float | None
    """None if it is not finite: then all of the pool was decided to be on topic, or nothing."""
    ranking: tuple[SessionPlace, ...]
    """Pool and seeds, best first."""

    def save(self, path: str | Path) -> None:
        """Write the session; the file appears whole or not at all."""
        with written_aside(Path(path)) as stream:
            stream.write(msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")

    @classmethod
    def load(cls, path: str | Path) -> Session:
        """Return the session that was saved to a file."""
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            raise SessionError(f"{path}: can't be read: {error.strerror or error}") from error
        _check_format(content, path=path)
        try:
            return msgspec.json.decode(content, type=cls)
        except msgspec.ValidationError as error:
            raise SessionError(f"{path}: a damaged session ({error}); expand again") from error


def session_of(expansion: Expansion) -> Session:
    """Return what is to be kept of an expansion."""
    seeds = expansion.seeds
    return Session(
        likewise=__version__,
        versions=package_versions(),
        settings=msgspec.to_builtins(expansion.settings),
        library=expansion.library,
        seeds=SessionSeeds(
            matched=tuple(seed.id for seed in seeds.matched),
            text_only=seeds.text_only,
            not_found=seeds.not_found,
        ),
        estimates=_estimates(expansion.estimates),
        rounds=tuple(SessionRound(**done._asdict()) for done in expansion.rounds),
        warnings=expansion.warnings,
        threshold=_finite(expansion.threshold, SCORE_DIGITS),
        ranking=tuple(
            SessionPlace(
                id=ranked.id,
                score=_finite(ranked.score, SCORE_DIGITS),
                probability=_finite(ranked.probability, PROBABILITY_DIGITS),
                decision=bool(ranked.decision),
                seed=bool(ranked.seed),
            )
            for ranked in expansion.ranking
        ),
    )


def session_path(output: Path) -> Path:
    """Return the session's place beside an output.

    >>> session_path(Path("out/found.ris.gz")).as_posix()
    'out/found.session.json'
    """
    plain = output.with_suffix("") if output.suffix.lower() == ".gz" else output
    return plain.with_name(f"{plain.stem}.session.json")


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
            f"{path}: no session; `likewise expand` writes one beside its output, as .session.json"
        ) from error
    if head.format > FORMAT:
        raise SessionError(
            f"{path}: a session of format {head.format}, and likewise {__version__} reads up to "
            f"{FORMAT}; install a newer version"
        )


def package_versions() -> dict[str, str]:
    """Return the versions of what may change what comes out, as far as it is installed."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _estimates(estimates: Estimates) -> SessionEstimates:
    outside = estimates.outside
    return SessionEstimates(
        relevant=_interval(estimates.relevant),
        precision=_finite(estimates.precision, PROBABILITY_DIGITS),
        recall=_finite(estimates.recall, PROBABILITY_DIGITS),
        outside=None if outside is None else _interval(outside),
    )


def _interval(interval: Interval) -> SessionInterval:
    return SessionInterval(*(_finite(value, PROBABILITY_DIGITS) for value in interval))


def _finite(value: float, digits: int) -> float | None:
    return stable(value, digits) if math.isfinite(value) else None
