"""The scorers of the neural methods: each scores seeds, negatives and pool out of fold.

`learn/methods.py` lists their parameters, with the values that these take and their defaults.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from torch import nn

from likewise.errors import SettingsError
from likewise.features import token_ids
from likewise.features.huggingface import HuggingFace
from likewise.features.words import make_word_vectors
from likewise.learn.estimators import PUEstimator
from likewise.learn.folds import Scores, count_joint_parts, keep_seeds_inside, out_of_joint_folds
from likewise.learn.material import DealtRows, Material, OnStep, Scored
from likewise.learn.neural.cnn import WordCNN
from likewise.learn.neural.estimator import PUNetwork
from likewise.learn.neural.losses import loss_named
from likewise.learn.neural.negatives import NetworkWithNegatives
from likewise.learn.neural.records import TrainingSettings
from likewise.learn.neural.risks import GAMMAS, NNPU
from likewise.learn.neural.transformer import (
    LEARNING_RATE,
    FrozenCNN,
    LinearHead,
    TransformerClassifier,
    TransformerNetwork,
    TunedCNN,
    make_contextual_rows,
)
from likewise.learn.priors import PRIORS, prior_named
from likewise.learn.rows import Rows
from likewise.learn.spelling import parse_method, split_steps


def score_nnpu_cnn(  # noqa: PLR0913  # its parameters are the method's
    material: Material,
    *,
    rng: np.random.Generator,
    on_step: OnStep | None = None,
    words: str,
    start: str,
    spread: float,
    dropout: float,
    learning_rate: float,
    **chosen: Any,
) -> Scored:
    """Score by a CNN over the words of title and abstract."""
    analyze_all = material.analyze_all if words == "stems" else None
    tokens = token_ids(material.documents, analyze_all=analyze_all)
    common = _CommonParameters(**chosen)
    trained_with = common.make_network_settings(material, rng=rng, learning_rate=learning_rate)
    vectors = make_word_vectors(tokens, dimensions=50, rng=rng) if start == "topics" else None
    network = PUNetwork(
        lambda _: WordCNN(tokens.size, start=vectors, spread=spread, dropout=dropout),
        **trained_with,
    )
    rows = Rows(tokens.title, tokens.abstract)
    return _score_out_of_fold(network, rows, of=material, chosen=common, rng=rng, step=on_step)


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
    """Score by a pretrained transformer that learns itself, or has a head or a CNN that learns."""
    encoder = material.encoder
    if not isinstance(encoder, HuggingFace):
        raise SettingsError("this method needs a Hugging Face encoder; name one with --encoder")
    is_tuned = trained in ("all", "cnn-all")
    # Batches for a whole transformer are small, since they fill the memory.
    usual_batch, usual_epochs = (16, 3) if is_tuned else (250, 15)
    common = _CommonParameters(
        batch=usual_batch if isinstance(batch, str) else batch,
        epochs=usual_epochs if isinstance(epochs, str) else epochs,
        **chosen,
    )
    reading, step = split_steps(on_step, [True, True]) if trained == "cnn" else (None, on_step)
    rows = _make_transformer_rows(material, encoder, trained=trained, on_step=reading)
    rate = LEARNING_RATE if is_tuned else TrainingSettings.learning_rate
    network = (PUNetwork if trained == "head" else TransformerNetwork)(
        partial(_build_transformer, encoder=encoder, trained=trained),
        **common.make_network_settings(material, rng=rng, learning_rate=rate),
    )
    return _score_out_of_fold(network, rows, of=material, chosen=common, rng=rng, step=step)


def _make_transformer_rows(
    material: Material, encoder: HuggingFace, *, trained: str, on_step: OnStep | None
) -> Any:
    """Return the rows that a transformer, or the head on it, learns from."""
    if trained in ("cnn", "cnn-all"):
        is_frozen = trained == "cnn"
        return make_contextual_rows(encoder, material.documents, frozen=is_frozen, on_step=on_step)
    texts = [document.text for document in material.documents]
    if trained == "all":
        return encoder.tokenize(texts)
    vectors = encoder.encode(texts) if material.vectors is None else material.vectors
    # A transformer's vectors all point in about one direction, with parts smaller than a step.
    return (vectors - vectors.mean(axis=0)) / np.maximum(vectors.std(axis=0), 1e-6)


def _build_transformer(_: Any, *, encoder: HuggingFace, trained: str) -> nn.Module:
    if trained == "cnn":
        return FrozenCNN(encoder.dimensions)
    if trained == "cnn-all":
        return TunedCNN(encoder.pretrained)
    if trained == "all":
        return TransformerClassifier(encoder.pretrained, pooling=encoder.pooling)
    return LinearHead(encoder.dimensions)


@dataclass(frozen=True, kw_only=True)
class _CommonParameters:
    """The parameters that all neural methods have."""

    prior: float | str
    beta: float
    gamma: float | str
    loss: str
    batch: int | str
    epochs: int
    models: int
    folds: int
    negatives: str
    pn_weight: float
    weight_decay: float
    validation: float
    patience: int
    center: str

    def make_network_settings(
        self, material: Material, *, rng: np.random.Generator, learning_rate: float
    ) -> dict[str, Any]:
        """Return the parameters of a network."""
        prior = self.prior
        if isinstance(prior, str):
            prior = estimate_prior(material, by=prior, rng=rng)
        gammas = GAMMAS if isinstance(self.gamma, str) else (self.gamma,)
        return {
            "risk": NNPU(prior=prior, beta=self.beta, gamma=gammas[0], loss=loss_named(self.loss)),
            "gammas": gammas if len(gammas) > 1 else (),
            "center": self.center,
            "batch": self.batch,
            "models": self.models,
            "validation": self.validation,
            "settings": TrainingSettings(
                epochs=self.epochs,
                patience=self.patience,
                learning_rate=learning_rate,
                weight_decay=self.weight_decay,
                seed=int(rng.integers(2**31)),
            ),
        }


def estimate_prior(material: Material, *, by: str, rng: np.random.Generator) -> float:
    """Return the prior, estimated from the linear method's scores of seeds and pool."""
    found = parse_method("linear").score(material, rng=rng).scores
    scores = Scores(found.seeds, found.pool[material.seen_pool])
    scores = keep_seeds_inside(scores, ~np.isnan(material.retrieval.seeds))
    estimate = prior_named(next(iter(PRIORS)) if by == "estimate" else by)
    return float(np.clip(estimate(scores), 0.001, 0.999))


