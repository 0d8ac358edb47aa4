"""Rows of numbers on and off a topic, and how well scores tell them apart."""

import numpy as np


def labelled(seeds=15, hidden=30, others=150):
    """Rows of three columns, and which of the pool are on topic."""
    rng = np.random.default_rng(2)
    on, off = rng.normal(1.5, 1, (seeds + hidden, 3)), rng.normal(0, 1, (others, 3))
    return on[:seeds], np.vstack([on[seeds:], off]), np.arange(hidden + others) < hidden


def in_order(scores, is_on):
    """The share of pairs, one on and one off topic, in the right order."""
    return (scores[is_on, None] > scores[None, ~is_on]).mean()
