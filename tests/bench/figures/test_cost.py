import pytest

from bench.figures.charts import point, rows_with, scale, titles
from likewise.bench.figures.methods import average_costs, draw_cost
from likewise.errors import RunError

pytest.importorskip("altair")

POINTS = [
    point("linear", 0.4, topic="x", AP=0.4, seconds=1.0),
    point("linear", 0.4, topic="y", AP=0.6, seconds=3.0),
    point("cnn", 0.4, topic="x", AP=0.3, seconds=70.0),
    point("cnn", 0.4, topic="y", AP=0.3, seconds=90.0),
]


def test_time_and_precision_are_averaged_over_topics():
    assert list(average_costs(POINTS)) == [
        ("cnn", 20, 80.0, pytest.approx(0.3)),
        ("linear", 20, 2.0, pytest.approx(0.5)),
    ]


def test_a_time_of_0_is_drawn_as_the_shortest_that_clocks_tell():
    (found,) = average_costs([point("all", 0.1, AP=0.1, seconds=0.0)])
    assert found.seconds == 0.001


def test_the_axis_of_seconds_goes_from_a_power_of_ten_to_one_that_leaves_room_for_labels():
    assert scale(draw_cost(POINTS).chart, "x") == [1, 1000]


def test_a_time_that_is_a_power_of_ten_is_within_the_axis():
    chart = draw_cost([point("linear", 0.4, AP=0.4, seconds=10.0)]).chart
    assert scale(chart, "x") == [10, 100]


def test_every_dot_has_its_label():
    # Once as a dot, once as a label.
    found = [row["label"] for row in rows_with(draw_cost(POINTS).chart, "label", "seconds")]
    assert sorted(found) == ["cnn", "cnn", "linear", "linear"]


def test_there_is_a_panel_for_each_number_of_seeds():
    more = [point("linear", 0.4, seeds=50, AP=0.5, seconds=1.0)]
    assert titles(draw_cost(POINTS + more).chart) == ["|LP| = 20", "|LP| = 50"]


def test_what_is_seen_is_told_in_words():
    assert "linear with 20 seeds: 0.50 in 2 s" in draw_cost(POINTS).alternative


def test_results_without_average_precision_say_what_is_needed():
    with pytest.raises(RunError, match="cost needs AP and seconds"):
        draw_cost([point("linear", 0.4, seconds=1.0)])
