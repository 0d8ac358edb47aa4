"""Addresses that sessions name: one that nobody typed on this computer is not gone to.

A session can come from somebody else, and name a server of theirs, which would be sent the
passwords of whoever opens it. So an address counts once a person has given it for this session, by
making the session or with `--library`; that is kept in the user's own folder, not in the session.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shlex
from pathlib import Path

import msgspec

from likewise.documents.files import replace_file
from likewise.errors import LikewiseError, SessionError
from likewise.library.engines import find_engine

LOG = logging.getLogger(__name__)
FILE = "addresses.json"
MOST_SESSIONS = 1_000
"""Of how many sessions it is remembered; those given last are kept."""

# What can't be kept on the disk is known at least as long as this process runs.
_given_here: set[tuple[str, str]] = set()


def remember_address(session: str | Path, address: str) -> None:
    """Remember that a person gave a library's address for a session; folders need no memory."""
    if "://" not in address:
        return
    path, place = _resolve(session), find_place(address)
    if (path, place) in _given_here:
        return
    _given_here.add((path, place))
    known = _read_known()
    if place in known.get(path, ()):
        return
    places = (*known.pop(path, ()), place)
    kept = {name: known[name] for name in known if Path(name).exists()} | {path: places}
    latest = dict(list(kept.items())[-MOST_SESSIONS:])
    try:
        state_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        with replace_file(state_folder() / FILE) as stream:
            stream.write(msgspec.json.encode(latest))
    except (OSError, LikewiseError) as error:
        LOG.info("that %s may be asked for %s is not kept: %s", place, path, error)


def check_address(session: str | Path, address: str) -> None:
    """Raise SessionError if a session names the address of a library that nobody gave for it.

    Call it before going to an address that comes out of a session's file.
    """
    if find_engine(address) is None:
        return
    path, place = _resolve(session), find_place(address)
    if (path, place) not in _given_here and place not in _read_known().get(path, ()):
        raise SessionError(
            f"{session}: this file names a library at {place}, which was never given for it on "
            "this computer, and could be anybody's; if you trust it, give it once: "
            f"--library {shlex.quote(address)} (for expand: LIB, before --session)"
        )


def find_place(address: str) -> str:
    """Return the part of an address that says which servers are asked, and how.

    >>> find_place("opensearch+https://Search.example.org,b:9200/papers?title=ti")
    'opensearch+https://search.example.org,b:9200'
    """
    scheme, _, rest = address.partition("://")
    return f"{scheme}://{rest.partition('/')[0].partition('?')[0]}".lower()


def state_folder() -> Path:
    """Return the folder in which likewise remembers what a user said; it need not be there yet.

    It is `likewise` in the one that XDG_STATE_HOME names, else in `~/.local/state`.
    """
    shared = os.environ.get("XDG_STATE_HOME", "")
    # The XDG specification wants relative paths to be passed over.
    if Path(shared).is_absolute():
        return Path(shared, "likewise")
    return Path(os.path.expanduser("~"), ".local", "state", "likewise")  # noqa: PTH111  # never raises


def _resolve(session: str | Path) -> str:
    return str(Path(session).resolve())


def _read_known() -> dict[str, tuple[str, ...]]:
    """Return the places that were given by session; none, if nothing can be read."""
    with contextlib.suppress(OSError, msgspec.DecodeError, UnicodeError):
        content = (state_folder() / FILE).read_bytes()
        return msgspec.json.decode(content, type=dict[str, tuple[str, ...]])
    return {}
