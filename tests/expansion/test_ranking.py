from types import SimpleNamespace

import numpy as np
import pytest

from likewise.expansion.marks import Marks
from likewise.expansion.ranking import rank_candidates
from likewise.learn.folds import Scores
from likewise.learn.thresholds import Keep

# Two seeds, one found since, two negatives, a pool of four.
CANDIDATES = SimpleNamespace(
    seeds=SimpleNamespace(given=("s1", "s2")),
    seed_ids=["s1", "s2", "found"],
    negative_ids=["n1", "n2"],
    pool=["a", "b", "c", "d"],
)
SCORES = Scores(
    seeds=np.array([9.0, np.nan, 3.5]),
    pool=np.array([2.0, 4.0, 1.0, 3.0]),
    negatives=np.array([4.0, np.nan]),
)
MARKS = Marks(relevant=("found", "s1"), irrelevant=("n1", "n2"), maybe=("d",))
JUDGEMENT = SimpleNamespace(
    # A tenth of the score, and the two best are decided.
    probabilities=lambda scores: scores / 10,
    decided=lambda _: np.array([False, True, False, True]),
)


@pytest.fixture
def ranking():
    return rank_candidates(CANDIDATES, JUDGEMENT, SCORES, keep=Keep(), marks=MARKS)


@pytest.fixture
def places(ranking):
    return {ranked.id: ranked for ranked in ranking}


def test_everything_is_ranked_by_score_and_a_seed_before_others_of_its_score(ranking):
    ids = [ranked.id for ranked in ranking]
    # What has no score has the lowest of the pool; the seed of these comes first.
    assert ids == ["s1", "n1", "b", "found", "d", "a", "s2", "n2", "c"]


def test_ranks_of_the_pool_count_from_1_as_if_nothing_else_were_there(places):
    assert [places[name].rank for name in "bdac"] == [1, 2, 3, 4]


def test_what_is_known_has_the_rank_of_a_pool_document_of_its_score(places):
    assert [places[name].rank for name in ("s1", "n1", "found", "s2", "n2")] == [1, 1, 2, 4, 4]


def test_marks_decide(places):
    decided = {name for name, ranked in places.items() if ranked.decision}
    assert decided == {"s1", "s2", "found", "b", "d"}


def test_every_document_has_its_mark(places):
    marks = {name: ranked.mark for name, ranked in places.items() if ranked.mark}
    assert marks == {
        "s1": "relevant",
        "found": "relevant",
        "n1": "irrelevant",
        "n2": "irrelevant",
        "d": "maybe",
    }


def test_only_what_was_given_is_a_seed_and_certain(places):
    assert {name for name, ranked in places.items() if ranked.seed} == {"s1", "s2"}
    assert (places["s1"].probability, places["s2"].probability) == (1, 1)


def test_what_is_marked_has_the_probability_that_its_score_has(places):
    likely = [places[name].probability for name in ("found", "n1", "n2", "d")]
    assert likely == pytest.approx([0.35, 0.4, 0.1, 0.3])


def test_without_marks_there_is_none_in_the_ranking():
    candidates = SimpleNamespace(
        **{**vars(CANDIDATES), "seed_ids": ["s1", "s2"], "negative_ids": []}
    )
    scores = Scores(SCORES.seeds[:2], SCORES.pool)
    found = rank_candidates(candidates, JUDGEMENT, scores, keep=Keep(), marks=Marks())
    assert len(found) == 6
    assert {ranked.mark for ranked in found} == {None}
