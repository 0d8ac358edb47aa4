"""Many things asked for in batches, several of which are on their way at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    Given = TypeVar("Given")
    Answer = TypeVar("Answer")

THREADS = 4


def batches(names: Iterable[str], size: int) -> Iterator[list[str]]:
    """Yield names in batches of a size.

    >>> list(batches(["a", "b", "c"], 2))
    [['a', 'b'], ['c']]
    """
    left = iter(names)
    while batch := list(islice(left, size)):
        yield batch


def ask_for_each(ask: Callable[[Given], Answer], jobs: Sequence[Given]) -> list[Answer]:
    """Return the answers to jobs in their order; a few are asked for at a time.

    >>> ask_for_each(len, ["one", "three"])
    [3, 5]
    """
    if len(jobs) < 2:
        return [ask(job) for job in jobs]
    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(ask, jobs))
