"""Starts: what is known when a review begins, the same for every tool that is measured.

What is drawn depends on the number of all randomness, the review's name and the draw alone: others
draw the same. Negatives are drawn along for tools that can't begin without; likewise gets none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from likewise.bench.randomness import generator
from likewise.documents.files import written_aside
from likewise.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np

    from likewise.bench.screening.reviews import Review

SEEDS = 10
NEGATIVES = 10


class Start(msgspec.Struct, frozen=True):
    """Records that are known when a review begins."""

    review: str
    draw: int
    """From 1."""
    seeds: tuple[str, ...]
    """On topic."""
    negatives: tuple[str, ...]
    """Off topic; for tools that need some."""


def draw_start(review: Review, draw: int, *, number: int = 0, seeds: int = SEEDS) -> Start:
    """Draw the records that are known when a review begins."""
    rng = generator(number, "screen", review.name, draw)
    negatives = sorted({one.id for one in review.documents} - review.on_topic)
    if len(review.on_topic) <= seeds or not negatives:
        raise RunError(
            f"{review.name}: {len(review.on_topic)} records on topic and {len(negatives)} off "
            f"topic; a replay from {seeds} seeds needs more than {seeds} on topic, and some off"
        )
    chosen = _drawn(sorted(review.on_topic), seeds, rng)
    return Start(review.name, draw, chosen, _drawn(negatives, NEGATIVES, rng))


def write_starts(starts: Sequence[Start], path: Path) -> None:
    """Write starts as JSON lines, for other tools to begin with."""
    with written_aside(path) as stream:
        stream.write(msgspec.json.Encoder().encode_lines(starts))


def _drawn(ids: Sequence[str], count: int, rng: np.random.Generator) -> tuple[str, ...]:
    chosen = rng.choice(len(ids), size=min(count, len(ids)), replace=False)
    return tuple(ids[place] for place in chosen)
