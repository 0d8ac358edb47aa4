"""Words and pairs of words."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents import Document
from likewise.features.pairs import make_word_pairs, read_word_sequences


def pairs(*texts, within=None):
    documents = [
        Document(id=str(number), title=title, abstract=abstract)
        for number, (title, abstract) in enumerate(texts)
    ]
    return make_word_pairs(read_word_sequences(documents), within=within)


def names_of(found):
    """Return the word, or the two words, of each column."""
    second = [*(f" {word}" for word in found.words), ""]
    return [found.words[one] + second[other] for one, other in found.columns().T.tolist()]


def pairs_of(found, row):
    """Return the words and pairs of a row, by how much they count there."""
    values = found.rows[[row]].toarray().ravel()
    return {name: value for name, value in zip(names_of(found), values, strict=True) if value}


def test_neighbours_make_pairs_in_their_order():
    found = pairs(("cats eat mice", ""), ("mice", "eat"), ("", ""))
    assert pairs_of(found, 0).keys() == {"cats", "eat", "mice", "cats eat", "eat mice"}


def test_there_is_no_pair_across_the_end_of_a_title():
    assert pairs_of(pairs(("mice", "eat"), ("", "")), 0).keys() == {"mice", "eat"}


def test_values_by_hand():
    # "cats" is in one of three, twice; "cats dogs" and "dogs cats" once; "dogs" is in two.
    found = pairs(("cats dogs cats", ""), ("dogs", ""), ("", ""))
    rare, known = 1 + np.log(4 / 2), 1 + np.log(4 / 3)
    row = {"cats": (1 + np.log(2)) * rare, "dogs": known, "cats dogs": rare, "dogs cats": rare}
    length = sum(value**2 for value in row.values()) ** 0.5
    expected = {name: value / length for name, value in row.items()}
    assert pairs_of(found, 0) == pytest.approx(expected)


def test_what_nearly_all_have_is_left_out_and_counts_for_nothing():
    found = pairs(*[("the cat", "") if n else ("the dog", "") for n in range(40)])
    assert pairs_of(found, 0) == pytest.approx({"dog": 0.5**0.5, "the dog": 0.5**0.5})


def test_columns_may_be_only_those_of_some_documents_and_values_stay():
    texts = ("cats eat", "mice"), ("mice", ""), ("dogs eat mice", ""), ("", "")
    part = pairs(*texts, within=np.array([1]))
    assert names_of(part) == ["mice"]
    assert pairs_of(part, 0)["mice"] == pairs_of(pairs(*texts), 0)["mice"]


def test_documents_without_words_are_no_trouble():
    assert pairs().rows.shape == (0, 0)
    assert pairs(("", ""), ("", ""), within=np.array([0])).rows.shape == (2, 0)
    assert pairs(("cats", ""), ("", "")).rows[[1]].nnz == 0


def test_everything_is_in_32_bit_numbers():
    rows = pairs(("cats eat", "mice"), ("dogs", "")).rows
    assert (rows.dtype, rows.indices.dtype) == (np.float32, np.int32)


@given(st.lists(st.tuples(st.text("ab "), st.text("ab c")), min_size=1, max_size=5))
def test_it_is_what_scikit_learn_makes_of_it(texts):
    made = pytest.importorskip("sklearn.feature_extraction.text")
    split = [[*_with_pairs(title.split()), *_with_pairs(text.split())] for title, text in texts]
    split.append(["apart"])
    vectorizer = made.TfidfVectorizer(analyzer=list, sublinear_tf=True, max_df=0.95)
    expected = vectorizer.fit_transform(split).toarray()
    found = pairs(*texts, ("apart", ""))
    order = np.argsort(names_of(found))
    assert found.rows.toarray()[:, order] == pytest.approx(expected, abs=1e-6)


def test_counting_in_parts_makes_no_difference(monkeypatch):
    texts = [("cats eat mice", "and dogs eat"), ("dogs", "eat and eat and"), ("mice", "")]
    whole = pairs(*texts)
    monkeypatch.setattr("likewise.features.pairs.AT_ONCE", 2)
    apart = pairs(*texts)
    assert names_of(apart) == names_of(whole)
    assert apart.rows.toarray() == pytest.approx(whole.rows.toarray())


def _with_pairs(words):
    return words + [f"{first} {second}" for first, second in itertools.pairwise(words)]


def test_rows_may_be_taken_in_any_order():
    found = pairs(("cats", ""), ("dogs", ""), ("mice", ""))
    taken = found.of(np.array([2, 0]))
    assert [set(pairs_of(taken, row)) for row in (0, 1)] == [{"mice"}, {"cats"}]


def test_columns_are_told_by_the_numbers_of_their_words():
    found = pairs(("cats eat", ""), ("", ""))
    cats, eat = found.words.index("cats"), found.words.index("eat")
    assert sorted(found.columns().T.tolist()) == sorted([[cats, -1], [cats, eat], [eat, -1]])


def test_words_are_as_they_are_written_in_lower_case_and_small_ones_count_too():
    found = read_word_sequences([Document(id="1", title="We were randomised", abstract="Were we")])
    packed = found.rows.pack()
    words = [found.names[number] for number in packed.values.tolist()]
    assert [words[:3], words[3:]] == [["we", "were", "randomised"], ["were", "we"]]
