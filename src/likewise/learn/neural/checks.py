"""Checks at the border of a risk: its settings, and the scores it is given."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from likewise.errors import NotFiniteError, ScoresError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Mapping


def check_between(name: str, value: Any, *, ends: bool) -> None:
    """Refuse a value outside of 0 to 1, and 0 and 1 too unless the ends belong to it."""
    if isinstance(value, Real) and (0 < float(value) < 1 or (ends and value in (0, 1))):
        return
    bounds = "at least 0 and at most 1" if ends else "more than 0 and less than 1"
    raise SettingsError(f"{name} is {value!r}; it must be a number that is {bounds}")


def check_weight(name: str, value: Any) -> None:
    """Refuse what is no finite number that is at least 0."""
    if not (isinstance(value, Real) and 0 <= float(value) < float("inf")):
        raise SettingsError(f"{name} is {value!r}; it must be a number that is at least 0")


def check_mixing(*, alpha: Any, **weights: Any) -> None:
    """Refuse what mixtures can't be drawn by (alpha), or can't count by."""
    for name, value in weights.items():
        check_weight(name, value)
    if not (isinstance(alpha, Real) and 0 < float(alpha) < float("inf")):
        raise SettingsError(f"alpha is {alpha!r}; it must be a number greater than 0")


def check_correction(*, beta: Any, gamma: Any) -> None:
    """Refuse what the correction of Kiryo et al. (2017) is not defined for."""
    check_weight("beta", beta)
    check_between("gamma", gamma, ends=True)


def check_loss(loss: Any) -> None:
    """Refuse what is no loss of margins: it would train the model to be wrong."""
    if not callable(loss):
        raise SettingsError(
            f"loss is {loss!r}; give a function of margins, such as loss_named('sigmoid')"
        )
    losses = loss(torch.tensor([-1.0, 1.0]))
    if losses.shape != (2,):
        raise SettingsError(
            f"loss returns shape {tuple(losses.shape)} for two margins; it must return a loss each"
        )
    wrong, right = losses.tolist()
    if not wrong > right:
        raise SettingsError(
            f"loss is {wrong:.3g} at margin -1 and {right:.3g} at 1; it must fall as margins grow"
        )


def check_numbers(
    scores: Mapping[str, Tensor], *, shares: Mapping[str, Tensor], lenient: bool
) -> None:
    """Refuse scores that are not finite numbers of shape (n,), and shares outside of [0, 1].

    Args:
        scores: Scores by the name of their group.
        shares: Numbers between 0 and 1 by their name.
        lenient: Whether some of the groups may be empty.
    """
    numbers = {**scores, **shares}
    for name, values in numbers.items():
        _check_shape(name, values, lenient=lenient)
    if not any(len(values) for values in numbers.values()):
        raise ScoresError(f"{', '.join(numbers)} are all empty; there is nothing to learn from")
    wrong = {name: ~torch.isfinite(values) for name, values in scores.items()}
    wrong |= {name: ~((values >= 0) & (values <= 1)) for name, values in shares.items()}
    _refuse(wrong, shares=shares)


def _check_shape(name: str, values: Any, *, lenient: bool) -> None:
    if not isinstance(values, Tensor):
        raise ScoresError(f"{name} is of type {type(values).__name__}; a tensor is needed")
    if not values.is_floating_point():
        raise ScoresError(f"{name} is of {values.dtype}; floating-point numbers are needed")
    if values.ndim != 1:
        raise ScoresError(
            f"{name} has shape {tuple(values.shape)}; one number a row is needed, of shape (n,), "
            "as .squeeze(1) makes it of (n, 1)"
        )
    if not len(values) and not lenient:
        raise ScoresError(
            f"{name} is empty; use ProportionalBatches, or a risk with lenient=True, where a group "
            "that is absent from a batch adds nothing"
        )


def _refuse(wrong: Mapping[str, Tensor], *, shares: Mapping[str, Tensor]) -> None:
    # One question to the device, whatever the number of groups.
    if not bool(torch.stack([found.any() for found in wrong.values()]).any()):
        return
    name, found = next((name, found) for name, found in wrong.items() if found.any())
    count = f"{int(found.sum())} of {len(found)} numbers of {name} are not"
    if name in shares:
        raise ScoresError(f"{count} between 0 and 1; as probability_labelled makes them of scores")
    raise NotFiniteError(f"{count} finite; look for broken rows, or for training that diverged")
