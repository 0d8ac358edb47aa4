"""VPU, Dist-PU, CVIR and TEDn: by hand, and what must hold whatever the scores."""

import math

import pytest
from hypothesis import given

from learn.neural.extra import torch
from learn.neural.scoring import few, found, numbers, priors, scores, tensor
from likewise.errors import ScoresError, SettingsError
from likewise.learn.neural.estimator import PUNetwork
from likewise.learn.neural.losses import squared
from likewise.learn.neural.recent_risks import CVIR, MOST_LEFT_OUT, VPU, DistPU, TEDn
from likewise.learn.neural.risks import PN
from likewise.learn.neural.transformer import LinearHead


def log_odds(probability):
    return math.log(probability / (1 - probability))


def test_vpu_by_hand():
    # ln E_U[s] = ln((1/4 + 3/4) / 2) = ln(1/2); -E_P[ln s] = -ln(1/2) at score 0.
    unlabeled = [log_odds(0.25), log_odds(0.75)]
    made = found(VPU(mixing=0.0), positive=[0.0], unlabeled=unlabeled)
    parts = {"positive": math.log(2), "unlabeled": -math.log(2), "mixed": 0}
    assert made.parts == pytest.approx(parts)
    assert made.value == pytest.approx(0)


def test_the_gradient_of_vpu_by_hand():
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


def test_the_same_random_numbers_give_the_same_vpu():
    risks = []
    for _ in range(2):
        torch.manual_seed(3)
        risks.append(found(VPU(), positive=[1.0, -1.0], unlabeled=[0.5, -2.0, 0.0]).objective)
    assert risks[0] == risks[1]


@few
@given(positive=scores(), unlabeled=scores())
def test_what_early_stopping_looks_at_in_vpu_is_not_random(positive, unlabeled):
    values = [
        VPU(mixing=mixing)(positive=tensor(positive), unlabeled=tensor(unlabeled)).value
        for mixing in (0.0, 1.0)
    ]
    assert values[0] == values[1]


@few
@given(unlabeled=scores(), score=numbers)
def test_higher_seeds_are_better(unlabeled, score):
    risks = [
        VPU()(positive=tensor([seed]), unlabeled=tensor(unlabeled)).value
        for seed in (score, score + 1)
    ]
    assert risks[1] < risks[0]


def test_an_absent_group_is_refused_unless_vpu_is_lenient():
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
def test_settings_of_vpu_that_make_no_sense_are_refused(name, value):
    with pytest.raises(SettingsError, match=f"{name} is {value}"):
        VPU(**{name: value})


LOG_3 = math.log(3)


def plain(**others):
    return DistPU(**({"prior": 0.25, "entropy": 0.0, "mixing": 0.0, "mixed_entropy": 0.0} | others))


def test_dist_pu_by_hand():
    # s is 1/2 and 3/4 for the positive, 1/4 and 1/2 for the unlabeled:
    # 2 p |5/8 - 1| = 3/16, |3/8 - 1/4| = 1/8.
    made = found(plain(), positive=[0.0, LOG_3], unlabeled=[-LOG_3, 0.0])
    assert made.value == pytest.approx(5 / 16)
    assert made.objective == pytest.approx(5 / 16)
    assert made.parts == pytest.approx(
        {"positive": 3 / 16, "unlabeled": 1 / 8, "entropy": 0, "mixed": 0}
    )


def test_the_gradient_of_dist_pu_by_hand():
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


@few
@given(positive=scores(), unlabeled=scores())
def test_what_early_stopping_looks_at_in_dist_pu_is_not_random(positive, unlabeled):
    values = [
        risk(positive=tensor(positive), unlabeled=tensor(unlabeled)).value
        for risk in (plain(), DistPU(prior=0.25))
    ]
    assert values[0] == values[1]


def test_the_same_random_numbers_give_the_same_dist_pu():
    risks = []
    for _ in range(2):
        torch.manual_seed(3)
        groups = {"positive": [1.0, -1.0], "unlabeled": [0.5, -2.0, 0.0]}
        risks.append(found(DistPU(prior=0.2), **groups).objective)
    assert risks[0] == risks[1]


def test_exchanged_groups_are_another_dist_pu():
    one, other = [2.0, 1.0], [-1.0, -2.0, -3.0]
    assert found(plain(), positive=one, unlabeled=other).value < 0.25
    assert found(plain(), positive=other, unlabeled=one).value > 0.75


@pytest.mark.parametrize(
    ("name", "value"),
    [("entropy", -1.0), ("mixing", math.inf), ("mixed_entropy", -0.5), ("alpha", 0.0)],
)
def test_settings_of_dist_pu_that_make_no_sense_are_refused(name, value):
    with pytest.raises(SettingsError, match=f"{name} is {value}"):
        DistPU(prior=0.5, **{name: value})


