"""What was learned on other topics: which curves of precision follow from which signs.

Scores alone can't tell how much of a pool is on topic: a large topic, one that is hard to tell from
its neighbours, and one of which the seeds are only a corner look the same. But other topics tell
what is usual. `make bench-experience` expands seeds of many kinds, in pools of many sizes, and
keeps the signs and the curve of each task (`precision.py`). For a new pool

1. the signs tell how likely each kind of seeds is (normal distributions with one covariance),
2. tasks of that kind with similar signs tell which curve to expect: a regression of the knots on
   the signs, in which the most similar tasks count most; its errors tell how far off it may be.

The result is a reading for each kind of seeds, and how likely it is.

*Signs* are numbers, computed from seeds, pool and scores, that tell topics and kinds of seeds
apart. Held-out seeds show where *seeds* rank, and people's seeds are seldom a fair sample of their
topic. What gives this away is how similar the seeds are to one another, compared with how similar
the first documents of the ranking are to them, how scores fall off, and what words the seeds have
in common. Signs are logarithms where ratios matter; those that can't be computed are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from importlib.resources import files
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from likewise.learn.folds import Scores, measure_scale, share_above
from likewise.learn.material import Material
from likewise.learn.precision import KNOTS, CurveReading, log_ranks
from likewise.learn.rows import CountedRows, Numbers, measure_shares, measure_surprise

Signs = dict[str, float]

FORMAT = 1
FILE = "experience.json"
FAIR = "topic"
"""The reading that takes seeds for a fair sample of their topic."""
READINGS = {
    FAIR: ("random", "short", "recent", "mixed", "journal"),
    "corner": ("corner", "group"),
    "search": ("search",),
}
"""The kinds of seeds that each reading is made from."""
USUAL = {FAIR: 0.5, "corner": 0.25, "search": 0.25}
"""How likely each reading is before anything is known."""
BANDWIDTH = 0.4
"""How different a task may be and still count, in deviations of each sign."""
PENALTY = 30.0
"""How strongly the regression is drawn towards the mean ..."""
COUNTED = 400.0
"""... when at most this many tasks count."""
FIRM = 0.2
"""Added to the variance of signs, so that a few tasks don't tell kinds apart too surely."""
SUREST = 5.0
"""Log odds that no tempered curve exceeds: five documents on topic at the top tell no more."""
QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
RANKS = (1, 3, 10, 30, 100, 300, 1000, 3000)
DEPTHS = (20, 100, 400, 1600)
"""How many of the first documents are compared with the seeds."""
BACKGROUND = 200
"""How many documents of the lower half of the ranking are compared with the seeds."""
ENGINE_DEPTHS = (30, 100, 300)
TERMS = (1, 3, 10, 30)
_COLUMNS = ("topics", "kinds", "weights", "values", "curves")
"""The fields that have a value for each task."""
_LEAST = 1e-3
"""Added to a number before its logarithm is taken, since it may be 0."""


class ExperienceFile(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of past tasks, one list for each column."""

    format: int = FORMAT
    made: dict[str, Any]
    """What the file was made from."""
    signs: tuple[str, ...]
    """The names of the signs."""
    topics: tuple[str, ...]
    kinds: tuple[str, ...]
    """The kind of each task's seeds."""
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
        return cls(kept.signs, *(np.array(getattr(kept, name)) for name in _COLUMNS))

    @cached_property
    def tempered(self) -> Experience:
        """The same tasks with less extreme curves, for rankings that nobody has looked at yet.

        If there are labels, they show how far to trust each curve, so whole curves are compared.
        """
        return replace(self, curves=np.minimum(self.curves, SUREST))

    def without(self, topic: str) -> Experience:
        """Return the experience without the tasks of a topic, to be measured on that topic."""
        rest = self.topics != topic
        return replace(self, **{name: getattr(self, name)[rest] for name in _COLUMNS})

    def readings(self, signs: Mapping[str, float]) -> list[CurveReading]:
        """Return the curves to expect for a pool with these signs; missing signs don't count."""
        return list(self._remember_readings(tuple(sorted(signs.items()))))

    # A session asks this again after each mark, and its signs change only with its ranking.
    @lru_cache(maxsize=16)  # noqa: B019  # one experience comes with the package, and lives on
    def _remember_readings(self, pairs: tuple[tuple[str, float], ...]) -> tuple[CurveReading, ...]:
        signs = dict(pairs)
        known = [column for column, name in enumerate(self.signs) if name in signs]
        values = self.values[:, known]
        mean, deviation = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-9)
        here = (np.array([signs[self.signs[column]] for column in known]) - mean) / deviation
        # A sign far outside of all experience tells no more than one at its edge.
        here, there = np.clip(here, -3, 3), (values - mean) / deviation
        return tuple(
            CurveReading(name, weight, *self._expect_curve(name, here, there))
            for name, weight in self._weigh_kinds(here, there).items()
        )

    def _weigh_kinds(self, here: Numbers, there: Numbers) -> dict[str, float]:
        """Return how likely each kind of seeds is."""
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

    def _expect_curve(self, kind: str, here: Numbers, there: Numbers) -> tuple[Numbers, Numbers]:
        """Return the curve to expect here, and the covariance of the errors of such curves."""
        rows = np.isin(self.kinds, READINGS[kind])
        there = there[rows]
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
    """Return the experience that comes with the package."""
    content = files("likewise.learn").joinpath(FILE).read_bytes()
    return Experience.of(msgspec.json.decode(content, type=ExperienceFile))


