"""Fusions: scores of several methods on one scale."""

import numpy as np
import pytest

from learn.corpus import simulated_corpus
from learn.scripted import COSTLY
from likewise.learn.folds import Scores, share_above
from likewise.learn.material import Scored, fuse_scores
from likewise.learn.methods import METHODS
from likewise.learn.spelling import parse_method, split_steps

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
    terms = scored("bm25 + naive + linear").model.contributions(0)
    assert terms == scored("naive").model.contributions(0)


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
