"""Where rules would have ended replays."""

import pytest

from bench.screening.screened import result, round_at
from likewise.bench.screening.stops import default_rules, stops_of
from likewise.errors import SettingsError

# Twenty records in batches of five; four are on topic, the last of them at place 9.
REPLAY = result(1, 2, 6, 9, records=20)


def only(results, *rules, batch=5):
    (stop,) = stops_of(results, rules, batch=batch)
    return stop


def test_a_rule_is_asked_after_each_batch():
    # Seven of twenty are 35 %: after five it is not yet, after ten it is.
    stop = only([REPLAY], "share(share=0.35)")
    assert (stop.looked_at, stop.cost, stop.recall) == (10, 0.5, 1.0)


def test_stopping_too_early_misses_what_comes_later():
    stop = only([REPLAY], "share(share=0.25)")
    assert (stop.cost, stop.recall) == (0.25, 0.5)


def test_what_comes_after_everything_is_found_is_off_topic():
    # Six in a row are off topic from place 10 on, so after fifteen.
    assert only([REPLAY], "consecutive(count=6)").looked_at == 15


def test_a_rule_that_never_stops_costs_everything():
    stop = only([REPLAY], "consecutive(count=50)")
    assert (stop.cost, stop.recall) == (1.0, 1.0)


def test_a_replay_that_was_cut_short_is_not_asked_about():
    assert stops_of([result(1, on_topic=3)], ["share"], batch=5) == []


def test_a_replay_of_the_advice_ended_where_it_ended():
    advised = result(1, 2, 6, records=20, on_topic=4, looked_at=8, audited=3, policy="target")
    stop = only([advised])
    assert (stop.rule, stop.cost, stop.recall, stop.stated) == ("target", 0.4, 0.75, 0.95)


def test_advice_that_goes_by_audits_alone_is_told_apart():
    advised = result(1, 2, 6, records=20, on_topic=4, looked_at=8, audited=3, policy="audits")
    assert only([advised]).rule == "target(by=audits)"


@pytest.mark.parametrize(
    ("rule", "stated"), [("callaghan", 0.95), ("callaghan(confidence=0.8)", 0.8), ("share", None)]
)
def test_a_rule_states_its_confidence_if_it_has_one(rule, stated):
    assert only([REPLAY], rule).stated == stated


def test_a_control_set_is_told_of_where_replays_know_it():
    # Nine of ten held-out seeds are reached after the second batch: enough for 0.5, not before.
    rounds = (round_at(0, 0), round_at(5, 2, reached=3), round_at(10, 4, reached=9))
    known = result(1, 2, 6, 9, records=20, seeds=10, rounds=rounds)
    assert only([known], "quantile(recall=0.5)").looked_at == 10


def test_a_control_set_is_not_asked_of_other_tools():
    assert stops_of([REPLAY], ["quantile"], batch=5) == []


def test_what_audits_prove_is_no_rule_to_be_asked_of_an_order():
    with pytest.raises(SettingsError, match="'audited' draws audits"):
        stops_of([REPLAY], ["audited"], batch=5)


def test_rules_are_asked_for_the_recall_if_they_take_one():
    rules = default_rules(0.8)
    assert "callaghan(recall=0.8)" in rules
    assert "consecutive(count=100)" in rules
    assert len(stops_of([REPLAY], rules, batch=5)) == len(rules)
