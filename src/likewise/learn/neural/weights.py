"""Weights: what a model has learned, as tensors by name, and safetensors files of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from likewise.errors import Problem, ReadError, SettingsError, WriteError
from likewise.extras import require

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor, nn
    from torch.optim import Optimizer

    Tensors = Mapping[str, Tensor]


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    """Return a copy of everything that a model has learned.

    Weights that two parts of a model share are copied for each: files hold no shared ones.
    """
    return {name: _copied(tensor) for name, tensor in model.state_dict().items()}


def check_weights(model: nn.Module, tensors: Tensors, *, source: Path) -> None:
    """Refuse weights, read from a file, that are not those of such a model."""
    ours = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    theirs = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    for name in [*ours, *theirs]:
        if ours.get(name) != theirs.get(name):
            raise SettingsError(
                f"{source}: weights of another model: {name} is {theirs.get(name, 'missing')} "
                f"there and {ours.get(name, 'missing')} here; choose another folder or model"
            )


def moments_of(optimizer: Optimizer, model: nn.Module) -> dict[str, Tensor]:
    """Return a copy of what an optimizer remembers of each parameter, as `exp_avg/name`."""
    return {
        f"{moment}/{name}": _copied(tensor)
        for name, parameter in model.named_parameters()
        for moment, tensor in optimizer.state.get(parameter, {}).items()
    }


def load_moments(optimizer: Optimizer, model: nn.Module, tensors: Tensors) -> None:
    """Let an optimizer remember what `moments_of` returned."""
    names = {parameter: name for name, parameter in model.named_parameters()}
    plain = optimizer.state_dict()
    parameters = [each for group in optimizer.param_groups for each in group["params"]]
    for place, parameter in enumerate(parameters):
        found = [key for key in tensors if key.split("/", 1)[1] == names[parameter]]
        if found:
            plain["state"][place] = {key.split("/")[0]: tensors[key] for key in found}
    optimizer.load_state_dict(plain)


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a file."""
    stored = require("safetensors.torch", for_="Reading weights", extra="neural")
    from safetensors import SafetensorError

    try:
        # Read, not mapped into memory: the file may be replaced while its tensors are in use.
        tensors: dict[str, Tensor] = stored.load(path.read_bytes())
    except (OSError, SafetensorError) as error:
        advice = "delete its folder, and train again"
        raise ReadError(Problem(str(path), f"can't be read: {error}", advice=advice)) from error
    return tensors


def write_tensors(path: Path, tensors: Tensors) -> None:
    """Write tensors to a file."""
    stored = require("safetensors.torch", for_="Writing weights", extra="neural")
    from safetensors import SafetensorError

    try:
        stored.save_file(dict(tensors), path)
    except (OSError, SafetensorError) as error:
        raise WriteError(f"{path}: can't be written: {error}") from error


def _copied(tensor: Tensor) -> Tensor:
    return tensor.detach().clone(memory_format=torch.contiguous_format)
