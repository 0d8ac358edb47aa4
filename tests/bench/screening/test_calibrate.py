"""What replays teach about stopping."""

import msgspec
import numpy as np
import pytest
from benchmarks.screen.calibrate import (
    RECALLS,
    ReplayFigures,
    ask_replay,
    fit_calibration,
    fit_left,
    list_left_out,
    weigh_reviews,
    write_calibration,
)

from bench.screening.screened import result, round_at
from learn.stopping.taught import exponential
from likewise.learn.stopping import ExpectedByScores, Screening
from likewise.learn.stopping.posterior import (
    read_score_signs_left,
    read_shape_signs,
    read_signs_left,
)
from likewise.learn.stopping.reading import CalibrationFile, measure_conviction

ROWS = np.column_stack([np.ones(30), np.linspace(-1, 1, 30)])


def asked(review, misleading, *, kind="real", left=None):
    """Return what a replay tells, made by hand."""
    left = np.full(30, 3) if left is None else left
    return ReplayFigures(review, kind, dict.fromkeys(RECALLS, misleading), left, ROWS, ROWS, ROWS)


def declining(*, on_topic=80, size=400, half=40, rounds=True, **chosen):
    """Return a replay whose finds thin out, with what four rounds kept."""
    found_by = exponential(on_topic=on_topic, size=size, half=half)(np.arange(1, size + 1))
    places = np.unique(np.searchsorted(found_by, np.arange(on_topic) + 0.5) + 1).tolist()
    whole = result(*places, records=size, looked_at=size, **chosen)
    kept = [
        round_at(at, int(whole.labels[:at].sum()), scored=None if not at else (9.0, 4.0, 1.0, 1.0))
        for at in (0, 100, 200, 300)
    ]
    return msgspec.structs.replace(whole, rounds=tuple(kept) if rounds else ())


def levels(rows, *, pseudo="mesh"):
    """Return the conviction that is needed for each confidence."""
    (first, *_) = fit_calibration(rows, (), pseudo=pseudo).levels
    return dict(zip(first.confidences, first.needed, strict=True))


# How convinced reading must be


def test_of_twenty_reviews_the_second_largest_counts_for_90_per_cent():
    needed = levels([asked(str(number), number / 10) for number in range(1, 21)])
    # With one more that is misled, (1 + 1) / 21 is below 0.1, and (0 + 1) / 21 below 0.05.
    assert needed[0.9] == pytest.approx(1.9, abs=0.002)
    assert needed[0.95] == pytest.approx(2.0, abs=0.002)
    # (9 + 1) / 21 is below 0.5, and (10 + 1) / 21 is not.
    assert needed[0.5] == pytest.approx(1.1, abs=0.002)
    # What one misled of 21 may be is more than a hundredth.
    assert 0.99 not in needed


def test_of_eighteen_reviews_none_shows_95_per_cent():
    assert max(levels([asked(str(number), 1.0) for number in range(18)])) == 0.9
    assert max(levels([asked(str(number), 1.0) for number in range(19)])) == 0.95


def test_what_is_needed_is_more_than_what_misled():
    needed = levels([asked(str(number), number / 10) for number in range(1, 21)])
    assert all(value > round(value, 1) for value in needed.values())


def test_a_review_counts_once_however_many_replays_it_has():
    once = [asked(str(number), number / 10) for number in range(1, 21)]
    assert levels(once * 3) == levels(once)


def test_of_a_review_that_misleads_in_one_replay_of_two_half_counts():
    calm = [asked(str(number), 0.1) for number in range(19)]
    needed = levels([*calm, asked("wild", 5.0), asked("wild", 0.1)])
    # Half a review is misled at 0.1, with one more (0.5 + 1) / 21 < 0.1.
    assert needed[0.9] < 0.2 < needed[0.95] == pytest.approx(5.0, abs=0.002)


def test_reviews_that_never_mislead_need_nothing():
    never = [asked(str(number), -np.inf) for number in range(15)]
    some = [asked(f"some {number}", 1.0 + number / 10) for number in range(5)]
    needed = levels([*never, *some])
    assert needed[0.5] == pytest.approx(1.0, abs=0.002)


def test_real_reviews_count_as_much_as_all_pseudo_reviews():
    rows = [asked(str(number), 1.0, kind="mesh") for number in range(30)]
    rows += [asked(f"real {number}", 2.0, kind="clef") for number in range(10)]
    weights = weigh_reviews(rows, pseudo="mesh")
    assert weights["0"] == 1.0
    assert sum(value for name, value in weights.items() if name.startswith("real")) == 30
    # Half of all are misled by what is just above 1.
    needed = levels(rows)
    assert needed[0.8] == pytest.approx(2.0, abs=0.002)


def test_without_pseudo_reviews_all_count_the_same():
    weights = weigh_reviews([asked("a", 1.0), asked("b", 1.0)], pseudo="mesh")
    assert weights == {"a": 1.0, "b": 1.0}


