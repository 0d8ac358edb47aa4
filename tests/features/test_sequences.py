"""Texts as rows of numbers."""

import numpy as np
import pytest

from likewise.features.terms import ChunkReader, GrowingRows, Numbering, Sequences, count_rows
from likewise.features.tokens import Ragged


def lists(rows):
    return [rows.row(number).tolist() for number in range(rows.shape[0])]


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr("likewise.features.terms.BLOCK", 1)


def test_words_are_numbered_as_they_come_and_keep_their_numbers():
    numbering = Numbering()
    assert lists(numbering.rows([["b", "a", "b"], [], ["c"]])) == [[0, 1, 0], [], [2]]
    assert lists(numbering.rows([["c", "d"]])) == [[2, 3]]


def test_each_chunk_is_read_once_and_may_be_several_things_or_nothing():
    asked = []

    def read(chunks):
        asked.extend(chunks)
        return [list(chunk.upper().replace("X", "")) for chunk in chunks]

    chunks, reading = Numbering(), ChunkReader(read)
    first = reading.sequences([chunks.rows([["ab", "x"], ["c", "ab"]])], chunks)
    second = reading.sequences([chunks.rows([["d", "c"], ["x"]])], chunks)
    assert asked == ["ab", "x", "c", "d"]
    assert (first.names, lists(first.rows)) == (["A", "B", "C"], [[0, 1], [2, 0, 1]])
    assert (second.names, lists(second.rows)) == (["D", "C"], [[0, 1], []])


def test_names_that_no_row_has_are_left_out_and_the_others_are_in_the_order_of_the_rows():
    rows = [Ragged.of([[3, 1], [3]]), Ragged.of([[0], [1]])]
    found = Sequences.of(["zero", "one", "two", "three"], rows)
    assert (found.names, lists(found.rows)) == (["three", "one", "zero"], [[0, 1], [0], [2], [1]])


def test_no_rows_are_no_trouble():
    found = Sequences.of([], [])
    assert found.counts().shape == (0, 0)


@pytest.mark.usefixtures("small_blocks")
def test_rows_of_documents_come_in_the_order_asked():
    growing = GrowingRows()
    growing.append(Ragged.of([[0], [1, 1]]))
    growing.append(Ragged.of([[2], []]))
    assert [lists(block) for block in growing.of([1, 0])] == [[[2], []], [[0], [1, 1]]]


def test_numbers_are_counted_row_by_row():
    rows = Ragged.of([[2, 0, 2], [], [1]])
    assert count_rows(rows, columns=4).toarray().tolist() == [[1, 0, 2, 0], [0] * 4, [0, 1, 0, 0]]


def test_counting_in_blocks_makes_no_difference(monkeypatch):
    rng = np.random.default_rng(0)
    rows = Ragged.of([rng.integers(0, 9, size=n).tolist() for n in (5, 0, 3, 8, 1)])
    whole = count_rows(rows, columns=9)
    monkeypatch.setattr("likewise.features.terms.BLOCK", 2)
    assert (count_rows(rows, columns=9) != whole).nnz == 0
    assert whole.has_sorted_indices


def test_counting_leaves_rows_as_they_are():
    rows = Ragged.of([[2, 0, 2], [1]])
    count_rows(rows, columns=3)
    assert lists(rows) == [[2, 0, 2], [1]]
