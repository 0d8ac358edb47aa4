"""Surrogate losses: how wrong a score is, as a function of its margin.

With y the class of a document, +1 or -1, and f(x) its score, the margin is z = y f(x): how far the
score lies on the right side of 0. A loss takes a tensor of margins and returns one of the same
shape. Those with l(z) + l(-z) = 1 (sigmoid, ramp, zero-one) are *symmetric*; only with these is a
PU risk with prior 0.5 the balanced error (`BALANCED` in `risks.py`). Those with l(z) - l(-z) = -z
(logistic, squared, double hinge) make the uPU risk of a linear model convex (du Plessis et al.,
2015).

>>> sigmoid(torch.tensor([-1.0, 0.0, 1.0]))
tensor([0.7311, 0.5000, 0.2689])
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from likewise.extras import LOSS_GROUP, Offer, load_offer

Loss = Callable[[Tensor], Tensor]
"""A function of margins that falls as they grow."""


def sigmoid(margin: Tensor) -> Tensor:
    """Return 1 / (1 + e^z), the paper's loss: smooth, symmetric, between 0 and 1."""
    return torch.sigmoid(-margin)


def logistic(margin: Tensor) -> Tensor:
    """Return ln(1 + e^-z): convex; at its minimum, the sigmoid of a score is a probability."""
    return functional.softplus(-margin)


def squared(margin: Tensor) -> Tensor:
    """Return (1 - z)^2 / 4: convex; margins above 1 cost something too."""
    return (1 - margin).square() / 4


def double_hinge(margin: Tensor) -> Tensor:
    """Return max(-z, max(0, (1 - z) / 2)): a hinge with l(z) - l(-z) = -z."""
    return torch.maximum(-margin, functional.relu((1 - margin) / 2))


def ramp(margin: Tensor) -> Tensor:
    """Return max(0, min(1, (1 - z) / 2)): a straight line between 1 and 0, symmetric."""
    return torch.clamp((1 - margin) / 2, min=0, max=1)


def zero_one(margin: Tensor) -> Tensor:
    """Return (1 - sign z) / 2: the share of errors, for evaluation.

    Its slope is 0 wherever it has one. So it passes on no gradient at all, and training on it by
    mistake fails at the first step instead of learning nothing.
    """
    return (1 - torch.sign(margin.detach())) / 2


LOSSES: dict[str, Loss] = {
    "sigmoid": sigmoid,
    "logistic": logistic,
    "squared": squared,
    "double-hinge": double_hinge,
    "ramp": ramp,
    "zero-one": zero_one,
}
"""Every loss by name; the first is the default."""


def loss_named(name: str) -> Loss:
    """Return the loss of this name; a plug-in's loss is checked whenever it is called.

    >>> loss_named("ramp")(torch.tensor([0.0]))
    tensor([0.5000])
    """
    if name in LOSSES:
        return LOSSES[name]
    found, offer = load_offer(name, group=LOSS_GROUP, kind="loss", others=LOSSES)
    loss = _wrap_loss(found, offer)
    with offer.blame():
        wrong, right = loss(torch.tensor([-1.0, 1.0])).tolist()
    if wrong <= right:
        raise offer.error(f"is {wrong:.3g} at margin -1 and {right:.3g} at 1, so it does not fall")
    return loss


def _wrap_loss(loss: Loss, offer: Offer) -> Loss:
    """Return a plug-in's loss with checks: an error names the plug-in if it returns no loss."""

    def compute(margin: Tensor) -> Tensor:
        with offer.blame():
            losses = loss(margin)
            if losses.shape != margin.shape:
                shapes = f"shape {tuple(losses.shape)} for margins of {tuple(margin.shape)}"
                raise offer.error(f"returns {shapes}, not one loss for each")
            # Margins that are not finite come from a training that diverged.
            is_wrong = ~torch.isfinite(losses) & torch.isfinite(margin)
            if is_wrong.any():
                raise offer.error(f"returns {int(is_wrong.sum())} losses that are not finite")
        return losses

    return compute
