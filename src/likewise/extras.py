"""Extras: what comes with an optional install or a package of others, loaded where it is used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from likewise.errors import MissingExtraError, SettingsError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def require(module: str, *, for_: str, extra: str) -> Any:
    """Return a module that an extra installs.

    Args:
        module: The module's name.
        for_: What needs it, as the message begins: "The encoder minilm-l6-v2".
        extra: The name of the extra.

    >>> require("json", for_="This example", extra="json").loads("[1]")
    [1]
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"{for_} needs an optional dependency. Install it with: pip install 'likewise[{extra}]'"
        ) from error


def plugged_in(entry: EntryPoint, *, kind: str) -> Any:
    """Return what a plug-in offers.

    Args:
        entry: Where it says that it is.
        kind: What it is, as the message begins: "encoder".
    """
    try:
        return entry.load()
    except (ImportError, AttributeError) as error:
        raise SettingsError(
            f"the {kind} {entry.name!r} can't be loaded from {entry.value}: {error}; "
            "install the package that offers it again, or remove it"
        ) from error
