"""Checkpoints: a training under way, in a folder, so that it can go on where it was cut short.

    training.json                    settings, history, versions; names the subfolder
    weights-7/model.safetensors      the weights at the end of epoch 7
    weights-7/best.safetensors       those that are kept: of the best epoch
    weights-7/optimizer.safetensors  what Adam remembers, as in `exp_avg/layer.weight`

The randomness of an epoch comes from its number, so there is no state of it to keep.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from likewise.errors import SettingsError
from likewise.learn.neural.folders import Head, read_head, write_folder
from likewise.learn.neural.history import History  # noqa: TC001  # msgspec reads the annotation
from likewise.learn.neural.weights import read_tensors

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from likewise.learn.neural.weights import Tensors

HEAD = "training.json"
TENSORS = ("model", "best", "optimizer")


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A training at the end of an epoch."""

    settings: dict[str, Any]
    """And whatever else has to be the same for it to go on."""
    history: History
    model: Tensors
    best: Tensors
    optimizer: Tensors


class _TrainingHead(Head, frozen=True, kw_only=True):
    settings: dict[str, Any]
    history: History


def save_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint over the one of before; cut short, it leaves that one whole."""
    head = _TrainingHead(
        settings=checkpoint.settings,
        history=checkpoint.history,
        weights=f"weights-{len(checkpoint.history.epochs)}",
    )
    files = {f"{name}.safetensors": getattr(checkpoint, name) for name in TENSORS}
    write_folder(folder / HEAD, head, files=files)


def load_checkpoint(folder: Path, *, settings: Mapping[str, Any]) -> Checkpoint | None:
    """Return the checkpoint of a folder, None if there is none, unless its settings are others."""
    head = read_head(folder / HEAD, _TrainingHead)
    if head is None:
        return None
    for name in [*settings, *head.settings]:
        if settings.get(name) != head.settings.get(name):
            raise SettingsError(
                f"{folder}: a training with other settings: {name} is {head.settings.get(name)} "
                f"there and {settings.get(name)} here; use the same, choose another folder or "
                "delete this one"
            )
    weights = folder / head.weights
    tensors = {name: read_tensors(weights / f"{name}.safetensors") for name in TENSORS}
    return Checkpoint(settings=head.settings, history=head.history, **tensors)
