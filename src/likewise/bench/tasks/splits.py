"""Which documents of a task are for training, for validation and for testing.

Seeds and pool are split into a half and two quarters, as the authors of the paper did: |LP| and |U|
are what is for training. Seeds come in one order a draw, and go to the parts by turns, so that
larger tasks of a draw hold the seeds of the smaller ones, part by part. The pool is split with the
documents on topic and those off topic alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy as np

    from likewise.bench.tasks.task import Setting, Split


ALL_PER_TRAINING = 2
"""How many times what is for training there is of all parts together."""


class Parts(NamedTuple):
    """Documents with a label, by what they are for."""

    train: tuple[str, ...]
    """Or, of a transductive task, all."""
    validation: tuple[str, ...] = ()
    test: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """All of them."""
        return self.train + self.validation + self.test

    def splits(self, setting: Setting) -> dict[str, Split]:
        """Return the split that each of the documents is in."""
        is_whole = setting == "transductive"
        return {
            **dict.fromkeys(self.train, "all" if is_whole else "train"),
            **dict.fromkeys(self.validation, "validation"),
            **dict.fromkeys(self.test, "test"),
        }


def needed(count: int, *, setting: Setting) -> int:
    """Return how many documents it takes for so many of the training part.

    >>> needed(20, setting="inductive"), needed(5, setting="inductive")
    (40, 10)
    """
    return ALL_PER_TRAINING * count if setting == "inductive" else count


def parts_of(order: Sequence[str], count: int, *, setting: Setting) -> Parts:
    """Take the first of an order: so many for training and, if inductive, as many for the rest.

    >>> parts_of("abcdefgh", 4, setting="inductive")
    Parts(train=('a', 'c', 'e', 'g'), validation=('b', 'f'), test=('d', 'h'))
    """
    taken = tuple(order[: needed(count, setting=setting)])
    if setting == "transductive":
        return Parts(taken)
    return Parts(taken[::2], taken[1::4], taken[3::4])


def split_pool(
    ids: Sequence[str], relevant: Collection[str], *, rng: np.random.Generator
) -> dict[str, Split]:
    """Deal a pool into a half for training, a quarter for validation and the rest for testing."""
    splits: dict[str, Split] = {}
    for is_on_topic in (True, False):
        side = [identifier for identifier in ids if (identifier in relevant) is is_on_topic]
        # What an odd number leaves goes to training on topic, and off topic to testing.
        half, quarter = (len(side) + is_on_topic) // 2, len(side) // 4
        for place, row in enumerate(rng.permutation(len(side))):
            is_later = place >= half + quarter
            splits[side[row]] = "train" if place < half else "test" if is_later else "validation"
    return splits
