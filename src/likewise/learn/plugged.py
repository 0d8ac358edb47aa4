"""Methods of other packages: called like ours, but with every answer checked.

A package offers a scorer, or an estimator that follows scikit-learn's conventions. An estimator is
made with the parameters of the method, and with a `random_state` if it takes one. `fit(X, y)` gets
rows and their labels: 1 for what is on topic, -1 for what is known to be off topic, 0 for all
others. If `fit` takes `validation`, it is given rows and labels of documents that it must not learn
from: those that the benchmark's task sets aside, or a third at random. `decision_function(X)`
scores. In the benchmark, `predict(X)` decides if there is one; otherwise scores are judged like
ours.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from pkgutil import resolve_name
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from likewise.errors import SettingsError
from likewise.extras import Offer
from likewise.learn.estimators import PUEstimator
from likewise.learn.material import Material, OnStep, Scored, place_negatives
from likewise.learn.methods import MethodInfo
from likewise.learn.rows import LabelledRows, Numbers, make_labels, stack_rows
from likewise.learn.scorers import cross_fit
from likewise.learn.views import TopicView

ASIDE = 1 / 3
"""The share of each group that is set aside for validation, unless the task sets rows aside."""


class PluggedEstimator(PUEstimator):
    """An estimator of another package, whose answers are checked.

    `make` makes a fresh one, errors name the `offer` if it misbehaves, and the seed draws what is
    set aside for validation.
    """

    estimator_: Any

    def __init__(self, make: Callable[[], Any], *, offer: Offer, seed: int = 0) -> None:
        self.make = make
        self.offer = offer
        self.seed = seed

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Let a fresh estimator learn, from two thirds of each group if it validates."""
        groups = LabelledRows(positive, unlabeled, negative)
        if not self.validates:
            return self.learn_parts(groups)
        rng = np.random.default_rng(self.seed)
        learned, aside = zip(*(_split_rows(rows, rng=rng) for rows in groups), strict=True)
        return self.learn_parts(LabelledRows(*learned), LabelledRows(*aside))

    def learn_parts(self, learned: LabelledRows, validation: LabelledRows | None = None) -> Self:
        """Let a fresh estimator learn from one part, and see another if it validates."""
        parts = {} if validation is None else {"validation": _as_rows_and_labels(validation)}
        self.estimator_ = self.create()
        with self.offer.blame():
            self.estimator_.fit(*_as_rows_and_labels(learned), **parts)
        return self

    def score_rows(self, rows: Any) -> Numbers:
        """Return the scores of rows; raise if they are not one finite number each."""
        with self.offer.blame():
            scores = np.asarray(self.estimator_.decision_function(rows), dtype=np.float64)
        check_scores(scores, size=rows.shape[0], of="decision_function", offer=self.offer)
        return scores

    def decide(self, rows: Any) -> NDArray[np.bool_]:
        """Return which rows the estimator itself decides are on topic."""
        with self.offer.blame():
            decided = np.asarray(self.estimator_.predict(rows), dtype=np.float64)
        check_scores(decided, size=rows.shape[0], of="predict", offer=self.offer)
        return np.asarray(decided == 1)

    @property
    def validates(self) -> bool:
        """Whether `fit` takes rows set aside for validation."""
        return "validation" in inspect.signature(self.create().fit).parameters

    @property
    def decides(self) -> bool:
        """Whether it decides by itself what is on topic."""
        return hasattr(self.create(), "predict")

    def create(self) -> Any:
        """Return a fresh estimator; raise PlugInError if it lacks a method."""
        with self.offer.blame():
            made = self.make()
        for name in ("fit", "decision_function"):
            if not callable(getattr(made, name, None)):
                raise self.offer.error(f"has no {name}")
        return made


