"""Methods of other packages: what they are given, and what becomes of what they give."""

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from learn.corpus import material_of, simulated_corpus
from likewise.errors import PlugInError, SettingsError
from likewise.extras import Offer
from likewise.learn.folds import Scores, share_above
from likewise.learn.material import Scored
from likewise.learn.methods import ROWS, MethodInfo
from likewise.learn.plugged import PluggedEstimator, select_rows
from likewise.learn.spelling import parse_method
from likewise.learn.views import VectorView
from likewise.parameters import COUNT, Parameter
from plugging import in_one_line, plug_in

__all__ = ["plug_in"]

CORPUS = simulated_corpus()


class Centre:
    """Scores by the mean of what is on topic less that of the others."""

    def __init__(self, times=1):
        self.times = times

    def fit(self, rows, labels):
        self.weights_ = rows[labels == 1].mean(axis=0) - rows[labels == 0].mean(axis=0)
        return self

    def decision_function(self, rows):
        return self.times * (rows @ self.weights_)


class Listener:
    """Remembers what it is given; a document that it has seen scores 1, and others 0."""

    given: ClassVar = []

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, rows, labels, validation):
        self.seen_ = {*rows, *validation[0]}
        Listener.given.append((self.random_state, rows, labels, validation))

    def decision_function(self, rows):
        return np.array([float(row in self.seen_) for row in rows])


class Wrong(Centre):
    """Gives what is no answer."""

    answer = staticmethod(lambda rows: np.nan)

    def decision_function(self, rows):
        return self.answer(rows)


class Mute:
    def fit(self, rows, labels):
        return self


def info(kind=Centre, **others):
    return MethodInfo(
        name="mine", description="mine", estimator=f"{__name__}:{kind.__name__}", **others
    )


def score_nothing(material, *, rng, on_step=None):
    return ANSWERS["scorer"](material)


ANSWERS = {}
CENTRE = info(parameters=(Parameter("times", 1, COUNT, "times"),))
LISTENER, WRONG, MUTE = info(Listener, rows="texts"), info(Wrong), info(Mute)
GONE = MethodInfo(name="mine", description="", estimator="no_such_package:Mine")
SCORER = MethodInfo(name="mine", description="mine", scorer=f"{__name__}:score_nothing")


@pytest.fixture
def mine(plug_in):
    """Install a method, and return it as it is spelled."""

    def install(constant, text="mine"):
        plug_in("likewise.methods", "mine", f"{__name__}:{constant}")
        return parse_method(text)

    return install


def scored(method, material=CORPUS.material):
    return method.score(material, rng=np.random.default_rng(0)).scores


@pytest.fixture
def given(mine):
    """What an estimator that validates is given, fit by fit."""
    Listener.given.clear()
    scored(mine("LISTENER"))
    return Listener.given


# What it is given


def test_a_method_of_another_package_ranks_what_is_like_the_seeds_first(mine):
    pool = scored(mine("CENTRE")).pool
    above = share_above(pool[CORPUS.is_relevant], pool[~CORPUS.is_relevant])
    assert above.mean() < 0.25


def test_parameters_are_checked_as_they_are_spelled_and_handed_over(mine):
    once, thrice = scored(mine("CENTRE")), scored(parse_method("mine(times=3)"))
    assert thrice.pool == pytest.approx(3 * once.pool)
    with pytest.raises(SettingsError, match="times is a whole number, at least 1"):
        parse_method("mine(times=0)")


def test_it_can_be_fused_with_ours(mine):
    mine("CENTRE")
    assert np.isfinite(scored(parse_method("naive + mine")).pool).all()


def test_labels_are_1_for_seeds_and_0_for_the_pool(given):
    _, rows, labels, _ = given[0]
    texts = [document.text for document in CORPUS.material.documents]
    assert set(rows[labels == 1]) <= set(texts[:8])
    assert set(rows[labels == 0]) <= set(texts[8:])
    assert set(labels.tolist()) == {0, 1}


def test_what_is_known_to_be_off_topic_is_labelled_so(mine):
    Listener.given.clear()
    scored(mine("LISTENER"), replace(CORPUS.material, negatives=6))
    texts = [document.text for document in CORPUS.material.documents]
    _, rows, labels, validation = Listener.given[0]
    off = {*rows[labels == -1], *validation[0][validation[1] == -1]}
    assert off == set(texts[8:14])


def test_a_third_of_each_kind_is_set_aside_where_nothing_else_says_which(given):
    # The first time it learns from all: 8 seeds and 120 documents.
    _, rows, labels, validation = given[0]
    assert [int((labels == label).sum()) for label in (1, 0)] == [5, 80]
    assert [int((validation[1] == label).sum()) for label in (1, 0)] == [3, 40]
    assert set(rows).isdisjoint(validation[0])


def test_no_document_is_scored_by_what_has_seen_it(mine):
    found = scored(mine("LISTENER"))
    assert found.pool.tolist() == [0] * 120


def test_nothing_is_learned_from_what_is_unseen(mine):
    Listener.given.clear()
    scored(mine("LISTENER"), replace(CORPUS.material, unseen=30))
    unseen = {document.text for document in CORPUS.material.documents[-30:]}
    assert len(Listener.given) > 10
    assert all(unseen.isdisjoint({*rows, *aside[0]}) for _, rows, _, aside in Listener.given)


def test_a_single_row_is_in_both_parts():
    estimator = PluggedEstimator(Listener, offer=Offer("method", "mine", "here"))
    Listener.given.clear()
    estimator.learn(np.array(["a"], object), np.array(["b", "c", "d"], object))
    _, rows, _, validation = Listener.given[0]
    assert "a" in rows
    assert "a" in validation[0]


