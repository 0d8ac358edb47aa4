import pytest

from bench.figures.charts import point, rows_with, scale
from likewise.bench.figures.methods import Dot, average_dots, draw_methods, plot_dots
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
    assert first[2:] == second[2:]


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
        draw_methods([point("linear", 0.4)._replace(measures={"AP": 0.2})])


def test_the_axis_begins_at_0_and_ends_above_the_highest_value():
    low, high = scale(plot_dots([Dot("a", 20, "F1", 0.3, 0.2, 0.4)], order=["a"], title=""), "x")
    assert (low, high) == (0, pytest.approx(0.42))


def test_a_value_to_compare_with_is_on_the_axis():
    found = [Dot("a", 20, "F1", 0.3, 0.2, 0.4)]
    _, high = scale(plot_dots(found, order=["a"], title="", wanted=0.8), "x")
    assert high == 0.8
