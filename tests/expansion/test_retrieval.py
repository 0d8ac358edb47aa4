import math
import threading
from contextlib import closing
from functools import partial

import numpy as np
import pytest

from expansion.corpus import library_of
from expansion.samples import small_expansion
from likewise.documents import Document
from likewise.expansion import retrieval
from likewise.expansion.records import Round
from likewise.expansion.retrieval import (
    PoolSearch,
    Retrieval,
    _find_shares_above,
    estimate_share,
    learn_query,
    retrieve,
)
from likewise.expansion.seeds import Seeds
from likewise.expansion.settings import ExpandSettings
from likewise.expansion.summary import describe_rounds
from likewise.features.terms import TermCounter
from likewise.features.words import make_word_features
from likewise.library.more_like import MoreLike, more_like_these, select_by_divergence, select_terms
from likewise.library.protocol import Hits, Term
from likewise.machine import run_steps

MATCHED = tuple(
    Document(id=identifier, title=title)
    for identifier, title in [
        ("s1", "bee honey hive"),
        ("s2", "bee honey hive"),
        ("s3", "bee honey hive"),
        ("s4", "bee honey"),
        ("s5", "zebra"),
    ]
)
LIKE_THEM = (Document(id="all", title="bee honey hive"), Document(id="one", title="hive"))
OTHERS = tuple(Document(id=f"o{number}", title="sleep") for number in range(20))
TEXT_ONLY = (Document(id="mine", title="bee honey"),)


def retrieved(*, matched=MATCHED, text_only=(), pool=20, **chosen):
    """Retrieve from a library that is larger than the pool, unless told otherwise."""
    chosen["pool"] = pool
    library = library_of(*matched, *LIKE_THEM, *OTHERS)
    seeds, settings = Seeds(matched, text_only, ()), ExpandSettings(**chosen)
    return retrieve(library, seeds, settings=settings, rng=np.random.default_rng(0))


def test_the_pool_is_what_is_like_the_seeds_without_them():
    assert retrieved().hits.ids == ["all", "one"]


def test_the_pool_is_no_larger_than_asked_for():
    assert retrieved(pool=1).hits.ids == ["all"]


def test_each_seed_has_the_share_of_the_pool_that_the_others_put_above_it():
    # Five seeds are held out one by one. The document `all` has every word that the others ask
    # for: as many as s1 to s3, and "all" is before "s1"; more than s4, which `one` is behind.
    assert retrieved().above[:4].tolist() == [0.5, 0.5, 0.5, 0.5]


# A library that is no larger than the pool

OTHER_IDS = sorted(other.id for other in OTHERS)


def test_a_library_no_larger_than_the_pool_is_all_candidates():
    hits = retrieved(pool=27).hits
    assert hits.ids == ["all", "one", *OTHER_IDS]
    assert hits.scores[2:] == [0.0] * 20
    assert hits.scores[0] > hits.scores[1] > 0


def test_what_has_too_few_terms_of_a_query_that_is_not_relaxed_is_no_candidate():
    # The four terms are bee, hive, honey and zebra.
    strict = MoreLike(minimum_match=0.5, relax=False, min_document_frequency=1)
    assert retrieved(pool=27, more_like=strict).hits.ids == ["all"]


def test_a_library_that_is_larger_by_one_is_not():
    assert retrieved(pool=26).hits.ids == ["all", "one"]


def test_a_seed_that_shares_no_term_is_behind_all_that_do():
    above = retrieved(pool=27).above
    assert above[4] >= 2 / 22
    assert above[:4].tolist() == [pytest.approx(1 / 22)] * 4


def test_in_such_a_library_nothing_lies_outside():
    retrieval = retrieved(pool=27)
    assert retrieval.outside == estimate_share(0, 5)
    assert retrieval.outside_share == 0


def test_seeds_that_nothing_is_like_have_no_pool_even_so():
    strangers = tuple(Document(id=f"x{number}", title="quagga") for number in range(3))
    assert retrieved(matched=(), text_only=strangers, pool=100).hits.ids == []


def test_the_share_of_the_library_that_was_not_retrieved_is_told():
    # Of 27, two were found and five are seeds.
    assert retrieved().outside_share == pytest.approx(1 - 7 / 27)


