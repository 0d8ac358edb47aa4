from dataclasses import astuple, replace

import pytest

from bench.figures.charts import parts, point, rows_with, scale, titles
from likewise.bench.figures.methods import (
    Dot,
    average_costs,
    average_dots,
    draw_calibration,
    draw_cost,
    draw_methods,
    plot_dots,
)
from likewise.errors import RunError

pytest.importorskip("altair")


def two_topics(label, first, second, **given):
    return [point(label, first, topic="x", **given), point(label, second, topic="y", **given)]


def test_a_dot_is_the_mean_over_topics_within_its_interval():
    (found,) = average_dots(two_topics("linear", 0.4, 0.6), "F1")
    assert found.mean == pytest.approx(0.5)
    assert (found.low, found.high) == (0.4, 0.6)


def test_one_topic_has_no_interval():
    (found,) = average_dots([point("linear", 0.4)], "F1")
    assert found == Dot("linear", 20, "F1", 0.4, 0.4, 0.4)


def test_methods_equal_on_all_topics_have_equal_intervals():
    points = [
        point(label, one / 10, topic=str(one)) for label in ("a", "b") for one in (1, 4, 5, 7, 8)
    ]
    first, second = average_dots(points, "F1")
    assert astuple(first)[2:] == astuple(second)[2:]


def test_methods_are_sorted_by_the_mean_of_f1():
    points = two_topics("naive", 0.1, 0.2) + two_topics("linear", 0.4, 0.6)
    spec = draw_methods(points).chart.to_dict()["spec"]
    assert spec["layer"][0]["encoding"]["y"]["sort"] == ["linear", "naive"]


def test_there_is_a_panel_for_each_number_of_seeds():
    points = [point("linear", 0.4, seeds=seeds) for seeds in (1000, 20)]
    assert draw_methods(points).chart.to_dict()["facet"]["sort"] == ["|LP| = 20", "|LP| = 1,000"]


def test_f1_and_average_precision_are_both_drawn():
    chart = draw_methods([point("linear", 0.4, AP=0.3)]).chart
    found = rows_with(chart, "measure")
    assert [(row["measure"], row["mean"]) for row in found] == [("F1", 0.4), ("AP", 0.3)]


def test_a_method_without_average_precision_has_its_f1():
    chart = draw_methods([point("linear", 0.4, AP=0.3), point("all", 0.1)]).chart
    found = [row["measure"] for row in rows_with(chart, "measure") if row["label"] == "all"]
    assert found == ["F1"]


def test_the_caption_tells_how_many_topics_are_averaged():
    points = [*two_topics("linear", 0.4, 0.6), point("naive", 0.1, topic="x")]
    assert "means over 1 topic, with 95 %" in draw_methods(points).caption


def test_the_mean_and_interval_are_told_in_words():
    told = draw_methods(two_topics("linear", 0.4, 0.6)).alternative
    assert "linear with 20 seeds: F1 0.50 (0.40 to 0.60)" in told


def test_results_without_f1_say_what_is_needed():
    with pytest.raises(RunError, match="methods needs F1"):
        draw_methods([replace(point("linear", 0.4), measures={"AP": 0.2})])


def test_the_axis_begins_at_0_and_ends_above_the_highest_value():
    low, high = scale(plot_dots([Dot("a", 20, "F1", 0.3, 0.2, 0.4)], order=["a"], title=""), "x")
    assert (low, high) == (0, pytest.approx(0.42))


def test_a_value_to_compare_with_is_on_the_axis():
    found = [Dot("a", 20, "F1", 0.3, 0.2, 0.4)]
    _, high = scale(plot_dots(found, order=["a"], title="", wanted=0.8), "x")
    assert high == 0.8


pytest.importorskip("altair")