# What is left


def simulated(rng, *, reviews=150):
    """Return replays in which as many are left as a negative binomial distribution has it."""
    rows = []
    for number in range(reviews):
        signs = np.column_stack([np.ones(30), rng.normal(2, 1.5, 30)])
        shapes = np.column_stack([np.ones(30), rng.normal(0, 1, 30)])
        mean, shape = np.exp(1.0 + 0.8 * signs[:, 1]), np.exp(1.2 + 0.5 * shapes[:, 1])
        left = rng.poisson(mean * rng.gamma(shape, 1 / shape))
        rows.append(ReplayFigures(str(number), "real", {}, left, signs, None, shapes))
    return rows


def test_the_weights_of_a_simulated_number_are_recovered():
    rows = simulated(np.random.default_rng(0))
    weights = weigh_reviews(rows, pseudo="mesh")
    found = fit_left(rows, [one.left_signs for one in rows], weights)
    assert found.mean == pytest.approx((1.0, 0.8), abs=0.1)
    assert found.shape == pytest.approx((1.2, 0.5), abs=0.2)


def test_of_rounds_after_everything_was_found_the_later_count_less():
    # One left, then none: of a long tail, hardly more counts than of a short one.
    def mean(tail):
        left = np.concatenate([np.full(10, 8), np.zeros(tail, dtype=int)])
        ones = np.ones((len(left), 1))
        row = ReplayFigures("a", "real", {}, left, ones, None, ones)
        return float(np.exp(fit_left([row], [ones], {"a": 50.0}).mean[0]))

    assert mean(2000) > 0.8 * mean(100)
    assert mean(2000) > 10 * 8 / 2010 * 10


# What is asked of a replay


def test_the_conviction_that_misleads_is_the_highest_before_the_recall_is_reached():
    whole = declining()
    told = ask_replay(whole).misleading
    total = whole.on_topic
    for recall in RECALLS:
        before = [
            measure_conviction(Screening(labels=whole.labels[:end], size=400), recall=recall)
            for end in range(4, 400, 4)
            if whole.labels[:end].sum() < recall * total
        ]
        assert told[recall] == max(before)


def test_signs_are_asked_of_rounds_that_know_scores():
    told = ask_replay(declining())
    labels = declining().labels
    rounds = [
        Screening(labels=labels[:at], size=400, scored=ExpectedByScores(9.0, 4.0, 1.0, 1.0))
        for at in (100, 200, 300)
    ]
    assert told.left.tolist() == [declining().on_topic - one.found for one in rounds]
    assert told.left_signs.tolist() == [read_signs_left(one).tolist() for one in rounds]
    assert told.score_signs.tolist() == [read_score_signs_left(one).tolist() for one in rounds]
    assert told.shape_signs.tolist() == [read_shape_signs(one).tolist() for one in rounds]


def test_orders_of_other_tools_are_asked_at_each_hundredth_without_scores():
    told = ask_replay(declining(rounds=False))
    assert told.score_signs is None
    assert len(told.left) == len(told.left_signs) == 99


# What is left out


def test_each_real_review_is_left_out_alone_and_pseudo_reviews_by_tenths():
    rows = [asked(name, 1.0) for name in ("b", "a", "a")]
    rows += [asked(f"m{number:02}", 1.0, kind="mesh") for number in range(25)]
    parts = list_left_out(rows, pseudo="mesh")
    assert parts[:2] == [("a",), ("b",)]
    assert len(parts) == 12
    assert sorted(name for part in parts[2:] for name in part) == [f"m{n:02}" for n in range(25)]
    assert {len(part) for part in parts[2:]} == {2, 3}


def test_what_is_fitted_without_a_review_does_not_know_it():
    rows = [asked(str(number), number / 10) for number in range(1, 21)]
    without = fit_calibration(rows, ("20",), pseudo="mesh")
    assert without.reviews == ("20",)
    assert without.levels == fit_calibration(rows[:-1], (), pseudo="mesh").levels
    assert without.levels != fit_calibration(rows, (), pseudo="mesh").levels


def test_all_of_it_is_written_as_the_package_reads_it(tmp_path):
    results = [declining(half=20 + 4 * n, review=f"real {n}", kind="clef") for n in range(2)]
    results += [declining(half=20 + 4 * n, review=f"m {n}", kind="mesh") for n in range(10)]
    write_calibration(results, tmp_path / "calibration.json", pseudo="mesh")
    content = (tmp_path / "calibration.json").read_bytes()
    kept = msgspec.json.decode(content, type=CalibrationFile)
    assert kept.made["replays"] == 12
    assert kept.made["reviews"] == {"clef": 2, "mesh": 10}
    assert [part.reviews for part in kept.parts][:3] == [("real 0",), ("real 1",), ("m 0",)]
    assert len(kept.parts) == 12
    assert [level.recall for level in kept.whole.levels] == list(RECALLS)
