"""Logistic regression, and support vector machines."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit

from likewise.learn import regression
from likewise.learn.regression import Hyperplane, fit_logistic, fit_squared_hinge

RNG = np.random.default_rng(7)
ROWS = RNG.normal(size=(40, 3))
TARGETS = (ROWS[:, 0] + RNG.normal(size=40) > 0).astype(float)
WEIGHTS = RNG.uniform(0.5, 2, size=40)


def fitted(rows=ROWS, targets=TARGETS, weights=WEIGHTS, strength=0.5, start=None):
    return fit_logistic(rows, targets, weights=weights, strength=strength, start=start)


def assert_same(plane, other, tolerance=1e-3):
    assert plane.weights == pytest.approx(other.weights, abs=tolerance)
    assert plane.intercept == pytest.approx(other.intercept, abs=tolerance)


def test_the_value_at_a_row_is_weights_times_row_and_intercept():
    assert Hyperplane(np.array([1.0, 2.0]), 3.0)(np.array([[10.0, 100.0]])).tolist() == [213.0]


def test_at_the_solution_the_gradient_is_zero():
    plane = fitted()
    pull = 0.5 * WEIGHTS * (expit(plane(ROWS)) - TARGETS)
    assert pull @ ROWS + plane.weights == pytest.approx(np.zeros(3), abs=2e-3)
    assert pull.sum() == pytest.approx(0, abs=2e-3)


def test_two_rows_that_mirror_each_other_have_a_solution_by_hand():
    # The gradient is w - 2 strength / (1 + exp w), and w = 1 where strength = (1 + e) / 2.
    plane = fitted(np.array([[1.0], [-1.0]]), np.array([1.0, 0.0]), np.ones(2), (1 + np.e) / 2)
    assert_same(plane, Hyperplane(np.array([1.0]), 0.0))


def test_rows_that_say_nothing_leave_the_log_odds_of_the_targets():
    plane = fitted(np.zeros((4, 1)), np.array([1.0, 1.0, 1.0, 0.0]), np.ones(4), 10.0)
    assert_same(plane, Hyperplane(np.zeros(1), np.log(3)))


def test_rows_without_columns_leave_the_log_odds_too():
    plane = fitted(np.zeros((4, 0)), np.array([1.0, 1.0, 1.0, 0.0]), np.ones(4), 10.0)
    assert_same(plane, Hyperplane(np.zeros(0), np.log(3)))


def test_a_target_between_0_and_1_is_a_share():
    halves = fitted(np.zeros((1, 1)), np.array([0.25]), np.ones(1), 10.0)
    assert halves.intercept == pytest.approx(-np.log(3), abs=1e-3)


def test_where_it_starts_does_not_matter():
    start = Hyperplane(np.array([3.0, -2.0, 1.0]), -1.0)
    assert_same(fitted(start=start), fitted())


def test_if_anything_is_precise_enough_it_stays_where_it_starts(monkeypatch):
    monkeypatch.setattr(regression, "PRECISION", 1e9)
    start = Hyperplane(np.array([3.0, -2.0, 1.0]), -1.0)
    assert_same(fitted(start=start), start, tolerance=0)


def test_it_hardly_moves_from_the_solution():
    assert_same(fitted(start=fitted()), fitted(), tolerance=1e-5)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array])
def test_sparse_rows_give_what_dense_rows_give(kind):
    rows = np.where(abs(ROWS) > 1, ROWS, 0)
    assert_same(fitted(kind(rows)), fitted(rows), tolerance=1e-6)


def test_rows_of_single_precision_are_not_changed():
    rows = ROWS.astype(np.float32)
    fitted(rows)
    assert rows.dtype == np.float32


def test_a_row_of_weight_2_is_two_rows():
    weights = np.where(np.arange(40) < 10, 2.0, 1.0)
    twice = fitted(np.append(ROWS, ROWS[:10], 0), np.append(TARGETS, TARGETS[:10]), np.ones(50))
    assert_same(fitted(weights=weights), twice)


def test_the_stronger_the_loss_the_longer_the_weights():
    lengths = [np.linalg.norm(fitted(strength=strength).weights) for strength in (0.01, 0.1, 1)]
    assert lengths == sorted(lengths)


def test_rows_of_large_values_do_not_overflow():
    plane = fitted(ROWS * 1e4)
    assert np.isfinite(plane.weights).all()
    assert np.isfinite(plane(ROWS * 1e4)).all()


def test_a_column_without_entries_weighs_nothing_wherever_it_starts():
    rows = sparse.csr_array(np.column_stack([ROWS, np.zeros(40)]))
    start = Hyperplane(np.array([0.0, 0.0, 0.0, 9.0]), 0.0)
    assert fitted(rows, start=start).weights[3] == 0


# Support vector machines

SIGNS = 2 * TARGETS - 1


def machine(rows=ROWS, signs=SIGNS, weights=WEIGHTS, strength=0.5):
    return fit_squared_hinge(rows, signs, weights=weights, strength=strength)


def test_a_machine_of_two_rows_by_hand():
    # By symmetry c = 0, and w + 1 / (2 strength) w / 2 = 1: 2 / 3 with a strength of 1 / 2 ...
    plane = machine(np.array([[1.0], [-1.0]]), np.array([1.0, -1.0]), np.ones(2), strength=0.5)
    assert plane.weights == pytest.approx([2 / 3], abs=1e-3)
    assert plane.intercept == pytest.approx(0, abs=1e-3)


def test_at_the_machines_solution_the_gradient_is_zero():
    plane = machine()
    pull = 2 * 0.5 * WEIGHTS * SIGNS * np.maximum(0, 1 - SIGNS * plane(ROWS))
    assert plane.weights == pytest.approx(pull @ ROWS, abs=1e-2)
    assert plane.intercept == pytest.approx(pull.sum(), abs=1e-2)


def test_rows_beyond_their_margin_do_not_matter():
    plane = machine()
    is_within = SIGNS * plane(ROWS) < 1
    assert 0 < is_within.sum() < len(ROWS)
    assert_same(plane, machine(ROWS[is_within], SIGNS[is_within], WEIGHTS[is_within]), 1e-2)


def test_sparse_rows_give_the_same_machine():
    assert_same(machine(sparse.csr_array(ROWS)), machine(), 1e-9)


def test_a_row_that_counts_twice_is_as_two_rows():
    twice = machine(weights=np.where(np.arange(40) == 3, 2 * WEIGHTS, WEIGHTS))
    again = np.append(np.arange(40), 3)
    assert_same(twice, machine(ROWS[again], SIGNS[again], WEIGHTS[again]), 1e-2)
