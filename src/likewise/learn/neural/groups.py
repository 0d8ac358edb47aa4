"""What all risks have in common: scores in by group, checked, and a risk out.

Groups are named where they are handed over, so that they can't be taken for one another, and
labels are never passed along. Scores of a group are a tensor of shape (n,): against (n, 1) they
would broadcast to (n, n) without a word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import torch
from torch import Tensor

from likewise.learn.neural.checks import check_between, check_loss, check_numbers
from likewise.learn.neural.losses import Loss, sigmoid

if TYPE_CHECKING:
    from collections.abc import Mapping


class Risk(NamedTuple):
    """A risk, with what it is made of and what to descend on."""

    parts: dict[str, Tensor]
    """Its parts by name, scalars."""
    value: Tensor
    """The risk: what is reported, and what early stopping looks at."""
    objective: Tensor
    """What is descended on: the value, except where a correction says otherwise."""


class PURisk(Protocol):
    """Whatever makes a risk of scores; it is called with those of each of its groups by name."""

    groups: ClassVar[tuple[str, ...]]

    def __call__(self, *args: Any, **scores: Any) -> Risk:
        """Return the risk of scores, each of shape (n,)."""


@dataclass(frozen=True, kw_only=True)
class GroupRisk:
    """The settings and the checks that all risks share."""

    groups: ClassVar[tuple[str, ...]] = ()

    prior: float
    """The share of the unlabeled that is positive, more than 0 and less than 1."""
    loss: Loss = sigmoid
    """What a score costs, as a function of its margin."""
    lenient: bool = False
    """Whether a group may be absent from a batch; it then adds nothing, and the risk is biased."""

    def __post_init__(self) -> None:
        check_between("prior", self.prior, ends=False)
        check_loss(self.loss)

    def check(self, *, shares: Mapping[str, Tensor] | None = None, **scores: Tensor) -> None:
        """Refuse scores that are not finite numbers of shape (n,), and shares outside of [0, 1]."""
        check_numbers(scores, shares=shares or {}, lenient=self.lenient)


def mean(losses: Tensor) -> Tensor:
    """Return the mean of losses; that of none is 0."""
    return losses.sum() / max(1, len(losses))


def added(*, positive: Tensor, negative: Tensor) -> Risk:
    """Return the sum of two parts, which is descended on as it is."""
    risk = positive + negative
    return Risk({"positive": positive, "negative": negative}, value=risk, objective=risk)


def corrected(*, positive: Tensor, negative: Tensor, beta: float, gamma: float) -> Risk:
    """Return the sum of two parts with the correction of Kiryo et al. (2017).

        value      positive + negative    where negative >= -beta, else  positive - beta
        objective  positive + negative    where negative >= -beta, else  -gamma * negative

    The second objective has no gradient of the positive part: a step on it undoes overfitting to
    the unlabeled and does nothing else.
    """
    risk = positive + negative
    # Chosen where the tensors are: to branch here would make the processor wait for the device.
    is_low = negative < -beta
    return Risk(
        {"positive": positive, "negative": negative},
        value=torch.where(is_low, positive - beta, risk),
        objective=torch.where(is_low, -gamma * negative, risk),
    )
