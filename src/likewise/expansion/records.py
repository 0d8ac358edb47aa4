"""The records of an expansion: places, rounds, estimates and explanations, each in one shape.

Their shape is the same whether they were just computed or read from a file. Numbers are exact until
they are saved: `round` keeps only as many digits as all machines agree on.
"""

from __future__ import annotations

import math
from typing import Literal, Protocol

import msgspec

from likewise.documents.document import Note
from likewise.expansion.marks import Label
from likewise.learn.estimates import Interval

SCORE_DIGITS = 6
PROBABILITY_DIGITS = 4
UP, DOWN = 8, 3
"""How many terms an explanation keeps for a document, and against it (few readers need these)."""


class Place(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A document's place in a ranking."""

    id: str
    rank: int = 0
    """Counted in the pool, from 1; a seed has the rank that its held-out score would get there."""
    score: float | None
    """None in a file if it is not finite; the same goes for the probability."""
    probability: float | None
    """The probability that it is on topic."""
    decision: bool
    """Whether it counts as on topic: seeds always do, and a mark other than maybe decides."""
    seed: bool
    mark: Label | None = None
    """Its label, if a person marked it; score and probability were computed without that."""

    @property
    def height(self) -> float:
        """The score to sort by: below all others if it has none."""
        return -math.inf if self.score is None else self.score

    @property
    def chance(self) -> float:
        """The probability to add up: 0 if it has none."""
        return self.probability or 0.0

    def round(self) -> Place:
        """Return a copy with its numbers rounded for saving."""
        return msgspec.structs.replace(
            self,
            score=round_finite(self.score, SCORE_DIGITS),
            probability=round_finite(self.probability, PROBABILITY_DIGITS),
        )


class Round(msgspec.Struct, frozen=True):
    """What one round of retrieval and learning brought."""

    added: int
    """Documents that joined the pool."""
    likely: int
    """Those of them that were decided to be on topic at the end of the round."""
    decided: int
    """Documents of the pool decided to be on topic at the end of the round."""


class Recapture(msgspec.Struct, frozen=True):
    """Expected numbers of papers on topic that were found; only papers with known links count."""

    words: float
    links: float
    both: float
    missed: Interval
    """How many such papers neither found, if the two find papers independently."""

    def round(self) -> Recapture:
        """Return a copy with its numbers rounded for saving."""
        words, links, both = (round(number, 1) for number in (self.words, self.links, self.both))
        return Recapture(words, links, both, self.missed.round(1))


class Estimates(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is estimated about the pool and the list of documents decided to be on topic."""

    relevant: Interval
    """How many documents of the pool are on topic, with those marked relevant but not the seeds."""
    precision: float | None
    """Of the decided documents, the share that is on topic; None, in a file, if not finite."""
    recall: float | None
    """Of the documents in the pool that are on topic, the share that is decided."""
    outside: Interval | None
    """The share of the topic that lies outside the pool; None if no seed is in the library."""
    recapture: Recapture | None = None
    """What citations, as a second search, say about papers not found; None if they say nothing."""

    def round(self) -> Estimates:
        """Return a copy with its numbers rounded for saving."""
        return Estimates(
            relevant=self.relevant.round(PROBABILITY_DIGITS),
            precision=round_finite(self.precision, PROBABILITY_DIGITS),
            recall=round_finite(self.recall, PROBABILITY_DIGITS),
            outside=self.outside and self.outside.round(PROBABILITY_DIGITS),
            recapture=self.recapture and self.recapture.round(),
        )


class SeedLink(msgspec.Struct, frozen=True, array_like=True):
    """A citation link between a document and a seed."""

    document: str
    seed: str
    kind: Literal["cites", "cited_by", "shares", "together"]
    """The document cites the seed, is cited by it, shares references, or is cited with it."""
    times: int = 1
    """How many references they share, or in how many papers both are cited."""


class Explanation(msgspec.Struct, frozen=True):
    """Why a document has its score."""

    up: tuple[str, ...]
    """Terms (as the library's analysis gives them) that moved it up, the strongest first."""
    down: tuple[str, ...]
    """Terms that moved it down, the strongest first."""
    nearest_seed: str
    """The id of the seed most like it."""
    weights: dict[str, float] = {}
    """How far each term moved it; empty if that was not kept, as in a session."""
    links: str = ""
    """How it is linked with the seeds by citations, in words; "" if it is not."""


class ExplanationNumbers(msgspec.Struct, frozen=True, array_like=True):
    """Why a document has its score, with its terms and seeds given by number."""

    up: tuple[int, ...]
    down: tuple[int, ...]
    nearest_seed: int


class Explanations(msgspec.Struct, frozen=True):
    """Why the documents of an expansion have their scores, small enough to be kept.

    20,000 documents take 0.5 MB in a session.
    """

    terms: tuple[str, ...]
    """The most frequent first, so that most numbers are short."""
    seeds: tuple[str, ...]
    """Their ids."""
    documents: dict[str, ExplanationNumbers]
    """By id."""
    links: dict[str, str] = {}
    """How citations link documents with the seeds, in words, by id; unlinked ones are left out."""

    def __post_init__(self) -> None:
        """Raise ValueError if a number names no term or seed, as in a damaged file."""
        terms, seeds = range(len(self.terms)), range(len(self.seeds))
        for numbers in self.documents.values():
            if numbers.nearest_seed not in seeds:
                raise ValueError(f"no seed {numbers.nearest_seed}")
            for term in (*numbers.up, *numbers.down):
                if term not in terms:
                    raise ValueError(f"no term {term}")

    def explain(self, identifier: str) -> Explanation | None:
        """Return why the document with this id has its score; None if it was not ranked."""
        numbers = self.documents.get(identifier)
        if numbers is None:
            return None
        return Explanation(
            tuple(self.terms[number] for number in numbers.up),
            tuple(self.terms[number] for number in numbers.down),
            self.seeds[numbers.nearest_seed],
            links=self.links.get(identifier, ""),
        )


class Explains(Protocol):
    """A callable that explains the documents of an expansion."""

    def __call__(self, identifier: str, /) -> Explanation:
        """Explain the score of the document with this id; raise KeyError if it was not ranked."""

    def explain_all(self) -> Explanations:
        """Return why every document has its score, with the strongest `UP` and `DOWN` terms."""


def note_place(place: Place | None) -> dict[str, Note]:
    """Return a place as notes on its document, rounded as when saved; empty notes for None."""
    if place is None:
        return dict.fromkeys(("rank", "score", "probability"), "")
    rounded = place.round()
    return {
        "rank": rounded.rank,
        "score": "" if rounded.score is None else rounded.score,
        "probability": "" if rounded.probability is None else rounded.probability,
    }


def round_number(value: float, digits: int) -> float:
    """Round a number, since its last bits differ between machines; -0.0 becomes 0.0.

    >>> round_number(-0.00000001, 6), round_number(2.00000012, 6)
    (0.0, 2.0)
    """
    return round(float(value), digits) + 0.0


def round_finite(value: float | None, digits: int) -> float | None:
    """Round a number; return None if it is not finite, since JSON can't express that."""
    if value is None or not math.isfinite(value):
        return None
    return round_number(value, digits)
