"""The page: templates, styles and scripts, none of which loads anything from elsewhere."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from likewise.expansion.settings import SETTINGS, ExpandSettings
from likewise.library.sources import LABELS, list_sources
from likewise.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment


TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
"""The media types that browsers are sent; what systems know of suffixes differs."""

_NAME = re.compile(r"[a-z][a-z_]*\.(css|js|svg)")


class Asset(NamedTuple):
    """A file that pages are made of."""

    content: bytes
    media_type: str

    @property
    def tag(self) -> str:
        """A tag that changes when the content does."""
        return f'"{hashlib.sha256(self.content).hexdigest()[:32]}"'


def find_asset(name: str) -> Asset | None:
    """Return a file of the page, or None if there is none with that name.

    >>> find_asset("base.css").media_type
    'text/css'
    >>> find_asset("../shell.py") is None
    True
    """
    named = _NAME.fullmatch(name)
    file = files("likewise.server.page") / "static" / name
    if not named or not file.is_file():
        return None
    return Asset(file.read_bytes(), TYPES[named[1]])


class ServedLibrary(NamedTuple):
    """The library that the header names."""

    name: str
    documents: int
    id: str = ""


def render_home(
    library: ServedLibrary | None,
    *,
    most_upload: int,
    most_file: int = 0,
    has_collection: bool = False,
    reviewer: str = "",
) -> str:
    """Return the page where searches begin, libraries are made, and sessions are listed.

    Args:
        library: The library in which searches begin, if there is one.
        most_upload: The most bytes in a file of seeds.
        most_file: The most bytes in a file for a library.
        has_collection: Whether libraries can be made here.
        reviewer: Who looks at the page, if that is known.
    """
    return render_page(
        "home",
        library=library,
        settings=SETTINGS,
        defaults=ExpandSettings(),
        most_upload=most_upload,
        most_file=most_file,
        has_collection=has_collection,
        sources={name: LABELS.get(name, name) for name in list_sources()},
        reviewer=reviewer,
    )


def render_page(name: str, **values: object) -> str:
    """Return a page, made of the template with this name and of the values that it needs."""
    template = _make_environment().get_template(f"{name}.html.jinja")
    return template.render(version=__version__, **values)


@cache
def _make_environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("likewise.server.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
