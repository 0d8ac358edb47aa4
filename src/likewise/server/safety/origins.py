"""Where a request comes from: pages of others may neither change nor read anything here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.server.failures import ServerError
from likewise.server.safety.guards import ENTER, STATIC, UPLOAD, Guard, is_api, path_of
from likewise.server.safety.hosts import Host, parse_host

if TYPE_CHECKING:
    from fastapi import Request
    from starlette.types import ASGIApp

    from likewise.server.settings import ServerSettings

READING = frozenset({"GET", "HEAD", "OPTIONS"})
SENDING = frozenset({"POST", "PUT", "PATCH"})
JSON = "application/json"
TYPES = {UPLOAD: "application/octet-stream", ENTER: "application/x-www-form-urlencoded"}
"""What must be sent to a path, where that is not JSON."""

_PORTS = {"http": 80, "https": 443}


class FromElsewhere(ServerError):  # noqa: N818  # it reads as what it says
    """A request that a page of somebody else makes."""

    status = 403
    kind = "from-elsewhere"


class WrongType(ServerError):  # noqa: N818
    """A body of a type that is not taken."""

    status = 415
    kind = "wrong-type"


class Origins(Guard):
    """Lets through what our own page, a program, or a person who types an address asks."""

    def __init__(self, app: ASGIApp, *, settings: ServerSettings) -> None:
        super().__init__(app)
        self._named = {host.name for host in map(parse_host, settings.names) if host}

    def answer(self, request: Request) -> None:
        """Refuse what comes from elsewhere, and what a form of elsewhere could send."""
        if request.method in READING:
            _check_reading(request)
            return
        # To enter takes a token, which no page of somebody else knows; and a form that was sent
        # without a referrer has no origin to be told by.
        if path_of(request) != ENTER:
            self._check_origin(request)
            _check_site(request)
        if request.method in SENDING:
            _check_type(request)

    def _check_origin(self, request: Request) -> None:
        for origin in request.headers.getlist("origin"):
            if not self._is_own(origin, request):
                raise FromElsewhere(f"a page of {origin} may not change anything here")

    def _is_own(self, origin: str, request: Request) -> bool:
        asked = parse_host(request.headers.get("host", ""))
        scheme, _, place = origin.partition("://")
        came = parse_host(place)
        if asked is None or came is None:
            return False
        # Before a name of ours there may be a proxy that speaks https for us.
        schemes = {"http", "https"} if asked.name in self._named else {"http"}
        return scheme in schemes and _with_port(came, scheme) == _with_port(asked, scheme)


def _with_port(host: Host, scheme: str) -> Host:
    return Host(host.name, host.port or _PORTS[scheme])


def _check_reading(request: Request) -> None:
    if "access-control-request-method" in request.headers:
        raise FromElsewhere("pages of others may not ask anything here")
    is_page = not is_api(request) and not path_of(request).startswith(STATIC)
    # Following a link to a page is what links are for.
    if not (is_page and request.headers.get("sec-fetch-mode", "navigate") == "navigate"):
        _check_site(request)


def _check_site(request: Request) -> None:
    """Check what browsers say of the page that asks; programs say nothing."""
    for site in request.headers.getlist("sec-fetch-site"):
        if site not in {"same-origin", "none"}:
            raise FromElsewhere("only the page of this server may ask this, not another's")


def _check_type(request: Request) -> None:
    wanted = TYPES.get(path_of(request), JSON)
    given = request.headers.get("content-type", "")
    if given.partition(";")[0].strip().lower() != wanted:
        found = f"found {given!r}" if given else "there is none"
        raise WrongType(f"{path_of(request)}: the Content-Type must be {wanted}; {found}")
