"""How rows are dealt to models."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn.corpus import contributions, simulated_corpus
from learn.scripted import COSTLY
from likewise.learn.folds import Scores, share_above
from likewise.learn.material import (
    MOST,
    DealtRows,
    Scored,
    fuse_scores,
    place_negatives,
    weigh_by_propensity,
)
from likewise.learn.methods import METHODS
from likewise.learn.spelling import parse_method, split_steps

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


ranks = st.lists(st.integers(1, 100_000) | st.just(np.nan), min_size=1, max_size=40)


def weights(*places):
    return weigh_by_propensity(np.array(places, dtype=float))


@given(ranks=ranks)
def test_marks_count_1_on_average_and_none_counts_nothing(ranks):
    found = weights(*ranks)
    assert found.mean() == pytest.approx(1)
    assert found.min() > 0
    assert found.max() <= MOST * found.min() * (1 + 1e-9)


@given(ranks=ranks)
def test_marks_that_stood_alike_count_alike(ranks):
    twice = weights(*ranks, *ranks)
    assert twice[: len(ranks)] == pytest.approx(twice[len(ranks) :])


def test_a_mark_from_where_few_were_given_counts_more():
    # Ranks 4 to 7 are all marked and stand for themselves; rank 8 for the eight from 8 to 15.
    found = weights(4, 5, 6, 7, 8)
    assert found[4] / found[0] == pytest.approx(8**0.5)


def test_the_power_says_how_far_to_go(monkeypatch):
    monkeypatch.setattr("likewise.learn.material.POWER", 0)
    assert weights(4, 5, 6, 7, 8).tolist() == [1] * 5
    monkeypatch.setattr("likewise.learn.material.POWER", 1)
    monkeypatch.setattr("likewise.learn.material.MOST", 100)
    whole = weights(4, 5, 6, 7, 8)
    assert whole[4] / whole[0] == pytest.approx(8)


def test_none_counts_more_than_so_many_times_as_much_as_another():
    found = weights(1, 1024)
    assert found[1] / found[0] == pytest.approx(MOST)


def test_a_mark_from_outside_the_ranking_counts_as_the_mean_of_the_others():
    inside, with_others = weights(4, 8), weights(4, np.nan, 8, np.nan)
    assert with_others[[0, 2]] == pytest.approx(inside)
    assert with_others[[1, 3]] == pytest.approx([1, 1])


def test_marks_that_were_all_given_outside_count_the_same():
    assert weights(np.nan, np.nan).tolist() == [1, 1]


def test_without_marks_there_is_nothing_to_count():
    assert weights().tolist() == []


CORPUS = simulated_corpus()


def said(seeds, pool, *, model=None, warnings=()):
    return Scored(Scores(np.array(seeds, float), np.array(pool, float)), model, warnings)


def scored(name, on_step=None):
    return parse_method(name).score(CORPUS.material, rng=np.random.default_rng(0), on_step=on_step)


def test_scores_are_averaged_on_the_scale_of_each_ones_pool():
    # Over their pools, means are 1 and 50, deviations 1 and 10.
    fused = fuse_scores([said([3], [0, 2]), said([40], [60, 40])])
    assert fused.scores.pool.tolist() == [(-1 + 1) / 2, (1 - 1) / 2]
    assert fused.scores.seeds.tolist() == [(2 - 1) / 2]


def test_what_is_known_to_be_off_topic_is_averaged_on_the_same_scale():
    parts = [said([3], [0, 2]), said([40], [60, 40])]
    off = [np.array([0.0, np.nan]), np.array([40.0, 70.0])]
    told = [
        part._replace(scores=part.scores._replace(negatives=negatives))
        for part, negatives in zip(parts, off, strict=True)
    ]
    # -1 and -1 for the first; the second only the other part knows.
    assert fuse_scores(told).scores.negatives.tolist() == [-1, 2]


def test_a_scale_makes_no_difference():
    one, other = said([3], [0, 2, 5]), said([3000], [0, 2000, 5000])
    assert fuse_scores([one, other]).scores.pool == pytest.approx(
        fuse_scores([one, one]).scores.pool
    )


def test_a_part_that_scores_all_the_same_counts_for_nothing():
    fused = fuse_scores([said([3], [0, 2]), said([7], [7, 7])])
    assert fused.scores.pool.tolist() == [-0.5, 0.5]


def test_a_seed_is_placed_by_the_parts_that_know_it():
    fused = fuse_scores([said([np.nan, np.nan], [0, 2]), said([3, np.nan], [0, 2])])
    assert fused.scores.seeds[0] == 2
    assert np.isnan(fused.scores.seeds[1])


def test_the_first_part_that_knows_terms_explains():
    parts = [said([1], [1, 2]), said([1], [1, 2], model="a"), said([1], [1, 2], model="b")]
    assert fuse_scores(parts).model == "a"


def test_each_warning_is_passed_on_once():
    parts = [said([1], [1, 2], warnings=("a", "b")), said([1], [1, 2], warnings=("b", "c"))]
    assert fuse_scores(parts).warnings == ("a", "b", "c")


def test_steps_of_cheap_parts_add_up_evenly():
    heard = []
    first, second = split_steps(lambda *told: heard.append(told), [False, False])
    first(1, 2)
    first(2, 2, "note")
    second(3, 3)
    assert heard == [(1, 4, ""), (2, 4, "note"), (6, 6, "")]


def test_most_steps_are_those_of_a_costly_part():
    heard = []
    first, second = split_steps(lambda done, total, _: heard.append(done / total), [False, True])
    first(1, 1)
    second(1, 1)
    assert heard == [1 / 21, 1]


def test_nobody_need_listen():
    assert split_steps(None, [True, False]) == [None, None]


# As methods


def test_a_fusion_of_a_method_with_itself_ranks_as_the_method_does():
    fused, alone = scored("bm25 + bm25").scores, scored("bm25").scores
    assert (fused.pool.argsort() == alone.pool.argsort()).all()
    assert share_above(fused.seeds, fused.pool) == pytest.approx(
        share_above(alone.seeds, alone.pool)
    )


def test_a_fusion_is_explained_by_the_terms_of_its_first_part_that_has_some():
    terms = contributions(scored("bm25 + naive + linear").model, 0)
    assert terms == contributions(scored("naive").model, 0)


def test_steps_of_a_fusion_rise_to_the_end_with_its_parts_notes(monkeypatch):
    monkeypatch.setitem(METHODS, "costly", COSTLY)
    heard = []
    scored("naive + costly", on_step=lambda done, total, note: heard.append((done / total, note)))
    shares = [share for share, _ in heard]
    assert shares == sorted(shares)
    assert heard[-2:] == [((1 + 10) / 21, "risk 0.0"), (1, "risk 0.1")]


def test_parts_take_their_parameters(monkeypatch):
    monkeypatch.setitem(METHODS, "costly", COSTLY)
    heard = []
    scored("costly(steps=3) + bm25", on_step=lambda *told: heard.append(told))
    assert len(heard) == 3
