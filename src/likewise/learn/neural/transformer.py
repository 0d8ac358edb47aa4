"""A transformer that scores texts: pretrained states, pooled, and a weight for each of them.

With h the vector of a text (`features/windows.py`: states of sliding windows, averaged),

    score = w . h + b

The paper fine-tunes everything at a learning rate of 5e-5, on documents of at most 600 words. Where
only w and b are to be learned, the vectors can be made once and kept: `LinearHead` over what an
encoder made is the same model, many times quicker.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Self

import torch
from torch import Tensor, nn

from likewise.features.pieces import MOST_WORDS, longer_than
from likewise.features.pooling import check_pooling, pooled
from likewise.learn.estimators import Rows
from likewise.learn.neural.estimator import PUNetwork

if TYPE_CHECKING:
    from likewise.features.pieces import TokenizedTexts
    from likewise.features.pretrained import Pretrained

LEARNING_RATE = 5e-5
TOKENS_AT_ONCE = 4096
"""How many word pieces, padding counted, are looked at in one go."""


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
            vectors = pooled(
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
        """Switch to training, or from it; what is frozen drops nothing out."""
        super().train(mode)
        if self.frozen:
            self.transformer.eval()
        return self


class TransformerNetwork(PUNetwork):
    """A network over texts that learns from those of at most 600 words, and scores all of them.

    Its rows are `TokenizedTexts`, or `Rows` of which the last kind is how many words there are.
    Where all of a group are longer, it learns from them all the same.
    """

    def learn(self, positive: Any, unlabeled: Any, negative: Any = None) -> Self:
        """Train every model, from the pretrained weights."""
        off = None if negative is None else short_rows(negative)
        return super().learn(short_rows(positive), short_rows(unlabeled), off)


def short_rows(texts: Any, words: int = MOST_WORDS) -> Any:
    """Return the rows of at most so many words; all, if that would leave none."""
    is_long = texts.kinds[-1] > words if isinstance(texts, Rows) else longer_than(texts, words)
    return texts if is_long.all() else texts[~is_long]
