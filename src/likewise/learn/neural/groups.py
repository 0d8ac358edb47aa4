"""Groups of scores, which every risk takes, and the checks that all risks share.

Groups are passed by name, so that they can't be mixed up, and labels are never passed. The scores
of a group are a tensor of shape (n,): together with one of shape (n, 1) they would broadcast to
(n, n) without an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass
from numbers import Real
from typing import Any, ClassVar, NamedTuple, Protocol, cast

import torch
from torch import Tensor

from likewise.errors import NotFiniteError, ScoresError, SettingsError
from likewise.extras import Offer
from likewise.learn.neural.losses import Loss, sigmoid

GROUPS = ("positive", "unlabeled", "negative")
"""The groups of documents that scores may be of."""


class Risk(NamedTuple):
    """A risk, its parts, and the objective of training."""

    parts: dict[str, Tensor]
    """Its parts by name, scalars."""
    value: Tensor
    """The risk itself, which is reported and used for early stopping."""
    objective: Tensor
    """What gradient descent minimises: the value, unless a correction replaces it."""


class PURisk(Protocol):
    """A function from scores to a risk, called with the scores of each of its groups by name."""

    groups: ClassVar[tuple[str, ...]]

    def __call__(self, *args: Any, **scores: Any) -> Risk:
        """Return the risk of scores, each of shape (n,)."""


def find_border(risk: PURisk, scores: Tensor) -> float:
    """Return the score at which a risk decides: by its method `border`, if it has one, else 0.

    It depends on the scores that a model gives the unlabeled documents it has learned from.
    """
    border = getattr(risk, "border", None)
    found = float(border(scores)) if border else 0.0
    if not math.isfinite(found):
        raise ScoresError(
            f"the border of the risk {type(risk).__name__} is {found}; it must be a finite score"
        )
    return found


def choose_validation(risk: PURisk) -> Callable[..., Risk]:
    """Return the function for the risk of rows set aside: the risk's `validate`, if it has one."""
    validate: Callable[..., Risk] = getattr(risk, "validate", risk)
    return validate


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
        """Raise unless scores are finite and of shape (n,), and shares within [0, 1]."""
        check_numbers(scores, shares=shares, lenient=self.lenient)


def wrap_risk(kind: Any, offer: Offer) -> type[PURisk]:
    """Return a plug-in's risk with checks: an error names the plug-in if it returns no risk.

    A risk is a dataclass with `groups`, called with the scores of each. A network sets those of its
    fields that are called prior, loss, beta, gamma, weight and lenient.
    """
    groups = getattr(kind, "groups", ())
    is_called = isinstance(kind, type) and is_dataclass(kind) and "__call__" in dir(kind)
    if not (is_called and groups and set(groups) <= set(GROUPS)):
        raise offer.error(
            f"is not a risk: a dataclass that is called with scores, and says in `groups` which of "
            f"{', '.join(GROUPS)} it takes"
        )

    class CheckedRisk(kind):  # type: ignore[misc]  # a class that is only known now
        def __init__(self, **settings: Any) -> None:
            with offer.blame():
                super().__init__(**settings)

        def __call__(self, **scores: Tensor) -> Risk:
            with offer.blame():
                risk = super().__call__(**scores)
            _check_risk(risk, scores, offer=offer)
            return cast("Risk", risk)

    CheckedRisk.__name__ = kind.__name__
    return cast("type[PURisk]", CheckedRisk)


def _check_risk(risk: Any, scores: Mapping[str, Tensor], *, offer: Offer) -> None:
    numbers = (risk.value, risk.objective) if isinstance(risk, Risk) else ()
    if not numbers or not all(isinstance(each, Tensor) and each.ndim == 0 for each in numbers):
        raise offer.error("returns no Risk whose value and objective are tensors of one number")
    if all(torch.isfinite(each) for each in numbers):
        return
    # Scores that are not finite come from a training that diverged, whatever the risk.
    check_numbers(scores, lenient=True)
    raise offer.error("returns a risk that is not finite for scores that are")


def mean(losses: Tensor) -> Tensor:
    """Return the mean of losses, or 0 if there are none."""
    return losses.sum() / max(1, len(losses))


def add_parts(*, positive: Tensor, negative: Tensor) -> Risk:
    """Return the risk that is the sum of two parts, without a correction."""
    risk = positive + negative
    return Risk({"positive": positive, "negative": negative}, value=risk, objective=risk)


