import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import nbinom

from learn.stopping.taught import declined, exponential, looked, taught
from likewise.learn.estimates import Target
from likewise.learn.stopping import RATES, ExpectedByScores, Screening, expect_ahead
from likewise.learn.stopping.posterior import (
    read_score_signs_left,
    read_shape_signs,
    read_signs_left,
)
from likewise.learn.stopping.reading import (
    SHAPE,
    Level,
    find_calibration,
    find_stop,
    is_half_convinced,
    measure_conviction,
    read_calibration_file,
)

DRY = (20, 50, 100, 150, 200, 300, 400, 600)


def by_hand(seen, *, allowed):
    """Return the conviction, by the negative binomial distribution of another package."""
    ahead = np.prod([expect_ahead(seen, rate=rate) for rate in RATES]) ** 0.5
    return -np.log(nbinom.sf(allowed, SHAPE, SHAPE / (SHAPE + ahead)))


@pytest.mark.parametrize("seen", [looked(9, 500, size=1000), looked(0, 500, size=1000)])
def test_of_fewer_than_ten_found_nothing_is_said(seen):
    assert measure_conviction(seen, recall=0.8) == -np.inf
    assert find_stop(seen, Target(0.8, 0.5), calibration=taught(needed=(-9.0,) * 3)) is None


def test_of_ten_found_something_is_said():
    assert measure_conviction(looked(10, 500, size=1000), recall=0.8) > 0


def test_before_anything_irrelevant_was_read_nothing_is_said():
    assert measure_conviction(looked(40, size=1000), recall=0.8) == -np.inf
    assert measure_conviction(looked(40, 1, size=1000), recall=0.8) > -np.inf


def test_of_what_was_read_whole_there_is_nothing_to_say():
    assert measure_conviction(looked(40, 10, size=50), recall=0.8) == -np.inf
    assert measure_conviction(looked(40, 9, size=50), recall=0.8) > -np.inf


@pytest.mark.parametrize("recall", [0.8, 0.95, 0.99])
def test_the_longer_nothing_is_found_the_more_convincing_it_is(recall):
    told = [measure_conviction(looked(60, dry, size=1000), recall=recall) for dry in DRY]
    assert told == sorted(told)
    assert told[-1] > told[0] + 1


def test_a_higher_recall_is_less_convincing():
    seen = looked(60, 200, size=1000)
    told = [measure_conviction(seen, recall=recall) for recall in (0.8, 0.9, 0.95, 0.99, 1.0)]
    assert told == sorted(told, reverse=True)
    assert len(set(told)) > 3


def test_a_find_makes_it_less_convincing():
    dry, found = looked(60, 220, size=1000), looked(60, 200, 1, 19, size=1000)
    assert measure_conviction(found, recall=0.95) < measure_conviction(dry, recall=0.95) - 0.1


@pytest.mark.parametrize(("recall", "allowed"), [(0.95, 3), (0.8, 15), (1.0, 0)])
def test_it_is_how_unlikely_more_are_left_than_allowed(recall, allowed):
    seen = looked(60, 200, size=1000)
    assert measure_conviction(seen, recall=recall) == pytest.approx(by_hand(seen, allowed=allowed))


def test_what_a_file_brought_allows_for_more_that_are_left():
    seen = looked(60, 200, size=1000, brought=40)
    assert measure_conviction(seen, recall=0.95) == pytest.approx(by_hand(seen, allowed=5))


def test_where_finding_rises_nothing_convinces():
    # Ten in a row at last: the next hundred may hold as many.
    assert measure_conviction(looked(0, 90, 10, size=200), recall=0.95) < 0.1


def test_only_the_order_of_labels_and_what_is_unread_count():
    seen = looked(60, 200, size=1000)
    same = looked(60, 200, size=1000, seeds=5, control=None)
    assert measure_conviction(same, recall=0.9) == measure_conviction(seen, recall=0.9)
    assert measure_conviction(looked(60, 200, size=500), recall=0.9) > measure_conviction(
        seen, recall=0.9
    )