def _score_out_of_fold(
    network: PUNetwork,
    rows: Any,
    *,
    of: Material,
    chosen: _CommonParameters,
    rng: np.random.Generator,
    step: OnStep | None,
) -> Scored:
    """Train a network for each fold, and report the steps of all of them together."""
    # Only the warnings of each fold's model are kept, since a transformer is large.
    warned: list[Sequence[str]] = []
    dealt = DealtRows.of(rows, of, by=chosen.negatives)
    parts = count_joint_parts(of.seeds, dealt.seen, most=chosen.folds)

    def tell(done: int, total: int, note: str) -> None:
        if step:
            step(len(warned) * total + done, parts * total, note)

    network.on_step = tell
    estimator: PUEstimator = network
    if dealt.negative is not None:
        # Few negatives count little.
        weight = chosen.pn_weight * of.negatives / of.known
        estimator = NetworkWithNegatives(network, by=chosen.negatives, weight=weight)
    scores = out_of_joint_folds(
        estimator,
        rows[: of.seeds],
        dealt.unlabeled,
        count=chosen.folds,
        rng=rng,
        negative=dealt.negative,
        weights=dealt.weights,
        unseen=dealt.unseen,
        center=chosen.center,
        on_model=lambda model: warned.append(getattr(model, "warnings_", ())),
    )
    warnings = tuple(dict.fromkeys(chain.from_iterable(warned)))
    return Scored(dealt.scores(scores), None, warnings)
