"""Estimators of other packages by the paper's protocol, on small tasks."""

from typing import ClassVar

import numpy as np
import pytest

from bench.made import made_task
from likewise.bench.methods import parse_bench_method
from likewise.bench.methods.view import CountedTerms, TaskView
from likewise.errors import PlugInError
from likewise.learn.methods import MethodInfo
from plugging import in_one_line, plug_in

__all__ = ["plug_in"]


class Judging:
    """Takes documents for on topic that are about cats, and remembers what it is given."""

    fits: ClassVar = []
    asked: ClassVar = []

    def fit(self, rows, labels, validation):
        Judging.fits.append((rows, labels, *validation))
        return self

    def decision_function(self, documents):
        Judging.asked.append(documents)
        return np.array([float("cat" in document.text) for document in documents])

    def predict(self, documents):
        return 2 * self.decision_function(documents) - 1


class Together(Judging):
    def fit(self, rows, labels):
        Judging.fits.append((rows, labels))


class Lost(Judging):
    def predict(self, documents):
        return np.full(len(documents), np.nan)


class Scoring:
    """Decides nothing."""

    def fit(self, documents, labels):
        return self

    def decision_function(self, documents):
        return np.array([document.text.count("cat") for document in documents])


def info(kind):
    name = kind.__name__.lower()
    place = f"{__name__}:{kind.__name__}"
    return MethodInfo(name=name, description=name, estimator=place, rows="documents")


JUDGING, TOGETHER, LOST, SCORING = map(info, (Judging, Together, Lost, Scoring))


@pytest.fixture
def ask(plug_in):
    """Ask a method of a plug-in about a task."""
    Judging.fits.clear()
    Judging.asked.clear()
    for name in ("judging", "together", "lost", "scoring"):
        plug_in("likewise.methods", name, f"{__name__}:{name.upper()}")

    def ask(text, **made):
        view = TaskView(made_task(**made)[0], CountedTerms())
        return view, parse_bench_method(text).answer(view, rng=np.random.default_rng(0))

    return ask


def ids(documents):
    return {document.id for document in documents}


def of_split(view, label, split):
    return {entry.id for entry in view.task.list_entries(label) if entry.split == split}


def test_it_is_trained_on_the_training_part_and_given_the_validation_part(ask):
    view, _ = ask("judging", seeds=9, negatives=6)
    ((rows, labels, aside, aside_labels),) = Judging.fits
    for label, named in ((1, "positive"), (0, "unlabeled"), (-1, "negative")):
        assert ids(rows[labels == label]) == of_split(view, named, "train")
        assert ids(aside[aside_labels == label]) == of_split(view, named, "validation")


def test_it_is_asked_about_the_test_part_alone(ask):
    view, answer = ask("judging")
    assert list(answer.ids) == view.measured
    assert all([d.id for d in asked] == view.measured for asked in Judging.asked)


def test_its_decisions_are_its_own(ask):
    _, answer = ask("judging")
    # Documents on topic are called cat1, cat2 and so on; "cat" is not in all of their texts.
    assert answer.decided.tolist() == (answer.scores == 1).tolist()
    assert 0 < answer.decided.sum() < len(answer.decided)
    assert answer.probabilities is None


def test_one_that_does_not_ask_for_validation_learns_from_both_parts(ask):
    view, _ = ask("together", negatives=6)
    ((rows, labels),) = Judging.fits
    assert ids(rows[labels == 0]) == set(view.learned)
    assert ids(rows[labels == 1]) == {entry.id for entry in view.seed_entries}
    assert ids(rows[labels == -1]) == {entry.id for entry in view.negative_entries}


def test_one_that_only_scores_is_judged_as_ours_are(ask):
    _, answer = ask("scoring")
    assert answer.probabilities is not None
    assert answer.prior is not None


def test_the_whole_pool_of_a_transductive_task_is_asked_about(ask):
    view, answer = ask("judging", setting="transductive", seeds=9)
    ((rows, labels, aside, aside_labels),) = Judging.fits
    assert [int((labels == 1).sum()), int((aside_labels == 1).sum())] == [6, 3]
    assert ids(rows).isdisjoint(ids(aside))
    assert list(answer.ids) == view.measured == view.pool


def test_random_documents_take_the_pools_place(ask):
    view, answer = ask("random + judging")
    ((rows, labels, aside, aside_labels),) = Judging.fits
    drawn = ids(rows[labels == 0]) | ids(aside[aside_labels == 0])
    assert drawn == set(view.on_background.learned)
    assert list(answer.ids) == view.measured


def test_fused_with_others_its_scores_count_and_its_decisions_do_not(ask):
    _, answer = ask("linear + judging")
    assert answer.probabilities is not None
    assert len(Judging.fits) > 10


def test_decisions_that_are_no_numbers_are_told_in_one_line(ask):
    with pytest.raises(PlugInError) as caught:
        ask("lost")
    said = "gives 20 of 20 numbers that are not finite in predict"
    assert in_one_line(caught, f"the method 'lost' of {__name__}:Lost {said}")
