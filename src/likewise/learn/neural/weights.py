"""Weights on disk: what models have learned, stored as safetensors and JSON in a folder.

A checkpoint is a training in progress, which can be continued after an interruption:

    training.json                    settings, history, versions; names the subfolder
    weights-7/model.safetensors      the weights at the end of epoch 7
    weights-7/best.safetensors       those that are kept: of the best epoch
    weights-7/optimizer.safetensors  what Adam remembers, as in `exp_avg/layer.weight`

A saved network is what an estimator has learned:

    network.json                     parameters, histories, versions; names the subfolder
    weights-1/model-0.safetensors    the weights of each model
    weights-1/judgement.safetensors  what a score means, if it was fitted

New tensors are written into a new subfolder. After that, the JSON file, which names the subfolder,
is replaced in one step. So even if writing is interrupted, the files that are found belong
together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from likewise.documents import replace_file
from likewise.errors import Problem, ReadError, SettingsError, WriteError
from likewise.extras import require
from likewise.learn.estimates import Interval
from likewise.learn.folds import Scores
from likewise.learn.judgement import Judgement
from likewise.learn.neural.records import History, TrainingSettings, find_device
from likewise.learn.thresholds import Keep, count_kept
from likewise.version import __version__

Tensors = Mapping[str, Tensor]
"""Tensors by name."""

FORMAT = 1
"""Rises when older versions of likewise could not read the new files."""
PACKAGES = ("numpy", "safetensors", "torch")
"""The packages whose versions may change the results."""
TRAINING_FILE = "training.json"
TENSORS = ("model", "best", "optimizer")
NETWORK_FILE = "network.json"
JUDGEMENT = "judgement.safetensors"


class WeightsHead(msgspec.Struct, frozen=True, kw_only=True):
    """What the JSON files of checkpoints and saved networks both hold."""

    kind: Literal["likewise weights"] = "likewise weights"
    format: int = FORMAT
    likewise: str = __version__
    """The version that made it."""
    versions: dict[str, str] = msgspec.field(
        default_factory=lambda: {name: version(name) for name in PACKAGES}
    )
    weights: Annotated[str, msgspec.Meta(pattern=r"^weights-[0-9]+$")]
    """The subfolder."""


AnyHead = TypeVar("AnyHead", bound=WeightsHead)


class _TrainingHead(WeightsHead, frozen=True, kw_only=True):
    """The content of a checkpoint's JSON file."""

    settings: dict[str, Any]
    """The settings, and everything else that has to be the same to continue."""
    history: History


def save_checkpoint(
    folder: Path, *, settings: dict[str, Any], history: History, tensors: Mapping[str, Tensors]
) -> None:
    """Write a checkpoint in place of the previous one, which is kept if writing is interrupted."""
    weights = f"weights-{len(history.epochs)}"
    head = _TrainingHead(settings=settings, history=history, weights=weights)
    files = {f"{name}.safetensors": tensors[name] for name in TENSORS}
    write_folder(folder / TRAINING_FILE, head, files=files)


def load_checkpoint(
    folder: Path, *, settings: Mapping[str, Any]
) -> tuple[History, dict[str, dict[str, Tensor]]] | None:
    """Return the history and tensors of the checkpoint in a folder, or None if there is none.

    Raises SettingsError if it was made with other settings.
    """
    head = read_head(folder / TRAINING_FILE, _TrainingHead)
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
    return head.history, {name: read_tensors(weights / f"{name}.safetensors") for name in TENSORS}


class NetworkHead(WeightsHead, frozen=True, kw_only=True):
    """The content of a saved network's JSON file."""

    parameters: dict[str, Any]
    settings: TrainingSettings | None
    risk: str
    """Its spelling in Python, for people to read."""
    scales: list[tuple[float, float]]
    histories: list[History]
    warnings: list[str]
    is_judged: bool


def save_network(
    folder: Path, models: Sequence[nn.Module], *, judgement: Judgement | None, **learned: Any
) -> None:
    """Write what a network has learned; after an interruption, the previous state is still there.

    Besides models and judgement, these are the fields of `NetworkHead`.
    """
    path = Path(folder) / NETWORK_FILE
    before = read_head(path, WeightsHead)
    number = int(before.weights.split("-")[1]) + 1 if before else 1
    files = {
        f"model-{place}.safetensors": copy_weights(model) for place, model in enumerate(models)
    }
    if judgement is not None:
        files[JUDGEMENT] = _flatten_judgement(judgement)
    head = NetworkHead(weights=f"weights-{number}", is_judged=judgement is not None, **learned)
    write_folder(path, head, files=files)