def read_score_signs(scores: Scores) -> Signs:
    """Return the signs in the scores alone: those of held-out seeds and of the ranking."""
    places = log_ranks(share_above(scores.seeds, scores.pool), size=len(scores.pool))
    mean, deviation = measure_scale(scores.pool)
    seeds, ranked = ((part - mean) / deviation for part in (scores.seeds, np.sort(scores.pool)))
    signs = {"seeds": float(np.log(len(places))), "size": float(np.log(len(ranked)))}
    for share in QUANTILES:
        signs[f"place {share}"] = float(np.quantile(places, share))
        signs[f"seed score {share}"] = float(np.quantile(seeds, share))
    for rank in RANKS:
        signs[f"score {rank}"] = float(ranked[::-1][min(rank, len(ranked)) - 1])
    signs["spread of places"] = float(places.std())
    signs["skewness"] = float((ranked**3).mean())
    return signs


def read_material_signs(material: Material, scores: Scores, *, given: int | None = None) -> Signs:
    """Return the signs that need the texts beside the scores of all rows, out of fold.

    `given` is how many of the first rows are original seeds, if more have been marked since.
    """
    count = material.seeds if given is None else given
    order = _rank_rows(scores, after=count)
    signs = {"outside": material.outside}
    signs.update(_compare_texts(material.words.take_tfidf, order, count=count))
    signs.update(_compare_terms(material.words.evidence, count, size=len(material.words.terms)))
    if material.retrieval.pool.std() > 0:
        engine = _rank_rows(material.retrieval, after=count)
        for depth in ENGINE_DEPTHS:
            signs[f"engine {depth}"] = len(np.intersect1d(order[:depth], engine[:depth])) / depth
    return signs


def _rank_rows(scores: Scores, *, after: int) -> NDArray[np.int64]:
    """Return the order of all rows that follow the seeds, best first."""
    others = np.concatenate([scores.seeds[after:], scores.negatives, scores.pool])
    known = np.where(np.isnan(others), scores.pool.min(), others)
    return np.argsort(-known, kind="stable")


def _compare_texts(
    take: Callable[[NDArray[np.int64]], Any], order: NDArray[np.int64], *, count: int
) -> Iterator[tuple[str, float]]:
    """Yield how alike the seeds are, compared with how alike the first documents are to them."""
    if count < 2 or not len(order):
        return
    seeds, first_rows = take(np.arange(count)), take(count + order[: DEPTHS[-1]])
    among = _measure_likeness(seeds, seeds)[~np.eye(count, dtype=bool)].reshape(count, count - 1)
    mean, nearest = among.mean(), among.max(axis=1).mean()
    yield "alike", _take_log(mean)
    yield "nearest alike", _take_log(nearest)
    yield "least alike", _take_log(among.mean(axis=1).min()) - _take_log(mean)
    yield (
        "spread of likeness",
        _take_log(np.quantile(among, 0.75)) - _take_log(np.quantile(among, 0.25)),
    )
    first: dict[int, float] = {}
    for depth in DEPTHS:
        to_seeds = _measure_likeness(first_rows[:depth], seeds)
        first[depth] = _take_log(to_seeds.mean())
        yield f"alike {depth}", _take_log(mean) - first[depth]
        yield f"nearest {depth}", _take_log(nearest) - _take_log(to_seeds.max(axis=1).mean())
    top = first_rows[: DEPTHS[1]]
    of_top = _measure_likeness(top, top)[~np.eye(top.shape[0], dtype=bool)]
    if len(of_top):
        yield "alike among the first", _take_log(of_top.mean()) - first[DEPTHS[1]]
    lower = order[np.linspace(len(order) // 2, len(order) - 1, BACKGROUND).astype(np.int64)]
    to_seeds = _measure_likeness(take(count + lower), seeds)
    yield "alike below", _take_log(mean) - _take_log(to_seeds.mean())
    yield "nearest below", _take_log(nearest) - _take_log(to_seeds.max(axis=1).mean())


def _compare_terms(evidence: Any, count: int, *, size: int) -> Iterator[tuple[str, float]]:
    """Yield how surprising the most telling terms of the seeds are, and how common."""
    rows = CountedRows(evidence)
    every = np.arange(rows.shape[0])
    here, there = (measure_shares(rows[of])[2 * size :] for of in (every[:count], every[count:]))
    there = np.clip(there, 1 / (rows.shape[0] + 1), None)
    worth = np.where(here > there, measure_surprise(here, there), 0)
    best = np.argsort(-worth, kind="stable")[: TERMS[-1]]
    if not len(best):
        return
    for place in TERMS:
        if place <= len(best):
            yield f"term {place}", _take_log(worth[best[place - 1]])
    yield "terms in seeds", float(here[best[: TERMS[2]]].mean())
    yield "terms in others", float(np.log(there[best[: TERMS[2]]]).mean())


def _measure_likeness(rows: Any, others: Any) -> Numbers:
    return np.asarray((rows @ others.T).toarray(), dtype=np.float64)


def _take_log(value: float) -> float:
    return float(np.log(max(value, 0.0) + _LEAST))
