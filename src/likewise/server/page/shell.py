"""Renders the templates: what stands in them is escaped, and what is missing is an error."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from likewise import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

    from likewise.expansion.settings import ExpandSettings


class ServedLibrary(NamedTuple):
    """The library that the header names."""

    name: str
    documents: int


def render_home(library: ServedLibrary, *, defaults: ExpandSettings, most_upload: int) -> str:
    """Return the page where searches begin, and sessions are listed."""
    template = _environment().get_template("home.html.jinja")
    return template.render(
        library=library, version=__version__, defaults=defaults, most_upload=most_upload
    )


def render_session(library: ServedLibrary, *, session: str) -> str:
    """Return the page of a session."""
    template = _environment().get_template("session.html.jinja")
    return template.render(library=library, version=__version__, session=session)


def render_missing(library: ServedLibrary, *, message: str) -> str:
    """Return the page for a session that is not there."""
    template = _environment().get_template("missing.html.jinja")
    return template.render(library=library, version=__version__, message=message)


def render_enter(*, address: str, problem: str) -> str:
    """Return the page that asks for the token, which is sent to an address."""
    template = _environment().get_template("enter.html.jinja")
    return template.render(address=address, problem=problem)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("likewise.server.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
