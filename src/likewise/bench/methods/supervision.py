"""Which documents are learned from, which are for validation, and which are measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from likewise.bench.methods.view import View
    from likewise.bench.tasks.task import Split

    Mask = NDArray[np.bool_]

ASIDE = 1 / 3
"""What share is for validation where a task does not say: a quarter of the pool, as a third of what
may be learned from."""


class Supervision(NamedTuple):
    """Which documents of a pool are learned from, which are for validation, and which measured."""

    learned: Mask
    validation: Mask
    measured: Mask


def is_aside(splits: Sequence[Split], *, rng: np.random.Generator) -> Mask:
    """Tell which documents are for validation: as the task says, or a third at random.

    Args:
        splits: Those of documents that may be learned from.
        rng: Draws the third.
    """
    told = np.array([split == "validation" for split in splits], dtype=bool)
    if told.any() and not told.all():
        return told
    return rng.permutation(len(splits)) < max(1, round(ASIDE * len(splits)))


def asides(view: View, *, rng: np.random.Generator) -> dict[str, Mask]:
    """Tell which of the documents that may be learned from are for validation, by their label."""
    splits: dict[str, list[Split]] = {
        "positive": [entry.split for entry in view.seed_entries],
        "negative": [entry.split for entry in view.negative_entries],
        "unlabeled": splits_of(view),
    }
    return {label: is_aside(told, rng=rng) for label, told in splits.items()}


def supervisions(view: View, *, rng: np.random.Generator) -> list[Supervision]:
    """Return how a pool is learned with its truth known: in one go, or a quarter at a time.

    Where the whole pool is measured, each quarter is, by what is learned from two others and
    validated on the third.
    """
    size = len(view.pool)
    if not view.unseen:
        return quarters(size, rng=rng)
    measured = np.arange(size) >= size - view.unseen
    validation = np.zeros(size, dtype=bool)
    validation[~measured] = is_aside(splits_of(view), rng=rng)
    return [Supervision(~measured & ~validation, validation, measured)]


def quarters(size: int, *, rng: np.random.Generator) -> list[Supervision]:
    """Return how a pool is learned a quarter at a time."""
    quarter = rng.permutation(size) % 4
    return [
        Supervision(
            (quarter != number) & (quarter != (number + 1) % 4),
            quarter == (number + 1) % 4,
            quarter == number,
        )
        for number in range(4)
    ]


def splits_of(view: View) -> list[Split]:
    """Return the splits of the documents without a label that may be learned from."""
    if view.has_background:
        return ["all" for _ in view.learned]
    known = {entry.id: entry.split for entry in view.entries}
    return [known[identifier] for identifier in view.learned]
