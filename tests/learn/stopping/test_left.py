import numpy as np
import pytest

from likewise.learn.stopping.left import Counts, Standing, estimate_left


def standing(*, size=1000, on_topic=100, looked=0, seed=0):
    """Rank documents so that those on topic stand high, and look at the best."""
    rng = np.random.default_rng(seed)
    is_on = np.arange(size) < on_topic
    scores = rng.normal(size=size) + 2.5 * is_on
    order = np.argsort(-scores)
    scores, is_on = scores[order], is_on[order]
    seeds = rng.normal(size=10) + 2.5
    return (
        Standing(
            seeds=seeds, looked_at=scores[:looked], labels=is_on[:looked], rest=scores[looked:]
        ),
        int(is_on[looked:].sum()),
    )


def test_before_any_mark_it_is_what_is_usual_for_such_seeds():
    # Seeds on ranks 10, 20, 40, ... 1,280: the quantiles of ln rank are those of 33.6 and 113.1,
    # so that ln relevant = 3.07 + 0.44 (3.51 + 4.73) / 2 = 4.88, which is 132.
    ranks = 10.0 * 2 ** np.arange(8)
    none = {"looked_at": np.empty(0), "labels": np.zeros(0, dtype=bool)}
    left = estimate_left(Standing(seeds=-ranks, **none, rest=-np.arange(1.0, 10_001)))
    # The median is lower than that: no document is certain, and counts are skewed.
    assert left.value == pytest.approx(132, rel=0.15)
    # By 80 %, experience is off by a factor of exp(1.28 x 0.74) = 2.6, and more by chance.
    assert left.low < 132 / 2.6
    assert left.high > 132 * 2


@pytest.mark.parametrize("looked", [50, 150, 400])
def test_the_interval_holds_what_is_left(looked):
    where, left = standing(looked=looked)
    estimate = estimate_left(where)
    assert estimate.low <= left <= estimate.high


def test_marks_make_the_interval_narrower():
    before, after = (estimate_left(standing(looked=looked)[0]) for looked in (0, 200))
    assert after.high - after.low < before.high - before.low


def test_finding_more_makes_more_likely_to_be_left():
    where, _ = standing(looked=100)
    few = Standing(seeds=where.seeds, looked_at=where.looked_at,
                   labels=np.arange(100) % 10 == 0, rest=where.rest)  # fmt: skip
    many = Standing(seeds=where.seeds, looked_at=where.looked_at,
                    labels=np.arange(100) % 10 != 0, rest=where.rest)  # fmt: skip
    assert estimate_left(few).value < estimate_left(many).value


def test_probabilities_fall_with_the_score_and_sum_to_about_what_is_left():
    where, _ = standing(looked=100)
    estimate = estimate_left(where)
    assert (np.diff(estimate.probabilities) <= 1e-12).all()
    assert estimate.low <= estimate.probabilities.sum() <= estimate.high


def test_probabilities_are_in_the_order_of_the_documents():
    where, _ = standing(looked=100)
    turned = Standing(seeds=where.seeds, looked_at=where.looked_at, labels=where.labels,
                      rest=where.rest[::-1])  # fmt: skip
    forwards, backwards = estimate_left(where), estimate_left(turned)
    assert backwards.probabilities[::-1] == pytest.approx(forwards.probabilities)


def test_nothing_is_left_where_everything_was_looked_at():
    where, _ = standing(size=50, on_topic=5, looked=50)
    assert estimate_left(where)[:3] == (0, 0, 0)


def test_no_more_is_left_than_there_are_documents():
    where, _ = standing(size=12, on_topic=10, looked=0)
    assert estimate_left(where).high <= 12


def test_seeds_without_a_score_are_left_out():
    where, _ = standing(looked=100)
    more = Standing(seeds=np.append(where.seeds, np.nan), looked_at=where.looked_at,
                    labels=where.labels, rest=where.rest)  # fmt: skip
    assert estimate_left(more).value == estimate_left(where).value


def test_without_seeds_what_was_found_stands_for_them():
    where, _ = standing(looked=100)
    none = Standing(seeds=np.empty(0), looked_at=where.looked_at, labels=where.labels,
                    rest=where.rest)  # fmt: skip
    assert estimate_left(none).value >= 0


def test_documents_without_a_score_come_last():
    where = Standing(seeds=np.array([2.0, 3.0]), looked_at=np.array([4.0]), labels=np.array([True]),
                     rest=np.array([1.0, -np.inf, -np.inf]))  # fmt: skip
    probabilities = estimate_left(where).probabilities
    assert probabilities[0] >= probabilities[1] == probabilities[2]


def test_what_is_likely_of_a_count_is_that_of_its_means():
    # One that is nothing and one that is many: half of the time there is none at all.
    counts = Counts(means=np.array([1e-12, 1e6]), weights=np.array([0.5, 0.5]))
    assert counts.at_most(0) == pytest.approx(0.5)
    assert counts.at_most(100) == pytest.approx(0.5)
    assert counts.at_most(-1) == 0.0


def test_a_quantile_is_the_least_number_that_is_likely_enough():
    counts = Counts(means=np.array([4.0]), weights=np.ones(1))
    number = counts.quantile(0.9)
    assert counts.at_most(number - 1) < 0.9 <= counts.at_most(number)
