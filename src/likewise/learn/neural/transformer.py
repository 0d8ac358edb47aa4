"""Heads, and networks over a pretrained transformer: a head on its vectors, or the paper's CNN.

A head scores features of any kind: w . x + b, or w . h + b with h = relu(W x + c) once or more.
`TransformerClassifier` pools the states of a text into its vector h (`features/windows.py`: sliding
windows, averaged), and puts a linear head on it. The paper fine-tunes everything at a learning rate
of 5e-5, on documents of at most 600 words. If only the head is to learn, the vectors can be made
once and kept: `LinearHead` over an encoder's vectors is the same model, many times quicker.

The CNN has the filters of `cnn.py`; in place of embeddings of words they look at the states of word
pieces. Title and abstract are read separately, as they have separate filters.

FrozenCNN   states are made once, kept on disk at half precision, and only the CNN learns
TunedCNN    the transformer learns with it

Either way, rows have three kinds: the title's and the abstract's pieces, as states or numbers, and
how many words both have together, so that documents of over 600 words can be left out of training.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, Self, Unpack

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from likewise.documents import Document
from likewise.errors import SettingsError
from likewise.features import MOST_WORDS, PADDING, Ragged, TokenizedTexts
from likewise.features.huggingface import HuggingFace, OnStep, compute_states
from likewise.features.pretrained import Pretrained
from likewise.features.windows import check_pooling, pool_vectors
from likewise.learn.neural.cnn import EmbeddedField, FieldCNN, FilterChoices
from likewise.learn.neural.estimator import PUNetwork
from likewise.learn.rows import Rows
from likewise.library.protocol import FIELDS


class Columns(nn.Module):
    """A linear layer over rows that may be a numpy array, a torch tensor or a scipy matrix.

    Sparse rows are not made dense: a batch of 1,000 rows over 50,000 terms would take 200 MB.
    """

    def __init__(self, dimensions: int, out: int) -> None:
        super().__init__()
        if dimensions < 1 or out < 1:
            raise SettingsError(f"a layer from {dimensions} columns to {out}; give at least 1 each")
        # The range that torch's own linear layers start from.
        reach = dimensions**-0.5
        self.weight = nn.Parameter(torch.empty(dimensions, out).uniform_(-reach, reach))
        self.bias = nn.Parameter(torch.empty(out).uniform_(-reach, reach))

    def forward(self, rows: Any) -> Tensor:
        """Return an array of shape (rows, out)."""
        if rows.ndim != 2 or rows.shape[1] != len(self.weight):
            raise SettingsError(
                f"rows of shape {tuple(rows.shape)} for a network of {len(self.weight)} columns; "
                "it only scores rows of the kind that it was made for"
            )
        if hasattr(rows, "tocsr"):
            return self._multiply_sparse(rows) + self.bias
        if not isinstance(rows, Tensor):
            rows = torch.tensor(np.ascontiguousarray(rows))
        dense: Tensor = rows.to(self.weight)
        return dense @ self.weight + self.bias

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


LEARNING_RATE = 5e-5
"""The paper's, for when the transformer learns too."""
TOKENS_AT_ONCE = 4096
"""How many word pieces, including padding, are read at once."""
ROWS_AT_ONCE = 64
"""How many documents are scored at once; 1,000 abstracts would take 2 GB."""


class TransformerClassifier(nn.Module):
    """Scores texts by a copy of a pretrained transformer, which learns too unless it is frozen.

    Takes the rows that the transformer's own tokenizer made. Rows of about the same length go
    through together, so that little is padded; a row's score does not depend on the others.
    """

    def __init__(
        self, pretrained: Pretrained, *, pooling: str = "mean", frozen: bool = False
    ) -> None:
        """Put a head with random weights on a transformer.

        Args:
            pretrained: The transformer; it stays as it is.
            pooling: How the states of a text become its vector, mean or cls.
            frozen: Whether only the head is to learn.
        """
        super().__init__()
        check_pooling(pooling, marks=pretrained.marks)
        self.transformer: Any = copy.deepcopy(pretrained.model).requires_grad_(not frozen)
        self.head = nn.Linear(self.transformer.config.hidden_size, 1)
        self.pooling = pooling
        self.frozen = frozen
        self.marks, self.width = pretrained.marks, pretrained.width
        self.train()

    def forward(self, rows: TokenizedTexts) -> Tensor:
        """Return a score for each row, of shape (n,)."""
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.frozen):
            vectors = pool_vectors(
                self.transformer,
                rows,
                marks=self.marks,
                width=self.width,
                pooling=self.pooling,
                tokens=TOKENS_AT_ONCE,
            )
        scores: Tensor = self.head(vectors)
        return scores.squeeze(1)

    def train(self, mode: bool = True) -> Self:  # noqa: FBT001, FBT002  # as torch has it
        """Switch training mode on or off; a frozen transformer never drops units out."""
        super().train(mode)
        if self.frozen:
            self.transformer.eval()
        return self