def asked(seen, *, needed=(0.2, 0.6, 1.6), target=None):
    return find_stop(seen, target or Target(), calibration=taught(needed=needed))


# With 60 found in a row and a pool of 1,000, these are the convictions after some dry ones.
ENOUGH = measure_conviction(looked(60, 200, size=1000), recall=0.95)


def test_one_can_stop_from_when_it_is_convincing_enough():
    needed = (0.1, 0.1, ENOUGH)
    assert asked(looked(60, 190, size=1000), needed=needed) is None
    assert asked(looked(60, 200, size=1000), needed=needed) == 260


def test_what_was_said_stands_however_much_more_is_read():
    for dry in (200, 210, 300, 777):
        assert asked(looked(60, dry, size=1000), needed=(0.1, 0.1, ENOUGH)) == 260


def test_what_was_said_stands_when_a_little_more_is_found():
    late = looked(60, 200, 1, 9, size=1000)
    now = measure_conviction(late, recall=0.95)
    assert now < ENOUGH
    assert asked(late, needed=(now - 0.01, now, ENOUGH)) == 260


def test_it_is_taken_back_when_it_is_less_than_half_convinced():
    late = looked(60, 200, 1, 9, size=1000)
    now = measure_conviction(late, recall=0.95)
    assert asked(late, needed=(now + 0.01, now + 0.01, ENOUGH)) is None


def test_what_was_taken_back_is_said_again_later():
    late = looked(60, 200, 1, 9, size=1000)
    half = measure_conviction(late, recall=0.95) + 0.01
    again = looked(60, 200, 1, 400, size=1000)
    stopped = asked(again, needed=(half, half, ENOUGH))
    assert 270 < stopped <= again.count
    assert measure_conviction(again.first(stopped), recall=0.95) >= ENOUGH
    assert measure_conviction(again.first(stopped - 10), recall=0.95) < ENOUGH


def test_it_is_asked_at_each_hundredth():
    needed = (0.1, 0.1, measure_conviction(looked(60, 193, size=1000), recall=0.95))
    # Just enough after 253: told at the next hundredth, and ever after.
    assert asked(looked(60, 193, size=1000), needed=needed) is None
    assert asked(looked(60, 200, size=1000), needed=needed) == 260
    assert asked(looked(60, 204, size=1000), needed=needed) == 260


def test_a_low_confidence_is_taken_back_only_by_less_than_itself():
    late = looked(60, 200, 1, 9, size=1000)
    now = measure_conviction(late, recall=0.95)
    calibration = taught(confidences=(0.3, 0.5), needed=(now, ENOUGH))
    assert find_stop(late, Target(0.95, 0.3), calibration=calibration) is not None


def test_what_replays_can_not_tell_is_never_said():
    seen = looked(60, 900, size=1000)
    for target in (Target(0.99), Target(0.95, 0.99)):
        assert asked(seen, target=target, needed=(0.0, 0.0, 0.0)) is None


def test_one_is_half_convinced_when_it_is_as_likely_as_not():
    seen = looked(60, 200, size=1000)
    for half, is_half in ((ENOUGH, True), (ENOUGH + 0.01, False)):
        calibration = taught(needed=(half, 9.0, 9.0))
        assert is_half_convinced(seen, Target(), calibration=calibration) == is_half


def test_by_what_comes_with_the_package_one_stops_when_finding_has_ended():
    found_by = exponential(on_topic=150, size=2000, half=120)
    seen, left = declined(found_by, size=2000, read=1900)
    stopped = find_stop(seen, Target())
    assert left == 0
    assert stopped is not None
    assert seen.first(stopped).found >= 0.95 * 150


