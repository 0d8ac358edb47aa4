r"""From the papers you have to the rest on the same topic.

>>> import likewise
>>> paper = likewise.Document(id="1", title="Sleep in shift workers", abstract="They slept less.")
>>> paper.text
'Sleep in shift workers\nThey slept less.'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from likewise.errors import LikewiseError
from likewise.version import __version__

if TYPE_CHECKING:
    from likewise.documents import Document, read, write
    from likewise.expansion.expansion import Expansion
    from likewise.expansion.flow import expand
    from likewise.expansion.sessions.session import Session
    from likewise.expansion.settings import ExpandSettings
    from likewise.library import open_library
    from likewise.library.indexing import index_files
    from likewise.library.more_like import MoreLike, more_like_these


__all__ = [
    "Document",
    "ExpandSettings",
    "Expansion",
    "LikewiseError",
    "MoreLike",
    "Session",
    "__version__",
    "expand",
    "index_files",
    "more_like_these",
    "open_library",
    "read",
    "write",
]

_HOMES = {
    "Document": "likewise.documents",
    "ExpandSettings": "likewise.expansion.settings",
    "Expansion": "likewise.expansion.expansion",
    "LikewiseError": "likewise.errors",
    "MoreLike": "likewise.library.more_like",
    "Session": "likewise.expansion.sessions.session",
    "expand": "likewise.expansion.flow",
    "index_files": "likewise.library.indexing",
    "more_like_these": "likewise.library.more_like",
    "open_library": "likewise.library",
    "read": "likewise.documents",
    "write": "likewise.documents",
}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used: importing likewise takes no time."""
    if name not in _HOMES:
        raise AttributeError(f"module 'likewise' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """List only the public names, for tab completion."""
    return sorted(__all__)
