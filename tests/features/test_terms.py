"""Term counts."""

import numpy as np
import pytest

from likewise.documents import Document
from likewise.features.terms import TermCounter, one_by_one

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
    assert counter.counts(["dogs", "cats"]).title.toarray()[:, 0].tolist() == [0, 2]


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
    assert counter.counts(["dogs"]).title.toarray().tolist() == [[0, 0, 0, 0, 1]]


def test_an_analysis_of_one_text_serves_for_many():
    assert one_by_one(lambda field, text: [field, text])("title", ["a", "b"]) == [
        ["title", "a"],
        ["title", "b"],
    ]


def test_a_document_that_comes_twice_at_once_has_one_row(splitter):
    counter = TermCounter(splitter)
    counter.add([CATS, DOGS, CATS])
    assert counter.counts(["dogs"]).title.toarray().tolist() == [[0, 0, 0, 0, 1]]


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


def test_terms_that_come_later_have_later_columns(counter):
    before = counter.counts(["cats"])
    counter.add([Document(id="birds", title="birds eat mice")])
    after = counter.counts(["cats"])
    assert after.terms == [*before.terms, "birds"]
    assert after.title.toarray()[:, :5].tolist() == before.title.toarray().tolist()


def test_counts_are_32_bit_numbers_in_order(counter):
    found = counter.counts(["cats", "dogs"])
    assert found.abstract.dtype == np.float32
    assert found.abstract.has_sorted_indices
