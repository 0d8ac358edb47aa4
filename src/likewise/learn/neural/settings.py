"""How a network is trained: everything that can be chosen, with its default."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from likewise.errors import SettingsError

DEVICES = ("auto", "cpu", "cuda", "mps")
MOST = 1e30
"""Weights are of single precision, which has no much greater numbers."""


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """How a network is trained, with Adam."""

    epochs: int = 40
    """How often the batches are gone through, at most."""
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
                raise SettingsError(f"{name} is {number}; it is a whole number, at least {least}")
        for name in ("learning_rate", "clip"):
            if not 0 < getattr(self, name) <= MOST:
                raise SettingsError(
                    f"{name} is {getattr(self, name)}; it is greater than 0, and at most {MOST}"
                )
        if not 0 <= self.weight_decay <= MOST:
            raise SettingsError(f"weight_decay is {self.weight_decay}; it is 0 or more")
        if self.device not in DEVICES:
            raise SettingsError(f"device is {self.device!r}; choose one of: {', '.join(DEVICES)}")


def device_of(name: str) -> torch.device:
    """Return the device of a name, if it is there.

    >>> device_of("cpu")
    device(type='cpu')
    """
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if name == "auto":
        return torch.device(next((device for device in there if there[device]), "cpu"))
    if not there.get(name, True):
        raise SettingsError(f"device is {name!r}, and there is none here; choose auto or cpu")
    return torch.device(name)
