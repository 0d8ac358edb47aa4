"""The rows that networks of the benchmark learn from: a task's documents as token ids, by part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from likewise.bench.methods.supervision import is_aside, splits_of
from likewise.errors import SettingsError
from likewise.features.tokens import token_ids
from likewise.features.word_vectors import word_vectors
from likewise.learn.estimators import Rows, stacked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from likewise.bench.methods.supervision import Supervision
    from likewise.bench.methods.view import View
    from likewise.bench.tasks.task import Split
    from likewise.features.tokens import TokenIds

    Mask = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Examples:
    """The rows of a part, by what is known of them."""

    positive: Rows
    unlabeled: Rows
    negative: Rows

    def group(self, name: str) -> Rows:
        """Return the rows of a group."""
        rows: Rows = getattr(self, name)
        if not rows.shape[0]:
            raise SettingsError(
                f"the task has no {name} documents for this risk; make tasks with --negatives, or "
                "choose one that needs none, such as cnn(risk=nnpu)"
            )
        return rows

    @property
    def everyone(self) -> Rows:
        """The rows of what is not known to be on topic."""
        rows: Rows = stacked([self.unlabeled, self.negative])
        return rows


@dataclass(frozen=True, kw_only=True)
class NetworkRows:
    """What networks learn from, stop early by, and are measured on."""

    tokens: TokenIds
    learned: Examples
    validation: Examples
    measured: Rows

    @property
    def words(self) -> int:
        """How many token ids there are."""
        return self.tokens.size

    def vectors(self, rng: np.random.Generator) -> NDArray[np.float32]:
        """Return embeddings from what documents share."""
        return word_vectors(self.tokens, dimensions=50, rng=rng)


class Numbered:
    """The documents of a view with their words as numbers."""

    def __init__(self, view: View) -> None:
        """Number the words of seeds, negatives and pool."""
        self.view = view
        self._groups = {
            "positive": len(view.seeds),
            "negative": len(view.negatives),
            "unlabeled": len(view.pool),
        }
        pool = [view.task.documents[identifier] for identifier in view.pool]
        self.tokens = token_ids([*view.seeds, *view.negatives, *pool])
        self._rows = Rows(self.tokens.title, self.tokens.abstract)

    def labelled(self, name: str) -> Rows:
        """Return the rows of a group."""
        first = 0
        for group, size in self._groups.items():
            if group == name:
                return self._rows[first : first + size]
            first += size
        raise KeyError(name)

    def rows(self, *, rng: np.random.Generator) -> NetworkRows:
        """Return the rows of a task for networks that know no more than its labels."""
        view, pool = self.view, self.labelled("unlabeled")
        learned = len(view.learned)
        splits: dict[str, list[Split]] = {
            "positive": [entry.split for entry in view.seed_entries],
            "negative": [entry.split for entry in view.negative_entries],
            "unlabeled": splits_of(view),
        }
        is_off = {name: is_aside(told, rng=rng) for name, told in splits.items()}
        groups = {name: self.labelled(name)[: len(told)] for name, told in splits.items()}
        return NetworkRows(
            tokens=self.tokens,
            learned=Examples(**{name: groups[name][~is_off[name]] for name in groups}),
            validation=Examples(**{name: groups[name][is_off[name]] for name in groups}),
            measured=pool[learned:] if view.unseen else pool,
        )

    def supervised(
        self, is_relevant: Mask, *, part: Supervision, rng: np.random.Generator
    ) -> NetworkRows:
        """Return the rows for networks that learn the truth, which is given.

        Args:
            is_relevant: Which documents of the pool are on topic.
            part: Which of them are learned from, for validation, and measured.
            rng: Deals the seeds, where the task does not.
        """
        pool, seeds = self.labelled("unlabeled"), self.labelled("positive")
        is_off = is_aside([entry.split for entry in self.view.seed_entries], rng=rng)

        def examples(chosen: Mask, known: Mask) -> Examples:
            return Examples(
                positive=stacked([seeds[known], pool[chosen & is_relevant]]),
                negative=pool[chosen & ~is_relevant],
                unlabeled=pool[:0],
            )

        return NetworkRows(
            tokens=self.tokens,
            learned=examples(part.learned, ~is_off),
            validation=examples(part.validation, is_off),
            measured=pool[part.measured],
        )
