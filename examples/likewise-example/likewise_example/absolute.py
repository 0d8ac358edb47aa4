"""A risk: uPU, whose negative part counts by its size (Hammoudeh and Lowd, 2020)."""

from dataclasses import dataclass
from typing import ClassVar

from likewise.learn import Loss, Risk


@dataclass(frozen=True)
class AbsolutePU:
    """p E_P[l(f)] + |E_U[l(-f)] - p E_P[l(-f)]|."""

    groups: ClassVar = ("positive", "unlabeled")
    prior: float
    loss: Loss

    def __call__(self, *, positive, unlabeled):
        on = self.prior * self.loss(positive).mean()
        off = self.loss(-unlabeled).mean() - self.prior * self.loss(-positive).mean()
        risk = on + off.abs()
        return Risk({"positive": on, "negative": off}, value=risk, objective=risk)
