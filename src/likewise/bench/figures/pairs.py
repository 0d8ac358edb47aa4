"""Pairs: the same method without and with what was learned beforehand.

That is a method without an encoder and with one, or a network whose embeddings start at random and
one whose embeddings start from latent topics.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from likewise.bench.figures.points import Point

MEASURE = "F1"
_START = re.compile(r",?\s*\bstart=(random|topics)")


class Pair(NamedTuple):
    """The same method on the same tasks, without and with what was learned beforehand."""

    method: str
    without: str
    """What it is called, as are ..."""
    having: str
    seeds: int
    topic: str
    before: float
    after: float
    """... the measures of both."""


class _Variant(NamedTuple):
    """A method stripped of what makes it one of a pair."""

    method: str
    start: str
    encoder: str


def pairs(points: Sequence[Point]) -> Iterator[Pair]:
    """Yield what is the same but for an encoder, or but for the start of its embeddings."""
    places: dict[tuple[int, str], dict[_Variant, float]] = defaultdict(dict)
    for point in points:
        places[point.seeds, point.topic][_variant(point)] = point.measures[MEASURE]
    for (seeds, topic), found in sorted(places.items()):
        for variant, after in sorted(found.items()):
            for other, names in _others(variant, found):
                if other in found:
                    yield Pair(variant.method, *names, seeds, topic, found[other], after)
                    break


def _variant(point: Point) -> _Variant:
    start = _START.search(point.method)
    method = _START.sub("", point.method).replace("(, ", "(").replace("()", "")
    return _Variant(method, start[1] if start else "", point.encoder)


def _others(
    variant: _Variant, found: Container[_Variant]
) -> Iterator[tuple[_Variant, tuple[str, str]]]:
    """Yield what a variant may be compared with, and what the two are called."""
    if variant.encoder:
        yield variant._replace(encoder=""), ("no encoder", variant.encoder)
    names = ("start=random", "start=topics")
    if variant.start == "topics":
        yield variant._replace(start="random"), names
        yield variant._replace(start=""), names
    # A start that is not spelled out is the method's own: the one that is not there.
    if variant.start == "" and variant._replace(start="topics") not in found:
        yield variant._replace(start="random"), names