FOUR = [3.0, -1.0, 1.0, -3.0]


def test_cvir_by_hand():
    # With (1 - z)^2 / 4 the positive costs 1/4; the unlabeled cost (1 + f)^2 / 4: 4, 0, 1 and 1.
    # A quarter of them, the first, is left out: (1/4 + 2/3) / 2.
    made = found(CVIR(prior=0.25, loss=squared), positive=[0.0], unlabeled=FOUR)
    assert made.parts == pytest.approx({"positive": 1 / 8, "negative": 1 / 3})
    assert made.value == pytest.approx(11 / 24)
    assert made.objective == pytest.approx(11 / 24)


def test_what_is_left_out_is_not_pushed():
    made = found(CVIR(prior=0.25, loss=squared), positive=[0.0], unlabeled=FOUR)
    # (1 + f) / 2 / 3 / 2 of those that are left.
    assert made.gradients["unlabeled"] == pytest.approx([0, 0, 1 / 6, -1 / 6])


def test_the_loss_says_who_is_left_out():
    # At a quarter, of losses 4, 0, 1 and 1; at three quarters, all but the least.
    made = found(CVIR(prior=0.75, loss=squared), positive=[0.0], unlabeled=FOUR)
    assert made.gradients["unlabeled"] == pytest.approx([0, 0, 0, 0])
    assert made.parts["negative"] == pytest.approx(0)


@few
@given(positive=scores(), unlabeled=scores(), prior=priors)
def test_it_is_never_above_the_naive_risk(positive, unlabeled, prior):
    naive = found(PN(prior=0.5), positive=positive, negative=unlabeled).value
    made = found(CVIR(prior=prior), positive=positive, unlabeled=unlabeled).value
    assert made <= naive + 1e-12


def test_exchanged_groups_are_another_cvir():
    one, other = [2.0, 1.0], [-1.0, -2.0]
    risk = CVIR(prior=0.25)
    assert found(risk, positive=one, unlabeled=other).value < 0.25
    assert found(risk, positive=other, unlabeled=one).value > 0.75


def test_one_is_left_in_however_great_the_prior():
    made = found(CVIR(prior=0.95), positive=[1.0], unlabeled=[0.0])
    assert made.parts["negative"] == pytest.approx(0.25)


# TEDn


def test_all_unlabeled_are_negative_at_first():
    made = found(TEDn(loss=squared), positive=[0.0], unlabeled=FOUR)
    # The losses are 4, 0, 1 and 1.
    assert made.parts == pytest.approx({"positive": 1 / 8, "negative": 6 / 4 / 2})


def test_the_prior_is_that_of_the_best_bin_on_what_was_set_aside():
    risk = TEDn(warm=0)
    # All positives score at least 2, and so does one of four others.
    risk.validate(positive=tensor([2.0, 2.5]), unlabeled=tensor(FOUR))
    assert risk.prior_ == pytest.approx(1 / 4)
    made = found(risk, positive=[0.0], unlabeled=FOUR)
    assert made.value == found(CVIR(prior=0.25), positive=[0.0], unlabeled=FOUR).value


def test_a_risk_is_validated_with_the_new_prior():
    risk = TEDn(warm=0, loss=squared)
    made = risk.validate(positive=tensor([2.0, 2.0]), unlabeled=tensor(FOUR))
    assert made.parts["negative"].item() == pytest.approx(1 / 3)


def test_warm_epochs_change_nothing():
    risk, aside = TEDn(warm=3), {"positive": tensor([2.0]), "unlabeled": tensor(FOUR)}
    priors_found = [risk.validate(**aside) and risk.prior_ for _ in range(4)]
    # The third epoch is the last warm one, and the next begins with what it ended with.
    assert priors_found == [0, 0, 0.25, 0.25]


def test_not_all_are_left_out_where_positives_are_like_all_others():
    risk = TEDn(warm=0)
    risk.validate(positive=tensor([-9.0]), unlabeled=tensor(FOUR))
    assert risk.prior_ == MOST_LEFT_OUT


def test_an_absent_group_is_refused_unless_tedn_is_lenient():
    with pytest.raises(ScoresError, match="positive is empty"):
        TEDn()(positive=tensor([]), unlabeled=tensor([1.0]))


def test_settings_of_tedn_that_make_no_sense_are_refused():
    with pytest.raises(SettingsError, match="warm is -1; it must be a number that is at least 0"):
        TEDn(warm=-1)


def test_a_network_that_knows_no_validation_scores_refuses_it():
    rows = tensor([[1.0], [2.0]]).numpy()
    with pytest.raises(SettingsError, match="TEDn changes as it learns; use CVIR with a prior"):
        PUNetwork(lambda _: LinearHead(1), risk=TEDn()).learn(rows, rows)
