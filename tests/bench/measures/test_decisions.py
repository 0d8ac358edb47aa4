import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.bench import measures
from likewise.bench.measures import DecisionCounts, count_decisions

metrics = pytest.importorskip("sklearn.metrics", reason="the extra bench is not installed")

# 3 of the 5 on topic are decided, and 1 of the 5 off topic.
COUNTED = DecisionCounts(true_positive=3, false_positive=1, false_negative=2, true_negative=4)

both_sides = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40)


def flags(text):
    return np.array([letter == "1" for letter in text])


def test_documents_are_counted_by_decision_and_truth():
    assert count_decisions(flags("1110100000"), flags("1110011000")) == DecisionCounts(3, 1, 2, 4)


def test_precision_is_the_share_of_what_is_decided():
    assert measures.precision(COUNTED) == 3 / 4


def test_precision_is_0_where_nothing_is_decided():
    assert measures.precision(DecisionCounts(0, 0, 2, 3)) == 0


def test_recall_is_the_share_of_what_is_on_topic():
    assert measures.recall(COUNTED) == 3 / 5


def test_f1_is_the_harmonic_mean_of_both():
    assert measures.f1(COUNTED) == pytest.approx(2 / (4 / 3 + 5 / 3))


def test_f1_is_0_where_nothing_is_found():
    assert measures.f1(DecisionCounts(0, 0, 2, 3)) == 0


def test_accuracy_is_the_share_decided_rightly():
    assert measures.accuracy(COUNTED) == 7 / 10


def test_the_balanced_error_weighs_both_sides_alike():
    assert measures.ber(COUNTED) == pytest.approx((1 / 5 + 2 / 5) / 2)


def test_what_needs_documents_on_topic_is_not_measured_without():
    nothing = DecisionCounts(0, 1, 0, 4)
    assert measures.recall(nothing) is None
    assert measures.f1(nothing) is None
    assert measures.ber(nothing) is None


def test_the_balanced_error_is_not_measured_if_all_are_on_topic():
    assert measures.ber(DecisionCounts(3, 0, 2, 0)) is None


@given(both_sides)
def test_scikit_learn_says_the_same(pairs):
    decided, relevant = (np.array(side, dtype=bool) for side in zip(*pairs, strict=True))
    counted = count_decisions(decided, relevant)
    assert measures.precision(counted) == metrics.precision_score(
        relevant, decided, zero_division=0
    )
    assert measures.accuracy(counted) == pytest.approx(metrics.accuracy_score(relevant, decided))
    if relevant.any():
        assert measures.f1(counted) == pytest.approx(metrics.f1_score(relevant, decided))
        assert measures.recall(counted) == metrics.recall_score(relevant, decided)
    if relevant.any() and not relevant.all():
        right = metrics.balanced_accuracy_score(relevant, decided)
        assert measures.ber(counted) == pytest.approx(1 - right)
