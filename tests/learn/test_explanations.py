"""Why a document has its score."""

from functools import cache

import numpy as np
import pytest
from scipy import sparse

from learn.corpus import TOPIC, contributions, material_of, simulated_corpus
from likewise.features.words import find_latent_topics
from likewise.learn.estimators import Divergence, Fused, PULogistic
from likewise.learn.explanations import TermModel, TermSum
from likewise.learn.linear import WAYS, explain_fused, list_parts
from likewise.learn.material import LinearPlan
from likewise.learn.rows import Rows
from likewise.learn.spelling import parse_method
from likewise.learn.views import TopicView, explain_divergence

CORPUS = simulated_corpus()
WORDS, SEEDS = CORPUS.material.words, CORPUS.material.seeds


@cache
def linear():
    """The linear method's model, learned from everything, with every document's score by it."""
    topics = find_latent_topics(WORDS.tfidf, rng=np.random.default_rng(0), dimensions=20)
    material = CORPUS.material.with_views(TopicView(topics))
    plan = LinearPlan(material, WAYS["pn"], 1.0, (0.1, 0.03), 0.0, np.random.default_rng(0))
    parts = list_parts(plan)
    rows = Rows(*(part.rows for part in parts))
    fused = Fused([(part.estimator, part.weight) for part in parts])
    fused.learn(rows[:SEEDS], rows[SEEDS:])
    return explain_fused(fused, parts, material=material), fused.decision_function(rows)


@cache
def naive():
    logistic = PULogistic().learn(WORDS.tfidf[:SEEDS], WORDS.tfidf[SEEDS:])
    terms = TermSum(WORDS.tfidf, logistic.plane_.weights, WORDS.tfidf_columns)
    return TermModel(WORDS.terms, [terms]), logistic.decision_function(WORDS.tfidf)


@cache
def divergence():
    learned = Divergence(rising=2 * len(WORDS.terms))
    learned.learn(WORDS.evidence[:SEEDS], WORDS.evidence[SEEDS:])
    return explain_divergence(WORDS, seeds=SEEDS), learned.decision_function(WORDS.evidence)


@pytest.mark.parametrize("explained", [linear, naive, divergence])
def test_contributions_add_up_to_the_score_but_for_a_constant(explained):
    model, scores = explained()
    sums = [sum(contributions(model, row).values()) for row in range(len(scores))]
    constants = scores - sums
    assert constants == pytest.approx(np.full(len(scores), constants[0]), abs=1e-4)
    assert scores.std() > 0.1


@pytest.mark.parametrize("explained", [linear, naive])
def test_only_terms_of_the_document_contribute(explained):
    model, _ = explained()
    for row in (0, 50):
        columns = WORDS.evidence[[row]].indices % len(WORDS.terms)
        assert set(contributions(model, row)) <= {WORDS.terms[column] for column in columns}


@pytest.mark.parametrize("explained", [linear, naive])
def test_words_of_the_topic_move_documents_up(explained):
    model, _ = explained()
    added = contributions(model, SEEDS)
    assert max(added, key=added.get) in TOPIC


@pytest.mark.parametrize("name", ["linear", "naive"])
def test_a_method_hands_its_model_over(name):
    found = parse_method(name).score(CORPUS.material, rng=np.random.default_rng(0))
    assert set(contributions(found.model, 0)) & set(TOPIC)


def test_terms_of_several_views_are_added_up():
    words = material_of([("apple", "pear")] * 4, seeds=2).words
    size = len(words.terms)
    terms = np.arange(3 * size) % size
    model = TermModel(words.terms, [TermSum(words.evidence, np.ones(3 * size), terms)] * 2)
    # In the title a count of 1 is 2, in the abstract 1, and presence is 1.
    assert contributions(model, 0) == pytest.approx({"apple": 6.0, "pear": 4.0})


def test_words_that_a_view_has_of_its_own_are_named_by_it():
    words = material_of([("apple", "pear")] * 4, seeds=2).words
    rows = sparse.csr_array(np.array([[1.0, 0.0], [1.0, 2.0], [0.0, 0.0], [0.0, 1.0]]))
    cited = TermSum(rows, np.array([3.0, 0.5]), np.arange(2), names=("cites Mendel", "cites Snow"))
    terms = TermSum(words.tfidf, np.ones(words.tfidf.shape[1]), words.tfidf_columns)
    model = TermModel(words.terms, [cited, terms.scale(2.0), cited])
    assert contributions(model, 1) == pytest.approx(
        {"apple": 2**0.5, "pear": 2**0.5, "cites Mendel": 6.0, "cites Snow": 2.0}
    )
    up, _ = model.strongest(up=1, down=1)
    assert named(up, model, 1) == ["cites Mendel"]


def test_a_document_without_words_has_no_contributions():
    material = material_of([("apple", "pear")] * 4 + [("", "")], seeds=2)
    assert contributions(explain_divergence(material.words, seeds=2), 4) == {}


def named(strongest, model, row):
    return [model.names[term] for term in strongest.terms[strongest.rows == row]]


@pytest.mark.parametrize("explained", [linear, naive, divergence])
def test_the_strongest_terms_are_those_of_the_contributions(explained, monkeypatch):
    monkeypatch.setattr("likewise.learn.explanations.BLOCK", 7)
    model, scores = explained()
    up, down = model.strongest(up=5, down=2)
    for row in range(len(scores)):
        # Sums in another order differ in their last digits, and must not change the order.
        added = {term: round(of, 9) for term, of in contributions(model, row).items()}
        first = sorted(added, key=lambda term: (-added[term], term))[:5]
        last = sorted(added, key=lambda term: (added[term], term))[:2]
        assert named(up, model, row) == [term for term in first if added[term] > 0]
        assert named(down, model, row) == [term for term in last if added[term] < 0]


def test_of_terms_worth_the_same_the_first_of_the_alphabet_are_the_strongest():
    words = material_of([("pear fig apple kiwi", "")] * 4, seeds=2).words
    size = len(words.terms)
    model = TermModel(
        words.terms, [TermSum(words.evidence, np.ones(3 * size), np.arange(3 * size) % size)]
    )
    up, down = model.strongest(up=2, down=2)
    assert named(up, model, 3) == ["apple", "fig"]
    assert len(down.rows) == 0


def test_a_model_without_views_moves_nothing():
    words = material_of([("apple", "pear")] * 4, seeds=2).words
    up, down = TermModel(words.terms, []).strongest(up=3, down=3)
    assert (len(up.terms), len(down.terms)) == (0, 0)
