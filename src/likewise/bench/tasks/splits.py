"""Which documents of a task are for training, for validation and for testing.

Seeds come in one order a draw. In an inductive task every third of the order is for validation, so
that larger tasks of a draw hold the seeds of the smaller ones, part by part. The pool is split into
a half and two quarters, the documents on topic and those off topic alike, as the authors of the
paper did.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy as np

    from likewise.bench.tasks.task import Setting, Split


class Parts(NamedTuple):
    """Documents with a label, by what they are for."""

    train: tuple[str, ...]
    """Or, of a transductive task, all."""
    validation: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """Both."""
        return self.train + self.validation

    def splits(self, setting: Setting) -> dict[str, Split]:
        """Return the split that each of the documents is in."""
        is_whole = setting == "transductive"
        return {
            **dict.fromkeys(self.train, "all" if is_whole else "train"),
            **dict.fromkeys(self.validation, "validation"),
        }


def needed(count: int, *, setting: Setting) -> int:
    """Return how many documents it takes for so many of the training part.

    >>> needed(20, setting="inductive"), needed(5, setting="inductive")
    (30, 8)
    """
    return count + math.ceil(count / 2) if setting == "inductive" else count


def parts_of(order: Sequence[str], count: int, *, setting: Setting) -> Parts:
    """Take the first of an order: so many for training and, if inductive, half as many more.

    >>> parts_of("abcdefgh", 4, setting="inductive")
    Parts(train=('a', 'c', 'd', 'f'), validation=('b', 'e'))
    """
    taken = tuple(order[: needed(count, setting=setting)])
    if setting == "transductive":
        return Parts(taken)
    train = tuple(identifier for place, identifier in enumerate(taken) if place % 3 != 1)
    return Parts(train, taken[1::3])


def split_pool(
    ids: Sequence[str], relevant: Collection[str], *, rng: np.random.Generator
) -> dict[str, Split]:
    """Deal a pool into a half for training, a quarter for validation and the rest for testing."""
    splits: dict[str, Split] = {}
    for is_on_topic in (True, False):
        side = [identifier for identifier in ids if (identifier in relevant) is is_on_topic]
        for place, row in enumerate(rng.permutation(len(side))):
            splits[side[row]] = _split_at(place, len(side))
    return splits


def _split_at(place: int, size: int) -> Split:
    if place < size // 2:
        return "train"
    return "validation" if place < size // 2 + size // 4 else "test"
