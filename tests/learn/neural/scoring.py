"""What tests of risks share: scores, gradients, and documents whose truth is known."""

from typing import NamedTuple

from hypothesis import settings
from hypothesis import strategies as st

from learn.neural.extra import torch
from likewise.learn.neural.pubn import Labelled, Labelling, PUbN
from likewise.learn.neural.recent_risks import CVIR, VPU, DistPU, TEDn
from likewise.learn.neural.risks import NNPU, PN, PNU, PUAUC, UPU

few = settings(max_examples=25)
"""Risks are smooth: what does not hold is soon found."""

# Whole eighths, so that scores that differ differ by more than rounding.
numbers = st.integers(-32, 32).map(lambda number: number / 8)
priors = st.integers(1, 19).map(lambda number: number / 20)


def scores(smallest=1):
    return st.lists(numbers, min_size=smallest, max_size=6)


def tensor(values):
    return torch.tensor(values, dtype=torch.float64)


# One of each, with scores that are of no special kind.
MADE = {
    "pn": PN(prior=0.3),
    "upu": UPU(prior=0.3),
    "nnpu": NNPU(prior=0.3),
    "pnu": PNU(prior=0.3),
    # Mixtures are drawn at random; what they come to is in `test_recent_risks.py`.
    "vpu": VPU(mixing=0.0),
    "dist-pu": DistPU(prior=0.3, mixing=0.0, mixed_entropy=0.0),
    "cvir": CVIR(prior=0.3),
    "tedn": TEDn(),
    "pu-auc": PUAUC(prior=0.3),
    "pubn": PUbN(prior=0.3, biased=0.2, eta=0.5),
    "pubn-labelling": Labelling(prior=0.3, biased=0.2),
}
SCORES = {"positive": [0.5, 2.0], "negative": [-1.0, 0.25], "unlabeled": [-2.0, 1.0, 0.0, -0.5]}
LABELLED = Labelled(tensor([0.8, 0.6]), tensor([0.7, 0.4]), tensor([0.1, 0.9, 0.3, 0.2]))


def given_to(risk, **groups):
    """What a risk is called with, and some groups of it changed."""
    labelled = {"labelled": LABELLED} if isinstance(risk, PUbN) else {}
    return {name: tensor(SCORES[name]) for name in risk.groups} | labelled | groups


class Found(NamedTuple):
    """What a risk comes to, in plain numbers."""

    parts: dict[str, float]
    value: float
    objective: float
    gradients: dict[str, list[float]]


def found(risk, *, of=lambda risk: risk.objective, labelled=None, **groups):
    """Compute a risk, and by group the gradient of its objective (or something else) `of` it."""
    scores = {name: tensor(values).requires_grad_() for name, values in groups.items()}
    made = risk(**scores, **({"labelled": labelled} if labelled else {}))
    slopes = torch.autograd.grad(of(made), list(scores.values()), allow_unused=True)
    return Found(
        {name: part.item() for name, part in made.parts.items()},
        made.value.item(),
        made.objective.item(),
        {
            name: [0.0] * len(groups[name]) if slope is None else slope.tolist()
            for name, slope in zip(scores, slopes, strict=True)
        },
    )


def is_near(values, *, truth):
    """Whether the mean of independent values is the truth, as far as their spread can tell."""
    values = tensor(values)
    error = values.std() / len(values) ** 0.5
    # Five standard errors: wrong once in two million draws of a right estimator.
    return abs(values.mean() - truth) < 5 * error + 1e-12
