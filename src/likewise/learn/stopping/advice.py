"""Advice: read on, audit, or stop; whichever comes to the target with the least work.

Reading the s likeliest of what is left, and then auditing until the target is proven, costs

    s + f (N - s)

of N documents, where f is the share to be drawn. If K more than allowed would be left after
reading, and m are likely to be, the draw has to be such that m f found speak clearly against K:

    K kl(m f / K, f) = ln 1 / (1 - confidence)

with kl the divergence of two shares. Advice is by the s of the least cost. How likely documents are
to be on topic decides about this work alone; what is proven rests on audits.

Where reading is to show that the target is reached (`reading.py`), no audit is advised; if audits
prove it, it counts all the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from scipy.special import rel_entr

from likewise.learn.stopping.audits import audit_to_show, chains_of
from likewise.learn.stopping.target import Target, recall_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.learn.stopping.audits import AuditResult
    from likewise.learn.stopping.target import Basis

PLACES = 200
"""At how many lengths of reading on the cost is compared."""
STRETCH = 20
"""How many are read at least before one is asked again."""
HALF = float(np.log(2))
"""What it costs, as ln evidence, not to know how many an audit will find."""

Kind = Literal["go on", "audit", "stop"]


@dataclass(frozen=True)
class Advice:
    """What to do next."""

    kind: Kind
    count: int
    """How many to look at next: the likeliest to go on, drawn at random to audit; 0 to stop."""
    expected: float
    """How many of these are likely to be on topic."""
    left: int
    """How many are left at most, with the confidence asked for."""
    recall: float
    """The recall that this shows."""
    by: Basis = "audits"
    """What shows it."""


class Proof(NamedTuple):
    """What audits and reading show by now of what was not looked at."""

    audits: tuple[AuditResult, ...] = ()
    found: int = 0
    """How many are found by now, by the count that the latest audit goes by."""
    uncovered: int = 0
    """How many that were not looked at are not in its population: the pool has grown."""
    left: int | None = None
    """How many are left at most, if more is known than from the latest audits."""
    maybe: int = 0
    """How many were looked at, and may be on topic or not."""
    by_reading: int | None = None
    """How many are left at most as far as reading tells; None if it is not asked."""


def advise(
    probabilities: NDArray[np.float64],
    *,
    found: int,
    audits: Sequence[AuditResult] = (),
    target: Target | None = None,
    proof: Proof | None = None,
) -> Advice:
    """Advise what to do next.

    Args:
        probabilities: Of what was not looked at: that each is on topic, as `estimate_left` says.
        found: How many on topic were found, without the seeds.
        audits: In the order drawn, from a pool that stayed the same.
        target: The recall to reach, and how sure to be.
        proof: In place of the audits, where the pool did not stay the same.
    """
    target = target or Target()
    proof = proof or Proof(tuple(audits), found)
    rest, ordered = len(probabilities), -np.sort(-probabilities)
    left, by = _left(proof, rest, target=target)
    shown = left + proof.maybe, recall_of(found, left=left + proof.maybe), by
    if not rest or shown[0] <= target.allowed(found):
        return Advice("stop", 0, 0.0, *shown)
    planned = _until_shown if target.by == "reading" else _reading
    count = planned(ordered, found=found, proof=proof, target=target)
    if count:
        return Advice("go on", count, float(ordered[:count].sum()), *shown)
    count = _audit(rest, found=found, proof=proof, target=target)
    return Advice("audit", count, count * float(ordered.mean()), *shown)


def _left(proof: Proof, rest: int, *, target: Target) -> tuple[int, Basis]:
    """Return how many are left at most, and what tells it."""
    known = [rest] if proof.left is None else [rest, proof.left]
    if chains := chains_of(proof.audits):
        latest = chains[-1].left_at_most(found=proof.found, confidence=target.confidence)
        known.append(latest + proof.uncovered)
    audited, read = min(known), proof.by_reading
    if target.by == "audits" or read is None or (proof.audits and audited <= read):
        return audited, "audits"
    return read, "reading"


def _audit(rest: int, *, found: int, proof: Proof, target: Target) -> int:
    """Return how large an audit proves the target if it finds nothing."""
    chain = proof.audits[-1].chain + bool(proof.uncovered) if proof.audits else 0
    return audit_to_show(
        max(0, target.allowed(found) - proof.maybe),
        population=rest,
        found=proof.found,
        audits=proof.audits,
        chain=chain,
        confidence=target.confidence,
    )


def _reading(ordered: NDArray[np.float64], *, found: int, proof: Proof, target: Target) -> int:
    """Return how many to read before an audit, for the least work in all."""
    rest = len(ordered)
    reading = np.unique(np.append(0, np.geomspace(1, rest, PLACES).round())).astype(np.int64)
    reached = np.append(0.0, np.cumsum(ordered))
    newly, still = reached[reading], reached[-1] - reached[reading]
    odds = (1 - target.recall) / target.recall
    too_many = np.floor((found + newly) * odds - proof.maybe).clip(0) + 1
    needed = _needed(too_many + newly, proof=proof, target=target)
    cost = reading + _share(too_many, still, needed=needed) * (rest - reading)
    return int(reading[cost.argmin()])


def _until_shown(ordered: NDArray[np.float64], *, found: int, proof: Proof, target: Target) -> int:
    """Return how many to read until the target is likely to be shown by it."""
    reached = np.cumsum(ordered)
    at_most = len(ordered) if proof.by_reading is None else proof.by_reading
    # What is left at most is taken to shrink as what is likely to be left does.
    left = at_most * (1 - reached / reached[-1]) + proof.maybe
    is_shown = left <= (found + reached) * (1 - target.recall) / target.recall
    count = int(is_shown.argmax()) + 1 if is_shown.any() else len(ordered)
    return min(len(ordered), max(count, STRETCH))


def _needed(numbers: NDArray[np.float64], *, proof: Proof, target: Target) -> NDArray[np.float64]:
    """Return the ln evidence that is still needed against so many left by now."""
    needed = HALF - np.log(1 - target.confidence)
    if not proof.audits or proof.uncovered:
        return np.full(len(numbers), needed)
    chain = chains_of(proof.audits)[-1]
    places = numbers + proof.found - chain.found_before
    known = chain.against[np.minimum(places, len(chain.against) - 1).astype(np.int64)]
    return np.asarray(np.maximum(needed - known, 0))


def _share(
    too_many: NDArray[np.float64], left: NDArray[np.float64], *, needed: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the share to be drawn that speaks against too many, if so many are left."""
    low, high = np.zeros(len(left)), np.ones(len(left))
    for _ in range(30):
        share = (low + high) / 2
        seen = np.minimum(left / too_many, 1) * share
        told = too_many * (rel_entr(seen, share) + rel_entr(1 - seen, 1 - share))
        is_enough = told >= needed
        low, high = np.where(is_enough, low, share), np.where(is_enough, share, high)
    return high
