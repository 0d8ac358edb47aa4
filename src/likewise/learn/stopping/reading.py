"""What reading alone can tell: a test that is calibrated on replays of other reviews.

It uses nothing but the labels of what was read, in order, and how much is unread. Finds decline
with reading: if they decline exponentially, hardly any are still to come; if they decline as a
power, many are (`stopping/__init__.py`). Reviews lie in between, so the mean number still to come
is taken to be the geometric mean of the two, and a negative binomial distribution of a fixed shape
says how far off that may be. The *conviction* that a recall is reached is

    - ln P(more are left than the recall allows)

Replays of other reviews tell how high it must be. In each, the highest conviction before the recall
was really reached would have misled. A conviction is enough if it misleads in at most a share
1 - confidence of them, counting one miss more (conformal risk control; Angelopoulos et al., 2022).
So the promise holds across reviews like those: at a confidence of 0.95, 95 of 100 reach the recall.
It says nothing certain about a single review; audits do (`audits.py`).

The *calibration* is what the replays taught. `make bench-screen` fits it to replays of reviews that
people screened and of pseudo-reviews, and writes `calibration.json`. For each review it also holds
what is fitted without that review (for pseudo-reviews without a tenth of them), so that advice can
be judged on reviews it never saw.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import msgspec
import numpy as np
from scipy.special import betaincc

from likewise.learn.estimates import Target
from likewise.learn.stopping import RATES, Screening, expect_ahead

SHAPE = 2.0
"""The shape of the negative binomial distribution of how many are left."""
LEAST_FOUND = 10
"""With fewer finds than this, nothing can be said."""
ASKED = 100
"""How many times the test is made if everything is read."""
FORMAT = 1
FILE = "calibration.json"


def measure_conviction(looked: Screening, *, recall: float) -> float:
    """Return the conviction that a recall is reached; minus infinity if nothing can be said."""
    if not LEAST_FOUND <= looked.found < looked.count < looked.size:
        return -np.inf
    # After each further document, most of the questions are the same as before.
    packed = np.packbits(looked.labels).tobytes()
    ahead = _remember_ahead(packed, looked.count, looked.size)
    allowed = Target(recall).count_allowed(looked.known)
    more = betaincc(SHAPE, allowed + 1, SHAPE / (SHAPE + ahead))
    return float(-np.log(max(more, 1e-300)))


def find_stop(
    looked: Screening, target: Target, *, calibration: Calibration | None = None
) -> int | None:
    """Return after how many documents the test said stop and did not take that back later.

    The test is made after each hundredth of the documents, as in the replays of the calibration.
    Once it has said stop, that stands, since the promise was made then. It is taken back only if
    the test is less than half convinced later.
    """
    known = calibration or find_calibration()
    enough, half = (
        known.find_needed(recall=target.recall, confidence=confidence)
        for confidence in (target.confidence, 0.5)
    )
    stopped: int | None = None
    step = max(1, looked.size // ASKED)
    for count in range(step, looked.count + 1, step):
        convinced = measure_conviction(looked.first(count), recall=target.recall)
        if convinced >= enough:
            stopped = stopped or count
        elif convinced < half:
            stopped = None
    return stopped


def is_half_convinced(
    looked: Screening, target: Target, *, calibration: Calibration | None = None
) -> bool:
    """Return whether the recall is as likely reached as not, so an audit is worth its work."""
    known = calibration or find_calibration()
    half = known.find_needed(recall=target.recall, confidence=0.5)
    return measure_conviction(looked, recall=target.recall) >= half


@lru_cache(maxsize=4096)
def _remember_ahead(packed: bytes, count: int, size: int) -> float:
    """Return how many are still to come: the geometric mean of both ways of declining."""
    labels = np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=count).astype(bool)
    looked = Screening(labels=labels, size=size)
    exponential, power = (expect_ahead(looked, rate=rate) for rate in RATES)
    return float(np.sqrt(max(exponential * power, 1e-9)))


class LeftWeights(msgspec.Struct, frozen=True):
    """The weights of signs for the number left (`posterior.py`)."""

    mean: tuple[float, ...]
    """The weights for the logarithm of its mean."""
    shape: tuple[float, ...]
    """The weights for the logarithm of its shape."""


class Level(msgspec.Struct, frozen=True):
    """How convinced reading must be for a recall."""

    recall: float
    confidences: tuple[float, ...]
    """Confidences, rising."""
    needed: tuple[float, ...]
    """For each of them, the conviction at which to stop."""


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """What was fitted to the replays of some reviews."""

    reviews: tuple[str, ...] = ()
    """The reviews that it was fitted without; none for the calibration on all."""
    levels: tuple[Level, ...]
    """How high the conviction must be, by recall, rising."""
    left: LeftWeights
    left_by_scores: LeftWeights
    """The weights if scores are known too."""

    def find_needed(self, *, recall: float, confidence: float) -> float:
        """Return the conviction at which to stop; infinity if replays can't tell.

        Values between those that were calibrated are rounded up to the next recall and confidence.
        """
        for level in self.levels:
            if level.recall >= recall - 1e-9:
                at = int(np.searchsorted(level.confidences, confidence - 1e-9))
                return level.needed[at] if at < len(level.needed) else np.inf
        return np.inf


class CalibrationFile(msgspec.Struct, frozen=True, kw_only=True):
    """The calibration that comes with the package."""

    format: int = FORMAT
    made: dict[str, Any]
    """What it was made from."""
    whole: Calibration
    parts: tuple[Calibration, ...]
    """Calibrations that were each fitted without some reviews."""


@cache
def read_calibration_file() -> CalibrationFile:
    """Return the calibration that comes with the package."""
    content = files("likewise.learn.stopping").joinpath(FILE).read_bytes()
    return msgspec.json.decode(content, type=CalibrationFile)


def find_calibration(*, without: str = "") -> Calibration:
    """Return the package's calibration on all reviews, or the one fitted without a review."""
    kept = read_calibration_file()
    return next((part for part in kept.parts if without in part.reviews), kept.whole)
