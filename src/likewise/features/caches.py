"""The cache folder: where things are kept that can be computed or fetched again."""

from __future__ import annotations

import os
from pathlib import Path

from likewise.errors import SettingsError


def cache_folder() -> Path:
    """Return the folder, which need not be there yet.

    It is the one that the variable LIKEWISE_CACHE names, else `likewise` in the one that
    XDG_CACHE_HOME names, else `~/.cache/likewise`.
    """
    if chosen := os.environ.get("LIKEWISE_CACHE"):
        return _at_home(chosen)
    shared = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification wants relative paths to be passed over.
    if Path(shared).is_absolute():
        return Path(shared, "likewise")
    return _at_home("~/.cache/likewise")


def _at_home(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise SettingsError(
            f"{path}: there is no such home folder; set LIKEWISE_CACHE to a folder to keep "
            "vectors and weights in"
        ) from error
