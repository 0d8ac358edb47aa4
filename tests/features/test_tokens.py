"""Token ids: words as numbers, and rows of different lengths."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents import Document
from likewise.features import (
    PADDING,
    UNKNOWN,
    Ragged,
    TokenizedTexts,
    count_words,
    split_words,
    token_ids,
)
from likewise.learn.rows import Rows, stack_rows

row_lists = st.lists(st.lists(st.integers(0, 1000), max_size=6), max_size=8)


def lists(rows):
    return [rows.row(number).tolist() for number in range(rows.shape[0])]


# Rows of different lengths


@given(rows=row_lists)
def test_rows_come_back_as_they_were_put_together(rows):
    assert lists(Ragged.of(rows)) == rows
    assert Ragged.of(rows).shape == (len(rows),)


@given(rows=row_lists, chosen=st.data())
def test_rows_are_picked_like_those_of_a_matrix(rows, chosen):
    ragged, numbers = Ragged.of(rows), np.arange(len(rows))
    is_chosen = np.array([chosen.draw(st.booleans()) for _ in rows], dtype=bool)
    start = chosen.draw(st.integers(0, len(rows)))
    for picked in (is_chosen, slice(start, None), numbers[::-1], np.repeat(numbers, 2)):
        assert lists(ragged[picked]) == [rows[number] for number in numbers[picked]]


def test_picking_copies_no_values():
    ragged = Ragged.of([[1, 2], [3]])
    assert ragged[1:].values is ragged.values


@given(rows=row_lists)
def test_packed_rows_have_no_values_but_their_own(rows):
    picked = Ragged.of(rows)[np.arange(len(rows))[::-2]]
    packed = picked.pack()
    assert lists(packed) == lists(picked)
    assert packed.values.tolist() == [value for row in lists(picked) for value in row]


@given(blocks=st.lists(row_lists, min_size=1, max_size=4))
def test_blocks_of_rows_are_stacked(blocks):
    ragged = Ragged.stack([Ragged.of(rows) for rows in blocks])
    assert lists(ragged) == [row for rows in blocks for row in rows]


def test_blocks_picked_from_the_same_rows_are_stacked_without_a_copy():
    rows = Ragged.of([[1, 2], [], [3], [4, 5, 6]])
    both = Ragged.stack([rows[2:], rows[:2]])
    assert lists(both) == [[3], [4, 5, 6], [1, 2], []]
    assert both.values is rows.values


def test_blocks_of_which_only_some_share_their_values_are_stacked():
    rows, others = Ragged.of([[1, 2], [3]]), Ragged.of([[7], [8, 9]])
    blocks = [rows[1:], others[:1], rows[:1], others[1:]]
    assert lists(Ragged.stack(blocks)) == [[3], [7], [1, 2], [8, 9]]


def test_they_are_taken_and_stacked_beside_rows_of_other_kinds():
    rows = Rows(Ragged.of([[1], [2, 2], []]), Ragged.of([[], [5], [6, 6]]))
    both = stack_rows([rows[np.array([2])], rows[:2]])
    assert both.shape == (3,)
    assert [lists(kind) for kind in both.kinds] == [[[], [1], [2, 2]], [[6, 6], [], [5]]]


# Words as numbers


def documents_of(*texts):
    return [Document(title=title, abstract=abstract) for title, abstract in texts]


def spelled(tokens, rows):
    """The words that ids stand for, with ? for those that are not known."""
    names = {number: word for word, number in tokens.vocabulary.items()} | {UNKNOWN: "?"}
    return [" ".join(names[number] for number in row) for row in lists(rows)]


def test_every_word_has_its_number_where_it_stands():
    tokens = token_ids(documents_of(("Sleep in rats", "Rats sleep.")), min_count=1)
    assert tokens.vocabulary == {"in": 2, "rats": 3, "sleep": 4}
    assert lists(tokens.title) == [[4, 2, 3]]
    assert lists(tokens.abstract) == [[3, 4]]


def test_there_are_two_ids_more_than_words():
    tokens = token_ids(documents_of(("Sleep in rats", "")), min_count=1)
    assert tokens.size == 5
    assert {PADDING, UNKNOWN}.isdisjoint(tokens.vocabulary.values())
    assert max(tokens.vocabulary.values()) == tokens.size - 1


def test_rare_words_are_unknown_counted_over_titles_and_abstracts():
    documents = documents_of(("rat", "rat mouse"), ("mouse cat", "rat cat"))
    tokens = token_ids(documents, min_count=3)
    assert spelled(tokens, tokens.title) == ["rat", "? ?"]
    assert spelled(tokens, tokens.abstract) == ["rat ?", "rat ?"]
    assert list(token_ids(documents, min_count=2).vocabulary) == ["cat", "mouse", "rat"]


def test_a_word_counts_as_often_as_it_occurs_not_by_documents():
    assert token_ids(documents_of(("rat rat", "rat")), min_count=3).vocabulary == {"rat": 2}


def test_an_engines_analysis_may_make_the_words_of_each_field():
    tokens = token_ids(
        documents_of(("Rats", "Mice")),
        analyze_all=lambda field, texts: [[f"{field}:{text}"] for text in texts],
        min_count=1,
    )
    assert list(tokens.vocabulary) == ["abstract:Mice", "title:Rats"]


def test_the_numbers_do_not_depend_on_the_order_of_documents():
    documents = documents_of(("rat mouse", "cat"), ("sleep", "rat dog"))
    turned = token_ids(documents[::-1], min_count=1)
    assert turned.vocabulary == token_ids(documents, min_count=1).vocabulary


@pytest.mark.parametrize("texts", [[], [("", "")], [("", "...  !"), ("--", "")]])
def test_documents_without_a_word_have_empty_rows(texts):
    tokens = token_ids(documents_of(*texts), min_count=1)
    assert tokens.size == 2
    assert lists(tokens.title) == lists(tokens.abstract) == [[] for _ in texts]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("p53-dependent", ["p53", "dependent"]),
        ("Müller's ΔΨ_2", ["müller", "s", "δψ", "2"]),
        ("1.5 µg/ml", ["1", "5", "µg", "ml"]),
        ("線虫 の 研究", ["線虫", "の", "研究"]),
    ],
)
def test_words_are_letters_and_digits_in_lower_case(text, words):
    assert split_words(text) == words


def texts(*rows, words=None):
    return TokenizedTexts(Ragged.of(rows), np.array(words or [len(row) for row in rows]))


def piece_lists(rows):
    return [rows.pieces.row(number).tolist() for number in range(rows.shape[0])]


def test_rows_are_picked_by_their_numbers():
    assert piece_lists(texts([1], [2, 3], [4])[np.array([2, 1, 1])]) == [[4], [2, 3], [2, 3]]


def test_rows_are_picked_by_a_mask():
    assert piece_lists(texts([1], [2, 3], [4])[np.array([True, False, True])]) == [[1], [4]]


def test_words_go_with_their_rows():
    assert texts([1], [2, 3], words=[10, 20])[np.array([1])].words.tolist() == [20]


def test_blocks_are_stacked():
    stacked = TokenizedTexts.stack([texts([1], [2, 3]), texts([4, 5])[np.array([0])]])
    assert piece_lists(stacked) == [[1], [2, 3], [4, 5]]
    assert stacked.words.tolist() == [1, 2, 2]


def test_punctuation_counts_as_words_do():
    assert count_words("Insulin (IL-6): rats.\n") == 9
