"""The PU-AUC risk: by hand, and against the supervised risk of a ranking."""

import numpy as np
import pytest
from hypothesis import given

from learn.neural.extra import torch
from learn.neural.scoring import found, is_near, numbers, scores, tensor
from likewise.errors import ScoresError
from likewise.learn.neural.losses import sigmoid, squared, zero_one
from likewise.learn.neural.risks import PUAUC


def supervised(positive, negative, loss):
    """The mean loss of all pairs, one by one."""
    return float(np.mean([loss(tensor(p - n)).item() for p in positive for n in negative]))


def test_pu_auc_by_hand():
    # Against the unlabeled: differences 1, -1, 3, 1, so l = 0, 1, 1, 0, mean 1/2.
    # Among the positives: 2 and -2, so l = 1/4 and 9/4, mean 5/4. (1/2 - 1/4 * 5/4) / (3/4).
    made = found(PUAUC(prior=0.25, loss=squared), positive=[1, 3], unlabeled=[0, 2])
    assert made.parts == pytest.approx({"unlabeled": 2 / 3, "positive": -5 / 12})
    assert made.value == made.objective == pytest.approx(1 / 4)


def test_its_gradient_by_hand():
    # l'(z) = (z - 1) / 2. Against the unlabeled: l'(1) + l'(-1) = -1 for the first positive and
    # l'(3) + l'(1) = 1 for the second, times 1/4 and 4/3. Among the positives:
    # l'(-2) - l'(2) = -2 for the first, 2 for the second, times -1/4, 1/2 and 4/3.
    made = found(PUAUC(prior=0.25, loss=squared), positive=[1, 3], unlabeled=[0, 2])
    assert made.gradients["positive"] == pytest.approx([-1 / 3 + 1 / 3, 1 / 3 - 1 / 3])
    assert made.gradients["unlabeled"] == pytest.approx([-1 / 3, 1 / 3])


@given(positive=scores(smallest=2), unlabeled=scores(), shift=numbers)
def test_only_differences_of_scores_count(positive, unlabeled, shift):
    risk = PUAUC(prior=0.3)
    before = risk(positive=tensor(positive), unlabeled=tensor(unlabeled)).value
    after = risk(positive=tensor(positive) + shift, unlabeled=tensor(unlabeled) + shift).value
    torch.testing.assert_close(before, after)


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
def test_in_expectation_it_is_the_supervised_risk(loss):
    # Batches of 3 positives: pairs of a document with itself would be a third of all.
    rng, prior = np.random.default_rng(5), 0.4
    # Differences of scores of the two classes are normal around 3/2, of variance 2.
    truth = loss(tensor(rng.normal(1.5, 2**0.5, 1_000_000))).mean().item()
    drawn = []
    for _ in range(2000):
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
