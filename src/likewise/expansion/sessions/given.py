"""Marks that are given at once: what they have in common, and where their documents stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import SessionError
from likewise.expansion.marks import LABELS, STRATEGIES, Mark

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from likewise.expansion.marks import Label, Strategy
    from likewise.expansion.saved import SavedPlace


class Given(NamedTuple):
    """What marks that are given at once have in common."""

    first: int
    """The number of the first of them."""
    time: str
    expansion: int
    """The number of the latest expansion."""
    places: Mapping[str, SavedPlace]
    """The places in it."""
    audits: Mapping[str, int]
    """The latest audits that drew them, for those that were drawn."""
    strategy: Strategy | None
    source: str

    def marks(self, labels: Mapping[str, Label | None]) -> list[Mark]:
        """Return a mark for each label."""
        return [
            self._mark(number, document, label)
            for number, (document, label) in enumerate(labels.items(), self.first)
        ]

    def _mark(self, number: int, document: str, label: Label | None) -> Mark:
        place, audit = self.places.get(document), self.audits.get(document)
        is_audited = audit is not None and label is not None
        return Mark(
            number=number,
            document=document,
            label=label,
            time=self.time,
            expansion=self.expansion,
            rank=place.rank if place else None,
            probability=place.probability if place else None,
            strategy=self.strategy or ("audit" if is_audited else None),
            audit=audit,
            source=self.source,
        )


def check_words(labels: Iterable[Label | None], strategy: Strategy | None) -> None:
    """Raise if something is said that is no label, or was chosen by no strategy."""
    for label in set(labels):
        if label is not None and label not in LABELS:
            raise SessionError(f"no label {label!r}; use one of: {', '.join(LABELS)}")
    if strategy is not None and strategy not in STRATEGIES:
        raise SessionError(f"no strategy {strategy!r}; use one of: {', '.join(STRATEGIES)}")
