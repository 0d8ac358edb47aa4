"""Dist-PU: by hand, and what must hold whatever the scores."""

import math

import pytest
from hypothesis import given

from learn.neural.extra import torch
from learn.neural.scoring import found, scores, tensor
from likewise.errors import SettingsError
from likewise.learn.neural.recent_risks import DistPU

LOG_3 = math.log(3)


def plain(**others):
    return DistPU(**({"prior": 0.25, "entropy": 0.0, "mixing": 0.0, "mixed_entropy": 0.0} | others))


def test_by_hand():
    # s is 1/2 and 3/4 for the positive, 1/4 and 1/2 for the unlabeled:
    # 2 p |5/8 - 1| = 3/16, |3/8 - 1/4| = 1/8.
    made = found(plain(), positive=[0.0, LOG_3], unlabeled=[-LOG_3, 0.0])
    assert made.value == pytest.approx(5 / 16)
    assert made.objective == pytest.approx(5 / 16)
    assert made.parts == pytest.approx(
        {"positive": 3 / 16, "unlabeled": 1 / 8, "entropy": 0, "mixed": 0}
    )


def test_its_gradient_by_hand():
    made = found(plain(), positive=[0.0, LOG_3], unlabeled=[-LOG_3, 0.0])
    # s (1 - s) is 1/4 and 3/16; -2 p / 2 times it for the positive, half of it else.
    assert made.gradients["positive"] == pytest.approx([-1 / 16, -3 / 64])
    assert made.gradients["unlabeled"] == pytest.approx([3 / 32, 1 / 8])


def test_too_few_predictions_are_pushed_up():
    # The mean of s is 1/4, and a half is to be on topic.
    made = found(plain(prior=0.5), positive=[0.0], unlabeled=[-LOG_3])
    assert made.gradients["unlabeled"] == pytest.approx([-3 / 16])


def test_entropy_by_hand():
    # H(1/2) = ln 2, H(1/4) = ln 4 - 3/4 ln 3; half of both, times 0.1.
    made = found(plain(entropy=0.1), positive=[0.0], unlabeled=[0.0, -LOG_3])
    expected = 0.05 * (math.log(2) + math.log(4) - 0.75 * LOG_3)
    assert made.parts["entropy"] == pytest.approx(expected)
    assert made.objective == pytest.approx(made.value + expected)


def test_mixtures_by_hand_where_all_are_alike():
    # Mixed with its like, a score of ln 3 stays, aimed at s = 3/4: the cross entropy is H(3/4).
    made = found(plain(mixing=2.0, lenient=True), positive=[], unlabeled=[LOG_3] * 3)
    assert made.parts["mixed"] == pytest.approx(2 * (math.log(4) - 0.75 * LOG_3))


def test_a_mixture_of_positives_is_aimed_at_1():
    # The cross entropy of 1 and s = 3/4; the entropy of s counts for itself.
    risk = plain(mixing=1.0, mixed_entropy=1.0, lenient=True)
    made = risk(positive=tensor([LOG_3] * 3), unlabeled=tensor([]))
    entropy = math.log(4) - 0.75 * LOG_3
    assert made.parts["mixed"].item() == pytest.approx(math.log(4 / 3) + entropy)


@given(positive=scores(), unlabeled=scores())
def test_what_early_stopping_looks_at_is_not_random(positive, unlabeled):
    values = [
        risk(positive=tensor(positive), unlabeled=tensor(unlabeled)).value
        for risk in (plain(), DistPU(prior=0.25))
    ]
    assert values[0] == values[1]


def test_the_same_random_numbers_give_the_same_risk():
    risks = []
    for _ in range(2):
        torch.manual_seed(3)
        groups = {"positive": [1.0, -1.0], "unlabeled": [0.5, -2.0, 0.0]}
        risks.append(found(DistPU(prior=0.2), **groups).objective)
    assert risks[0] == risks[1]


def test_exchanged_groups_are_another_risk():
    one, other = [2.0, 1.0], [-1.0, -2.0, -3.0]
    assert found(plain(), positive=one, unlabeled=other).value < 0.25
    assert found(plain(), positive=other, unlabeled=one).value > 0.75


@pytest.mark.parametrize(
    ("name", "value"),
    [("entropy", -1.0), ("mixing", math.inf), ("mixed_entropy", -0.5), ("alpha", 0.0)],
)
def test_settings_that_make_no_sense_are_refused(name, value):
    with pytest.raises(SettingsError, match=f"{name} is {value}"):
        DistPU(prior=0.5, **{name: value})
