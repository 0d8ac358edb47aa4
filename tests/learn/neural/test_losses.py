"""Surrogate losses: their values by hand, and what makes each of them what it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn.neural.extra import torch
from learn.neural.scoring import few
from likewise.errors import SettingsError
from likewise.learn.neural.losses import LOSSES, loss_named, zero_one

SYMMETRIC = ["sigmoid", "ramp", "zero-one"]
LINEAR_ODD = ["logistic", "squared", "double-hinge"]
margins = st.integers(-400, 400).map(lambda number: number / 8)


def at(name, *values):
    return LOSSES[name](torch.tensor(values, dtype=torch.float64)).tolist()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # At -3, -1, 0, 1/2 and 2.
        ("sigmoid", [0.952574, 0.731059, 0.5, 0.377541, 0.119203]),
        ("logistic", [3.048587, 1.313262, 0.693147, 0.474077, 0.126928]),
        ("squared", [4, 1, 1 / 4, 1 / 16, 1 / 4]),
        ("double-hinge", [3, 1, 1 / 2, 1 / 4, 0]),
        ("ramp", [1, 1, 1 / 2, 1 / 4, 0]),
        ("zero-one", [1, 1, 1 / 2, 0, 0]),
    ],
)
def test_losses_are_what_they_come_to_by_hand(name, expected):
    assert at(name, -3, -1, 0, 0.5, 2) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", SYMMETRIC)
@few
@given(margin=margins)
def test_a_symmetric_loss_and_that_of_the_other_side_add_up_to_1(name, margin):
    assert sum(at(name, margin, -margin)) == pytest.approx(1)


@pytest.mark.parametrize("name", LINEAR_ODD)
@few
@given(margin=margins)
def test_a_convex_loss_less_that_of_the_other_side_is_a_line(name, margin):
    right, wrong = at(name, margin, -margin)
    assert right - wrong == pytest.approx(-margin)


@pytest.mark.parametrize("name", [name for name in LOSSES if name != "squared"])
@few
@given(first=margins, second=margins)
def test_a_better_margin_never_costs_more(name, first, second):
    worse, better = at(name, min(first, second), max(first, second))
    assert better <= worse


@pytest.mark.parametrize("name", [name for name in LOSSES if name != "zero-one"])
def test_slopes_are_those_of_small_differences(name):
    # Away from the corners of the hinge and the ramp, which are at whole numbers.
    points = torch.arange(-8, 8, dtype=torch.float64) / 2 + 1 / 16
    assert torch.autograd.gradcheck(LOSSES[name], points.requires_grad_())


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_huge_margins_have_finite_losses_and_slopes(name, dtype):
    points = torch.tensor([-1e4, -100, 100, 1e4], dtype=dtype, requires_grad=True)
    losses = LOSSES[name](points)
    assert torch.isfinite(losses).all()
    if losses.grad_fn:
        losses.sum().backward()
        assert torch.isfinite(points.grad).all()


def test_the_logistic_loss_of_a_good_margin_is_small_but_not_0():
    # ln(1 + e^-z) is e^-z for large z.
    assert at("logistic", 30)[0] == pytest.approx(9.3576e-14, rel=1e-4)


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_keeps_shape_and_type(name):
    losses = LOSSES[name](torch.zeros(2, 3))
    assert losses.shape == (2, 3)
    assert losses.dtype == torch.float32


def test_the_zero_one_loss_can_not_be_trained_on():
    points = torch.tensor([1.0, -1.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="does not require grad"):
        zero_one(points).sum().backward()


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_is_found_by_its_name(name):
    assert loss_named(name) is LOSSES[name]


def test_an_unknown_loss_is_refused_with_those_there_are():
    with pytest.raises(
        SettingsError, match="there is no loss 'hinge'; use one of: sigmoid, logistic"
    ):
        loss_named("hinge")
