"""The variational PU risk, which needs no prior (Chen, Liu, Wang, Zhao and Wu, 2020).

With f(x) the score, s(x) = 1 / (1 + e^-f) and E_P and E_U means over the positive and unlabeled
documents of a batch, it is

    ln E_U[s(x)] - E_P[ln s(x)]

which is smallest where s is proportional to the probability of being positive: only up to a factor,
so that where s is half of its highest value, a document is as likely on topic as not (`border`).

What keeps a flexible model from making s large at the seeds alone is a second part. For a positive
x', an unlabeled x'' and a number a between 0 and 1, drawn from the Beta distribution, it is

    (ln(a + (1 - a) s(x'')) - ln s(x))^2    where x = a x' + (1 - a) x''

Texts can't be mixed, but features can: where the score is linear in the features of the last layer,
as the CNN's is, the mixture x scores a f(x') + (1 - a) f(x''), and scores are all that is needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import torch
from torch.nn import functional

from likewise.learn.neural.checks import check_mixing, check_numbers
from likewise.learn.neural.groups import Risk, mean

if TYPE_CHECKING:
    from torch import Tensor

HIGHEST = 1 - 1e-6
"""The highest s that a border is drawn by: at 1, a score is not finite."""


@dataclass(frozen=True, kw_only=True)
class VPU:
    """The variational PU risk.

    Its value is the first part, which early stopping looks at; what is descended on is that and
    `mixing` times the second, whose numbers are drawn by torch.
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
        check_numbers(
            {"positive": positive, "unlabeled": unlabeled}, shares={}, lenient=self.lenient
        )
        parts = {
            "positive": -mean(functional.logsigmoid(positive)),
            "unlabeled": _log_mean(unlabeled),
            "mixed": self.mixing * self._mixed(positive, unlabeled),
        }
        value = parts["positive"] + parts["unlabeled"]
        return Risk(parts, value=value, objective=value + parts["mixed"])

    def border(self, scores: Tensor) -> float:
        """Return the score at which s is half of the highest that these scores come to.

        >>> round(VPU().border(torch.tensor([-1.0, 0.0])), 4)
        -1.0986
        """
        highest = min(float(torch.sigmoid(scores.double().max())), HIGHEST)
        return float(torch.logit(torch.tensor(highest / 2, dtype=torch.float64)))

    def _mixed(self, positive: Tensor, unlabeled: Tensor) -> Tensor:
        if not len(positive) or not len(unlabeled):
            return positive.sum() * 0
        # Rows of a batch are in random order: any pairs are random ones.
        paired = positive[torch.arange(len(unlabeled), device=positive.device) % len(positive)]
        drawn = torch.distributions.Beta(self.alpha, self.alpha).sample(unlabeled.shape)
        share = drawn.to(unlabeled)
        aim = torch.log(share + (1 - share) * torch.sigmoid(unlabeled) + 1e-12)
        score = functional.logsigmoid(share * paired + (1 - share) * unlabeled)
        return mean((aim - score).square())


def _log_mean(scores: Tensor) -> Tensor:
    """Return the logarithm of the mean of s; that of none is 0."""
    if not len(scores):
        return scores.sum()
    logs = functional.logsigmoid(scores)
    return torch.logsumexp(logs, dim=0) - math.log(len(scores))
