"""Networks over a pretrained transformer: a linear head on its vectors, or the paper's CNN.

`TransformerClassifier` pools the states of a text into its vector h (`features/windows.py`: sliding
windows, averaged), and scores w . h + b. The paper fine-tunes everything at a learning rate of
5e-5, on documents of at most 600 words. Where only w and b are to be learned, the vectors can be
made once and kept: `LinearHead` over what an encoder made is the same model, many times quicker.

The CNN has the filters of `cnn.py`; in place of embeddings of words they look at the states of word
pieces. Title and abstract are read apart, as they are filtered apart.

FrozenCNN   states are made once, kept on disk at half precision, and only the CNN learns
TunedCNN    the transformer learns with it

Either way rows have three kinds: the title's and the abstract's pieces (as states or as numbers),
and how many words both have, by which documents of over 600 words are left out of training.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Self, Unpack

import numpy as np
import torch
from torch import Tensor, nn

from likewise.documents import Document
from likewise.features.huggingface import HuggingFace, OnStep, compute_states
from likewise.features.pretrained import Pretrained
from likewise.features.tokens import MOST_WORDS, PADDING, Ragged, TokenizedTexts, find_longer
from likewise.features.windows import check_pooling, pool_vectors
from likewise.learn.neural.cnn import EmbeddedField, FieldCNN, FilterChoices
from likewise.learn.neural.estimator import PUNetwork
from likewise.learn.rows import Rows
from likewise.library.protocol import FIELDS

LEARNING_RATE = 5e-5
"""The paper's, where a transformer learns too."""
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
    """Return the rows of at most so many words, or all rows if none is that short."""
    is_long = texts.kinds[-1] > words if isinstance(texts, Rows) else find_longer(texts, words)
    return texts if is_long.all() else texts[~is_long]


def make_contextual_rows(
    encoder: HuggingFace,
    documents: Sequence[Document],
    *,
    frozen: bool,
    on_step: OnStep | None = None,
) -> Rows:
    """Return the rows of documents for a CNN over a transformer.

    Args:
        encoder: The encoder that has the transformer.
        documents: The documents to read.
        frozen: Whether the states are made now, and kept, or by the network each time.
        on_step: Called with how many texts were read.
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
    """Scores documents by convolutions over states that were made before."""

    def __init__(self, dimensions: int, **filters: Unpack[FilterChoices]) -> None:
        """Make a network that has not learned yet.

        Args:
            dimensions: The length of a state.
            filters: See `FilterChoices`.
        """
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
        """Put filters with random weights on a transformer.

        Args:
            pretrained: The transformer; it stays as it is.
            filters: See `FilterChoices`.
        """
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
