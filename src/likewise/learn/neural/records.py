"""The record of a training: its settings, and the risk in each epoch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import msgspec
import numpy as np
import torch

from likewise.errors import SettingsError

DEVICES = ("auto", "cpu", "cuda", "mps")
GREATEST = 1e30
"""The greatest number for a setting: weights have single precision, which ends soon after."""
Stopped = Literal["", "epochs", "patience", "diverged"]
_ROUNDING = 0.0005


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """How a network is trained, with Adam."""

    epochs: int = 40
    """How often training goes through the batches, at most."""
    learning_rate: float = 0.001
    clip: float = 5.0
    """Gradients longer than this are shortened to it."""
    patience: int = 5
    """Epochs without a better validation risk after which training stops."""
    weight_decay: float = 0.0
    seed: int = 0
    """The number that all randomness comes from."""
    device: str = "auto"
    """Where it is computed: cpu, cuda or mps; auto takes a GPU if there is one."""

    def __post_init__(self) -> None:
        for name, least in (("epochs", 1), ("patience", 1), ("seed", 0)):
            number = getattr(self, name)
            if not isinstance(number, int) or number < least:
                raise SettingsError(f"{name} is {number}; give a whole number, at least {least}")
        for name in ("learning_rate", "clip"):
            if not 0 < getattr(self, name) <= GREATEST:
                raise SettingsError(
                    f"{name} is {getattr(self, name)}; it is greater than 0, and at most {GREATEST}"
                )
        if not 0 <= self.weight_decay <= GREATEST:
            raise SettingsError(f"weight_decay is {self.weight_decay}; it is 0 or more")
        if self.device not in DEVICES:
            raise SettingsError(f"device is {self.device!r}; choose one of: {', '.join(DEVICES)}")


def find_device(name: str) -> torch.device:
    """Return the device of this name; raise if this machine has none.

    >>> find_device("cpu")
    device(type='cpu')
    """
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if name == "auto":
        return torch.device(next((device for device in there if there[device]), "cpu"))
    if not there.get(name, True):
        raise SettingsError(f"device is {name!r}, but there is none here; choose auto or cpu")
    return torch.device(name)


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


def average_figures(figures: Sequence[Figures]) -> Figures:
    """Return the mean of risks that have the same parts.

    >>> average_figures([Figures(1.0, {"positive": 1.0}), Figures(2.0, {"positive": 2.0})])
    Figures(value=1.5, parts={'positive': 1.5})
    """
    names = figures[0].parts
    parts = {name: float(np.mean([found.parts[name] for found in figures])) for name in names}
    return Figures(float(np.mean([found.value for found in figures])), parts)


@dataclass(frozen=True, kw_only=True)
class Epoch:
    """The risk in one epoch."""

    number: int
    """From 1."""
    training: Figures
    """The mean over the batches."""
    validation: Figures | None = None
    """The risk at the end of the epoch, if rows were set aside for it."""
    seconds: float


@dataclass(frozen=True, kw_only=True)
class History:
    """The risk in each epoch, and why training ended."""

    epochs: tuple[Epoch, ...] = ()
    """Those that were completed."""
    best: int = 0
    """The number of the epoch whose weights were kept; 0 for the weights before the first."""
    stopped: Stopped = ""
    """Why training ended; "" while it runs."""

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
