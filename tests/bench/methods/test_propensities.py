"""Elkan and Noto's weights, and PUe: by hand, and what must hold whatever the rows."""

import math

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import check_grad
from scipy.special import expit

from bench.labelled_rows import in_order, labelled
from likewise.bench.methods.propensities import (
    ElkanNoto,
    PUe,
    compute_weighted_risk,
    invert_propensities,
    weigh_unlabeled,
)

LOG_3 = math.log(3)


class TestElkanNoto:
    def test_the_weight_of_an_unlabeled_row_by_hand(self):
        # With c = 1/4 and g = 1/5, w = 3 * 1/4.
        found = weigh_unlabeled(np.log([0.2 / 0.8]), frequency=0.25)
        assert found == pytest.approx([0.75])

    def test_no_weight_is_above_1(self):
        assert weigh_unlabeled(np.array([1e9]), frequency=1e-6).tolist() == [1]

    def test_it_knows_how_many_are_labelled(self):
        # Where positives are clear and a quarter of them is labelled, c is a quarter.
        rows = np.repeat([[1.0], [0.0]], (80, 200), axis=0)
        learned = ElkanNoto(strength=100.0, held_out=0.25).learn(rows[:20], rows[20:])
        # Of the 80, 15 are labelled once 5 are held out, and 60 are not.
        assert learned.frequency_ == pytest.approx(15 / 75, abs=0.01)

    def test_its_probabilities_are_of_being_positive_not_of_being_labelled(self):
        rows = np.repeat([[1.0], [0.0]], (80, 200), axis=0)
        learned = ElkanNoto(strength=100.0, held_out=0.25).learn(rows[:20], rows[20:])
        on, off = expit(learned.decision_function(np.array([[1.0], [0.0]])))
        # w of the unlabeled ones at 1 is (1 - c) / c * c / (1 - c) = 1.
        assert on > 0.9
        assert off < 0.1

    def test_negatives_are_negative(self):
        rows = np.repeat([[1.0], [0.0]], (80, 200), axis=0)
        untold = ElkanNoto().learn(rows[:20], rows[20:])
        told = ElkanNoto().learn(rows[:20], rows[80:], rows[20:80])
        assert told.decision_function(rows[:1]) < untold.decision_function(rows[:1])


class TestPUe:
    def test_weights_by_hand(self):
        # 1 / e is 2, 4 and 4.
        found = invert_propensities(np.array([0.5, 0.25, 0.25]), most=10)
        assert found == pytest.approx([0.2, 0.4, 0.4])

    def test_no_seed_counts_more_than_so_many_times_the_least(self):
        # 1 / e is 2 and 1000, of which 3 * 2 are left.
        assert invert_propensities(np.array([0.5, 0.001]), most=3) == pytest.approx([0.25, 0.75])

    def test_the_risk_by_hand(self):
        # l(ln 3) = ln(4/3), l(-ln 3) = ln 4, l(0) = ln 2; p = 1/4, weights 1/4 and 3/4.
        found = compute_weighted_risk(
            np.array([LOG_3, 0.0]),
            np.array([0.0, LOG_3]),
            weights=np.array([0.25, 0.75]),
            prior=0.25,
        )
        on_topic = (0.25 * math.log(4 / 3) + 0.75 * math.log(2)) / 4
        off_topic = math.log(8) / 2 - (0.25 * math.log(4) + 0.75 * math.log(2)) / 4
        assert found.value == pytest.approx(on_topic + off_topic)
        # l(f) - l(-f) = -f, so the slope is -p w; that of the others is s(f) / 2.
        assert found.positive == pytest.approx([-1 / 16, -3 / 16])
        assert found.unlabeled == pytest.approx([1 / 4, 3 / 8])

    def test_the_part_that_stands_for_off_topic_is_never_below_0(self):
        # The unlabeled cost nearly nothing, the positive l(-3) = 3.05 as negative.
        found = compute_weighted_risk(
            np.array([3.0]), np.array([-9.0, -9.0]), weights=np.ones(1), prior=0.5
        )
        assert found.value == pytest.approx(0.5 * math.log(1 + math.exp(-3)))
        assert found.unlabeled.tolist() == [0, 0]

    def test_its_slope_is_that_of_small_differences(self):
        weights = np.array([0.2, 0.8])

        def risk(point):
            return compute_weighted_risk(point[:2], point[2:], weights=weights, prior=0.3)

        point = np.array([0.4, -1.0, 0.3, -0.2, 1.1])
        error = check_grad(
            lambda point: risk(point).value,
            lambda point: np.append(risk(point).positive, risk(point).unlabeled),
            point,
        )
        assert error < 1e-6

    def test_exchanged_groups_are_another_risk(self):
        one, other = np.array([2.0, 1.0]), np.array([-1.0, -2.0])
        risks = [
            compute_weighted_risk(first, second, weights=np.full(2, 0.5), prior=0.5).value
            for first, second in ((one, other), (other, one))
        ]
        assert risks[0] < 0.4
        assert risks[1] > 1

    def test_seeds_that_few_are_like_count_more(self):
        rng = np.random.default_rng(0)
        usual, odd = rng.normal([3, 0], 0.1, (18, 2)), rng.normal([0, 3], 0.1, (2, 2))
        weights = PUe().learn(np.vstack([usual, odd]), rng.normal(0, 1, (300, 2))).weights_
        assert weights.sum() == pytest.approx(1)
        assert weights[18:].min() > 1.5 * weights[:18].max()

    @pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
    def test_hidden_rows_are_told_from_others(self, kind):
        seeds, pool, is_on = labelled()
        learned = PUe(strength=1.0).learn(kind(seeds), kind(pool))
        assert in_order(learned.decision_function(kind(pool)), is_on) > 0.9

    def test_what_is_known_to_be_off_topic_joins_the_unlabeled(self):
        seeds, pool, is_on = labelled()
        told = PUe().learn(seeds, pool[:100], pool[100:]).decision_function(pool)
        assert told == pytest.approx(PUe().learn(seeds, pool).decision_function(pool))
        assert in_order(told, is_on) > 0.9
