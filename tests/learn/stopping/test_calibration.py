import numpy as np
import pytest

from learn.stopping.taught import looked, taught
from likewise.learn.stopping.looked import ExpectedByScores
from likewise.learn.stopping.posterior import (
    read_score_signs_left,
    read_shape_signs,
    read_signs_left,
)
from likewise.learn.stopping.reading import Level, calibration_file, past_replays

TAUGHT = taught(
    levels=(Level(0.8, (0.5, 0.9), (0.1, 0.4)), Level(0.95, (0.5, 0.9, 0.95), (0.2, 0.8, 1.6)))
)


@pytest.mark.parametrize(
    ("recall", "confidence", "needed"),
    [(0.8, 0.5, 0.1), (0.8, 0.9, 0.4), (0.95, 0.9, 0.8), (0.95, 0.95, 1.6)],
)
def test_what_was_calibrated_is_needed_as_it_was(recall, confidence, needed):
    assert TAUGHT.needed(recall=recall, confidence=confidence) == needed


def test_between_recalls_the_next_higher_one_counts():
    assert TAUGHT.needed(recall=0.81, confidence=0.5) == 0.2
    assert TAUGHT.needed(recall=0.3, confidence=0.5) == 0.1


def test_between_confidences_the_next_higher_one_counts():
    assert TAUGHT.needed(recall=0.95, confidence=0.91) == 1.6
    assert TAUGHT.needed(recall=0.95, confidence=0.2) == 0.2


def test_beyond_what_was_calibrated_nothing_is_enough():
    assert TAUGHT.needed(recall=0.96, confidence=0.5) == np.inf
    assert TAUGHT.needed(recall=0.95, confidence=0.96) == np.inf
    # The level of a lower recall may end at a lower confidence.
    assert TAUGHT.needed(recall=0.8, confidence=0.95) == np.inf


def test_the_last_digits_of_a_share_do_not_count():
    assert TAUGHT.needed(recall=0.1 + 0.7 + 1e-12, confidence=0.9 + 1e-12) == 0.4


def test_without_a_review_what_was_fitted_without_it_counts():
    for part in calibration_file().parts:
        for name in part.reviews:
            assert past_replays(without=name) is part


def test_of_a_review_that_is_not_known_nothing_is_left_out():
    assert past_replays(without="no such review") is calibration_file().whole
    assert past_replays() is calibration_file().whole


def test_the_package_brings_what_was_fitted_without_each_review_once():
    left_out = [name for part in calibration_file().parts for name in part.reviews]
    assert len(left_out) == len(set(left_out)) == sum(calibration_file().made["reviews"].values())
    assert calibration_file().whole.reviews == ()


def test_what_the_package_brings_needs_more_for_more_confidence_and_has_the_usual_targets():
    for one in (calibration_file().whole, *calibration_file().parts):
        recalls = [level.recall for level in one.levels]
        assert recalls == sorted(recalls)
        assert {0.8, 0.9, 0.95} <= set(recalls)
        for level in one.levels:
            assert len(level.confidences) == len(level.needed) > 0
            assert list(level.confidences) == sorted(level.confidences)
            assert list(level.needed) == sorted(level.needed)
            assert level.needed[0] > 0
        assert np.isfinite(one.needed(recall=0.95, confidence=0.95))


def test_what_the_package_brings_has_a_weight_for_each_sign():
    seen = looked(5, 20, size=100, scored=ExpectedByScores(5, 3, 1, 1))
    for one in (calibration_file().whole, *calibration_file().parts):
        assert len(one.left.mean) == len(read_signs_left(seen))
        assert len(one.left_by_scores.mean) == len(read_score_signs_left(seen))
        assert len(one.left.shape) == len(one.left_by_scores.shape) == len(read_shape_signs(seen))
