"""Grouped rows: the rows of all groups in one block, so that a batch takes one call of a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from likewise.errors import ScoresError, SettingsError
from likewise.learn.batching import Batch
from likewise.learn.neural.groups import PURisk, Risk
from likewise.learn.rows import Numbers, Rows, stack_rows

RowNumbers = Mapping[str, NDArray[np.int64]]
RiskOf = Callable[[dict[str, Tensor], RowNumbers], Risk]
"""Returns a risk, given the scores by group and where in the block their rows are."""
LEAST_ASIDE = {"positive": 2}
"""The fewest rows of a group, if not 1, in each part: one seed alone gives no validation risk."""


@dataclass(frozen=True)
class GroupedRows:
    """A block of rows, and which of them belong to each group."""

    block: Any
    numbers: RowNumbers

    @classmethod
    def of(cls, groups: Mapping[str, Any]) -> GroupedRows:
        """Return a block of the rows of groups."""
        sizes = [rows.shape[0] for rows in groups.values()]
        for name, rows in groups.items():
            _check_finite(name, rows)
        numbers = np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1])
        return cls(stack_rows(list(groups.values())), dict(zip(groups, numbers, strict=True)))

    @property
    def sizes(self) -> dict[str, int]:
        """How many rows each group has."""
        return {name: len(numbers) for name, numbers in self.numbers.items()}

    def split(
        self, share: float, *, rng: np.random.Generator
    ) -> tuple[GroupedRows, GroupedRows] | None:
        """Split the rows of each group at random; this share of them goes into the second part.

        If a group has too few rows for `LEAST_ASIDE`, nothing is split.
        """
        first, second = {}, {}
        for name, numbers in self.numbers.items():
            few = LEAST_ASIDE.get(name, 1)
            if len(numbers) < 2 * few:
                return None
            count = int(np.clip(round(share * len(numbers)), few, len(numbers) - few))
            dealt = rng.permutation(numbers)
            first[name], second[name] = np.sort(dealt[count:]), np.sort(dealt[:count])
        return GroupedRows(self.block, first), GroupedRows(self.block, second)


@dataclass(frozen=True)
class RiskOnRows:
    """The risk that a model has on grouped rows."""

    model: nn.Module
    rows: GroupedRows
    _: KW_ONLY
    risk_of: RiskOf

    def measure_batch(self, batch: Batch) -> Risk:
        """Return the risk of the rows of a batch, which the model scores in one call."""
        numbers = {name: self.rows.numbers[name][places] for name, places in batch.items()}
        scores = score_rows(self.model, self.rows.block[np.concatenate(list(numbers.values()))])
        parts = torch.split(scores, [len(places) for places in numbers.values()])
        return self.risk_of(dict(zip(numbers, parts, strict=True)), numbers)

    def measure_all(self, *, batch: int) -> Risk:
        """Return the risk of all rows, scored `batch` rows at a time."""
        scores = {}
        for name, numbers in self.rows.numbers.items():
            starts = range(0, len(numbers), batch)
            blocks = (self.rows.block[numbers[start : start + batch]] for start in starts)
            scores[name] = torch.cat([score_rows(self.model, block) for block in blocks])
        return self.risk_of(scores, self.rows.numbers)


def group_rows(risk: PURisk, *, positive: Any, unlabeled: Any, negative: Any = None) -> GroupedRows:
    """Return rows in the groups of a risk; negatives without a group join the unlabeled rows."""
    if "negative" in risk.groups and negative is None:
        raise SettingsError(
            f"{type(risk).__name__} needs negative rows, but there are none; give them, or use a "
            "risk of positive and unlabeled rows alone, such as NNPU"
        )
    if "negative" not in risk.groups and negative is not None:
        unlabeled = stack_rows([unlabeled, negative])
    given = {"positive": positive, "unlabeled": unlabeled, "negative": negative}
    return GroupedRows.of({name: given[name] for name in risk.groups})


def score_in_blocks(model: nn.Module, rows: Any, *, size: int) -> Numbers:
    """Return a model's scores of rows, `size` rows at a time and without gradients."""
    starts = range(0, rows.shape[0], size)
    with torch.no_grad():
        found = [score_rows(model, rows[start : start + size]) for start in starts]
    return np.concatenate([np.empty(0), *(part.cpu().double().numpy() for part in found)])


def score_rows(model: nn.Module, rows: Any) -> Tensor:
    """Return the scores that a model gives rows, of shape (n,)."""
    scores: Tensor = model(rows)
    if scores.shape != (rows.shape[0],):
        raise ScoresError(
            f"the model returns scores of shape {tuple(scores.shape)} for {rows.shape[0]} rows; "
            "each row needs one score, of shape (n,); .squeeze(1) makes that of (n, 1)"
        )
    return scores


def _check_finite(name: str, rows: Any) -> None:
    for kind in rows.kinds if isinstance(rows, Rows) else [rows]:
        values = kind.data if hasattr(kind, "tocsr") else kind
        if isinstance(values, np.ndarray) and not np.isfinite(values).all():
            raise SettingsError(
                f"the {name} rows hold numbers that are not finite; mend the features of "
                f"{int((~np.isfinite(values)).sum())} cells"
            )
