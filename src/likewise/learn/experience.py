"""What was learned on other topics: which curves of precision follow from which signs.

Scores alone can't tell how much of a pool is on topic: a large topic, one that is hard to tell from
its neighbours, and one of which the seeds are only a corner look the same. But other topics tell
what is usual. `make bench-experience` expands seeds of many kinds, in pools of many sizes, and
keeps of each task its signs (`signs.py`) and its curve (`precision.py`). For a new pool

1. the signs tell how likely the seeds are of each kind (normal distributions with one covariance),
2. tasks of that kind whose signs are alike tell which curve to expect, by a regression of the knots
   on the signs in which the likest count most, and by its errors how far off it may be.

What comes out is a reading for each kind of seeds that is likely enough.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from likewise.learn.precision import KNOTS, CurveReading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

FORMAT = 1
FILE = "experience.json"
FAIR = "topic"
"""The reading that takes seeds for a fair sample of their topic."""
READINGS = {
    FAIR: ("random", "short", "recent", "mixed"),
    "corner": ("corner",),
    "search": ("search",),
}
"""The kinds of seeds that each reading is made from."""
USUAL = {FAIR: 0.5, "corner": 0.25, "search": 0.25}
"""How likely each reading is before anything is known."""
BANDWIDTH = 0.4
"""How unlike tasks may be that count, as a deviation of each sign."""
PENALTY = 30.0
"""How strongly the regression is drawn to a mean ..."""
COUNTED = 400.0
"""... if so many tasks count at most."""
FIRM = 0.2
"""What is added to the variance of signs, lest few tasks tell kinds apart too surely."""
UNLIKELY = 0.02
"""A reading less likely than this is left out."""


class ExperienceFile(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of past tasks, a list a column."""

    format: int = FORMAT
    made: dict[str, Any]
    """What it was made from."""
    signs: tuple[str, ...]
    """Their names."""
    topics: tuple[str, ...]
    kinds: tuple[str, ...]
    """Of each task's seeds."""
    weights: tuple[float, ...]
    """How usual a topic of each task's size is."""
    values: tuple[tuple[float, ...], ...]
    """The signs of each task."""
    curves: tuple[tuple[float, ...], ...]
    """Log odds of being on topic at the knots."""


@dataclass(frozen=True, eq=False)
class Experience:
    """Past tasks: their signs, and the curves that came of them."""

    signs: tuple[str, ...]
    topics: NDArray[np.str_]
    kinds: NDArray[np.str_]
    weights: Numbers
    values: Numbers
    curves: Numbers

    @classmethod
    def of(cls, kept: ExperienceFile) -> Experience:
        """Return past tasks as arrays."""
        return cls(
            kept.signs,
            np.array(kept.topics),
            np.array(kept.kinds),
            np.array(kept.weights),
            np.array(kept.values),
            np.array(kept.curves),
        )

    def without(self, topic: str) -> Experience:
        """Return this without the tasks of a topic, to be measured on it."""
        rest = self.topics != topic
        columns = ("topics", "kinds", "weights", "values", "curves")
        return replace(self, **{name: getattr(self, name)[rest] for name in columns})

    def readings(self, signs: Mapping[str, float]) -> list[CurveReading]:
        """Return what to expect of a pool with such signs; those that are not told don't count."""
        # A session asks the same after each mark: its signs are those of its latest ranking.
        return list(_kept_readings(self, tuple(sorted(signs.items()))))

    def _readings(self, signs: Mapping[str, float]) -> list[CurveReading]:
        known = [column for column, name in enumerate(self.signs) if name in signs]
        values = self.values[:, known]
        mean, deviation = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-9)
        here = (np.array([signs[self.signs[column]] for column in known]) - mean) / deviation
        # What lies far outside of all experience tells no more than its edge does.
        here, there = np.clip(here, -3, 3), (values - mean) / deviation
        likely = self._kinds(here, there)
        return list(self._expected(here, there, likely))

    def _kinds(self, here: Numbers, there: Numbers) -> dict[str, float]:
        """Return how likely the seeds are of each kind."""
        centres, covariance = {}, np.zeros((len(here), len(here)))
        for name, kinds in READINGS.items():
            rows = np.isin(self.kinds, kinds)
            weights = self.weights[rows] / self.weights[rows].sum()
            centres[name] = weights @ there[rows]
            away = there[rows] - centres[name]
            covariance += (away * weights[:, None]).T @ away / len(READINGS)
        precision = np.linalg.inv(covariance + FIRM * np.eye(len(here)))
        logs = {
            name: np.log(USUAL[name]) - (here - centre) @ precision @ (here - centre) / 2
            for name, centre in centres.items()
        }
        most = max(logs.values())
        total = sum(np.exp(log - most) for log in logs.values())
        return {name: float(np.exp(log - most) / total) for name, log in logs.items()}

    def _expected(
        self, here: Numbers, there: Numbers, likely: Mapping[str, float]
    ) -> Iterator[CurveReading]:
        for name, weight in likely.items():
            if weight >= UNLIKELY:
                rows = np.isin(self.kinds, READINGS[name])
                mean, covariance = self._regress(here, there[rows], rows)
                yield CurveReading(name, weight, mean, covariance)

    def _regress(
        self, here: Numbers, there: Numbers, rows: NDArray[np.bool_]
    ) -> tuple[Numbers, Numbers]:
        """Return the curve to expect here, and the covariance of the errors of such curves."""
        distances = ((there - here) ** 2).mean(axis=1) if len(here) else np.zeros(len(there))
        nearest = distances.min()
        alike = self.weights[rows] * np.exp((nearest - distances) / 2 / BANDWIDTH**2)
        counted = alike / alike.sum() * min(len(alike), COUNTED)
        design = np.column_stack([there, np.ones(len(there))])
        penalty = np.diag(np.append(np.full(len(here), PENALTY), 1e-9))
        weighed = (design * counted[:, None]).T
        slopes = np.linalg.solve(weighed @ design + penalty, weighed @ self.curves[rows])
        errors = self.curves[rows] - design @ slopes
        covariance = (errors * (alike / alike.sum())[:, None]).T @ errors
        return np.append(here, 1) @ slopes, covariance + 1e-4 * np.eye(len(KNOTS))


@cache
def past_experience() -> Experience:
    """Return what comes with the package."""
    content = files("likewise.learn").joinpath(FILE).read_bytes()
    return Experience.of(msgspec.json.decode(content, type=ExperienceFile))


@lru_cache(maxsize=16)
def _kept_readings(
    experience: Experience, signs: tuple[tuple[str, float], ...]
) -> tuple[CurveReading, ...]:
    return tuple(experience._readings(dict(signs)))  # noqa: SLF001  # kept for it
