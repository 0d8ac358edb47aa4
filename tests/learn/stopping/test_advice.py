import numpy as np
import pytest

from learn.stopping.taught import looked, taught
from likewise.learn.estimates import Target
from likewise.learn.stopping import Screening
from likewise.learn.stopping.advice import (
    AHEAD,
    Proof,
    advise,
    find_least_audit,
    find_target_within_reach,
)
from likewise.learn.stopping.audits import AuditResult, limit_left
from likewise.learn.stopping.reading import measure_conviction

AUDITS = Target(by="audits")
SURE = taught(needed=(0.0, 0.0, 0.0))
"""By this, whatever was read is convincing ..."""
UNSURE = taught(needed=(99.0, 99.0, 99.0))
"""... and by this, nothing is."""
SEEN = looked(100, 100, size=1200)
REST = np.full(1000, 1e-6)


def advised(seen=SEEN, rest=REST, *, target=None, proof=None, calibration=SURE):
    return advise(seen, rest, target=target or Target(), proof=proof, calibration=calibration)


def after(audit, *, found=100, **more):
    """Return the advice after an audit that found nothing, of which the rest is unread."""
    seen = looked(found, 100 + audit.looked_at, size=200 + audit.population)
    rest = np.full(audit.population - audit.looked_at, 1e-6)
    return advised(seen, rest, proof=Proof((audit,), found=found, **more), target=AUDITS)


# Reading


def test_by_reading_one_stops_when_it_is_convincing_and_is_told_since_when():
    convinced = measure_conviction(SEEN, recall=0.95)
    calibration = taught(needed=(convinced / 2, convinced / 2, convinced))
    advice = advised(looked(100, 150, size=1200), REST[50:], calibration=calibration)
    assert (advice.kind, advice.count, advice.by) == ("stop", 0, "reading")
    assert 190 < advice.stopped_after <= 204


def test_what_reading_shows_is_not_proven():
    advice = advised()
    assert (advice.kind, advice.left, advice.recall) == ("stop", 1000, 100 / 1100)


def test_by_reading_one_goes_on_while_it_is_not():
    likely = np.concatenate([np.full(960, 0.001), np.full(40, 0.9)])
    advice = advised(rest=likely, calibration=UNSURE)
    assert (advice.kind, advice.count, advice.by) == ("go on", AHEAD, "reading")
    # The likeliest come first, wherever they stand.
    assert advice.expected == pytest.approx(0.9 * 40 + 0.001 * 60)
    assert advice.stopped_after is None


def test_by_reading_no_audit_is_advised():
    half = taught(needed=(0.0, 99.0, 99.0))
    assert advised(calibration=half).kind == "go on"
    assert advised(calibration=half, target=AUDITS).kind == "audit"


def test_no_more_are_to_be_read_than_there_are():
    assert advised(looked(100, 100, size=250), REST[:50], calibration=UNSURE).count == 50


def test_where_too_few_were_found_one_goes_on():
    few = looked(9, 191, size=1200)
    assert advised(few).kind == advised(few, target=AUDITS).kind == "go on"


# Audits


def test_by_audits_one_audits_as_soon_as_reading_is_half_convinced():
    convinced = measure_conviction(SEEN, recall=0.95)
    enough, too_much = (
        advised(target=AUDITS, calibration=taught(needed=(half, 99.0, 99.0)))
        for half in (convinced, convinced + 0.01)
    )
    assert (enough.kind, enough.left, enough.recall) == ("audit", 1000, 100 / 1100)
    assert enough.expected == pytest.approx(enough.count * 1e-6)
    assert (too_much.kind, too_much.by) == ("go on", "audits")


def test_an_audit_of_all_that_is_left_is_none():
    # Of eleven found nothing may be missed, which of twenty only all of them prove.
    rest, few = np.full(20, 0.01), looked(11, 200, size=231)
    assert advised(few, rest, target=AUDITS).kind == "go on"


def test_what_is_likely_is_read_before_an_audit_is_drawn():
    likely = np.concatenate([np.full(30, 0.5), np.full(970, 1e-6)])
    first = advised(rest=likely, target=AUDITS)
    assert first.kind == "go on"
    assert 25 <= first.count <= 60
    assert first.expected == pytest.approx(15, rel=0.1)


def test_the_audit_proves_the_target_if_it_finds_nothing():
    count = advised(target=AUDITS).count
    proven = after(AuditResult(1000, count, 0, found_before=100))
    assert (proven.kind, proven.left, proven.by) == ("stop", 5, "audits")
    assert proven.recall >= 0.95


def test_one_that_is_smaller_does_not():
    count = advised(target=AUDITS).count
    assert after(AuditResult(1000, count - 1, 0, found_before=100)).kind != "stop"


