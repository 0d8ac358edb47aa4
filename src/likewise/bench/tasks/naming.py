"""Names for folders and metadata: of topics, and of what retrieved the pool."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from likewise import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.library.protocol import Library

LONGEST = 80


def topic_name(terms: Sequence[str], uis: Sequence[str] = (), *, within: str = "") -> str:
    """Return a name for a topic that a folder can have.

    Where spelling for a folder loses something of the terms, a few digits keep them apart.

    >>> topic_name(["Animals", "Brain"], ["D000818", "D001921"])
    'D000818.D001921'
    >>> topic_name(["Heart rate", "C++"])
    'Heart-rate.C-286e'
    """
    parts = list(uis) if uis and all(uis) else list(terms)
    # A hyphen stands for a space; where it stands for itself, the two are told apart.
    is_plain = not any("-" in part for part in (*parts, within))
    if within:
        parts.append(f"within-{within}")
    named = ".".join(re.sub(r"[^\w.-]+", "-", part).strip("-.") for part in parts)[:LONGEST]
    told = ".".join(parts)
    if is_plain and named == told.replace(" ", "-"):
        return named
    return f"{named}-{hashlib.blake2b(told.encode(), digest_size=2).hexdigest()}"


def engine_name(library: Library) -> str:
    """Return the name and version of a library's engine, and of likewise, which asks it."""
    return f"{library.engine}, likewise {__version__}"
