"""The history of a training: what the risk came to in each epoch, and why it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import msgspec
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.learn.neural.risks import Risk

Stopped = Literal["", "epochs", "patience", "diverged"]
_ROUNDING = 0.0005


@dataclass(frozen=True)
class Figures:
    """A risk in numbers, with the parts it is made of.

    >>> str(Figures(0.231, {"positive": 0.101, "negative": 0.13}))
    'risk 0.231 = 0.101 positive + 0.130 negative'
    >>> str(Figures(0.1, {"positive": 0.1, "negative": -0.02}))
    'risk 0.100 (0.100 positive, -0.020 negative)'
    """

    value: float
    parts: dict[str, float]

    def __str__(self) -> str:
        parts = [f"{part:.3f} {name}" for name, part in self.parts.items()]
        if abs(sum(self.parts.values()) - self.value) > _ROUNDING:
            return f"risk {self.value:.3f} ({', '.join(parts)})"
        return f"risk {self.value:.3f} = {' + '.join(parts)}".replace("+ -", "- ")


def figures_of(risk: Risk) -> Figures:
    """Return a risk in numbers."""
    return Figures(risk.value.item(), {name: part.item() for name, part in risk.parts.items()})


def mean_of(figures: Sequence[Figures]) -> Figures:
    """Return the mean of risks that have the same parts.

    >>> mean_of([Figures(1.0, {"positive": 1.0}), Figures(2.0, {"positive": 2.0})])
    Figures(value=1.5, parts={'positive': 1.5})
    """
    names = figures[0].parts
    parts = {name: float(np.mean([found.parts[name] for found in figures])) for name in names}
    return Figures(float(np.mean([found.value for found in figures])), parts)


@dataclass(frozen=True, kw_only=True)
class Epoch:
    """What the risk came to in one epoch."""

    number: int
    """From 1."""
    training: Figures
    """The mean over the batches."""
    validation: Figures | None = None
    """At the end of the epoch, if rows were set aside for it."""
    seconds: float


@dataclass(frozen=True, kw_only=True)
class History:
    """What the risk came to in each epoch, and why training ended."""

    epochs: tuple[Epoch, ...] = ()
    """Those that went well."""
    best: int = 0
    """The number of the epoch whose weights were kept; 0 for those it began with."""
    stopped: Stopped = ""
    """Why training ended; "" if it goes on."""

    @property
    def best_risk(self) -> float:
        """The validation risk of the weights that were kept; infinite if it is not known."""
        found = self.epochs[self.best - 1].validation if self.best else None
        return found.value if found else float("inf")

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values; `from_dict` is the inverse."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain

    @classmethod
    def from_dict(cls, plain: dict[str, Any]) -> Self:
        """Return the history that `to_dict` made plain."""
        return msgspec.convert(plain, cls)
