"""The plain CNN, for comparison: embed, convolve, take the maximum, padded to the longest row.

It is the same function as `WordCNN`, with the same random start.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from likewise.features import PADDING, Ragged
from likewise.learn.rows import Rows


class PlainCNN(nn.Module):
    """The paper's CNN as it is usually written, with the same sizes as `WordCNN`."""

    def __init__(self, words: int, *, spread: float, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, 50, padding_idx=PADDING)
        self.embedding.weight.data *= spread
        self.title = nn.ModuleList(nn.Conv1d(50, 50, window) for window in (3, 5))
        self.abstract = nn.ModuleList(nn.Conv1d(50, 100, window) for window in (3, 5))
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(300, 1)

    def forward(self, rows: Rows) -> Tensor:
        """Return a score for each row."""
        title, abstract = rows.kinds
        features = [
            *self.find_features(title, self.title),
            *self.find_features(abstract, self.abstract),
        ]
        scores: Tensor = self.head(self.dropout(torch.cat(features, dim=1)))
        return scores.squeeze(1)

    def find_features(self, rows: Ragged, filters: nn.ModuleList) -> list[Tensor]:
        """Return what each filter finds, of shape (rows, filters)."""
        embedded = self.embedding(pad_rows(rows)).transpose(1, 2)
        return [torch.relu(find_best_run(convolve(embedded), rows)) for convolve in filters]


def find_best_run(found: Tensor, rows: Ragged) -> Tensor:
    """Return the maximum over the runs of each row that hold no more padding than they must."""
    window = max(5, rows.lengths.max()) - found.shape[2] + 1
    last = torch.from_numpy(np.maximum(rows.lengths - window, 0))
    is_beyond = torch.arange(found.shape[2]) > last[:, None]
    return found.masked_fill(is_beyond[:, None], -torch.inf).amax(dim=2)


def pad_rows(rows: Ragged) -> Tensor:
    """Return token ids as one matrix, each row filled up to the longest, or to 5."""
    places = np.arange(max(5, rows.lengths.max()))
    is_word = places < rows.lengths[:, None]
    found = rows.values[np.where(is_word, rows.starts[:, None] + places, 0)]
    return torch.from_numpy(np.where(is_word, found, PADDING).astype(np.int64))
