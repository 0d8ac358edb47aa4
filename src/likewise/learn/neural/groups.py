"""What all risks have in common: scores in by group, checked, and a risk out.

Groups are named where they are handed over, so that they can't be taken for one another, and
labels are never passed along. Scores of a group are a tensor of shape (n,): against (n, 1) they
would broadcast to (n, n) without a word.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, cast

import torch
from torch import Tensor

from likewise.errors import ScoresError
from likewise.learn.neural.checks import check_between, check_loss, check_numbers
from likewise.learn.neural.losses import Loss, sigmoid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from likewise.extras import Offer

GROUPS = ("positive", "unlabeled", "negative")
"""What scores may be of."""


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


def border_of(risk: PURisk, scores: Tensor) -> float:
    """Return the score at which a risk decides: by its method `border`, if it has one, else 0.

    Args:
        risk: What a model was trained with.
        scores: The model's, of unlabeled documents that it has learned from.
    """
    border = getattr(risk, "border", None)
    found = float(border(scores)) if border else 0.0
    if not math.isfinite(found):
        raise ScoresError(
            f"the border of the risk {type(risk).__name__} is {found}; it must be a finite score"
        )
    return found


def validating(risk: PURisk) -> Callable[..., Risk]:
    """Return what says the risk of rows set aside: its method `validated`, if it has one."""
    validated: Callable[..., Risk] = getattr(risk, "validated", risk)
    return validated


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


def watched_risk(kind: Any, offer: Offer) -> type[PURisk]:
    """Return a risk of a plug-in, which is blamed where what it returns is no risk.

    Args:
        kind: A dataclass with `groups`, called with the scores of each. Those of its fields that
            are called prior, loss, beta, gamma, weight and lenient are what a network is given.
        offer: What is to blame.
    """
    if not (isinstance(kind, type) and is_dataclass(kind) and _has_groups(kind)):
        raise offer.error(
            f"is no risk: a dataclass that is called with scores, and says in `groups` which of "
            f"{', '.join(GROUPS)} it takes"
        )

    class Watched(kind):  # type: ignore[misc]  # a class that is only known now
        def __init__(self, **settings: Any) -> None:
            with offer.blamed():
                super().__init__(**settings)

        def __call__(self, **scores: Tensor) -> Risk:
            with offer.blamed():
                risk = super().__call__(**scores)
            _check_risk(risk, scores, offer=offer)
            return cast("Risk", risk)

    Watched.__name__ = kind.__name__
    return cast("type[PURisk]", Watched)


def _has_groups(kind: type) -> bool:
    groups = getattr(kind, "groups", ())
    return bool(groups) and set(groups) <= set(GROUPS) and "__call__" in dir(kind)


def _check_risk(risk: Any, scores: Mapping[str, Tensor], *, offer: Offer) -> None:
    numbers = (risk.value, risk.objective) if isinstance(risk, Risk) else ()
    if not numbers or not all(isinstance(each, Tensor) and each.ndim == 0 for each in numbers):
        raise offer.error("returns no Risk whose value and objective are tensors of one number")
    if all(torch.isfinite(each) for each in numbers):
        return
    # Scores that are not finite are those of a training that diverged, whatever the risk.
    check_numbers(scores, shares={}, lenient=True)
    raise offer.error("returns a risk that is not finite for scores that are")


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