class TransformerNetwork(PUNetwork):
    """A network that learns from texts of at most 600 words, and scores texts of any length.

    Its rows are `TokenizedTexts`, or `Rows` of which the last kind is how many words there are.
    If all texts of a group are longer, it learns from them anyway.
    """

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Train every model, from the pretrained weights."""
        off = None if negative is None else drop_long_rows(negative)
        return super().learn(drop_long_rows(positive), drop_long_rows(unlabeled), off)


def drop_long_rows(texts: Any, words: int = MOST_WORDS) -> Any:
    """Return the rows of at most this many words, or all rows if none is that short."""
    is_long = texts.kinds[-1] > words if isinstance(texts, Rows) else texts.words > words
    return texts if is_long.all() else texts[~is_long]


def make_contextual_rows(
    encoder: HuggingFace,
    documents: Sequence[Document],
    *,
    frozen: bool,
    on_step: OnStep | None = None,
) -> Rows:
    """Return the rows of documents for a CNN over the transformer of an encoder.

    If it is frozen, the states are made now and kept, rather than by the network each time, and
    `on_step` is called with how many texts were read.
    """
    fields = [encoder.tokenize([getattr(each, field) for each in documents]) for field in FIELDS]
    pieces = Ragged.stack([field.pieces for field in fields])
    if frozen:
        pieces = encoder.states(pieces, on_step=on_step)
    title, abstract = pieces[: len(documents)], pieces[len(documents) :]
    return Rows(title, abstract, np.sum([field.words for field in fields], axis=0))


class ContextualCNN(FieldCNN):
    """Scores documents by convolutions over states of word pieces, which a subclass finds."""

    def forward(self, rows: Rows) -> Tensor:
        """Return a score for each row, of shape (n,)."""
        size = rows.shape[0]
        if torch.is_grad_enabled() or size <= ROWS_AT_ONCE:
            return self.score_fields(*self.embed_fields(*(kind.pack() for kind in rows.kinds[:2])))
        blocks = [rows[start : start + ROWS_AT_ONCE] for start in range(0, size, ROWS_AT_ONCE)]
        return torch.cat([self(block) for block in blocks])

    @abstractmethod
    def embed_fields(self, title: Ragged, abstract: Ragged) -> Iterable[EmbeddedField]:
        """Return the states of both fields."""


class FrozenCNN(ContextualCNN):
    """Scores documents by convolutions over states of some length that were made before."""

    def __init__(self, dimensions: int, **filters: Unpack[FilterChoices]) -> None:
        super().__init__()
        self.add_filters(dimensions, **filters)

    def embed_fields(self, title: Ragged, abstract: Ragged) -> Iterable[EmbeddedField]:
        """Return the states that rows hold, at full precision."""
        for rows in (title, abstract):
            states = torch.from_numpy(np.array(rows.values, np.float32))
            yield _embed_each_piece(rows, states.to(self.head.weight.device))


class TunedCNN(ContextualCNN):
    """Scores documents by convolutions over a copy of a transformer, which learns with them."""

    def __init__(self, pretrained: Pretrained, **filters: Unpack[FilterChoices]) -> None:
        super().__init__()
        self.transformer: Any = copy.deepcopy(pretrained.model).requires_grad_(True)
        self.marks, self.width = pretrained.marks, pretrained.width
        self.add_filters(self.transformer.config.hidden_size, **filters)
        self.train()

    def embed_fields(self, title: Ragged, abstract: Ragged) -> Iterable[EmbeddedField]:
        """Return the states that the transformer makes, of both fields together."""
        states = compute_states(
            self.transformer,
            Ragged.stack([title, abstract]),
            marks=self.marks,
            width=self.width,
            tokens=TOKENS_AT_ONCE,
        )
        parts = torch.split(states, [int(field.lengths.sum()) for field in (title, abstract)])
        return map(_embed_each_piece, (title, abstract), parts)


def _embed_each_piece(rows: Ragged, states: Tensor) -> EmbeddedField:
    """Return rows in which every piece has an embedding of its own."""
    places = np.append(np.arange(1, len(states) + 1, dtype=np.int32), np.int32(PADDING))
    padding = states.new_zeros(1, states.shape[1])
    return EmbeddedField(replace(rows, values=places), torch.cat([padding, states]))