@given(st.lists(st.booleans(), min_size=1, max_size=200), st.integers(1, 200))
def test_what_is_said_of_a_place_does_not_depend_on_what_comes_later(labels, rest):
    seen = Screening(labels=np.array(labels), size=len(labels) + rest)
    stopped = asked(seen, needed=(0.1, 0.3, 0.6))
    if stopped is not None:
        assert asked(seen.first(stopped), needed=(0.1, 0.3, 0.6)) == stopped


TAUGHT = taught(
    levels=(Level(0.8, (0.5, 0.9), (0.1, 0.4)), Level(0.95, (0.5, 0.9, 0.95), (0.2, 0.8, 1.6)))
)


@pytest.mark.parametrize(
    ("recall", "confidence", "needed"),
    [(0.8, 0.5, 0.1), (0.8, 0.9, 0.4), (0.95, 0.9, 0.8), (0.95, 0.95, 1.6)],
)
def test_what_was_calibrated_is_needed_as_it_was(recall, confidence, needed):
    assert TAUGHT.find_needed(recall=recall, confidence=confidence) == needed


def test_between_recalls_the_next_higher_one_counts():
    assert TAUGHT.find_needed(recall=0.81, confidence=0.5) == 0.2
    assert TAUGHT.find_needed(recall=0.3, confidence=0.5) == 0.1


def test_between_confidences_the_next_higher_one_counts():
    assert TAUGHT.find_needed(recall=0.95, confidence=0.91) == 1.6
    assert TAUGHT.find_needed(recall=0.95, confidence=0.2) == 0.2


def test_beyond_what_was_calibrated_nothing_is_enough():
    assert TAUGHT.find_needed(recall=0.96, confidence=0.5) == np.inf
    assert TAUGHT.find_needed(recall=0.95, confidence=0.96) == np.inf
    # The level of a lower recall may end at a lower confidence.
    assert TAUGHT.find_needed(recall=0.8, confidence=0.95) == np.inf


def test_the_last_digits_of_a_share_do_not_count():
    assert TAUGHT.find_needed(recall=0.1 + 0.7 + 1e-12, confidence=0.9 + 1e-12) == 0.4


def test_without_a_review_what_was_fitted_without_it_counts():
    for part in read_calibration_file().parts:
        for name in part.reviews:
            assert find_calibration(without=name) is part


def test_of_a_review_that_is_not_known_nothing_is_left_out():
    assert find_calibration(without="no such review") is read_calibration_file().whole
    assert find_calibration() is read_calibration_file().whole


def test_the_package_brings_what_was_fitted_without_each_review_once():
    left_out = [name for part in read_calibration_file().parts for name in part.reviews]
    assert (
        len(left_out) == len(set(left_out)) == sum(read_calibration_file().made["reviews"].values())
    )
    assert read_calibration_file().whole.reviews == ()


def test_what_the_package_brings_needs_more_for_more_confidence_and_has_the_usual_targets():
    for one in (read_calibration_file().whole, *read_calibration_file().parts):
        recalls = [level.recall for level in one.levels]
        assert recalls == sorted(recalls)
        assert {0.8, 0.9, 0.95} <= set(recalls)
        for level in one.levels:
            assert len(level.confidences) == len(level.needed) > 0
            assert list(level.confidences) == sorted(level.confidences)
            assert list(level.needed) == sorted(level.needed)
            assert level.needed[0] > 0
        assert np.isfinite(one.find_needed(recall=0.95, confidence=0.95))


def test_what_the_package_brings_has_a_weight_for_each_sign():
    seen = looked(5, 20, size=100, scored=ExpectedByScores(5, 3, 1, 1))
    for one in (read_calibration_file().whole, *read_calibration_file().parts):
        assert len(one.left.mean) == len(read_signs_left(seen))
        assert len(one.left_by_scores.mean) == len(read_score_signs_left(seen))
        assert len(one.left.shape) == len(one.left_by_scores.shape) == len(read_shape_signs(seen))
