import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import nbinom
from sklearn.linear_model import LogisticRegression

from learn.stopping.taught import always, declined, exponential, looked, one_sign, taught
from likewise.learn.estimates import Interval
from likewise.learn.stopping import ExpectedByScores, Screening, expect_ahead
from likewise.learn.stopping.posterior import (
    HALF,
    estimate_likely_left,
    expect_by_scores,
    read_score_signs_left,
    read_signs_left,
    update_left,
)
from likewise.learn.stopping.reading import LeftWeights

USUAL = Interval(100.0, 40.0, 260.0)
NOTHING = Interval(0.0, 0.0, 0.0)


def by_reading(seen, *, calibration=None):
    """Return the mean and the shape of what is left by what was read alone."""
    counts = estimate_likely_left(seen, calibration=calibration or taught())
    return float(counts.means[0]), counts.misfit**-2


# What is usual


def test_before_anything_was_read_what_is_usual_counts():
    assert update_left(looked(size=1000), USUAL) == USUAL


@pytest.mark.parametrize("first", [(1,), (0, 1)])
def test_the_first_mark_changes_little(first):
    before, after = USUAL, update_left(looked(*first, size=1000), USUAL)
    assert all(0.5 < now / then < 1.5 for now, then in zip(after, before, strict=True))


def test_reading_and_what_is_usual_are_mixed_by_how_much_was_read():
    seen = looked(0, HALF, size=1000)
    # By reading, hardly a thousandth is left, which comes to none: of 100, the root of 101 stays.
    none = taught(left=always(0.001))
    mixed = update_left(seen, USUAL, calibration=none)
    assert [*mixed] == pytest.approx([np.sqrt(1 + number) - 1 for number in USUAL])


def test_the_more_was_read_the_less_what_is_usual_counts():
    gaps = []
    for dry in (5, 50, 500):
        seen = looked(10, dry, size=1000)
        few, many = (update_left(seen, one).value for one in (NOTHING, USUAL))
        gaps.append(many - few)
    assert gaps[0] > 2 * gaps[1] > 4 * gaps[2]


def test_of_what_was_read_whole_nothing_is_told():
    assert update_left(looked(5, 5, size=10), NOTHING) == NOTHING


# What was read


@pytest.mark.parametrize("shipped", [True, False])
def test_the_longer_nothing_is_found_the_fewer_are_left(shipped):
    told = [
        update_left(looked(60, dry, size=1000), USUAL, calibration=None if shipped else taught())
        for dry in (40, 120, 240, 480, 720)
    ]
    for numbers in zip(*told, strict=True):
        assert [*numbers] == sorted(numbers, reverse=True)
    assert told[-1].value < told[0].value / 3


def test_finding_more_lately_leaves_more():
    few, many = looked(60, 340, size=1000), looked(40, 320, 20, 20, size=1000)
    assert update_left(few, USUAL).value < update_left(many, USUAL).value


def test_the_bounds_are_an_interval_of_80_per_cent():
    seen = looked(60, 140, size=1000)
    mean, shape = by_reading(seen, calibration=taught(shape=3.0))
    assert mean == pytest.approx(expect_ahead(seen, rate="exponential") + 0.3)
    assert shape == pytest.approx(3)
    likely = nbinom(shape, shape / (shape + mean))
    told = update_left(seen, NOTHING, calibration=taught(shape=3.0))
    weight = seen.count / (seen.count + HALF)
    low, high = (np.expm1(weight * np.log1p(likely.ppf(share))) for share in (0.1, 0.9))
    assert (told.low, told.high) == pytest.approx((low, high))


def test_the_number_has_the_least_error_as_a_share_of_the_topic():
    seen = looked(20, 100, size=1000)
    calibration = taught(left=always(40, shape=1.0))
    mean, shape = by_reading(seen, calibration=calibration)
    assert (mean, shape) == pytest.approx((40, 1))
    numbers = np.arange(600)
    chances = nbinom.pmf(numbers, 1, 1 / 41)
    errors = [chances @ (np.abs(guess - numbers) / (21 + numbers)) for guess in range(100)]
    best = int(np.argmin(errors))
    weight = seen.count / (seen.count + HALF)
    told = update_left(seen, NOTHING, calibration=calibration).value
    assert told == pytest.approx(np.expm1(weight * np.log1p(best)))
    # The median is 27, and the mean 40.
    assert best < 27


