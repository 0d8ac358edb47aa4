from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.topical import labelled_library, relevant
from expansion.corpus import library_of, on
from likewise.bench.tasks.pools import (
    NarrowedLibrary,
    count_needed,
    retrieve_case_control,
    retrieve_censoring,
    split_pool,
    split_seeds,
)
from likewise.documents import Document
from likewise.library.more_like import MoreLike
from likewise.library.protocol import make_words_query

SEEDS = on("bees")[:10]
IDS = {seed.id for seed in SEEDS}


def by_seeds(size=100):
    return retrieve_case_control(
        labelled_library(), SEEDS, size=size, more_like=MoreLike(), rng=rng()
    )


def by_topic(size=60, members=None, library=None):
    return retrieve_censoring(
        library or labelled_library(),
        members or on("bees"),
        seeds=SEEDS,
        size=size,
        more_like=MoreLike(),
        rng=rng(),
    )


# Case-control


def test_the_pool_of_seeds_has_the_size_asked_for_and_none_of_them():
    pool = by_seeds()
    assert len(pool.hits) == 100
    assert IDS.isdisjoint(pool.hits.ids)


def test_the_pool_of_seeds_holds_most_of_their_topic():
    assert len(relevant() & set(by_seeds().hits.ids)) >= 30


def test_seeds_that_are_held_out_have_a_share_of_the_pool_above_them():
    pool = by_seeds()
    assert pool.above.keys() <= IDS
    assert len(pool.above) >= 9
    assert all(0 <= share <= 1 for share in pool.above.values())
    assert np.median(list(pool.above.values())) < 0.4


# Censoring


def test_censoring_fills_the_topic_without_its_seeds_up_with_others():
    found = set(by_topic().hits.ids)
    assert found & relevant() == relevant() - IDS
    assert len(found) == 60


def test_what_is_censored_is_ranked_as_the_seeds_alone_would_find_it():
    """A query made of the whole topic would tell the truth."""
    pool = by_topic()
    everything = retrieve_case_control(
        labelled_library(), SEEDS, size=1000, more_like=MoreLike(), rng=rng()
    ).hits
    found = set(pool.hits.ids)
    assert pool.hits.ids == [name for name in everything.ids if name in found]


def test_the_end_of_what_is_censored_is_not_the_topics_alone():
    ends = [name in relevant() for name in by_topic(size=55).hits.ids[-5:]]
    assert not all(ends)


def test_seeds_have_their_place_among_what_is_censored():
    pool = by_topic()
    assert pool.above.keys() == IDS
    # All on topic rank before nearly all others: 35 of 60 are on topic without the seeds.
    assert np.median(list(pool.above.values())) < 35 / 60


def test_all_of_the_topic_is_there_though_it_is_larger_than_the_pool():
    assert set(by_topic(size=1).hits.ids) == relevant() - IDS


def test_members_that_share_no_term_with_the_seeds_come_last_and_score_nothing():
    odd = Document(id="odd", title="zzyzx")
    library = library_of(*on("bees"), *on("teeth"), odd)
    pool = by_topic(members=[*on("bees"), odd], library=library)
    assert pool.hits.ids[-1] == "odd"
    assert pool.hits.scores[-1] == 0


# Within


def test_searches_within_find_known_documents_alone_as_many_as_asked_for():
    documents = [Document(id=f"{number:02}", title="cat " * 3) for number in range(40)]
    library = library_of(*documents)
    query = make_words_query("cat", library=library)
    known = {"03", "20", "38", "39"}
    within = NarrowedLibrary(library, known.intersection)
    found = within.find_best(query, limit=3)
    assert found.ids == ["03", "20", "38"]
    assert len(found.scores) == 3
    # 39 of 40 equal documents come before the last that was found.
    assert within.passed_over == [36]


