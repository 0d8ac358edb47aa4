import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents import Document
from likewise.errors import SettingsError
from likewise.library import Query
from likewise.library.memory import MemoryLibrary
from likewise.library.more_like import MoreLike, divergence, more_like_these, select_terms

shares = st.floats(0.01, 1)


def library_of(*texts, field="abstract"):
    library = MemoryLibrary()
    library.add(Document(**{"id": str(n), field: text}) for n, text in enumerate(texts))
    library.commit()
    return library


def chosen(library, *texts, field="abstract", **settings):
    settings = MoreLike(**{"min_document_frequency": 1, **settings})
    seeds = [Document(id=f"s{n}", **{field: text}) for n, text in enumerate(texts)]
    return {term.text: term.weight for term in select_terms(library, seeds, settings=settings)}


def test_a_term_that_is_as_common_among_all_documents_is_not_chosen():
    library = library_of("cat dog", "cat bird", "cat fish")
    assert set(chosen(library, "cat dog", "cat dog")) == {"dog"}


def test_the_most_telling_term_comes_first():
    library = library_of("cat dog", "dog", "dog", "cat", "bird", "fish")
    assert next(iter(chosen(library, "cat dog", "cat"))) == "cat"


def test_there_are_no_more_terms_than_asked_for():
    library = library_of("cat dog bird", "fish")
    assert len(chosen(library, "cat dog bird", max_terms=2)) == 2


def test_a_title_weighs_its_boost():
    plain = chosen(library_of("cat", "dog", field="title"), "cat", field="title", title_boost=1.0)
    heavy = chosen(library_of("cat", "dog", field="title"), "cat", field="title", title_boost=3.0)
    assert heavy["cat"] == pytest.approx(3 * plain["cat"])


def test_a_weight_times_the_idf_is_the_divergence():
    # The term is in 1 of 2 documents, so b = 1/2, idf = ln(1 + 1.5/1.5); all seeds have it: s = 1.
    weights = chosen(library_of("cat", "dog"), "cat")
    assert weights["cat"] * math.log(2) == pytest.approx(math.log(2))


def test_by_tf_idf_all_terms_weigh_the_same():
    weights = chosen(library_of("cat dog", "dog", "fish"), "cat cat dog", terms_by="tf-idf")
    assert set(weights.values()) == {1.0}


def test_by_tf_idf_frequent_terms_of_the_seeds_come_first():
    library = library_of("cat dog", "cat dog")
    assert list(chosen(library, "cat dog dog", terms_by="tf-idf")) == ["dog", "cat"]


def test_tf_idf_is_that_of_lucene():
    # Of 4 documents all have cat, 1 has ox. Seeds say cat thrice, ox once: 3 (1 + ln(5/5)) = 3 and
    # 1 + ln(5/2) = 1.92, so cat is worth more; by BM25's idf ox would be, 1.20 to 3 x 0.105 = 0.32.
    library = library_of("cat ox", "cat", "cat", "cat")
    assert list(chosen(library, "cat cat", "cat ox", terms_by="tf-idf")) == ["cat", "ox"]


def of_both_fields(**settings):
    """The terms that are chosen where titles and abstracts have three each."""
    library = MemoryLibrary()
    library.add([Document(id="0", title="cat dog ox", abstract="fish bird cow")])
    library.commit()
    seeds = [Document(id="s", title="cat dog ox", abstract="fish bird cow")]
    settings = MoreLike(min_document_frequency=1, terms_by="tf-idf", max_terms=2, **settings)
    return [(term.field, term.weight) for term in select_terms(library, seeds, settings=settings)]


def test_each_field_may_have_as_many_terms():
    assert of_both_fields(per_field=True) == [("title", 2.0)] * 2 + [("abstract", 1.0)] * 2


def test_both_fields_together_have_as_many_terms_else():
    assert of_both_fields() == [("title", 2.0)] * 2


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"min_term_frequency": 2}, {"cat"}),
        ({"min_document_frequency": 2}, {"dog"}),
        ({"max_document_share": 0.3}, {"cat", "ox"}),
        ({"min_word_length": 3}, {"cat", "dog"}),
        ({"max_document_share": 0.0}, set()),
    ],
)
def test_each_limit_keeps_terms_out(settings, expected):
    library = library_of("cat dog ox", "dog", "fish", "bird", "cow")
    assert set(chosen(library, "cat cat dog ox", **settings)) == expected


