"""The judgement: what scores mean, from seeds, pool, other topics, and what was looked at.

Other topics tell which curves of precision by rank to expect (`experience.py`), and what was looked
at tells which of them fit (`precision.py`). Their mean is the probability at each place of the
ranking, and the probabilities give the precision and the recall to expect of any cut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from likewise.errors import SeedsError
from likewise.learn.estimates import Interval, SeedReading
from likewise.learn.experience import FAIR, Experience, past_experience, read_score_signs
from likewise.learn.folds import Scores, share_above
from likewise.learn.precision import Along, CurveReading, Curves, RankLabels, normalise_readings
from likewise.learn.rows import Numbers
from likewise.learn.stopping import Screening
from likewise.learn.stopping.posterior import update_left
from likewise.learn.thresholds import Keep, count_kept

UNLIKELY = 0.02
"""A reading that signs make less likely than this is reported, but not used in estimates ..."""
NEVER = 1e-6
"""... and one that is less likely than this is not even reported."""
FARTHEST = 1000.0
"""Log odds that no curve reaches, not even for seeds that are unlike any others."""
_NOTHING: Numbers = np.empty(0)


@dataclass(frozen=True, eq=False)
class Judgement:
    """What the scores of a pool mean; `scores.pool` holds those of documents not looked at."""

    scores: Scores
    prior: Interval
    places: Numbers
    """Shares of what was not looked at, rising, at each of which ..."""
    steps: Numbers
    """... documents have this probability, falling."""
    length: int
    """How many documents of `scores.pool` are in the list with the best expected F1."""
    readings: tuple[SeedReading, ...] = ()
    """The ways to read the seeds, the likeliest first."""
    signs: Mapping[str, float] = field(default_factory=dict)
    """The signs that it was judged by, besides labels."""
    found: Numbers = field(default_factory=lambda: _NOTHING)
    """The scores, out of fold, of what was found to be on topic ..."""
    off: Numbers = field(default_factory=lambda: _NOTHING)
    """... and of what was not."""

    def probabilities(self, scores: Numbers) -> Numbers:
        """Return how likely a document with each of these scores is on topic.

        Documents of the pool that score the same share the mean of their places' probabilities.
        """
        size, ordered = len(self.scores.pool), np.sort(-self.scores.pool)
        by_rank = np.interp((np.arange(size) + 0.5) / size, self.places, self.steps)
        reached = np.append(0, np.cumsum(by_rank))
        first = np.searchsorted(ordered, -scores, side="left")
        after = np.searchsorted(ordered, -scores, side="right")
        means = (reached[after] - reached[first]) / np.maximum(after - first, 1)
        between = np.interp(first / size, self.places, self.steps)
        # Differences of sums are off in their last digits, and would not fall with the rank.
        return np.where(after > first, means, between).round(9)

    def decide(self, keep: Keep | None = None) -> NDArray[np.bool_]:
        """Decide for each document of the pool; of those that score the same, the first go in."""
        keep = keep or Keep()
        pool, found = self.scores.pool, self.found
        is_decided = np.zeros(len(pool), dtype=bool)
        if keep.rule == "zero":
            return pool >= 0
        if keep.rule == "f1":
            is_decided[np.argsort(-pool, kind="stable")[: self.length]] = True
            return is_decided
        # Found documents are in the list that the rule cuts, each with probability 1.
        likely = np.concatenate([np.ones_like(found), self.probabilities(pool)])
        order = np.argsort(-np.concatenate([found, pool]), kind="stable")
        rows = order[: count_kept(keep, likely[order], seeds=self.seed_places)] - len(found)
        is_decided[rows[rows >= 0]] = True
        return is_decided

    def threshold(self, keep: Keep | None = None) -> float:
        """Return the lowest score of what is decided to be on topic; infinite if nothing is."""
        if keep and keep.rule == "zero":
            return 0.0
        return float(self.scores.pool[self.decide(keep)].min(initial=np.inf))

    @property
    def seed_places(self) -> Numbers:
        """The share of all documents, looked at or not, above each held-out seed."""
        return share_above(
            self.scores.seeds, np.concatenate([self.found, self.off, self.scores.pool])
        )


def judge(  # noqa: PLR0913  # scores of four kinds, and what is known beside them
    scores: Scores,
    *,
    signs: Mapping[str, float] | None = None,
    found: Numbers = _NOTHING,
    off: Numbers = _NOTHING,
    looked: Screening | None = None,
    prior: float | None = None,
    experience: Experience | None = None,
) -> Judgement:
    """Judge what scores mean.

    Args:
        scores: The scores of held-out seeds that would be in the pool, and of the unread pool.
        signs: What texts tell beside the scores (`read_material_signs`).
        found: The scores, out of fold, of what was looked at and is on topic ...
        off: ... and of what is not; NaN if they are not known.
        looked: In which order they were looked at, as far as that is known.
        prior: The share of `scores.pool` that is on topic, if it is known.
        experience: Experience of other topics, in place of that which comes with the package.
    """
    if not len(scores.seeds):
        raise SeedsError(
            "no seed has a score, because this method scores only what the library retrieves; "
            "choose another, such as --method linear"
        )
    lowest = scores.pool.min()
    found, off = (np.where(np.isnan(part), lowest, part) for part in (found, off))
    ranking = Ranking.of(scores, found=found, off=off)
    signs = read_score_signs(ranking.whole) | dict(signs or {})
    along, left, readings = ranking.combine_evidence(
        signs, experience=experience or past_experience(), looked=looked, prior=prior
    )
    size = len(scores.pool)
    return Judgement(
        scores=scores,
        prior=Interval(*(bound / size for bound in left)),
        places=(np.arange(size) + 0.5) / size,
        steps=np.repeat(along.probabilities, along.rest.astype(np.int64)),
        length=along.best_end(found=len(found)),
        readings=readings,
        signs=signs,
        found=found,
        off=off,
    )


class Ranking(NamedTuple):
    """All that is ranked, looked at or not, by rank."""

    whole: Scores
    """The scores of the seeds, and of all that is ranked."""
    rest: Numbers
    """The ranks of what was not looked at."""
    labels: RankLabels

    @classmethod
    def of(cls, scores: Scores, *, found: Numbers, off: Numbers) -> Ranking:
        """Rank what was found, what is off topic, and what was not looked at together."""
        ranked = np.concatenate([found, off, scores.pool])
        ranks = share_above(ranked, ranked) * len(ranked) + 0.5
        looked_at = len(found) + len(off)
        is_on = np.arange(looked_at) < len(found)
        whole = Scores(scores.seeds, ranked)
        return cls(whole, ranks[looked_at:], RankLabels(ranks[:looked_at], is_on))

    def combine_evidence(
        self,
        signs: Mapping[str, float],
        *,
        experience: Experience,
        looked: Screening | None = None,
        prior: float | None = None,
    ) -> RankingEstimate:
        """Return the estimate from all evidence: other topics, labels, and the order of reading.

        What was looked at, in order, tells more than labels at ranks do. `prior` is the share of
        what was not looked at that is on topic, if it is known.
        """
        past = experience if len(self.labels.ranks) else experience.tempered
        possible = [reading.learn_labels(self.labels) for reading in past.readings(signs)]
        readings = [reading for reading in possible if reading.weight >= UNLIKELY]
        if prior is not None:
            readings = possible = _shift_readings(readings, self, prior=prior)
        along, weighed = self.along(Curves.of(readings)), self.weigh_readings(possible)
        left = Interval(*along.number)
        if prior is None and looked is not None and looked.count:
            left = update_left(looked, left)
            # No curve leaves nothing at all, so a tenth of a document stands for none.
            share = max(left.value, 0.1) / len(self.rest)
            along = self.along(Curves.of(_shift_readings(readings, self, prior=share, close=1e-3)))
        return RankingEstimate(along, left, weighed)

    def along(self, curves: Curves) -> Along:
        """Return curves along this ranking."""
        return Along.of(curves, self.rest, size=len(self.whole.pool))

    def weigh_readings(self, readings: Sequence[CurveReading]) -> tuple[SeedReading, ...]:
        """Return the estimates for a fair sample and for a corner, the likelier first."""
        found, known = [], normalise_readings(readings)
        for is_corner in (False, True):
            side = [one for one in known if (one.kind != FAIR) == is_corner]
            weight = sum(one.weight for one in side)
            if weight > NEVER:
                found.append(SeedReading(is_corner, weight, self.along(Curves.of(side)).number[0]))
        return tuple(sorted(found, key=lambda one: -one.weight))


class RankingEstimate(NamedTuple):
    """What all evidence together says of a ranking."""

    along: Along
    """Curves along it."""
    left: Interval
    """How many of what was not looked at are on topic."""
    readings: tuple[SeedReading, ...]
    """The ways to read the seeds, the likelier first."""


def _shift_readings(
    readings: Sequence[CurveReading], ranking: Ranking, *, prior: float, close: float = 1e-6
) -> list[CurveReading]:
    """Return readings, shifted so that this share of what was not looked at is on topic.

    `close` is how near the shift of log odds has to come to the right one.
    """
    size = len(ranking.rest)
    wanted = float(logit(np.clip(prior, 1e-9, 1 - 1e-9)))

    def excess(shift: float) -> float:
        along = ranking.along(Curves.of([reading.shift(shift) for reading in readings]))
        share = float(along.probabilities @ along.rest) / size
        return float(logit(np.clip(share, 1e-12, 1 - 1e-12))) - wanted

    # The nearer the ends are to the right shift, the sooner it is found.
    now = excess(0.0)
    ends = [(0.0, -now * reach) for reach in (1.5, 4.0, 20.0)] + [(-FARTHEST, FARTHEST)]
    for low, high in ends:
        if now and excess(high) * (now if low == 0 else excess(low)) < 0:
            shift = _root(excess, low, high, close=close)
            return [reading.shift(shift) for reading in readings]
    # No curve reaches a share of 0 or 1, so the farthest shift is as near as curves come.
    shift = 0.0 if not now else -np.copysign(FARTHEST, now)
    return [reading.shift(float(shift)) for reading in readings]


def _root(function: Callable[[float], float], low: float, high: float, *, close: float) -> float:
    """Return where a function is 0, between two points at which its signs differ.

    It uses false position, halving the value at an end that stays each time (the Illinois method).
    Importing scipy.optimize for this would take longer than a whole judgement.
    """
    at_low, at_high, moved = function(low), function(high), abs(high - low)
    while moved > close:
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        value, moved = function(middle), abs(middle - high)
        low, at_low = (high, at_high) if value * at_high < 0 else (low, at_low / 2)
        high, at_high = middle, value
    return high
