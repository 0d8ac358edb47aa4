"""Where a library is: a folder, or another engine's address."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from likewise.errors import LibraryError

if TYPE_CHECKING:
    from pathlib import Path

    from likewise.library.protocol import Library


def open_library(address: str | Path, *, write: bool = False) -> Library:
    """Open a library for reading, or with `write` for writing too, making it if need be."""
    scheme = re.match(r"([a-z+]+)://", str(address))
    if scheme:
        raise LibraryError(
            f"{address}: no engine answers to {scheme[1]}:// in this version; give a folder"
        )
    from likewise.library.embedded import EmbeddedLibrary

    return EmbeddedLibrary(address, write=write)