def test_the_interval_holds_what_is_left():
    # Where finding declines as the weights take it to, off by a gamma variable of the same shape.
    rng, size, read, held = np.random.default_rng(3), 1500, 600, []
    calibration = taught(shape=4.0)
    for _ in range(60):
        seen, _ = declined(exponential(on_topic=120, size=size, half=250), size=size, read=read)
        mean = expect_ahead(seen, rate="exponential") + 0.3
        left = rng.poisson(mean * rng.gamma(4.0, 1 / 4.0))
        told = update_left(seen, Interval(mean, mean, mean), calibration=calibration)
        held.append(round(told.low) <= left <= round(told.high))
    # Of 60, 48; by chance hardly fewer than 40.
    assert 40 <= sum(held) < 60


@given(st.lists(st.booleans(), min_size=1, max_size=80), st.integers(1, 300), st.booleans())
def test_it_is_between_nothing_and_what_is_unread(labels, rest, is_scored):
    seen = Screening(
        labels=np.array(labels),
        size=len(labels) + rest,
        scored=ExpectedByScores(3.0, rest / 2, 1.0, 1.0) if is_scored else None,
    )
    told = update_left(seen, Interval(rest / 2, 0.0, float(rest)))
    assert -1e-9 <= told.low <= told.value <= told.high <= rest + 1e-6


# Scores


def test_where_scores_tell_they_count_too():
    scored = LeftWeights(one_sign(at=7, of=8), (0.0, 0.0, 0.0))
    calibration = taught(left_by_scores=scored)
    seen = looked(20, 100, size=1000, scored=ExpectedByScores(20.0, 11.8, 1.0, 1.0))
    assert by_reading(seen, calibration=calibration)[0] == pytest.approx(12)
    without = looked(20, 100, size=1000)
    assert by_reading(without, calibration=calibration)[0] == pytest.approx(
        expect_ahead(without, rate="exponential") + 0.3
    )


def test_scores_are_one_sign_more_and_how_it_went_lately_two_fewer():
    seen = looked(20, 100, size=1000, scored=ExpectedByScores(20.0, 12.0, 1.0, 1.0))
    assert read_score_signs_left(seen)[:-1].tolist() == read_signs_left(seen)[:-2].tolist()
    assert read_score_signs_left(seen)[-1] == pytest.approx(np.log(12.2))


def made(*, count=300, rest=500, seed=0):
    """Return scores, labels that follow from them, and the scores of the rest."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(3, 2, count)
    return scores, rng.random(count) < expit(scores - 4), rng.normal(2, 2, rest)


@pytest.mark.parametrize("seed", range(4))
def test_scores_expect_what_a_logistic_regression_expects(seed):
    scores, labels, rest = made(seed=seed)
    fitted = LogisticRegression(C=1e6, tol=1e-8).fit(scores[:, None], labels)
    read, unread = (fitted.predict_proba(part[:, None])[:, 1] for part in (scores, rest))
    told = expect_by_scores(labels, scores, rest)
    assert told == pytest.approx(
        (read.sum(), unread.sum(), (read * (1 - read)).sum(), (unread * (1 - unread)).sum()),
        rel=1e-2,
    )
    # Of what was read, a regression expects as many as there are.
    assert told.looked_at == pytest.approx(labels.sum(), rel=1e-3)


def test_scores_that_can_not_tell_expect_the_same_share_everywhere():
    labels = np.tile([True, False, False, False], 25)
    told = expect_by_scores(labels, np.tile([1.0, 1.0, 1.0, 1.0], 25), np.full(40, 1.0))
    assert told.rest == pytest.approx(10, rel=0.01)


def test_scores_that_are_upside_down_tell_nothing():
    # The lower, the likelier: as if they were all the same.
    scores, labels, rest = made()
    told = expect_by_scores(~labels, scores, rest)
    share = told.looked_at / len(labels)
    assert told.rest == pytest.approx(share * len(rest))


def test_a_score_far_below_all_others_expects_hardly_anything():
    labels = np.arange(20) < 10
    told = expect_by_scores(labels, -np.arange(20.0), np.full(100, -1000.0))
    assert told.rest < 0.01
    assert told.looked_at == pytest.approx(10, rel=0.01)


@pytest.mark.parametrize(
    ("labels", "rest"), [([True] * 3, [1.0]), ([False] * 3, [1.0]), ([True, False, True], [])]
)
def test_where_there_is_nothing_to_learn_or_to_expect_scores_tell_nothing(labels, rest):
    assert expect_by_scores(np.array(labels), np.arange(3.0), np.array(rest)) is None


def test_neither_unit_nor_zero_of_scores_count():
    scores, labels, rest = made()
    same = expect_by_scores(labels, 50 + 8 * scores, 50 + 8 * rest)
    assert same == pytest.approx(expect_by_scores(labels, scores, rest), rel=1e-4)
