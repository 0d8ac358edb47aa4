"""The way to a cluster: requests that wait for it as long as there is hope.

Every request of ours can be made twice, so what went wrong on the way is tried again until patience
is over. Only at the very first contact a host that can't be reached is believed at once: then it
is the address that is wrong.
"""

from __future__ import annotations

import logging
import math
import os
import threading
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from likewise.errors import LibraryError, NotALibraryError, SettingsError
from likewise.extras import require
from likewise.library.opensearch.credentials import credentials_for, together
from likewise.library.opensearch.patience import PatientClient
from likewise.library.opensearch.request import Request, make_request
from likewise.library.opensearch.troubles import ClusterError, error_of, no_opensearch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from likewise.library.opensearch.address import Address, Host, Kind
    from likewise.library.opensearch.credentials import Credentials

PATIENCE = "LIKEWISE_OPENSEARCH_PATIENCE"
DEFAULT_PATIENCE = 90.0
TIMEOUT = 60.0
"""How many seconds a single request may take; not more than patience, but for `SHORTEST`."""
SHORTEST = 5.0

_log = logging.getLogger(__name__)


class _Server(NamedTuple):
    distribution: Kind
    version: str


class Connection:
    """A cluster that answers, sooner or later; any number of threads may ask it."""

    def __init__(
        self, address: Address, *, patience: float | None = None, timeout: float = TIMEOUT
    ) -> None:
        require("opensearchpy", for_="A library on OpenSearch or Elasticsearch", extra="opensearch")
        from likewise.library.opensearch.client import make_client

        self.address = address
        self.patience = _patience() if patience is None else patience
        credentials = {host: credentials_for(host) for host in address.hosts}
        _warn_of_plain_passwords(address, credentials)
        timeout = min(timeout, max(self.patience, SHORTEST))
        self._client = make_client(address, credentials, timeout=timeout)
        told = together(credentials.values())
        self._patient = PatientClient(self._client, address, credentials=told)
        self._greeting = threading.Lock()
        self._server: _Server | None = None

    def __repr__(self) -> str:
        return f"Connection({str(self.address)!r})"

    @property
    def distribution(self) -> Kind:
        """Which of the two answers there."""
        return self._greeted().distribution

    @property
    def version(self) -> str:
        """The server's version, or "" where it is not for everyone to know."""
        return self._greeted().version

    def ask(  # noqa: PLR0913  # a request has these parts
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        params: Mapping[str, object] | None = None,
        missing: Any = None,
        shape: Any = Any,
        patience: float | None = None,
    ) -> Any:
        """Return what the cluster answers.

        Args:
            method: GET, POST, PUT or DELETE; HEAD returns whether it is there.
            path: Whatever stands behind the host, without parameters.
            body: Sent as JSON; text and bytes are sent as they are, as lines of JSON.
            params: The parameters; those that are None are left out.
            missing: What to return where there is nothing (404), instead of raising.
            shape: The type to decode the answer as.
            patience: How many seconds to try, if not as long as usual.
        """
        self._greeted()
        request = make_request(method, path, body=body, params=params)
        try:
            said = self._patient.send(
                request, patience=self.patience if patience is None else patience
            )
        except LibraryError as error:
            if missing is not None and _is_missing(error):
                return missing
            raise
        return said if method == "HEAD" else self._decoded(said, shape)

    def close(self) -> None:
        """Let go of the cluster."""
        from likewise.library.opensearch.client import close_client

        self._patient.close()
        close_client(self._client)

    def _greeted(self) -> _Server:
        """Return who answers; the first to ask finds out."""
        with self._greeting:
            if self._server is None:
                self._server = self._greet()
            return self._server

    def _greet(self) -> _Server:
        try:
            said = self._patient.send(Request("GET", "/"), patience=self.patience)
        except ClusterError as error:
            # Some may use an index, and not ask who keeps it.
            if error.status == HTTPStatus.FORBIDDEN:
                return _Server(self.address.kind, "")
            raise
        try:
            return _introduced(self._decoded(said, dict[str, Any]))
        except (KeyError, TypeError):
            raise self._strange("JSON of something else") from None

    def _decoded(self, said: str | None, shape: Any) -> Any:
        try:
            return msgspec.json.decode(said or "null", type=shape)
        except msgspec.ValidationError as error:
            raise self._strange(f"JSON of another shape: {error}") from error
        except msgspec.DecodeError as error:
            raise self._strange("no JSON, or half of it") from error

    def _strange(self, found: str) -> LibraryError:
        hosts = " or ".join(map(str, self.address.hosts))
        return error_of(self.address, no_opensearch(hosts, found))


def _introduced(answer: dict[str, Any]) -> _Server:
    version, number = answer["version"], answer["version"]["number"]
    # Some are set to give another number than their own, for the sake of old programs.
    ours = version.get("distribution") == "opensearch" or "OpenSearch" in answer.get("tagline", "")
    return _Server("opensearch" if ours else "elasticsearch", str(number))


def _is_missing(error: LibraryError) -> bool:
    there_is_none = isinstance(error, ClusterError) and error.status == HTTPStatus.NOT_FOUND
    return there_is_none or isinstance(error, NotALibraryError)


def _patience() -> float:
    said = os.environ.get(PATIENCE, "").strip()
    try:
        seconds = float(said or DEFAULT_PATIENCE)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise SettingsError(f"{PATIENCE} is {said!r}; give a number of seconds, such as 90")
    return seconds


def _warn_of_plain_passwords(address: Address, credentials: Mapping[Host, Credentials]) -> None:
    if address.secure:
        return
    for host, its in credentials.items():
        if its.authorization and not host.is_loopback:
            _log.warning(
                "%s: the password or key can be read on the way to %s; use +https", address, host
            )
