"""Heads over features of any kind."""

import numpy as np
import pytest
from scipy import sparse

from learn.neural.extra import torch
from likewise.errors import SettingsError
from likewise.learn.neural.training import seed_torch
from likewise.learn.neural.transformer import Columns, LinearHead, MLPHead

ROWS = np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
KINDS = {
    "numpy": np.asarray,
    "single": lambda rows: rows.astype(np.float32),
    "whole": lambda rows: rows.astype(np.int64),
    "backwards": lambda rows: rows[::-1].copy()[::-1],
    "torch": torch.tensor,
    "csr": sparse.csr_array,
    "matrix": sparse.csr_matrix,
    "csc": sparse.csc_array,
}


def linear():
    head = LinearHead(3)
    with torch.no_grad():
        head.columns.weight[:] = torch.tensor([[1.0], [10.0], [100.0]])
        head.columns.bias[:] = 5
    return head


@pytest.mark.parametrize("kind", KINDS)
def test_a_linear_score_is_weights_times_row_and_bias(kind):
    # 1 * 1 + 2 * 100 + 5, and 5 for the row without anything in it.
    assert linear()(KINDS[kind](ROWS)).tolist() == [206, 5]


@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_of_a_weight_is_the_sum_of_its_column(kind):
    head = linear()
    head(KINDS[kind](ROWS)).sum().backward()
    assert head.columns.weight.grad.ravel().tolist() == [1, 0, 2]
    assert head.columns.bias.grad.tolist() == [2]


def test_rows_that_may_not_be_written_to_are_read():
    rows = ROWS.copy()
    rows.flags.writeable = False
    assert linear()(rows).tolist() == [206, 5]


def test_entries_that_are_stored_twice_are_added():
    twice = sparse.csr_array(([1.0, 1.0, 2.0], [0, 0, 2], [0, 3]), shape=(1, 3))
    assert linear()(twice).tolist() == [2 + 200 + 5]


@pytest.mark.parametrize("rows", [ROWS[:0], sparse.csr_array(ROWS)[:0]])
def test_no_rows_have_no_scores(rows):
    assert linear()(rows).shape == (0,)


def test_an_mlp_is_rectified_in_between():
    head = MLPHead(1, hidden=(2,))
    with torch.no_grad():
        head.columns.weight[:] = torch.tensor([[1.0, -1.0]])
        head.columns.bias[:] = 0
        head.layers[-1].weight[:] = torch.tensor([[3.0], [4.0]])
        head.layers[-1].bias[:] = 1
    assert head(np.array([[2.0], [-2.0]])).tolist() == [3 * 2 + 1, 4 * 2 + 1]


def test_hidden_layers_are_as_many_and_as_wide_as_asked_for():
    head = MLPHead(7, hidden=(5, 3), dropout=0.1)
    shapes = [tuple(part.weight.shape) for part in head.modules() if isinstance(part, Columns)]
    assert shapes == [(7, 5), (5, 3), (3, 1)]
    assert head(np.ones((4, 7))).shape == (4,)


def test_dropout_is_for_training_alone():
    head = MLPHead(3, hidden=(50,), dropout=0.5)
    with seed_torch(1):
        assert not torch.equal(head(ROWS), head(ROWS))
        head.eval()
        assert torch.equal(head(ROWS), head(ROWS))


def test_weights_start_within_the_usual_range():
    weight = LinearHead(10_000).columns.weight
    assert 0.009 < abs(weight).max() <= 0.01


@pytest.mark.parametrize("rows", [np.ones((2, 4)), sparse.csr_array(np.ones((2, 4))), np.ones(3)])
def test_rows_of_another_width_are_refused(rows):
    with pytest.raises(SettingsError, match="for a network of 3 columns"):
        linear()(rows)


@pytest.mark.parametrize(
    "make",
    [
        lambda: LinearHead(0),
        lambda: MLPHead(3, hidden=()),
        lambda: MLPHead(3, hidden=(0,)),
        lambda: MLPHead(3, dropout=1),
    ],
)
def test_heads_that_make_no_sense_are_refused(make):
    with pytest.raises(SettingsError):
        make()
