"""Hosts and origins: a request must be for this server, and come from this server's own page.

Another site can let its own name point at this machine (DNS rebinding). To the browser, its page
and this server then have one origin; only the Host header still shows the other site's name.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Collection
from typing import NamedTuple

from fastapi import Request
from starlette.types import ASGIApp

from likewise.errors import SettingsError
from likewise.server import ServerSettings
from likewise.server.failures import ServerError
from likewise.server.safety.guards import ENTER, STATIC, STREAMED, UPLOAD, Guard, get_path, is_api

LOCAL = ("127.0.0.1", "localhost", "::1")

_HOST = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9._-]+))(?::([0-9]{1,5}))?")


READING = frozenset({"GET", "HEAD", "OPTIONS"})
SENDING = frozenset({"POST", "PUT", "PATCH"})
JSON = "application/json"
BYTES = "application/octet-stream"
TYPES = {UPLOAD: BYTES, ENTER: "application/x-www-form-urlencoded"}
"""The Content-Type that a path expects, if that is not JSON."""
_PORTS = {"http": 80, "https": 443}


class NoHost(ServerError, status=400, kind="no-host"):
    """A request without one valid Host header."""


class UnknownHost(ServerError, status=421, kind="unknown-host"):
    """A request for a host that is not this server."""


class HostName(NamedTuple):
    """The name or address of a host, and its port, if it is given."""

    name: str
    port: int | None = None


class Hosts(Guard):
    """Refuses requests whose Host header does not name this server."""

    def __init__(
        self, app: ASGIApp, *, settings: ServerSettings, known: Collection[HostName]
    ) -> None:
        super().__init__(app)
        self._known = known
        self._port = settings.port
        self._is_open = is_everywhere(settings.host)

    def answer(self, request: Request) -> None:
        """Raise NoHost or UnknownHost, unless the Host header names this server."""
        given = request.headers.getlist("host")
        host = parse_host(given[0]) if len(given) == 1 else None
        if host is None:
            raise NoHost("the request must have one valid Host header, such as Host: NAME")
        if not self._is_known(host):
            raise UnknownHost(
                f"this server is not called {given[0]}; if it is, start it with: "
                f"likewise serve LIB --name {given[0]}"
            )

    def _is_known(self, host: HostName) -> bool:
        if self._is_open and is_address(host.name):
            return host.port in {None, self._port}
        return any(
            host.name == known.name and host.port in {None, known.port} for known in self._known
        )


def list_hosts(settings: ServerSettings) -> set[HostName]:
    """Return every host name by which this server may be asked."""
    names = [*LOCAL, settings.host]
    if is_everywhere(settings.host):
        names += [socket.gethostname(), f"{socket.gethostname()}.local"]
    own = {HostName(normalise_host(name), settings.port) for name in names}
    further = map(_parse_name, settings.names)
    return own | {HostName(host.name, host.port or settings.port) for host in further}


def _parse_name(name: str) -> HostName:
    host = parse_host(name)
    if host is None:
        raise SettingsError(f"{name!r} is not a host name; give one such as papers.example.org")
    return host


def parse_host(text: str) -> HostName | None:
    """Return the host that a Host header names, or None if the header is malformed.

    >>> parse_host("[::1]:8765")
    HostName(name='::1', port=8765)
    >>> parse_host("a b") is None
    True
    """
    found = _HOST.fullmatch(text)
    if not found:
        return None
    address, name, port = found.groups()
    if address and not is_address(address):
        return None
    return HostName(normalise_host(address or name), int(port) if port else None)


def normalise_host(name: str) -> str:
    """Return a host name or address in the form in which hosts are compared.

    >>> normalise_host("LOCALHOST."), normalise_host("[0:0::1]")
    ('localhost', '::1')
    """
    name = name.strip("[]")
    return str(ipaddress.ip_address(name)) if is_address(name) else name.lower().removesuffix(".")


def is_address(name: str) -> bool:
    """Return whether a name is an IP address."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_everywhere(host: str) -> bool:
    """Return whether a host to listen on stands for all addresses of this machine."""
    return is_address(host) and ipaddress.ip_address(host).is_unspecified


class FromElsewhere(ServerError, status=403, kind="from-elsewhere"):
    """A request made by another site's page."""


class WrongType(ServerError, status=415, kind="wrong-type"):
    """A body with a Content-Type that the path does not accept."""


class Origins(Guard):
    """Refuses requests that a browser makes for another site's page."""

    def __init__(self, app: ASGIApp, *, settings: ServerSettings) -> None:
        super().__init__(app)
        self._named = {host.name for host in map(parse_host, settings.names) if host}

    def answer(self, request: Request) -> None:
        """Raise FromElsewhere or WrongType for what another site's page or form could send."""
        if request.method in READING:
            _check_reading(request)
            return
        # The form for the token is exempt: another site's page does not know the token, and a
        # browser that hides where it comes from sends no origin.
        if get_path(request) != ENTER:
            for origin in request.headers.getlist("origin"):
                if not self._is_own(origin, request):
                    raise FromElsewhere(f"a page of {origin} may not change anything here")
            _check_site(request)
        if request.method in SENDING:
            _check_type(request)

    def _is_own(self, origin: str, request: Request) -> bool:
        asked = parse_host(request.headers.get("host", ""))
        scheme, _, place = origin.partition("://")
        came = parse_host(place)
        if asked is None or came is None:
            return False
        # Under a name given by --name there may be a proxy that speaks https for this server.
        schemes = {"http", "https"} if asked.name in self._named else {"http"}
        return scheme in schemes and _add_port(came, scheme) == _add_port(asked, scheme)


def _add_port(host: HostName, scheme: str) -> HostName:
    return HostName(host.name, host.port or _PORTS[scheme])


def _check_reading(request: Request) -> None:
    if "access-control-request-method" in request.headers:
        raise FromElsewhere("pages of other sites may not ask this server anything")
    is_page = not is_api(request) and not get_path(request).startswith(STATIC)
    # Links on other sites may lead to our pages.
    if not (is_page and request.headers.get("sec-fetch-mode", "navigate") == "navigate"):
        _check_site(request)


def _check_site(request: Request) -> None:
    """Check the Sec-Fetch-Site header, which browsers send and programs do not."""
    for site in request.headers.getlist("sec-fetch-site"):
        if site not in {"same-origin", "none"}:
            raise FromElsewhere("only this server's own page may ask for this")


def _check_type(request: Request) -> None:
    path = get_path(request)
    wanted = BYTES if STREAMED.fullmatch(path) else TYPES.get(path, JSON)
    given = request.headers.get("content-type", "")
    if given.partition(";")[0].strip().lower() != wanted:
        found = f"found {given!r}" if given else "there is none"
        raise WrongType(f"{path}: the Content-Type must be {wanted}; {found}")
