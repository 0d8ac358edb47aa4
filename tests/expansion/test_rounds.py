import numpy as np
import pytest

from expansion.corpus import library_of
from expansion.samples import small_expansion
from likewise.documents import Document
from likewise.expansion.records import Round
from likewise.expansion.retrieval import learn_query
from likewise.expansion.summary import describe_rounds
from likewise.features.terms import TermCounter
from likewise.features.words import make_word_features
from likewise.library.more_like import MoreLike, select_by_divergence, select_terms
from likewise.library.protocol import Term

SEEDS = [
    Document(id="s1", title="bee honey", abstract="nectar"),
    Document(id="s2", title="bee", abstract="nectar hive"),
]
POOL = [
    Document(id="p1", title="bee swarm", abstract="hive"),
    Document(id="p2", title="swarm"),
    Document(id="p3", title="sleep nap", abstract="dream"),
    Document(id="p4", title="sleep nap", abstract="dream"),
]
OTHERS = [Document(id=f"o{number}", title="dental", abstract="enamel") for number in range(30)]
LIBRARY = library_of(*SEEDS, *POOL, *OTHERS)
ANY_TERM = MoreLike(min_document_frequency=1)


def learned(*probabilities, library=LIBRARY):
    counter = TermCounter(LIBRARY.analyze_all)
    counter.add([*SEEDS, *POOL])
    words = make_word_features(counter.counts([document.id for document in (*SEEDS, *POOL)]))
    likely = np.array(probabilities)
    return learn_query(words, likely, seeds=2, library=library, settings=ANY_TERM)


def weights(query):
    return {(term.field, term.text): term.weight for term in query.terms}


def test_words_of_likely_documents_that_no_seed_has_are_asked_for():
    asked = weights(learned(0.9, 0.9, 0, 0))
    assert asked["title", "swarm"] > 0


def test_the_likelier_the_documents_the_more_their_words_weigh():
    low, high = learned(0.5, 0.5, 0, 0), learned(0.9, 0.9, 0, 0)
    assert weights(high)["title", "swarm"] > 2 * weights(low)["title", "swarm"]


def test_words_of_what_is_known_to_be_off_topic_are_not_asked_for():
    # The first of the pool is none any more: two seeds, one that is off topic, three of the pool.
    assert weights(learned(0.9, 0, 0)) == weights(learned(0, 0.9, 0, 0))


def test_words_of_documents_that_do_not_count_are_not_asked_for():
    texts = {term.text for term in learned(0.9, 0.9, 0, 0).terms}
    assert texts.isdisjoint({"sleep", "nap", "dream", "dental", "enamel"})


def test_with_no_likely_document_the_query_is_that_of_the_seeds():
    expected = select_terms(LIBRARY, SEEDS, settings=ANY_TERM)
    assert weights(learned(0, 0, 0, 0)) == pytest.approx(
        {(term.field, term.text): term.weight for term in expected}
    )


def test_a_seed_counts_as_five_likely_documents():
    # Two seeds of 5, and two documents of a half: 11 in all.
    shares = {
        "title": {"bee": 10.5 / 11, "honey": 5 / 11, "swarm": 1 / 11},
        "abstract": {"nectar": 10 / 11, "hive": 5.5 / 11},
    }
    expected = select_by_divergence(LIBRARY, shares, settings=ANY_TERM)
    asked = learned(0.5, 0.5, 0, 0).terms
    assert [(t.field, t.text) for t in asked] == [(t.field, t.text) for t in expected]
    assert [t.weight for t in asked] == pytest.approx([t.weight for t in expected])


def test_words_that_hardly_any_likely_document_has_are_left_out():
    # Of 10.1 documents that count, 0.1 is under one in a hundred and 0.2 of 10.2 is over it;
    # both are more than the two of a thousand that have the word.
    others = [Document(id=f"m{number}", title="dental") for number in range(1000)]
    library = library_of(*SEEDS, *POOL, *others)
    rare, enough = (learned(0, likely, 0, 0, library=library) for likely in (0.1, 0.2))
    assert ("title", "swarm") not in weights(rare)
    assert ("title", "swarm") in weights(enough)


def test_the_query_finds_documents_that_no_word_of_the_seeds_would():
    assert "p2" in LIBRARY.search(learned(0.9, 0, 0, 0), limit=5, exclude=["s1", "s2"]).ids


def test_the_settings_of_the_seeds_query_hold():
    counter = TermCounter(LIBRARY.analyze_all)
    counter.add(SEEDS)
    words = make_word_features(counter.counts(["s1", "s2"]))
    settings = MoreLike(min_document_frequency=1, max_terms=1)
    query = learn_query(words, np.array([]), seeds=2, library=LIBRARY, settings=settings)
    assert [type(term) for term in query.terms] == [Term]


def test_each_round_after_the_first_is_told():
    rounds = (Round(1000, 300, 300), Round(1, 0, 310), Round(2500, 1200, 1500))
    assert describe_rounds(small_expansion(rounds=rounds)) == [
        "Round 2 added 1 candidate, 0 of them likely to be on your topic.",
        "Round 3 added 2,500 candidates, 1,200 of them likely to be on your topic.",
    ]


def test_of_a_single_round_nothing_is_told():
    assert describe_rounds(small_expansion()) == []
