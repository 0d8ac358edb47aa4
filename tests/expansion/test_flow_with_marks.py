"""What marks do to an expansion."""

from dataclasses import replace
from functools import cache
from itertools import pairwise
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from expansion.corpus import corpus, hidden, library_in, library_of, on, seeds_on
from learn.corpus import material_of
from likewise.documents import Document
from likewise.errors import SeedsError
from likewise.expansion.candidates import Knowledge
from likewise.expansion.flow import Flow, expand
from likewise.expansion.marks import Marks
from likewise.expansion.saved import SavedExpansion
from likewise.expansion.settings import ExpandSettings
from likewise.learn.folds import Scores
from likewise.learn.methods import METHODS
from likewise.library import open_library

SEEDS = tuple(seed.id for seed in seeds_on("bees"))
HIDDEN = sorted(hidden("bees"), key=int)
SLEEP = [document.id for document in on("sleep")]
OFF = [document.id for document in corpus() if not document.keywords]
MIXED = (*SEEDS[:8], *SLEEP[:4])
RELEVANT, IRRELEVANT, MAYBE = tuple(HIDDEN[:4]), tuple(SLEEP[10:16]), tuple(OFF[:2])
SOME = {
    "relevant": RELEVANT,
    "irrelevant": IRRELEVANT,
    "maybe": MAYBE,
    "ranks": tuple({name: 3 * place for place, name in enumerate(IRRELEVANT, 1)}.items()),
}
QUICK = [name for name, known in METHODS.items() if not known.is_costly]


@pytest.fixture(scope="module")
def expanded(tmp_path_factory):
    """Expand with marks, each way once."""
    path = library_in(tmp_path_factory.mktemp("corpus") / "lib", *corpus())
    with open_library(path) as library:

        @cache
        def expanding(seeds=SEEDS, *, method="linear", keep="f1", ranks=(), **marks):
            settings = ExpandSettings(method=method, keep=keep)
            given = Marks(**marks, ranks=dict(ranks))
            return expand(library, seeds, marks=given, settings=settings)

        yield expanding


def places(expansion):
    return {ranked.id: ranked for ranked in expansion.ranking}


def mean_rank(expansion, ids):
    return np.mean([places(expansion)[identifier].rank for identifier in ids])


def pool_of(expansion):
    """Return what is neither a seed nor known by its mark."""
    known = (None, "maybe")
    return [ranked for ranked in expansion.ranking if not ranked.seed and ranked.mark in known]


def outcome(expansion):
    """Return all that is not about time."""
    return expansion.ranking, expansion.threshold, expansion.estimates, expansion.rounds


# What is learned


def test_what_was_marked_relevant_pulls_up_what_is_like_it(expanded):
    rest = SLEEP[8:]
    before, after = expanded(), expanded(relevant=tuple(SLEEP[:8]))
    # By chance they would stand around 150.
    assert mean_rank(after, rest) < 0.5 * mean_rank(before, rest)


def test_what_was_marked_irrelevant_pushes_down_what_is_like_it(expanded):
    rest, marked = SLEEP[12:], tuple(SLEEP[4:12])
    before = expanded(MIXED, relevant=RELEVANT)
    after = expanded(MIXED, relevant=RELEVANT, irrelevant=marked)
    assert mean_rank(after, rest) > 1.5 * mean_rank(before, rest)


def test_what_was_marked_irrelevant_where_nothing_was_found_changes_no_order(expanded):
    marked = tuple(SLEEP[4:12])
    before, after = expanded(MIXED), expanded(MIXED, irrelevant=marked)
    rest = [ranked.id for ranked in pool_of(before) if ranked.id not in marked]
    moved = [abs(places(after)[one].rank - places(before)[one].rank) for one in rest]
    # Folds are dealt anew, and what is marked leaves the list.
    assert np.mean(moved) < 15


def test_what_is_on_topic_still_stands_first(expanded):
    rest = set(HIDDEN[4:])
    best = {ranked.id for ranked in pool_of(expanded(**SOME))[: len(rest)]}
    assert len(best & rest) >= 25


def test_negatives_help_where_seeds_are_of_two_minds(expanded):
    wanted = set(HIDDEN) | set(SEEDS[8:])
    told = expanded(MIXED, irrelevant=(*MIXED[8:], *SLEEP[4:12]))
    found = [
        sum(ranked.id in wanted for ranked in pool_of(expansion)[: len(wanted)])
        for expansion in (expanded(MIXED), told)
    ]
    assert found[1] > found[0]


