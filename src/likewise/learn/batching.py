"""Batches: which rows of each group of documents a step of training looks at.

Groups are few seeds and a large pool, or those and negatives. *Ordinary* batches shuffle all rows
together, so that most batches hold no seed where seeds are rare. *Proportional* batches (Jacovi et
al., 2021, section 4.2) hold the rounded-up share of each group, every one of them:

>>> batches = ProportionalBatches({"positive": 50, "unlabeled": 10_000}, size=20)
>>> batches.counts, len(batches)
({'positive': 1, 'unlabeled': 19}, 50)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from likewise.errors import SettingsError

Batch = Mapping[str, NDArray[np.int64]]
"""The numbers of the rows of each group that are in a batch, by the group's name."""


class Batches(Protocol):
    """A way of cutting an epoch into batches."""

    def __len__(self) -> int:
        """Return how many batches an epoch has."""

    def epoch(self, rng: np.random.Generator) -> Iterator[Batch]:
        """Yield the batches of an epoch."""


class ProportionalBatches:
    """Batches that all hold the rounded-up share of each group.

    The largest group gives way, so that the shares add up to `size`. An epoch is one loop through
    one of the groups, and the others are shuffled anew whenever they run out. So that every batch
    is of the same size, the last one may be filled up with rows that were seen in the loop before;
    no batch holds a row twice.

    Args:
        sizes: How many rows each group has, by its name.
        size: How many rows a batch has. Where there are fewer in all, a batch holds them all.
        loop: The group that is looped through once: "smallest", "largest", or a group's name.
    """

    def __init__(self, sizes: Mapping[str, int], *, size: int, loop: str = "smallest") -> None:
        _check(sizes, size=size)
        self.sizes = dict(sizes)
        self.size = min(size, sum(sizes.values()))
        self.counts = _counts(self.sizes, size=self.size)
        self.loop = _looped(self.sizes, loop=loop)

    def __len__(self) -> int:
        return _rounded_up(self.sizes[self.loop], self.counts[self.loop])

    def epoch(self, rng: np.random.Generator) -> Iterator[Batch]:
        """Yield the batches of an epoch; the same generator gives the same ones."""
        endless = {
            name: _endless(self.sizes[name], count=count, rng=rng)
            for name, count in self.counts.items()
        }
        for _ in range(len(self)):
            yield {name: next(rows) for name, rows in endless.items()}


class OrdinaryBatches:
    """All rows of all groups, shuffled together and cut into batches of `size`.

    The last batch may be shorter. A group that is absent from a batch has an empty array in it.
    """

    def __init__(self, sizes: Mapping[str, int], *, size: int) -> None:
        _check(sizes, size=size)
        self.sizes = dict(sizes)
        self.size = size

    def __len__(self) -> int:
        return _rounded_up(sum(self.sizes.values()), self.size)

    def epoch(self, rng: np.random.Generator) -> Iterator[Batch]:
        """Yield the batches of an epoch; the same generator gives the same ones."""
        ends = np.cumsum(list(self.sizes.values()))
        starts = ends - list(self.sizes.values())
        rows = rng.permutation(int(ends[-1]))
        for first in range(0, len(rows), self.size):
            batch = rows[first : first + self.size]
            yield {
                name: batch[(batch >= start) & (batch < end)] - start
                for name, start, end in zip(self.sizes, starts, ends, strict=True)
            }


def _check(sizes: Mapping[str, int], *, size: int) -> None:
    if not sizes:
        raise SettingsError("There are no groups to make batches of; give the size of each by name")
    for name, rows in sizes.items():
        if rows < 1:
            raise SettingsError(f"The group {name!r} has no rows; batches need at least one of it")
    if size < len(sizes):
        raise SettingsError(
            f"A batch of {size} can't hold rows of {len(sizes)} groups ({', '.join(sizes)}); "
            f"make it at least {len(sizes)}"
        )


def _counts(sizes: Mapping[str, int], *, size: int) -> dict[str, int]:
    total = sum(sizes.values())
    counts = {name: _rounded_up(size * rows, total) for name, rows in sizes.items()}
    # Of groups of the same size the later one gives way: the first are the labelled ones.
    for name in sorted(sizes, key=sizes.__getitem__)[::-1]:
        excess = sum(counts.values()) - size
        counts[name] = max(1, counts[name] - excess)
    return counts


def _rounded_up(number: int, divisor: int) -> int:
    # In whole numbers, so that what is whole stays as it is.
    return (number + divisor - 1) // divisor


def _looped(sizes: Mapping[str, int], *, loop: str) -> str:
    if loop in sizes:
        return loop
    if loop not in ("smallest", "largest"):
        raise SettingsError(
            f"loop is {loop!r}; an epoch is one loop through the 'smallest' or the 'largest' "
            f"group, or through one by its name: {', '.join(sizes)}"
        )
    return (min if loop == "smallest" else max)(sizes, key=sizes.__getitem__)


def _endless(size: int, *, count: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    waiting = rng.permutation(size)
    while True:
        if len(waiting) < count:
            shuffled = rng.permutation(size)
            # Those that still wait come last, so that no batch holds one of them twice.
            is_waiting = np.isin(shuffled, waiting)
            waiting = np.concatenate([waiting, shuffled[~is_waiting], shuffled[is_waiting]])
        yield waiting[:count]
        waiting = waiting[count:]
