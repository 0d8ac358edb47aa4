"""Term counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents import Document
from likewise.features import Ragged, split_words
from likewise.features.terms import (
    ChunkReader,
    GrowingRows,
    Numbering,
    Sequences,
    TermCounter,
    count_rows,
)
from likewise.library.memory import MemoryLibrary

CATS = Document(id="cats", title="cats and cats", abstract="cats eat mice")
DOGS = Document(id="dogs", title="dogs", abstract="dogs eat and eat")
EMPTY = Document(id="empty", title="")


class Splitter:
    """An analysis that remembers what it was asked for."""

    def __init__(self):
        self.asked = []

    def __call__(self, field, texts):
        self.asked.append((field, list(texts)))
        return [text.split() for text in texts]


@pytest.fixture
def splitter():
    return Splitter()


@pytest.fixture
def counter(splitter):
    counter = TermCounter(splitter)
    counter.add([CATS, DOGS, EMPTY])
    return counter


def test_terms_are_counted_by_field(counter):
    terms, title, abstract = counter.counts(["cats", "dogs"])
    assert terms == ["cats", "and", "eat", "mice", "dogs"]
    assert title.toarray().tolist() == [[2, 1, 0, 0, 0], [0, 0, 0, 0, 1]]
    assert abstract.toarray().tolist() == [[1, 0, 1, 1, 0], [0, 1, 2, 0, 1]]


def test_rows_come_in_the_order_asked(counter):
    terms, title, _ = counter.counts(["dogs", "cats"])
    assert title.toarray()[:, terms.index("cats")].tolist() == [0, 2]


def test_a_document_without_words_has_an_empty_row(counter):
    found = counter.counts(["empty", "cats"])
    assert found.title[[0]].nnz == found.abstract[[0]].nnz == 0


def test_documents_without_any_word_have_rows_without_columns(splitter):
    counter = TermCounter(splitter)
    counter.add([EMPTY])
    found = counter.counts(["empty"])
    assert found.terms == []
    assert found.title.shape == found.abstract.shape == (1, 0)


def test_each_field_of_all_documents_is_analysed_at_once(counter, splitter):
    titles, abstracts = ["cats and cats", "dogs", ""], ["cats eat mice", "dogs eat and eat", ""]
    assert splitter.asked == [("title", titles), ("abstract", abstracts)]


def test_no_more_texts_than_a_batch_are_analysed_at_a_time(splitter, monkeypatch):
    monkeypatch.setattr("likewise.features.terms.BATCH", 2)
    counter = TermCounter(splitter)
    counter.add([CATS, DOGS, EMPTY])
    assert [len(texts) for _, texts in splitter.asked] == [2, 2, 1, 1]
    assert counter.counts(["dogs"]).title.toarray().tolist() == [[1, 0, 0]]


def test_a_document_that_comes_twice_at_once_has_one_row(splitter):
    counter = TermCounter(splitter)
    counter.add([CATS, DOGS, CATS])
    assert counter.counts(["dogs"]).title.toarray().tolist() == [[1, 0, 0]]


def test_of_two_documents_of_one_id_the_first_is_counted(splitter):
    counter = TermCounter(splitter)
    counter.add([DOGS, Document(id="dogs", title="wolves")])
    terms, title, _ = counter.counts(["dogs"])
    assert [terms[column] for column in title.indices] == ["dogs"]


def test_a_document_is_not_counted_twice(counter, splitter):
    asked = len(splitter.asked)
    counter.add([CATS])
    assert len(splitter.asked) == asked


def test_documents_after_one_that_comes_again_keep_their_counts(counter):
    counter.add([CATS, Document(id="birds", title="birds")])
    terms, title, _ = counter.counts(["birds"])
    assert [terms[column] for column in title.indices] == ["birds"]


def test_what_is_returned_does_not_depend_on_which_others_were_added(counter, splitter):
    alone = TermCounter(splitter)
    alone.add([DOGS])
    terms, title, abstract = counter.counts(["dogs"])
    assert terms == alone.counts(["dogs"]).terms == ["dogs", "eat", "and"]
    assert (title.toarray().tolist(), abstract.toarray().tolist()) == ([[1, 0, 0]], [[1, 2, 1]])


def test_terms_are_in_the_order_in_which_the_documents_have_them(counter):
    assert counter.counts(["dogs", "cats"]).terms == ["dogs", "eat", "and", "cats", "mice"]


def test_counts_are_32_bit_numbers_in_order(counter):
    found = counter.counts(["cats", "dogs"])
    assert found.abstract.dtype == np.float32
    assert found.abstract.has_sorted_indices


def test_an_engine_that_analyses_by_chunk_is_asked_for_each_chunk_once(splitter):
    counter = TermCounter(splitter, by_chunk=True)
    counter.add([CATS, DOGS, EMPTY])
    counter.counts(["cats"])
    counter.add([Document(id="birds", title="birds eat mice")])
    counter.counts(["birds"])
    asked = [texts for _, texts in splitter.asked]
    assert asked == [["cats", "and", "eat", "mice", "dogs"], ["birds"]]


@given(st.lists(st.tuples(st.text(), st.text())))
def test_counts_by_chunk_are_those_of_whole_texts(texts):
    documents = [Document(id=str(n), title=t, abstract=a) for n, (t, a) in enumerate(texts)]
    ids = [document.id for document in documents]
    found = []
    for by_chunk in (True, False):
        counter = TermCounter(MemoryLibrary().analyze_all, by_chunk=by_chunk)
        counter.add(documents)
        terms, title, abstract = counter.counts(ids)
        found.append((terms, title.toarray().tolist(), abstract.toarray().tolist()))
    assert found[0] == found[1]


def test_plain_words_keep_their_order_and_small_ones_count(counter):
    words = counter.words(["dogs", "cats"])
    assert words.names == ["dogs", "eat", "and", "cats", "mice"]
    assert [words.rows.row(n).tolist() for n in range(4)] == [
        [0],
        [0, 1, 2, 1],
        [3, 2, 3],
        [3, 1, 4],
    ]


@given(st.text().filter(lambda text: "Σ" not in text))
def test_plain_words_are_those_of_the_whole_text(text):
    # What a capital sigma becomes depends on the letters beyond the next apostrophe.
    counter = TermCounter(lambda _, texts: [[text] for text in texts])
    counter.add([Document(id="x", title=text)])
    words = counter.words(["x"])
    assert [words.names[number] for number in words.rows.row(0)] == split_words(text)


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
    growing = GrowingRows(Ragged.of([]))
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