@pytest.mark.parametrize("method", ["linear(negatives=unlabeled)", "naive"])
def test_a_method_that_is_not_told_of_negatives_takes_them_for_the_pool(method, expanded):
    before, after = expanded(method=method), expanded(method=method, irrelevant=IRRELEVANT)
    old, new = places(before), places(after)
    apart = [abs(old[name].score - new[name].score) for name in old]
    assert np.median(apart) < 0.2 * np.std([ranked.score for ranked in before.ranking])


# Where marked documents stand


@pytest.mark.parametrize("method", QUICK)
def test_marked_documents_stay_in_the_ranking_with_their_marks(method, expanded):
    expansion = expanded(method=method, **SOME)
    marks = {ranked.id: ranked.mark for ranked in expansion.ranking if ranked.mark}
    expected = dict.fromkeys(RELEVANT, "relevant") | dict.fromkeys(IRRELEVANT, "irrelevant")
    assert marks == expected | dict.fromkeys(MAYBE, "maybe")
    assert len(expansion.ranking) == len(places(expansion)) == 320


@pytest.mark.parametrize("method", QUICK)
def test_what_is_known_is_no_part_of_the_pool_and_the_ranks_have_no_gaps(method, expanded):
    ranks = [ranked.rank for ranked in pool_of(expanded(method=method, **SOME))]
    assert ranks == list(range(1, 308 - 4 - 6 + 1))


@pytest.mark.parametrize("method", QUICK)
def test_scores_and_probabilities_fall_along_the_ranking(method, expanded):
    expansion = expanded(method=method, **SOME)
    scores = [ranked.score for ranked in expansion.ranking]
    assert np.isfinite(scores).all()
    assert scores == sorted(scores, reverse=True)
    likely = [ranked.probability for ranked in pool_of(expansion)]
    assert all(1 >= one >= other >= 0 for one, other in pairwise(likely))


def test_a_marked_document_has_the_rank_of_what_scores_like_it(expanded):
    expansion = expanded(**SOME)
    scores = [ranked.score for ranked in pool_of(expansion)]
    for name in (*RELEVANT, *IRRELEVANT):
        known = places(expansion)[name]
        assert known.rank == 1 + sum(score > known.score for score in scores)


def test_marks_decide_and_what_may_be_is_decided_like_the_rest(expanded):
    expansion = expanded(keep="top=20", **SOME)
    found = {ranked.id for ranked in expansion.found}
    assert set(RELEVANT) <= found
    assert found.isdisjoint(IRRELEVANT)
    decisions = [ranked.decision for ranked in pool_of(expansion)]
    assert decisions == sorted(decisions, reverse=True)


def test_what_may_be_on_topic_changes_nothing_but_its_mark(expanded):
    before, after = expanded(), expanded(maybe=MAYBE)
    assert outcome(after)[1:] == outcome(before)[1:]
    assert [msgspec.structs.replace(ranked, mark=None) for ranked in after.ranking] == list(
        before.ranking
    )


def test_the_scores_of_marked_documents_do_not_know_of_their_marks(expanded):
    denied = HIDDEN[:3]
    before, after = expanded(), expanded(irrelevant=tuple(denied))
    # Each is scored by models that did not see it; two others like it move it a little.
    assert mean_rank(after, denied) == pytest.approx(mean_rank(before, denied), rel=0.3)


# Seeds that are marked


def test_a_seed_that_is_marked_irrelevant_is_no_seed_any_more(expanded):
    expansion = expanded(irrelevant=(SEEDS[0],))
    marked = places(expansion)[SEEDS[0]]
    assert (marked.seed, marked.decision, marked.mark) == (False, False, "irrelevant")
    assert sum(ranked.seed for ranked in expansion.ranking) == 11


def test_a_seed_that_may_be_on_topic_joins_the_pool(expanded):
    expansion = expanded(maybe=(SEEDS[0],))
    assert len(pool_of(expansion)) == 309
    assert places(expansion)[SEEDS[0]].mark == "maybe"


def test_a_seed_that_is_marked_relevant_changes_nothing_but_its_mark(expanded):
    before, after = expanded(), expanded(relevant=(SEEDS[0],))
    assert outcome(after)[1:] == outcome(before)[1:]
    assert [msgspec.structs.replace(ranked, mark=None) for ranked in after.ranking] == list(
        before.ranking
    )
    assert places(after)[SEEDS[0]].seed


# Documents that are elsewhere


def test_marks_of_documents_that_were_deleted_change_nothing(expanded):
    deleted = {"relevant": ("9001",), "irrelevant": ("9002",), "maybe": ("9003",)}
    assert outcome(expanded(**deleted)) == outcome(expanded())


