"""Cautions: what advice on when to stop can't know, and what to do about it."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from likewise.expansion.wording import counted, share
from likewise.learn.stopping.advice import least_audit, target_within_reach
from likewise.learn.stopping.calibration import past_replays
from likewise.learn.stopping.reading import LEAST_FOUND

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from likewise.expansion.sessions.looking import Looking
    from likewise.learn.stopping.target import Target

GROWN = 1.05
"""A pool that grew by more than this since reading began is another one."""


def cautions_of(looking: Looking, target: Target, *, pools: Sequence[int]) -> Iterator[str]:
    """Yield a sentence for each thing that advice can't know.

    Args:
        looking: What was looked at.
        target: What is to be reached.
        pools: The size of the pool of each expansion so far.
    """
    if not looking.labels or not looking.rest:
        return
    yield from _order(looking, pools=pools)
    if target.by == "audits":
        yield from _audits(looking, target)
    else:
        yield from _reading(looking, target)


def _order(looking: Looking, *, pools: Sequence[int]) -> Iterator[str]:
    brought = looking.brought
    if brought:
        read = f"the {len(looking.read):,} read since" if looking.read else "what you read from now"
        yield f"{counted(brought, 'mark')} came from files, in no order: advice goes by {read}."
    if pools and pools[-1] > GROWN * pools[0]:
        yield (
            f"The pool has grown from {pools[0]:,} to {pools[-1]:,} candidates: what was read "
            "before tells little of the new ones; read some of them before you stop."
        )


def _reading(looking: Looking, target: Target) -> Iterator[str]:
    found = looking.looked.found
    levels = past_replays().levels
    level = next((one for one in levels if one.recall >= target.recall - 1e-9), None)
    if level is None:
        yield (
            f"No test short of reading everything shows a recall of {100 * target.recall:.4g} %; "
            f"{share(levels[-1].recall)} is within reach."
        )
    elif target.confidence > level.confidences[-1] + 1e-9:
        yield (
            f"Other reviews can't show a confidence of {100 * target.confidence:.4g} %; "
            f"{share(level.confidences[-1])} is within reach, or audits prove it."
        )
    elif looking.read and found == len(looking.read):
        yield (
            "Nothing irrelevant was read yet, so it can't be told how finding declines; read on "
            "down the ranking."
        )
    elif found < LEAST_FOUND:
        yield (
            f"Fewer than {LEAST_FOUND} were found by reading: too few to tell from when to stop; "
            "read on, or let audits prove it."
        )


def _audits(looking: Looking, target: Target) -> Iterator[str]:
    """Say what an audit can prove at all."""
    found, rest = looking.looked.known, len(looking.rest)
    needed = least_audit(found, target)
    told = (
        f"With {found:,} found, audits prove {share(target.recall)} only if at least "
        f"{_drawn(needed, rest)} are drawn"
    )
    nearer = target_within_reach(found, target)
    if nearer == target:
        yield f"{told}."
    elif nearer:
        yield f"{told}; for {share(nearer.recall)}, {_drawn(least_audit(found, nearer), rest)}."
    else:
        yield f"{told}; reading everything is hardly more work, so find more first."


def _drawn(part: float, rest: int) -> str:
    return f"{share(part)} of what is unread ({max(1, ceil(part * rest)):,})"