def make_plugged_estimator(
    info: MethodInfo, parameters: Mapping[str, Any], *, seed: int = 0
) -> PluggedEstimator:
    """Return the estimator of a method, with values for all its parameters.

    The seed is its random state, and draws the rows that are set aside.
    """
    offer = Offer("method", info.name, info.estimator)
    with offer.blame():
        kind = resolve_name(info.estimator)
        takes = inspect.signature(kind).parameters
    chosen = {"random_state": seed, **parameters} if "random_state" in takes else parameters
    return PluggedEstimator(lambda: kind(**chosen), offer=offer, seed=seed)


def load_scorer(info: MethodInfo) -> Callable[..., Scored]:
    """Return the scorer of a method: its own, or one that asks its estimator."""
    scorer: Callable[..., Scored] = (
        partial(score_estimator, info) if info.estimator else resolve_name(info.scorer)
    )
    return scorer


def score_estimator(
    info: MethodInfo,
    material: Material,
    *,
    rng: np.random.Generator,
    on_step: OnStep | None = None,
    **parameters: Any,
) -> Scored:
    """Score seeds and pool out of fold, by copies of an estimator of another package."""
    estimator = make_plugged_estimator(info, parameters, seed=int(rng.integers(2**31)))
    rows = select_rows(material, info, rng=rng)
    known = "negative" if material.negatives else "unlabeled"
    scores = cross_fit(estimator, rows, of=material, rng=rng, on_step=on_step, negatives=known)
    return Scored(scores, None)


def select_rows(material: Material, info: MethodInfo, *, rng: np.random.Generator) -> Any:
    """Return the rows that a method's estimator asks for: seeds, negatives, and the pool."""
    if info.rows == "tfidf":
        return material.words.tfidf
    if info.rows == "topics":
        view = material.views.get("topics")
        topics = view if isinstance(view, TopicView) else TopicView()
        return topics.find(material, rng=rng).vectors
    if info.rows == "vectors":
        if material.vectors is None:
            raise SettingsError(
                f"the method {info.name!r} learns from vectors; name an encoder with --encoder"
            )
        return material.vectors
    rows = np.empty(len(material.documents), dtype=object)
    is_text = info.rows == "texts"
    rows[:] = [document.text if is_text else document for document in material.documents]
    return rows


def score_plugged(info: MethodInfo, material: Material, asked: Mapping[str, Any]) -> Scored:
    """Return the answer of another package's method; raise PlugInError if it is malformed.

    Its scorer is called with what is `asked`.
    """
    offer = Offer("method", info.name, info.scorer or info.estimator)
    with offer.blame():
        scored = load_scorer(info)(material, **asked)
        if not isinstance(scored, Scored):
            raise offer.error(f"returns a {type(scored).__name__}, not a Scored")
        scores = place_negatives(scored.scores, of=material)
        pool, seeds = (np.asarray(of, dtype=np.float64) for of in (scores.pool, scores.seeds))
    size = len(material.documents) - material.known
    check_scores(pool, size=size, of="the pool", offer=offer)
    # The scores of seeds may be unknown.
    known = np.where(np.isnan(seeds), 0, seeds)
    check_scores(known, size=material.seeds, of="the seeds", offer=offer)
    return scored


def check_scores(scores: Numbers, *, size: int, of: str, offer: Offer) -> None:
    """Raise unless scores are one finite number for each of `size` documents."""
    if scores.shape != (size,):
        found = f"numbers of shape {scores.shape} for {size} documents"
        raise offer.error(f"gives {found} in {of}, not one for each")
    wrong = int((~np.isfinite(scores)).sum())
    if wrong:
        raise offer.error(f"gives {wrong} of {size} numbers that are not finite in {of}")


def _split_rows(rows: Any, *, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return two thirds of the rows at random, and the others; a single row is in both parts."""
    if rows is None:
        return None, None
    is_aside = rng.permutation(rows.shape[0]) < max(1, round(ASIDE * rows.shape[0]))
    return rows if is_aside.all() else rows[~is_aside], rows[is_aside]


def _as_rows_and_labels(groups: LabelledRows) -> tuple[Any, NDArray[np.int64]]:
    return stack_rows([rows for rows in groups if rows is not None]), make_labels(groups)
