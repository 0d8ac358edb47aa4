"""What was looked at in a session, as the numbers that estimates and stopping rules go by.

The *pool* is that of the latest expansion, without the seeds. What is marked maybe was looked at,
and may be on topic or not: where a bound is proven, it counts as on topic and as not found.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from likewise.errors import SessionError
from likewise.expansion.marks import reading_order
from likewise.learn.stopping.advice import Proof
from likewise.learn.stopping.audits import AuditResult, chains_of
from likewise.learn.stopping.left import Standing
from likewise.learn.stopping.looked import Looked

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from likewise.expansion.marks import Label
    from likewise.expansion.saved import SavedExpansion, SavedPlace
    from likewise.expansion.sessions.entries import Audit
    from likewise.expansion.sessions.session import Session

FOUND: tuple[Label, ...] = ("relevant", "maybe")
"""What counts as on topic where a bound is to be shown."""
JUDGED: tuple[Label, ...] = ("relevant", "irrelevant")
"""What reading tells by."""
LATEST = "~"
"""A time after all others."""


class _Chain(NamedTuple):
    """Audits whose populations lie within one another."""

    number: int
    population: frozenset[str]
    """That of the first."""


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
    """In which order they were read, as far as that is known."""
    audits: Sequence[Audit]

    @cached_property
    def pool(self) -> list[SavedPlace]:
        """The places of the pool, best first."""
        return [place for place in self.saved.ranking if not place.seed]

    @cached_property
    def seeds(self) -> list[SavedPlace]:
        """The places of the seeds."""
        return [place for place in self.saved.ranking if place.seed]

    @cached_property
    def rest(self) -> list[SavedPlace]:
        """The places of the pool that were not looked at, best first."""
        return [place for place in self.pool if place.id not in self.labels]

    @property
    def unfinished(self) -> list[str]:
        """What of the latest audit was not looked at yet, and can be."""
        rest = {place.id for place in self.rest}
        return [drawn for drawn in self.audits[-1].drawn if drawn in rest] if self.audits else []

    def count(self, label: Label) -> int:
        """Return how many documents have a label, without the seeds."""
        seeds = {place.id for place in self.seeds}
        return sum(of == label and name not in seeds for name, of in self.labels.items())

    def standing(self) -> Standing:
        """Return where seeds, what was looked at, and the rest stand."""
        told = [place for place in self.pool if self.labels.get(place.id, "maybe") != "maybe"]
        return Standing(
            seeds=_scores(self.seeds, unknown=np.nan),
            looked_at=_scores(told),
            labels=np.array([self.labels[place.id] == "relevant" for place in told], dtype=bool),
            rest=_scores(self.rest),
        )

    @cached_property
    def read(self) -> list[str]:
        """What of the pool was read and judged, in order; audits are drawn in another one."""
        pool = {place.id for place in self.pool} - self._drawn
        return [name for name in self.order if name in pool and self.labels.get(name) in JUDGED]

    @property
    def brought(self) -> int:
        """How many of the pool were judged in no order that is known, as what a file brought."""
        judged = {p.id for p in self.pool if self.labels.get(p.id) in JUDGED} - self._drawn
        return len(judged) - len(self.read)

    @cached_property
    def _drawn(self) -> set[str]:
        return {name for audit in self.audits for name in audit.drawn}

    @cached_property
    def looked(self) -> Looked:
        """What stopping rules go by."""
        labels = [self.labels[name] == "relevant" for name in self.read]
        results, _ = self._results()
        return Looked(
            labels=np.array(labels, dtype=bool),
            size=len(labels) + len(self.rest),
            seeds=len(self.seeds),
            brought=self.count("relevant") - sum(labels),
            audits=tuple(results),
            scored=self.standing().scored(),
        )

    def proof(self, *, confidence: float) -> Proof:
        """Return what audits prove of the rest."""
        results, chains = self._results()
        shown = Proof(found=self.count("relevant"), maybe=self.count("maybe"))
        if not results:
            return shown
        known = [
            told.left_at_most(found=self._found(chain.population), confidence=confidence)
            + self._uncovered(chain)
            for told, chain in zip(chains_of(results), chains, strict=True)
        ]
        latest = chains[-1]
        return shown._replace(
            audits=tuple(results),
            found=self._found(latest.population),
            uncovered=self._uncovered(latest),
            left=min(known),
        )

    def _results(self) -> tuple[list[AuditResult], list[_Chain]]:
        """Return what the audits found, and the chains that they make."""
        results: list[AuditResult] = []
        chains: list[_Chain] = []
        before: frozenset[str] = frozenset()
        ends = [*(audit.time for audit in self.audits[1:]), LATEST]
        for audit, end in zip(self.audits, ends, strict=False):
            population = frozenset(audit.population)
            if not chains or not self._is_rest_of(before, population, time=audit.time):
                chains.append(_Chain(len(chains), population))
            told = self._told(audit, before=end)
            gone = chains[-1].population - population
            number = chains[-1].number
            results.append(
                AuditResult(
                    len(population), len(told), self._found(told), self._found(gone), number
                )
            )
            before = population
        return results, chains

    def _told(self, audit: Audit, *, before: str) -> list[str]:
        """Return what of an audit was looked at before the next one, up to the first gap.

        After a gap it is not known whether chance or the person chose what was looked at.
        """
        return list(takewhile(lambda drawn: self._is_marked(drawn, before), audit.drawn))

    def _is_rest_of(self, before: frozenset[str], population: frozenset[str], *, time: str) -> bool:
        """Say whether a population is another without what was looked at in between."""
        return population <= before and all(
            self._is_marked(gone, time) for gone in before - population
        )

    def _is_marked(self, identifier: str, time: str) -> bool:
        return identifier in self.labels and self.times[identifier] <= time

    def _found(self, ids: Iterable[str]) -> int:
        return sum(self.labels.get(identifier) in FOUND for identifier in ids)

    def _uncovered(self, chain: _Chain) -> int:
        return sum(place.id not in chain.population for place in self.rest)


def looking_of(session: Session) -> Looking:
    """Return what was looked at in a session."""
    with session.at_one_moment():
        saved, history, current = session.expansion(), session.history(), session.current()
        audits = session.audits()
    if saved is None:
        raise SessionError(
            f"{session.path}: nothing was expanded yet; do it with: "
            f"likewise expand --session {session.path}"
        )
    times: dict[str, str] = {}
    for mark in history:
        times.setdefault(mark.document, mark.time)
    labels = {name: mark.label for name, mark in current.items() if mark.label}
    return Looking(saved, labels, times, reading_order(history), audits)


def _scores(places: Sequence[SavedPlace], *, unknown: float = -np.inf) -> NDArray[np.float64]:
    scores = [unknown if place.score is None else place.score for place in places]
    return np.array(scores, dtype=np.float64)
