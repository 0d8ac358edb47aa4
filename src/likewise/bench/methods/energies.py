"""puDE with energies: two networks, each of which learns a density that has no closed form.

A network's energy E(x) stands for the density q(x) = exp(-E(x)) / Z, with Z unknown. To make
the rows of a sample likely, training descends on

    E_sample[E(x)] - E_q[E(x)]

Rows of q are drawn from noise by Langevin steps, x <- x - r / 2 grad E(x) + sqrt(r) noise, which
continue from the rows of the step before. One network learns the seeds, the other the pool. As with
`KernelDensities`, a document scores ln q(x | on topic) - ln q(x); here that is the difference of
energies plus a constant of both Z (Zhang, Chen, Zou, Pan, Wang and Stevenson, 2024). The squares of
energies are added, `calm` times, or else energies would run away (Du and Mordatch, 2019).

The authors' networks read texts; here they take latent topics, or the encoder's vectors.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from likewise.learn.estimators import PUEstimator
from likewise.learn.neural.training import seed_torch

Numbers = NDArray[np.float64]

HIDDEN, BATCH, DRAWN, FRESH = 64, 64, 256, 0.05
"""Hidden units; rows per step; rows of q that are kept; the share that starts from noise again."""
LANGEVIN_STEPS, LANGEVIN_RATE, LEARNING_RATE = 10, 0.05, 0.001


class Energies(PUEstimator):
    """The difference of two energies. Negative rows count as rows of the pool."""

    takes_sparse = False
    on_: nn.Module
    everywhere_: nn.Module
    center_: Tensor
    deviation_: Tensor

    def __init__(self, *, steps: int = 100, calm: float = 0.1, seed: int = 0) -> None:
        self.steps = steps
        self.calm = calm
        self.seed = seed

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Learn both energies, from fresh weights."""
        others = unlabeled if negative is None else np.concatenate([unlabeled, negative])
        rows = torch.tensor(np.asarray(others), dtype=torch.float32)
        self.center_ = rows.mean(dim=0)
        self.deviation_ = (rows - self.center_).square().mean().sqrt().clamp(min=1e-6)
        with seed_torch(self.seed, 0):
            self.everywhere_ = self._learn_energy(self._scale_rows(others))
        with seed_torch(self.seed, 0):
            self.on_ = self._learn_energy(self._scale_rows(positive))
        return self

    def score_rows(self, rows: Any) -> Numbers:
        """Return ln q(x | on topic) - ln q(x), up to a constant that is the same for all rows."""
        scaled = self._scale_rows(rows)
        with torch.no_grad():
            found = self.everywhere_(scaled) - self.on_(scaled)
        return np.asarray(found.squeeze(1).double().numpy())

    def _scale_rows(self, rows: Any) -> Tensor:
        return (
            torch.tensor(np.asarray(rows), dtype=torch.float32) - self.center_
        ) / self.deviation_

    def _learn_energy(self, rows: Tensor) -> nn.Module:
        dimensions = rows.shape[1]
        energy = nn.Sequential(nn.Linear(dimensions, HIDDEN), nn.SiLU(), nn.Linear(HIDDEN, 1))
        optimizer = torch.optim.Adam(energy.parameters(), lr=LEARNING_RATE)
        drawn = torch.randn(DRAWN, dimensions)
        for _ in range(self.steps):
            places = torch.randint(DRAWN, (BATCH,))
            is_fresh = torch.rand(BATCH, 1) < FRESH
            first = torch.where(is_fresh, torch.randn(BATCH, dimensions), drawn[places])
            drawn[places] = run_langevin(energy, first)
            known = energy(rows[torch.randint(len(rows), (BATCH,))])
            made = energy(drawn[places])
            optimizer.zero_grad()
            torch.autograd.backward(contrast(known, made, calm=self.calm))
            optimizer.step()
        return energy


def contrast(known: Tensor, made: Tensor, *, calm: float) -> Tensor:
    """Return the objective of a network, from the energies of a sample and of rows that it drew.

    >>> contrast(torch.tensor([1.0, 3.0]), torch.tensor([4.0, 4.0]), calm=0.5).item()
    8.5
    """
    return known.mean() - made.mean() + calm * (known.square().mean() + made.square().mean())


def run_langevin(
    energy: nn.Module, rows: Tensor, *, steps: int = LANGEVIN_STEPS, rate: float = LANGEVIN_RATE
) -> Tensor:
    """Return rows after some Langevin steps, which move them to where the energy is low."""
    for _ in range(steps):
        rows = rows.detach().requires_grad_()
        (slope,) = torch.autograd.grad(energy(rows).sum(), rows)
        rows = rows - rate / 2 * slope + rate**0.5 * torch.randn_like(rows)
    return rows.detach()