def test_searches_within_end_when_nothing_more_is_known():
    library = library_of(Document(id="1", title="cat"), Document(id="2", title="cat dog"))
    query = make_words_query("cat", library=library)
    assert NarrowedLibrary(library, {"2", "9"}.intersection).find_best(query, limit=2).ids == ["2"]
    assert NarrowedLibrary(library, set().intersection).find_best(query, limit=2).ids == []


def test_but_for_what_it_finds_the_library_is_as_it_was():
    within = NarrowedLibrary(labelled_library(), {"1"}.intersection)
    assert within.count() == 320
    assert within.list_ids() == ["1"]


SETTINGS = st.sampled_from(["inductive", "transductive"])


def rng(number=0):
    return np.random.default_rng(number)


@pytest.mark.parametrize(("count", "all_parts"), [(20, 40), (50, 100), (5, 10), (3, 6)])
def test_all_parts_take_twice_what_training_takes(count, all_parts):
    assert count_needed(count, setting="inductive") == all_parts


def test_a_transductive_task_has_one_part():
    assert count_needed(20, setting="transductive") == 20
    assert split_seeds("abcd", 3, setting="transductive") == (("a", "b", "c"), (), ())


def test_half_of_the_order_is_for_training_and_a_quarter_each_for_the_rest():
    parts = split_seeds("abcdefghijk", 5, setting="inductive")
    assert parts.train == ("a", "c", "e", "g", "i")
    assert parts.validation == ("b", "f", "j")
    assert parts.test == ("d", "h")


@given(small=st.integers(1, 40), more=st.integers(0, 40), setting=SETTINGS)
def test_larger_tasks_hold_the_seeds_of_smaller_ones_part_by_part(small, more, setting):
    order = list(map(str, range(200)))
    few = split_seeds(order, small, setting=setting)
    many = split_seeds(order, small + more, setting=setting)
    assert many.train[: len(few.train)] == few.train
    assert many.validation[: len(few.validation)] == few.validation
    assert many.test[: len(few.test)] == few.test


@given(count=st.integers(1, 60), setting=SETTINGS)
def test_as_many_are_taken_as_are_needed_and_they_are_the_first(count, setting):
    order = list(map(str, range(200)))
    parts = split_seeds(order, count, setting=setting)
    assert len(parts.train) == count
    assert set(parts.all) == set(order[: count_needed(count, setting=setting)])


def test_each_document_is_told_its_split():
    inductive = split_seeds("abcd", 2, setting="inductive").list_splits("inductive")
    assert inductive == {"a": "train", "b": "validation", "c": "train", "d": "test"}
    transductive = split_seeds("ab", 2, setting="transductive").list_splits("transductive")
    assert transductive == {"a": "all", "b": "all"}


def test_a_pool_is_split_as_the_authors_split_theirs_with_half_of_it_for_training():
    # Their task of 6,132 documents, 197 of them on topic, has parts of 3,065, 1,532 and 1,535,
    # with 49 on topic for validation and 50 for testing: of two odd numbers, both are rounded down.
    # Here one is rounded up, so that |U| is what was asked for.
    ids = list(map(str, range(6132)))
    on = set(ids[:197])
    splits = split_pool(ids, on, rng=rng())
    assert Counter(splits.values()) == {"train": 3066, "validation": 1532, "test": 1534}
    assert Counter(splits[each] for each in on) == {"train": 99, "validation": 49, "test": 49}


@given(size=st.integers(0, 50), on=st.integers(0, 50), number=st.integers(0, 9))
def test_every_document_of_a_pool_is_in_one_split(size, on, number):
    ids = list(map(str, range(size)))
    assert split_pool(ids, set(ids[:on]), rng=rng(number)).keys() == set(ids)


def test_which_documents_are_in_which_split_is_by_chance():
    ids = list(map(str, range(40)))
    assert split_pool(ids, (), rng=rng(1)) == split_pool(ids, (), rng=rng(1))
    assert split_pool(ids, (), rng=rng(1)) != split_pool(ids, (), rng=rng(2))
