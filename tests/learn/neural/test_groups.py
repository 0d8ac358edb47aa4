"""What risks refuse: settings that make no sense, and scores that are not what they seem."""

import dataclasses
import math

import numpy as np
import pytest

from learn.neural.extra import torch
from learn.neural.scoring import LABELLED, MADE, SCORES, found, given_to, tensor
from likewise.errors import NotFiniteError, ScoresError, SettingsError
from likewise.learn.neural.losses import sigmoid, squared
from likewise.learn.neural.pubn import PUbN
from likewise.learn.neural.risks import NNPU, PNU, RISKS


@pytest.fixture(params=RISKS)
def risk(request):
    return MADE[request.param]


def test_groups_are_given_by_name_only(risk):
    with pytest.raises(TypeError):
        risk(*(tensor(SCORES[name]) for name in risk.groups))


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda: torch.zeros(3, 1), ScoresError, r"unlabeled has shape \(3, 1\)"),
        (lambda: torch.zeros(()), ScoresError, r"unlabeled has shape \(\)"),
        (lambda: torch.zeros(0), ScoresError, "unlabeled is empty"),
        (lambda: torch.zeros(3, dtype=torch.int64), ScoresError, r"is of torch\.int64"),
        (lambda: np.zeros(3), ScoresError, "is of type ndarray"),
        (lambda: tensor([0, math.nan]), NotFiniteError, "1 of 2 numbers of .* are not finite"),
        (lambda: tensor([math.inf, 0, -math.inf]), NotFiniteError, "2 of 3 numbers of"),
    ],
    ids=["(n, 1)", "()", "(0,)", "integers", "numpy", "nan", "infinite"],
)
def test_scores_that_are_not_finite_numbers_of_shape_n_are_refused(risk, wrong, error, message):
    group = risk.groups[-1]
    with pytest.raises(error, match=message.replace("unlabeled", group)) as raised:
        risk(**given_to(risk, **{group: wrong()}))
    assert group in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_lenient_risk_takes_a_group_that_is_absent_for_nothing():
    made = found(NNPU(prior=0.25, loss=squared, lenient=True), positive=[], unlabeled=[-1, 3])
    assert made.parts == pytest.approx({"positive": 0, "negative": 2})
    assert made.gradients["unlabeled"] == pytest.approx([0, 1])


def test_a_lenient_risk_can_be_descended_on_whatever_group_is_absent(risk):
    lenient = dataclasses.replace(risk, lenient=True)
    for absent in risk.groups:
        groups = given_to(risk, **{absent: tensor([])})
        if isinstance(risk, PUbN):
            groups["labelled"] = LABELLED._replace(**{absent: tensor([])})
        groups = {n: v.requires_grad_() if n != "labelled" else v for n, v in groups.items()}
        lenient(**groups).objective.backward()
        assert all(torch.isfinite(v.grad).all() for n, v in groups.items() if n != "labelled")


def test_not_even_a_lenient_risk_is_made_of_nothing():
    with pytest.raises(ScoresError, match="positive, unlabeled are all empty"):
        NNPU(prior=0.5, lenient=True)(positive=tensor([]), unlabeled=tensor([]))


@pytest.mark.parametrize("prior", [0, 1, -0.1, 1.5, math.nan, "0.5", None])
@pytest.mark.parametrize("name", [name for name in RISKS if name not in ("vpu", "tedn")])
def test_a_prior_that_is_no_share_is_refused(name, prior):
    with pytest.raises(
        SettingsError, match=r"prior is .*; it must be a number that is more than 0"
    ):
        dataclasses.replace(MADE[name], prior=prior)


@pytest.mark.parametrize("kind", [NNPU, PNU])
@pytest.mark.parametrize(
    "settings",
    [{"beta": -0.1}, {"beta": math.nan}, {"beta": math.inf}, {"gamma": -0.1}, {"gamma": 1.1}],
    ids=str,
)
def test_a_correction_out_of_bounds_is_refused(kind, settings):
    with pytest.raises(SettingsError, match=f"{next(iter(settings))} is .*; it must be"):
        kind(prior=0.5, **settings)


@pytest.mark.parametrize("weight", [-0.1, 1.1])
def test_a_weight_out_of_bounds_is_refused(weight):
    with pytest.raises(SettingsError, match=r"weight is .* at least 0 and at most 1"):
        PNU(prior=0.5, weight=weight)


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        ("sigmoid", "give a function of margins"),
        (torch.sigmoid, "loss is 0.269 at margin -1 and 0.731 at 1; it must fall"),
        (lambda margin: sigmoid(margin).mean(), r"loss returns shape \(\) for two margins"),
    ],
)
def test_what_is_no_loss_of_margins_is_refused(loss, message):
    with pytest.raises(SettingsError, match=message):
        NNPU(prior=0.5, loss=loss)