def test_a_random_state_is_drawn_for_what_takes_one(given):
    first = given[0][0]
    assert first is not None
    assert {state for state, *_ in given} == {first}


def make_pipeline():
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    return make_pipeline(TfidfVectorizer(), LogisticRegression(class_weight="balanced"))


LOGISTIC = MethodInfo(
    name="mine", description="mine", estimator="sklearn.linear_model:LogisticRegression"
)
PIPELINE = info(make_pipeline, rows="texts")


@pytest.mark.parametrize("constant", ["LOGISTIC", "PIPELINE"])
def test_what_scikit_learn_has_may_be_named_or_made_by_a_function(constant, mine):
    pytest.importorskip("sklearn")
    pool = scored(mine(constant)).pool
    above = share_above(pool[CORPUS.is_relevant], pool[~CORPUS.is_relevant])
    assert above.mean() < 0.25


# Rows


@pytest.mark.parametrize("kind", ROWS)
def test_rows_are_what_is_asked_for(kind):
    vectors = np.zeros((128, 3), np.float32)
    material = CORPUS.material.with_views(VectorView(vectors))
    rows = select_rows(material, info(rows=kind), rng=np.random.default_rng(0))
    assert rows.shape[0] == 128
    documents = material.documents
    first = {
        "tfidf": lambda: rows is material.words.tfidf,
        "topics": lambda: rows.ndim == 2 and 1 < rows.shape[1] < material.words.tfidf.shape[1],
        "vectors": lambda: rows is vectors,
        "texts": lambda: rows[5] == documents[5].text,
        "documents": lambda: rows[5] is documents[5],
    }
    assert first[kind]()


def test_vectors_need_an_encoder():
    with pytest.raises(SettingsError, match="'mine' learns from the vectors of an encoder, but"):
        info(rows="vectors").check(encoder=None)
    with pytest.raises(SettingsError, match="'mine' learns from vectors; name an encoder with"):
        select_rows(CORPUS.material, info(rows="vectors"), rng=np.random.default_rng(0))


def test_what_learns_from_vectors_has_them_made(mine, monkeypatch):
    monkeypatch.setattr(f"{__name__}.CENTRE", info(rows="vectors"))
    method = mine("CENTRE")
    assert method.uses_vectors
    assert method.uses_encoder


def test_rows_of_no_kind_are_refused():
    with pytest.raises(SettingsError, match="rows are 'words'; use one of: tfidf, topics, vectors"):
        info(rows="words")


# What goes wrong


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            lambda rows: np.full(rows.shape[0], np.nan),
            "numbers that are not finite in decision_function",
        ),
        (
            lambda rows: np.full(rows.shape[0], np.inf),
            "numbers that are not finite in decision_function",
        ),
        (
            lambda rows: np.zeros(rows.shape[0] - 1),
            "documents in decision_function, not one for each",
        ),
        (
            lambda rows: np.zeros((rows.shape[0], 2)),
            "documents in decision_function, not one for each",
        ),
        (lambda rows: ["likely"] * rows.shape[0], "fails: ValueError: could not convert"),
        (lambda rows: rows.no_such, "fails: AttributeError: "),
    ],
)
def test_what_is_no_answer_is_told_in_one_line(answer, said, mine, monkeypatch):
    monkeypatch.setattr(Wrong, "answer", staticmethod(answer))
    with pytest.raises(PlugInError) as caught:
        scored(mine("WRONG"))
    assert in_one_line(caught, "the method 'mine' of", ":Wrong", said)


@pytest.mark.parametrize(
    ("constant", "said"),
    [("MUTE", "has no decision_function"), ("GONE", "fails: ModuleNotFoundError: No module")],
)
def test_what_is_no_estimator_is_told_before_anything_is_learned(constant, said, mine):
    with pytest.raises(PlugInError) as caught:
        mine(constant).check(encoder=None)
    assert in_one_line(caught, "the method 'mine' of", said)


def test_a_parameter_that_an_estimator_does_not_take_is_its_packages_mistake(mine, monkeypatch):
    known = (Parameter("height", 1, COUNT, "height"),)
    monkeypatch.setattr(f"{__name__}.CENTRE", info(parameters=known))
    with pytest.raises(PlugInError, match=r"fails: TypeError: .*height"):
        mine("CENTRE").check(encoder=None)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda m: None, "returns a NoneType, not a Scored"),
        (lambda m: Scored(Scores(np.ones(8), np.full(120, np.nan)), None), "120 of 120 numbers"),
        (lambda m: Scored(Scores(np.ones(8), np.ones(7)), None), r"shape (7,) for 120 documents"),
        (lambda m: Scored(Scores(np.ones(9), np.ones(120)), None), r"shape (9,) for 8 documents"),
        (lambda m: m.nothing, "fails: AttributeError"),
    ],
)
def test_a_scorer_that_gives_no_scores_is_told_in_one_line(answer, said, mine):
    ANSWERS["scorer"] = answer
    with pytest.raises(PlugInError) as caught:
        scored(mine("SCORER"))
    assert in_one_line(caught, "the method 'mine' of", ":score_nothing", said)


def test_seeds_whose_score_is_not_known_are_no_mistake(mine):
    ANSWERS["scorer"] = lambda m: Scored(Scores(np.full(8, np.nan), np.ones(120)), None)
    assert np.isnan(scored(mine("SCORER")).seeds).all()


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_tiny_pool_is_enough(size, mine):
    material = simulated_corpus(seeds=3, hidden=size, others=0).material
    assert len(scored(mine("LISTENER"), material).pool) == size


def test_documents_without_words_do_no_harm(mine):
    assert np.isfinite(scored(mine("CENTRE"), material_of([("", "")] * 40, seeds=5)).pool).all()