POINTS = [
    point("linear", 0.4, topic="x", calibration_error=0.02, interval_covered=1.0),
    point("linear", 0.4, topic="y", calibration_error=0.04, interval_covered=0.5),
    point("spy", 0.4, topic="x", calibration_error=0.01, interval_covered=0.0),
    point("spy", 0.4, topic="y", calibration_error=0.01, interval_covered=0.0),
    point("bm25", 0.1, topic="x"),
]


def test_errors_and_covered_intervals_are_averaged_over_topics():
    found = {
        (row["label"], row["measure"]): row["mean"]
        for row in rows_with(draw_calibration(POINTS).chart, "measure")
    }
    assert found == {
        ("linear", "calibration error"): pytest.approx(0.03),
        ("spy", "calibration error"): pytest.approx(0.01),
        ("linear", "interval covered"): pytest.approx(0.75),
        ("spy", "interval covered"): 0.0,
    }


def test_the_method_with_the_smallest_error_is_on_top():
    orders = [
        part["encoding"]["y"]["sort"]
        for part in parts(draw_calibration(POINTS).chart)
        if "sort" in part.get("encoding", {}).get("y", {})
    ]
    assert orders
    assert all(order == ["spy", "linear"] for order in orders)


def test_what_intervals_claim_is_drawn_below():
    lines = [
        part["encoding"]["x"]["datum"]
        for part in parts(draw_calibration(POINTS).chart)
        if "datum" in part.get("encoding", {}).get("x", {})
    ]
    assert lines == [0.8]


def test_the_caption_tells_what_the_dotted_line_is():
    assert "80 % interval" in draw_calibration(POINTS).caption


def test_methods_without_probabilities_say_what_is_needed():
    with pytest.raises(RunError, match="calibration needs methods that estimate probabilities"):
        draw_calibration(POINTS[-1:])


pytest.importorskip("altair")

COST_POINTS = [
    point("linear", 0.4, topic="x", AP=0.4, seconds=1.0),
    point("linear", 0.4, topic="y", AP=0.6, seconds=3.0),
    point("cnn", 0.4, topic="x", AP=0.3, seconds=70.0),
    point("cnn", 0.4, topic="y", AP=0.3, seconds=90.0),
]


def test_time_and_precision_are_averaged_over_topics():
    assert list(map(astuple, average_costs(COST_POINTS))) == [
        ("cnn", 20, 80.0, pytest.approx(0.3)),
        ("linear", 20, 2.0, pytest.approx(0.5)),
    ]


def test_a_time_of_0_is_drawn_as_the_shortest_that_clocks_tell():
    (found,) = average_costs([point("all", 0.1, AP=0.1, seconds=0.0)])
    assert found.seconds == 0.001


def test_the_axis_of_seconds_goes_from_a_power_of_ten_to_one_that_leaves_room_for_labels():
    assert scale(draw_cost(COST_POINTS).chart, "x") == [1, 1000]


def test_a_time_that_is_a_power_of_ten_is_within_the_axis():
    chart = draw_cost([point("linear", 0.4, AP=0.4, seconds=10.0)]).chart
    assert scale(chart, "x") == [10, 100]


def test_every_dot_has_its_label():
    # Once as a dot, once as a label.
    found = [row["label"] for row in rows_with(draw_cost(COST_POINTS).chart, "label", "seconds")]
    assert sorted(found) == ["cnn", "cnn", "linear", "linear"]


def test_costs_have_a_panel_for_each_number_of_seeds():
    more = [point("linear", 0.4, seeds=50, AP=0.5, seconds=1.0)]
    assert titles(draw_cost(COST_POINTS + more).chart) == ["|LP| = 20", "|LP| = 50"]


def test_what_is_seen_is_told_in_words():
    assert "linear with 20 seeds: 0.50 in 2 s" in draw_cost(COST_POINTS).alternative


def test_results_without_average_precision_say_what_is_needed():
    with pytest.raises(RunError, match="cost needs AP and seconds"):
        draw_cost([point("linear", 0.4, seconds=1.0)])
