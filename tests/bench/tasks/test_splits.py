from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.bench.tasks.pools import count_needed, split_pool, split_seeds

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
    inductive = split_seeds("abcd", 2, setting="inductive").splits("inductive")
    assert inductive == {"a": "train", "b": "validation", "c": "train", "d": "test"}
    transductive = split_seeds("ab", 2, setting="transductive").splits("transductive")
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
