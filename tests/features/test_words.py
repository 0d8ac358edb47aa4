"""What the words of documents say."""

import numpy as np
import pytest
from scipy import sparse

from likewise.documents import Document
from likewise.features.terms import TermCounter
from likewise.features.words import (
    LENGTH,
    SATURATION,
    TITLE_BOOST,
    document_frequencies,
    make_word_features,
    normalise_rows,
    saturate,
)


def features(*texts):
    """The features of documents, given as titles and abstracts."""
    counter = TermCounter(lambda _, texts: [text.split() for text in texts])
    documents = [
        Document(id=str(number), title=title, abstract=abstract)
        for number, (title, abstract) in enumerate(texts)
    ]
    counter.add(documents)
    return make_word_features(counter.counts([document.id for document in documents]))


def matrix(*rows):
    return sparse.csr_array(np.array(rows, np.float32))


def lengths(rows):
    return np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())


TWO = features(("cats", "cats eat mice"), ("dogs", "dogs eat dogs eat"))


class TestSaturated:
    def test_a_single_count_in_a_field_of_mean_length_is_1(self):
        assert saturate(matrix([1, 1], [2, 0])).toarray()[0].tolist() == [1, 1]

    def test_counts_are_saturated_by_formula(self):
        # Lengths are 4 and 2, in the mean 3.
        found = saturate(matrix([4, 0], [1, 1])).toarray()
        norms = [SATURATION * (1 - LENGTH + LENGTH * length / 3) for length in (4, 2)]
        assert found[0, 0] == pytest.approx(4 * (SATURATION + 1) / (4 + norms[0]))
        assert found[1, 1] == pytest.approx(1 * (SATURATION + 1) / (1 + norms[1]))

    def test_more_of_a_term_is_worth_ever_less(self):
        found = saturate(matrix([1, 2, 4, 8, 1000])).toarray()[0]
        assert (np.diff(found) > 0).all()
        assert found.max() < SATURATION + 1

    def test_a_count_in_a_long_field_is_worth_less(self):
        found = saturate(matrix([1, 0], [1, 9])).toarray()
        assert found[0, 0] > found[1, 0]

    def test_nothing_stays_nothing(self):
        assert saturate(matrix([0, 0])).toarray().tolist() == [[0, 0]]


class TestEvidence:
    def test_titles_come_first_and_count_more_then_abstracts_then_presence(self):
        size = len(TWO.terms)
        columns = [TWO.terms.index("cats") + block * size for block in range(3)]
        found = TWO.evidence.toarray()[:, columns]
        # Titles are of mean length, 1; abstracts have 3 and 4 words, in the mean 3.5.
        norm = SATURATION * (1 - LENGTH + LENGTH * 3 / 3.5)
        assert found[0] == pytest.approx([TITLE_BOOST, (SATURATION + 1) / (1 + norm), 1])
        assert found[1].tolist() == [0, 0, 0]

    def test_presence_does_not_count(self):
        size = len(TWO.terms)
        assert set(TWO.evidence.toarray()[:, 2 * size :].ravel().tolist()) == {0, 1}

    def test_there_are_three_columns_a_term(self):
        assert TWO.evidence.shape == (2, 3 * len(TWO.terms))

    @pytest.mark.parametrize("block", [1, 2, 3])
    def test_it_is_the_same_however_many_rows_are_joined_at_a_time(self, monkeypatch, block):
        texts = [("cats", "cats eat mice"), ("", ""), ("dogs", "eat dogs"), ("mice", ""), ("", "a")]
        at_once = features(*texts).evidence
        monkeypatch.setattr("likewise.features.words.BLOCK", block)
        in_blocks = features(*texts).evidence
        np.testing.assert_array_equal(in_blocks.toarray(), at_once.toarray())
        assert in_blocks.nnz == at_once.nnz


class TestWeighted:
    def test_rows_are_of_length_1(self):
        assert lengths(TWO.weighted) == pytest.approx([1, 1])

    def test_its_columns_are_those_of_the_evidence(self):
        # "eat" is in both abstracts, so it says nothing; all else is where the evidence is.
        size = len(TWO.terms)
        found = TWO.weighted.toarray() > 0
        expected = TWO.evidence.toarray()[:, TWO.weighted_columns] > 0
        expected[:, TWO.weighted_columns == TWO.terms.index("eat") + size] = False
        assert (found == expected).all()

    def test_terms_count_by_the_root_of_their_idf(self):
        # "cats" are in one title of three, "dogs" in two; both occur once in the first.
        words = features(("cats dogs", ""), ("dogs", ""), ("mice", ""))
        columns = [words.weighted_columns.tolist().index(term) for term in (0, 1)]
        cats, dogs = words.weighted.toarray()[0, columns]
        assert (cats / dogs) ** 2 == pytest.approx(np.log(3) / np.log(3 / 2))


