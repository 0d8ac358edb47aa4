from dataclasses import astuple, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.figures.charts import point, rows_with, scale
from likewise.bench.figures.paper import draw_learning_curve
from likewise.bench.figures.points import compute_distance, measure_distances
from likewise.errors import RunError

pytest.importorskip("altair")

SIZES = (20, 50, 1000)


def curve(method, *f1, topic="Rats"):
    return [
        point(method, one, seeds=seeds, topic=topic) for one, seeds in zip(f1, SIZES, strict=False)
    ]


BOUND = curve("upper-bound", 0.5, 0.6, 0.9)
LINEAR = curve("linear", 0.3, 0.4, 0.3)


def test_there_is_a_place_for_each_number_of_seeds():
    found = rows_with(draw_learning_curve([*BOUND, *LINEAR]).chart, "low")
    assert {row["seeds"]: row["mean"] for row in found} == {
        20: pytest.approx(0.25),
        50: pytest.approx(0.2),
        1000: pytest.approx(0.5),
    }


def test_seeds_are_on_a_logarithmic_axis_from_the_first_to_the_last():
    assert scale(draw_learning_curve([*BOUND, *LINEAR]).chart, "x") == [20, 1000]


def test_every_line_is_labelled_at_its_end():
    chart = draw_learning_curve([*BOUND, *LINEAR, *curve("naive", 0.2, 0.2)]).chart
    assert {(row["method"], row["seeds"]) for row in rows_with(chart, "place")} == {
        ("linear", 1000),
        ("naive", 50),
    }


def test_the_caption_tells_which_bound_is_whose():
    alone = draw_learning_curve([*curve("upper-bound-cnn", 0.5, 0.6), *curve("cnn", 0.3, 0.4)])
    assert "The bound is upper-bound-cnn." in alone.caption
    both = draw_learning_curve([*BOUND, *LINEAR, *curve("upper-bound-cnn", 0.5, 0.6, 0.9)])
    assert "The bound of networks and of top k is upper-bound-cnn" in both.caption


def test_long_names_are_cut_at_the_ends_of_lines():
    name = "cnn(risk=pnu, batch=512, batching=ordinary)"
    chart = draw_learning_curve([*BOUND, *curve(name, 0.3, 0.4, 0.3)]).chart
    assert {row["method"] for row in rows_with(chart, "place")} == {
        "cnn(risk=pnu, batch=512, batchi…"
    }


def test_the_upper_bound_is_no_line():
    chart = draw_learning_curve([*BOUND, *LINEAR]).chart
    assert {row["method"] for row in rows_with(chart, "low")} == {"linear"}


def test_only_topics_with_every_number_of_seeds_are_averaged():
    partial = [*curve("upper-bound", 0.9, topic="Mice"), *curve("linear", 0.1, topic="Mice")]
    figure = draw_learning_curve([*BOUND, *LINEAR, *partial])
    assert "over 1 topic." in figure.caption
    assert rows_with(figure.chart, "low")[0]["mean"] == pytest.approx(0.25)


def test_the_caption_tells_how_bm25_is_drawn():
    bm25 = [
        replace(one, measures={"F1": 0.1, "top-k F1": 0.2, "top-k F1 deviation": 0.1})
        for one in curve("bm25", 0.1, 0.1, 0.1)
    ]
    assert (
        "Top k is that of the first k documents of bm25"
        in draw_learning_curve([*BOUND, *bm25]).caption
    )
    assert "bm25" not in draw_learning_curve([*BOUND, *LINEAR]).caption


def test_what_is_seen_is_told_in_words():
    told = draw_learning_curve([*BOUND, *LINEAR]).alternative
    assert "linear: 0.25 with 20 seeds, 0.50 with 1,000" in told


@pytest.mark.parametrize(
    "points", [[*BOUND, *LINEAR][::3], LINEAR, BOUND, []], ids=["one size", "no bound", "alone", ""]
)
def test_without_a_bound_or_a_second_number_of_seeds_it_says_what_is_needed(points):
    with pytest.raises(
        RunError, match=r"learning-curve needs .* upper-bound .* two or more numbers"
    ):
        draw_learning_curve(points)


shares = st.floats(0, 1)


def test_the_distance_is_the_difference_over_the_sum():
    assert compute_distance(0.2, 0.6) == pytest.approx(0.5)


def test_a_method_as_good_as_the_bound_has_no_distance():
    assert compute_distance(0.4, 0.4) == 0


def test_two_scores_of_0_have_no_distance():
    assert compute_distance(0.0, 0.0) == 0


@given(shares, shares)
def test_a_distance_is_from_0_to_1_whichever_is_better(one, other):
    assert 0 <= compute_distance(one, other) <= 1
    assert compute_distance(one, other) == compute_distance(other, one)


def test_distances_are_averaged_over_topics_with_their_deviation():
    points = [point("linear", 0.3, topic="x"), point("linear", 0.2, topic="y")]
    # 0.2 / 0.8 = 0.25 and 0.4 / 0.8 = 0.5: mean 0.375, deviation 0.125.
    bounds = [point("upper-bound", 0.5, topic="x"), point("upper-bound", 0.6, topic="y")]
    (found,) = measure_distances([*points, *bounds])
    assert astuple(found) == ("linear", 20, *map(pytest.approx, (0.375, 0.25, 0.5)))


def test_topics_without_an_upper_bound_do_not_count():
    points = [point("linear", 0.3, topic="x"), point("linear", 0.2, topic="y")]
    (found,) = measure_distances([*points, point("upper-bound", 0.5, topic="x")])
    assert found.mean == pytest.approx(0.25)


def test_bm25_stands_for_its_first_k_documents_and_their_deviation():
    bm25 = point("bm25", 0.9).measures | {"top-k F1": 0.3, "top-k F1 deviation": 0.2}
    ranked = replace(point("bm25", 0.9), measures=bm25)
    found, decided = measure_distances([ranked, point("upper-bound", 0.5)])
    # At 0.3, at 0.3 + 0.2 and at 0.3 - 0.2, against 0.5.
    assert astuple(found) == ("bm25, top k", 20, *map(pytest.approx, (0.25, 0.0, 2 / 3)))
    assert (decided.method, decided.mean) == ("bm25", pytest.approx(0.4 / 1.4))


def test_bm25_without_that_measure_is_a_method_like_others():
    (found,) = measure_distances([point("bm25", 0.3), point("upper-bound", 0.5)])
    assert (found.method, found.mean) == ("bm25", pytest.approx(0.25))


def test_networks_and_the_first_k_are_compared_with_the_networks_bound():
    bm25 = point("bm25", 0.6).measures | {"top-k F1": 0.3}
    found = measure_distances(
        [
            replace(point("bm25", 0.6), measures=bm25),
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
