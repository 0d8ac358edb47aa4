"""Positive-unlabeled learning: losses, risks, batches, priors, estimators, scores out of fold.

Every name is loaded when it is first used, so only those that use torch need it.

>>> from likewise.learn import ProportionalBatches
>>> ProportionalBatches({"positive": 50, "unlabeled": 10_000}, size=20).counts
{'positive': 1, 'unlabeled': 19}
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from likewise.learn.batching import Batch, Batches, OrdinaryBatches, ProportionalBatches
    from likewise.learn.estimates import Interval
    from likewise.learn.estimators import Divergence, Fused, PUEstimator, PULogistic
    from likewise.learn.folds import Scores, out_of_fold, out_of_joint_folds
    from likewise.learn.judgement import Judgement, judge
    from likewise.learn.neural.cnn import WordCNN
    from likewise.learn.neural.estimator import PUNetwork
    from likewise.learn.neural.groups import PURisk, Risk
    from likewise.learn.neural.losses import (
        LOSSES,
        Loss,
        double_hinge,
        logistic,
        loss_named,
        ramp,
        sigmoid,
        squared,
        zero_one,
    )
    from likewise.learn.neural.negatives import PUbNNetwork
    from likewise.learn.neural.pubn import (
        Labelled,
        Labelling,
        PUbN,
        choose_eta,
        probability_labelled,
    )
    from likewise.learn.neural.recent_risks import CVIR, VPU, DistPU, TEDn
    from likewise.learn.neural.records import Epoch, History, TrainingSettings
    from likewise.learn.neural.risks import BALANCED, NNPU, PN, PNU, PUAUC, RISKS, UPU
    from likewise.learn.neural.training import Training, train
    from likewise.learn.neural.transformer import (
        LinearHead,
        MLPHead,
        TransformerClassifier,
        TransformerNetwork,
    )
    from likewise.learn.priors import PRIORS, prior_with_interval
    from likewise.learn.rows import Rows
    from likewise.learn.scorers import COPKMeans
    from likewise.learn.thresholds import Keep, parse_keep

__all__ = [
    "BALANCED",
    "CVIR",
    "LOSSES",
    "NNPU",
    "PN",
    "PNU",
    "PRIORS",
    "PUAUC",
    "RISKS",
    "UPU",
    "VPU",
    "Batch",
    "Batches",
    "COPKMeans",
    "DistPU",
    "Divergence",
    "Epoch",
    "Fused",
    "History",
    "Interval",
    "Judgement",
    "Keep",
    "Labelled",
    "Labelling",
    "LinearHead",
    "Loss",
    "MLPHead",
    "OrdinaryBatches",
    "PUEstimator",
    "PULogistic",
    "PUNetwork",
    "PURisk",
    "PUbN",
    "PUbNNetwork",
    "ProportionalBatches",
    "Risk",
    "Rows",
    "Scores",
    "TEDn",
    "Training",
    "TrainingSettings",
    "TransformerClassifier",
    "TransformerNetwork",
    "WordCNN",
    "choose_eta",
    "double_hinge",
    "judge",
    "logistic",
    "loss_named",
    "out_of_fold",
    "out_of_joint_folds",
    "parse_keep",
    "prior_with_interval",
    "probability_labelled",
    "ramp",
    "sigmoid",
    "squared",
    "train",
    "zero_one",
]

_NAMES = {
    "batching": "Batch Batches OrdinaryBatches ProportionalBatches",
    "scorers": "COPKMeans",
    "estimators": "Divergence Fused PUEstimator PULogistic",
    "folds": "Scores out_of_fold out_of_joint_folds",
    "estimates": "Interval",
    "judgement": "Judgement judge",
    "priors": "PRIORS prior_with_interval",
    "thresholds": "Keep parse_keep",
    "neural.cnn": "WordCNN",
    "neural.recent_risks": "CVIR DistPU TEDn VPU",
    "neural.estimator": "PUNetwork",
    "neural.losses": "LOSSES Loss double_hinge logistic loss_named ramp sigmoid squared zero_one",
    "neural.pubn": "Labelled Labelling PUbN choose_eta probability_labelled",
    "neural.negatives": "PUbNNetwork",
    "neural.risks": "BALANCED NNPU PN PNU PUAUC RISKS UPU",
    "neural.groups": "PURisk Risk",
    "neural.records": "Epoch History TrainingSettings",
    "neural.training": "Training train",
    "neural.transformer": "LinearHead MLPHead TransformerClassifier TransformerNetwork",
    "rows": "Rows",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'likewise.learn' has no attribute {name!r}")
    return getattr(importlib.import_module(f"likewise.learn.{_HOMES[name]}"), name)
