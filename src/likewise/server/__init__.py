"""The server: sessions over HTTP, and the page. This module holds its settings."""

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
"""How many different characters a token must have."""

_PLAIN = re.compile(r"[!-~]+")


class ReviewerToken(NamedTuple):
    """A reviewer, and the token that identifies them to the server."""

    reviewer: str
    token: str


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """What a server serves, where it listens, and its limits."""

    library: str = ""
    """The library's folder or address, if one is given."""
    sessions: Path
    """The folder that holds the sessions."""
    libraries: Path | None = None
    """The folder for libraries that visitors make; without it, they can make none."""
    host: str = "127.0.0.1"
    """The address to listen on."""
    port: int = 8765
    token: str | None = None
    """The token for all visitors; it or `reviewers` is required if others can reach the server."""
    reviewers: tuple[ReviewerToken, ...] = ()
    """The reviewers, each with a token of their own; then `token` is None."""
    names: tuple[str, ...] = ()
    """Other host names of this server, each with a port if that differs from `port`."""
    proxies: tuple[str, ...] = ()
    """Proxies that the server trusts to name the visitor, in the form that `parse_proxy` reads."""
    running: int = 1
    """How many jobs run at once."""
    waiting: int = 8
    """How many more jobs may wait."""
    jobs_per_minute: int = 30
    most_body: int = 8 * MEGABYTE
    """The most bytes in a request's body."""
    most_upload: int = 32 * MEGABYTE
    """The most bytes in a file of seeds."""
    most_unpacked: int = 64 * MEGABYTE
    """The most bytes in such a file once it is unpacked."""
    most_reading_seconds: int = 10
    """How long a process may compute to read what a visitor sent."""
    most_reading_memory: int = 1_000 * MEGABYTE
    """The most bytes of memory that such a process may use."""
    most_file: int = 400 * MEGABYTE
    """The most bytes in a file for a library, and in all files that wait for one library."""
    most_file_unpacked: int = 2_000 * MEGABYTE
    """The most bytes in such a file once it is unpacked."""
    slowest_body: float = 60.0
    """Seconds within which a body must arrive, or the next part of a file for a library."""

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
        """The library's name for people: that of its folder, or the address of its index."""
        if "://" in self.library:
            return self.library.partition("?")[0]
        return Path(self.library).resolve().name

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the address."""
        return is_loopback(self.host)


def check_names(names: Sequence[str]) -> None:
    """Raise SettingsError if two reviewers have the same name, ignoring case and spaces."""
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
            f"the token has only {len(set(token))} different characters, so it can be guessed; "
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
