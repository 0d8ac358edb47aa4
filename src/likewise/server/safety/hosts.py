"""The host that a request asks for: it must be us.

A page elsewhere can have its own name point at this machine (DNS rebinding), and would then be
of one origin with this server, but for the name that it asks by.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import SettingsError
from likewise.server.failures import ServerError
from likewise.server.safety.guards import Guard

if TYPE_CHECKING:
    from collections.abc import Collection

    from fastapi import Request
    from starlette.types import ASGIApp

    from likewise.server.settings import ServerSettings

LOCAL = ("127.0.0.1", "localhost", "::1")

_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::([0-9]{1,5}))?")


class NoHost(ServerError):  # noqa: N818  # it reads as what it says
    """A request that does not say whom it asks."""

    kind = "no-host"


class UnknownHost(ServerError):  # noqa: N818
    """A request to somebody else."""

    status = 421
    kind = "unknown-host"


class Host(NamedTuple):
    """A name or an address, with a port if there is one."""

    name: str
    port: int | None = None


class Hosts(Guard):
    """Lets through what asks for a name or an address of this server."""

    def __init__(self, app: ASGIApp, *, settings: ServerSettings, known: Collection[Host]) -> None:
        super().__init__(app)
        self._known = known
        self._port = settings.port
        self._is_open = is_everywhere(settings.host)

    def answer(self, request: Request) -> None:
        """Refuse what asks for nobody, or for somebody else."""
        given = request.headers.getlist("host")
        host = parse_host(given[0]) if len(given) == 1 else None
        if host is None:
            raise NoHost("the request must say once, and plainly, which host it asks: Host: NAME")
        if not self._is_known(host):
            raise UnknownHost(
                f"this server is not called {given[0]}; if it is, start it with: "
                f"likewise serve LIB --name {given[0]}"
            )

    def _is_known(self, host: Host) -> bool:
        if self._is_open and is_address(host.name):
            return host.port in {None, self._port}
        return any(
            host.name == known.name and host.port in {None, known.port} for known in self._known
        )


def known_hosts(settings: ServerSettings) -> set[Host]:
    """Return what a server is called by."""
    names = [*LOCAL, settings.host]
    if is_everywhere(settings.host):
        names += [socket.gethostname(), f"{socket.gethostname()}.local"]
    own = {Host(normalised(name), settings.port) for name in names}
    further = map(_named_host, settings.names)
    return own | {Host(host.name, host.port or settings.port) for host in further}


def _named_host(name: str) -> Host:
    host = parse_host(name)
    if host is None:
        raise SettingsError(f"{name!r} is no name of a host; give one such as papers.example.org")
    return host


def parse_host(text: str) -> Host | None:
    """Return what a Host header names; None if it is garbled.

    >>> parse_host("[::1]:8765")
    Host(name='::1', port=8765)
    >>> parse_host("a b") is None
    True
    """
    found = _HOST.fullmatch(text)
    if not found:
        return None
    address, name, port = found.groups()
    if address and not is_address(address):
        return None
    return Host(normalised(address or name), int(port) if port else None)


def normalised(name: str) -> str:
    """Return a name or an address as it is compared.

    >>> normalised("LOCALHOST."), normalised("[0:0::1]")
    ('localhost', '::1')
    """
    name = name.strip("[]")
    return str(ipaddress.ip_address(name)) if is_address(name) else name.lower().removesuffix(".")


def is_address(name: str) -> bool:
    """Tell whether a name is the number of an address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_everywhere(host: str) -> bool:
    """Tell whether to listen on a host is to listen on every address of this machine."""
    return is_address(host) and ipaddress.ip_address(host).is_unspecified
