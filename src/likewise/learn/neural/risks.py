"""Risks that a model is trained to minimise, on positive, unlabeled and negative documents.

With p the prior, l the loss, f(x) the score, and E_P, E_N and E_U means over the positive, negative
and unlabeled documents of a batch:

    PN    p E_P[l(f)] + (1 - p) E_N[l(-f)]
    uPU   p E_P[l(f)] + E_U[l(-f)] - p E_P[l(-f)]
    nnPU  uPU, until the part that stands for the negative falls below -beta
    PNU   weight * PN + (1 - weight) * PU

uPU needs no negative documents, since the unlabeled are a mixture: E_U = p E_P + (1 - p) E_N.
PU-AUC ranks without a threshold. The risk for negatives that are a biased sample is in `pubn.py`;
VPU, Dist-PU, CVIR and TEDn are in `recent_risks.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from likewise.errors import ScoresError
from likewise.extras import RISK_GROUP, load_offer
from likewise.learn.neural.groups import (
    GroupRisk,
    PURisk,
    Risk,
    add_parts,
    check_between,
    check_correction,
    correct_parts,
    mean,
    wrap_risk,
)
from likewise.learn.neural.pubn import Labelling, PUbN
from likewise.learn.neural.recent_risks import CVIR, VPU, DistPU, TEDn

BALANCED = 0.5
"""The prior of the paper's BER form, which minimises the balanced error.

The balanced error is B = (E_P[l(f)] + E_N[l(-f)]) / 2, which is PN with prior 0.5. uPU with prior
0.5 and a symmetric loss, and p the true share of positives among the unlabeled, equals

    2 (1 - p) B + p - 0.5

which is smallest for the same model as B, so that p need not be known. With a loss that is not
symmetric this does not hold. The part that stands for the negative may then truly be as low as
p - 0.5: with beta = 0, as in the paper, nnPU corrects before a perfect model is reached.
"""
GAMMAS = (1.0, 0.5, 0.1, 0.01)
"""The values that gamma=tune tries: from the usual step back to hardly any.

The value of a risk does not depend on gamma, only the descent does, so models that were trained
with different values can be compared by their validation risk.
"""


@dataclass(frozen=True, kw_only=True)
class PN(GroupRisk):
    """The supervised risk: p E_P[l(f)] + (1 - p) E_N[l(-f)].

    With the unlabeled rows taken for negative, it is the naive method.
    """

    groups: ClassVar[tuple[str, ...]] = ("positive", "negative")

    def __call__(self, *, positive: Tensor, negative: Tensor) -> Risk:
        """Return the risk of scores, each of shape (n,)."""
        self.check(positive=positive, negative=negative)
        prior, loss = self.prior, self.loss
        return add_parts(
            positive=prior * mean(loss(positive)),
            negative=(1 - prior) * mean(loss(-negative)),
        )


@dataclass(frozen=True, kw_only=True)
class UPU(GroupRisk):
    """The unbiased PU risk (du Plessis, Niu and Sugiyama, 2015).

        positive = p E_P[l(f)]
        negative = E_U[l(-f)] - p E_P[l(-f)]

    It is their sum, which in expectation is the supervised risk. `negative` stands for
    (1 - p) E_N[l(-f)], yet a flexible model can push it below 0.
    """

    groups: ClassVar[tuple[str, ...]] = ("positive", "unlabeled")

    def __call__(self, *, positive: Tensor, unlabeled: Tensor) -> Risk:
        """Return the risk of scores, each of shape (n,)."""
        self.check(positive=positive, unlabeled=unlabeled)
        prior, loss = self.prior, self.loss
        return add_parts(
            positive=prior * mean(loss(positive)),
            negative=mean(loss(-unlabeled)) - prior * mean(loss(-positive)),
        )


@dataclass(frozen=True, kw_only=True)
class NNPU(GroupRisk):
    """The non-negative PU risk (Kiryo, Niu, du Plessis and Sugiyama, 2017).

        positive = p E_P[l(f)]
        negative = E_U[l(-f)] - p E_P[l(-f)]

    If negative >= -beta, the risk is their sum, and training descends on that. Otherwise the risk
    is positive - beta, and training descends on -gamma * negative alone.
    """

    groups: ClassVar[tuple[str, ...]] = ("positive", "unlabeled")

    beta: float = 0.0
    """How far below 0 the negative part may fall, at least 0."""
    gamma: float = 1.0
    """How long the steps back are, between 0 and 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_correction(beta=self.beta, gamma=self.gamma)

    def __call__(self, *, positive: Tensor, unlabeled: Tensor) -> Risk:
        """Return the risk of scores, each of shape (n,)."""
        self.check(positive=positive, unlabeled=unlabeled)
        prior, loss = self.prior, self.loss
        return correct_parts(
            positive=prior * mean(loss(positive)),
            negative=mean(loss(-unlabeled)) - prior * mean(loss(-positive)),
            beta=self.beta,
            gamma=self.gamma,
        )


