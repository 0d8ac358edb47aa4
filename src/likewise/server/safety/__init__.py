"""Who may ask: visitors and their addresses; each module here guards against one thing.

A proxy passes on the requests of others, and names their addresses in a header. Anybody can send
such a header, so it is believed only if the connection comes from a proxy named by --proxy.
"""

from __future__ import annotations

import ipaddress
import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from fastapi import Request

from likewise.errors import SettingsError

DEFAULT_HEADER = "X-Forwarded-For"

_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,60}")
# Providers give a whole IPv6 network of this size to one home, so it counts as one visitor.
_HOME_NETWORK = 64
# The numbers that Unix gives to the accounts of people.
_FIRST_PERSON = 501 if sys.platform == "darwin" else 1_000
_LAST_PERSON = 60_000
_NO_SHELLS = ("nologin", "false", "sync", "shutdown", "halt", "git-shell")

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IPNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network


class Proxy(NamedTuple):
    """The address of a proxy, or a network of proxies, and the header that names the visitor."""

    network: IPNetwork
    header: str = DEFAULT_HEADER


def parse_proxy(text: str) -> Proxy:
    """Return the proxy that a text describes: an address or a network, with =HEADER or without.

    >>> parse_proxy("10.0.0.0/8=X-Real-IP").header
    'X-Real-IP'
    """
    place, _, header = text.partition("=")
    try:
        network = ipaddress.ip_network(place.strip())
    except ValueError as error:
        raise SettingsError(
            f"{place!r} is not the address of a proxy; give one such as 127.0.0.1, or 10.0.0.0/8"
        ) from error
    if header and not _HEADER.fullmatch(header):
        raise SettingsError(f"{header!r} is not the name of a header; give one such as X-Real-IP")
    return Proxy(network, header or DEFAULT_HEADER)


def find_visitor(request: Request, proxies: Iterable[Proxy] = ()) -> str:
    """Return the address that a request comes from; for IPv6, the home network.

    In a proxy's header, the last address that is not a proxy's counts. The proxy has seen that one
    itself; the visitor could have sent those before it.
    """
    address = _parse_address(request.client.host if request.client else "")
    known = list(proxies)
    proxy = next((one for one in known if address and address in one.network), None)
    if proxy is not None:
        lines = ",".join(request.headers.getlist(proxy.header))
        for named in map(_parse_address, reversed(lines.split(","))):
            if named is None:
                break
            address = named
            if not any(named in one.network for one in known):
                break
    return _name_home(address)


def _parse_address(text: str) -> IPAddress | None:
    """Return the IP address in an entry of a header, with a port or not; None if it has none."""
    entry = text.strip()
    if entry.startswith("["):
        entry = entry[1:].partition("]")[0]
    elif entry.count(":") == 1:
        entry = entry.partition(":")[0]
    try:
        address = ipaddress.ip_address(entry.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _name_home(address: IPAddress | None) -> str:
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, _HOME_NETWORK), strict=False))
    return str(address or "")


def find_other_people() -> list[str]:
    """Return the names of the other people who use this computer, as far as the system knows.

    These are accounts with a shell and a home folder, and the owners of running programs, since
    accounts from a network directory are not always listed. One's own account is left out.
    """
    try:
        import pwd
    except ImportError:  # only Unix has such accounts
        return []
    own = os.getuid()
    named = {
        entry.pw_uid: entry.pw_name
        for entry in pwd.getpwall()
        if entry.pw_shell.rpartition("/")[2] not in _NO_SHELLS and Path(entry.pw_dir).is_dir()
    }
    named = {user: named.get(user, str(user)) for user in (*named, *_list_owners_of_processes())}
    people = {user for user in named if _FIRST_PERSON <= user < _LAST_PERSON}
    return sorted(named[user] for user in people - {own})


def _list_owners_of_processes() -> set[int]:
    owners = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            owners.add(folder.stat().st_uid)
        except OSError:  # it has ended
            continue
    return owners
