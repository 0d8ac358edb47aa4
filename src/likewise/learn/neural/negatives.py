"""Networks that learn from known negatives; each way to do so has a name.

pnu        one network, with the risk of all three groups: the paper's multi-task model
ensemble   the mean of two networks: positives against negatives, positives against unlabeled
pn         one network, positives against negatives
pubn       two networks, one after the other, for negatives that are a biased sample (`pubn.py`)
unlabeled  negatives count as unlabeled
ignore     negatives are left out

In all but the last, negatives are also among the unlabeled: without the documents that somebody has
looked at, the unlabeled would be no fair sample.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
import torch
from torch import Tensor

from likewise.errors import SettingsError
from likewise.learn.batching import ProportionalBatches, cut_batches
from likewise.learn.estimators import PUEstimator
from likewise.learn.folds import measure_scale
from likewise.learn.neural.estimator import PUNetwork
from likewise.learn.neural.grouped_rows import RiskOf, RowNumbers, group_rows
from likewise.learn.neural.groups import PURisk, Risk
from likewise.learn.neural.losses import Loss, logistic, sigmoid
from likewise.learn.neural.pubn import (
    TAU,
    Labelled,
    Labelling,
    PUbN,
    choose_eta,
    probability_labelled,
)
from likewise.learn.neural.records import TrainingSettings
from likewise.learn.neural.risks import NNPU, PN, PNU
from likewise.learn.neural.training import relay_steps
from likewise.learn.rows import Numbers

WAYS = {"pnu": ("pnu",), "ensemble": ("pn", "pu"), "pn": ("pn",), "pubn": ("pubn",)}
"""The networks that each way trains."""
BIASED = 0.25
"""For `pubn`: the share of what is off topic that is assumed to be of the kind that gets marked."""


class NetworkWithNegatives(PUEstimator):
    """A network that learns from negatives in a chosen way, or as usual if there are none.

    The one to use if there are none has the risk `NNPU`; all others are made like it. The weight is
    how much positives and negatives count beside positives and unlabeled in `pnu`.
    """

    parts_: list[PUEstimator]
    scales_: list[tuple[float, float]]

    def __init__(self, network: PUNetwork, *, by: str, weight: float = 0.5) -> None:
        self.network = network
        self.by = by
        self.weight = weight

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Train every network, from fresh weights."""
        ways = WAYS[self.by] if negative is not None else ("pu",)
        groups = {"positive": positive, "unlabeled": unlabeled, "negative": negative}
        sizes = {name: rows.shape[0] for name, rows in groups.items() if rows is not None}
        self.parts_, self.scales_ = [], []
        for number, way in enumerate(ways):
            network = copy.copy(self.network)
            network.on_step = relay_steps(network.on_step, number, of=len(ways))
            part = network if way == "pu" else self._make_part(way, network, sizes)
            self.parts_.append(part.learn(positive, unlabeled, None if way == "pu" else negative))
            if len(ways) == 1:
                self.scales_.append((0, 1))
                continue
            scores = part.decision_function(unlabeled)
            self.scales_.append(measure_scale(scores, center=self.network.center))
        return self

    def score_rows(self, rows: Any) -> Numbers:
        """Return the score of each row: that of the only network, or the mean of scaled ones."""
        scores = [
            (part.decision_function(rows) - mean) / deviation
            for part, (mean, deviation) in zip(self.parts_, self.scales_, strict=True)
        ]
        return np.asarray(np.mean(scores, axis=0))

    @property
    def warnings_(self) -> list[str]:
        """The warnings of all trainings."""
        return [warning for part in self.parts_ for warning in getattr(part, "warnings_", ())]

    def _make_part(self, way: str, network: PUNetwork, sizes: Mapping[str, int]) -> PUEstimator:
        """Return a network that learns from negatives in one of the ways."""
        pu = network.risk
        if not isinstance(pu, NNPU):
            raise SettingsError(
                f"the network's risk is {type(pu).__name__}; to learn from negatives, give it "
                "NNPU(prior=...)"
            )
        # An epoch is a loop through the positives, however few negatives there are.
        network.loop = "positive"
        if way == "pubn":
            biased = BIASED * (1 - pu.prior)
            network.risk = Labelling(prior=pu.prior, biased=biased, beta=pu.beta, gamma=pu.gamma)
            return PUbNNetwork(network, loss=pu.loss)
        if way == "pn":
            network.risk = PN(prior=pu.prior, loss=pu.loss)
            network.settings = _match_steps(network, sizes)
        else:
            network.risk = PNU(
                prior=pu.prior, loss=pu.loss, weight=self.weight, beta=pu.beta, gamma=pu.gamma
            )
        return network


