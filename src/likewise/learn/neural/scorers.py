"""The scorers of the neural methods: each scores seeds, negatives and pool out of fold.

What their parameters are called, which values they take and which are the defaults stands in
`learn/methods.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from likewise.errors import SettingsError
from likewise.features.huggingface import HuggingFace
from likewise.features.tokens import token_ids
from likewise.features.word_vectors import word_vectors
from likewise.learn.dealt import Dealt
from likewise.learn.estimators import Rows
from likewise.learn.folds import Scores, by_seeds_inside, joint_parts, out_of_joint_folds
from likewise.learn.material import Material, OnStep, Scored
from likewise.learn.neural.cnn import WordCNN
from likewise.learn.neural.estimator import PUNetwork
from likewise.learn.neural.heads import LinearHead
from likewise.learn.neural.losses import loss_named
from likewise.learn.neural.negatives import NetworkWithNegatives
from likewise.learn.neural.risks import NNPU
from likewise.learn.neural.training import TrainingSettings
from likewise.learn.neural.transformer import (
    LEARNING_RATE,
    TransformerClassifier,
    TransformerNetwork,
)
from likewise.learn.priors import PRIORS

if TYPE_CHECKING:
    from collections.abc import Sequence


class Usual(NamedTuple):
    """How much a transformer usually learns from."""

    batch: int
    epochs: int


HEAD, TUNED = Usual(batch=250, epochs=15), Usual(batch=16, epochs=3)
"""For a head over vectors, and for the whole transformer, of which a batch fills the memory."""


def score_nnpu_cnn(  # noqa: PLR0913  # its parameters are the method's
    material: Material,
    *,
    rng: np.random.Generator,
    on_step: OnStep | None = None,
    words: str,
    start: str,
    spread: float,
    dropout: float,
    **chosen: Any,
) -> Scored:
    """Score by a CNN over the words of title and abstract."""
    analyze_all = material.analyze_all if words == "stems" else None
    tokens = token_ids(material.documents, analyze_all=analyze_all)
    common = _Common(**chosen)
    trained_with = common.of_network(material, rng=rng)
    vectors = word_vectors(tokens, dimensions=50, rng=rng) if start == "topics" else None
    network = PUNetwork(
        lambda _: WordCNN(tokens.size, start=vectors, spread=spread, dropout=dropout),
        **trained_with,
    )
    rows = Rows(tokens.title, tokens.abstract)
    return _scored(network, rows, of=material, chosen=common, rng=rng, step=on_step)


def score_nnpu_transformer(
    material: Material,
    *,
    rng: np.random.Generator,
    on_step: OnStep | None = None,
    trained: str,
    batch: int | str,
    epochs: int | str,
    **chosen: Any,
) -> Scored:
    """Score by a pretrained transformer: by a head over its vectors, or by all of it, trained."""
    encoder, texts = material.encoder, [document.text for document in material.documents]
    if not isinstance(encoder, HuggingFace):
        raise SettingsError("this method needs an encoder of Hugging Face; name it with --encoder")
    usual = TUNED if trained == "all" else HEAD
    common = _Common(
        batch=usual.batch if isinstance(batch, str) else batch,
        epochs=usual.epochs if isinstance(epochs, str) else epochs,
        **chosen,
    )
    if trained == "all":
        rows: Any = encoder.tokenized(texts)
        network: PUNetwork = TransformerNetwork(
            lambda _: TransformerClassifier(encoder.pretrained, pooling=encoder.pooling),
            **common.of_network(material, rng=rng, learning_rate=LEARNING_RATE),
        )
    else:
        vectors = encoder.encode(texts) if material.vectors is None else material.vectors
        # A transformer's vectors all point one way, and their parts are small beside a step.
        rows = (vectors - vectors.mean(axis=0)) / np.maximum(vectors.std(axis=0), 1e-6)
        network = PUNetwork(
            lambda rows: LinearHead(rows.shape[1]), **common.of_network(material, rng=rng)
        )
    return _scored(network, rows, of=material, chosen=common, rng=rng, step=on_step)


@dataclass(frozen=True, kw_only=True)
class _Common:
    """The parameters that all neural methods have."""

    prior: float | str
    beta: float
    gamma: float
    loss: str
    batch: int
    epochs: int
    models: int
    folds: int
    negatives: str
    pn_weight: float
    weight_decay: float
    validation: float

    def of_network(
        self, material: Material, *, rng: np.random.Generator, learning_rate: float = 0.001
    ) -> dict[str, Any]:
        """Return what a network is made with."""
        prior = self.prior
        if isinstance(prior, str):
            prior = estimated_prior(material, by=prior, rng=rng)
        seed = int(rng.integers(2**31))
        return {
            "risk": NNPU(prior=prior, beta=self.beta, gamma=self.gamma, loss=loss_named(self.loss)),
            "batch": self.batch,
            "models": self.models,
            "validation": self.validation,
            "settings": TrainingSettings(
                epochs=self.epochs,
                learning_rate=learning_rate,
                weight_decay=self.weight_decay,
                seed=seed,
            ),
        }

    def with_negatives(self, network: PUNetwork, *, of: Material) -> NetworkWithNegatives:
        """Return what learns as a network does, and from negatives; from few it learns little."""
        weight = self.pn_weight * of.negatives / of.known
        return NetworkWithNegatives(network, by=self.negatives, weight=weight)


def estimated_prior(material: Material, *, by: str, rng: np.random.Generator) -> float:
    """Estimate the prior from what the linear method says of seeds and pool."""
    from likewise.learn.spelling import parse_method

    found = parse_method("linear").score(material, rng=rng).scores
    scores = Scores(found.seeds, found.pool[material.seen_pool])
    scores = by_seeds_inside(scores, ~np.isnan(material.retrieval.seeds))
    estimate = PRIORS[next(iter(PRIORS)) if by == "estimate" else by]
    return float(np.clip(estimate(scores), 0.001, 0.999))


def _scored(
    network: PUNetwork,
    rows: Any,
    *,
    of: Material,
    chosen: _Common,
    rng: np.random.Generator,
    step: OnStep | None,
) -> Scored:
    """Train a network for each fold, and tell of all of them as of one."""
    # Of the models of other folds only this is kept: a transformer is large.
    warned: list[Sequence[str]] = []
    dealt = Dealt.of(rows, of, by=chosen.negatives)
    parts = joint_parts(of.seeds, dealt.seen, most=chosen.folds)

    def tell(done: int, total: int, note: str) -> None:
        if step:
            step(len(warned) * total + done, parts * total, note)

    network.on_step = tell
    scores = out_of_joint_folds(
        chosen.with_negatives(network, of=of) if dealt.negative is not None else network,
        rows[: of.seeds],
        dealt.unlabeled,
        count=chosen.folds,
        rng=rng,
        negative=dealt.negative,
        weights=dealt.weights,
        unseen=dealt.unseen,
        on_model=lambda model: warned.append(getattr(model, "warnings_", ())),
    )
    warnings = tuple(dict.fromkeys(chain.from_iterable(warned)))
    return Scored(dealt.scores(scores), None, warnings)
