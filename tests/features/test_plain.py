"""Plain words."""

import numpy as np
import pytest

from likewise.documents import Document
from likewise.features.plain import plain_words


def plain(*texts):
    return plain_words([
        Document(id=str(number), title=title, abstract=abstract)
        for number, (title, abstract) in enumerate(texts)
    ])  # fmt: skip


def has(found, row):
    """Return the words of a row, by how much they count there."""
    values = found.rows[[row]].toarray().ravel()
    return {word: value for word, value in zip(found.words, values, strict=True) if value}


def test_words_are_as_they_are_written_in_lower_case_and_small_ones_count_too():
    found = plain(("We were randomised", ""), ("Reviews", "of it"))
    assert has(found, 0).keys() == {"we", "were", "randomised"}
    assert has(found, 1).keys() == {"reviews", "of", "it"}


def test_title_and_abstract_are_counted_together():
    found = plain(("cats", "cats eat"), ("dogs", ""))
    counted = has(found, 0)
    # Both are in one of two documents, so their idf is the same: (1 + ln 2) to 1.
    assert counted["cats"] / counted["eat"] == pytest.approx(1 + np.log(2))


def test_rows_are_of_length_1_and_those_without_words_are_empty():
    found = plain(("cats eat", "mice"), ("dogs", ""), ("", ""))
    lengths = np.sqrt((found.rows.toarray() ** 2).sum(axis=1))
    assert lengths == pytest.approx([1, 1, 0])


def test_a_word_that_nearly_all_have_is_left_out():
    # 39 of 40 are more than 95 %, and 38 are just that.
    texts = [("the of" if n < 38 else "the" if n < 39 else "none none", "cat") for n in range(40)]
    assert set(plain(*texts).words) == {"of"}


def test_a_word_that_hardly_any_has_is_left_out():
    texts = [("rare" if n < 2 else "known" if n < 5 else f"own{n}", "") for n in range(40)]
    assert plain(*texts).words == ["known"]


def test_rows_may_be_taken_in_any_order():
    found = plain(("cats", ""), ("dogs", ""), ("mice", ""))
    taken = found.of(np.array([2, 0]))
    assert (has(taken, 0).keys(), has(taken, 1).keys()) == ({"mice"}, {"cats"})
    assert taken.words == found.words
