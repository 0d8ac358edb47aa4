"""Gathering candidates from a source: first for the seeds, then for what is learned from them.

What is gathered goes into a library, which is used like any other. A finished gathering is noted
there: gathering again for the same seeds with the same budget asks the source for nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import msgspec

from likewise.documents import Document
from likewise.errors import Problem, SeedsError, SettingsError
from likewise.expansion.expansion import OnProgress, StageProgress
from likewise.expansion.retrieval import SEED_WEIGHT
from likewise.expansion.seed_sources import GivenPapers
from likewise.expansion.seeds import find_copies, guess_identifiers
from likewise.expansion.settings import ExpandSettings
from likewise.expansion.wording import format_count
from likewise.features.encoders import find_cache_folder
from likewise.library import open_library
from likewise.library.sources import RemoteSource, open_source
from likewise.library.sources.gathering import (
    Porter,
    RankedList,
    check_folder,
    deal_seeds,
    find_candidates,
    find_more,
    find_reached,
    fuse_lists,
    note_citations,
)
from likewise.library.sources.kept import Asker, Budget, KeptAnswer, KeptAnswers

STAGE = "gathering"
FIRST_SHARE = 0.7
"""The share of the budget that is spent on the seeds alone; the rest is for what is learned."""


@dataclass(frozen=True, kw_only=True)
class GatherListener:
    """Receives what a gathering reports."""

    on_progress: OnProgress | None = None
    on_line: Callable[[str], None] = lambda _: None
    """Called with each line to show to a person."""
    on_problem: Callable[[Problem], None] = lambda _: None


@dataclass
class GatherReport:
    """What a gathering did."""

    source: str
    """What people call it."""
    folder: str
    requests: int = 0
    fetched: int = 0
    candidates: int = 0
    """How many records were chosen, including those that were there already."""
    documents: int = 0
    """Documents in the library afterwards."""
    missing: list[str] = field(default_factory=list)
    """Keys that the source has no record of."""
    spent: str = ""
    """The limit of the budget that ended the gathering early, such as "500 requests"; else ""."""
    rounds: int = 0


def choose_folder(name: str) -> Path:
    """Return the folder that keeps a source's records by default."""
    return find_cache_folder() / "sources" / name


def gather(
    source: RemoteSource | str,
    given: GivenPapers,
    address: str | Path,
    *,
    budget: Budget | None = None,
    settings: ExpandSettings | None = None,
    listener: GatherListener | None = None,
) -> GatherReport:
    """Fetch whatever may be on the seeds' topic from a source into a library.

    Args:
        source: The source, or its name, such as pubmed.
        given: The seeds.
        address: The library, which is created if it does not exist.
        budget: How much may be gathered.
        settings: How many rounds to gather for, and how to expand between them.
        listener: What to report progress, lines and problems to.
    """
    with closing(open_source(source)) if isinstance(source, str) else nullcontext(source) as opened:
        task = _Gathering(
            opened,
            address,
            budget=budget or Budget(),
            settings=settings or ExpandSettings(),
            listener=listener or GatherListener(),
        )
        return task.run(given)


