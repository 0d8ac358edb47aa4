"""Libraries: indexed collections of documents, where they are, and which engine opens each.

Another package can add an engine with an entry point in the group `likewise.engines`. Its name is
the scheme of the engine's addresses, and it points to an `Engine`.

A session file may come from somebody else and name their server, which would then be sent the
passwords of whoever opens the file. So an address is used only after a person has given it for this
session, by making the session or with `--library`. Which addresses were given is kept in the user's
own folder, not in the session.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path

import msgspec

from likewise.arguments import PATH, check_type
from likewise.documents import replace_file
from likewise.errors import LibraryError, LikewiseError, SessionError, SettingsError
from likewise.extras import Offer, load_plug_in, plug_ins
from likewise.library.protocol import FIELDS, Field, Hits, Library, LibraryInfo, Query, Term
from likewise.library.where import Where

__all__ = [
    "FIELDS",
    "Field",
    "Hits",
    "Library",
    "LibraryInfo",
    "Query",
    "Term",
    "Where",
    "open_library",
]

GROUP = "likewise.engines"
_CLUSTER = "likewise.library.opensearch:ENGINE"
BUILT_IN = (
    EntryPoint("opensearch", _CLUSTER, GROUP),
    EntryPoint("opensearch+https", _CLUSTER, GROUP),
    EntryPoint("elasticsearch", _CLUSTER, GROUP),
    EntryPoint("elasticsearch+https", _CLUSTER, GROUP),
)


@dataclass(frozen=True)
class Engine:
    """The functions that open libraries at addresses of a scheme."""

    open: Callable[..., Library]
    """Opens the library at an address; with `write`, for writing too, making it if need be."""
    name: Callable[[str], str]
    """Returns a short name for the library at an address, fit to be part of a file name."""
    add_fields: Callable[[str, str], str] | None = None
    """Returns an address that also names fields; None if this engine's fields have fixed names."""
    is_split: bool = False
    """Whether a library has `shards` and `replicas`; if so, `open` takes both."""


def open_library(
    address: str | Path,
    *,
    write: bool = False,
    shards: int | None = None,
    replicas: int | None = None,
) -> Library:
    """Open a library for reading, or with `write` for writing too, making it if need be.

    >>> from tempfile import TemporaryDirectory
    >>> from likewise import Document, open_library
    >>> with TemporaryDirectory() as folder, open_library(folder, write=True) as library:
    ...     library.add([Document(id="1", title="Sleep apnea in shift workers")])
    ...     library.commit()
    ...     library.search("sleep")
    [<Document 1: Sleep apnea in shift workers>]

    Args:
        address: A folder, or the address of a library that another engine keeps.
        write: Whether to write to it.
        shards: How many parts to split a new index into.
        replicas: How many copies of each part a new index keeps.
    """
    check_type(address, PATH, name="library", wanted="its path or address")
    engine = find_engine(address)
    copies = {"shards": shards, "replicas": replicas}
    if engine and engine.is_split:
        return engine.open(str(address), write=write, **copies)
    if shards is not None or replicas is not None:
        raise SettingsError(f"{address}: only an index on a cluster has shards and replicas")
    if engine:
        return engine.open(str(address), write=write)
    from likewise.library.embedded import EmbeddedLibrary

    return EmbeddedLibrary(address, write=write)


def find_engine(address: str | Path) -> Engine | None:
    """Return the engine of an address, or None for a folder."""
    # At least two letters: a Windows drive has one. What looks like an address is not a folder.
    found = re.match(r"([a-z+]{2,}):/", str(address), re.IGNORECASE)
    if not found:
        return None
    entry = list_engines().get(found[1])
    if entry is None:
        # The rest of the address may hold a password.
        raise LibraryError(
            f"{found[1]}://...: no engine knows this scheme; give a folder, or an address such "
            "as opensearch://localhost:9200/papers"
        )
    engine = load_plug_in(entry, kind="engine")
    if not isinstance(engine, Engine):
        raise Offer.of(entry, kind="engine").error("is not an Engine")
    return engine


def list_engines() -> Mapping[str, EntryPoint]:
    """Return each engine's entry point by the scheme of its addresses, without loading any."""
    return {entry.name: entry for entry in BUILT_IN} | dict(plug_ins(GROUP))


def add_fields(address: str, fields: str) -> str:
    """Return an address that also says which fields of an index hold what."""
    engine = find_engine(address)
    if engine is None or engine.add_fields is None:
        raise SettingsError(
            f"{address}: --fields is for an index that exists already on a cluster, "
            "not for a folder; leave it out"
        )
    return engine.add_fields(address, fields)


LOG = logging.getLogger(__name__)
ADDRESSES_FILE = "addresses.json"
MOST_SESSIONS = 1_000
"""How many sessions to remember addresses for; the latest are kept."""

# What can't be written to disk is remembered at least as long as this process runs.
_given_here: set[tuple[str, str]] = set()


def remember_address(session: str | Path, address: str) -> None:
    """Remember that a person gave a library's address for a session; a folder needs no trust."""
    if "://" not in address:
        return
    path, place = str(Path(session).resolve()), find_place(address)
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
        with replace_file(state_folder() / ADDRESSES_FILE) as stream:
            stream.write(msgspec.json.encode(latest))
    except (OSError, LikewiseError) as error:
        LOG.info("could not remember that %s was given for %s: %s", place, path, error)


def check_address(session: str | Path, address: str) -> None:
    """Raise SessionError if a session names the address of a library that nobody gave for it.

    Call it before connecting to an address that was read from a session's file.
    """
    if find_engine(address) is None:
        return
    path, place = str(Path(session).resolve()), find_place(address)
    if (path, place) not in _given_here and place not in _read_known().get(path, ()):
        raise SessionError(
            f"{session}: this file names a library at {place}, which was never given for it on "
            "this computer, and could be anybody's; if you trust it, give it once: "
            f"--library {shlex.quote(address)} (for expand: LIB, before --session)"
        )


def find_place(address: str) -> str:
    """Return the part of an address that says which servers to ask, and how.

    >>> find_place("opensearch+https://Search.example.org,b:9200/papers?title=ti")
    'opensearch+https://search.example.org,b:9200'
    """
    scheme, _, rest = address.partition("://")
    return f"{scheme}://{rest.partition('/')[0].partition('?')[0]}".lower()


def state_folder() -> Path:
    """Return the folder where likewise keeps what it remembers for a user; it may not exist yet.

    It is the folder `likewise` in the one that XDG_STATE_HOME names, or else in `~/.local/state`.
    """
    shared = os.environ.get("XDG_STATE_HOME", "")
    # The XDG specification says to ignore relative paths.
    if Path(shared).is_absolute():
        return Path(shared, "likewise")
    return Path(os.path.expanduser("~"), ".local", "state", "likewise")  # noqa: PTH111  # never raises


def _read_known() -> dict[str, tuple[str, ...]]:
    """Return the places that were given for each session; none if the file can't be read."""
    with contextlib.suppress(OSError, msgspec.DecodeError, UnicodeError):
        content = (state_folder() / ADDRESSES_FILE).read_bytes()
        return msgspec.json.decode(content, type=dict[str, tuple[str, ...]])
    return {}
