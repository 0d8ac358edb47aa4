"""What a method sees of a task, and how its scores become an answer."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from bench.made import made_task
from likewise.bench.methods import parse_bench_method
from likewise.bench.methods.view import CountedTerms, TaskView, judge_answer
from likewise.bench.tasks import TaskEntry
from likewise.learn.folds import Scores
from likewise.learn.material import Scored
from likewise.learn.spelling import parse_method
from likewise.learn.thresholds import parse_keep


def view_of(**made):
    task, _ = made_task(**made)
    return TaskView(task, CountedTerms())


def test_seeds_are_those_of_the_training_and_the_validation_part():
    assert [seed.id for seed in view_of(seeds=4).seeds] == ["seed0", "seed1", "seed2", "seed3"]


def test_what_is_measured_is_the_test_part_of_an_inductive_task():
    view = view_of()
    tested = {entry.id for entry in view.task.entries if entry.split == "test"}
    assert set(view.measured) == tested
    assert view.unseen == len(tested) == 20


def test_what_is_measured_is_the_whole_pool_of_a_transductive_task():
    view = view_of(setting="transductive")
    assert len(view.measured) == 80
    assert view.unseen == 0


def test_unseen_documents_stand_last():
    view = view_of()
    assert view.pool[-view.unseen :] == view.measured
    assert set(view.pool[: -view.unseen]).isdisjoint(view.measured)


def test_the_material_has_the_seeds_then_the_pool():
    view = view_of(seeds=4)
    material = view.make_material()
    assert [d.id for d in material.documents] == [f"seed{n}" for n in range(4)] + view.pool
    assert (material.seeds, material.unseen) == (4, 20)
    assert material.words.tfidf.shape[0] == 84


def test_the_engines_scores_are_in_the_order_of_the_pool():
    view = view_of()
    scores = {entry.id: entry.score for entry in view.task.entries}
    assert view.make_material().retrieval.pool.tolist() == [scores[name] for name in view.pool]


def sized(size=None, **made):
    """Return the view of a task whose library has so many documents; those it names, if None."""
    task, _ = made_task(**made)
    size = len(task.entries) if size is None else size
    metadata = msgspec.structs.replace(task.metadata, library_size=size)
    return TaskView(replace(task, metadata=metadata), CountedTerms())


def test_the_share_of_the_library_outside_is_that_of_what_the_task_does_not_name():
    named = len(sized(0).task.entries)
    assert sized(4 * named).make_material().outside == 0.75
    assert sized().make_material().outside == 0


def test_of_a_library_whose_size_is_not_told_nearly_all_is_outside():
    assert sized(0).make_material().outside == 1


def test_where_no_engine_has_ranked_the_pool_nothing_is_outside():
    task, _ = made_task()
    unranked = tuple(msgspec.structs.replace(entry, score=None) for entry in task.entries)
    assert TaskView(replace(task, entries=unranked), CountedTerms()).make_material().outside == 0


def test_documents_drawn_at_random_take_the_place_of_what_is_learned_from():
    view = view_of().on_background
    assert view.pool[:-20] == [f"random{number}" for number in range(50)]
    assert view.unseen == 20


def test_no_more_random_documents_are_learned_from_than_retrieved_ones():
    task, _ = made_task()
    names = tuple(task.documents)
    drawn = replace(task, background=tuple(f"other{n}" for n in range(200)) + names)
    assert TaskView(drawn, CountedTerms()).on_background.learned == [f"other{n}" for n in range(60)]


def test_a_random_document_that_the_task_names_is_not_learned_from():
    task, _ = made_task()
    named = TaskView(
        type(task)(
            name=task.name,
            metadata=task.metadata,
            entries=task.entries,
            documents=task.documents,
            background=("cat0", "seed1", "random7"),
        ),
        CountedTerms(),
    )
    assert named.on_background.learned == ["random7"]


def test_seeds_count_as_inside_where_nothing_is_known_of_any():
    view = view_of(seeds=4)
    assert view.is_inside.tolist() == [True] * 4


def test_negatives_are_those_known_to_be_off_topic():
    assert [wrong.id for wrong in view_of(negatives=2).negatives] == ["wrong0", "wrong1"]


def test_the_material_has_negatives_between_seeds_and_pool():
    view = view_of(seeds=4, negatives=3)
    material = view.make_material()
    assert [d.id for d in material.documents[:7]] == [
        *("seed0", "seed1", "seed2", "seed3"),
        *("wrong0", "wrong1", "wrong2"),
    ]
    assert [d.id for d in material.documents[material.known :]] == view.pool
    assert (material.negatives, material.words.tfidf.shape[0]) == (3, 87)


def test_the_engine_says_of_negatives_what_it_said_when_they_were_in_the_pool():
    task, _ = made_task(negatives=1)
    found = TaskEntry("wrong0", "negative", "train", rank=40, score=50.5)
    others = (entry for entry in task.entries if entry.id != "wrong0")
    view = TaskView(replace(task, entries=(*others, found)), CountedTerms())
    assert view.make_material().retrieval.negatives.tolist() == [50.5]


def test_of_a_negative_that_was_not_retrieved_the_engine_says_the_least():
    # The last of 80 documents has the score 90 - 79.
    assert view_of(negatives=2).make_material().retrieval.negatives.tolist() == [11, 11]


@pytest.mark.parametrize("setting", ["inductive", "transductive"])
def test_a_method_of_the_product_answers_a_task(setting):
    # All of the library is in the task: what its engine says, which is invented, does not count.
    view = sized(setting=setting, seeds=9)
    rng = np.random.default_rng(0)
    scored = parse_method("linear").score(view.make_material(), rng=rng)
    answer = judge_answer(view, scored)
    is_cat = np.array([name.startswith("cat") for name in answer.ids])
    assert answer.ids == tuple(view.measured)
    assert answer.scores[is_cat].min() > answer.scores[~is_cat].max()
    assert answer.probabilities[is_cat].min() >= answer.probabilities[~is_cat].max()


def test_an_inductive_decision_is_made_by_what_was_learned_from():
    view = view_of(seeds=4)
    pool = np.append(np.arange(60.0), np.arange(100.0, 120.0))
    scored = Scored(Scores(np.array([59.0, 58.5, 58.0, 57.0]), pool), None)
    answer = judge_answer(view, scored, keep=parse_keep("top=5"))
    assert answer.decided.all()


@pytest.mark.parametrize("setting", ["inductive", "transductive"])
def test_clusters_decide_unless_another_rule_is_asked_for(setting):
    view = view_of(setting=setting, negatives=6)
    method = parse_bench_method("copkmeans")
    answer = method.answer(view, rng=np.random.default_rng(0))
    assert (answer.decided == (answer.scores >= 0)).all()
    asked = method.answer(view, rng=np.random.default_rng(0), keep=parse_keep("top=3"))
    assert (asked.decided != answer.decided).any()


def test_terms_counted_before_make_no_difference():
    task, _ = made_task()
    documents = list(task.documents.values())
    fresh, used = CountedTerms(), CountedTerms()
    used.counts(documents[::-1])
    expected, found = fresh.counts(documents[:10]), used.counts(documents[:10])
    assert found.terms == expected.terms == sorted(found.terms)
    for name in ("title", "abstract"):
        one, other = getattr(found, name), getattr(expected, name)
        # To the order in which values are stored: sums differ by it in their last bits.
        assert one.indptr.tolist() == other.indptr.tolist()
        assert one.indices.tolist() == other.indices.tolist()
        assert one.data.tolist() == other.data.tolist()


def test_where_no_seed_has_a_score_documents_are_ranked_but_not_decided():
    view = view_of(seeds=4)
    scored = Scored(Scores(np.full(4, np.nan), np.arange(80.0)), None)
    answer = judge_answer(view, scored)
    assert answer.decided is None
    assert answer.scores.tolist() == list(range(60, 80))
