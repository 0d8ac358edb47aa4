"""The saved expansion: what it was made from and what came out, as a file beside the output.

It holds no time and its numbers are rounded, so the same inputs give the same bytes.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from likewise.documents import replace_file
from likewise.documents.document import Document
from likewise.errors import SessionError
from likewise.expansion.marks import Marks
from likewise.expansion.records import Estimates, Place, Round, SeedLink
from likewise.learn.estimates import SeedReading
from likewise.library.protocol import LibraryInfo
from likewise.version import __version__

FORMAT = 2
"""Rises when older versions could not read what is written; the first format had no ranks."""
PACKAGES = ("numpy", "scipy", "tantivy", "torch", "transformers")
"""Packages whose versions may change the results."""
MOST_MOVES = 5
"""How many documents are named of those that rose most, and of those that fell most."""

_Kind = Literal["likewise expansion", "likewise session"]
"""What such a file is called, and what it was called in the first format."""


class SavedSeeds(msgspec.Struct, frozen=True, kw_only=True):
    """The seeds; those that the library does not hold are kept whole."""

    matched: tuple[str, ...]
    text_only: tuple[Document, ...]
    not_found: tuple[str, ...]


class SavedExpansion(msgspec.Struct, frozen=True, kw_only=True):
    """What an expansion was made from and what came out."""

    kind: _Kind = "likewise expansion"
    format: int = FORMAT
    likewise: str
    """The version that made it."""
    versions: dict[str, str]
    """The versions of `PACKAGES`, as far as they are installed."""
    settings: dict[str, Any]
    """As plain values; `msgspec.convert(settings, ExpandSettings)` makes them settings again."""
    library: str
    """The library's fingerprint."""
    seeds: SavedSeeds
    marks: Marks = Marks()
    """What it learned from besides the seeds."""
    estimates: Estimates
    rounds: tuple[Round, ...]
    warnings: tuple[str, ...]
    threshold: float | None
    """None if it is not finite: then all of the pool was decided to be on topic, or nothing."""
    ranking: tuple[Place, ...]
    """Pool and seeds, best first."""
    library_size: int = 0
    """How many documents the library held; 0 if it was not noted."""
    readings: tuple[SeedReading, ...] = ()
    """The ways to read the seeds, the likelier first."""
    signs: dict[str, float] = {}
    """Numbers on seeds, pool and scores; topics with similar numbers tell what to expect."""
    seed_links: tuple[SeedLink, ...] = ()
    """The citation links between the best finds and the seeds, the best first."""

    def save(self, path: str | Path) -> None:
        """Write the expansion; the file appears whole or not at all."""
        with replace_file(Path(path)) as stream:
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
        """Return the expansion that was written as JSON; `path` is named in error messages."""
        _check_format(content, path=path)
        try:
            saved = msgspec.json.decode(content, type=cls)
        except msgspec.ValidationError as error:
            raise SessionError(
                f"{path}: a damaged expansion ({error}); run likewise expand again"
            ) from error
        return saved if saved.format > 1 else _add_ranks(saved)


class _SavedHead(msgspec.Struct, frozen=True):
    """What a saved expansion of any format begins with."""

    kind: _Kind
    format: int


def _check_format(content: bytes, *, path: str | Path) -> None:
    try:
        head = msgspec.json.decode(content, type=_SavedHead)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SessionError(
            f"{path}: not a saved expansion; `likewise expand` writes one beside its output, "
            "as .expansion.json"
        ) from error
    if head.format > FORMAT:
        raise SessionError(
            f"{path}: an expansion of format {head.format}, but likewise {__version__} reads only "
            f"up to {FORMAT}; install a newer version"
        )


def _add_ranks(saved: SavedExpansion) -> SavedExpansion:
    """Return an expansion of the first format with the ranks that its order gives."""
    ranking, rank = [], 1
    for place in saved.ranking:
        ranking.append(msgspec.structs.replace(place, rank=rank))
        rank += not place.seed
    return msgspec.structs.replace(saved, ranking=tuple(ranking))


def make_saved_path(output: Path) -> Path:
    """Return the path of the saved expansion beside an output.

    >>> make_saved_path(Path("out/found.ris.gz")).as_posix()
    'out/found.expansion.json'
    """
    plain = output.with_suffix("") if output.suffix.lower() == ".gz" else output
    return plain.with_name(f"{plain.stem}.expansion.json")


def fingerprint_library(info: LibraryInfo) -> str:
    """Return a text that differs between libraries whose contents differ, as far as counts show.

    A library's address, its size on disk and the time of its last change make no difference.
    """
    counts = [info.documents, sorted(info.fields.items()), sorted(info.sources.items())]
    return hashlib.blake2b(msgspec.json.encode(counts), digest_size=16).hexdigest()


def find_package_versions() -> dict[str, str]:
    """Return the versions of installed packages that may change the results."""
    found = {}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


class Move(NamedTuple):
    """The ranks of a document in two expansions; None if it was not in the pool."""

    id: str
    before: int | None
    after: int | None


@dataclass(frozen=True)
class Changes:
    """What a later expansion decides or ranks differently; marked documents are left out."""

    decided: tuple[Move, ...]
    """Documents newly decided to be on topic, best first."""
    dropped: tuple[Move, ...]
    """Documents no longer decided to be on topic, in the order they had."""
    risen: tuple[Move, ...]
    """Those that rose by the largest factor: from 100 to 10 is as far as from 1,000 to 100."""
    fallen: tuple[Move, ...]
    """Those that fell by the largest factor."""
    relevant: tuple[float, float]
    """How many candidates were estimated to be on topic before, and how many are now."""
    is_corner: tuple[bool, bool] = (False, False)
    """Whether the seeds looked like one corner of a wider topic before, and do now."""


def compare_expansions(
    before: SavedExpansion, after: SavedExpansion, *, most: int = MOST_MOVES
) -> Changes:
    """Compare two expansions; name at most `most` documents that rose, and as many that fell.

    Seeds and marked documents are left out: the person knows about these.
    """
    known = {place.id for saved in (before, after) for place in saved.ranking if place.seed}
    known |= {place.id for place in after.ranking if place.mark}
    old, new = (
        {place.id: place for place in saved.ranking if place.id not in known}
        for saved in (before, after)
    )
    was = {name for name, place in old.items() if place.decision}
    now = {name for name, place in new.items() if place.decision}
    came, gone = now - was, was - now
    ranked = [name for name in new if name in old and old[name].rank and new[name].rank]
    ratios = {name: new[name].rank / old[name].rank for name in ranked}
    ordered = sorted(ratios, key=lambda name: (ratios[name], new[name].rank))

    def move(name: str) -> Move:
        here, there = old.get(name), new.get(name)
        return Move(name, here.rank if here else None, there.rank if there else None)

    return Changes(
        decided=tuple(move(name) for name in new if name in came),
        dropped=tuple(move(name) for name in old if name in gone),
        risen=tuple(move(name) for name in ordered[:most] if ratios[name] < 1),
        fallen=tuple(move(name) for name in ordered[::-1][:most] if ratios[name] > 1),
        relevant=(before.estimates.relevant.value, after.estimates.relevant.value),
        is_corner=(_looks_like_corner(before), _looks_like_corner(after)),
    )


def _looks_like_corner(saved: SavedExpansion) -> bool:
    return bool(saved.readings) and saved.readings[0].is_corner
