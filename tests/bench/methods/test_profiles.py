"""Relevance feedback, the one-class SVM and kernel densities: by hand, and what they find."""

import math
import sys
from importlib.util import find_spec

import numpy as np
import pytest
from scipy import sparse

from bench.labelled_rows import in_order, labelled
from bench.made import made_task
from likewise.bench.methods.profiles import (
    RM3,
    Centroid,
    KernelDensities,
    OneClassSVM,
    Rocchio,
    compute_log_density,
)
from likewise.bench.methods.scorers import score_pude
from likewise.bench.methods.view import CountedTerms, TaskView
from likewise.errors import MissingExtraError
from likewise.learn.rows import stack_rows
from likewise.learn.views import VectorView


def test_a_centroid_scores_by_the_cosine_with_the_mean_of_the_seeds():
    seeds = np.array([[2.0, 0.0], [0.0, 5.0]])
    # Of length 1 the seeds are (1, 0) and (0, 1), whose mean points to (1, 1).
    scores = Centroid().learn(seeds, seeds).decision_function(np.array([[3.0, 3.0], [7.0, 0.0]]))
    assert scores == pytest.approx([1, 0.5**0.5])


def test_a_centroid_keeps_away_from_negatives():
    seeds, negative = np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 1.0, 0.0]])
    scores = Centroid().learn(seeds, seeds, negative).decision_function(np.eye(3))
    assert scores == pytest.approx([1, -1, 0])


def test_rocchio_weighs_seeds_against_pool():
    seeds, pool = np.array([[1.0, 0.0, 1.0]]), np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
    # Means are (1, 0, 1) and (0, 1/2, 1); the second weight would be -1/8, and is left out.
    rocchio = Rocchio(beta=1.0, gamma=0.25).learn(seeds, pool)
    assert rocchio.weights_ == pytest.approx([1, 0, 0.75])
    assert rocchio.decision_function(pool) == pytest.approx([0.75, 0.75])


def test_rocchio_takes_negatives_where_there_are_some():
    seeds, pool = np.array([[1.0, 1.0]]), np.array([[1.0, 0.0]])
    rocchio = Rocchio(beta=1.0, gamma=0.5).learn(seeds, pool, np.array([[0.0, 1.0]]))
    assert rocchio.weights_ == pytest.approx([1, 0.5])


POOL = np.array([[1.0, 0, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]])
# One of four has the first column, none the second, three the third.
IDF = np.log([1 + 3.5 / 1.5, 1 + 4.5 / 0.5, 1 + 1.5 / 3.5])


def test_rm3_without_the_query_is_the_relevance_model():
    # By document the shares are (3/4, 1/4) and (1/2, 1/2), so their mean is (5/8, 3/8).
    seeds = np.array([[3.0, 1.0, 0.0], [2.0, 2.0, 0.0]])
    learned = RM3(terms=3, original=0.0).learn(seeds, POOL)
    assert learned.weights_ == pytest.approx(np.array([5 / 8, 3 / 8, 0]) * IDF)


def test_rm3_keeps_the_likeliest_terms():
    seeds = np.array([[3.0, 1.0, 0.0], [2.0, 2.0, 0.0]])
    learned = RM3(terms=1, original=0.0).learn(seeds, POOL)
    assert learned.weights_ == pytest.approx([IDF[0], 0, 0])


def test_rm3_with_the_query_alone_weighs_terms_by_their_divergence():
    # Both seeds have the first two columns: worth ln(1 / b), with b 1.5 / 5 and 0.5 / 5.
    seeds = np.array([[1.0, 1.0, 0.0], [5.0, 1.0, 0.0]])
    value = np.log([5 / 1.5, 5 / 0.5])
    query = value / IDF[:2] / (value / IDF[:2]).sum()
    learned = RM3(terms=2, original=1.0).learn(seeds, POOL)
    assert learned.weights_ == pytest.approx([*(query * IDF[:2]), 0], abs=1e-6)