def _match_steps(network: PUNetwork, sizes: Mapping[str, int]) -> TrainingSettings:
    """Return settings by which positives are seen with negatives as often as with unlabeled rows.

    With negatives alone, all rows may fit into one batch, so an epoch would be a single step.
    """
    settings = network.settings or TrainingSettings()
    cut = partial(ProportionalBatches, loop="positive")
    usual, fewer = (
        len(cut_batches(network.batch, {"positive": sizes["positive"], name: sizes[name]}, cut))
        for name in ("unlabeled", "negative")
    )
    return replace(settings, epochs=max(1, round(settings.epochs * usual / fewer)))


class PUbNNetwork(PUEstimator):
    """Two networks for negatives that are a biased sample of what is off topic; it needs negatives.

    The first learns which documents are labelled. The second uses what the first says about each
    row, and learns which are on topic (see `pubn.py`).
    """

    first_: PUNetwork
    second_: PUNetwork

    def __init__(self, network: PUNetwork, *, tau: float = TAU, loss: Loss = sigmoid) -> None:
        """Store the parameters.

        Args:
            network: Says how both networks are trained; its risk is that of the first step,
                `Labelling`, which has the shares.
            tau: The share of what is off topic and not labelled that represents itself.
            loss: The loss of the second network.
        """
        self.network = network
        self.tau = tau
        self.loss = loss

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Train both networks, from fresh weights."""
        labelling = self.network.risk
        if not isinstance(labelling, Labelling):
            raise SettingsError(
                f"the network's risk is {type(labelling).__name__}; the first step of PUbN is "
                "Labelling(prior=..., biased=...)"
            )
        if labelling.loss is not logistic:
            raise SettingsError(
                "the first step of PUbN estimates a probability, which only the logistic loss "
                "gives; leave out its loss"
            )
        rows = group_rows(labelling, positive=positive, unlabeled=unlabeled, negative=negative)
        self.first_ = self._make_step(0).learn(positive, unlabeled, negative)
        scores = torch.from_numpy(self.first_.score_by_model(rows.block))
        labelled = probability_labelled(scores).mean(dim=0)
        shares = {"prior": labelling.prior, "biased": labelling.biased}
        eta = choose_eta(labelled[rows.numbers["unlabeled"]], tau=self.tau, **shares)
        risk = PUbN(**shares, eta=eta, loss=self.loss, lenient=labelling.lenient)
        risk_of = bind_labelled(risk, labelled)
        self.second_ = self._make_step(1).learn_from(rows, risk_of, unlabeled=unlabeled)
        return self

    def score_rows(self, rows: Any) -> Numbers:
        """Return the scores of the second network."""
        return self.second_.decision_function(rows)

    @property
    def warnings_(self) -> list[str]:
        """The warnings of both trainings."""
        return [*self.first_.warnings_, *self.second_.warnings_]

    def _make_step(self, number: int) -> PUNetwork:
        network = copy.copy(self.network)
        network.on_step = relay_steps(network.on_step, number, of=2)
        return network


def bind_labelled(risk: PURisk, labelled: Tensor) -> RiskOf:
    """Return the risk of PUbN, given how likely each row of the block is labelled."""

    def risk_of(scores: dict[str, Tensor], numbers: RowNumbers) -> Risk:
        shares = {name: labelled[places].to(scores[name]) for name, places in numbers.items()}
        return risk(**scores, labelled=Labelled(**shares))

    return risk_of