def test_terms_weigh_what_one_occurrence_adds_to_a_score():
    settings = ExpandSettings(pool=20)
    library = library_of(*MATCHED, *LIKE_THEM, *OTHERS)
    found = more_like_these(library, MATCHED, limit=20, settings=settings.more_like).query.terms
    # Five of 27 documents have it: s1 to s3, `all` and `one`.
    (asked,) = [term for term in found if term.text == "hive"]
    (told,) = [term for term in retrieved().terms if term.text == "hive"]
    assert told.weight == pytest.approx(asked.weight * math.log(1 + (27 - 5 + 0.5) / (5 + 0.5)))


# Places


def test_a_seed_above_the_whole_pool_has_none_of_it_above():
    longer = tuple(
        Document(id=f"s{number}", title="bee honey hive", abstract="bee honey hive")
        for number in range(3)
    )
    assert retrieved(matched=longer).above.tolist() == [0, 0, 0]


def test_a_seed_that_the_others_do_not_retrieve_has_no_place():
    assert math.isnan(retrieved().above[4])


def test_a_seed_beyond_the_end_of_the_pool_has_no_place():
    # `all` alone takes the one place that there is.
    assert np.isnan(retrieved(pool=1).above).all()


def test_the_share_outside_is_that_of_the_seeds_that_others_do_not_retrieve():
    assert retrieved().outside == estimate_share(1, 5)


def test_a_seed_that_the_library_lacks_has_no_place_and_does_not_count_as_outside():
    retrieval = retrieved(text_only=TEXT_ONLY)
    assert math.isnan(retrieval.above[5])
    assert retrieval.is_matched.tolist() == [True] * 5 + [False]
    assert retrieval.is_inside.tolist() == [True] * 4 + [False, True]
    assert retrieval.outside == estimate_share(1, 5)


def test_with_no_seed_in_the_library_nothing_is_known_about_the_outside():
    assert retrieved(matched=(), text_only=(*TEXT_ONLY, *MATCHED)).outside is None


def test_seeds_that_are_held_out_together_are_not_above_each_other():
    found = ["a", "s1", "b", "s2", "s3", "c", "d"]
    above = _find_shares_above(found, {"s1", "s2", "s3", "s4"})
    assert above == {"s1": 0.25, "s2": 0.5, "s3": 0.5}


def test_where_only_seeds_are_found_nothing_is_above_them():
    assert _find_shares_above(["s1", "s2"], {"s1", "s2"}) == {"s1": 0, "s2": 0}


def test_a_seeds_score_is_that_of_the_pool_at_its_place():
    hits = Hits(["a", "b", "c", "d"], [4.0, 3.0, 2.0, 1.0])
    retrieval = Retrieval(hits, np.array([0.375, np.nan]), np.array([True, True]))
    # The middle of the second of four places has 1.5 / 4 above it.
    assert retrieval.scores.seeds.tolist() == pytest.approx([3.0, math.nan], nan_ok=True)
    assert retrieval.scores.pool.tolist() == [4, 3, 2, 1]


def test_what_did_not_join_the_pool_is_left_out_with_its_score():
    hits = Hits(["a", "b", "c"], [3.0, 2.0, 1.0])
    kept = Retrieval(hits, np.array([]), np.array([])).of(["c", "a"], off=[])
    assert kept.hits == Hits(["a", "c"], [3.0, 1.0])


def test_of_no_misses_in_one_the_interval_is_as_worked_out():
    # Beta(1/2, 3/2) is below x with probability 2/pi (asin(root x) + root(x (1 - x))).
    value, low, high = estimate_share(0, 1)
    below = 2 / math.pi * (math.asin(math.sqrt(high)) + math.sqrt(high * (1 - high)))
    assert (value, low) == (0, 0)
    assert below == pytest.approx(0.9)


def test_the_interval_of_half_is_even():
    # Beta(3/2, 3/2) is symmetrical about a half.
    value, low, high = estimate_share(1, 2)
    assert value == 0.5
    assert 0 < low < 0.5
    assert low + high == pytest.approx(1)


def test_of_all_the_interval_is_that_of_none_turned_round():
    none, every = estimate_share(0, 20), estimate_share(20, 20)
    assert tuple(every) == pytest.approx((1, 1 - none.high, 1))


def test_more_seeds_make_the_interval_narrower():
    widths = [high - low for _, low, high in (estimate_share(n, 10 * n) for n in (1, 5, 50))]
    assert widths == sorted(widths, reverse=True)


HITS = Retrieval(Hits(list("abcd"), [4.0, 3.0, 2.0, 1.0]), np.array([0.5]), np.array([True]))


