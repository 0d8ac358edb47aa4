"""Sessions over HTTP, and the page; here: how a server is set up."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from likewise.errors import SettingsError
from likewise.expansion.sessions.reasons import make_key

MEGABYTE = 1_000_000
SHORTEST_TOKEN = 16
FEWEST_CHARACTERS = 8
"""How many different characters a token has at least."""

_PLAIN = re.compile(r"[!-~]+")


class ReviewerToken(NamedTuple):
    """A reviewer, and the token by which the server knows them."""

    reviewer: str
    token: str


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """What a server serves, where, and how much it takes."""

    library: str = ""
    """The library's folder or address, if one is given."""
    sessions: Path
    """The folder of the sessions."""
    libraries: Path | None = None
    """The folder of the libraries that are made here; without it none can be."""
    host: str = "127.0.0.1"
    """The address to listen on."""
    port: int = 8765
    token: str | None = None
    """What a visitor must know; an address other than this machine's own needs one."""
    reviewers: tuple[ReviewerToken, ...] = ()
    """Who may ask, each by a token of their own; there is no other token then."""
    names: tuple[str, ...] = ()
    """Further names that this server is called by, each with a port of its own if need be."""
    proxies: tuple[str, ...] = ()
    """Proxies that are believed when they say for whom they ask, as `parse_proxy` takes them."""
    running: int = 1
    """How many jobs run at once."""
    waiting: int = 8
    """How many more may wait."""
    jobs_per_minute: int = 30
    most_body: int = 8 * MEGABYTE
    """The most bytes of a body."""
    most_upload: int = 32 * MEGABYTE
    """The most bytes of a file."""
    most_unpacked: int = 64 * MEGABYTE
    """The most bytes of a file once it is unpacked."""
    most_reading_seconds: int = 10
    """For how long a process may compute that reads what a visitor sent."""
    most_reading_memory: int = 1_000 * MEGABYTE
    """The most bytes of memory that it may have."""
    most_file: int = 400 * MEGABYTE
    """The most bytes of a file for a library, and of all that wait for one together."""
    most_file_unpacked: int = 2_000 * MEGABYTE
    """The most bytes of such a file once it is unpacked."""
    slowest_body: float = 60.0
    """After how many seconds a body must be here; or the next part of a file for a library."""

    def __post_init__(self) -> None:
        if not self.library and not self.libraries:
            raise SettingsError("neither a library nor a folder for libraries was given")
        if self.token is not None:
            _check_token(self.token)
        check_names([one.reviewer for one in self.reviewers])
        for one in self.reviewers:
            _check_token(one.token)
        if self.token is not None and self.reviewers:
            raise SettingsError(
                "use either one token for all or one for each reviewer; "
                "unset LIKEWISE_TOKEN, or leave out --reviewer"
            )
        if self.token is None and not self.reviewers and not self.is_local:
            raise SettingsError(
                f"{self.host}: others can reach this address, so visitors need a token; "
                "leave out --open"
            )

    @property
    def library_name(self) -> str:
        """What the library is called towards people: its folder's name, or where its index is."""
        if "://" in self.library:
            return self.library.partition("?")[0]
        return Path(self.library).resolve().name

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the address."""
        return is_loopback(self.host)


def check_names(names: Sequence[str]) -> None:
    """Raise SettingsError if two reviewers have one name, whatever its case and spaces."""
    known: dict[str, str] = {}
    for name in names:
        if first := known.get(make_key(name)):
            spelled = repr(name) if first == name else f"{first!r} and {name!r}"
            raise SettingsError(
                f"two reviewers are called {spelled}, so nobody could tell their marks apart; "
                "give each a name of their own"
            )
        known[make_key(name)] = name


def _check_token(token: str) -> None:
    if len(token) < SHORTEST_TOKEN:
        raise SettingsError(
            f"the token has {len(token)} characters, and at least {SHORTEST_TOKEN} are needed; "
            "give a longer one as LIKEWISE_TOKEN"
        )
    if not _PLAIN.fullmatch(token):
        raise SettingsError(
            "the token holds spaces or letters that HTTP headers can't carry; "
            "give plain letters and digits as LIKEWISE_TOKEN"
        )
    if len(set(token)) < FEWEST_CHARACTERS:
        raise SettingsError(
            f"the token has only {len(set(token))} different characters, and can be guessed; "
            "give one made at random as LIKEWISE_TOKEN"
        )


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached from its own machine only.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"
