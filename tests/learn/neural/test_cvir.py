"""CVIR and TEDn: by hand, and how the prior is found on the way."""

import pytest
from hypothesis import given

from learn.neural.scoring import found, priors, scores, tensor
from likewise.errors import ScoresError, SettingsError
from likewise.learn.neural.estimator import PUNetwork
from likewise.learn.neural.heads import LinearHead
from likewise.learn.neural.losses import squared
from likewise.learn.neural.recent_risks import CVIR, MOST_LEFT_OUT, TEDn
from likewise.learn.neural.risks import PN

FOUR = [3.0, -1.0, 1.0, -3.0]


def test_by_hand():
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


@given(positive=scores(), unlabeled=scores(), prior=priors)
def test_it_is_never_above_the_naive_risk(positive, unlabeled, prior):
    naive = found(PN(prior=0.5), positive=positive, negative=unlabeled).value
    made = found(CVIR(prior=prior), positive=positive, unlabeled=unlabeled).value
    assert made <= naive + 1e-12


def test_exchanged_groups_are_another_risk():
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


def test_an_absent_group_is_refused_unless_it_is_lenient():
    with pytest.raises(ScoresError, match="positive is empty"):
        TEDn()(positive=tensor([]), unlabeled=tensor([1.0]))


def test_settings_that_make_no_sense_are_refused():
    with pytest.raises(SettingsError, match="warm is -1; it must be a number that is at least 0"):
        TEDn(warm=-1)


def test_a_network_that_knows_no_validation_scores_refuses_it():
    rows = tensor([[1.0], [2.0]]).numpy()
    with pytest.raises(SettingsError, match="TEDn changes as it learns; use CVIR with a prior"):
        PUNetwork(lambda _: LinearHead(1), risk=TEDn()).learn(rows, rows)
