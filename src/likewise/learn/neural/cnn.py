"""The paper's model: a convolutional network over the words of title and abstract (Kim, 2014).

A filter scores every run of words that is as long as its window, and a document gets the score of
its best run:

    feature(document) = max_t sum_j weight[j] . embedding[word(t + j)] + bias

Two things make this quick. What a word contributes at place j of a window is the same wherever the
word stands, so it is computed once for the vocabulary and then only added up. And only the best
window of a document has a gradient. Values and gradients are the same as in the plain way (embed,
convolve, take the maximum); a test compares them. If a transformer embeds a word differently at
each of its places (`transformer.py`), every place counts as a word of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from likewise.errors import SettingsError
from likewise.features import PADDING, Ragged
from likewise.features.windows import cut_chunks

if TYPE_CHECKING:
    from likewise.learn.rows import Rows

TOKENS_AT_ONCE = 60_000
"""How many words, including padding, are read at once, which limits the memory needed."""


class EmbeddedField(NamedTuple):
    """The rows of a field, and the embeddings that they refer to."""

    rows: Ragged
    """The number of each word among the embeddings, with PADDING after the last row."""
    embeddings: Tensor
    """The embeddings of the words that occur; the first is for padding."""


class FilterChoices(TypedDict, total=False):
    """The options of filters."""

    title_filters: int
    """How many filters of each window read the title; 50 by default."""
    abstract_filters: int
    """How many filters of each window read the abstract; 100 by default."""
    windows: Sequence[int]
    """How many words filters look at; 3 and 5 by default."""
    dropout: float
    """The share of features that are dropped at each step of training; 0 by default."""


class FieldCNN(nn.Module):
    """Scores documents by convolutions over title and abstract, however words are embedded.

    A subclass embeds the words, and calls `add_filters` after it has drawn its own weights.
    """

    def add_filters(self, dimensions: int, **choices: Unpack[FilterChoices]) -> None:
        """Add filters over embeddings of this length, and a head, with random weights."""
        windows, dropout = choices.get("windows", (3, 5)), choices.get("dropout", 0.0)
        if not 0 <= dropout < 1:
            raise SettingsError(f"dropout is {dropout}; it is at least 0 and less than 1")
        counts = (choices.get("title_filters", 50), choices.get("abstract_filters", 100))
        self.title, self.abstract = (
            nn.ModuleList(Filters(dimensions, filters, window=window) for window in windows)
            for filters in counts
        )
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(len(windows) * sum(counts), 1)

    def score_fields(self, title: EmbeddedField, abstract: EmbeddedField) -> Tensor:
        """Return a score for each row, of shape (n,)."""
        fields = ((title, self.title), (abstract, self.abstract))
        features = [
            torch.relu(same_window(*field)) for field, filters in fields for same_window in filters
        ]
        scores: Tensor = self.head(self.dropout(torch.cat(features, dim=1)))
        return scores.squeeze(1)


class WordCNN(FieldCNN):
    """Scores documents by convolutions over the words of their titles and abstracts.

    Takes `Rows` of two kinds: the token ids of the titles and those of the abstracts.
    """

    def __init__(
        self,
        words: int,
        *,
        dimensions: int = 50,
        start: NDArray[np.float32] | None = None,
        spread: float = 1.0,
        **filters: Unpack[FilterChoices],
    ) -> None:
        """Make a network that has not learned yet.

        Args:
            words: How many ids there are, including those for padding and unknown words.
            dimensions: The length of a word's embedding.
            start: The embeddings before training, of shape (words, dimensions); None for random.
            spread: What those embeddings are multiplied by; random ones have a deviation of 1.
            filters: See `FilterChoices`.
        """
        super().__init__()
        self.embedding = nn.Embedding(words, dimensions, padding_idx=PADDING)
        if start is not None:
            self.embedding.weight.data.copy_(torch.from_numpy(start))
        self.embedding.weight.data *= spread
        self.add_filters(dimensions, **filters)

    def forward(self, rows: Rows) -> Tensor:
        """Return a score for each row, of shape (n,)."""
        return self.score_fields(*(self._embed_words(kind.pack()) for kind in rows.kinds))

    def _embed_words(self, rows: Ragged) -> EmbeddedField:
        known = self.embedding.num_embeddings
        if rows.values.max(initial=PADDING) >= known:
            raise SettingsError(
                f"word {rows.values.max()} is beyond this network, which has {known} words; "
                "it only scores rows of the vocabulary that it was made for"
            )
        # Only words that occur are embedded: in a small batch that is a small part of all.
        occurs = np.zeros(known, dtype=bool)
        occurs[PADDING] = True
        occurs[rows.values] = True
        words = torch.from_numpy(np.flatnonzero(occurs)).to(self.embedding.weight.device)
        numbers = (np.cumsum(occurs) - 1).astype(np.int32)
        renumbered = replace(rows, values=np.append(numbers[rows.values], np.int32(PADDING)))
        return EmbeddedField(renumbered, self.embedding(words))


class Filters(nn.Module):
    """Filters with the same window; each scores a document by its best run of words."""

    def __init__(self, dimensions: int, filters: int, *, window: int) -> None:
        super().__init__()
        self.window = window
        # The weights of nn.Conv1d, with its random start and in another order.
        plain = nn.Conv1d(dimensions, filters, window)
        self.weight = nn.Parameter(plain.weight.detach().permute(2, 1, 0).contiguous())
        self.bias = nn.Parameter(plain.bias.detach() if plain.bias is not None else torch.zeros(0))

    def forward(self, rows: Ragged, embeddings: Tensor) -> Tensor:
        """Return the features of an embedded field, of shape (rows, filters)."""
        parts = list(cut_chunks(np.maximum(rows.lengths, 1), tokens=TOKENS_AT_ONCE))
        parts = parts or [np.arange(0)]
        device = embeddings.device
        runs = [
            torch.from_numpy(_list_windows(rows[part], self.window)).to(device) for part in parts
        ]
        best: Tensor = _BestWindow.apply(embeddings, self.weight, *runs)  # type: ignore[no-untyped-call]
        back = torch.from_numpy(np.argsort(np.concatenate(parts))).to(device)
        return best[back] + self.bias


def _list_windows(rows: Ragged, window: int) -> np.ndarray:
    """Return the token ids of every run of words, of shape (rows, runs, window).

    A row that is shorter than the window is padded. A row that has fewer runs than the longest
    repeats its last run, which changes no maximum.
    """
    last = np.maximum(rows.lengths - window, 0)
    runs = np.minimum(np.arange(last.max(initial=0) + 1), last[:, None])
    places = runs[:, :, None] + np.arange(window)
    is_word = places < rows.lengths[:, None, None]
    # The last of all values is padding.
    found = rows.values[np.where(is_word, rows.starts[:, None, None] + places, -1)]
    return found.astype(np.int64)


class _BestWindow(torch.autograd.Function):
    """The score of the best run of words, for each row and filter."""

    @staticmethod
    def forward(ctx: Any, embeddings: Tensor, weight: Tensor, *parts: Tensor) -> Tensor:
        """Return the scores, of shape (rows, filters)."""
        window, _, filters = weight.shape
        words = len(embeddings)
        # What each word adds at each place of the window.
        table = torch.matmul(embeddings, weight).view(window * words, filters)
        at = torch.arange(window, device=table.device) * words
        sums, chosen = [], []
        for chunk in parts:
            rows, runs, _ = chunk.shape
            bags = (chunk + at).view(rows * runs, window)
            added = nn.functional.embedding_bag(bags, table, mode="sum").view(rows, runs, filters)
            best = added.max(dim=1)
            sums.append(best.values)
            # The token ids of each row's best run, of shape (rows, filters, window).
            chosen.append(chunk.gather(1, best.indices[:, :, None].expand(-1, -1, window)))
        ctx.save_for_backward(embeddings, weight, torch.cat(chosen))
        return torch.cat(sums)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        """Return the gradients of embeddings and weight, each by its own product of matrices."""
        embeddings, weight, chosen = ctx.saved_tensors
        window, _, filters = weight.shape
        words = len(embeddings)
        places = torch.arange(window, device=gradient.device) * words
        cells = (chosen + places) * filters
        cells += torch.arange(filters, device=gradient.device)[None, :, None]
        by_word = gradient.new_zeros(window * words * filters)
        by_word.index_add_(0, cells.view(-1), gradient[:, :, None].expand_as(cells).reshape(-1))
        by_word = by_word.view(window, words, filters)
        # Embeddings that do not learn can be the largest tensor of all, so they get no gradient.
        of_embeddings = torch.zeros_like(embeddings) if ctx.needs_input_grad[0] else None
        of_weight = torch.empty_like(weight)
        for place in range(window):
            if of_embeddings is not None:
                of_embeddings.addmm_(by_word[place], weight[place].T)
            torch.mm(embeddings.T, by_word[place], out=of_weight[place])
        return of_embeddings, of_weight, *(None for _ in ctx.needs_input_grad[2:])
