"""The variational PU risk: by hand, and what must hold whatever the scores."""

import math

import pytest
from hypothesis import given

from learn.neural.extra import torch
from learn.neural.scoring import found, numbers, scores, tensor
from likewise.errors import ScoresError, SettingsError
from likewise.learn.neural.recent_risks import VPU


def log_odds(probability):
    return math.log(probability / (1 - probability))


def test_by_hand():
    # ln E_U[s] = ln((1/4 + 3/4) / 2) = ln(1/2); -E_P[ln s] = -ln(1/2) at score 0.
    unlabeled = [log_odds(0.25), log_odds(0.75)]
    made = found(VPU(mixing=0.0), positive=[0.0], unlabeled=unlabeled)
    parts = {"positive": math.log(2), "unlabeled": -math.log(2), "mixed": 0}
    assert made.parts == pytest.approx(parts)
    assert made.value == pytest.approx(0)


def test_its_gradient_by_hand():
    made = found(VPU(mixing=0.0), positive=[0.0], unlabeled=[log_odds(0.25), log_odds(0.75)])
    # -(1 - s) for the positive; s (1 - s) / sum s for the unlabeled.
    assert made.gradients["positive"] == pytest.approx([-0.5])
    assert made.gradients["unlabeled"] == pytest.approx([3 / 16, 3 / 16])


def test_mixtures_cost_nothing_where_all_scores_are_high():
    made = found(VPU(mixing=1.0), positive=[30.0, 30.0], unlabeled=[30.0, 30.0])
    assert made.parts["mixed"] == pytest.approx(0, abs=1e-9)


def test_mixtures_keep_seeds_from_standing_alone():
    torch.manual_seed(0)
    made = found(VPU(mixing=1.0), positive=[-4.0] * 50, unlabeled=[-4.0] * 50)
    # A mixture with a seed is aimed at a share that is at least the seed's part in it.
    assert made.parts["mixed"] > 1
    assert made.objective == pytest.approx(made.value + made.parts["mixed"])


def test_the_same_random_numbers_give_the_same_risk():
    risks = []
    for _ in range(2):
        torch.manual_seed(3)
        risks.append(found(VPU(), positive=[1.0, -1.0], unlabeled=[0.5, -2.0, 0.0]).objective)
    assert risks[0] == risks[1]


@given(positive=scores(), unlabeled=scores())
def test_what_early_stopping_looks_at_is_not_random(positive, unlabeled):
    values = [
        VPU(mixing=mixing)(positive=tensor(positive), unlabeled=tensor(unlabeled)).value
        for mixing in (0.0, 1.0)
    ]
    assert values[0] == values[1]


@given(unlabeled=scores(), score=numbers)
def test_higher_seeds_are_better(unlabeled, score):
    risks = [
        VPU()(positive=tensor([seed]), unlabeled=tensor(unlabeled)).value
        for seed in (score, score + 1)
    ]
    assert risks[1] < risks[0]


def test_an_absent_group_is_refused_unless_it_is_lenient():
    empty = tensor([])
    with pytest.raises(ScoresError, match="positive is empty"):
        VPU()(positive=empty, unlabeled=tensor([1.0]))
    assert torch.isfinite(VPU(lenient=True)(positive=empty, unlabeled=tensor([1.0])).objective)
    assert torch.isfinite(VPU(lenient=True)(positive=tensor([1.0]), unlabeled=empty).objective)


def test_the_border_is_where_s_is_half_of_its_highest():
    # The highest s is 0.8, half of it 0.4.
    assert VPU().border(tensor([log_odds(0.8), -1.0])) == pytest.approx(log_odds(0.4))


def test_the_border_of_the_highest_scores_is_at_0():
    assert VPU().border(tensor([1e6])) == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize(("name", "value"), [("mixing", -1.0), ("alpha", 0.0)])
def test_settings_that_make_no_sense_are_refused(name, value):
    with pytest.raises(SettingsError, match=f"{name} is {value}"):
        VPU(**{name: value})
