"""Learning from positive and unlabeled rows the older ways: spies, weights, and one class."""

import sys
from importlib.util import find_spec

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit

from likewise.bench.methods.profiles import OneClassSVM
from likewise.bench.methods.propensities import ElkanNoto, weigh_unlabeled
from likewise.bench.methods.spies import NaiveBayes, Spies
from likewise.errors import MissingExtraError
from likewise.learn.rows import stack_rows


def counted(rng, count, *, on):
    """Counts of six words, of which the first three are of the topic."""
    likely = np.array([3, 3, 3, 1, 1, 1] if on else [1, 1, 1, 3, 3, 3]) / 12
    return rng.multinomial(12, likely, size=count).astype(float)


def labelled(seeds=12, hidden=30, others=120):
    rng = np.random.default_rng(4)
    pool = np.vstack([counted(rng, hidden, on=True), counted(rng, others, on=False)])
    return counted(rng, seeds, on=True), pool, np.arange(len(pool)) < hidden


class TestNaiveBayes:
    def test_by_hand(self):
        rows, likely = np.array([[2.0, 0.0], [1.0, 1.0]]), np.array([1.0, 0.0])
        # With 1 added, the shares are (3, 1) / 4 on topic and (2, 2) / 4 off it.
        learned = NaiveBayes.of(rows, likely, smoothing=1.0)
        assert learned.weights == pytest.approx(np.log([3 / 2, 1 / 2]))
        assert learned.intercept == pytest.approx(0)
        assert learned(np.array([[1.0, 1.0]])) == pytest.approx([np.log(3 / 4)])

    def test_a_row_that_is_half_on_topic_counts_for_half(self):
        rows = np.array([[2.0, 0.0], [0.0, 2.0]])
        learned = NaiveBayes.of(rows, np.array([1.0, 0.5]), smoothing=1.0)
        # On topic (2 + 1, 1 + 1) / 5, off topic (0 + 1, 1 + 1) / 3; three of four is on topic.
        assert learned.weights == pytest.approx(np.log([9 / 5, 3 / 5]))
        assert learned.intercept == pytest.approx(np.log(3))


class TestSpies:
    def test_hidden_rows_are_told_from_others(self):
        seeds, pool, is_on = labelled()
        scores = Spies().learn(seeds, pool).decision_function(pool)
        assert (scores[is_on, None] > scores[None, ~is_on]).mean() > 0.95

    def test_rows_that_are_surely_off_topic_are_found(self):
        seeds, pool, is_on = labelled(seeds=60)
        is_off = Spies()._is_reliable(seeds, pool)
        assert is_off.sum() > 90
        # Nine spies are among the pool, one or two of which may be taken for noise.
        assert is_on[is_off].mean() < 0.1

    def test_other_spies_give_another_model(self):
        seeds, pool, _ = labelled()
        first, second = (Spies(seed=seed).learn(seeds, pool).model_ for seed in (0, 1))
        assert (first.weights != second.weights).any()

    def test_rows_known_to_be_negative_stay_so(self):
        seeds, pool, is_on = labelled()
        told = Spies().learn(seeds, pool[is_on], pool[~is_on][:40])
        assert (told.decision_function(pool[~is_on][:40]) < 0).mean() > 0.9

    def test_two_seeds_are_enough(self):
        seeds, pool, _ = labelled()
        assert np.isfinite(Spies().learn(seeds[:2], pool).decision_function(pool)).all()


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