def load_network(
    folder: Path, *, build: Callable[[Any], nn.Module]
) -> tuple[NetworkHead, list[nn.Module], Judgement | None]:
    """Return what was saved to a folder; `build(None)` makes a module like those that were."""
    head = read_head(Path(folder) / NETWORK_FILE, NetworkHead)
    if head is None:
        advice = "give the folder that a network was saved to"
        raise ReadError(Problem(str(folder), f"there is no {NETWORK_FILE} in it", advice=advice))
    subfolder = Path(folder) / head.weights
    models = [
        _load_model(build(None), subfolder / f"model-{number}.safetensors")
        for number in range(head.parameters["models"])
    ]
    judgement = _restore_judgement(read_tensors(subfolder / JUDGEMENT)) if head.is_judged else None
    return head, models, judgement


def _load_model(model: nn.Module, path: Path) -> nn.Module:
    tensors = read_tensors(path)
    check_weights(model, tensors, source=path)
    model.load_state_dict(tensors)
    # It may have been trained on a device that this machine does not have.
    return model.to(find_device("auto")).eval()


def _flatten_judgement(judgement: Judgement) -> dict[str, Tensor]:
    arrays = {
        "seeds": judgement.scores.seeds,
        "pool": judgement.scores.pool,
        "prior": np.array([*judgement.prior]),
        "places": judgement.places,
        "steps": judgement.steps,
        "length": np.array(judgement.length),
    }
    return {name: torch.tensor(array, dtype=torch.float64) for name, array in arrays.items()}


def _restore_judgement(tensors: dict[str, Tensor]) -> Judgement:
    arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
    scores, steps = Scores(arrays["seeds"], arrays["pool"]), arrays["steps"]
    if "length" not in arrays:
        # Older files have no length: their lists were cut at the best expected F1.
        ranks = (np.arange(len(scores.pool)) + 0.5) / len(scores.pool)
        by_rank = np.interp(ranks, arrays["places"], steps)
        arrays["length"] = np.array(count_kept(Keep("expected-f1"), by_rank, seeds=scores.seeds))
    return Judgement(
        scores,
        Interval(*arrays["prior"].tolist()),
        places=arrays["places"],
        steps=steps,
        length=int(arrays["length"]),
    )


def read_head(path: Path, kind: type[AnyHead]) -> AnyHead | None:
    """Return the content of a JSON file, or None if there is no file."""
    try:
        content = path.read_bytes()
        head = msgspec.json.decode(content, type=WeightsHead)
        if head.format <= FORMAT:
            return msgspec.json.decode(content, type=kind)
        found, advice = f"format {head.format}, newer than {FORMAT}", "install a newer likewise"
    except FileNotFoundError:
        return None
    except OSError as error:
        found, advice = f"can't be read: {error.strerror or error}", ""
    except msgspec.DecodeError as error:
        found, advice = f"not a file of weights ({error})", "delete it, or choose another folder"
    raise ReadError(Problem(str(path), found, advice=advice))


def write_folder(path: Path, head: WeightsHead, *, files: Mapping[str, Tensors]) -> None:
    """Write the tensors of files into the subfolder that a head names, then the head as JSON.

    If the subfolder is in use already, it is left as it is. Subfolders that are no longer used are
    removed.
    """
    before = read_head(path, WeightsHead)
    subfolder = path.parent / head.weights
    if before is None or before.weights != head.weights:
        try:
            subfolder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(f"{subfolder}: can't be made: {error.strerror or error}") from error
        for name, tensors in files.items():
            write_tensors(subfolder / name, tensors)
    with replace_file(path) as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(head), indent=1) + b"\n")
    if before and before.weights != head.weights:
        _remove_subfolder(path.parent / before.weights)


def _remove_subfolder(subfolder: Path) -> None:
    # A file that can't be removed takes space, but nothing reads it any more.
    with suppress(OSError):
        for path in subfolder.glob("*.safetensors"):
            path.unlink()
        subfolder.rmdir()


def copy_weights(model: nn.Module) -> dict[str, Tensor]:
    """Return a copy of everything that a model has learned.

    Weights that two parts of a model share are copied for each, since files can't share them.
    """
    return {name: _copy_tensor(tensor) for name, tensor in model.state_dict().items()}


def check_weights(model: nn.Module, tensors: Tensors, *, source: Path) -> None:
    """Raise if weights that were read from a file do not fit a model."""
    ours = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    theirs = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    for name in [*ours, *theirs]:
        if ours.get(name) != theirs.get(name):
            raise SettingsError(
                f"{source}: weights of another model: {name} is {theirs.get(name, 'missing')} "
                f"there and {ours.get(name, 'missing')} here; choose another folder or model"
            )


def copy_moments(optimizer: Optimizer, model: nn.Module) -> dict[str, Tensor]:
    """Return a copy of what an optimizer remembers of each parameter, as `exp_avg/name`."""
    return {
        f"{moment}/{name}": _copy_tensor(tensor)
        for name, parameter in model.named_parameters()
        for moment, tensor in optimizer.state.get(parameter, {}).items()
    }


def load_moments(optimizer: Optimizer, model: nn.Module, tensors: Tensors) -> None:
    """Restore in an optimizer what `copy_moments` returned."""
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


def _copy_tensor(tensor: Tensor) -> Tensor:
    return tensor.detach().clone(memory_format=torch.contiguous_format)