def test_an_easier_target_takes_a_smaller_audit():
    hard, easy = (advised(target=Target(recall, by="audits")) for recall in (0.95, 0.8))
    assert easy.count < hard.count


def test_what_a_file_brought_is_found():
    advice, brought = (
        advised(looked(100, 100, size=1200, brought=more), target=AUDITS) for more in (0, 100)
    )
    # Of 200 found, ten may be missed.
    assert brought.count < advice.count
    assert brought.recall == 200 / 1200


def test_what_may_be_on_topic_counts_as_left():
    audit = AuditResult(1000, 900, 0, found_before=100)
    assert after(audit, maybe=2).left == after(audit).left + 2


def test_what_is_new_in_the_pool_counts_as_left():
    audit = AuditResult(1000, 900, 0, found_before=100)
    proof = Proof((audit,), found=100, uncovered=30)
    left = limit_left([audit], found=100)
    seen = looked(100, 1000, size=1230)
    assert advised(seen, REST[:130], proof=proof, target=AUDITS).left == left + 30


def test_where_reading_counts_what_audits_prove_counts_too():
    audits = (AuditResult(1000, 990, 0, found_before=100),)
    seen = looked(100, 1090, size=1200, audits=audits)
    advice = advised(seen, REST[:10], calibration=UNSURE)
    assert (advice.kind, advice.by) == ("stop", "audits")


def test_where_audits_are_asked_for_reading_does_not_count():
    advice = advised(target=AUDITS)
    assert (advice.kind, advice.left) == ("audit", 1000)


@pytest.mark.parametrize("target", [Target(), AUDITS])
def test_one_stops_when_everything_was_looked_at(target):
    advice = advised(looked(0, 5, size=5), np.empty(0), target=target, calibration=UNSURE)
    assert (advice.kind, advice.count, advice.left) == ("stop", 0, 0)


@pytest.mark.parametrize("seed", range(3))
def test_following_advice_comes_to_an_end_with_the_target_reached(seed):
    rng = np.random.default_rng(seed)
    likely = np.geomspace(0.9, 0.001, 600)
    is_on, seen, rest = rng.random(600) < likely, np.zeros(0, dtype=int), np.arange(600)
    audits = []
    while True:
        known = Screening(labels=is_on[seen], size=600, audits=tuple(audits))
        advice = advise(known, likely[rest], target=AUDITS)
        if advice.kind == "stop":
            break
        chosen = rest[: min(20, advice.count)]
        if advice.kind == "audit":
            chosen = rng.choice(rest, advice.count, replace=False)
            hits = int(is_on[chosen].sum())
            audits.append(AuditResult(len(rest), len(chosen), hits, known.found))
        seen, rest = np.append(seen, chosen), np.setdiff1d(rest, chosen)
    assert is_on[seen].sum() / is_on.sum() >= 0.95


# What audits can prove at all


@pytest.mark.parametrize(("found", "share"), [(20, 0.776), (100, 0.393), (400, 0.127)])
def test_at_least_such_a_share_is_drawn(found, share):
    assert find_least_audit(found, Target()) == pytest.approx(share, abs=1e-3)


def test_fewer_than_19_found_leave_room_for_none():
    assert find_least_audit(18, Target()) == pytest.approx(0.95)


@pytest.mark.parametrize("found", [20, 100, 400])
def test_a_sample_of_that_share_misses_one_more_than_allowed_as_rarely_as_is_asked(found):
    share, allowed = find_least_audit(found, AUDITS), AUDITS.count_allowed(found)
    assert (1 - share) ** (allowed + 1) == pytest.approx(0.05)


@pytest.mark.parametrize("found", [20, 100, 400])
def test_no_audit_that_is_advised_is_smaller(found):
    advice = advised(looked(found, 200, size=1200 + found), target=AUDITS)
    assert advice.kind == "go on" or advice.count >= 0.98 * find_least_audit(found, AUDITS) * 1000


def test_the_highest_recall_that_an_audit_could_well_prove():
    # 100 found allow for 5 at 95 %, which takes 39 %; 60 for 3, which takes 53 %, and 6 at 90 %.
    assert find_target_within_reach(100, AUDITS) == AUDITS
    assert find_target_within_reach(60, AUDITS) == AUDITS._replace(recall=0.9)
    assert find_target_within_reach(30, AUDITS) == AUDITS._replace(recall=0.8)
    assert find_target_within_reach(10, AUDITS) is None


def test_a_target_between_the_usual_ones_is_within_reach_itself_or_else_the_next_lower():
    target = Target(0.93, 0.9, "audits")
    assert find_target_within_reach(100, target) == target
    assert find_target_within_reach(30, target) == target._replace(recall=0.9)
