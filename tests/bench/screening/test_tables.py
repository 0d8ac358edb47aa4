"""Tables of replays."""

import numpy as np
import pytest

from bench.screening.screened import result, round_at
from likewise.bench.screening.stops import find_stops
from likewise.bench.screening.tables import ScreenTables, make_screen_tables
from likewise.learn.estimates import Target

# Of twenty records, two on topic: at places 1 and 2, or 4 and 8, or 10 and 20.
QUICK, SLOW, LAST = (1, 2), (4, 8), (10, 20)


def tables(*results, rules=("share",), against=""):
    told = ScreenTables(results, find_stops(results, rules, batch=5), Target())
    made = make_screen_tables(told, rng=np.random.default_rng(0), against=against)
    return {table.title: table for table in made}


def titled(found, start):
    return next(table for title, table in found.items() if title.startswith(start))


def cell(table, row, column):
    values = dict(zip(table.columns, table.rows[row].values, strict=True))
    return values[column]


def test_draws_are_averaged_before_reviews():
    found = tables(
        result(*QUICK, draw=1),
        result(*SLOW, draw=2),
        result(*LAST, review="wasps"),
    )
    # ATD: 1.5 and 6 of 20 are 0.1875 in the mean, and 15 of 20 are 0.75.
    table = titled(found, "Reviews replayed: means over 2 reviews")
    assert cell(table, 0, "ATD").value == pytest.approx((0.1875 + 0.75) / 2)
    assert cell(table, 0, "replays").value == 3


def test_the_best_of_a_measure_is_marked_whether_it_is_high_or_low():
    table = titled(tables(result(*QUICK), result(*SLOW, method="other")), "Reviews replayed")
    best = [[cell(table, row, name).is_best for name in ("WSS@95%", "ATD")] for row in (0, 1)]
    assert best == [[True, True], [False, False]]


def test_differences_are_paired_by_review_and_draw():
    found = tables(
        result(*QUICK, draw=1),
        result(*SLOW, draw=2),
        result(*SLOW, draw=1, method="other"),
        against="other",
    )
    table = titled(found, "Differences to other")
    # Both have the first draw alone: 2 of 20 are read for all, where the other reads 8.
    assert cell(table, 0, "measure") == "WSS@95%"
    assert cell(table, 0, "difference").value == pytest.approx(0.3)
    assert cell(table, 0, "replays").value == 1


def test_differences_are_of_the_measures_that_both_have():
    found = tables(
        result(*QUICK), result(1, on_topic=2, looked_at=3, method="other"), against="other"
    )
    table = titled(found, "Differences to other")
    assert [row.values[1] for row in table.rows] == ["recall after 10%"]


def test_an_order_that_ends_before_anything_can_be_measured_has_no_column():
    found = tables(result(*QUICK), result(on_topic=2, looked_at=1, method="other"))
    assert titled(found, "WSS@95%").columns == ("review", "records", "on topic", "linear")


def test_there_are_no_differences_to_a_tool_that_is_not_there():
    assert not any(title.startswith("Differences") for title in tables(result(*QUICK)))


def test_reviews_are_told_one_by_one():
    table = titled(tables(result(*QUICK), result(*SLOW, review="ants")), "WSS@95%, review by")
    assert [row.values[0] for row in table.rows] == ["ants", "bees"]
    # 18 of 20 are not read, less 5 %.
    assert cell(table, 1, "linear").value == pytest.approx(0.85)


def test_rules_have_their_cost_their_recall_and_how_often_they_reach_it():
    found = tables(result(*QUICK), result(*LAST, review="wasps"), rules=["share"])
    table = titled(found, "Stopping rules, asked for a recall of 95%")
    told = {name: cell(table, 0, name) for name in ("read", "recall", "lowest", "reached")}
    # Ten of twenty are read: both of the one review are found by then, and one of the other's two.
    assert {name: number.value for name, number in told.items()} == {
        "read": 0.5,
        "recall": 0.75,
        "lowest": 0.5,
        "reached": 0.5,
    }
    # One of two: from 1 - 0.975 ** 0.5 to its mirror.
    assert told["reached"].low == pytest.approx(0.0126, abs=1e-4)
    assert told["reached"].high == pytest.approx(0.9874, abs=1e-4)


def test_rules_tell_how_much_more_they_read_than_is_needed():
    found = tables(result(*QUICK), result(*LAST, review="wasps"), rules=["share"])
    table = titled(found, "Stopping rules")
    # Ten are read where two and twenty had to be: 40 % too much, and half too little.
    assert cell(table, 0, "beyond need").value == pytest.approx((0.4 - 0.5) / 2)


def test_a_rule_that_states_a_confidence_has_it_told():
    table = titled(tables(result(*QUICK), rules=["share", "callaghan"]), "Stopping rules")
    assert cell(table, 0, "stated") is None
    assert cell(table, 1, "stated").value == 0.95


def test_rules_and_estimates_are_told_by_kind_of_review():
    rounds = (round_at(0, 0, usual=(2.0, 1.0, 4.0)),)
    found = tables(
        result(*LAST, review="wasps", kind="mesh", rounds=rounds),
        result(*QUICK, kind="clef", rounds=rounds),
        result(*QUICK, review="ants", kind="clef", rounds=rounds),
        result(*QUICK, review="flies", rounds=rounds),
        rules=["share"],
    )
    for start in ("Stopping rules", "How many are left"):
        table = titled(found, start)
        told = [(row.values[0], cell(table, at, "replays").value)
                for at, row in enumerate(table.rows)]  # fmt: skip
        assert told == [("all", 1), ("clef", 2), ("mesh", 1)]
    recalls = [cell(titled(found, "Stopping rules"), row, "recall").value for row in range(3)]
    assert recalls == [1.0, 1.0, 0.5]


def test_estimates_are_told_at_each_depth():
    rounds = (round_at(0, 0, usual=(3.0, 1.0, 4.0)), round_at(5, 2, usual=(1.0, 1.0, 2.0)))
    table = titled(tables(result(*QUICK, rounds=rounds)), "How many are left")
    assert cell(table, 0, "recall so far") == "0%"
    # Three where two are left, of two.
    assert cell(table, 0, "error").value == 0.5
    assert [row.values[2] for row in table.rows] == ["0%", "25%", "50%", "75%", "90%", "100%"]
    assert cell(table, 0, "inside").value == 1.0


def test_where_no_round_was_kept_there_is_nothing_to_estimate():
    assert not any(title.startswith("How many") for title in tables(result(*QUICK)))
