"""What was looked at in a session, and what to look at next.

`Looking` holds the numbers that estimates and stopping rules use. The *pool* is that of the latest
expansion, without the seeds. A document marked maybe was looked at, and may or may not be on topic:
when a bound is proven, it counts as on topic and as not found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from likewise.arguments import check_count
from likewise.errors import SessionError
from likewise.expansion.cuts import SPREAD, find_cut, split_pool
from likewise.expansion.marks import (
    Label,
    Strategy,
    find_reading_order,
    gather_marks,
    list_own_labels,
)
from likewise.expansion.records import Place
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.sessions.records import Audit, check_words
from likewise.expansion.sessions.session_file import SessionFile
from likewise.learn.stopping import Screening
from likewise.learn.stopping.advice import Proof
from likewise.learn.stopping.audits import AuditResult, join_chains
from likewise.learn.stopping.left import Standing

FOUND: tuple[Label, ...] = ("relevant", "maybe")
"""The labels that count as on topic when a bound is proven."""
JUDGED: tuple[Label, ...] = ("relevant", "irrelevant")
"""The labels that count as judged by reading."""
LATEST = "~"
"""A time after all others."""


@dataclass(frozen=True)
class Looking:
    """What was looked at, and what was not."""

    saved: SavedExpansion
    """The latest expansion."""
    labels: Mapping[str, Label]
    """Of all documents that have one, in the order given."""
    times: Mapping[str, str]
    """When each of them was first marked, in that order."""
    order: Sequence[str]
    """The order in which they were read, as far as that is known."""
    audits: Sequence[Audit]

    @cached_property
    def pool(self) -> list[Place]:
        """The places of the pool, best first."""
        return [place for place in self.saved.ranking if not place.seed]

    @cached_property
    def seeds(self) -> list[Place]:
        """The places of the seeds."""
        return [place for place in self.saved.ranking if place.seed]

    @cached_property
    def rest(self) -> list[Place]:
        """The places of the pool that were not looked at, best first."""
        return [place for place in self.pool if place.id not in self.labels]

    @property
    def unfinished(self) -> list[str]:
        """The documents of the latest audit that are in the pool and were not looked at yet."""
        rest = {place.id for place in self.rest}
        return [drawn for drawn in self.audits[-1].drawn if drawn in rest] if self.audits else []

    def count(self, label: Label) -> int:
        """Return how many documents have a label, without the seeds."""
        seeds = {place.id for place in self.seeds}
        return sum(of == label and name not in seeds for name, of in self.labels.items())

    def standing(self) -> Standing:
        """Return the scores of the seeds, of what was looked at, and of the rest."""
        told = [place for place in self.pool if self.labels.get(place.id, "maybe") != "maybe"]
        return Standing(
            seeds=_get_scores(self.seeds, unknown=np.nan),
            looked_at=_get_scores(told),
            labels=np.array([self.labels[place.id] == "relevant" for place in told], dtype=bool),
            rest=_get_scores(self.rest),
        )

    @cached_property
    def read(self) -> list[str]:
        """The documents of the pool that were read and judged, in order; not those of audits."""
        pool = {place.id for place in self.pool} - self._drawn
        return [name for name in self.order if name in pool and self.labels.get(name) in JUDGED]

    @property
    def brought(self) -> int:
        """How many of the pool were judged in no known order, such as by marks from a file."""
        judged = {p.id for p in self.pool if self.labels.get(p.id) in JUDGED} - self._drawn
        return len(judged) - len(self.read)

    @cached_property
    def _drawn(self) -> set[str]:
        return {name for audit in self.audits for name in audit.drawn}

    @cached_property
    def looked(self) -> Screening:
        """The screening so far, as stopping rules see it."""
        labels = [self.labels[name] == "relevant" for name in self.read]
        results, _ = self._collect_results()
        return Screening(
            labels=np.array(labels, dtype=bool),
            size=len(labels) + len(self.rest),
            seeds=len(self.seeds),
            brought=self.count("relevant") - sum(labels),
            audits=tuple(results),
            scored=self.standing().expect_by_scores(),
        )

    def proof(self, *, confidence: float) -> Proof:
        """Return what audits prove about the rest."""
        results, chains = self._collect_results()
        shown = Proof(found=self.count("relevant"), maybe=self.count("maybe"))
        if not results:
            return shown
        known = [
            told.limit_left(found=self._count_found(population), confidence=confidence)
            + self._count_uncovered(population)
            for told, population in zip(join_chains(results), chains, strict=True)
        ]
        return replace(
            shown,
            audits=tuple(results),
            found=self._count_found(chains[-1]),
            uncovered=self._count_uncovered(chains[-1]),
            left=min(known),
        )

    def _collect_results(self) -> tuple[list[AuditResult], list[frozenset[str]]]:
        """Return what the audits found, and the first population of each chain that they form.

        In a chain, each audit is drawn from what was left of the population before.
        """
        results: list[AuditResult] = []
        chains: list[frozenset[str]] = []
        before: frozenset[str] = frozenset()
        ends = [*(audit.time for audit in self.audits[1:]), LATEST]
        for audit, end in zip(self.audits, ends, strict=False):
            population = frozenset(audit.population)
            if not chains or not self._is_rest_of(before, population, time=audit.time):
                chains.append(population)
            # After a gap it is not known whether chance or the person chose what was looked at.
            looked_at = list(takewhile(partial(self._is_marked, time=end), audit.drawn))
            result = AuditResult(
                population=len(population),
                looked_at=len(looked_at),
                on_topic=self._count_found(looked_at),
                found_before=self._count_found(chains[-1] - population),
                chain=len(chains) - 1,
            )
            results.append(result)
            before = population
        return results, chains

    def _is_rest_of(self, before: frozenset[str], population: frozenset[str], *, time: str) -> bool:
        """Return whether a population is the one before minus what was marked in between."""
        return population <= before and all(
            self._is_marked(gone, time) for gone in before - population
        )

    def _is_marked(self, identifier: str, time: str) -> bool:
        return identifier in self.labels and self.times[identifier] <= time

    def _count_found(self, ids: Iterable[str]) -> int:
        return sum(self.labels.get(identifier) in FOUND for identifier in ids)

    def _count_uncovered(self, population: frozenset[str]) -> int:
        return sum(place.id not in population for place in self.rest)


def require_expansion(session: SessionFile) -> SavedExpansion:
    """Return the latest expansion of a session; raise SessionError if there is none."""
    saved = session.expansion()
    if saved is None:
        raise SessionError(
            f"{session.path}: nothing was expanded yet; do it with: "
            f"likewise expand --session {session.path}"
        )
    return saved


def read_looking(session: SessionFile, *, reviewer: str | None = None) -> Looking:
    """Return what was looked at in a session: by anybody, or by one of its reviewers."""
    with session.at_one_moment():
        saved, history, audits = require_expansion(session), session.history(), session.audits()
    times: dict[str, str] = {}
    for mark in history:
        times.setdefault(mark.document, mark.time)
    opinions = gather_marks(history)
    decided = {name: given.decision.label for name, given in opinions.items()}
    labels = (
        {name: label for name, label in decided.items() if label}
        if reviewer is None
        else list_own_labels(opinions, reviewer)
    )
    return Looking(saved, labels, times, find_reading_order(history), audits)


def _get_scores(places: Sequence[Place], *, unknown: float = -np.inf) -> NDArray[np.float64]:
    scores = [unknown if place.score is None else place.score for place in places]
    return np.array(scores, dtype=np.float64)


def choose_next(
    session: SessionFile,
    count: int,
    strategy: Strategy,
    *,
    rng: np.random.Generator,
    reviewer: str = "",
) -> list[Place]:
    """Return documents to look at next, as `Session.next` says; `rng` draws audits.

    An audit is written into the session. One that was not finished is continued before another is
    drawn.
    """
    check_words((), strategy)
    check_count(count, name="count")
    looking = read_looking(session, reviewer=reviewer)
    if strategy == "audit":
        return _draw_audit(session, looking, count, rng=rng)
    if strategy == "calibrate":
        return _choose_spread(looking, count)
    return (looking.rest if strategy == "likely" else _sort_by_certainty(looking))[:count]


def _draw_audit(
    session: SessionFile, looking: Looking, count: int, *, rng: np.random.Generator
) -> list[Place]:
    places = {place.id: place for place in looking.rest}
    drawn = looking.unfinished
    if not drawn and places:
        population = list(places)
        rows = rng.choice(len(population), size=min(count, len(population)), replace=False)
        drawn = [population[row] for row in rows]
        session.add_audit(drawn, population=population)
    return [places[identifier] for identifier in drawn[:count]]


def _choose_spread(looking: Looking, count: int) -> list[Place]:
    """Return documents not looked at, at ranks spread evenly on a logarithmic scale."""
    rest = list(looking.rest)
    cut, last = max(find_cut(looking.saved), 1), max((place.rank for place in rest), default=1)
    ranks = np.geomspace(max(1.0, cut / SPREAD), min(last, SPREAD * cut), count)
    chosen: list[Place] = []
    for rank in ranks.tolist():
        if rest:
            nearest = min(rest, key=lambda place: abs(place.rank - rank))
            rest.remove(nearest)
            chosen.append(nearest)
    return sorted(chosen, key=lambda place: place.rank)


def _sort_by_certainty(looking: Looking) -> list[Place]:
    """Return what was not looked at, those nearest to the margin of the decision first."""
    # Documents marked by then lie where their marks say, however likely they are.
    places = split_pool(looking.saved.ranking).open
    decided = [place.chance for place in places if place.decision]
    others = [place.chance for place in places if not place.decision]
    margin = (min(decided, default=1.0) + max(others, default=0.0)) / 2
    # Many may be equally likely: of these, the ones nearest to the cut come first.
    cut = find_cut(looking.saved) + 0.5
    return sorted(
        looking.rest,
        key=lambda place: (abs(place.chance - margin), abs(place.rank - cut), place.rank),
    )
