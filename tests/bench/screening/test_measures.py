"""Measures, by orders of ten records that can be counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.bench.screening.results import MEASURES, Order, measure_order

# Found at the first, third, fourth and eighth of ten.
ORDER = Order(records=10, on_topic=4, found_at=(1, 3, 4, 8), looked_at=8)


@st.composite
def orders(draw):
    records = draw(st.integers(1, 60))
    places = draw(st.sets(st.integers(1, records), min_size=1))
    return Order(records, len(places), tuple(sorted(places)), max(places))


@pytest.mark.parametrize(("looked_at", "recall"), [(0, 0.0), (1, 0.25), (4, 0.75), (8, 1.0)])
def test_recall_is_the_share_found_by_then(looked_at, recall):
    assert ORDER.recall(looked_at) == recall


def test_recall_stays_once_everything_is_found():
    assert ORDER.recall(10) == 1.0


def test_recall_is_not_known_beyond_where_reading_ended():
    assert Order(10, 4, (1, 3), looked_at=5).recall(6) is None


def test_recall_after_a_share_counts_whole_records():
    assert ORDER.recall_after(0.39) == 0.5


def test_a_share_that_is_off_in_its_last_digits_counts_the_same_records():
    # 0.29 of 100 is 28.999999999999996.
    assert Order(100, 1, (29,), 29).recall_after(0.29) == 1.0


@pytest.mark.parametrize(("recall", "needed"), [(0.25, 1), (0.26, 3), (0.75, 4), (0.95, 8)])
def test_what_a_recall_needs_is_the_place_of_the_last_one_that_counts(recall, needed):
    assert ORDER.count_needed(recall) == needed


def test_a_recall_that_is_not_reached_has_no_place():
    assert Order(10, 4, (1, 3, 4), looked_at=9).count_needed(0.95) is None


def test_work_saved_is_what_is_left_unread_less_what_chance_would_leave():
    # Four of ten are read for 75 %: 60 % saved, and chance would save 25 %.
    assert ORDER.work_saved(0.75) == pytest.approx(0.35)


def test_the_best_order_saves_all_but_what_is_on_topic():
    # The 19th of 20 on topic is 95 %: 81 % are not read, less 5 %.
    best = Order(100, 20, tuple(range(1, 21)), 20)
    assert best.work_saved() == pytest.approx(0.76)


def test_time_to_discovery_is_the_mean_place_as_a_share():
    # Places 1, 3, 4 and 8 are 4 in the mean, of 10.
    assert ORDER.time_to_discovery() == pytest.approx(0.4)


def test_time_to_discovery_needs_everything_found():
    assert Order(10, 4, (1, 3), 5).time_to_discovery() is None


def test_all_measures_of_an_order():
    assert measure_order(ORDER) == pytest.approx(
        {
            "WSS@95%": 0.15,
            "recall after 10%": 0.25,
            "recall after 20%": 0.25,
            "ATD": 0.4,
            "read for 95%": 0.8,
        }
    )


@given(orders())
def test_every_measure_of_a_whole_order_is_known_and_none_is_above_one(order):
    values = measure_order(order)
    assert tuple(values) == MEASURES
    assert all(value is not None and value <= 1 for value in values.values())


@given(orders(), st.data())
def test_what_is_found_sooner_is_never_worth_less(order, data):
    places = list(order.found_at)
    moved = data.draw(st.integers(0, len(places) - 1))
    sooner = [place for place in range(1, places[moved]) if place not in places]
    if not sooner:
        return
    places[moved] = sooner[0]
    better = Order(order.records, order.on_topic, tuple(sorted(places)), max(places))
    assert better.work_saved() >= order.work_saved()
    assert better.time_to_discovery() < order.time_to_discovery()
