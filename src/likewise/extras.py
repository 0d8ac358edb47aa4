"""Extras: modules that come with an optional install, asked for where they are used."""

from __future__ import annotations

import importlib
from typing import Any

from likewise.errors import MissingExtraError


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
