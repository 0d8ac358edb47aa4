"""What replays of other reviews taught: how convinced reading must be, and what is left then.

`make bench-screen` fits it to replays of reviews that people screened and of pseudo-reviews, and
writes `calibration.json`. For each review it also holds what is fitted without that review (for
pseudo-reviews without a tenth of them), so that advice can be judged on reviews it never saw.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
import numpy as np

FORMAT = 1
FILE = "calibration.json"


class LeftWeights(msgspec.Struct, frozen=True):
    """What signs count for the number left (`posterior.py`)."""

    mean: tuple[float, ...]
    """For the logarithm of its mean, ..."""
    shape: tuple[float, ...]
    """... and of its shape."""


class Level(msgspec.Struct, frozen=True):
    """How convinced reading must be for a recall."""

    recall: float
    confidences: tuple[float, ...]
    """Rising; for each of them ..."""
    needed: tuple[float, ...]
    """... the conviction at which to stop."""


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """What was fitted to the replays of some reviews."""

    reviews: tuple[str, ...] = ()
    """Those it was fitted without; of the whole, none."""
    levels: tuple[Level, ...]
    """How high the conviction must be (`reading.py`), by recall, rising."""
    left: LeftWeights
    left_by_scores: LeftWeights
    """Where scores tell too."""

    def needed(self, *, recall: float, confidence: float) -> float:
        """Return the conviction at which to stop; infinite where replays can't tell.

        Between those that were calibrated, the next higher recall and confidence count.
        """
        for level in self.levels:
            if level.recall >= recall - 1e-9:
                at = int(np.searchsorted(level.confidences, confidence - 1e-9))
                return level.needed[at] if at < len(level.needed) else np.inf
        return np.inf


class CalibrationFile(msgspec.Struct, frozen=True, kw_only=True):
    """What comes with the package."""

    format: int = FORMAT
    made: dict[str, Any]
    """What it was made from."""
    whole: Calibration
    parts: tuple[Calibration, ...]
    """Each fitted without some reviews."""


@cache
def calibration_file() -> CalibrationFile:
    """Return what comes with the package."""
    content = files("likewise.learn.stopping").joinpath(FILE).read_bytes()
    return msgspec.json.decode(content, type=CalibrationFile)


def past_replays(*, without: str = "") -> Calibration:
    """Return what replays taught, of those that come with the package; without one review."""
    kept = calibration_file()
    return next((part for part in kept.parts if without in part.reviews), kept.whole)
