"""Figures of replays."""

import pytest

from bench.figures.charts import rows_with
from bench.screening.screened import result
from likewise.bench.screening.figures import average_stops, draw_recall, draw_rules, trace_recall
from likewise.bench.screening.stops import find_stops
from likewise.errors import RunError

pytest.importorskip("altair")
RESULTS = [result(1, 2), result(10, 20, review="wasps"), result(5, 6, method="other")]


def test_curves_are_means_over_reviews():
    found = {(one.method, one.share): one.recall for one in trace_recall(RESULTS)}
    # After ten of twenty: both of the one review, one of two of the other.
    assert found["linear", 0.5] == 0.75
    assert found["other", 0.25] == 0.5
    assert found["other", 0.0] == 0.0
    assert found["linear", 1.0] == 1.0


def test_replays_that_were_cut_short_have_no_curve():
    with pytest.raises(RunError, match="until everything is found"):
        draw_recall([result(1, on_topic=3)])


def test_every_method_has_a_line_and_its_words():
    figure = draw_recall(RESULTS)
    assert {row["method"] for row in rows_with(figure.chart, "share", "method")} == {
        "linear",
        "other",
    }
    assert "linear: 0.75 after 50%" in figure.alternative


def test_rules_stand_at_their_mean_cost_and_recall():
    stops = find_stops(RESULTS[:2], ["share"], batch=5)
    (ended,) = average_stops(stops)
    assert (ended.cost, ended.recall) == (0.5, 0.75)


def test_every_rule_has_a_dot_and_its_words():
    stops = find_stops(RESULTS, ["share", "share(share=0.25)"], batch=5)
    figure = draw_rules(stops, recall=0.95)
    dots = rows_with(figure.chart, "rule", "cost")
    assert {(row["rule"], row["method"]) for row in dots} == {
        ("share", "linear"),
        ("share", "other"),
        ("share(share=0.25)", "linear"),
        ("share(share=0.25)", "other"),
    }
    assert "share on the order of linear: recall 0.75 for 50%" in figure.alternative


def test_no_rules_are_no_figure():
    with pytest.raises(RunError, match="no stopping rule"):
        draw_rules([], recall=0.95)
