"""CVIR: what looks most like a positive is left out of the negatives (Garg et al., 2021).

With p the prior, l the loss, f(x) the score, and K what is left of the unlabeled documents once the
share p of them with the greatest loss l(-f) is left out,

    (E_P[l(f)] + E_K[l(-f)]) / 2

is the *conditional value ignoring risk*. The authors leave out of all unlabeled documents, anew in
each epoch; here it is done within each batch, of which the same share is left out.

*TEDn* finds p as it goes. It begins with p = 0, all unlabeled for negative, and after each epoch
takes p from best-bin (`learn/priors.py`) on the scores of documents that were set aside.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import torch

from likewise.errors import SettingsError
from likewise.learn.folds import Scores
from likewise.learn.neural.checks import check_loss, check_numbers
from likewise.learn.neural.groups import GroupRisk, Risk, added, mean
from likewise.learn.neural.losses import Loss, sigmoid
from likewise.learn.priors import best_bin

if TYPE_CHECKING:
    from torch import Tensor

MOST = 0.95
"""The greatest share of the unlabeled that TEDn leaves out: with none left, nothing is learned."""


@dataclass(frozen=True, kw_only=True)
class CVIR(GroupRisk):
    """The conditional value ignoring risk."""

    groups: ClassVar[tuple[str, ...]] = ("positive", "unlabeled")

    def __call__(self, *, positive: Tensor, unlabeled: Tensor) -> Risk:
        """Return the risk of scores, each of shape (n,)."""
        self.check(positive=positive, unlabeled=unlabeled)
        return _ignoring(positive, unlabeled, prior=self.prior, loss=self.loss)


@dataclass(kw_only=True)
class TEDn:
    """CVIR with a prior that is estimated anew whenever it is validated."""

    groups: ClassVar[tuple[str, ...]] = ("positive", "unlabeled")

    loss: Loss = sigmoid
    """What a score costs, as a function of its margin."""
    warm: int = 5
    """How many epochs all unlabeled are negative for, at least 0."""
    lenient: bool = False
    """Whether a group may be absent from a batch; it then adds nothing, and the risk is biased."""
    prior_: float = field(default=0.0, init=False)
    """What was estimated last; 0 until it was."""
    validations_: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        check_loss(self.loss)
        if self.warm < 0:
            raise SettingsError(f"warm is {self.warm}; it must be a number that is at least 0")

    def __call__(self, *, positive: Tensor, unlabeled: Tensor) -> Risk:
        """Return the risk of scores, each of shape (n,)."""
        check_numbers(
            {"positive": positive, "unlabeled": unlabeled}, shares={}, lenient=self.lenient
        )
        return _ignoring(positive, unlabeled, prior=self.prior_, loss=self.loss)

    def validated(self, *, positive: Tensor, unlabeled: Tensor) -> Risk:
        """Return the risk of what was set aside, after taking the prior from its scores."""
        self.validations_ += 1
        if self.validations_ >= self.warm:
            aside = (group.detach().cpu().double().numpy() for group in (positive, unlabeled))
            self.prior_ = min(best_bin(Scores(*aside)), MOST)
        return self(positive=positive, unlabeled=unlabeled)


def _ignoring(positive: Tensor, unlabeled: Tensor, *, prior: float, loss: Loss) -> Risk:
    losses = loss(-unlabeled)
    # One at least is left, or there would be nothing to tell the positive from.
    left = max(1, len(losses) - round(prior * len(losses)))
    kept = torch.sort(losses).values[:left]
    return added(positive=mean(loss(positive)) / 2, negative=mean(kept) / 2)
