"""From word pieces to vectors, with a stub whose states are known."""

import numpy as np
import pytest

pytest.importorskip("transformers", reason="the extra transformers is not installed")

from features.tiny import Places
from likewise.errors import SettingsError
from likewise.features import Ragged, TokenizedTexts
from likewise.features.windows import SpecialPieces, pool_vectors

MARKS = SpecialPieces((1,), (2,))


def rows(*pieces):
    return TokenizedTexts(Ragged.of(pieces), np.zeros(len(pieces), np.int64))


@pytest.fixture
def places():
    return Places()


def test_a_piece_in_several_windows_has_the_mean_of_its_states(places):
    # Windows 10-13, 12-15 and 14-16: the places of 10 to 16 are 1, 2, (3+1)/2, (4+2)/2, (3+1)/2,
    # (4+2)/2 and 3; the first mark's is 0, the last mark's (5+5+4)/3. The mean is that of all 9.
    vectors = pool_vectors(places, rows(range(10, 17)), marks=MARKS, width=4)
    place = (1 + 2 + 2 + 3 + 2 + 3 + 3 + 0 + 14 / 3) / 9
    assert vectors[0].tolist() == pytest.approx([(91 + 1 + 2) / 9, place])


def test_a_text_of_exactly_the_limit_is_shown_once(places):
    pool_vectors(places, rows(range(10, 14)), marks=MARKS, width=4)
    assert places.shown == [[1, 10, 11, 12, 13, 2]]


def test_every_window_of_a_longer_text_is_shown(places):
    pool_vectors(places, rows(range(10, 15)), marks=MARKS, width=4, tokens=1)
    assert sorted(places.shown) == [[1, 10, 11, 12, 13, 2], [1, 12, 13, 14, 2]]


def test_cls_is_the_mean_of_the_first_marks(places):
    vectors = pool_vectors(places, rows(range(10, 17)), marks=MARKS, width=4, pooling="cls")
    assert vectors.tolist() == [[1, 0]]


def test_vectors_are_in_the_order_of_the_texts(places):
    vectors = pool_vectors(places, rows([9] * 6, [3], [5] * 2), marks=SpecialPieces(), width=4)
    assert vectors[:, 0].tolist() == [9, 3, 5]


@pytest.mark.parametrize("tokens", [1, 12, 1000])
def test_how_many_are_shown_at_once_changes_nothing(places, tokens):
    texts = rows([9] * 6, [3], [5] * 2, range(10, 17))
    alone = pool_vectors(places, texts, marks=MARKS, width=4)
    assert pool_vectors(places, texts, marks=MARKS, width=4, tokens=tokens).allclose(alone)


def test_an_empty_text_without_marks_is_nowhere(places):
    assert pool_vectors(places, rows([], [3]), marks=SpecialPieces(), width=4).tolist() == [
        [0, 0],
        [3, 0],
    ]


def test_no_texts_give_no_rows(places):
    assert pool_vectors(places, rows(), marks=MARKS, width=4).shape == (0, 2)


def test_a_pooling_that_there_is_not_is_named(places):
    with pytest.raises(SettingsError, match=r"^pooling is 'max'; choose one of: mean, cls$"):
        pool_vectors(places, rows([3]), marks=MARKS, width=4, pooling="max")


def test_cls_needs_a_mark_before_the_text(places):
    with pytest.raises(SettingsError, match="no mark before a text; use mean"):
        pool_vectors(places, rows([3]), marks=SpecialPieces((), (2,)), width=4, pooling="cls")