class _Gathering:
    """One gathering, and what its steps share."""

    def __init__(
        self,
        source: RemoteSource,
        address: str | Path,
        *,
        budget: Budget,
        settings: ExpandSettings,
        listener: GatherListener,
    ) -> None:
        self._kept = KeptAnswers(check_folder(address))
        self._address = address
        self._budget = budget
        self._settings = settings
        self._listener = listener
        self._asker = Asker(source, self._kept, budget=budget, on_answer=self._tell)
        self._porter = Porter(
            self._asker,
            address,
            is_limited=budget.requests is not None,
            on_problem=listener.on_problem,
            on_fetched=lambda: self._tell("fetching"),
        )
        self._report = GatherReport(source.label, str(address))
        self._chosen: dict[str, None] = {}

    def run(self, given: GivenPapers) -> GatherReport:
        """Gather for the seeds, then for what is learned from the records that came."""
        rounds = self._settings.rounds
        papers = [identify_paper(paper) for paper in given.seeds]
        digest = f"{self._asker.source.label} {_digest(papers, self._budget, rounds=rounds)}"
        if done := self._kept.get(digest):
            self._report.candidates = len(done.keys)
            self._report.documents = self._porter.count()
            return self._report
        seeds = self._bring_seeds(papers)
        lists = find_candidates(self._asker, seeds, limit=self._budget.records)
        first = FIRST_SHARE if rounds > 1 else 1.0
        room = max(1, round(first * (self._budget.records - len(self._chosen))))
        ranked = fuse_lists(lists, exclude=self._chosen)
        self._choose(ranked[:room])
        self._note_citations(seeds)
        for _ in range(rounds - 1):
            if not self._learn(given, seeds, lists):
                break
        self._choose(ranked[: self._budget.records - len(self._chosen)])
        self._note_citations(seeds)
        return self._finish(digest, lists, seeds, room=room)

    def _bring_seeds(self, papers: Sequence[Document]) -> list[Document]:
        """Bring the seeds' own records; return the seeds with a text, as they are known now."""
        label = self._asker.source.label
        named = {key: None for paper in papers if (key := self._asker.source.key_of(paper))}
        others = [paper for paper in papers if not self._asker.source.key_of(paper)]
        searched = [paper for paper in others if paper.doi or paper.pmcid or paper.title]
        named |= dict.fromkeys(self._asker.find_papers(searched))
        if self._budget.records <= 2 * len(papers):
            raise SettingsError(
                f"a budget of {format_count(self._budget.records, 'record')} leaves little room "
                f"for others besides {format_count(len(papers), 'seed')}; raise --at-most"
            )
        self._choose(list(named))
        if not self._porter.report.documents:
            raise SeedsError(f"{label} has none of the seeds; check their ids")
        with open_library(self._address) as library:
            copies = find_copies(library, papers)
        pairs = list(zip(copies, papers, strict=True))
        if strangers := sum(bool(not copy and paper.text) for copy, paper in pairs):
            self._listener.on_line(
                f"{format_count(strangers, 'seed')} not in {label}: title and abstract are used"
            )
        known = [copy or paper for copy, paper in pairs]
        return list({seed.id: seed for seed in known if seed.text}.values())

    def _learn(
        self, given: GivenPapers, seeds: Sequence[Document], lists: Sequence[RankedList]
    ) -> bool:
        """Search for records like those learned to be on topic; return whether more came."""
        # It takes long to load, and a finished gathering does not need it.
        from likewise.expansion.flow import expand

        room = self._budget.records - len(self._chosen)
        if room <= 0 or not self._asker.may_ask():
            return False
        self._tell("learning what to search for")
        learned = expand(self._address, given, settings=replace(self._settings, rounds=1))
        papers = [*seeds, *(learned.documents[place.id] for place in learned)]
        weights = [SEED_WEIGHT] * len(seeds) + [place.chance for place in learned]
        more = find_more(self._asker, papers, weights=weights, limit=self._budget.records)
        # The seeds' own lists still count: what was learned leads astray on its own.
        new = fuse_lists([*lists, *more], exclude=self._chosen)[:room]
        self._choose(new)
        self._report.rounds += 1
        return bool(new)

    def _choose(self, keys: Sequence[str]) -> None:
        self._chosen |= dict.fromkeys(keys)
        self._porter.bring(keys)

    def _note_citations(self, seeds: Sequence[Document]) -> None:
        note_citations(self._asker, self._address, seeds, chosen=self._chosen)

    def _finish(
        self, digest: str, lists: Sequence[RankedList], seeds: Sequence[Document], *, room: int
    ) -> GatherReport:
        """Note which seeds the others reach, and that this is done, unless the budget ended it."""
        source, report = self._asker.source, self._report
        reached = find_reached(lists, deal_seeds(self._asker, seeds), count=room)
        keyed = {seed.id: key for seed in seeds if (key := source.key_of(seed))}
        report.spent = self._asker.spent
        self._kept.keep(
            KeptAnswer(
                f"stopped {digest}" if report.spent else digest,
                tuple(self._chosen),
                reach={name: key in reached for name, key in keyed.items()},
            )
        )
        report.requests = self._asker.requests
        report.fetched = self._porter.report.fetched
        report.missing = self._porter.report.missing
        report.candidates = len(self._chosen)
        report.documents = self._porter.count()
        return report

    def _tell(self, doing: str) -> None:
        if self._listener.on_progress:
            done = self._porter.report.fetched
            note = f"{doing}: {done:,} records, {self._asker.requests:,} requests"
            share = min(1.0, len(self._chosen) / self._budget.records)
            self._listener.on_progress(StageProgress(STAGE, share, note))


def identify_paper(paper: Document) -> Document:
    """Return a paper with the identifier that its id stands for, if it has no other.

    >>> identify_paper(Document(id="10.1000/x")).doi, identify_paper(Document(id="7")).pmid
    ('10.1000/x', '7')
    """
    if paper.is_identifiable:
        return paper
    likeliest = islice(guess_identifiers(paper.id).items(), 1)
    return msgspec.structs.replace(paper, **dict(likeliest))


def _digest(papers: Sequence[Document], budget: Budget, *, rounds: int) -> str:
    """Return a gathering's key, made from its seeds and its numbers of records and rounds."""
    named = sorted(paper.pmid or paper.doi or paper.pmcid or paper.text for paper in papers)
    key = msgspec.json.encode([named, budget.records, rounds])
    return f"gathering {hashlib.blake2b(key, digest_size=12).hexdigest()}"
