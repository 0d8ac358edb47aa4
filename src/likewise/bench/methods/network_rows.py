"""The rows that networks of the benchmark learn from: a task's documents, part by part.

What a network embeds is named by its parameter `embeddings`:

    words     the words of documents, as numbers
    encoder   the states of their word pieces, which a transformer makes once
    tuned     their word pieces, read by a transformer that learns with the network

With the last two, documents of over 600 words are left out of training and validation, as in
appendix B of the paper, but never out of what is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from likewise.bench.methods.supervision import Supervision, deal_aside, deal_by_label
from likewise.bench.methods.view import TaskView
from likewise.documents import Document
from likewise.errors import SettingsError
from likewise.features import MOST_WORDS, token_ids
from likewise.features.huggingface import HuggingFace
from likewise.features.words import make_word_vectors
from likewise.learn.material import OnStep
from likewise.learn.neural.cnn import FieldCNN, WordCNN
from likewise.learn.neural.transformer import (
    FrozenCNN,
    TunedCNN,
    drop_long_rows,
    make_contextual_rows,
)
from likewise.learn.rows import Rows, stack_rows

Mask = NDArray[np.bool_]

SPREAD = {"random": 0.01, "topics": 0.1}
"""The deviation of embeddings before training; AllenNLP's, or for topics the product's."""


class TaskDocuments:
    """The documents of a view as networks read them."""

    def __init__(
        self, view: TaskView, *, embeddings: str = "words", on_step: OnStep | None = None
    ) -> None:
        """Read seeds, negatives and pool.

        Args:
            view: What methods see of the task.
            embeddings: What networks embed.
            on_step: Called with how many texts a transformer has read.
        """
        self.view = view
        pool = [view.task.documents[identifier] for identifier in view.pool]
        documents = [*view.seeds, *view.negatives, *pool]
        self.embedded: EmbeddedDocuments
        if embeddings == "words":
            self.embedded = NumberedWords(documents)
        elif isinstance(view.encoder, HuggingFace):
            is_frozen = embeddings == "encoder"
            self.embedded = ReadPieces(
                documents, encoder=view.encoder, frozen=is_frozen, on_step=on_step
            )
        else:
            raise SettingsError(
                f"cnn(embeddings={embeddings}) needs a Hugging Face encoder; "
                "name one with --encoder"
            )
        rows, seeds, known = self.embedded.rows, len(view.seeds), len(documents) - len(pool)
        self.groups = {
            "positive": rows[:seeds],
            "negative": rows[seeds:known],
            "unlabeled": rows[known:],
        }

    def split_rows(self, *, rng: np.random.Generator) -> NetworkRows:
        """Return the rows of a task for networks that know only its labels."""
        view, pool = self.view, self.groups["unlabeled"]
        learned = len(view.learned)
        is_off = deal_by_label(view, rng=rng)
        groups = {name: self.groups[name][: len(off)] for name, off in is_off.items()}
        return NetworkRows(
            embedded=self.embedded,
            learned=self._make_examples({name: groups[name][~is_off[name]] for name in groups}),
            validation=self._make_examples({name: groups[name][is_off[name]] for name in groups}),
            measured=pool[learned:] if view.unseen else pool,
        )

    def split_by_truth(
        self, is_relevant: Mask, *, part: Supervision, rng: np.random.Generator
    ) -> NetworkRows:
        """Return the rows for networks that learn from the truth.

        Args:
            is_relevant: Which documents of the pool are on topic.
            part: Which of them are for training, for validation, and for measuring.
            rng: Draws the seeds for validation, if the task does not say which.
        """
        pool, seeds = self.groups["unlabeled"], self.groups["positive"]
        is_off = deal_aside([entry.split for entry in self.view.seed_entries], rng=rng)

        def make_examples(chosen: Mask, known: Mask) -> Examples:
            return self._make_examples(
                {
                    "positive": stack_rows([seeds[known], pool[chosen & is_relevant]]),
                    "negative": pool[chosen & ~is_relevant],
                    "unlabeled": pool[:0],
                }
            )

        return NetworkRows(
            embedded=self.embedded,
            learned=make_examples(part.learned, ~is_off),
            validation=make_examples(part.validation, is_off),
            measured=pool[part.measured],
        )

    def _make_examples(self, groups: dict[str, Rows]) -> Examples:
        """Return the rows of a part for training or validation, without overlong documents."""
        most = self.embedded.most_words
        if most is not None:
            groups = {name: drop_long_rows(rows, most) for name, rows in groups.items()}
        return Examples(**groups)


@dataclass(frozen=True, kw_only=True)
class NetworkRows:
    """The rows for training, for validation, and for measuring."""

    embedded: EmbeddedDocuments
    learned: Examples
    validation: Examples
    measured: Rows


@dataclass(frozen=True, kw_only=True)
class Examples:
    """The rows of a part, by label."""

    positive: Rows
    unlabeled: Rows
    negative: Rows

    def select(self, name: str) -> Rows:
        """Return the rows of a group."""
        rows: Rows = getattr(self, name)
        if not rows.shape[0]:
            raise SettingsError(
                f"the task has no {name} documents for this risk; make tasks with --negatives, or "
                "choose a risk that needs none, such as cnn(risk=nnpu)"
            )
        return rows

    @property
    def everyone(self) -> Rows:
        """All rows that are not known to be on topic."""
        rows: Rows = stack_rows([self.unlabeled, self.negative])
        return rows


class NumberedWords:
    """Documents as the numbers of their words."""

    most_words: int | None = None
    """Documents with more words are left out of training; None to keep all."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self.tokens = token_ids(documents)
        self.rows = Rows(self.tokens.title, self.tokens.abstract)

    def build_model(self, *, start: str, rng: np.random.Generator) -> FieldCNN:
        """Return the paper's CNN without pretraining, which has not learned yet.

        Args:
            start: What embeddings of words start from: "random" or "topics".
            rng: Draws topics; the network's own weights are drawn by torch.
        """
        has_topics = start == "topics"
        vectors = make_word_vectors(self.tokens, dimensions=50, rng=rng) if has_topics else None
        return WordCNN(self.tokens.size, start=vectors, spread=SPREAD[start])


class ReadPieces:
    """Documents as the word pieces that a transformer reads, or as their states."""

    most_words: int | None = MOST_WORDS

    def __init__(
        self,
        documents: Sequence[Document],
        *,
        encoder: HuggingFace,
        frozen: bool,
        on_step: OnStep | None = None,
    ) -> None:
        self.encoder, self.frozen = encoder, frozen
        self.rows = make_contextual_rows(encoder, documents, frozen=frozen, on_step=on_step)

    def build_model(self, *, start: str, rng: np.random.Generator) -> FieldCNN:  # noqa: ARG002  # as words
        """Return the paper's CNN over a pretrained transformer; `start` makes no difference."""
        if self.frozen:
            return FrozenCNN(self.encoder.dimensions)
        return TunedCNN(self.encoder.pretrained)


EmbeddedDocuments = NumberedWords | ReadPieces
"""Documents as a network reads them."""
