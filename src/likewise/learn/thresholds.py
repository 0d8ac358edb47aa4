"""Where the decision falls: how much of the ranked list each rule keeps.

f1             the list that loses least F1, whichever curve is true (`precision.py`)
recall=0.95    the shortest list with this expected recall
precision=0.8  the longest list with this expected precision
top=500        the first 500 documents
ber            the list with the lowest expected balanced error
zero           what a method scores 0 or more, as in the paper (`judgement.py`)
conformal=0.9  the shortest list that reaches enough held-out seeds to promise this recall, whatever
               the scores are worth, if the seeds are a fair sample of their topic
expected-f1    the list with the highest F1 that the probabilities expect; for comparison
ratio          the list with the highest r^2 / q, with r the share of held-out seeds kept and q that
               of the pool (Lee and Liu, 2003); it needs no prior; for comparison
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import numpy as np

from likewise.errors import SettingsError
from likewise.learn.precision import fit_recall_curve, list_cuts
from likewise.learn.rows import Numbers

RULES = ("f1", "recall", "conformal", "precision", "top", "ber", "zero", "expected-f1", "ratio")
WITH_NUMBER = ("recall", "conformal", "precision", "top")
LEAST_RECALL = 0.5
"""The least recall at which r^2 / q says anything: below that, it rests on too few seeds."""
_SPELLING = re.compile(r"([a-z0-9-]+)(?:=([0-9.]+(?:e[+-]?[0-9]+)?))?")


class Keep(NamedTuple):
    """A rule for what to keep, with its number if it has one."""

    rule: str = "f1"
    number: float | None = None

    def __str__(self) -> str:
        if self.number is None:
            return self.rule
        return f"{self.rule}={int(self.number) if self.rule == 'top' else self.number}"


def parse_keep(text: str) -> Keep:
    """Return the rule of a spelling; `str` is its inverse.

    >>> parse_keep("recall=0.95")
    Keep(rule='recall', number=0.95)
    """
    found = _SPELLING.fullmatch(text.strip().lower())
    rule, number = (found[1], found[2]) if found else ("", None)
    if rule not in RULES or (rule in WITH_NUMBER) != (number is not None):
        raise SettingsError(
            f"--keep {text!r} is not known; use f1, recall=0.95, conformal=0.9, precision=0.8, "
            "top=500, ber, zero, expected-f1 or ratio"
        )
    return Keep(rule, _parse_number(number, rule=rule, text=text) if number else None)


def _parse_number(spelled: str, *, rule: str, text: str) -> float:
    try:
        number = float(spelled)
    except ValueError as error:
        raise SettingsError(
            f"--keep {text!r}: {spelled!r} is not a number; write recall=0.95 or top=500"
        ) from error
    if rule == "top" and not (1 <= number < math.inf and number == int(number)):
        raise SettingsError(f"--keep {text!r}: give a whole number of documents, at least 1")
    if rule != "top" and not 0 < number <= 1:
        raise SettingsError(f"--keep {text!r}: a share is more than 0 and at most 1")
    return number


def count_kept(keep: Keep, probabilities: Numbers, *, seeds: Numbers) -> int:
    """Return how many documents of the ranked pool are kept, by their probabilities, best first.

    `seeds` are the shares of the pool above held-out seeds.
    """
    size = len(probabilities)
    if keep.rule == "top":
        return min(int(keep.number or 0), size)
    lengths = np.arange(1, size + 1)
    reached = np.cumsum(probabilities)
    total = max(reached[-1], 1e-12)
    if keep.rule == "recall":
        return int(np.searchsorted(reached, min(keep.number or 1, 1) * total - 1e-9)) + 1
    if keep.rule == "conformal":
        return _cut_by_seeds(keep.number or 0.0, seeds, size=size)
    if keep.rule == "precision":
        enough = np.flatnonzero(reached / lengths >= (keep.number or 0) - 1e-9)
        return int(enough[-1]) + 1 if len(enough) else 0
    if keep.rule == "ratio":
        return _cut_by_ratio(seeds, size=size)
    if keep.rule == "ber":
        # The balanced error is 1 - (recall + specificity) / 2.
        off = max(size - total, 1e-12)
        return int(np.argmax(reached / total - (lengths - reached) / off)) + 1
    return int(np.argmax(2 * reached / (lengths + total))) + 1


def _cut_by_seeds(share: float, seeds: Numbers, *, size: int) -> int:
    """Return the length of the shortest list that keeps the promise, averaged over draws of seeds.

    If n seeds and one more document on topic are drawn in the same way, that document ranks above
    the k-th of the seeds with probability k / (n + 1) at least.
    """
    place = find_promised_place(share, seeds=len(seeds))
    return min(size, math.floor(float(np.sort(seeds)[place - 1]) * size) + 1)


def find_promised_place(share: float, *, seeds: int) -> int:
    """Return which of the seeds, by rank, a list must reach to promise a recall.

    >>> find_promised_place(0.9, seeds=20)
    19
    """
    place = math.ceil(share * (seeds + 1) - 1e-9)
    if place > seeds:
        most = math.floor(100 * seeds / (seeds + 1)) / 100
        raise SettingsError(
            f"--keep conformal={share}: {seeds} held-out seeds can promise a recall of "
            f"{most:.2f} at most; ask for that, give more seeds, or use recall={share}"
        )
    return place


def _cut_by_ratio(seeds: Numbers, *, size: int) -> int:
    lengths = list_cuts(size)
    recall = fit_recall_curve(seeds, size=size).recall(lengths / size)
    worth = np.where(recall >= LEAST_RECALL, recall**2 * size / lengths, 0)
    return int(lengths[worth.argmax()])