@dataclass(frozen=True, kw_only=True)
class PNU(GroupRisk):
    """The risk of all three groups (Sakai, du Plessis, Niu and Sugiyama, 2017).

        weight * PN + (1 - weight) * PU

    PU is nnPU, or uPU if `nonnegative` is False. The correction concerns the PU part alone: if its
    `negative` falls below -beta, training descends on
    weight * PN - (1 - weight) * gamma * negative.
    """

    groups: ClassVar[tuple[str, ...]] = ("positive", "negative", "unlabeled")

    weight: float = 0.5
    """How much PN counts, between 0 (only PU) and 1 (only PN)."""
    nonnegative: bool = True
    beta: float = 0.0
    gamma: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_between("weight", self.weight, ends=True)
        check_correction(beta=self.beta, gamma=self.gamma)

    def __call__(self, *, positive: Tensor, negative: Tensor, unlabeled: Tensor) -> Risk:
        """Return the risk of scores, each of shape (n,)."""
        self.check(positive=positive, negative=negative, unlabeled=unlabeled)
        prior, loss, weight = self.prior, self.loss, self.weight
        on_topic = prior * mean(loss(positive))
        pn = add_parts(positive=on_topic, negative=(1 - prior) * mean(loss(-negative)))
        off_topic = mean(loss(-unlabeled)) - prior * mean(loss(-positive))
        pu = (
            correct_parts(positive=on_topic, negative=off_topic, beta=self.beta, gamma=self.gamma)
            if self.nonnegative
            else add_parts(positive=on_topic, negative=off_topic)
        )
        return Risk(
            {"pn": pn.value, "pu": pu.value},
            value=weight * pn.value + (1 - weight) * pu.value,
            objective=weight * pn.objective + (1 - weight) * pu.objective,
        )


@dataclass(frozen=True, kw_only=True)
class PUAUC(GroupRisk):
    """The PU-AUC risk (Sakai, Niu and Sugiyama, 2018): how often a positive is not ranked higher.

    The supervised risk of a ranking is E_P E_N'[l(f(x) - f(x'))]. Without negatives it is

        1 / (1 - p) * (E_P E_U'[l(f(x) - f(x'))] - p E_P E_P'[l(f(x) - f(x'))])

    where the second mean is over pairs of different positives: a document paired with itself would
    add l(0), and bias the risk.

    It uses only differences of scores, so it does not learn where to decide: `border` puts that
    where a share of the unlabeled as large as the prior scores higher. With a symmetric loss, the
    mean over pairs of positives is 1/2 whatever the scores are, and changes no gradient. A batch
    needs two positives; if the risk is lenient, missing pairs add nothing.
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
        prior, count = self.prior, len(positive)
        mixed = self.loss(positive[:, None] - unlabeled[None, :])
        alike = self.loss(positive[:, None] - positive[None, :])
        of_mixed = mixed.sum() / max(1, count * len(unlabeled))
        of_alike = (alike.sum() - alike.diagonal().sum()) / max(1, count * (count - 1))
        parts = {"unlabeled": of_mixed / (1 - prior), "positive": -prior * of_alike / (1 - prior)}
        risk = parts["unlabeled"] + parts["positive"]
        return Risk(parts, value=risk, objective=risk)

    def border(self, scores: Tensor) -> float:
        """Return the score that a share `prior` of these scores exceeds.

        >>> PUAUC(prior=0.25).border(torch.tensor([4.0, 1.0, 3.0, 2.0]))
        3.25
        """
        return float(torch.quantile(scores.double(), 1 - self.prior))


RISKS: dict[str, type[PURisk]] = {
    "pn": PN,
    "upu": UPU,
    "nnpu": NNPU,
    "pnu": PNU,
    "vpu": VPU,
    "dist-pu": DistPU,
    "cvir": CVIR,
    "tedn": TEDn,
    "pu-auc": PUAUC,
    "pubn": PUbN,
    "pubn-labelling": Labelling,
}
"""Every risk by name."""


def find_risk(name: str) -> type[PURisk]:
    """Return the risk of this name; a plug-in's risk is checked whenever it is called.

    >>> find_risk("nnpu").groups
    ('positive', 'unlabeled')
    """
    if name in RISKS:
        return RISKS[name]
    return wrap_risk(*load_offer(name, group=RISK_GROUP, kind="risk", others=RISKS))
