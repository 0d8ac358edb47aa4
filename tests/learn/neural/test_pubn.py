"""PUbN: both steps by hand, and against the supervised risk where the truth is known."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn.neural.scoring import few, found, is_near, numbers, scores, tensor
from likewise.errors import ScoresError, SettingsError
from likewise.learn.neural.losses import LOSSES, logistic, sigmoid, squared
from likewise.learn.neural.pubn import (
    Labelled,
    Labelling,
    PUbN,
    choose_eta,
    probability_labelled,
)
from likewise.learn.neural.risks import NNPU, PN

# Three kinds of documents: on topic, off topic and labelled at times, off topic and hardly ever.
# Of 20 documents 4 are on topic; of 8 of the second kind 4 are labelled, of 8 of the third 2.
PRIOR, BIASED = 4 / 20, 6 / 20
CHANCES = [1.0, 4 / 8, 2 / 8]


def whole_population(on_topic, second, third):
    """The groups as they come from scores of the three kinds, and the true probabilities."""
    positive, negative = [on_topic], [second] * 4 + [third] * 2
    unlabeled = [on_topic] * 4 + [second] * 8 + [third] * 8
    labelled = Labelled(
        tensor(CHANCES[:1]),
        tensor([CHANCES[1]] * 4 + [CHANCES[2]] * 2),
        tensor([CHANCES[0]] * 4 + [CHANCES[1]] * 8 + [CHANCES[2]] * 8),
    )
    groups = {"positive": positive, "negative": negative, "unlabeled": unlabeled}
    return {name: tensor(values) for name, values in groups.items()}, labelled


def test_step_1_by_hand():
    # Squared: l(f) is 0 (positive), 1 (negative); l(-f) is 1, 0 and (1/4, 0), mean 1/8.
    risk = Labelling(prior=0.25, biased=0.5, loss=squared, beta=1)
    made = found(risk, positive=[1], negative=[-1], unlabeled=[0, -1])
    assert made.parts == pytest.approx({"positive": 1 / 2, "negative": 1 / 8 - 1 / 4})
    assert made.value == made.objective == pytest.approx(3 / 8)


def test_step_1_is_corrected_as_nnpu_is():
    risk = Labelling(prior=0.25, biased=0.5, loss=squared)
    made = found(risk, positive=[1], negative=[-1], unlabeled=[0, -1])
    assert (made.value, made.objective) == pytest.approx((1 / 2, 1 / 8))


@few
@given(positive=scores(), unlabeled=scores())
def test_step_1_is_nnpu_of_all_that_is_labelled(positive, unlabeled):
    # With the same rows on both sides it does not matter how p and r share them.
    both = found(Labelling(prior=0.2, biased=0.3), positive=positive, negative=positive,
                 unlabeled=unlabeled)  # fmt: skip
    alone = found(NNPU(prior=0.5, loss=logistic), positive=positive, unlabeled=unlabeled)
    assert (both.value, both.objective) == pytest.approx((alone.value, alone.objective))


@few
@given(count=st.integers(1, 5))
def test_in_step_1_positives_and_negatives_weigh_as_their_shares_whatever_their_numbers(count):
    risk = Labelling(prior=0.2, biased=0.3)
    once = found(risk, positive=[1.0], negative=[0.5], unlabeled=[-1.0])
    often = found(risk, positive=[1.0] * count, negative=[0.5], unlabeled=[-1.0])
    assert often.value == pytest.approx(once.value)


def test_step_1_is_smallest_where_scores_give_the_probability_of_being_labelled():
    # Of 8 documents of one kind 2 are positive and 2 biased negatives; of 8 of another kind none
    # and 2. So 1/2 and 1/4 are labelled, whose log odds are 0 and -ln 3.
    one, other = 0.0, -math.log(3)
    made = found(
        Labelling(prior=2 / 16, biased=4 / 16),
        positive=[one],
        negative=[one, other],
        unlabeled=[one] * 8 + [other] * 8,
    )
    positive, negative, unlabeled = made.gradients.values()
    assert positive[0] + negative[0] + sum(unlabeled[:8]) == pytest.approx(0)
    assert negative[1] + sum(unlabeled[8:]) == pytest.approx(0)
    assert probability_labelled(tensor([one, other])).tolist() == pytest.approx([1 / 2, 1 / 4])


def test_step_2_by_hand():
    # Squared: l(f) of the positive is 0, l(-f) is 1; l(-f) of the negative is 1/4; of the
    # unlabeled 1, 1/4 and 0. w is 1/4, then 0 since s <= eta; v is 3/4, 1/2 and 0.
    risk = PUbN(prior=0.25, biased=0.5, eta=0.5, loss=squared)
    made = found(
        risk,
        positive=[1],
        negative=[0],
        unlabeled=[1, 0, -1],
        labelled=Labelled(tensor([0.8]), tensor([0.4]), tensor([0.25, 0.5, 0.75])),
    )
    rest = (3 / 4 + 1 / 8) / 3 + 1 / 16
    assert made.parts == pytest.approx({"positive": 0, "negative": 1 / 8, "rest": rest})
    assert made.value == made.objective == pytest.approx(1 / 8 + rest)
    # l'(-f) falls by (1 + f) / 2: 1 for the positive, 1/2 for the negative.
    assert made.gradients["positive"] == pytest.approx([1 / 16])
    assert made.gradients["negative"] == pytest.approx([1 / 4])
    assert made.gradients["unlabeled"] == pytest.approx([1 / 4, 1 / 12, 0])


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@few
@given(kinds=st.tuples(numbers, numbers, numbers), eta=st.sampled_from([0, 0.2, 0.3, 0.5, 0.7, 1]))
def test_with_true_probabilities_step_2_is_the_supervised_risk(loss, kinds, eta):
    groups, labelled = whole_population(*kinds)
    negative = tensor([kinds[1]] * 8 + [kinds[2]] * 8)
    truth = PN(prior=PRIOR, loss=loss)(positive=groups["positive"], negative=negative).value
    risk = PUbN(prior=PRIOR, biased=BIASED, eta=eta, loss=loss)
    made = risk(**groups, labelled=labelled)
    assert made.value.item() == pytest.approx(truth.item(), abs=1e-9)


def test_in_expectation_step_2_is_the_supervised_risk():
    # Documents off topic are the likelier to be labelled the higher their feature is.
    rng, prior = np.random.default_rng(7), 0.3

    def chance(x):
        """Return p(labelled | x): 1 on topic, else 1 / (1 + e^-x)."""
        on, off = np.exp(-((x - 1) ** 2) / 2), np.exp(-((x + 1) ** 2) / 2)
        share = prior * on / (prior * on + (1 - prior) * off)
        return share + (1 - share) / (1 + np.exp(-x))

    off_topic = rng.normal(-1, 1, 400_000)
    marked = rng.random(400_000) < 1 / (1 + np.exp(-off_topic))
    # Shares of those off topic, as close as the standard error of the test needs.
    biased, pool = (1 - prior) * marked.mean(), off_topic[marked]
    on_topic = rng.normal(1, 1, 400_000)
    truth = PN(prior=prior)(positive=tensor(on_topic), negative=tensor(off_topic)).value
    risk, drawn = PUbN(prior=prior, biased=biased, eta=0.4), []
    for _ in range(1000):
        is_on = rng.random(20) < prior
        rows = {
            "positive": rng.normal(1, 1, 5),
            "negative": rng.choice(pool, 5),
            "unlabeled": np.where(is_on, rng.normal(1, 1, 20), rng.normal(-1, 1, 20)),
        }
        labelled = Labelled(**{name: tensor(chance(x)) for name, x in rows.items()})
        made = risk(**{name: tensor(x) for name, x in rows.items()}, labelled=labelled)
        drawn.append(made.value.item())
    assert is_near(drawn, truth=truth)


def test_probabilities_are_not_learned_in_step_2():
    groups, labelled = whole_population(1.0, 0.0, -1.0)
    chances = Labelled(*(values.requires_grad_() for values in labelled))
    made = PUbN(prior=PRIOR, biased=BIASED, eta=0.4)(**groups, labelled=chances)
    assert not made.value.requires_grad


@pytest.mark.parametrize(
    ("tau", "expected"),
    # 8 documents of which 1 - 1/4 - 1/4 are not labelled, 4; of these all, half, and hardly one.
    [(1, 0.4), (0.5, 0.2), (0.01, 0.1)],
)
def test_eta_lets_that_share_of_those_that_are_not_labelled_stand_for_itself(tau, expected):
    chances = tensor([0.3, 0.8, 0.1, 0.6, 0.2, 0.5, 0.4, 0.7])
    assert choose_eta(chances, tau=tau, prior=0.25, biased=0.25) == expected


@few
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.floats(0, 1))
def test_at_least_that_share_has_a_probability_up_to_eta(chances, tau):
    eta = choose_eta(tensor(chances), tau=tau, prior=0.3, biased=0.2)
    below = sum(chance <= eta for chance in chances)
    assert below >= max(1, math.floor(tau * 0.5 * len(chances)))


def test_as_many_probabilities_as_scores_are_needed():
    groups, labelled = whole_population(1.0, 0.0, -1.0)
    labelled = labelled._replace(negative=tensor([0.5]))
    with pytest.raises(ScoresError, match=r"labelled\.negative has 1 numbers for 6 scores"):
        PUbN(prior=PRIOR, biased=BIASED, eta=0.4)(**groups, labelled=labelled)


@pytest.mark.parametrize("chance", [-0.1, 1.1, math.nan])
def test_probabilities_outside_of_0_to_1_are_refused(chance):
    groups, labelled = whole_population(1.0, 0.0, -1.0)
    labelled = labelled._replace(positive=tensor([chance]))
    with pytest.raises(ScoresError, match=r"1 of 1 numbers of labelled\.positive are not between"):
        PUbN(prior=PRIOR, biased=BIASED, eta=0.4)(**groups, labelled=labelled)
    with pytest.raises(ScoresError, match="1 of 1 numbers of unlabeled are not between"):
        choose_eta(tensor([chance]), tau=0.5, prior=0.2, biased=0.3)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"biased": 0}, "biased is 0; .* more than 0"),
        ({"biased": 0.8}, r"prior \+ biased is 1; .* must be less than 1"),
        ({"eta": 1.5}, "eta is 1.5; .* at most 1"),
    ],
)
def test_shares_that_can_not_be_are_refused(settings, message):
    with pytest.raises(SettingsError, match=message):
        PUbN(**({"prior": 0.2, "biased": 0.3, "eta": 0.5, "loss": sigmoid} | settings))


def test_a_tau_that_is_no_share_is_refused():
    with pytest.raises(SettingsError, match="tau is 2"):
        choose_eta(tensor([0.5]), tau=2, prior=0.2, biased=0.3)
