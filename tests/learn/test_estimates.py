import pytest

from likewise.errors import SettingsError
from likewise.learn.estimates import Target, compute_recall


@pytest.mark.parametrize(("found", "allowed"), [(0, 0), (18, 0), (19, 1), (95, 5), (190, 10)])
def test_as_many_may_be_left_as_the_recall_allows(found, allowed):
    assert Target(recall=0.95).count_allowed(found) == allowed


def test_nothing_may_be_left_of_all():
    assert Target(recall=1.0).count_allowed(1000) == 0


def test_recall_is_the_share_that_is_found():
    assert compute_recall(3, left=1) == 0.75


@pytest.mark.parametrize("recall", [0.0, 1.5, float("nan")])
def test_a_recall_that_can_not_be_is_refused(recall):
    with pytest.raises(SettingsError, match="--recall"):
        Target(recall=recall).check()


@pytest.mark.parametrize("confidence", [0.0, 1.0])
def test_a_confidence_that_can_not_be_is_refused(confidence):
    with pytest.raises(SettingsError, match="--confidence"):
        Target(confidence=confidence).check()


def test_a_target_that_can_be_is_not():
    assert Target(recall=1.0).check() is None
