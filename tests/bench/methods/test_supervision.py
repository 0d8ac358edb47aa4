"""What may be learned from the truth, and what comes of it."""

import numpy as np
import pytest

from bench.made import made_task
from likewise.bench.methods.supervision import (
    Supervision,
    answer_from_truth,
    deal_aside,
    deal_quarters,
    deal_supervisions,
    find_best_threshold,
    learn_truth,
    list_splits,
)
from likewise.bench.methods.view import CountedTerms, TaskView
from likewise.bench.tasks import Truth


def rng():
    return np.random.default_rng(0)


def viewed(**made):
    task, truth = made_task(**made)
    return TaskView(task, CountedTerms()), truth


# Parts


def test_what_the_task_sets_aside_is_for_validation():
    splits = ["train", "validation", "train", "validation"]
    assert deal_aside(splits, rng=rng()).tolist() == [False, True, False, True]


@pytest.mark.parametrize("split", ["all", "train", "validation"])
def test_a_third_is_set_aside_where_a_task_has_no_parts(split):
    assert deal_aside([split] * 30, rng=rng()).sum() == 10


def test_one_of_two_is_set_aside():
    assert deal_aside(["all", "all"], rng=rng()).sum() == 1


def test_of_nothing_nothing_is_set_aside():
    assert deal_aside([], rng=rng()).tolist() == []


def test_an_inductive_task_is_learned_in_one_go():
    view, _ = viewed()
    (part,) = deal_supervisions(view, rng=rng())
    ids = np.array(view.pool)
    splits = {entry.id: entry.split for entry in view.entries}
    for mask, name in zip(part, ("train", "validation", "test"), strict=True):
        assert set(ids[mask]) == {i for i, split in splits.items() if split == name}


def test_each_quarter_of_a_transductive_task_is_measured_once():
    view, _ = viewed(setting="transductive")
    parts = deal_supervisions(view, rng=rng())
    assert len(parts) == 4
    assert np.sum([part.measured for part in parts], axis=0).tolist() == [1] * 80


def test_quarters_are_of_one_size_each_validated_once():
    parts = deal_quarters(8, rng=rng())
    assert [part.measured.sum() for part in parts] == [2] * 4
    assert [part.learned.sum() for part in parts] == [4] * 4
    assert np.sum([part.validation for part in parts], axis=0).tolist() == [1] * 8


@pytest.mark.parametrize("setting", ["inductive", "transductive"])
def test_no_document_is_in_two_parts(setting):
    view, _ = viewed(setting=setting)
    for part in deal_supervisions(view, rng=rng()):
        assert np.sum(part, axis=0).tolist() == [1] * 80


def test_documents_drawn_at_random_have_no_split():
    assert set(list_splits(viewed()[0].on_background)) == {"all"}


# The bound


@pytest.mark.parametrize("setting", ["inductive", "transductive"])
def test_with_the_truth_what_is_measured_is_told_apart(setting):
    view, truth = viewed(setting=setting)
    answer = answer_from_truth(view, truth, rng=rng())
    assert list(answer.ids) == view.measured
    is_on = np.array([name in truth.relevant for name in answer.ids])
    assert (answer.decided == is_on).mean() > 0.9


def test_the_truth_makes_the_difference():
    view, truth = viewed()
    turned = Truth(frozenset(view.pool) - truth.relevant)
    first, second = (answer_from_truth(view, each, rng=rng()) for each in (truth, turned))
    assert np.corrcoef(first.scores, second.scores)[0, 1] < 0


def test_the_truth_about_what_is_measured_is_not_looked_at():
    view, truth = viewed()
    blind = Truth(truth.relevant - set(view.measured))
    first, second = (answer_from_truth(view, each, rng=rng()) for each in (truth, blind))
    assert (first.scores == second.scores).all()
    assert (first.decided == second.decided).all()


def test_nothing_is_decided_for_where_nothing_of_the_validation_part_is_on_topic():
    view, truth = viewed()
    aside = {entry.id for entry in view.entries if entry.split == "validation"}
    assert not answer_from_truth(view, Truth(truth.relevant - aside), rng=rng()).decided.any()


def test_only_what_is_measured_is_scored():
    # A seed, then a pool whose first half is on topic and far from the other.
    rows = np.repeat([[1.0], [-1.0]], [5, 4], axis=0)
    is_relevant = np.array([True] * 4 + [False] * 4)
    learned, validation, measured = (np.isin(np.arange(8) % 4, of) for of in ([0], [1], [2]))
    part = Supervision(learned, validation, measured)
    found = learn_truth([rows], is_relevant, parts=[part], seeds=1)
    assert np.isfinite(found.scores).tolist() == measured.tolist()
    assert found.decided.tolist() == (measured & is_relevant).tolist()


@pytest.mark.parametrize(
    ("is_relevant", "threshold"),
    [
        # F1 is 2/3, 1/2, 4/5, 4/6 down the list.
        ([True, False, True, False], 2.0),
        # 1, 2/3, ...
        ([True, False, False, False], 4.0),
        ([False] * 4, np.inf),
        ([True] * 4, 1.0),
    ],
)
def test_the_threshold_is_that_of_the_best_f1(is_relevant, threshold):
    scores = np.array([4.0, 3.0, 2.0, 1.0])
    assert find_best_threshold(scores, np.array(is_relevant)) == threshold


def test_negatives_are_no_rows_of_the_pool():
    view, truth = viewed(negatives=5)
    answer = answer_from_truth(view, truth, rng=rng())
    is_cat = np.array([name.startswith("cat") for name in answer.ids])
    assert answer.ids == tuple(view.measured)
    assert (answer.decided == is_cat).all()
