"""How rows are dealt to models."""

from types import SimpleNamespace

import numpy as np
import pytest

from likewise.learn.folds import Scores
from likewise.learn.material import DealtRows, place_negatives

# Two seeds, three negatives, a pool of five of which the last is not seen.
ROWS = np.arange(10)[:, None]
WEIGHTS = np.array([0.5, 1.0, 1.5])
WITH_NEGATIVES = SimpleNamespace(seeds=2, negatives=3, known=5, unseen=1, negative_weights=WEIGHTS)
WITHOUT = SimpleNamespace(seeds=2, negatives=0, known=2, unseen=1, negative_weights=None)
TOLD = ["fading", "ensemble", "pnu", "pn"]


def numbers(rows):
    return rows.ravel().tolist()


@pytest.mark.parametrize("by", TOLD)
def test_negatives_are_dealt_as_such(by):
    dealt = DealtRows.of(ROWS, WITH_NEGATIVES, by=by)
    assert numbers(dealt.negative) == [2, 3, 4]
    assert numbers(dealt.unlabeled) == [5, 6, 7, 8, 9]
    assert (dealt.seen, dealt.unseen) == (4, 1)
    assert dealt.weights is WEIGHTS


def test_as_if_nothing_were_known_of_them_they_are_the_first_of_the_unlabeled():
    dealt = DealtRows.of(ROWS, WITH_NEGATIVES, by="unlabeled")
    assert numbers(dealt.unlabeled) == [2, 3, 4, 5, 6, 7, 8, 9]
    assert (dealt.negative, dealt.seen, dealt.unseen) == (None, 7, 1)


def test_as_if_they_were_not_there_they_are_scored_and_not_seen():
    dealt = DealtRows.of(ROWS, WITH_NEGATIVES, by="ignore")
    assert numbers(dealt.unlabeled) == [5, 6, 7, 8, 9, 2, 3, 4]
    assert numbers(dealt.unlabeled[: dealt.seen]) == [5, 6, 7, 8]
    assert dealt.negative is None


@pytest.mark.parametrize("by", [*TOLD, "unlabeled", "ignore"])
def test_without_negatives_all_ways_are_the_same(by):
    dealt = DealtRows.of(ROWS, WITHOUT, by=by)
    assert numbers(dealt.unlabeled) == [2, 3, 4, 5, 6, 7, 8, 9]
    assert (dealt.negative, dealt.seen, dealt.before, dealt.after) == (None, 7, 0, 0)


@pytest.mark.parametrize("by", ["unlabeled", "ignore"])
def test_scores_of_negatives_come_back_apart(by):
    dealt = DealtRows.of(ROWS, WITH_NEGATIVES, by=by)
    # Each row is scored by its number.
    scores = dealt.scores(Scores(np.array([0.0, 1.0]), dealt.unlabeled.ravel().astype(float)))
    assert scores.seeds.tolist() == [0, 1]
    assert scores.pool.tolist() == [5, 6, 7, 8, 9]
    assert scores.negatives.tolist() == [2, 3, 4]


def test_scores_of_negatives_that_were_dealt_as_such_stay_as_they_are():
    found = Scores(np.zeros(2), np.ones(5), np.full(3, -1.0))
    assert DealtRows.of(ROWS, WITH_NEGATIVES, by="fading").scores(found) is found


@pytest.mark.parametrize(
    ("scores", "pool", "negatives"),
    [
        (Scores(np.zeros(2), np.arange(5.0), np.full(3, 7.0)), [0, 1, 2, 3, 4], [7, 7, 7]),
        (Scores(np.zeros(2), np.arange(8.0)), [3, 4, 5, 6, 7], [0, 1, 2]),
        (Scores(np.zeros(2), np.arange(5.0)), [0, 1, 2, 3, 4], [np.nan] * 3),
    ],
    ids=["as they are", "the first of the pool", "left out"],
)
def test_scores_of_negatives_are_put_where_they_belong(scores, pool, negatives):
    material = SimpleNamespace(documents=range(10), known=5, negatives=3)
    completed = place_negatives(scores, of=material)
    assert completed.pool.tolist() == pool
    assert completed.negatives == pytest.approx(negatives, nan_ok=True)