class TestTfidf:
    def test_rows_are_of_length_1(self):
        assert lengths(TWO.tfidf) == pytest.approx([1, 1])

    def test_values_by_hand(self):
        # In both documents "eat" has idf 1; the others, in one, 1 + ln(3 / 2).
        rare = 1 + np.log(3 / 2)
        # "cats" occurs twice in the first document, title and abstract taken together.
        row = {"cats": (1 + np.log(2)) * rare, "eat": 1, "mice": rare}
        length = sum(value**2 for value in row.values()) ** 0.5
        found = {
            TWO.terms[term]: value
            for term, value in zip(TWO.tfidf_columns, TWO.tfidf.toarray()[0], strict=True)
            if value
        }
        assert found == pytest.approx({term: value / length for term, value in row.items()})


def test_rare_terms_have_no_column_where_there_are_many_documents():
    texts = [("common", "rare" if number < 2 else "") for number in range(40)]
    words = features(*texts)
    assert [words.terms[term] for term in words.tfidf_columns] == ["common"]
    assert words.terms == ["common", "rare"]


def test_in_a_handful_of_documents_every_term_has_a_column():
    words = features(("one", ""), ("two", ""))
    assert words.tfidf.shape == (2, 2)


def test_documents_without_words_have_empty_rows():
    words = features(("cats", "eat"), ("", ""), ("cats", "eat mice"))
    for rows in (words.evidence, words.weighted, words.tfidf):
        assert rows[[1]].nnz == 0
        assert np.isfinite(rows.data).all()


def test_documents_that_are_all_without_words_are_no_trouble():
    words = features(("", ""), ("", ""))
    assert words.evidence.shape == words.weighted.shape == words.tfidf.shape == (2, 0)


def test_a_term_in_all_documents_is_no_trouble():
    words = features(*[("common", "")] * 5)
    assert words.weighted.toarray().tolist() == [[0]] * 5
    assert words.tfidf.toarray().tolist() == [[1]] * 5


def test_one_document_is_no_trouble():
    assert np.isfinite(features(("one", "two")).weighted.data).all()


def test_everything_is_in_32_bit_numbers():
    assert {rows.dtype for rows in (TWO.evidence, TWO.weighted, TWO.tfidf)} == {np.dtype("f4")}


def test_document_frequencies_count_rows():
    assert document_frequencies(matrix([1, 5, 0], [1, 0, 0])).tolist() == [2, 1, 0]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_rows_are_made_of_length_1_and_empty_ones_stay_empty(kind):
    found = normalise_rows(kind(np.array([[3, 4], [0, 0]], np.float32)))
    dense = found.toarray() if sparse.issparse(found) else found
    assert dense == pytest.approx(np.array([[0.6, 0.8], [0, 0]]))
    assert dense.dtype == np.float32


def test_rows_may_be_taken_in_any_order_and_columns_stay():
    taken = TWO.of(np.array([1, 1, 0]))
    for name in ("evidence", "weighted", "tfidf"):
        whole, part = (getattr(found, name).toarray() for found in (TWO, taken))
        assert (part == whole[[1, 1, 0]]).all()
    assert taken.terms is TWO.terms
    assert taken.tfidf_columns is TWO.tfidf_columns


def test_rows_may_be_taken_of_rows_that_were_taken():
    again = TWO.of(np.array([1, 1, 0])).of(np.array([2, 0]))
    assert (again.tfidf.toarray() == TWO.tfidf.toarray()[[0, 1]]).all()


def test_weights_are_made_when_they_are_asked_for_and_once():
    words = features(("cats", "cats eat mice"), ("dogs", "dogs eat dogs eat"))
    assert not {"weighted", "tfidf"} & set(vars(words.whole))
    assert words.of(np.array([0])).whole.tfidf is words.whole.tfidf


@pytest.mark.parametrize("is_made", [False, True], ids=["alone", "taken from all"])
@pytest.mark.parametrize("rows", [[1], [2, 0], [0, 1, 2], [2, 1, 1, 0, 2]])
def test_rows_of_tfidf_are_those_of_all_of_it(rows, is_made):
    texts = ("cats", "cats eat mice"), ("dogs", "dogs eat dogs"), ("mice eat", "")
    whole, words = features(*texts), features(*texts)
    if is_made:
        assert words.tfidf.shape[0] == 3
    assert (words.take_tfidf(np.array(rows)) != whole.tfidf[rows]).nnz == 0
    part = words.of(np.array([2, 1]))
    assert (part.take_tfidf(np.array([1, 0])) != whole.tfidf[[1, 2]]).nnz == 0
