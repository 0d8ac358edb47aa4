"""Heads: small networks over features of any kind, dense or sparse.

linear   score = w . x + b
MLP      score = w . h + b,  h = relu(W x + c), once or several times
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from likewise.errors import SettingsError


class Columns(nn.Module):
    """A linear layer over rows that may be a numpy array, a torch tensor or a scipy matrix.

    Sparse rows are not made dense: a batch of 1,000 rows over 50,000 terms would take 200 MB.
    """

    def __init__(self, dimensions: int, out: int) -> None:
        super().__init__()
        if dimensions < 1 or out < 1:
            raise SettingsError(f"a layer from {dimensions} columns to {out}; at least 1 is needed")
        # The range that torch's own linear layers start from.
        reach = dimensions**-0.5
        self.weight = nn.Parameter(torch.empty(dimensions, out).uniform_(-reach, reach))
        self.bias = nn.Parameter(torch.empty(out).uniform_(-reach, reach))

    def forward(self, rows: Any) -> Tensor:
        """Return an array of shape (rows, out)."""
        if rows.ndim != 2 or rows.shape[1] != len(self.weight):
            raise SettingsError(
                f"rows of shape {tuple(rows.shape)} for a network of {len(self.weight)} columns; "
                "it scores rows of the kind that it was made for"
            )
        return (
            self._multiply_sparse(rows) if hasattr(rows, "tocsr") else self._multiply_dense(rows)
        ) + self.bias

    def _multiply_dense(self, rows: Any) -> Tensor:
        if not isinstance(rows, Tensor):
            rows = torch.tensor(np.ascontiguousarray(rows))
        dense: Tensor = rows.to(self.weight)
        return dense @ self.weight

    def _multiply_sparse(self, rows: Any) -> Tensor:
        rows, device = rows.tocsr(), self.weight.device
        return functional.embedding_bag(
            torch.tensor(rows.indices, dtype=torch.int64, device=device),
            self.weight,
            torch.tensor(rows.indptr, dtype=torch.int64, device=device),
            per_sample_weights=torch.tensor(rows.data).to(self.weight),
            mode="sum",
            include_last_offset=True,
        )


class LinearHead(nn.Module):
    """A weight for each column.

    >>> LinearHead(3)(np.ones((5, 3))).shape
    torch.Size([5])
    """

    def __init__(self, dimensions: int) -> None:
        super().__init__()
        self.columns = Columns(dimensions, 1)

    def forward(self, rows: Any) -> Tensor:
        """Return a score for each row."""
        scores: Tensor = self.columns(rows)
        return scores.squeeze(1)


class MLPHead(nn.Module):
    """Hidden layers with rectified units, and dropout after each.

    >>> MLPHead(3, hidden=(8, 4), dropout=0.5)(np.ones((5, 3))).shape
    torch.Size([5])
    """

    def __init__(
        self, dimensions: int, *, hidden: Sequence[int] = (100,), dropout: float = 0.0
    ) -> None:
        super().__init__()
        if not hidden:
            raise SettingsError("hidden has no layer; give it at least one, or use a LinearHead")
        if not 0 <= dropout < 1:
            raise SettingsError(f"dropout is {dropout}; it is at least 0 and less than 1")
        self.columns = Columns(dimensions, hidden[0])
        layers: list[nn.Module] = [nn.ReLU(), nn.Dropout(dropout)]
        for before, after in pairwise(hidden):
            layers += [Columns(before, after), nn.ReLU(), nn.Dropout(dropout)]
        self.layers = nn.Sequential(*layers, Columns(hidden[-1], 1))

    def forward(self, rows: Any) -> Tensor:
        """Return a score for each row."""
        scores: Tensor = self.layers(self.columns(rows))
        return scores.squeeze(1)
