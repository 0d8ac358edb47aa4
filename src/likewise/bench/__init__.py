"""Measuring methods against the truth, which no other package ever sees.

All randomness in a benchmark follows from one number and from what each draw is for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np

K = TypeVar("K")
T = TypeVar("T")


def make_generator(number: int, *purpose: str | int) -> np.random.Generator:
    """Return the random generator of a purpose: the same each time, and unlike that of others.

    >>> make_generator(0, "seeds", 1).integers(100) == make_generator(0, "seeds", 1).integers(100)
    np.True_
    """
    name = "\0".join(map(str, (number, *purpose)))
    digest = hashlib.blake2b(name.encode(), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))


def group_by(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Return items by their key, both in the order in which they come.

    >>> group_by(["ant", "bee", "ape"], lambda word: word[0])
    {'a': ['ant', 'ape'], 'b': ['bee']}
    """
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups
