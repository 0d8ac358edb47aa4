"""What was looked at, and what replays taught, both made by hand: the truth is known of them."""

import numpy as np

from likewise.learn.stopping import Screening
from likewise.learn.stopping.reading import Calibration, LeftWeights, Level

CONFIDENCES = (0.5, 0.8, 0.95)
NEEDED = (0.2, 0.6, 1.6)
EXPONENTIAL = 4
"""The place of what an exponential decline expects among the signs of what is left."""


def looked(*runs, size, **more):
    """Return what was looked at, as runs: 3 on topic, then 40 that are not, ... ."""
    labels = [place % 2 == 0 for place, run in enumerate(runs) for _ in range(run)]
    return Screening(labels=np.array(labels, dtype=bool), size=size, **more)


def declined(reached, *, size, read):
    """Return what was looked at if finds come as expected, and how many are left.

    Args:
        reached: Returns how many are found by a place, from 1.
        size: How many documents there are.
        read: How many of them were looked at.
    """
    by_place = reached(np.arange(1, size + 1))
    labels = np.zeros(size, dtype=bool)
    labels[np.searchsorted(by_place, np.arange(int(by_place[-1])) + 0.5)] = True
    return Screening(labels=labels[:read], size=size), int(labels[read:].sum())


def exponential(*, on_topic, size, half):
    """Return how many are found by a place, if each so many halve the rate."""
    rate = np.log(2) / half
    whole = on_topic / -np.expm1(-rate * size)
    return lambda place: -whole * np.expm1(-rate * place)


def one_sign(*, at, of):
    """Return weights by which the logarithm of a number is one sign alone."""
    weights = np.zeros(of)
    weights[at] = 1.0
    return tuple(weights.tolist())


def always(mean, *, shape=1.0):
    """Return weights by which so many are left, whatever was read."""
    return LeftWeights((float(np.log(mean)), *(0.0,) * 8), (float(np.log(shape)), 0.0, 0.0))


def taught(*, recalls=(0.8, 0.9, 0.95), needed=NEEDED, confidences=CONFIDENCES, shape=2.0, **more):
    """Return what replays taught; what is left is what an exponential decline expects, and 0.3."""
    shapes = (float(np.log(shape)), 0.0, 0.0)
    parts = {
        "levels": tuple(Level(recall, confidences, needed) for recall in recalls),
        "left": LeftWeights(one_sign(at=EXPONENTIAL, of=9), shapes),
        "left_by_scores": LeftWeights(one_sign(at=EXPONENTIAL, of=8), shapes),
    }
    return Calibration(**(parts | more))