def test_rm3_mixes_both():
    seeds = np.array([[3.0, 1.0, 0.0], [2.0, 2.0, 0.0]])
    parts = [RM3(terms=2, original=share).learn(seeds, POOL).weights_ for share in (0, 1, 0.25)]
    assert parts[2] == pytest.approx(0.75 * parts[0] + 0.25 * parts[1])


@pytest.mark.parametrize("made", [Centroid(), Rocchio(), RM3()])
def test_sparse_rows_score_as_dense_ones_do(made):
    rng = np.random.default_rng(0)
    seeds, pool = rng.random((3, 5)), (rng.random((20, 5)) < 0.4).astype(float)
    dense = made.learn(seeds, pool).decision_function(pool)
    thin = made.learn(sparse.csr_array(seeds), sparse.csr_array(pool))
    assert thin.decision_function(sparse.csr_array(pool)) == pytest.approx(dense, abs=1e-6)


@pytest.mark.skipif(not find_spec("sklearn"), reason="the extra bench is not installed")
class TestOneClassSVM:
    @pytest.mark.parametrize("kernel", ["linear", "rbf"])
    def test_rows_like_the_seeds_are_inside(self, kernel):
        seeds = np.array([[1.0, 0.0], [0.8, 0.6], [0.9, 0.4359]])
        scores = (
            OneClassSVM(kernel=kernel)
            .learn(seeds, seeds)
            .decision_function(np.array([[0.9, 0.4359], [0.0, 1.0]]))
        )
        assert scores[0] > 0 > scores[1]

    def test_the_pool_is_not_looked_at(self):
        seeds, pool, _ = labelled()
        first = OneClassSVM().learn(seeds, pool).decision_function(pool)
        second = OneClassSVM().learn(seeds, pool[:5], pool[5:]).decision_function(pool)
        assert (first == second).all()

    def test_sparse_rows_score_as_dense_ones_do(self):
        seeds, pool, _ = labelled()
        dense = OneClassSVM().learn(seeds, pool).decision_function(pool)
        thin = OneClassSVM().learn(sparse.csr_array(seeds), pool)
        found = thin.decision_function(stack_rows([sparse.csr_array(pool)]))
        assert found == pytest.approx(dense, abs=1e-4)


def test_a_missing_scikit_learn_is_named_with_the_command_that_adds_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    with pytest.raises(MissingExtraError, match=r"one-class-svm needs .* 'likewise\[bench\]'"):
        OneClassSVM().learn(np.ones((3, 2)), np.ones((3, 2)))


class TestKernelDensities:
    def test_a_density_by_hand(self):
        # In one column and of width 2: the mean of exp(0) and exp(-16 / 8), over 2 sqrt(2 pi).
        found = compute_log_density(np.array([[1.0]]), np.array([[1.0], [5.0]]), width=2.0)
        expected = (1 + math.exp(-2)) / 2 / (2 * math.sqrt(2 * math.pi))
        assert found == pytest.approx([math.log(expected)])

    def test_a_density_in_two_columns_by_hand(self):
        # Three and four apart is five: exp(-25 / 2) / (2 pi).
        found = compute_log_density(np.array([[3.0, 4.0]]), np.zeros((1, 2)), width=1.0)
        assert found == pytest.approx([-12.5 - math.log(2 * math.pi)])

    def test_its_mass_is_1(self):
        grid = np.linspace(-9, 9, 2001)[:, None]
        heights = np.exp(compute_log_density(grid, np.array([[-1.0], [0.5], [2.0]]), width=0.7))
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
        parts = [
            compute_log_density(rows[start:][:400], rows, width=1.0)
            for start in range(0, 1203, 400)
        ]
        assert compute_log_density(rows, rows, width=1.0) == pytest.approx(np.concatenate(parts))


def test_the_encoders_vectors_are_taken_where_there_are_some():
    task, _ = made_task()
    material = TaskView(task, CountedTerms()).make_material()
    vectors = np.random.default_rng(0).normal(size=(len(material.documents), 4))
    scored = [
        score_pude(of, rng=np.random.default_rng(0), dimensions=5, width=1.0).scores.pool
        for of in (material, material.with_views(VectorView(vectors)))
    ]
    assert (scored[0] != scored[1]).any()
