"""Advice: read on, audit, or stop.

If reading is to show that the target is reached, a test of what was read says when to stop
(`reading.py`). If audits are to prove it, none is drawn before that test is half convinced: it
would find too much to prove anything. From then on, advice is to do what reaches the target with
the least work. Reading the s likeliest of what is left, and auditing until the target is proven,
costs

    s + f (N - s)

of N documents, where f is the share to be drawn. If K left would be too many after reading, and
about m are left, the audit has to be so large that m f finds speak clearly against K:

    K kl(m f / K, f) = ln 1 / (1 - confidence)

with kl the divergence of two shares. Advice takes the s with the least cost. Probabilities only
decide how much work to plan; what is proven rests on audits alone.

What an audit can prove at all depends on how many were found. If k unread documents may be on
topic, k + 1 must be ruled out, and a sample of a share f misses all of them with a probability of
about (1 - f)^(k + 1). So at least

    f = 1 - (1 - confidence)^(1 / (k + 1))

of what is unread has to be drawn, even if it finds nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import rel_entr

from likewise.learn.estimates import Basis, Target, compute_recall
from likewise.learn.rows import Numbers
from likewise.learn.stopping import Screening
from likewise.learn.stopping.audits import AuditResult, join_chains, size_audit
from likewise.learn.stopping.reading import Calibration, find_stop, is_half_convinced

AHEAD = 100
"""How far advice looks ahead at most, in documents: what is learned by then may change it."""
RECALLS = (0.99, 0.95, 0.9, 0.8)
"""The recalls that people ask for."""
PLACES = 200
"""How many numbers of further documents to read are tried, to compare their cost."""
HALF = float(np.log(2))
"""The ln evidence that is lost by not knowing how many an audit will find."""
WITHIN_REACH = 0.5
"""An audit of a larger share is hardly better than reading everything."""

Kind = Literal["go on", "audit", "stop"]


@dataclass(frozen=True)
class Advice:
    """What to do next."""

    kind: Kind
    count: int
    """How many to look at next: the most likely, or a random sample for an audit; 0 to stop."""
    expected: float
    """How many of these are likely to be on topic."""
    left: int
    """How many are left at most, as audits prove with the confidence asked for."""
    recall: float
    """The recall that this proves."""
    by: Basis = "audits"
    """What shows that one can stop."""
    stopped_after: int | None = None
    """After how many read documents the test of reading said to stop, if it did."""


@dataclass(frozen=True)
class Proof:
    """What audits prove by now about the documents that were not looked at."""

    audits: tuple[AuditResult, ...] = ()
    found: int = 0
    """How many are found by now, by the count of the latest audit."""
    uncovered: int = 0
    """How many unread documents its population lacks, since the pool has grown."""
    left: int | None = None
    """How many are left at most, if that is known from anything but the latest audits."""
    maybe: int = 0
    """How many were looked at and marked maybe."""


def advise(
    looked: Screening,
    probabilities: Numbers,
    *,
    target: Target | None = None,
    proof: Proof | None = None,
    calibration: Calibration | None = None,
) -> Advice:
    """Advise what to do next.

    Args:
        looked: What was looked at.
        probabilities: How likely each document that was not looked at is on topic, as
            `estimate_left` returns it.
        target: The recall to reach, how sure to be, and by what.
        proof: What audits prove; by default, what those of `looked` prove in the same pool.
        calibration: The calibration on replays, in place of that which comes with the package.
    """
    target = target or Target()
    proof = proof or Proof(looked.audits, looked.known)
    rest, ordered = len(probabilities), -np.sort(-probabilities)
    left = _limit_left(proof, rest, target=target)
    shown = left + proof.maybe, compute_recall(looked.known, left=left + proof.maybe)
    if not rest or shown[0] <= target.count_allowed(looked.known):
        return Advice("stop", 0, 0.0, *shown)
    if target.by == "reading":
        stopped = find_stop(looked, target, calibration=calibration)
        if stopped is not None:
            return Advice("stop", 0, 0.0, *shown, by="reading", stopped_after=stopped)
    elif is_half_convinced(looked, target, calibration=calibration):
        first = _plan_reading(ordered, found=looked.known, proof=proof, target=target)
        if first:
            count = min(first, AHEAD)
            return Advice("go on", count, float(ordered[:count].sum()), *shown)
        count = _size_audit(rest, found=looked.known, proof=proof, target=target)
        if count < rest:
            return Advice("audit", count, count * float(ordered.mean()), *shown)
    count = min(rest, AHEAD)
    return Advice("go on", count, float(ordered[:count].sum()), *shown, by=target.by)


def find_least_audit(found: int, target: Target) -> float:
    """Return the least share of what is unread that an audit must draw to prove a target.

    >>> [round(find_least_audit(found, Target()), 2) for found in (20, 100, 400)]
    [0.78, 0.39, 0.13]
    """
    return float(1 - (1 - target.confidence) ** (1 / (target.count_allowed(found) + 1)))


def find_target_within_reach(found: int, target: Target) -> Target | None:
    """Return the highest recall, up to that of a target, that an audit could reasonably prove."""
    lower = [target._replace(recall=recall) for recall in RECALLS if recall < target.recall]
    return next(
        (one for one in (target, *lower) if find_least_audit(found, one) <= WITHIN_REACH), None
    )


def _limit_left(proof: Proof, rest: int, *, target: Target) -> int:
    """Return how many are left at most, according to audits."""
    known = [rest] if proof.left is None else [rest, proof.left]
    if chains := join_chains(proof.audits):
        latest = chains[-1].limit_left(found=proof.found, confidence=target.confidence)
        known.append(latest + proof.uncovered)
    return min(known)


def _size_audit(rest: int, *, found: int, proof: Proof, target: Target) -> int:
    """Return how large an audit has to be to prove the target if it finds nothing."""
    chain = proof.audits[-1].chain + bool(proof.uncovered) if proof.audits else 0
    return size_audit(
        max(0, target.count_allowed(found) - proof.maybe),
        population=rest,
        found=proof.found,
        audits=proof.audits,
        chain=chain,
        confidence=target.confidence,
    )


def _plan_reading(ordered: Numbers, *, found: int, proof: Proof, target: Target) -> int:
    """Return how many to read before an audit, so that reading and audit cost least together."""
    rest = len(ordered)
    reading = np.unique(np.append(0, np.geomspace(1, rest, PLACES).round())).astype(np.int64)
    reached = np.append(0.0, np.cumsum(ordered))
    newly, still = reached[reading], reached[-1] - reached[reading]
    odds = (1 - target.recall) / target.recall
    too_many = np.floor((found + newly) * odds - proof.maybe).clip(0) + 1
    needed = _find_needed(too_many + newly, proof=proof, target=target)
    cost = reading + _find_share(too_many, still, needed=needed) * (rest - reading)
    return int(reading[cost.argmin()])


def _find_needed(numbers: Numbers, *, proof: Proof, target: Target) -> Numbers:
    """Return the ln evidence that is still needed to rule out each of these numbers left."""
    needed = HALF - np.log(1 - target.confidence)
    if not proof.audits or proof.uncovered:
        return np.full(len(numbers), needed)
    chain = join_chains(proof.audits)[-1]
    places = numbers + proof.found - chain.found_before
    known = chain.against[np.minimum(places, len(chain.against) - 1).astype(np.int64)]
    return np.asarray(np.maximum(needed - known, 0))


def _find_share(too_many: Numbers, left: Numbers, *, needed: Numbers) -> Numbers:
    """Return the share that an audit has to draw to rule out `too_many`, if `left` are left."""
    low, high = np.zeros(len(left)), np.ones(len(left))
    for _ in range(30):
        share = (low + high) / 2
        seen = np.minimum(left / too_many, 1) * share
        evidence = too_many * (rel_entr(seen, share) + rel_entr(1 - seen, 1 - share))
        is_enough = evidence >= needed
        low, high = np.where(is_enough, low, share), np.where(is_enough, share, high)
    return high
