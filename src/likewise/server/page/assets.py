"""Styles, scripts and the icon, as they lie in the package."""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files
from typing import NamedTuple

TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
"""What browsers are told; systems disagree on what they know of suffixes."""

_NAME = re.compile(r"[a-z][a-z_]*\.(css|js|svg)")


class Asset(NamedTuple):
    """A file that pages are made of."""

    content: bytes
    media_type: str

    @property
    def tag(self) -> str:
        """What changes when the content does."""
        return f'"{hashlib.sha256(self.content).hexdigest()[:32]}"'


def asset(name: str) -> Asset | None:
    """Return a file of the page, or None if there is none of this name.

    >>> asset("base.css").media_type
    'text/css'
    >>> asset("../shell.py") is None
    True
    """
    named = _NAME.fullmatch(name)
    file = files("likewise.server.page") / "static" / name
    if not named or not file.is_file():
        return None
    return Asset(file.read_bytes(), TYPES[named[1]])
