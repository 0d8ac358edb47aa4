"""The way to a cluster: requests that wait for it as long as there is hope.

Every request of ours may be repeated, so one that failed on the way is tried again until patience
ends. Only at the very first contact does an unreachable host fail at once: then the address is
probably wrong.

A search that some shard can't answer fails as a whole, and is tried again. But if documents are
asked for by their ids, the request succeeds, and the answer says of single ones that their shard
could not be reached. These are not missing, so all are asked for again.
"""

from __future__ import annotations

import logging
import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import msgspec

from likewise.errors import ClusterError, LibraryError, NotALibraryError, SettingsError
from likewise.library.opensearch.address import Address, Host, Kind
from likewise.library.opensearch.client import PatientClient, Request, make_request
from likewise.library.opensearch.credentials import Credentials, find_credentials
from likewise.library.opensearch.troubles import PASSING, Trouble, explain_other_server, make_error

Answer = TypeVar("Answer")
Given = TypeVar("Given")

PATIENCE = "LIKEWISE_OPENSEARCH_PATIENCE"
DEFAULT_PATIENCE = 90.0
TIMEOUT = 60.0
"""How many seconds a single request may take; no more than patience, but at least `SHORTEST`."""
SHORTEST = 5.0

_log = logging.getLogger(__name__)

WHOLE = {"allow_partial_search_results": "false"}
"""Parameters of every search: an answer of only some shards is worse than none."""
WHOLE_PAUSE = 0.5
"""Seconds between two attempts."""
_LENGTH = 200
THREADS = 4


class _ServerInfo(NamedTuple):
    distribution: Kind
    version: str


class Connection:
    """A cluster that answers, sooner or later; any number of threads may ask it."""

    def __init__(
        self, address: Address, *, patience: float | None = None, timeout: float = TIMEOUT
    ) -> None:
        self.address = address
        self.patience = _read_patience() if patience is None else patience
        credentials = {host: find_credentials(host) for host in address.hosts}
        _warn_of_plain_passwords(address, credentials)
        timeout = min(timeout, max(self.patience, SHORTEST))
        self._client = PatientClient(address, credentials, timeout=timeout)
        self._greeting = threading.Lock()
        self._server: _ServerInfo | None = None

    def __repr__(self) -> str:
        return f"Connection({str(self.address)!r})"

    @property
    def distribution(self) -> Kind:
        """Whether OpenSearch or Elasticsearch answers."""
        return self._get_server().distribution

    @property
    def version(self) -> str:
        """The server's version, or "" if it does not tell."""
        return self._get_server().version

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
        """Send a request, and return the cluster's answer.

        Args:
            method: GET, POST, PUT or DELETE.
            path: The part of the address after the host, without parameters.
            body: Sent as JSON; bytes are sent as they are, as lines of JSON.
            params: The parameters; those that are None are left out.
            missing: What to return if there is nothing (404), instead of raising.
            shape: The type to decode the answer as.
            patience: How many seconds to try, if not as long as usual.
        """
        self._get_server()
        request = make_request(method, path, body=body, params=params)
        try:
            said = self._client.send(
                request, patience=self.patience if patience is None else patience
            )
        except LibraryError as error:
            if missing is not None and _is_missing(error):
                return missing
            raise
        return self._decode_answer(said, shape)

    def close(self) -> None:
        """Close the connections to the cluster."""
        self._client.close()

    def _get_server(self) -> _ServerInfo:
        """Return which server answers; it is asked only once."""
        with self._greeting:
            if self._server is None:
                self._server = self._greet()
            return self._server

    def _greet(self) -> _ServerInfo:
        try:
            said = self._client.send(Request("GET", "/"), patience=self.patience)
        except ClusterError as error:
            # Some users may use an index, but may not ask which server this is.
            if error.status == HTTPStatus.FORBIDDEN:
                return _ServerInfo(self.address.kind, "")
            raise
        try:
            return _recognise_server(self._decode_answer(said, dict[str, Any]))
        except (KeyError, TypeError):
            raise self._make_strange_error("JSON that is not its answer") from None

    def _decode_answer(self, said: str, shape: Any) -> Any:
        try:
            return msgspec.json.decode(said or "null", type=shape)
        except msgspec.ValidationError as error:
            raise self._make_strange_error(f"JSON of another shape: {error}") from error
        except msgspec.DecodeError as error:
            raise self._make_strange_error("no JSON, or half of it") from error

    def _make_strange_error(self, found: str) -> LibraryError:
        hosts = " or ".join(map(str, self.address.hosts))
        return make_error(self.address, explain_other_server(hosts, found))


def _recognise_server(answer: dict[str, Any]) -> _ServerInfo:
    version, number = answer["version"], answer["version"]["number"]
    # Some servers are set to give another number than their own, for the sake of old programs.
    ours = version.get("distribution") == "opensearch" or "OpenSearch" in answer.get("tagline", "")
    return _ServerInfo("opensearch" if ours else "elasticsearch", str(number))


def _is_missing(error: LibraryError) -> bool:
    there_is_none = isinstance(error, ClusterError) and error.status == HTTPStatus.NOT_FOUND
    return there_is_none or isinstance(error, NotALibraryError)


def _read_patience() -> float:
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


class PartFailure(msgspec.Struct, frozen=True, gc=False):
    """Why a part of an answer is missing."""

    type: str = ""
    reason: str | None = ""


def ask_until_whole(
    connection: Connection,
    ask: Callable[[], Answer],
    failures: Callable[[Answer], Iterable[PartFailure | None]],
) -> Answer:
    """Ask until no part of the answer is missing, and return it.

    Args:
        connection: The cluster, and the patience to have with it.
        ask: Asks for the whole answer.
        failures: Returns why each part of an answer is missing; None for those that are there.
    """
    give_up = time.monotonic() + connection.patience
    while True:
        answer = ask()
        failed = next(filter(None, failures(answer)), None)
        if failed is None:
            return answer
        if failed.type == "index_not_found_exception":
            gone = Trouble(" ".join((failed.reason or "no such index").split()), lacks_index=True)
            raise make_error(connection.address, gone)
        if failed.type not in PASSING or time.monotonic() >= give_up:
            reason = " ".join((failed.reason or failed.type).split())[:_LENGTH]
            raise ClusterError(
                f"{connection.address}: a part of the index can't be read ({reason}); "
                "look at the cluster's health: nodes may be down",
                kinds=frozenset({failed.type}),
            )
        time.sleep(WHOLE_PAUSE)


def split_batches(names: Iterable[str], size: int) -> Iterator[list[str]]:
    """Yield names in batches of a size.

    >>> list(split_batches(["a", "b", "c"], 2))
    [['a', 'b'], ['c']]
    """
    left = iter(names)
    while batch := list(islice(left, size)):
        yield batch


def ask_for_each(ask: Callable[[Given], Answer], jobs: Sequence[Given]) -> list[Answer]:
    """Return the answers to jobs, in the order of the jobs, asking for a few at a time.

    >>> ask_for_each(len, ["one", "three"])
    [3, 5]
    """
    if len(jobs) < 2:
        return [ask(job) for job in jobs]
    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(ask, jobs))