def test_what_retrieval_does_not_find_is_learned_from_and_ranked():
    far = [Document(id=f"far{n}", title=f"zebra stripe{n}") for n in range(4)]
    library = library_of(*on("bees"), *on("teeth"), *far)
    marks = Marks(relevant=("far0",), irrelevant=("far1",))
    expansion = expand(library, seeds_on("bees"), marks=marks)
    assert {"far0", "far1"} <= places(expansion).keys() <= expansion.documents.keys()
    # What was found is looked for, too.
    assert {"far2", "far3"} <= places(expansion).keys()


def test_where_all_is_marked_nothing_is_left_to_decide():
    library = library_of(*on("bees")[:8])
    marks = Marks(irrelevant=tuple(document.id for document in on("bees")[5:8]))
    with pytest.raises(SeedsError, match="the library holds nothing but the seeds"):
        expand(library, on("bees")[:5], marks=marks)


@pytest.mark.parametrize("left", [1, 2, 3])
def test_a_pool_may_be_tiny(left):
    pool = on("bees")[5:] + on("sleep")
    ids = [document.id for document in pool]
    marks = Marks(relevant=tuple(ids[left:20]), irrelevant=tuple(ids[40:]), maybe=tuple(ids[20:40]))
    library = library_of(*on("bees")[:5], *pool[:20], *pool[40:])
    expansion = expand(library, on("bees")[:5], marks=marks)
    assert [ranked.rank for ranked in pool_of(expansion)] == list(range(1, left + 1))


# The estimates


@pytest.mark.parametrize("keep", ["f1", "recall=0.9", "top=12"])
def test_estimates_count_what_was_found(keep, expanded):
    expansion = expanded(keep=keep, **SOME)
    rest = pool_of(expansion)
    sure = 4 + sum(ranked.probability for ranked in rest if ranked.decision)
    estimates = expansion.estimates
    assert estimates.precision == pytest.approx(sure / len(expansion.found))
    total = 4 + sum(ranked.probability for ranked in rest)
    assert estimates.recall == pytest.approx(sure / total)
    assert 4 <= estimates.relevant.low <= estimates.relevant.value <= estimates.relevant.high <= 302


def test_the_more_is_found_off_topic_at_the_top_the_fewer_are_estimated(expanded):
    best = tuple(ranked.id for ranked in pool_of(expanded())[:20])
    on_topic, off_topic = expanded(relevant=best), expanded(irrelevant=best)
    assert off_topic.estimates.relevant.value < on_topic.estimates.relevant.value


def test_what_was_looked_at_is_judged_apart_from_the_seeds():
    scores = Scores(np.array([5.0, 4, 3, 2.5]), np.arange(6.0), np.array([1.5]))
    retrieval = SimpleNamespace(is_inside=np.array([True, True, True, True]))
    given = SimpleNamespace(given=range(3))
    candidates = SimpleNamespace(seeds=given, known=Knowledge(given, read=(False, True)))
    flow = Flow(library_of(), settings=ExpandSettings())
    material = replace(material_of([("bee", "hive")] * 11, seeds=4), negatives=1)
    judgement = flow.judge_scores(scores, material, candidates=candidates, retrieval=retrieval)
    assert judgement.scores.seeds.tolist() == [5, 4, 3]
    assert (judgement.found.tolist(), judgement.off.tolist()) == ([2.5], [1.5])


# The same again


def test_the_same_marks_give_the_same(expanded, tmp_path):
    path = library_in(tmp_path / "lib", *corpus())
    marks = Marks(**{**SOME, "ranks": dict(SOME["ranks"])})
    assert outcome(expand(path, SEEDS, marks=marks)) == outcome(expanded(**SOME))


def test_no_marks_are_as_good_as_none_given(expanded, tmp_path):
    path = library_in(tmp_path / "lib", *corpus())
    assert outcome(expand(path, SEEDS)) == outcome(expanded())


def test_an_expansion_with_marks_is_loaded_as_it_was_saved(expanded, tmp_path):
    expansion = expanded(**SOME)
    saved = expansion.saved
    saved.save(tmp_path / "found.expansion.json")
    loaded = SavedExpansion.load(tmp_path / "found.expansion.json")
    assert loaded == saved
    assert loaded.marks == expansion.marks
    assert [place.mark for place in loaded.ranking] == [r.mark for r in expansion.ranking]
    assert [place.rank for place in loaded.ranking] == [r.rank for r in expansion.ranking]


def test_every_document_of_the_ranking_is_at_hand_and_explained(expanded):
    expansion = expanded(**SOME)
    assert set(expansion.documents) == set(places(expansion))
    for name in (SEEDS[0], RELEVANT[0], IRRELEVANT[0], MAYBE[0]):
        assert expansion.explain(name).nearest_seed in (*SEEDS, *RELEVANT)
