"""Risks published since 2020: VPU, Dist-PU, CVIR and TEDn.

With p the prior, l the loss, f(x) the score, s(x) = 1 / (1 + e^-f), and E_P and E_U means over the
positive and unlabeled documents of a batch:

    VPU      ln E_U[s] - E_P[ln s]
    Dist-PU  2 p |E_P[s] - 1| + |E_U[s] - p|
    CVIR     (E_P[l(f)] + E_K[l(-f)]) / 2, with K the unlabeled without the likeliest share p

Mixtures keep a flexible model from making s large at the seeds alone. For documents x' and x'' and
a number a between 0 and 1, drawn from the Beta distribution, x = a x' + (1 - a) x''. Texts can't be
mixed, but features can: if the score is linear in the features of the last layer, as the CNN's is,
the mixture scores a f(x') + (1 - a) f(x''), and scores are all that is needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn import functional

from likewise.errors import SettingsError
from likewise.learn.folds import Scores
from likewise.learn.neural.groups import (
    GroupRisk,
    Risk,
    add_parts,
    check_between,
    check_loss,
    check_mixing,
    check_numbers,
    mean,
)
from likewise.learn.neural.losses import Loss, sigmoid
from likewise.learn.priors import best_bin

HIGHEST_SHARE = 1 - 1e-6
"""The highest s that a border is computed from; at 1 the score would be infinite."""
MOST_LEFT_OUT = 0.95
"""The greatest share of the unlabeled that TEDn leaves out, so that some are left to learn from."""


@dataclass(frozen=True, kw_only=True)
class VPU:
    """The variational PU risk, which needs no prior (Chen, Liu, Wang, Zhao and Wu, 2020).

        ln E_U[s(x)] - E_P[ln s(x)]

    It is smallest if s is proportional to the probability of being positive. The factor is unknown,
    so a document is taken to be as likely on topic as not where s is half of its highest value
    (`border`). A second part is, for a positive x' and an unlabeled x'',

        (ln(a + (1 - a) s(x'')) - ln s(x))^2    where x = a x' + (1 - a) x''

    The value is the first part, which early stopping uses; training descends on that plus `mixing`
    times the second, for which torch draws a.
    """

    groups: ClassVar[tuple[str, ...]] = ("positive", "unlabeled")

    mixing: float = 0.03
    """How much mixtures count, at least 0."""
    alpha: float = 0.3
    """Both parameters of the Beta distribution, greater than 0."""
    lenient: bool = False
    """Whether a group may be absent from a batch; it then adds nothing, and the risk is biased."""

    def __post_init__(self) -> None:
        check_mixing(alpha=self.alpha, mixing=self.mixing)

    def __call__(self, *, positive: Tensor, unlabeled: Tensor) -> Risk:
        """Return the risk of scores, each of shape (n,)."""
        check_numbers({"positive": positive, "unlabeled": unlabeled}, lenient=self.lenient)
        parts = {
            "positive": -mean(functional.logsigmoid(positive)),
            "unlabeled": _log_mean(unlabeled),
            "mixed": self.mixing * self._mix_scores(positive, unlabeled),
        }
        value = parts["positive"] + parts["unlabeled"]
        return Risk(parts, value=value, objective=value + parts["mixed"])

    def border(self, scores: Tensor) -> float:
        """Return the score at which s is half of the highest that these scores come to.

        >>> round(VPU().border(torch.tensor([-1.0, 0.0])), 4)
        -1.0986
        """
        highest = min(float(torch.sigmoid(scores.double().max())), HIGHEST_SHARE)
        return float(torch.logit(torch.tensor(highest / 2, dtype=torch.float64)))

    def _mix_scores(self, positive: Tensor, unlabeled: Tensor) -> Tensor:
        if not len(positive) or not len(unlabeled):
            return positive.sum() * 0
        # Rows of a batch are in random order, so any pairs are random ones.
        paired = positive[torch.arange(len(unlabeled), device=positive.device) % len(positive)]
        drawn = torch.distributions.Beta(self.alpha, self.alpha).sample(unlabeled.shape)
        share = drawn.to(unlabeled)
        aim = torch.log(share + (1 - share) * torch.sigmoid(unlabeled) + 1e-12)
        score = functional.logsigmoid(share * paired + (1 - share) * unlabeled)
        return mean((aim - score).square())


def _log_mean(scores: Tensor) -> Tensor:
    """Return the logarithm of the mean of s, or 0 if there are no scores."""
    if not len(scores):
        return scores.sum()
    logs = functional.logsigmoid(scores)
    return torch.logsumexp(logs, dim=0) - math.log(len(scores))


@dataclass(frozen=True, kw_only=True)
class DistPU:
    """Dist-PU: predictions are brought to the distribution of the labels (Zhao et al., 2022).

        2 p |E_P[s] - 1| + |E_U[s] - p|

    Predicting p for every unlabeled document would be as good as telling them apart, so training
    also descends on two further parts. The first is the entropy of predictions, with H(s) that of a
    share; the second asks that a mixture be predicted as the mixture of predictions, and surely:

        entropy * E_U[H(s)]
        mixing * E[CE(a s(x') + (1 - a) s(x''), s(x))] + mixed_entropy * E[H(s(x))]

    The predictions that are mixed have no gradient, and that of a positive document is 1. The
    authors begin without the further parts, then count mixtures ten times as much, and let entropy
    grow with the epochs; here the weights are the same from the start.

    The value is the first part, which early stopping uses. torch draws the mixtures.
    """

    groups: ClassVar[tuple[str, ...]] = ("positive", "unlabeled")

    prior: float
    """The share of the unlabeled that is positive, more than 0 and less than 1."""
    entropy: float = 0.004
    """How much the entropy of predictions counts, at least 0."""
    mixing: float = 0.5
    """How much mixtures count, at least 0."""
    mixed_entropy: float = 0.04
    """How much the entropy of predictions for mixtures counts, at least 0."""
    alpha: float = 6.0
    """Both parameters of the Beta distribution, greater than 0."""
    lenient: bool = False
    """Whether a group may be absent from a batch; it then adds nothing, and the risk is biased."""

    def __post_init__(self) -> None:
        check_between("prior", self.prior, ends=False)
        check_mixing(
            alpha=self.alpha,
            entropy=self.entropy,
            mixing=self.mixing,
            mixed_entropy=self.mixed_entropy,
        )

    def __call__(self, *, positive: Tensor, unlabeled: Tensor) -> Risk:
        """Return the risk of scores, each of shape (n,)."""
        check_numbers({"positive": positive, "unlabeled": unlabeled}, lenient=self.lenient)
        parts = {
            "positive": 2 * self.prior * _measure_distance(positive, 1.0),
            "unlabeled": _measure_distance(unlabeled, self.prior),
            "entropy": self.entropy * mean(_entropy(unlabeled)),
            "mixed": self._mix_scores(positive, unlabeled),
        }
        value = parts["positive"] + parts["unlabeled"]
        return Risk(parts, value=value, objective=value + parts["entropy"] + parts["mixed"])

    def _mix_scores(self, positive: Tensor, unlabeled: Tensor) -> Tensor:
        scores = torch.cat([positive, unlabeled])
        if not self.mixing and not self.mixed_entropy:
            return scores.new_zeros(())
        aims = torch.cat([torch.ones_like(positive), torch.sigmoid(unlabeled)]).detach()
        other = torch.randperm(len(scores)).to(scores.device)
        drawn = torch.distributions.Beta(self.alpha, self.alpha).sample(scores.shape)
        share = drawn.to(scores)
        mixed = share * scores + (1 - share) * scores[other]
        aim = share * aims + (1 - share) * aims[other]
        losses = functional.binary_cross_entropy_with_logits(mixed, aim, reduction="none")
        return self.mixing * mean(losses) + self.mixed_entropy * mean(_entropy(mixed))


def _measure_distance(scores: Tensor, aim: float) -> Tensor:
    """Return how far the mean prediction is from an aim, or 0 if there are no scores."""
    return (mean(torch.sigmoid(scores)) - aim).abs() if len(scores) else scores.sum()


def _entropy(scores: Tensor) -> Tensor:
    """Return the entropy of what each score predicts, in nats.

    >>> _entropy(torch.tensor([0.0, 100.0])).round(decimals=4).tolist()
    [0.6930999755859375, 0.0]
    """
    likely = torch.sigmoid(scores)
    return -likely * functional.logsigmoid(scores) - (1 - likely) * functional.logsigmoid(-scores)


@dataclass(frozen=True, kw_only=True)
class CVIR(GroupRisk):
    """The conditional value ignoring risk (Garg et al., 2021).

    The share p of the unlabeled that looks most like a positive, which has the greatest loss l(-f),
    is left out of the negatives. The authors choose it among all unlabeled documents, anew in each
    epoch; here the same share is left out of each batch.
    """

    groups: ClassVar[tuple[str, ...]] = ("positive", "unlabeled")

    def __call__(self, *, positive: Tensor, unlabeled: Tensor) -> Risk:
        """Return the risk of scores, each of shape (n,)."""
        self.check(positive=positive, unlabeled=unlabeled)
        return _ignore_likeliest(positive, unlabeled, prior=self.prior, loss=self.loss)


@dataclass(kw_only=True)
class TEDn:
    """CVIR with a prior that is estimated anew whenever it is validated (Garg et al., 2021).

    It begins with p = 0, taking all unlabeled for negative. From epoch `warm` on, each epoch ends
    with p taken from best-bin (`learn/priors.py`) on the scores of documents that were set aside.
    """

    groups: ClassVar[tuple[str, ...]] = ("positive", "unlabeled")

    loss: Loss = sigmoid
    """What a score costs, as a function of its margin."""
    warm: int = 5
    """For how many epochs all unlabeled count as negative, at least 0."""
    lenient: bool = False
    """Whether a group may be absent from a batch; it then adds nothing, and the risk is biased."""
    prior_: float = field(default=0.0, init=False)
    """The latest estimate of the prior; 0 before the first."""
    validations_: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        check_loss(self.loss)
        if self.warm < 0:
            raise SettingsError(f"warm is {self.warm}; it must be a number that is at least 0")

    def __call__(self, *, positive: Tensor, unlabeled: Tensor) -> Risk:
        """Return the risk of scores, each of shape (n,)."""
        check_numbers({"positive": positive, "unlabeled": unlabeled}, lenient=self.lenient)
        return _ignore_likeliest(positive, unlabeled, prior=self.prior_, loss=self.loss)

    def validate(self, *, positive: Tensor, unlabeled: Tensor) -> Risk:
        """Estimate the prior from the scores of what was set aside, and return its risk."""
        self.validations_ += 1
        if self.validations_ >= self.warm:
            aside = (group.detach().cpu().double().numpy() for group in (positive, unlabeled))
            self.prior_ = min(best_bin(Scores(*aside)), MOST_LEFT_OUT)
        return self(positive=positive, unlabeled=unlabeled)


def _ignore_likeliest(positive: Tensor, unlabeled: Tensor, *, prior: float, loss: Loss) -> Risk:
    losses = loss(-unlabeled)
    # At least one is left, or there would be nothing to tell the positive from.
    left = max(1, len(losses) - round(prior * len(losses)))
    kept = torch.sort(losses).values[:left]
    return add_parts(positive=mean(loss(positive)) / 2, negative=mean(kept) / 2)
