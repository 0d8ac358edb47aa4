import numpy as np
import pytest

from likewise.learn.stopping.advice import Proof, advise
from likewise.learn.stopping.audits import AuditResult, left_at_most
from likewise.learn.stopping.target import Target

AUDITS = Target(by="audits")


def test_one_goes_on_while_the_next_are_likely():
    likely = np.concatenate([np.full(40, 0.9), np.full(960, 0.001)])
    advice = advise(likely, found=60, target=AUDITS)
    assert advice.kind == "go on"
    assert advice.expected == pytest.approx(0.9 * 40 + 0.001 * (advice.count - 40))


def test_one_audits_when_hardly_any_are_likely():
    advice = advise(np.full(1000, 1e-6), found=100, target=AUDITS)
    assert (advice.kind, advice.left, advice.recall) == ("audit", 1000, 100 / 1100)


def test_the_audit_proves_the_target_if_it_finds_nothing():
    advice = advise(np.full(1000, 1e-6), found=100, target=AUDITS)
    audits = [AuditResult(1000, advice.count, 0, found_before=100)]
    after = advise(np.full(1000 - advice.count, 1e-6), found=100, audits=audits, target=AUDITS)
    assert (after.kind, after.left) == ("stop", 5)
    assert after.recall >= 0.95


def test_one_that_is_smaller_does_not():
    advice = advise(np.full(1000, 1e-6), found=100, target=AUDITS)
    audits = [AuditResult(1000, advice.count - 1, 0, found_before=100)]
    assert (
        advise(np.full(1001 - advice.count, 1e-6), found=100, audits=audits, target=AUDITS).kind
        != "stop"
    )


def test_one_stops_when_everything_was_looked_at():
    advice = advise(np.empty(0), found=0)
    assert (advice.kind, advice.count, advice.left) == ("stop", 0, 0)


def test_an_easier_target_takes_a_smaller_audit():
    rest = np.full(1000, 1e-6)
    hard, easy = (
        advise(rest, found=100, target=Target(recall, by="audits")) for recall in (0.95, 0.8)
    )
    assert easy.count < hard.count


def test_what_may_be_on_topic_counts_as_left():
    audits = [AuditResult(1000, 900, 0, found_before=100)]
    rest = np.full(100, 1e-6)
    proof = Proof(tuple(audits), found=100, maybe=2)
    sure, unsure = (
        advise(rest, found=100, audits=audits, target=AUDITS),
        advise(rest, found=100, proof=proof, target=AUDITS),
    )
    assert unsure.left == sure.left + 2


def test_what_is_new_in_the_pool_counts_as_left():
    audits = (AuditResult(1000, 900, 0, found_before=100),)
    proof = Proof(audits, found=100, uncovered=30)
    left = left_at_most(audits, found=100)
    assert advise(np.full(130, 1e-6), found=100, proof=proof, target=AUDITS).left == left + 30


@pytest.mark.parametrize("seed", range(3))
def test_following_advice_comes_to_an_end_with_the_target_reached(seed):
    rng = np.random.default_rng(seed)
    is_on = rng.random(600) < np.geomspace(0.9, 0.001, 600)
    likely, is_looked = np.geomspace(0.9, 0.001, 600), np.zeros(600, dtype=bool)
    audits = []
    while True:
        rest, found = np.flatnonzero(~is_looked), int(is_on[is_looked].sum())
        advice = advise(likely[rest], found=found, audits=audits, target=AUDITS)
        if advice.kind == "stop":
            break
        chosen = rest[: min(20, advice.count)]
        if advice.kind == "audit":
            chosen = rng.choice(rest, advice.count, replace=False)
            audits.append(AuditResult(len(rest), len(chosen), int(is_on[chosen].sum()), found))
        is_looked[chosen] = True
    assert is_on[is_looked].sum() / is_on.sum() >= 0.95


def test_where_reading_counts_one_stops_once_it_leaves_room_for_no_more_than_allowed():
    rest = np.full(50, 1e-6)
    enough, too_many = (advise(rest, found=100, proof=Proof(by_reading=left)) for left in (5, 6))
    assert (enough.kind, enough.left, enough.recall, enough.by) == ("stop", 5, 100 / 105, "reading")
    assert (too_many.kind, too_many.left) == ("go on", 6)


def test_where_reading_counts_what_may_be_on_topic_counts_as_left():
    proof = Proof(by_reading=4, maybe=2)
    assert advise(np.full(50, 1e-6), found=100, proof=proof).left == 6


def test_where_audits_are_asked_for_reading_does_not_count():
    advice = advise(np.full(50, 1e-6), found=100, proof=Proof(by_reading=5), target=AUDITS)
    assert (advice.kind, advice.left) == ("audit", 50)


def test_where_reading_counts_what_audits_prove_counts_too():
    audits = (AuditResult(1000, 990, 0, found_before=100),)
    advice = advise(np.full(10, 1e-6), found=100, proof=Proof(audits, found=100, by_reading=9))
    assert (advice.kind, advice.by) == ("stop", "audits")


def test_where_reading_counts_one_is_told_how_far_to_read():
    # 20 are left at most, of which 15 stand among the next 30; then five are, and 104.5 found.
    likely = np.concatenate([np.full(30, 0.15), np.full(100, 0.015)])
    advice = advise(likely, found=100, proof=Proof(by_reading=20))
    assert (advice.kind, advice.count) == ("go on", 30)
    assert advice.expected == pytest.approx(0.15 * 30)


def test_one_reads_a_stretch_before_one_asks_again():
    assert advise(np.full(50, 1e-6), found=100, proof=Proof(by_reading=6)).count == 20
