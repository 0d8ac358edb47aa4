"""Policies: what is looked at next."""

from types import SimpleNamespace

import numpy as np
import pytest

from likewise.bench.screening import policies
from likewise.bench.screening.policies import Reading, Targeted
from likewise.bench.screening.replaying import Known, Look, Step
from likewise.learn.precision import LikelyCount
from likewise.learn.stopping.advice import Proof
from likewise.learn.stopping.target import Target

RANKING = SimpleNamespace(
    rows=np.array([7, 3, 9, 4, 8]),
    left=SimpleNamespace(
        probabilities=np.full(5, 0.2), counts=LikelyCount(np.ones(1), np.ones(1), misfit=0.35)
    ),
)


def step(policy, *, found=0):
    known = Known((0, 1), [Look(20 + n, is_on_topic=True) for n in range(found)])
    return policy.step(known, RANKING, rng=np.random.default_rng(0))


@pytest.fixture
def advised(monkeypatch):
    """Let the advice be what a test says, and return a policy that asks for it."""

    def chosen(kind, count, by="audits"):
        asked = {}

        def advise(probabilities, **known):
            asked.update(known, probabilities=probabilities)
            return SimpleNamespace(kind=kind, count=count)

        monkeypatch.setattr(policies, "advise", advise)
        return Targeted(Target(0.9, 0.8, by), batch=2), asked

    return chosen


def test_reading_takes_the_likeliest():
    assert step(Reading(enough=3, batch=2)) == Step((7, 3))


def test_reading_ends_once_enough_is_found():
    assert step(Reading(enough=3, batch=20), found=3) == Step(())


def test_advice_to_go_on_is_followed_a_batch_at_a_time(advised):
    policy, _ = advised("go on", 4)
    assert step(policy) == Step((7, 3))


def test_advice_to_go_on_for_less_than_a_batch_is_followed_as_far(advised):
    policy, _ = advised("go on", 1)
    assert step(policy) == Step((7,))


def test_an_audit_draws_as_many_as_advised_out_of_all_that_is_left(advised):
    policy, _ = advised("audit", 3)
    rows, is_audit = step(policy)
    assert is_audit
    assert len(set(rows)) == 3
    assert set(rows) <= {7, 3, 9, 4, 8}


def test_an_audit_draws_each_record_as_often_as_any_other(advised):
    policy, _ = advised("audit", 1)
    rng, known = np.random.default_rng(0), Known((0,))
    drawn = [policy.step(known, RANKING, rng=rng).rows[0] for _ in range(2000)]
    counts = [drawn.count(row) for row in (7, 3, 9, 4, 8)]
    # 400 each, and their deviation is 18.
    assert all(320 < count < 480 for count in counts)


def test_advice_to_stop_ends_the_replay(advised):
    policy, _ = advised("stop", 0)
    assert step(policy) == Step(())


def test_advice_is_asked_with_what_is_found_and_the_target(advised):
    policy, asked = advised("stop", 0)
    step(policy, found=4)
    assert (asked["found"], asked["target"]) == (4, Target(0.9, 0.8, "audits"))
    assert asked["proof"] == Proof((), found=4)
    assert asked["probabilities"] is RANKING.left.probabilities


def test_where_reading_counts_it_is_told_how_many_it_leaves_room_for(advised):
    policy, asked = advised("stop", 0, by="reading")
    step(policy, found=4)
    # Four in a row on topic leave room for all five others.
    assert asked["proof"].by_reading == 5
