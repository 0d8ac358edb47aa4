"""Scorers for tests, that say what they are told to."""

import numpy as np

from likewise.learn.folds import Scores
from likewise.learn.material import Scored
from likewise.learn.methods import MethodInfo
from likewise.parameters import COUNT, Parameter

COSTLY = MethodInfo(
    name="costly",
    description="Takes its time.",
    scorer="learn.scripted:score_costly",
    parameters=(Parameter("steps", 2, COUNT, "steps to tell"),),
    is_costly=True,
)
"""A costly method, to be put into METHODS."""
ASKED = []
"""The material that the costly method was given, each time."""


def score_costly(material, *, rng, on_step=None, steps):
    """Take the engine's ranking, with a note at each step and a warning in the end."""
    ASKED.append(material)
    for step in range(steps):
        if on_step:
            on_step(step + 1, steps, f"risk 0.{step}")
    seeds, pool = material.retrieval.seeds, material.retrieval.pool
    known = np.where(np.isnan(seeds), pool.mean(), seeds)
    return Scored(Scores(known, pool), None, ("training was cut short",))
