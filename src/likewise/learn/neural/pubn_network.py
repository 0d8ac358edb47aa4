"""PUbN as an estimator: two networks, one after the other (see `pubn.py`).

The first learns which documents are labelled, the second, with what the first says of every row,
which are on topic.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Self

import torch

from likewise.errors import SettingsError
from likewise.learn.estimators import PUEstimator
from likewise.learn.neural.estimator import grouped
from likewise.learn.neural.losses import Loss, logistic, sigmoid
from likewise.learn.neural.pubn import (
    TAU,
    Labelled,
    Labelling,
    PUbN,
    choose_eta,
    probability_labelled,
)
from likewise.learn.neural.training import step_of_one

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

    from likewise.learn.neural.estimator import PUNetwork
    from likewise.learn.neural.grouped_rows import Numbers
    from likewise.learn.neural.groups import Risk


class PUbNNetwork(PUEstimator):
    """Learns from negatives that are a biased sample of what is off topic; it needs some."""

    first_: PUNetwork
    second_: PUNetwork

    def __init__(self, network: PUNetwork, *, tau: float = TAU, loss: Loss = sigmoid) -> None:
        """Store the parameters.

        Args:
            network: What both steps are trained like; its risk is that of the first, `Labelling`,
                which knows the shares.
            tau: The share of what is off topic and not labelled that is to stand for itself.
            loss: That of the second step.
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
        rows = grouped(labelling, positive=positive, unlabeled=unlabeled, negative=negative)
        self.first_ = self._step(0).learn(positive, unlabeled, negative)
        scores = torch.from_numpy(self.first_.model_scores(rows.block))
        labelled = probability_labelled(scores).mean(dim=0)
        risk = self._second_risk(labelling, labelled[rows.numbers["unlabeled"]])

        def risk_of(scores: dict[str, Tensor], numbers: Numbers) -> Risk:
            shares = {name: labelled[places].to(scores[name]) for name, places in numbers.items()}
            return risk(**scores, labelled=Labelled(**shares))

        self.second_ = self._step(1).learn_from(rows, risk_of, unlabeled=unlabeled)
        return self

    def decision_function(self, rows: Any) -> NDArray[np.float64]:
        """Return the scores of the second network."""
        return self.second_.decision_function(rows)

    @property
    def warnings_(self) -> list[str]:
        """What there is to say about both trainings."""
        return [*self.first_.warnings_, *self.second_.warnings_]

    def _step(self, number: int) -> PUNetwork:
        network = copy.copy(self.network)
        network.on_step = step_of_one(network.on_step, number, of=2)
        return network

    def _second_risk(self, labelling: Labelling, unlabeled: Tensor) -> PUbN:
        prior, biased = labelling.prior, labelling.biased
        eta = choose_eta(unlabeled, tau=self.tau, prior=prior, biased=biased)
        return PUbN(prior=prior, biased=biased, eta=eta, loss=self.loss, lenient=labelling.lenient)