def test_the_minimum_is_relaxed_until_enough_documents_are_found():
    library = library_of("cat dog bird fish cow", "cat dog", "cat", "sheep")
    seed = Document(id="s", abstract="cat dog bird fish cow")
    settings = MoreLike(minimum_match=1.0, min_document_frequency=1)
    pool = more_like_these(library, [seed], limit=2, settings=settings)
    assert (pool.hits.ids, pool.query.minimum) == (["0", "1"], 2)


def test_a_minimum_that_is_not_relaxed_leaves_the_pool_small():
    library = library_of("cat dog bird fish cow", "cat dog", "cat", "sheep")
    seed = Document(id="s", abstract="cat dog bird fish cow")
    settings = MoreLike(minimum_match=1.0, min_document_frequency=1, relax=False)
    pool = more_like_these(library, [seed], limit=2, settings=settings)
    assert (pool.hits.ids, pool.query.minimum) == (["0"], 5)


@pytest.mark.parametrize(("share", "minimum"), [(0.2, 1), (0.5, 3), (0.99, 6), (0.0, 1)])
def test_a_minimum_is_rounded_down(share, minimum):
    library = library_of("cat dog bird fish cow ox hen", "sheep")
    settings = MoreLike(minimum_match=share, min_document_frequency=1)
    pool = more_like_these(library, library.get(["0"]), limit=1, settings=settings)
    assert pool.query.minimum == minimum


def test_a_share_that_is_whole_terms_loses_none_to_rounding():
    words = " ".join(f"word{n}" for n in range(100))
    library = library_of(words, "sheep")
    # In floating point, 0.29 x 100 is 28.999999999999996.
    settings = MoreLike(minimum_match=0.29, min_document_frequency=1)
    pool = more_like_these(library, library.get(["0"]), limit=1, settings=settings)
    assert (len(pool.query.terms), pool.query.minimum) == (100, 29)


def test_a_minimum_that_finds_enough_is_kept():
    library = library_of("cat dog", "cat dog", "cat")
    seed = Document(id="s", abstract="cat dog")
    settings = MoreLike(minimum_match=1.0, terms_by="tf-idf", min_document_frequency=1)
    pool = more_like_these(library, [seed], limit=2, settings=settings)
    assert (sorted(pool.hits.ids), pool.query.minimum) == (["0", "1"], 2)


def test_excluded_seeds_are_not_found():
    library = library_of("cat dog", "cat bird", "fish")
    pool = more_like_these(library, library.get(["0"]), limit=5, exclude=["0"],
                           settings=MoreLike(min_document_frequency=1))  # fmt: skip
    assert pool.hits.ids == ["1"]


def test_seeds_without_words_find_nothing():
    assert more_like_these(library_of("cat"), [Document(id="s")], limit=5).query == Query((), 1)


def test_without_seeds_nothing_is_found():
    assert more_like_these(library_of("cat"), [], limit=5).hits.ids == []


@pytest.mark.parametrize(
    "wrong",
    [{"terms_by": "luck"}, {"minimum_match": 5}, {"max_document_share": -1}, {"max_terms": 0}],
)
def test_a_setting_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(SettingsError, match=next(iter(wrong))):
        MoreLike(**wrong)


def test_the_papers_settings_are_those_it_states():
    paper = MoreLike.of_the_paper()
    assert (paper.title_boost, paper.minimum_match, paper.relax) == (2.0, 0.2, False)
    assert (paper.max_terms, paper.per_field) == (25, True)


def test_the_papers_query_is_relaxed_if_asked():
    assert MoreLike.of_the_paper(relax=True) == replace(MoreLike.of_the_paper(), relax=True)


@given(share=shares, background=shares)
def test_divergence_is_positive_just_where_the_share_is_greater(share, background):
    assert (divergence(share, background) > 0) == (share > background)


@given(share=shares, low=shares, high=shares)
def test_divergence_falls_as_the_background_rises(share, low, high):
    low, high = sorted((low, high))
    assert divergence(share, low) >= divergence(share, high) - 1e-12


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=8).map(" ".join), max_size=6))
def test_terms_of_any_seeds_are_distinct_positive_and_in_the_seeds(texts):
    library = library_of("aa bb cc dd", "ee ff gg hh", "aa cc ee")
    doubled = ["".join(c * 2 if c != " " else " " for c in text) for text in texts]
    weights = chosen(library, *doubled)
    assert all(weight > 0 for weight in weights.values())
    assert set(weights) <= {word for text in doubled for word in text.split()}
