"""PUbN: two steps of learning from negatives that are a biased sample.

People mark as off topic what they happen to see. Call a document *labelled* if it is on topic or of
the kind that is marked off topic; with p the prior and r the share of all documents that are off
topic and labelled, a share of p + r is labelled. Means over the positive, the biased negative and
the unlabeled documents are E_P, E_B and E_U; s(x) is the probability that x is labelled.

Step 1, `Labelling`, learns s: the labelled against the unlabeled, with nnPU and prior p + r.
Step 2, `PUbN`, is the supervised risk. Its part for what is off topic and not labelled is

    E_U[(1 - s) l(-f)]                                      where s <= eta
    p E_P[(1 - s) / s * l(-f)] + r E_B[(1 - s) / s * l(-f)]   where s > eta

that is, it is estimated from unlabeled documents where s is low, and from labelled ones elsewhere.
`choose_eta` returns the border. See Hsieh, Niu and Sugiyama (2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import torch
from torch import Tensor

from likewise.errors import ScoresError, SettingsError
from likewise.learn.neural.groups import (
    GroupRisk,
    Risk,
    check_between,
    check_correction,
    check_numbers,
    correct_parts,
    mean,
)
from likewise.learn.neural.losses import Loss, logistic

TAU = 0.7
"""The share of what is off topic and not labelled that represents itself, by default; Hsieh et al.
(2019) choose it from 0.5, 0.7 and 0.9."""


class Labelled(NamedTuple):
    """The probability that each row is labelled: a tensor of shape (n,) for each group."""

    positive: Tensor
    negative: Tensor
    unlabeled: Tensor


@dataclass(frozen=True, kw_only=True)
class _BiasedNegatives(GroupRisk):
    groups: ClassVar[tuple[str, ...]] = ("positive", "negative", "unlabeled")

    biased: float
    """The share of all documents that are off topic and labelled: r."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_shares(prior=self.prior, biased=self.biased)


@dataclass(frozen=True, kw_only=True)
class Labelling(_BiasedNegatives):
    """The risk of step 1: which documents are labelled.

        positive = p E_P[l(f)] + r E_B[l(f)]
        negative = E_U[l(-f)] - p E_P[l(-f)] - r E_B[l(-f)]

    with the correction of nnPU. Positives and negatives weigh p and r, however many there are. With
    the logistic loss, `probability_labelled` of the scores estimates s.
    """

    loss: Loss = logistic
    beta: float = 0.0
    gamma: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_correction(beta=self.beta, gamma=self.gamma)

    def __call__(self, *, positive: Tensor, negative: Tensor, unlabeled: Tensor) -> Risk:
        """Return the risk of scores, each of shape (n,)."""
        self.check(positive=positive, negative=negative, unlabeled=unlabeled)
        prior, biased, loss = self.prior, self.biased, self.loss
        labelled = prior * mean(loss(-positive)) + biased * mean(loss(-negative))
        return correct_parts(
            positive=prior * mean(loss(positive)) + biased * mean(loss(negative)),
            negative=mean(loss(-unlabeled)) - labelled,
            beta=self.beta,
            gamma=self.gamma,
        )


@dataclass(frozen=True, kw_only=True)
class PUbN(_BiasedNegatives):
    """The risk of step 2: which documents are on topic.

    With w(x) = (1 - s) / s where s > eta, else 0, and v(x) = 1 - s where s <= eta, else 0:

        positive = p E_P[l(f)]
        negative = r E_B[l(-f)]
        rest     = E_U[v l(-f)] + p E_P[w l(-f)] + r E_B[w l(-f)]

    It is their sum, and no part of it can be negative.
    """

    eta: float
    """The highest s at which unlabeled documents represent themselves, between 0 and 1."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_between("eta", self.eta, ends=True)

    def __call__(
        self, *, positive: Tensor, negative: Tensor, unlabeled: Tensor, labelled: Labelled
    ) -> Risk:
        """Return the risk of scores, given how likely the same rows are labelled."""
        scores = {"positive": positive, "negative": negative, "unlabeled": unlabeled}
        shares = {f"labelled.{name}": values for name, values in labelled._asdict().items()}
        self.check(**scores, shares=shares)
        _check_same_rows(scores, shares)
        prior, biased, loss = self.prior, self.biased, self.loss
        of_positive, of_negative, of_unlabeled = (s.detach() for s in labelled)
        w_positive, w_negative = (
            torch.where(s > self.eta, (1 - s) / s, 0) for s in (of_positive, of_negative)
        )
        v = torch.where(of_unlabeled <= self.eta, 1 - of_unlabeled, 0)
        parts = {
            "positive": prior * mean(loss(positive)),
            "negative": biased * mean(loss(-negative)),
            "rest": mean(v * loss(-unlabeled))
            + prior * mean(w_positive * loss(-positive))
            + biased * mean(w_negative * loss(-negative)),
        }
        risk = parts["positive"] + parts["negative"] + parts["rest"]
        return Risk(parts, value=risk, objective=risk)


def probability_labelled(scores: Tensor) -> Tensor:
    """Return s, the probability of being labelled, from the scores of a model of step 1.

    >>> probability_labelled(torch.tensor([0.0]))
    tensor([0.5000])
    """
    return torch.sigmoid(scores.detach())


def choose_eta(unlabeled: Tensor, *, tau: float, prior: float, biased: float) -> float:
    """Return the eta at which a share of tau (1 - p - r) of the unlabeled has an s of at most eta.

    Args:
        unlabeled: How likely each of the unlabeled documents is labelled.
        tau: The share of what is off topic and not labelled that represents itself.
        prior: The share that is on topic.
        biased: The share that is off topic and labelled.

    >>> choose_eta(torch.tensor([0.875, 0.125, 0.5, 0.25]), tau=1.0, prior=0.25, biased=0.25)
    0.25
    """
    check_between("tau", tau, ends=True)
    _check_shares(prior=prior, biased=biased)
    check_numbers({}, shares={"unlabeled": unlabeled}, lenient=False)
    count = max(1, round(tau * (1 - prior - biased) * len(unlabeled)))
    return float(unlabeled.sort().values[count - 1])


def _check_shares(*, prior: float, biased: float) -> None:
    check_between("prior", prior, ends=False)
    check_between("biased", biased, ends=False)
    if prior + biased >= 1:
        raise SettingsError(
            f"prior + biased is {prior + biased:.3g}; some documents must be off topic and not "
            "labelled, so it must be less than 1"
        )


def _check_same_rows(scores: dict[str, Tensor], shares: dict[str, Tensor]) -> None:
    for name, values in scores.items():
        found = len(shares[f"labelled.{name}"])
        if found != len(values):
            raise ScoresError(
                f"labelled.{name} has {found} numbers for {len(values)} scores of {name}; they "
                "must be of the same rows"
            )
