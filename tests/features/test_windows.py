"""Sliding windows; the weights of the states are worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.features import Ragged
from likewise.features.windows import SpecialPieces, cut_chunks, cut_windows, pad_windows

MARKS = SpecialPieces((1,), (2,))
lengths = st.lists(st.integers(0, 40), min_size=1, max_size=5).map(np.array)
widths = st.integers(1, 12)


def spans(length, width):
    windows = cut_windows(np.array([length]), width=width)
    return list(zip(windows.starts.tolist(), windows.stops.tolist(), strict=True))


@pytest.mark.parametrize("length", [0, 1, 510])
def test_a_text_up_to_the_limit_is_one_window(length):
    assert spans(length, 510) == [(0, length)]


def test_a_text_just_beyond_the_limit_is_two_windows():
    assert spans(511, 510) == [(0, 510), (255, 511)]


def test_windows_start_half_a_window_apart():
    assert spans(9, 4) == [(0, 4), (2, 6), (4, 8), (6, 9)]


@given(lengths, widths)
def test_every_piece_is_in_a_window_and_no_window_is_too_wide(lengths, width):
    windows = cut_windows(lengths, width=width)
    seen = [set() for _ in lengths]
    for row, start, stop in zip(*windows, strict=True):
        assert stop - start <= width
        seen[row] |= set(range(start, stop))
    assert seen == [set(range(length)) for length in lengths]


@given(lengths, widths)
def test_the_weights_of_a_piece_add_up_to_its_share_of_the_text(lengths, width):
    rows = Ragged.of([range(100, 100 + length) for length in lengths])
    windows = cut_windows(lengths, width=width)
    made = pad_windows(rows, windows, width=width, marks=MARKS)
    for row, length in enumerate(lengths):
        mine = windows.rows == row
        total = np.bincount(made.ids[mine].ravel(), made.weights[mine].ravel())
        assert total[[1, 2, *range(100, 100 + length)]] == pytest.approx(1 / (length + 2))


def test_what_fills_up_is_masked_and_weighs_nothing():
    made = pad_windows(
        Ragged.of([[7], [8, 9, 10]]),
        cut_windows(np.array([1, 3]), width=3),
        width=3,
        marks=MARKS,
    )
    assert made.ids.tolist() == [[1, 7, 2, 0, 0], [1, 8, 9, 10, 2]]
    assert made.mask.tolist() == [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]
    assert made.weights == pytest.approx(np.array([[1 / 3] * 3 + [0] * 2, [1 / 5] * 5]))


def test_only_the_first_mark_of_each_window_counts_for_cls():
    made = pad_windows(
        Ragged.of([[7, 8, 9]]),
        cut_windows(np.array([3]), width=2),
        width=2,
        marks=MARKS,
        pooling="cls",
    )
    assert made.weights.tolist() == [[0.5, 0, 0, 0], [0.5, 0, 0, 0]]


@given(lengths, st.integers(1, 100))
def test_chunks_hold_each_row_once_and_no_more_tokens_than_asked(lengths, tokens):
    made = list(cut_chunks(lengths, tokens=tokens))
    assert sorted(np.concatenate(made)) == list(range(len(lengths)))
    assert all(len(c) == 1 or len(c) * lengths[c].max() <= tokens for c in made)
