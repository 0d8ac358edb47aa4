"""The expansion: the decided, ranked result, what it is worth, and the stages it goes through."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from likewise.arguments import check_count, require_identifier, spell_identifier
from likewise.documents import Document
from likewise.documents.notebook import DocumentList
from likewise.errors import MissingExtraError, UnknownDocumentError
from likewise.expansion.marks import Marks
from likewise.expansion.records import (
    PROBABILITY_DIGITS,
    SCORE_DIGITS,
    Estimates,
    Explains,
    Place,
    Round,
    SeedLink,
    round_finite,
    round_number,
)
from likewise.expansion.saved import SavedExpansion, SavedSeeds, find_package_versions
from likewise.expansion.seeds import Seeds
from likewise.expansion.settings import ExpandSettings
from likewise.expansion.wording import format_count, format_interval
from likewise.extras import require
from likewise.learn.estimates import SeedReading
from likewise.progress import show_progress
from likewise.version import __version__

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
"""Every stage, in the order in which they first run."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Expansion:
    """The decided, ranked result: what was found, the likeliest first, and what it is worth.

    >>> import likewise
    >>> from likewise.library.memory import MemoryLibrary
    >>> library = MemoryLibrary()
    >>> library.add(
    ...     likewise.Document(id=f"{topic}{n}", title=f"On {topic}, part {n}")
    ...     for topic in ("insulin", "sleep")
    ...     for n in range(20)
    ... )
    >>> library.commit()
    >>> expansion = likewise.expand(library, ["sleep0", "sleep1", "sleep2"], keep="top=5")
    >>> len(expansion), "sleep7" in expansion, expansion["sleep0"].seed
    (5, True, True)
    """

    seeds: Seeds
    settings: ExpandSettings
    ranking: tuple[Place, ...]
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
    explain: Explains
    """Returns why the document with a given id has its score."""
    links: Mapping[str, str] = field(default_factory=dict)
    """How citations link documents with the seeds, in words, by id; unlinked ones are left out."""
    seed_links: tuple[SeedLink, ...] = ()
    """The links between the best finds and the seeds, the best first, as the map shows them."""
    marks: Marks = field(default_factory=Marks)
    """What it learned from besides the seeds."""
    readings: tuple[SeedReading, ...] = ()
    """The ways to read the seeds, the likelier first."""
    signs: Mapping[str, float] = field(default_factory=dict)
    """Numbers on seeds, pool and scores; topics with similar numbers tell what to expect."""

    @cached_property
    def saved(self) -> SavedExpansion:
        """The form in which it is kept, in a session or beside an output."""
        seeds = self.seeds
        return SavedExpansion(
            likewise=__version__,
            versions=find_package_versions(),
            settings=msgspec.to_builtins(self.settings),
            library=self.library,
            marks=self.marks,
            seeds=SavedSeeds(
                matched=tuple(seed.id for seed in seeds.matched),
                text_only=seeds.text_only,
                not_found=seeds.not_found,
            ),
            estimates=self.estimates.round(),
            rounds=self.rounds,
            warnings=self.warnings,
            threshold=round_finite(self.threshold, SCORE_DIGITS),
            library_size=self.library_size,
            readings=tuple(reading.round(PROBABILITY_DIGITS) for reading in self.readings),
            signs={name: round_number(n, PROBABILITY_DIGITS) for name, n in self.signs.items()},
            ranking=tuple([place.round() for place in self.ranking]),
            seed_links=self.seed_links,
        )

    @property
    def found(self) -> list[Place]:
        """The documents decided to be on topic, without the seeds, best first."""
        return [place for place in self.ranking if place.decision and not place.seed]

    @property
    def pool_size(self) -> int:
        """How many documents there were to decide about."""
        return sum(not place.seed for place in self.ranking)

    def __len__(self) -> int:
        return len(self.found)

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[Place]:
        return iter(self.found)

    def __contains__(self, identifier: object) -> bool:
        return spell_identifier(identifier) in self._places

    def __getitem__(self, identifier: str | int) -> Place:
        """Return the place of a document by its id, seeds and undecided documents included."""
        spelled = require_identifier(identifier)
        place = self._places.get(spelled)
        if place is None:
            raise UnknownDocumentError(f"no seed or candidate has the id {spelled!r}")
        return place

    def __repr__(self) -> str:
        relevant = format_interval(self.estimates.relevant, most=self.pool_size)
        return (
            f"<Expansion of {format_count(len(self.seeds.given), 'seed')}: {len(self):,} found "
            f"among {self.pool_size:,} candidates, about {relevant} estimated on topic>"
        )

    def _repr_html_(self) -> str:
        from likewise.expansion.notebook import render_html

        return render_html(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        try:
            arrow = importlib.import_module("pyarrow")
        except ModuleNotFoundError as error:
            raise MissingExtraError(
                "an Arrow table needs pyarrow: pip install pyarrow, or use to_columns()"
            ) from error
        return arrow.table(self.to_columns()).__arrow_c_stream__(requested_schema)

    def head(self, count: int = 20) -> DocumentList:
        """Return the first `count` documents found, the likeliest first."""
        check_count(count, name="count")
        return DocumentList(self.documents[place.id] for place in self.found[:count])

    def to_columns(self, *, everything: bool = False) -> dict[str, list[Any]]:
        """Return what was found as a dict of columns, from which any data frame can be made.

        Args:
            everything: Whether to include the whole ranking with the seeds.
        """
        from likewise.expansion.notebook import list_columns

        return list_columns(self, everything=everything)

    def to_frame(self, *, everything: bool = False) -> Any:
        """Return a pandas data frame of what was found, indexed by id.

        Args:
            everything: Whether to include the whole ranking with the seeds.
        """
        pandas = require("pandas", for_="A data frame", extra="notebook")
        return pandas.DataFrame(self.to_columns(everything=everything)).set_index("id")

    def write(self, path: str | Path, *, everything: bool = False) -> None:
        """Write it in the format that the path's suffix asks for: found.ris, report.html, ...

        Args:
            path: The file, which appears whole or not at all.
            everything: Whether to write the whole ranking with the seeds.
        """
        from likewise.expansion.outputs import write_expansion

        write_expansion(self, path, everything=everything)

    def to_csv(self, path: str | Path, *, everything: bool = False) -> None:
        """Write it as a CSV table, whatever the path's suffix is.

        Args:
            path: The file, which appears whole or not at all.
            everything: Whether to write the whole ranking with the seeds.
        """
        from likewise.expansion.outputs import write_expansion

        write_expansion(self, path, everything=everything, format="csv")

    def plot(self) -> Any:
        """Return an altair chart of the scores of your papers and of the candidates."""
        from likewise.expansion.notebook import draw_chart

        return draw_chart(self)

    @cached_property
    def _places(self) -> dict[str, Place]:
        return {place.id: place for place in self.ranking}


class StageProgress(NamedTuple):
    """How far an expansion has got."""

    stage: str
    share: float
    """How much of the stage is done, from 0 to 1."""
    note: str = ""
    """A few words on how it goes, which some methods report while they learn."""


OnProgress = Callable[[StageProgress], None]
OnSeeds = Callable[[Seeds, list[str]], None]
"""Called with the seeds, and with warnings about them."""


@contextmanager
def show_stages(on_progress: OnProgress | None, *, progress: bool) -> Iterator[OnProgress]:
    """Yield the function to report progress to: `on_progress` if given, or else a bar's.

    No bar is shown unless `progress` is true.
    """
    if on_progress:
        yield on_progress
        return
    with show_progress(STAGES[0], show=progress) as move:
        yield lambda at: move(*at)


class Stages:
    """Times the stages, and reports which one is running and how far it has got."""

    def __init__(self, on_progress: OnProgress | None = None) -> None:
        self.seconds = dict.fromkeys(STAGES, 0.0)
        self._on_progress = on_progress
        self._running = ""

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Run a stage and time it; a stage that runs again adds to its time."""
        self._running = name
        self.step(0, 1)
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - started
        self.step(1, 1)

    def step(self, done: int, total: int, note: str = "", /) -> None:
        """Report how far the running stage has got."""
        if self._on_progress:
            share = done / total if total else 1.0
            self._on_progress(StageProgress(self._running, share, note))
