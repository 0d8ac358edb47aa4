import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.bench.figures.look import place_labels, spread_labels

places = st.lists(st.floats(0, 1), max_size=12)


def test_places_far_apart_stay():
    assert spread_labels([1.0, 9.0, 4.0], gap=2.0) == [1.0, 9.0, 4.0]


def test_places_too_near_move_apart_by_as_much():
    assert spread_labels([5.0, 5.0], gap=1.0) == [4.5, 5.5]


def test_nothing_is_spread_to_nothing():
    assert spread_labels([], gap=1.0) == []


@given(places)
def test_places_are_at_least_a_gap_apart(wanted):
    placed = sorted(spread_labels(wanted, gap=0.1))
    assert all(high - low >= 0.1 - 1e-9 for low, high in itertools.pairwise(placed))


@given(st.lists(st.floats(0, 1), unique=True, max_size=12))
def test_places_keep_their_order(wanted):
    placed = spread_labels(wanted, gap=0.1)
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    assert order == sorted(range(len(wanted)), key=placed.__getitem__)


@given(places)
def test_places_keep_their_mean(wanted):
    assert sum(spread_labels(wanted, gap=0.1)) == pytest.approx(sum(wanted), abs=1e-9)


def test_a_label_stands_right_of_a_point_that_is_alone():
    assert place_labels([(50, 50)], [30], width=200)[0].align == "left"


def test_a_label_stands_left_of_a_point_at_the_right_edge():
    assert place_labels([(195, 50)], [30], width=200)[0].align == "right"


def test_a_label_makes_room_for_the_point_beside_it():
    spot, _ = place_labels([(50, 50), (70, 50)], [30, 30], width=200)
    assert (spot.align, spot.down) == ("right", 0)


def test_labels_of_points_at_one_place_do_not_cover_each_other():
    spots = place_labels([(50, 50)] * 3, [30] * 3, width=200)
    assert len(set(spots)) == 3
