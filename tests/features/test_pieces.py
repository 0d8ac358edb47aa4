"""Texts as rows of word pieces."""

import numpy as np

from likewise.features.tokens import Ragged, TokenizedTexts, count_words, longer_than


def texts(*rows, words=None):
    return TokenizedTexts(Ragged.of(rows), np.array(words or [len(row) for row in rows]))


def lists(rows):
    return [rows.pieces.row(number).tolist() for number in range(rows.shape[0])]


def test_rows_are_picked_by_their_numbers():
    assert lists(texts([1], [2, 3], [4])[np.array([2, 1, 1])]) == [[4], [2, 3], [2, 3]]


def test_rows_are_picked_by_a_mask():
    assert lists(texts([1], [2, 3], [4])[np.array([True, False, True])]) == [[1], [4]]


def test_words_go_with_their_rows():
    assert texts([1], [2, 3], words=[10, 20])[np.array([1])].words.tolist() == [20]


def test_blocks_are_stacked():
    stacked = TokenizedTexts.stack([texts([1], [2, 3]), texts([4, 5])[np.array([0])]])
    assert lists(stacked) == [[1], [2, 3], [4, 5]]
    assert stacked.words.tolist() == [1, 2, 2]


def test_a_text_of_exactly_600_words_is_not_too_long():
    assert longer_than(texts([1], [1], words=[600, 601])).tolist() == [False, True]


def test_words_are_counted_not_pieces():
    assert longer_than(texts([1, 2, 3], words=[2]), 2).tolist() == [False]


def test_punctuation_counts_as_words_do():
    assert count_words("Insulin (IL-6): rats.\n") == 9
