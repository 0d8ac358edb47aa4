"""Where rules would have ended replays."""

import numpy as np
import pytest

from bench.screening.screened import result, round_at
from learn.stopping.taught import exponential, taught
from likewise.bench.screening import stops
from likewise.bench.screening.stops import ASKED, find_stops
from likewise.errors import SettingsError
from likewise.learn.estimates import Target

# Twenty records in batches of five; four are on topic, the last of them at place 9.
REPLAY = result(1, 2, 6, 9, records=20)


def only(results, *rules, batch=5, target=None):
    (stop,) = find_stops(results, rules, batch=batch, target=target)
    return stop


def declining(*, on_topic=120, size=1000, half=60, **chosen):
    """Return a replay whose finds thin out."""
    found_by = exponential(on_topic=on_topic, size=size, half=half)(np.arange(1, size + 1))
    places = np.searchsorted(found_by, np.arange(on_topic) + 0.5) + 1
    return result(*np.unique(places).tolist(), records=size, looked_at=size, **chosen)


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


@pytest.mark.parametrize(
    ("recall", "needed"),
    # Of four, 95 % are all, the last at place 9; 0.75 are three, the last at place 6.
    [(0.95, 9), (0.76, 9), (0.75, 6), (0.5, 2), (0.01, 1)],
)
def test_what_is_needed_is_the_place_at_which_the_recall_is_reached(recall, needed):
    stop = only([REPLAY], "share", target=Target(recall))
    assert stop.needed == needed
    assert stop.beyond == pytest.approx((10 - needed) / 20)


def test_who_stops_too_early_has_read_less_than_is_needed():
    stop = only([REPLAY], "share(share=0.25)")
    assert (stop.needed, stop.beyond) == (9, -0.2)


def test_a_replay_that_was_cut_short_is_not_asked_about():
    assert find_stops([result(1, on_topic=3)], ["share"], batch=5) == []


@pytest.mark.parametrize(
    ("rule", "stated"),
    [
        ("callaghan", 0.95),
        ("callaghan(confidence=0.8)", 0.8),
        ("calibrated", 0.95),
        ("audited", 0.95),
        ("share", None),
        # What two rules that both stop are sure of, nobody says.
        ("poisson and callaghan(confidence=0.5)", None),
    ],
)
def test_a_rule_states_its_confidence_if_it_has_one(rule, stated):
    assert only([REPLAY], rule).stated == stated


def test_rules_are_asked_for_the_target_unless_they_say_otherwise():
    target = Target(0.8, 0.9)
    own, asked = find_stops([REPLAY], ["callaghan(confidence=0.5)", "callaghan"], target=target)
    assert (own.stated, asked.stated) == (0.5, 0.9)
    # Of the target itself nothing is said in the name of a rule.
    assert (own.rule, asked.rule) == ("callaghan(confidence=0.5)", "callaghan")


def test_a_rule_that_says_what_the_target_says_is_called_as_if_it_had_not():
    assert only([REPLAY], "callaghan(recall=0.95)").rule == "callaghan"
    assert only([REPLAY], "callaghan(recall=0.95)", target=Target(0.8)).rule == (
        "callaghan(recall=0.95)"
    )


def test_ours_and_the_published_ones_are_asked_if_none_is_named():
    known = declining(rounds=(round_at(0, 0), round_at(200, 100, scored=(100.0, 9.0, 1.0, 2.0))))
    assert [stop.rule for stop in find_stops([known])] == list(ASKED)


def test_what_is_asked_for_when_none_is_named_are_rules_of_the_target():
    asked = {stop.rule: stop for stop in find_stops([declining()], target=Target(0.8))}
    sure = {stop.rule: stop for stop in find_stops([declining()], target=Target(0.99))}
    assert asked["callaghan"].looked_at < sure["callaghan"].looked_at


def test_two_rules_have_to_stop_both():
    later = only([REPLAY], "share(share=0.25) and share(share=0.5)")
    assert later.looked_at == 10


# What only replays of ours know


def test_a_control_set_is_told_of_where_replays_know_it():
    # Nine of ten held-out seeds are reached after the second batch: enough for 0.5, not before.
    rounds = (round_at(0, 0), round_at(5, 2, reached=3), round_at(10, 4, reached=9))
    known = result(1, 2, 6, 9, records=20, seeds=10, rounds=rounds)
    assert only([known], "quantile(recall=0.5)").looked_at == 10


def test_scores_are_told_of_as_the_latest_round_knew_them():
    # After ten, scores expect one of ten to be left; after fifteen, nothing.
    rounds = (
        round_at(0, 0),
        round_at(10, 4, scored=(9.0, 1.0, 0.0, 0.0)),
        round_at(15, 4, scored=(9.0, 0.0, 0.0, 0.0)),
    )
    known = result(1, 2, 6, 9, records=20, rounds=rounds)
    assert only([known], "quant").looked_at == 15
    assert only([known], "quant(recall=0.9)").looked_at == 10


