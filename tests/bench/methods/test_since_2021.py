"""PUe, and puDE by kernels: by hand, and what must hold whatever the rows."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import check_grad

from bench.labelled_rows import in_order, labelled
from bench.made import made_task
from likewise.bench.methods.profiles import KernelDensities, log_density
from likewise.bench.methods.propensities import PUe, compute_weighted_risk, invert_propensities
from likewise.bench.methods.scorers import score_pude
from likewise.bench.methods.spelling import parse_bench_method
from likewise.bench.methods.view import CountedTerms, TaskView
from likewise.errors import SettingsError

LOG_3 = math.log(3)


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


class TestKernelDensities:
    def test_a_density_by_hand(self):
        # In one column and of width 2: the mean of exp(0) and exp(-16 / 8), over 2 sqrt(2 pi).
        found = log_density(np.array([[1.0]]), np.array([[1.0], [5.0]]), width=2.0)
        expected = (1 + math.exp(-2)) / 2 / (2 * math.sqrt(2 * math.pi))
        assert found == pytest.approx([math.log(expected)])

    def test_a_density_in_two_columns_by_hand(self):
        # Three and four apart is five: exp(-25 / 2) / (2 pi).
        found = log_density(np.array([[3.0, 4.0]]), np.zeros((1, 2)), width=1.0)
        assert found == pytest.approx([-12.5 - math.log(2 * math.pi)])

    def test_its_mass_is_1(self):
        grid = np.linspace(-9, 9, 2001)[:, None]
        heights = np.exp(log_density(grid, np.array([[-1.0], [0.5], [2.0]]), width=0.7))
        assert heights.sum() * 18 / 2000 == pytest.approx(1)

    def test_a_width_by_hand(self):
        # Columns of the pool have deviations 3 and 4, the root of the mean square is sqrt(12.5);
        # with four rows of two columns Scott's rule is 4^(-1 / 6) of it.
        pool = np.array([[3.0, 4.0], [-3.0, 4.0], [3.0, -4.0], [-3.0, -4.0]])
        learned = KernelDensities(width=2.0).learn(pool[:1], pool)
        assert learned.measure_width(pool) == pytest.approx(2 * math.sqrt(12.5) * 4 ** (-1 / 6))
        assert learned.measure_width(pool[:1]) == pytest.approx(2 * math.sqrt(12.5))

    def test_a_score_is_the_log_ratio_by_hand(self):
        # The pool's rows are 0 and 2, of deviation 1; one seed is at 2, in width 1, and the
        # pool's kernels are 2^(-1 / 5) wide.
        learned = KernelDensities().learn(np.array([[2.0]]), np.array([[0.0], [2.0]]))
        narrow = 2**-0.2
        on = -0.5 * math.log(2 * math.pi)
        everywhere = math.log((1 + math.exp(-2 / narrow**2)) / 2 / narrow) + on
        assert learned.decision_function(np.array([[2.0]])) == pytest.approx([on - everywhere])

    def test_hidden_rows_are_told_from_others(self):
        seeds, pool, is_on = labelled()
        scores = KernelDensities().learn(seeds, pool).decision_function(pool)
        assert in_order(scores, is_on) > 0.85

    def test_exchanged_groups_turn_the_order(self):
        seeds, pool, is_on = labelled()
        scores = KernelDensities().learn(pool[~is_on], seeds).decision_function(pool)
        assert in_order(scores, is_on) < 0.3

    def test_rows_that_are_all_alike_are_no_trouble(self):
        rows = np.ones((4, 3))
        assert KernelDensities().learn(rows, rows).decision_function(rows) == pytest.approx(0)

    def test_more_rows_than_are_looked_at_at_once_are_all_scored(self):
        rows = np.random.default_rng(0).normal(size=(1203, 2))
        parts = [log_density(rows[start:][:400], rows, width=1.0) for start in range(0, 1203, 400)]
        assert log_density(rows, rows, width=1.0) == pytest.approx(np.concatenate(parts))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pue(prior=1)", "prior is a number between 0 and 1"),
        ("pue(most=0.5)", "most is a number, at least 1"),
        ("pude(width=0)", "width is a number greater than 0"),
        ("pude-energy(steps=0)", "steps is a whole number, at least 1"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(text, said):
    with pytest.raises(SettingsError, match=said):
        parse_bench_method(text)


def test_the_encoders_vectors_are_taken_where_there_are_some():
    task, _ = made_task()
    material = TaskView(task, CountedTerms()).material()
    vectors = np.random.default_rng(0).normal(size=(len(material.documents), 4))
    scored = [
        score_pude(of, rng=np.random.default_rng(0), dimensions=5, width=1.0).scores.pool
        for of in (material, replace(material, vectors=vectors))
    ]
    assert (scored[0] != scored[1]).any()
