"""What other topics teach: properties that hold whatever was fitted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from likewise.learn import experience
from likewise.learn.experience import place_of, usual_length, usual_relevant

above = arrays(float, st.integers(1, 20), elements=st.floats(0, 1))


def test_what_was_left_is_a_deviation():
    assert 0 < experience.SPREAD < 2


def test_the_place_is_between_the_first_quarter_and_the_half_of_the_seeds():
    # Ranks 1, e, e^2, e^3 and e^4: a quarter is at 1 and a half at 2, on the scale of logarithms.
    ranks = np.exp(np.arange(5.0))
    assert place_of((ranks - 0.5) / 1000, size=1000) == pytest.approx(1.5)


def test_seeds_that_stand_far_down_do_not_move_the_place():
    near, far = [0.01, 0.02, 0.03, 0.04, 0.05], [0.01, 0.02, 0.03, 0.9, 1.0]
    assert place_of(np.array(near), size=1000) == place_of(np.array(far), size=1000)


@given(above=above, size=st.integers(1, 10**5))
def test_one_document_at_least_and_the_pool_at_most_is_on_topic(above, size):
    assert 1 <= usual_relevant(above, size=size) <= size


@given(above=above, size=st.integers(1, 10**5))
def test_a_list_is_one_document_at_least_and_the_pool_at_most(above, size):
    assert 1 <= usual_length(above, size=size) <= size


def test_the_further_down_the_seeds_the_larger_the_topic_and_the_longer_the_list():
    places = [np.full(5, share) for share in (0.001, 0.01, 0.1)]
    relevant = [usual_relevant(above, size=10**5) for above in places]
    lengths = [usual_length(above, size=10**5) for above in places]
    assert relevant == sorted(set(relevant))
    assert lengths == sorted(set(lengths))


def test_a_fit_is_a_line_of_logarithms(monkeypatch):
    monkeypatch.setattr(experience, "RELEVANT", (np.log(3), 0.5))
    monkeypatch.setattr(experience, "LENGTH", (np.log(2), 1.0))
    # At rank 100: 3 times the root of it, and 2 times.
    above = np.full(4, 99.5 / 10_000)
    assert usual_relevant(above, size=10_000) == pytest.approx(30)
    assert usual_length(above, size=10_000) == 200
