"""The PU-AUC risk: how often a positive document is not ranked above a negative one.

With p the prior, l the loss, f(x) the score, and E_P, E_N and E_U means over documents, the
supervised risk of a ranking is

    E_P E_N'[l(f(x) - f(x'))]

Since the unlabeled are a mixture, E_U = p E_P + (1 - p) E_N, it is estimated without negatives by

    1 / (1 - p) * (E_P E_U'[l(f(x) - f(x'))] - p E_P E_P'[l(f(x) - f(x'))])

where the second mean is over pairs of different positives: a document paired with itself would add
l(0), and bias the risk.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from likewise.errors import ScoresError
from likewise.learn.neural.groups import GroupRisk, Risk


@dataclass(frozen=True, kw_only=True)
class PUAUC(GroupRisk):
    """The PU-AUC risk (Sakai, Niu and Sugiyama, 2018).

    It looks at differences of scores alone, so where a decision falls is not learned: it is put
    where as large a share of the unlabeled scores higher as the prior says. With a
    symmetric loss the pairs of positives come to 1/2 whatever the scores, and change no gradient.
    A batch needs two positives; if it is lenient, pairs that are not there add nothing.
    """

    groups: ClassVar[tuple[str, ...]] = ("positive", "unlabeled")

    def __call__(self, *, positive: Tensor, unlabeled: Tensor) -> Risk:
        """Return the risk of scores, each of shape (n,)."""
        self.check(positive=positive, unlabeled=unlabeled)
        if len(positive) < 2 and not self.lenient:
            raise ScoresError(
                "positive has 1 score; PU-AUC compares positives with one another and needs 2 in "
                "a batch, or lenient=True"
            )
        prior = self.prior
        mixed = self._pairs(positive, unlabeled).sum() / max(1, len(positive) * len(unlabeled))
        alike = self._sum_different(positive) / max(1, len(positive) * (len(positive) - 1))
        parts = {"unlabeled": mixed / (1 - prior), "positive": -prior * alike / (1 - prior)}
        risk = parts["unlabeled"] + parts["positive"]
        return Risk(parts, value=risk, objective=risk)

    def border(self, scores: Tensor) -> float:
        """Return the score that a share of `prior` of these scores is above.

        >>> PUAUC(prior=0.25).border(torch.tensor([4.0, 1.0, 3.0, 2.0]))
        3.25
        """
        return float(torch.quantile(scores.double(), 1 - self.prior))

    def _pairs(self, higher: Tensor, lower: Tensor) -> Tensor:
        return self.loss(higher[:, None] - lower[None, :])

    def _sum_different(self, scores: Tensor) -> Tensor:
        losses = self._pairs(scores, scores)
        return losses.sum() - losses.diagonal().sum()