def correct_parts(*, positive: Tensor, negative: Tensor, beta: float, gamma: float) -> Risk:
    """Return the risk that is the sum of two parts, with the correction of Kiryo et al. (2017).

        value      positive + negative    where negative >= -beta, else  positive - beta
        objective  positive + negative    where negative >= -beta, else  -gamma * negative

    The second objective has no gradient of the positive part: a step on it undoes overfitting to
    the unlabeled and does nothing else.
    """
    risk = positive + negative
    # Chosen on the tensors' device: branching here would make the processor wait for it.
    is_low = negative < -beta
    return Risk(
        {"positive": positive, "negative": negative},
        value=torch.where(is_low, positive - beta, risk),
        objective=torch.where(is_low, -gamma * negative, risk),
    )


def check_between(name: str, value: Any, *, ends: bool) -> None:
    """Raise unless a value is between 0 and 1, with or without the ends."""
    if isinstance(value, Real) and (0 < float(value) < 1 or (ends and value in (0, 1))):
        return
    bounds = "at least 0 and at most 1" if ends else "more than 0 and less than 1"
    raise SettingsError(f"{name} is {value!r}; it must be a number that is {bounds}")


def check_weight(name: str, value: Any) -> None:
    """Raise unless a weight is a finite number of at least 0."""
    if not (isinstance(value, Real) and 0 <= float(value) < float("inf")):
        raise SettingsError(f"{name} is {value!r}; it must be a number that is at least 0")


def check_mixing(*, alpha: Any, **weights: Any) -> None:
    """Raise if mixtures can't be drawn with an alpha, or if a weight is below 0."""
    for name, value in weights.items():
        check_weight(name, value)
    if not (isinstance(alpha, Real) and 0 < float(alpha) < float("inf")):
        raise SettingsError(f"alpha is {alpha!r}; it must be a number greater than 0")


def check_correction(*, beta: Any, gamma: Any) -> None:
    """Raise if the correction of Kiryo et al. (2017) is not defined for these values."""
    check_weight("beta", beta)
    check_between("gamma", gamma, ends=True)


def check_loss(loss: Any) -> None:
    """Raise if a function is not a loss of margins, since it would train the model to be wrong."""
    if not callable(loss):
        raise SettingsError(
            f"loss is {loss!r}; give a function of margins, such as loss_named('sigmoid')"
        )
    losses = loss(torch.tensor([-1.0, 1.0]))
    if losses.shape != (2,):
        raise SettingsError(
            f"loss returns shape {tuple(losses.shape)} for two margins; it must return two losses"
        )
    wrong, right = losses.tolist()
    if not wrong > right:
        raise SettingsError(
            f"loss is {wrong:.3g} at margin -1 and {right:.3g} at 1; it must fall as margins grow"
        )


def check_numbers(
    scores: Mapping[str, Tensor], *, shares: Mapping[str, Tensor] | None = None, lenient: bool
) -> None:
    """Refuse scores that are not finite numbers of shape (n,), and shares outside of [0, 1].

    Both come by the names of their groups, some of which may be empty if it is lenient.
    """
    shares = shares or {}
    numbers = {**scores, **shares}
    for name, values in numbers.items():
        _check_shape(name, values, lenient=lenient)
    if not any(len(values) for values in numbers.values()):
        raise ScoresError(f"{', '.join(numbers)} are all empty; there is nothing to learn from")
    wrong = {name: ~torch.isfinite(values) for name, values in scores.items()}
    wrong |= {name: ~((values >= 0) & (values <= 1)) for name, values in shares.items()}
    _refuse(wrong, shares=shares)


def _check_shape(name: str, values: Any, *, lenient: bool) -> None:
    if not isinstance(values, Tensor):
        raise ScoresError(f"{name} is of type {type(values).__name__}; a tensor is needed")
    if not values.is_floating_point():
        raise ScoresError(f"{name} is of {values.dtype}; floating-point numbers are needed")
    if values.ndim != 1:
        raise ScoresError(
            f"{name} has shape {tuple(values.shape)}; each row needs one number, of shape (n,); "
            ".squeeze(1) makes that of (n, 1)"
        )
    if not len(values) and not lenient:
        raise ScoresError(
            f"{name} is empty; use ProportionalBatches, or a risk with lenient=True, in which a "
            "group that is absent from a batch adds nothing"
        )


def _refuse(wrong: Mapping[str, Tensor], *, shares: Mapping[str, Tensor]) -> None:
    # The device is asked only once, however many groups there are.
    if not bool(torch.stack([found.any() for found in wrong.values()]).any()):
        return
    name, found = next((name, found) for name, found in wrong.items() if found.any())
    count = f"{int(found.sum())} of {len(found)} numbers of {name} are not"
    if name in shares:
        raise ScoresError(f"{count} between 0 and 1; probability_labelled makes them from scores")
    raise NotFiniteError(f"{count} finite; look for broken rows, or for training that diverged")
