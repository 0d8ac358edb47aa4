import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.bench.measures import MEASURES, check_measure
from likewise.bench.methods.view import MethodAnswer
from likewise.bench.runs import measure_answer
from likewise.bench.tasks import Task, TaskEntry, TaskMetadata, Truth
from likewise.errors import NotFiniteError, SettingsError
from likewise.learn.estimates import Interval

pytest.importorskip("ir_measures", reason="the extra bench is not installed")


def metadata(**given):
    counts = {"seeds": 2, "P_size": 10, "LP_size": 2, "U_size": 4, "precision": 0.5, "recall": 0.25}
    return TaskMetadata(topic="Rats", draw=0, number=0, **(counts | given))


def answer(scores="4321", decided="1100", **given):
    """Return an answer about documents a, b, c, ..."""
    return MethodAnswer(
        ids=tuple("abcdefghij"[: len(scores)]),
        scores=np.array([float(letter) for letter in scores]),
        decided=np.array([letter == "1" for letter in decided]),
        **given,
    )


def task_of(*, test_seeds="", **given):
    entries = tuple(TaskEntry(name, "positive", "test") for name in test_seeds)
    return Task(name="L2/rats/draw-0", metadata=metadata(**given), entries=entries, documents={})


def measured(found=None, *, relevant="ac", **given):
    return measure_answer(found or answer(), Truth(frozenset(relevant)), task_of(**given))


def test_the_decision_is_measured_on_the_documents_of_the_answer():
    found = measured(relevant="acxyz")
    assert found["precision"] == 1 / 2
    assert found["recall"] == 1 / 2
    assert found["F1"] == 1 / 2
    assert found["decided"] == 2


def test_recall_over_the_library_is_recall_times_the_pools():
    # 2 of the 8 that are no seeds are in the pool, and 1 of them is decided: 1 of 8.
    assert measured(recall=2 / 8)["library recall"] == 1 / 8


def test_the_ranking_is_measured_by_scores():
    # On topic are the first and the third.
    assert measured()["AP"] == pytest.approx((1 + 2 / 3) / 2)
    assert measured()["best F1 (oracle)"] == pytest.approx(4 / 5)


def test_documents_that_score_the_same_rank_by_chance_which_a_task_fixes():
    # The mean over tasks of 1, 1/2, 1/3 and 1/4 is 25/48, wherever the document stands.
    found = [
        [measured(answer("1111"), relevant=name, fingerprint=str(n))["AP"] for n in range(400)]
        for name in "ad"
    ]
    assert np.mean(found, axis=1) == pytest.approx([25 / 48, 25 / 48], abs=0.05)
    assert measured(answer("1111"), fingerprint="7") == measured(answer("1111"), fingerprint="7")


def test_seeds_of_the_test_part_are_no_part_of_what_is_said_of_shares():
    # Of a, b, c and d, a was not retrieved: one of three is on topic.
    sure = answer(probabilities=np.array([0.0, 0.0, 1.0, 0.0]))
    found = measured(sure, test_seeds="a")
    assert found["on topic"] == pytest.approx(1 / 3)
    assert found["Brier"] == 0
    assert found["recall"] == 1 / 2


def test_top_k_begins_at_the_number_of_seeds():
    assert measured(seeds=4)["top-k F1"] == pytest.approx(4 / 6)
    assert measured(seeds=4)["top-k F1 deviation"] == 0
    assert "top-k F1" not in measured(seeds=5)


def test_what_is_believed_is_measured_where_a_method_says_it():
    believing = answer(
        probabilities=np.array([1.0, 0.0, 1.0, 0.0]),
        prior=Interval(0.25, 0.2, 0.3),
        outside=Interval(0.7, 0.6, 0.8),
    )
    found = measured(believing)
    assert found["calibration error"] == 0
    assert found["Brier"] == 0
    assert found["prior error"] == pytest.approx(math.log(1 / 2))
    assert found["interval covered"] == 0
    assert found["outside covered"] == 1


def test_what_a_method_does_not_say_is_left_out():
    unsaid = {"calibration error", "Brier", "prior error", "interval covered", "outside covered"}
    assert not unsaid & measured().keys()


def test_without_documents_on_topic_what_needs_them_is_left_out():
    found = measured(relevant="xyz")
    assert set(found) == {"precision", "accuracy", "decided", "on topic"}


def test_if_all_are_on_topic_what_needs_both_sides_is_left_out():
    assert not {"AUC", "BER"} & measured(relevant="abcd").keys()


def test_an_answer_about_nothing_measures_nothing():
    assert measured(answer("", "")) == {}


def test_scores_that_are_no_numbers_are_refused():
    broken = answer()
    broken.scores[1] = np.nan
    with pytest.raises(NotFiniteError, match="1 of 4 scores are not numbers"):
        measured(broken)


def test_scores_may_be_infinite():
    endless = answer()
    endless.scores[3] = -np.inf
    assert measured(endless) == measured()


def test_every_measure_is_described():
    everything = answer(
        probabilities=np.full(4, 0.5), prior=Interval(0.5, 0.1, 1), outside=Interval(0.7, 0.6, 0.8)
    )
    assert {*measured(everything), "seconds", "megabytes"} == set(MEASURES)


def test_an_unknown_measure_is_answered_with_those_there_are():
    with pytest.raises(SettingsError, match="no measure 'F2'; choose one of: F1, precision"):
        check_measure("F2")


@given(st.permutations("abcdefgh"), st.integers(0, 999))
def test_measures_do_not_depend_on_what_documents_are_called(names, number):
    scores = np.random.default_rng(number).integers(0, 4, 8).astype(float)
    plain = MethodAnswer(ids=tuple("abcdefgh"), scores=scores, decided=scores > 2)
    renamed = MethodAnswer(ids=tuple(names), scores=scores, decided=scores > 2)
    relevant = Truth(frozenset("acf"))
    others = Truth(frozenset(names[place] for place in (0, 2, 5)))
    assert measure_answer(plain, relevant, task_of()) == measure_answer(renamed, others, task_of())


def test_a_pool_of_20000_is_measured_in_well_under_a_second():
    scores = np.random.default_rng(0).random(20_000)
    ids = tuple(map(str, range(20_000)))
    large = MethodAnswer(ids=ids, scores=scores, decided=scores > 0.5, probabilities=scores)
    truth = Truth(frozenset(ids[::10]))
    measure_answer(large, truth, task_of())
    start = time.process_time()
    measure_answer(large, truth, task_of())
    assert time.process_time() - start < 0.8


def test_an_answer_that_decides_nothing_is_measured_by_its_ranking_alone():
    found = measure_answer(
        MethodAnswer(ids=("cat0", "dog0"), scores=np.array([2.0, 1.0]), decided=None),
        Truth(frozenset({"cat0"})),
        task_of(),
    )
    assert found["AP"] == 1.0
    assert "F1" not in found
    assert "accuracy" not in found
