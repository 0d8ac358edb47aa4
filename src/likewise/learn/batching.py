"""Batches: which rows of each group of documents a step of training looks at.

The groups are a few seeds and a large pool, and perhaps negatives. *Ordinary* batches shuffle all
rows together, so if seeds are rare, most batches hold none. *Proportional* batches (Jacovi et al.,
2021, section 4.2) all hold the rounded-up share of each group:

>>> batches = ProportionalBatches({"positive": 50, "unlabeled": 10_000}, size=20)
>>> batches.counts, len(batches)
({'positive': 1, 'unlabeled': 19}, 50)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from likewise.errors import SettingsError

Batch = Mapping[str, NDArray[np.int64]]
"""The numbers of the rows of each group that are in a batch, by the group's name."""
LARGEST = 1000
"""The size of the paper's batches, used if it leaves an epoch enough steps."""
ENOUGH_STEPS = 15
"""The fewest steps that an epoch should have; the paper's have about twenty."""
FEW_STEPS = 2


class Batches(Protocol):
    """A way of cutting an epoch into batches."""

    def __len__(self) -> int:
        """Return how many batches an epoch has."""

    def epoch(self, rng: np.random.Generator) -> Iterator[Batch]:
        """Yield the batches of an epoch."""


class ProportionalBatches:
    """Batches that all hold the rounded-up share of each group.

    The largest group gives way, so that the shares add up to `size`. An epoch is one loop through
    one of the groups, and the others are shuffled anew whenever they run out. All batches have the
    same size, so the last one may be filled up with rows that the loop has already seen; no batch
    holds a row twice.

    Args:
        sizes: How many rows each group has, by its name.
        size: How many rows a batch has. If there are fewer in all, a batch holds them all.
        loop: The group that is looped through once: "smallest", "largest", or a group's name.
    """

    def __init__(self, sizes: Mapping[str, int], *, size: int, loop: str = "smallest") -> None:
        _check(sizes, size=size)
        self.sizes = dict(sizes)
        self.size = min(size, sum(sizes.values()))
        self.counts = _count_shares(self.sizes, size=self.size)
        self.loop = _choose_loop(self.sizes, loop=loop)

    def __len__(self) -> int:
        return _divide_up(self.sizes[self.loop], self.counts[self.loop])

    def epoch(self, rng: np.random.Generator) -> Iterator[Batch]:
        """Yield the batches of an epoch; the same generator gives the same ones."""
        endless = {
            name: _draw_endlessly(self.sizes[name], count=count, rng=rng)
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
        return _divide_up(sum(self.sizes.values()), self.size)

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


SizedBatches = ProportionalBatches | OrdinaryBatches
"""Batches that say how many rows each has."""


def cut_batches(
    batch: int | str,
    sizes: Mapping[str, int],
    cut: Callable[..., SizedBatches],
    *,
    most: int = LARGEST,
) -> SizedBatches:
    """Return batches of a size; "auto" takes the largest that leaves an epoch enough steps.

    That is at most 1000 rows, and few enough to leave 15 steps an epoch. A loop through fewer than
    15 seeds has no more steps than there are seeds, so then as many steps as seeds are enough.
    `cut` cuts groups of these sizes into batches of a `size`; if 1000 rows are too many for them,
    `most` is the largest size that "auto" may choose.

    >>> cut_batches("auto", {"positive": 20, "unlabeled": 2000}, ProportionalBatches).size
    101
    >>> cut_batches("auto", {"positive": 50, "unlabeled": 20_000}, ProportionalBatches).size
    1000
    """
    if isinstance(batch, int):
        return cut(sizes, size=batch)
    smallest = cut(sizes, size=len(sizes))
    enough = min(ENOUGH_STEPS, len(smallest))
    larger = (cut(sizes, size=size) for size in range(most, len(sizes), -1))
    return next((found for found in larger if len(found) >= enough), smallest)


def warn_of_few_steps(batches: SizedBatches) -> list[str]:
    """Return a warning about epochs that are over after a step or two."""
    steps = len(batches)
    if steps > FEW_STEPS:
        return []
    length = f"{steps} step{'s' * (steps > 1)} of {batches.size} documents"
    return [f"an epoch is only {length}; batch=auto or a smaller batch trains longer"]


def _check(sizes: Mapping[str, int], *, size: int) -> None:
    if not sizes:
        raise SettingsError(
            "there are no groups to make batches from; give the size of each by name"
        )
    for name, rows in sizes.items():
        if rows < 1:
            raise SettingsError(f"the group {name!r} has no rows; give at least one")
    if size < len(sizes):
        raise SettingsError(
            f"a batch of {size} can't hold rows of {len(sizes)} groups ({', '.join(sizes)}); "
            f"make it at least {len(sizes)}"
        )


def _count_shares(sizes: Mapping[str, int], *, size: int) -> dict[str, int]:
    total = sum(sizes.values())
    counts = {name: _divide_up(size * rows, total) for name, rows in sizes.items()}
    # Of groups of the same size the later one gives way: the first are the labelled ones.
    for name in sorted(sizes, key=sizes.__getitem__)[::-1]:
        excess = sum(counts.values()) - size
        counts[name] = max(1, counts[name] - excess)
    return counts


def _divide_up(number: int, divisor: int) -> int:
    # In whole numbers: a float could round a whole quotient up.
    return (number + divisor - 1) // divisor


def _choose_loop(sizes: Mapping[str, int], *, loop: str) -> str:
    if loop in sizes:
        return loop
    if loop not in ("smallest", "largest"):
        raise SettingsError(
            f"loop is {loop!r}; an epoch is one loop through the 'smallest' or the 'largest' "
            f"group, or through one by its name: {', '.join(sizes)}"
        )
    return (min if loop == "smallest" else max)(sizes, key=sizes.__getitem__)


def _draw_endlessly(
    size: int, *, count: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    waiting = rng.permutation(size)
    while True:
        if len(waiting) < count:
            shuffled = rng.permutation(size)
            # Rows that are still waiting come last, so that no batch holds one of them twice.
            is_waiting = np.isin(shuffled, waiting)
            waiting = np.concatenate([waiting, shuffled[~is_waiting], shuffled[is_waiting]])
        yield waiting[:count]
        waiting = waiting[count:]