def test_what_is_known_to_be_off_topic_is_no_part_of_the_pool():
    apart = HITS.of(["a", "c"], off=["d", "b"])
    assert apart.hits == Hits(["a", "c"], [4.0, 2.0])
    assert apart.scores.pool.tolist() == [4, 2]
    assert apart.scores.negatives.tolist() == [1, 3]


def test_what_is_off_topic_and_was_not_retrieved_has_the_lowest_score():
    assert HITS.of(["c"], off=["x", "a"]).off.tolist() == [1, 4]


def test_without_negatives_the_pool_is_as_it_was():
    assert HITS.of("abcd", off=[]).hits == HITS.hits
    assert HITS.of("abcd", off=[]).off.tolist() == []


def test_where_nothing_was_retrieved_what_is_off_topic_scores_0():
    empty = Retrieval(Hits([], []), np.array([np.nan]), np.array([True]))
    assert empty.of([], off=["a"]).off.tolist() == [0]


# Limits


def dated(number, *, year):
    return Document(id=f"{year}-{number}", title="bee honey hive", year=year)


def test_limits_hold_for_the_pool_and_for_searches_without_a_seed():
    seeds = tuple(dated(number, year=2015) for number in range(4))
    pool = [dated(number, year=year) for year in (1999, 2020) for number in range(4, 7)]
    library = library_of(*seeds, *pool, *OTHERS)
    settings = ExpandSettings(where="year>=2010", pool=9)
    found = retrieve(library, Seeds(seeds, (), ()), settings=settings, rng=np.random.default_rng(0))
    assert found.hits.ids == ["2020-4", "2020-5", "2020-6"]
    # Each held-out seed ties with the three that the limit leaves, and its id comes before theirs.
    assert found.above.tolist() == [0.0] * 4


def test_seeds_outside_the_limits_do_not_count_as_missed():
    seeds = tuple(dated(number, year=year) for year in (1999, 2015) for number in range(3))
    library = library_of(*seeds, dated(7, year=2020), *OTHERS)
    settings = ExpandSettings(where="year>=2010", pool=3)
    found = retrieve(library, Seeds(seeds, (), ()), settings=settings, rng=np.random.default_rng(0))
    assert found.is_matched.tolist() == [False] * 3 + [True] * 3
    assert found.is_inside.all()
    assert found.outside_share == 0.0


def test_a_library_that_its_limits_make_small_is_all_candidates():
    library = library_of(*MATCHED, *LIKE_THEM, *OTHERS, Document(id="new", title="x", year=2020))
    settings = ExpandSettings(where="year>=2010", pool=5)
    seeds = Seeds(MATCHED, (), ())
    assert not retrieve(library, seeds, settings=settings, rng=np.random.default_rng(0)).hits.ids


@pytest.fixture
def search(monkeypatch):
    """A search whose second step waits, ten seconds at most, for an event; and that event."""
    monkeypatch.setattr(retrieval, "run_steps", partial(run_steps, threads=2))
    library, may_go_on = library_of(*MATCHED, *LIKE_THEM, *OTHERS), threading.Event()
    asked, find_best = [], library.find_best

    def find_in_time(query, **chosen):
        asked.append(query)
        assert len(asked) == 1 or may_go_on.wait(10)
        return find_best(query, **chosen)

    monkeypatch.setattr(library, "find_best", find_in_time)
    given = {"settings": ExpandSettings(pool=20), "rng": np.random.default_rng(0)}
    with closing(PoolSearch(library, Seeds(MATCHED, (), ()), **given)) as made:
        yield made, may_go_on, asked


def test_the_pool_is_there_before_searches_without_some_seeds_are_done(search):
    made, may_go_on, _ = search
    assert made.find_pool().ids == ["all", "one"]
    may_go_on.set()
    assert made.place_seeds().above[:4].tolist() == [0.5, 0.5, 0.5, 0.5]


def test_a_search_that_is_closed_drops_what_has_not_begun(search):
    made, may_go_on, asked = search
    made.find_pool()
    threading.Timer(0.1, may_go_on.set).start()
    made.close()
    assert len(asked) <= 3


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
DENTAL = [Document(id=f"o{number}", title="dental", abstract="enamel") for number in range(30)]
LIBRARY = library_of(*SEEDS, *POOL, *DENTAL)
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
    assert "p2" in LIBRARY.find_best(learned(0.9, 0, 0, 0), limit=5, exclude=["s1", "s2"]).ids


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
