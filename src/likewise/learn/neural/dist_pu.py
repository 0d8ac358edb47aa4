"""Dist-PU: the distribution of predictions is brought to that of the labels (Zhao et al., 2022).

With p the prior, f(x) the score, s(x) = 1 / (1 + e^-f) and E_P and E_U means over the positive and
unlabeled documents of a batch, it is

    2 p |E_P[s] - 1| + |E_U[s] - p|

To predict p for every unlabeled document would be as good as to tell them apart, so two further
parts are descended on. The first is the entropy of predictions, with H(s) the entropy of a share:

    entropy * E_U[H(s)]

The second wants mixtures of two documents to be predicted as the mixture of what is predicted for
each, and to be sure of it. With x = a x' + (1 - a) x'', and a drawn from the Beta distribution:

    mixing * E[CE(a s(x') + (1 - a) s(x''), s(x))] + mixed_entropy * E[H(s(x))]

Aims are taken as they are, without a gradient; that of a positive document is 1. Scores are mixed
in place of texts, as `vpu.py` says. The authors begin without the further parts, then count
mixtures ten times as much, and let entropy grow by the epoch; here all count alike from the start.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import torch
from torch.nn import functional

from likewise.learn.neural.checks import check_between, check_mixing, check_numbers
from likewise.learn.neural.groups import Risk, mean

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, kw_only=True)
class DistPU:
    """The risk of label distributions.

    Its value is the first part, which early stopping looks at. Mixtures are drawn by torch.
    """

    groups: ClassVar[tuple[str, ...]] = ("positive", "unlabeled")

    prior: float
    """The share of the unlabeled that is positive, more than 0 and less than 1."""
    entropy: float = 0.004
    """How much the entropy of predictions counts, at least 0."""
    mixing: float = 0.5
    """How much mixtures count, at least 0."""
    mixed_entropy: float = 0.04
    """How much the entropy of what is predicted for mixtures counts, at least 0."""
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
        check_numbers(
            {"positive": positive, "unlabeled": unlabeled}, shares={}, lenient=self.lenient
        )
        parts = {
            "positive": 2 * self.prior * _off(positive, 1.0),
            "unlabeled": _off(unlabeled, self.prior),
            "entropy": self.entropy * mean(_entropy(unlabeled)),
            "mixed": self._mixed(positive, unlabeled),
        }
        value = parts["positive"] + parts["unlabeled"]
        return Risk(parts, value=value, objective=value + parts["entropy"] + parts["mixed"])

    def _mixed(self, positive: Tensor, unlabeled: Tensor) -> Tensor:
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


def _off(scores: Tensor, aim: float) -> Tensor:
    """Return how far the mean prediction is from an aim; that of none is not."""
    return (mean(torch.sigmoid(scores)) - aim).abs() if len(scores) else scores.sum()


def _entropy(scores: Tensor) -> Tensor:
    """Return the entropy of what each score predicts, in nats.

    >>> _entropy(torch.tensor([0.0, 100.0])).round(decimals=4).tolist()
    [0.6930999755859375, 0.0]
    """
    likely = torch.sigmoid(scores)
    return -likely * functional.logsigmoid(scores) - (1 - likely) * functional.logsigmoid(-scores)
