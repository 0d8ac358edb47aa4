import pytest

from bench.figures.charts import point, rows_with, titles
from likewise.bench.figures.topics import draw_topics, find_best
from likewise.errors import RunError

pytest.importorskip("altair")

POINTS = [
    point("linear", 0.4, topic="x"),
    point("naive", 0.5, topic="x"),
    point("upper-bound", 0.9, topic="x"),
    point("linear", 0.3, topic="y"),
    point("naive", 0.1, topic="y"),
]


def test_the_best_of_a_topic_is_not_an_upper_bound():
    assert [(one.topic, one.label) for one in find_best(POINTS)] == [
        ("x", "naive"),
        ("y", "linear"),
    ]


def test_the_best_of_each_number_of_seeds_is_found():
    more = point("linear", 0.8, topic="x", seeds=50)
    assert [one.seeds for one in find_best([*POINTS, more])] == [20, 20, 50]


def test_every_result_is_a_cell_and_the_best_are_outlined():
    won = {
        (row["topic"], row["label"])
        for row in rows_with(draw_topics(POINTS).chart, "won")
        if row["won"]
    }
    assert won == {("x", "naive"), ("y", "linear")}


def test_topics_and_methods_are_ordered_by_their_means():
    (panel,) = draw_topics(POINTS).chart.to_dict()["vconcat"]
    sides = panel["layer"][0]["encoding"] | panel.get("encoding", {})
    assert sides["x"]["sort"] == ["upper-bound", "linear", "naive"]
    assert sides["y"]["sort"] == ["x", "y"]


def test_there_is_a_panel_for_each_number_of_seeds():
    more = [point("linear", 0.8, topic="x", seeds=1000)]
    assert titles(draw_topics(POINTS + more).chart) == ["|LP| = 20", "|LP| = 1,000"]


def test_the_best_are_told_in_words():
    assert (
        "x with 20 seeds: naive, 0.50; y with 20 seeds: linear, 0.30"
        in draw_topics(POINTS).alternative
    )


def test_a_single_topic_is_no_figure():
    with pytest.raises(RunError, match=r"topics needs .* two or more topics"):
        draw_topics(POINTS[:3])
