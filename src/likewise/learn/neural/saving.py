"""Saving a network: what it has learned, in a folder, as safetensors and JSON.

network.json                       parameters, histories, versions; names the subfolder
weights-1/model-0.safetensors      the weights of each model
weights-1/judgement.safetensors    what a score means, if it was fitted
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import torch

from likewise.errors import Problem, ReadError, SettingsError
from likewise.learn.folds import Scores
from likewise.learn.judgement import Judgement
from likewise.learn.neural.folders import Head, read_head, write_folder
from likewise.learn.neural.history import History  # noqa: TC001  # msgspec reads the annotation
from likewise.learn.neural.settings import TrainingSettings, device_of
from likewise.learn.neural.weights import check_weights, read_tensors, weights_of
from likewise.learn.priors import Prior
from likewise.learn.thresholds import Keep, kept

if TYPE_CHECKING:
    from torch import Tensor, nn

    from likewise.learn.neural.estimator import Build, PUNetwork
    from likewise.learn.neural.groups import PURisk

    Network = TypeVar("Network", bound=PUNetwork)

HEAD = "network.json"
JUDGEMENT = "judgement.safetensors"
_FUNCTION = re.compile(r"<function (\w+) at 0x[0-9a-f]+>")
PLAIN = ("batch", "proportional", "loop", "validation", "models", "center", "gammas")
"""The parameters that can be saved as they are."""


class _NetworkHead(Head, frozen=True, kw_only=True):
    parameters: dict[str, Any]
    settings: TrainingSettings | None
    risk: str
    """How it was spelled in Python; for people to read."""
    scales: list[tuple[float, float]]
    histories: list[History]
    warnings: list[str]
    is_judged: bool


def save_network(network: PUNetwork, folder: Path) -> None:
    """Write what a network has learned; cut short, it leaves what was saved before whole."""
    if not hasattr(network, "models_"):
        raise SettingsError("this network has not learned yet; call fit or learn before save")
    path = Path(folder) / HEAD
    before = read_head(path, Head)
    judgement = getattr(network, "judgement_", None)
    files = {
        f"model-{number}.safetensors": weights_of(model)
        for number, model in enumerate(network.models_)
    }
    head = _NetworkHead(
        weights=f"weights-{int(before.weights.split('-')[1]) + 1 if before else 1}",
        parameters={name: getattr(network, name) for name in PLAIN},
        settings=network.settings,
        risk=_FUNCTION.sub(r"\1", repr(network.risk)),
        scales=network.scales_,
        histories=network.histories_,
        warnings=network.warnings_,
        is_judged=judgement is not None,
    )
    write_folder(path, head, files=files | ({JUDGEMENT: _plain(judgement)} if judgement else {}))


def load_network(
    kind: type[Network], folder: Path, *, build: Build, risk: PURisk | None
) -> Network:
    """Return the network that was saved to a folder."""
    head = read_head(Path(folder) / HEAD, _NetworkHead)
    if head is None:
        advice = "give the folder that a network was saved to"
        raise ReadError(Problem(str(folder), f"there is no {HEAD} in it", advice=advice))
    network = kind(build, risk=risk, settings=head.settings, **head.parameters)
    network.scales_, network.histories_ = head.scales, head.histories
    network.warnings_ = head.warnings
    subfolder = Path(folder) / head.weights
    paths = [subfolder / f"model-{number}.safetensors" for number in range(network.models)]
    network.models_ = [_loaded(build(None), path) for path in paths]
    if head.is_judged:
        network.judgement_ = _judgement(read_tensors(subfolder / JUDGEMENT))
    return network


def _loaded(model: nn.Module, path: Path) -> nn.Module:
    tensors = read_tensors(path)
    check_weights(model, tensors, source=path)
    model.load_state_dict(tensors)
    # It may have been trained on a device that is not there.
    return model.to(device_of("auto")).eval()


def _plain(judgement: Judgement) -> dict[str, Tensor]:
    arrays = {
        "seeds": judgement.scores.seeds,
        "pool": judgement.scores.pool,
        "prior": np.array(judgement.prior),
        "places": judgement.places,
        "steps": judgement.steps,
        "length": np.array(judgement.length),
    }
    return {name: torch.tensor(array, dtype=torch.float64) for name, array in arrays.items()}


def _judgement(tensors: dict[str, Tensor]) -> Judgement:
    arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
    scores, steps = Scores(arrays["seeds"], arrays["pool"]), arrays["steps"]
    if "length" not in arrays:
        # What was saved before lists had a length of their own was cut at the best expected F1.
        by_rank = np.interp((np.arange(len(scores.pool)) + 0.5) / len(scores.pool),
                            arrays["places"], steps)  # fmt: skip
        arrays["length"] = np.array(kept(Keep("expected-f1"), by_rank, seeds=scores.seeds))
    return Judgement(
        scores,
        Prior(*arrays["prior"].tolist()),
        places=arrays["places"],
        steps=steps,
        length=int(arrays["length"]),
    )
