"""Relevance feedback, worked out by hand."""

import numpy as np
import pytest
from scipy import sparse

from likewise.bench.methods.profiles import RM3, Centroid, Rocchio


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
