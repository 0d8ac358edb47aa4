import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.figures.charts import point
from likewise.bench.figures.learning_curve import distance, measure_distances

shares = st.floats(0, 1)


def test_the_distance_is_the_difference_over_the_sum():
    assert distance(0.2, 0.6) == pytest.approx(0.5)


def test_a_method_as_good_as_the_bound_has_no_distance():
    assert distance(0.4, 0.4) == 0


def test_two_scores_of_0_have_no_distance():
    assert distance(0.0, 0.0) == 0


@given(shares, shares)
def test_a_distance_is_from_0_to_1_whichever_is_better(one, other):
    assert 0 <= distance(one, other) <= 1
    assert distance(one, other) == distance(other, one)


def test_distances_are_averaged_over_topics_with_their_deviation():
    points = [point("linear", 0.3, topic="x"), point("linear", 0.2, topic="y")]
    # 0.2 / 0.8 = 0.25 and 0.4 / 0.8 = 0.5: mean 0.375, deviation 0.125.
    bounds = [point("upper-bound", 0.5, topic="x"), point("upper-bound", 0.6, topic="y")]
    (found,) = measure_distances([*points, *bounds])
    assert found == ("linear", 20, *map(pytest.approx, (0.375, 0.25, 0.5)))


def test_topics_without_an_upper_bound_do_not_count():
    points = [point("linear", 0.3, topic="x"), point("linear", 0.2, topic="y")]
    (found,) = measure_distances([*points, point("upper-bound", 0.5, topic="x")])
    assert found.mean == pytest.approx(0.25)


def test_bm25_stands_for_its_first_k_documents_and_their_deviation():
    bm25 = point("bm25", 0.9).measures | {"top-k F1": 0.3, "top-k F1 deviation": 0.2}
    ranked = point("bm25", 0.9)._replace(measures=bm25)
    found, decided = measure_distances([ranked, point("upper-bound", 0.5)])
    # At 0.3, at 0.3 + 0.2 and at 0.3 - 0.2, against 0.5.
    assert found == ("bm25, top k", 20, *map(pytest.approx, (0.25, 0.0, 2 / 3)))
    assert (decided.method, decided.mean) == ("bm25", pytest.approx(0.4 / 1.4))


def test_bm25_without_that_measure_is_a_method_like_others():
    (found,) = measure_distances([point("bm25", 0.3), point("upper-bound", 0.5)])
    assert (found.method, found.mean) == ("bm25", pytest.approx(0.25))


def test_networks_and_the_first_k_are_compared_with_the_networks_bound():
    bm25 = point("bm25", 0.6).measures | {"top-k F1": 0.3}
    found = measure_distances(
        [
            point("bm25", 0.6)._replace(measures=bm25),
            point("cnn", 0.3),
            point("linear", 0.6),
            point("upper-bound", 0.6),
            point("upper-bound-cnn", 0.5),
        ]
    )
    assert {one.method: one.mean for one in found} == {
        "bm25, top k": pytest.approx(0.2 / 0.8),
        "bm25": 0,
        "cnn": pytest.approx(0.2 / 0.8),
        "linear": 0,
    }
