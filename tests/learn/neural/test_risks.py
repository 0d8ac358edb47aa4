"""Risks: by hand, against the supervised risk, and what must hold whatever the scores."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from learn.neural.extra import torch
from learn.neural.scoring import (
    LABELLED,
    MADE,
    few,
    found,
    given_to,
    is_near,
    numbers,
    priors,
    scores,
    tensor,
)
from likewise.errors import ScoresError
from likewise.learn.neural.losses import LOSSES, logistic, ramp, sigmoid, squared, zero_one
from likewise.learn.neural.pubn import Labelled, PUbN
from likewise.learn.neural.risks import BALANCED, NNPU, PN, PNU, PUAUC, RISKS, UPU

shares = st.tuples(st.integers(1, 4), st.integers(1, 4))


@pytest.fixture(params=RISKS)
def risk(request):
    return MADE[request.param]


# By hand, with the squared loss: l(z) = (1 - z)^2 / 4, l'(z) = (z - 1) / 2.


def test_pn_by_hand():
    # l(1) = 0, l(-1) = 1, mean 1/2; l(-1) = 1, l(3) = 1, mean 1.
    made = found(PN(prior=0.25, loss=squared), positive=[1, -1], negative=[1, -3])
    assert made.parts == pytest.approx({"positive": 1 / 8, "negative": 3 / 4})
    assert made.value == made.objective == pytest.approx(7 / 8)
    assert made.gradients["positive"] == pytest.approx([0, -1 / 8])
    assert made.gradients["negative"] == pytest.approx([3 / 8, -3 / 8])


def test_upu_by_hand():
    # Positive: l(f) is 0 and 1, l(-f) is 1 and 0. Unlabeled: l(-f) is 0, 4 and 1, mean 5/3.
    made = found(UPU(prior=0.25, loss=squared), positive=[1, -1], unlabeled=[-1, 3, 1])
    assert made.parts == pytest.approx({"positive": 1 / 8, "negative": 5 / 3 - 1 / 8})
    assert made.value == made.objective == pytest.approx(5 / 3)
    # The positive pull with p (l'(f) + l'(-f)) / 2: at 1 it is (0 - 1) / 8, at -1 (-1 - 0) / 8.
    assert made.gradients["positive"] == pytest.approx([-1 / 8, -1 / 8])
    assert made.gradients["unlabeled"] == pytest.approx([0, 2 / 3, 1 / 3])


def test_nnpu_by_hand_where_nothing_is_corrected():
    made = found(NNPU(prior=0.25, loss=squared), positive=[1, -1], unlabeled=[-1, 3, 1])
    assert made.value == made.objective == pytest.approx(5 / 3)
    assert made.gradients["positive"] == pytest.approx([-1 / 8, -1 / 8])


def test_nnpu_by_hand_where_it_is_corrected():
    # Unlabeled: l(-f) is 0 and 1/16, mean 1/32; so negative = 1/32 - 1/8 = -3/32.
    risk = NNPU(prior=0.25, loss=squared, gamma=0.5)
    made = found(risk, positive=[1, -1], unlabeled=[-1, -0.5])
    assert made.parts == pytest.approx({"positive": 1 / 8, "negative": -3 / 32})
    assert made.value == pytest.approx(1 / 8)
    assert made.objective == pytest.approx(3 / 64)
    # Of -negative / 2 alone: p (1 + f) / 2 / 2 / 2, and -(1 + f) / 2 / 2 / 2.
    assert made.gradients["positive"] == pytest.approx([1 / 16, 0])
    assert made.gradients["unlabeled"] == pytest.approx([0, -1 / 16])


def test_nnpu_by_hand_with_a_beta():
    low = {"positive": [1, -1], "unlabeled": [-1, -0.5]}
    assert found(NNPU(prior=0.25, loss=squared, beta=1 / 16), **low).value == pytest.approx(1 / 16)
    assert found(NNPU(prior=0.25, loss=squared, beta=1 / 8), **low).value == pytest.approx(1 / 32)


def test_pnu_by_hand():
    # PN is 7/8 and nnPU 1/8, as above; what is descended on is 3/4 of 7/8 and 1/4 of 3/32.
    risk = PNU(prior=0.25, loss=squared, weight=0.75)
    made = found(risk, positive=[1, -1], negative=[1, -3], unlabeled=[-1, -0.5])
    assert made.parts == pytest.approx({"pn": 7 / 8, "pu": 1 / 8})
    assert made.value == pytest.approx(11 / 16)
    assert made.objective == pytest.approx(21 / 32 + 3 / 128)
    assert made.gradients["unlabeled"] == pytest.approx([0, -1 / 32])


def test_every_risk_is_tested_here():
    assert {name: type(made) for name, made in MADE.items()} == RISKS


# Laws that hold for all of them.


@few
@given(data=st.data())
def test_it_matters_which_row_is_in_which_group(data):
    risk = MADE[data.draw(st.sampled_from(["pn", "upu", "nnpu", "pnu", "pu-auc"]))]
    drawn = {name: data.draw(scores(smallest=2)) for name in risk.groups}
    other = risk.groups[-1]
    assume(drawn["positive"][0] != drawn[other][0])
    swapped = {name: list(values) for name, values in drawn.items()}
    swapped["positive"][0], swapped[other][0] = swapped[other][0], swapped["positive"][0]
    before, after = found(risk, **drawn).value, found(risk, **swapped).value
    # The sigmoid loss falls everywhere, so that a better positive row makes the risk smaller.
    assert (after < before) == (swapped["positive"][0] > drawn["positive"][0])
    assert after != before


def test_swapping_two_groups_changes_the_risk(risk):
    first, second = risk.groups[0], risk.groups[1]
    groups = given_to(risk)
    swapped = groups | {first: groups[second], second: groups[first]}
    if isinstance(risk, PUbN):
        swapped["labelled"] = LABELLED._replace(
            positive=LABELLED.negative, negative=LABELLED.positive
        )
    assert abs(risk(**groups).value - risk(**swapped).value) > 0.01


def test_the_order_within_a_group_does_not_matter(risk):
    groups = given_to(risk)
    turned = {name: values.flip(0) for name, values in groups.items() if name != "labelled"}
    if isinstance(risk, PUbN):
        turned["labelled"] = Labelled(*(values.flip(0) for values in LABELLED))
    torch.testing.assert_close(risk(**groups).value, risk(**turned).value)


def test_gradients_are_those_of_small_differences(risk):
    groups = given_to(risk)
    labelled = {"labelled": groups.pop("labelled")} if "labelled" in groups else {}

    def objective(*values):
        return risk(**dict(zip(groups, values, strict=True)), **labelled).objective

    assert torch.autograd.gradcheck(objective, [v.requires_grad_() for v in groups.values()])


@few
@given(prior=priors, positive=scores(), unlabeled=scores())
def test_nnpu_is_upu_where_the_negative_part_is_not_below_minus_beta(prior, positive, unlabeled):
    upu = found(UPU(prior=prior), positive=positive, unlabeled=unlabeled)
    beta = max(0, -upu.parts["negative"])
    nnpu = found(NNPU(prior=prior, beta=beta), positive=positive, unlabeled=unlabeled)
    assert nnpu == upu


@few
@given(prior=priors, shift=scores(), gamma=st.sampled_from([0, 0.1, 1]))
def test_below_minus_beta_the_gradient_is_that_of_the_negative_part_alone(prior, shift, gamma):
    # Positives so high, and unlabeled so low, that the negative part is below 0.
    groups = {"positive": [6 + s for s in shift], "unlabeled": [-8 - s for s in shift]}
    risk = NNPU(prior=prior, gamma=gamma)
    negative = found(UPU(prior=prior), of=lambda risk: risk.parts["negative"], **groups)
    assert negative.parts["negative"] < 0
    corrected = found(risk, **groups)
    assert corrected.value == corrected.parts["positive"]
    for name, slopes in corrected.gradients.items():
        assert slopes == pytest.approx([-gamma * slope for slope in negative.gradients[name]])


@few
@given(prior=priors, positive=scores(), negative=scores(), unlabeled=scores())
def test_pnu_of_weight_1_is_pn(prior, positive, negative, unlabeled):
    groups = {"positive": positive, "negative": negative}
    pn = found(PN(prior=prior), **groups)
    pnu = found(PNU(prior=prior, weight=1), **groups, unlabeled=unlabeled)
    assert (pnu.value, pnu.objective) == pytest.approx((pn.value, pn.objective))
    assert pnu.gradients["positive"] == pytest.approx(pn.gradients["positive"])
    assert pnu.gradients["unlabeled"] == pytest.approx([0] * len(unlabeled))


@pytest.mark.parametrize("kind", [UPU, NNPU])
@few
@given(prior=priors, positive=scores(), negative=scores(), unlabeled=scores())
def test_pnu_of_weight_0_is_pu(kind, prior, positive, negative, unlabeled):
    groups = {"positive": positive, "unlabeled": unlabeled}
    pu = found(kind(prior=prior), **groups)
    risk = PNU(prior=prior, weight=0, nonnegative=kind is NNPU)
    pnu = found(risk, **groups, negative=negative)
    assert (pnu.value, pnu.objective) == pytest.approx((pu.value, pu.objective))
    assert pnu.gradients["unlabeled"] == pytest.approx(pu.gradients["unlabeled"])
    assert pnu.gradients["negative"] == pytest.approx([0] * len(negative))


# Against the truth.


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@few
@given(positive=scores(), negative=scores(), shares=shares)
def test_upu_is_the_supervised_risk_where_the_unlabeled_are_a_mixture(
    loss, positive, negative, shares
):
    # So many whole copies of each class that the mixture has exactly these shares.
    unlabeled = positive * (shares[0] * len(negative)) + negative * (shares[1] * len(positive))
    prior = shares[0] / sum(shares)
    pn = PN(prior=prior, loss=loss)(positive=tensor(positive), negative=tensor(negative))
    upu = UPU(prior=prior, loss=loss)(positive=tensor(positive), unlabeled=tensor(unlabeled))
    assert upu.value.item() == pytest.approx(pn.value.item(), abs=1e-9)


@pytest.mark.parametrize("loss", [sigmoid, ramp, zero_one])
@few
@given(positive=scores(), negative=scores(), shares=shares)
def test_prior_one_half_makes_the_balanced_error_small(loss, positive, negative, shares):
    unlabeled = positive * (shares[0] * len(negative)) + negative * (shares[1] * len(positive))
    prior = shares[0] / sum(shares)
    error = PN(prior=BALANCED, loss=loss)(positive=tensor(positive), negative=tensor(negative))
    risk = UPU(prior=BALANCED, loss=loss)(positive=tensor(positive), unlabeled=tensor(unlabeled))
    expected = 2 * (1 - prior) * error.value.item() + prior - 0.5
    assert risk.value.item() == pytest.approx(expected, abs=1e-9)


def test_the_balanced_error_by_hand():
    # One of four positives and one of two negatives are on the wrong side: (1/4 + 1/2) / 2.
    risk = PN(prior=BALANCED, loss=zero_one)
    made = risk(positive=tensor([1, 2, 3, -1]), negative=tensor([1, -1]))
    assert made.value.item() == 3 / 8


@pytest.mark.parametrize("loss", [sigmoid, logistic])
def test_in_expectation_upu_is_the_supervised_risk(loss):
    # Scores of the classes are normal around 1 and -1/2; batches of 3 and 10, many of them.
    rng, prior = np.random.default_rng(3), 0.3
    on_topic, off_topic = rng.normal(1, 1, 400_000), rng.normal(-0.5, 1, 400_000)
    truth = PN(prior=prior, loss=loss)(positive=tensor(on_topic), negative=tensor(off_topic)).value
    drawn = []
    for _ in range(400):
        is_on = rng.random(10) < prior
        unlabeled = np.where(is_on, rng.normal(1, 1, 10), rng.normal(-0.5, 1, 10))
        positive = rng.normal(1, 1, 3)
        made = UPU(prior=prior, loss=loss)(positive=tensor(positive), unlabeled=tensor(unlabeled))
        drawn.append(made.value.item())
    assert is_near(drawn, truth=truth)


@few
@given(prior=priors, positive=numbers, unlabeled=numbers)
def test_risks_of_single_precision_are_of_single_precision(prior, positive, unlabeled):
    made = NNPU(prior=prior)(positive=torch.tensor([positive]), unlabeled=torch.tensor([unlabeled]))
    assert made.value.dtype == made.objective.dtype == torch.float32


def supervised(positive, negative, loss):
    """The mean loss of all pairs, one by one."""
    return float(np.mean([loss(tensor(p - n)).item() for p in positive for n in negative]))


def test_pu_auc_by_hand():
    # Against the unlabeled: differences 1, -1, 3, 1, so l = 0, 1, 1, 0, mean 1/2.
    # Among the positives: 2 and -2, so l = 1/4 and 9/4, mean 5/4. (1/2 - 1/4 * 5/4) / (3/4).
    made = found(PUAUC(prior=0.25, loss=squared), positive=[1, 3], unlabeled=[0, 2])
    assert made.parts == pytest.approx({"unlabeled": 2 / 3, "positive": -5 / 12})
    assert made.value == made.objective == pytest.approx(1 / 4)


def test_the_gradient_of_pu_auc_by_hand():
    # l'(z) = (z - 1) / 2. Against the unlabeled: l'(1) + l'(-1) = -1 for the first positive and
    # l'(3) + l'(1) = 1 for the second, times 1/4 and 4/3. Among the positives:
    # l'(-2) - l'(2) = -2 for the first, 2 for the second, times -1/4, 1/2 and 4/3.
    made = found(PUAUC(prior=0.25, loss=squared), positive=[1, 3], unlabeled=[0, 2])
    assert made.gradients["positive"] == pytest.approx([-1 / 3 + 1 / 3, 1 / 3 - 1 / 3])
    assert made.gradients["unlabeled"] == pytest.approx([-1 / 3, 1 / 3])


@few
@given(positive=scores(smallest=2), unlabeled=scores(), shift=numbers)
def test_only_differences_of_scores_count(positive, unlabeled, shift):
    risk = PUAUC(prior=0.3)
    before = risk(positive=tensor(positive), unlabeled=tensor(unlabeled)).value
    after = risk(positive=tensor(positive) + shift, unlabeled=tensor(unlabeled) + shift).value
    torch.testing.assert_close(before, after)


@few
@given(positive=scores(smallest=2), unlabeled=scores())
def test_with_a_symmetric_loss_pairs_of_positives_change_no_gradient(positive, unlabeled):
    made = found(
        PUAUC(prior=0.3), of=lambda r: r.parts["positive"], positive=positive, unlabeled=unlabeled
    )
    assert made.parts["positive"] == pytest.approx(-0.5 * 0.3 / 0.7)
    assert made.gradients["positive"] == pytest.approx([0] * len(positive), abs=1e-12)


def test_with_the_zero_one_loss_it_is_one_minus_the_area_under_the_curve():
    # So many positives that leaving out pairs with themselves makes no difference; half of the
    # negatives are above half of the positives, a quarter of all pairs.
    positive, negative = [1.0, 3.0] * 200, [0.0, 2.0] * 200
    risk = PUAUC(prior=0.5, loss=zero_one)
    made = risk(positive=tensor(positive), unlabeled=tensor(positive + negative))
    assert made.value.item() == pytest.approx(1 / 4, abs=1e-3)


@pytest.mark.parametrize("loss", [sigmoid, squared])
def test_in_expectation_pu_auc_is_the_supervised_risk(loss):
    # Batches of 3 positives: pairs of a document with itself would be a third of all.
    rng, prior = np.random.default_rng(5), 0.4
    # Differences of scores of the two classes are normal around 3/2, of variance 2.
    truth = loss(tensor(rng.normal(1.5, 2**0.5, 300_000))).mean().item()
    drawn = []
    for _ in range(500):
        unlabeled = np.where(rng.random(6) < prior, rng.normal(1, 1, 6), rng.normal(-0.5, 1, 6))
        positive = rng.normal(1, 1, 3)
        risk = PUAUC(prior=prior, loss=loss)
        drawn.append(risk(positive=tensor(positive), unlabeled=tensor(unlabeled)).value.item())
    assert is_near(drawn, truth=truth)


def test_a_mixture_of_many_has_the_supervised_risk():
    rng = np.random.default_rng(0)
    positive, negative = rng.normal(1, 1, 60), rng.normal(0, 1, 120)
    unlabeled = np.concatenate([rng.permutation(positive), negative])
    risk = PUAUC(prior=1 / 3)(positive=tensor(positive), unlabeled=tensor(unlabeled))
    assert risk.value.item() == pytest.approx(supervised(positive, negative, sigmoid), abs=1e-9)


def test_one_positive_is_refused_with_the_way_out():
    with pytest.raises(ScoresError, match=r"positive has 1 score; .* needs 2 in a batch"):
        PUAUC(prior=0.3)(positive=tensor([1.0]), unlabeled=tensor([0.0, 1.0]))


def test_one_positive_is_compared_with_the_unlabeled_alone_if_lenient():
    risk = PUAUC(prior=0.25, loss=squared, lenient=True)
    made = risk(positive=tensor([1.0]), unlabeled=tensor([0.0, 2.0]))
    assert made.value.item() == pytest.approx(2 / 3)