@pytest.mark.parametrize("rule", ["quantile", "quant", "poisson and quant"])
def test_neither_is_asked_of_other_tools(rule):
    assert find_stops([REPLAY], [rule], batch=5) == []


# What is calibrated on replays


@pytest.mark.parametrize("rule", ["calibrated", "audited"])
def test_what_a_review_has_taught_is_not_known_of_where_it_is_asked_about(monkeypatch, rule):
    known = {"bees": taught(needed=(99.0,) * 3), "": taught(needed=(0.5,) * 3)}
    left_out = []

    def find_calibration(*, without=""):
        left_out.append(without)
        return known.get(without, known[""])

    monkeypatch.setattr(stops, "find_calibration", find_calibration)
    own, other = find_stops([declining(), declining(review="wasps")], [rule])
    assert set(left_out) == {"bees", "wasps"}
    # By what is known without it, nothing is enough to convince anybody of bees.
    assert own.looked_at >= 995
    assert other.looked_at < 900


def test_ours_is_asked_as_often_as_others(monkeypatch):
    monkeypatch.setattr(stops, "find_calibration", lambda *, without: taught(needed=(0.0,) * 3))
    # Of the first hundred, some are off topic, and more than ten on it.
    assert only([declining()], "calibrated", batch=100).looked_at == 100
    assert only([declining()], "calibrated", batch=250).looked_at == 250


# Audits


@pytest.fixture
def audits_soon(monkeypatch):
    """Let reading be half convinced once 0.2 is enough."""
    monkeypatch.setattr(
        stops, "find_calibration", lambda *, without: taught(needed=(0.2, 9.0, 9.0))
    )


def test_audits_end_a_replay_before_everything_is_read(audits_soon):
    stop = only([declining()], "audited", batch=10)
    assert stop.looked_at < 1000
    assert stop.recall >= 0.95
    # To prove it takes at least so much of what is unread.
    assert stop.looked_at > 0.3 * 1000


def test_the_same_replay_is_audited_the_same(audits_soon):
    one, other = (only([declining()], "audited", batch=10) for _ in range(2))
    assert one == other


def test_another_draw_is_audited_otherwise(audits_soon):
    ended = find_stops(misleading(draws=5), ["audited(recall=0.8, confidence=0.8)"], batch=20)
    assert len({stop.looked_at for stop in ended}) > 1


def misleading(draws):
    """Return replays that find half at once, and the rest evenly among all the others."""
    flat = np.unique([*range(1, 61), *np.linspace(70, 1000, 40).round().astype(int)]).tolist()
    return [result(*flat, records=1000, looked_at=1000, draw=draw) for draw in range(1, draws + 1)]


def test_audits_prove_what_they_say(audits_soon):
    ended = find_stops(misleading(draws=8), ["audited(recall=0.8, confidence=0.8)"], batch=20)
    assert sum(stop.recall >= 0.8 for stop in ended) >= 6
    # Some of them end before everything is read, or nothing would be said.
    assert min(stop.looked_at for stop in ended) < 1000


def test_what_an_audit_drew_is_not_read_again(monkeypatch):
    # As soon as something tells, audits follow one another until hardly anything is unread.
    monkeypatch.setattr(
        stops, "find_calibration", lambda *, without: taught(needed=(0.0, 9.0, 9.0))
    )
    flat = [*range(1, 61), *range(70, 1000, 23)]
    replays = [result(*flat, records=1000, looked_at=1000, draw=draw) for draw in range(1, 6)]
    for stop in find_stops(replays, ["audited"], batch=10):
        unread = 1000 - stop.looked_at
        assert 0 <= len(flat) - stop.found <= unread < 60


def test_an_easier_target_costs_less(audits_soon):
    hard, easy = find_stops([declining()], ["audited", "audited(recall=0.8)"], batch=10)
    assert easy.looked_at < hard.looked_at
    assert (hard.rule, easy.rule) == ("audited", "audited(recall=0.8)")


def test_what_nothing_convinces_anybody_of_is_read_until_no_more_are_left_than_may_be(monkeypatch):
    monkeypatch.setattr(stops, "find_calibration", lambda *, without: taught(needed=(99.0,) * 3))
    # Of 115 found, six may be missed.
    assert only([declining()], "audited", batch=1).looked_at == 994


def test_what_audits_prove_is_not_asked_together_with_other_rules():
    with pytest.raises(SettingsError, match="'audited' draws audits; ask for it alone"):
        find_stops([REPLAY], ["share and audited"], batch=5)
