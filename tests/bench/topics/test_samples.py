from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.bench.topics.suggestions import find_conjunctions

# Documents by labels; labels 1 and 2 are together in three, and with 0 in two.
HAS = np.array([[1, 1, 1], [1, 1, 1], [0, 1, 1], [1, 0, 0]])


def counted(has, **settings):
    parts = find_conjunctions(has, **settings)
    return {
        tuple(columns.tolist()): int(count)
        for part in parts
        for columns, count in zip(part.columns, part.counts, strict=True)
    }


def test_pairs_are_counted():
    assert counted(HAS, size=2, minimum=1) == {(0, 1): 2, (0, 2): 2, (1, 2): 3}


def test_triples_are_counted():
    assert counted(HAS, size=3, minimum=1) == {(0, 1, 2): 2}


def test_what_too_few_documents_have_is_left_out():
    assert counted(HAS, size=2, minimum=3) == {(1, 2): 3}


def test_there_is_a_part_for_every_first_column():
    assert len(list(find_conjunctions(HAS, size=3, minimum=2))) == 3


@pytest.mark.parametrize("shape", [(0, 3), (4, 0), (0, 0)])
def test_nothing_has_no_conjunctions(shape):
    assert counted(np.zeros(shape, dtype=int), size=2, minimum=1) == {}


@given(
    rows=st.lists(st.lists(st.booleans(), min_size=5, max_size=5), max_size=12),
    size=st.integers(2, 5),
    minimum=st.integers(1, 3),
)
def test_counts_are_those_of_asking_every_document(rows, size, minimum):
    has = np.array(rows, dtype=int).reshape(-1, 5)
    every = {c: int(has[:, c].all(axis=1).sum()) for c in combinations(range(5), size)}
    expected = {columns: count for columns, count in every.items() if count >= minimum}
    assert counted(has, size=size, minimum=minimum) == expected
