from types import SimpleNamespace

import numpy as np
import pytest
from msgspec.structs import replace

from expansion.corpus import TOPICS, corpus, library_in, on, seeds_on
from likewise.expansion.flow import expand
from likewise.expansion.marks import Marks
from likewise.expansion.ranking import rank_candidates
from likewise.expansion.records import UP
from likewise.expansion.settings import ExpandSettings
from likewise.learn.folds import Scores
from likewise.learn.thresholds import Keep
from likewise.library.analysis import build_analyzer

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
    decide=lambda _: np.array([False, True, False, True]),
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


SEEDS = seeds_on("bees")
# The text of the third seed, under another id and of another year, is another paper.
TWIN = replace(SEEDS[2], id="twin", pmid="", year=1901)
BEES = set(build_analyzer().analyze(" ".join(TOPICS["bees"])))


@pytest.fixture(scope="module", params=["linear", "naive", "bm25"])
def expansion(request, tmp_path_factory):
    path = library_in(tmp_path_factory.mktemp("why") / "lib", *corpus(), TWIN)
    return expand(path, SEEDS, settings=ExpandSettings(method=request.param, keep="top=20"))


def test_the_words_of_the_topic_moved_the_found_documents_up(expansion):
    for ranked in expansion.found:
        up = expansion.explain(ranked.id).up
        assert len(BEES.intersection(up[:4])) >= 2


def test_words_of_other_topics_moved_no_document_far_up(expansion):
    sleepy = set(build_analyzer().analyze(" ".join(TOPICS["sleep"])))
    for document in on("sleep"):
        up = {term: max(w, 0) for term, w in expansion.explain(document.id).weights.items()}
        assert sum(up.get(term, 0) for term in sleepy) <= sum(up.get(term, 0) for term in BEES) + 1


def test_every_document_of_the_ranking_is_explained_and_seeds_are_too(expansion):
    seeds = {document.id for document in SEEDS}
    for ranked in expansion.ranking:
        explanation = expansion.explain(ranked.id)
        assert explanation.nearest_seed in seeds - {ranked.id}
        assert len(explanation.up) <= UP
        assert len(explanation.down) <= UP


def test_the_strongest_terms_come_first(expansion):
    for ranked in expansion.ranking:
        why = expansion.explain(ranked.id)
        up, down = ([why.weights[term] for term in terms] for terms in (why.up, why.down))
        assert up == sorted(up, reverse=True)
        assert down == sorted(down)
        assert min(up, default=1) > 0 > max(down, default=-1)


def test_only_terms_of_a_document_explain_it(expansion):
    for ranked in expansion.found:
        terms = set(build_analyzer().analyze(expansion.documents[ranked.id].text))
        explanation = expansion.explain(ranked.id)
        assert {*explanation.up, *explanation.down} <= terms


def test_the_nearest_seed_is_the_one_of_the_same_text(expansion):
    assert expansion.explain("twin").nearest_seed == SEEDS[2].id


def test_a_document_that_is_not_in_the_ranking_has_no_explanation(expansion):
    with pytest.raises(KeyError):
        expansion.explain("nowhere")
