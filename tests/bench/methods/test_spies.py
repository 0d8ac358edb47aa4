"""Spies, and naive Bayes: by hand, and what they find."""

import numpy as np
import pytest

from likewise.bench.methods.spies import NaiveBayes, Spies


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
