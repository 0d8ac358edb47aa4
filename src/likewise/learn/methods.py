"""The methods: named ways of scoring a pool, with one spelling everywhere.

A spelling is a name, or a name with parameters, as in `linear` or `linear(strength=0.3)`.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from likewise.errors import SettingsError
from likewise.features.lsa import latent_topics
from likewise.learn.estimators import Divergence, Fused, PUEstimator, PULogistic, Rows
from likewise.learn.explanations import TermModel, fused_model, plane_model
from likewise.learn.folds import Scores, out_of_fold

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from likewise.features.words import WordFeatures

    OnStep = Callable[[int, int], None]

_SPELLING = re.compile(r"([a-z0-9-]+)\s*(?:\((.*)\))?", re.DOTALL)
_MOST = sys.float_info.max
_PARAMETER = re.compile(r"\s*([a-z_]+)\s*=\s*([^,()]+?)\s*(?:,|\Z)")


@dataclass(frozen=True, kw_only=True)
class Material:
    """What methods score from: the features of the seeds, first, and the pool."""

    seeds: int
    """How many of the rows are seeds."""
    words: WordFeatures
    retrieval: Scores
    """What the engine's own ranking says of the seeds, each held out, and of the pool."""
    vectors: NDArray[np.float32] | None = None
    """Those of a pretrained encoder, if one is used."""


class Scored(NamedTuple):
    """What a method says of the seeds, held out, and of the pool."""

    scores: Scores
    model: TermModel | None
    """The terms that moved documents up and down, if the method knows."""


@dataclass(frozen=True)
class Method:
    """A named way of scoring a pool, with its parameters."""

    name: str
    parameters: tuple[tuple[str, float], ...] = ()

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value}" for name, value in self.parameters)
        return f"{self.name}({given})" if given else self.name

    def score(
        self, material: Material, *, rng: np.random.Generator, on_step: OnStep | None = None
    ) -> Scored:
        """Score the seeds and the pool."""
        scorer = METHODS[self.name].scorer
        return scorer(material, rng=rng, on_step=on_step, **dict(self.parameters))


def parse_method(text: str) -> Method:
    """Return the method of a spelling; `str` is its inverse.

    >>> str(parse_method("linear( strength=0.3 )"))
    'linear(strength=0.3)'
    """
    found = _SPELLING.fullmatch(text.strip())
    name = found[1] if found else text.strip()
    if name not in METHODS:
        raise SettingsError(f"there is no method {name!r}; choose one of: {', '.join(METHODS)}")
    given = (found[2] if found else "") or ""
    parameters = _PARAMETER.findall(given)
    if _PARAMETER.sub("", given).strip() or len(dict(parameters)) < len(parameters):
        raise SettingsError(f"{text!r}: parameters are written as in {name}(name=1.0, other=2)")
    return Method(name, tuple((key, _value(key, value, name=name)) for key, value in parameters))


def _value(key: str, value: str, *, name: str) -> float:
    known = METHODS[name].parameters
    if key not in known:
        offered = f"its parameters are: {', '.join(known)}" if known else "it has no parameters"
        raise SettingsError(f"the method {name!r} has no parameter {key!r}; {offered}")
    try:
        number = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        number = None
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 < number <= _MOST:
        raise SettingsError(f"{name}({key}={value!r}): {key} is a number greater than 0")
    return number


def score_linear(
    material: Material,
    *,
    rng: np.random.Generator,
    on_step: OnStep | None = None,
    strength: float = 0.1,
    topic_strength: float = 0.03,
) -> Scored:
    """Fuse three linear views: divergent terms, a logistic regression of terms, one of topics."""
    words = material.words
    topics = latent_topics(words.tfidf, rng=rng)
    parts: list[tuple[PUEstimator, float]] = [
        (Divergence(rising=2 * len(words.terms)), 1.0),
        (PULogistic(strength=strength), 0.5),
        (PULogistic(strength=topic_strength), 0.5),
    ]
    kinds: list[Any] = [words.evidence, words.weighted, topics.vectors]
    if material.vectors is not None:
        parts.append((PULogistic(strength=topic_strength), 0.5))
        kinds.append(material.vectors)
    fused = Fused(parts)
    scores = _cross_fitted(fused, Rows(*kinds), material, rng=rng, on_step=on_step)
    return Scored(scores, fused_model(fused, words=words, topics=topics))


def score_naive(
    material: Material,
    *,
    rng: np.random.Generator,
    on_step: OnStep | None = None,
    strength: float = 1.0,
) -> Scored:
    """Take the pool for negative: logistic regression of tf-idf, seeds against pool."""
    logistic = PULogistic(strength=strength)
    scores = _cross_fitted(logistic, material.words.tfidf, material, rng=rng, on_step=on_step)
    return Scored(scores, plane_model(logistic, words=material.words))


def score_bm25(
    material: Material,
    *,
    rng: np.random.Generator,  # noqa: ARG001  # every method takes the same
    on_step: OnStep | None = None,  # noqa: ARG001
) -> Scored:
    """Take the engine's ranking as it is."""
    return Scored(material.retrieval, None)


def _cross_fitted(
    estimator: PUEstimator,
    rows: Any,
    material: Material,
    *,
    rng: np.random.Generator,
    on_step: OnStep | None,
) -> Scores:
    """Let an estimator learn from everything, and return its scores out of fold."""
    positive, unlabeled = rows[: material.seeds], rows[material.seeds :]
    estimator.learn(positive, unlabeled)
    return out_of_fold(estimator, positive, unlabeled, rng=rng, on_step=on_step)


class MethodInfo(NamedTuple):
    """What is known about a method."""

    scorer: Callable[..., Scored]
    description: str

    @property
    def parameters(self) -> list[str]:
        """The names of its parameters."""
        shared = {"material", "rng", "on_step"}
        return [name for name in inspect.signature(self.scorer).parameters if name not in shared]


METHODS = {
    "linear": MethodInfo(
        score_linear, "divergent terms and two logistic regressions, fused; out of fold"
    ),
    "naive": MethodInfo(
        score_naive, "logistic regression of tf-idf that takes the pool for off topic"
    ),
    "bm25": MethodInfo(score_bm25, "the order in which more-like-these finds documents"),
}
"""Every method by name; the first is the default."""
