"""The paper's CNN over contextual embeddings: word pieces as a pretrained transformer reads them.

The filters are those of `cnn.py`; in place of embeddings of words they look at the states of word
pieces (`features/states.py`: sliding windows, averaged). Title and abstract are read apart, as they
are filtered apart.

frozen   states are made once, kept on disk at half precision, and only the CNN learns
tuned    the transformer learns with it, at the paper's rate of 5e-5

Either way rows have three kinds: the title's and the abstract's pieces (as states or as numbers),
and how many words both have, by which documents of over 600 words are left out of training.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import torch
from torch import Tensor

from likewise.features.states import piece_states
from likewise.features.tokens import PADDING, Ragged
from likewise.learn.estimators import Rows
from likewise.learn.neural.cnn import Embedded, FieldCNN
from likewise.learn.neural.transformer import TOKENS_AT_ONCE
from likewise.library.query import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from likewise.documents import Document
    from likewise.features.huggingface import HuggingFace
    from likewise.features.pretrained import Pretrained
    from likewise.features.states import OnStep
    from likewise.learn.neural.cnn import FilterChoices

ROWS_AT_ONCE = 64
"""So many documents are scored in one go: 1,000 abstracts would take 2 GB."""


def contextual_rows(
    encoder: HuggingFace,
    documents: Sequence[Document],
    *,
    frozen: bool,
    on_step: OnStep | None = None,
) -> Rows:
    """Return the rows of documents for a CNN over a transformer.

    Args:
        encoder: Whose transformer it is.
        documents: Of which titles and abstracts are read.
        frozen: Whether the states are made now, and kept, or by the network each time.
        on_step: Hears how many texts were read.
    """
    fields = [encoder.tokenized([getattr(each, field) for each in documents]) for field in FIELDS]
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
            return self.score_fields(
                *self.embed_fields(*(kind.packed() for kind in rows.kinds[:2]))
            )
        blocks = [rows[start : start + ROWS_AT_ONCE] for start in range(0, size, ROWS_AT_ONCE)]
        return torch.cat([self(block) for block in blocks])

    @abstractmethod
    def embed_fields(self, title: Ragged, abstract: Ragged) -> Iterable[Embedded]:
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

    def embed_fields(self, title: Ragged, abstract: Ragged) -> Iterable[Embedded]:
        """Return the states that rows hold, at full precision."""
        for rows in (title, abstract):
            states = torch.from_numpy(np.array(rows.values, np.float32))
            yield _each_its_own(rows, states.to(self.head.weight.device))


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

    def embed_fields(self, title: Ragged, abstract: Ragged) -> Iterable[Embedded]:
        """Return the states that the transformer makes, of both fields together."""
        states = piece_states(
            self.transformer,
            Ragged.stack([title, abstract]),
            marks=self.marks,
            width=self.width,
            tokens=TOKENS_AT_ONCE,
        )
        parts = torch.split(states, [int(field.lengths.sum()) for field in (title, abstract)])
        return map(_each_its_own, (title, abstract), parts)


def _each_its_own(rows: Ragged, states: Tensor) -> Embedded:
    """Return rows of which every piece has an embedding of its own."""
    places = np.append(np.arange(1, len(states) + 1, dtype=np.int32), np.int32(PADDING))
    padding = states.new_zeros(1, states.shape[1])
    return Embedded(replace(rows, values=places), torch.cat([padding, states]))
