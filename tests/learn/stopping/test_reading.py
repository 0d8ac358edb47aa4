import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.learn.precision import LikelyCount
from likewise.learn.stopping.left import Standing, estimate_left
from likewise.learn.stopping.looked import Looked
from likewise.learn.stopping.reading import left_by_reading
from likewise.learn.stopping.rules import parse_rule
from likewise.learn.stopping.target import Target

NONE = LikelyCount(np.array([1e-9]), np.ones(1), misfit=0.35)
MANY = LikelyCount(np.array([1000.0]), np.ones(1), misfit=0.35)


def looked(*labels, size):
    return Looked(labels=np.array(labels, dtype=bool), size=size)


def test_what_would_hardly_be_missed_is_not_left():
    # Of 8 read out of 10 none is on topic. One left has the chance 0.2 of that, two have 1 / 45.
    none = looked(*[False] * 8, size=10)
    assert left_by_reading(none, counts=NONE, confidence=0.75) == 0
    assert left_by_reading(none, counts=NONE, confidence=0.9) == 1


def test_the_estimate_has_to_leave_room_for_no_more_too():
    none = looked(*[False] * 80, size=100)
    counts = LikelyCount(np.array([3.0]), np.ones(1), misfit=0.35)
    assert left_by_reading(none, counts=counts, confidence=0.95) == counts.quantile(0.95) > 3


def test_no_more_are_left_than_were_not_looked_at():
    assert left_by_reading(looked(True, False, size=5), counts=MANY, confidence=0.95) == 3


def test_nothing_was_read_and_all_may_be_left():
    assert left_by_reading(looked(size=5), counts=NONE, confidence=0.95) == 5


def test_nothing_is_left_of_what_was_all_looked_at():
    assert left_by_reading(looked(True, False, size=2), counts=NONE, confidence=0.95) == 0


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(1, 60))
def test_if_nothing_is_estimated_it_says_what_callaghan_says(labels, rest):
    seen = looked(*labels, size=len(labels) + rest)
    left = left_by_reading(seen, counts=NONE, confidence=0.9)
    rule = parse_rule("callaghan(recall=0.8, confidence=0.9)")
    assert (left <= Target(0.8).allowed(seen.found)) == rule.stops(seen)


def shares_found(order, *, seeds, rng):
    """Return the share that is found where reading shows 0.8, in a ranking with such chances."""
    size, on_topic = len(order), 60 + seeds
    places = rng.choice(size, on_topic, replace=False, p=order / order.sum())
    scores, labels = -np.arange(size, dtype=float), np.zeros(size, dtype=bool)
    labels[places] = True
    is_seed = np.zeros(size, dtype=bool)
    is_seed[places[:seeds]] = True
    labels, pool = labels[~is_seed], scores[~is_seed]
    for end in range(0, len(pool), 60):
        standing = Standing(
            seeds=scores[is_seed], looked_at=pool[:end], labels=labels[:end], rest=pool[end:]
        )
        seen = Looked(labels=labels[:end], size=len(pool))
        left = left_by_reading(seen, counts=estimate_left(standing).counts, confidence=0.95)
        if left <= Target(0.8).allowed(seen.found):
            return seen.found / labels.sum()
    return 1.0


@pytest.mark.parametrize("slope", [0.0, 4.0])
def test_from_random_to_good_rankings_the_target_is_reached(slope):
    rng, order = np.random.default_rng(0), np.exp(-slope * np.linspace(0, 1, 300))
    assert min(shares_found(order, seeds=10, rng=rng) for _ in range(2)) >= 0.8
