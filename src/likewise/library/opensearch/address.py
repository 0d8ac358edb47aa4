"""Where a library on a cluster is: its hosts, its index, and which field holds what."""

from __future__ import annotations

import re
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from typing import Literal, NamedTuple, cast
from urllib.parse import quote, unquote, urlencode

from likewise.errors import LibraryError, SettingsError

Kind = Literal["opensearch", "elasticsearch"]

SCHEMES = ("opensearch", "opensearch+https", "elasticsearch", "elasticsearch+https")
"""What addresses of clusters begin with, before ://."""

PORT = 9200
PORT_OF_HTTPS = 443
LONGEST = 240
"""Bytes of an index's name: clusters allow 255, and the name of its notebook is longer."""

_AWAY_FOR = 5.0
_AWAY_DOUBLINGS = 4
_EXAMPLE = "opensearch://localhost:9200/papers"
_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?)(?::(\d{1,5}))?")
_INDEX = re.compile(r'[^-_+\\/*?"<>|\s,#:%][^\\/*?"<>|\s,#:%]*')
_NO_CREDENTIALS = (
    "addresses are kept and printed: put no user or password there; set LIKEWISE_OPENSEARCH_USER "
    "and LIKEWISE_OPENSEARCH_PASSWORD, or write them to ~/.netrc (an @ in a name is written %40)"
)


class Host(NamedTuple):
    """A machine of the cluster, and the port that it listens on."""

    name: str
    port: int

    def __str__(self) -> str:
        name = f"[{self.name}]" if ":" in self.name else self.name
        return f"{name}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether it is this machine."""
        try:
            return ip_address(self.name).is_loopback
        except ValueError:
            return self.name == "localhost"


class Fields(NamedTuple):
    """The names of an existing index's fields; "" if none was given."""

    id: str = ""
    title: str = ""
    abstract: str = ""
    year: str = ""
    authors: str = ""
    journal: str = ""
    doi: str = ""
    pmid: str = ""
    pmcid: str = ""
    mesh: str = ""
    keywords: str = ""
    publication_types: str = ""
    language: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return the names that were given, by our own name for each field."""
        return {name: called for name, called in self._asdict().items() if called}


@dataclass(frozen=True)
class Address:
    """Where a library on a cluster is; `str` gives its one spelling."""

    hosts: tuple[Host, ...]
    index: str
    kind: Kind = "opensearch"
    secure: bool = False
    """Whether to connect to it over TLS."""
    fields: Fields = field(default_factory=Fields)

    def __str__(self) -> str:
        scheme = f"{self.kind}+https" if self.secure else self.kind
        hosts = ",".join(map(str, self.hosts))
        fields = urlencode(self.fields.to_dict(), safe="", quote_via=quote)
        return f"{scheme}://{hosts}/{quote(self.index, safe='')}{'?' if fields else ''}{fields}"


def parse_address(text: str) -> Address:
    """Return the parts of an address.

    >>> parse_address("opensearch+https://a,b:9200/papers?title=ti").hosts
    (Host(name='a', port=443), Host(name='b', port=9200))
    """
    scheme, slashes, rest = text.partition("://")
    scheme = scheme.lower()
    if scheme not in SCHEMES or not slashes:
        raise LibraryError(f"not the address of a cluster; one looks like {_EXAMPLE}")
    if "@" in rest:
        raise LibraryError(f"{scheme}://...: {_NO_CREDENTIALS}")
    place, _, fields = rest.partition("?")
    hosts, _, index = place.partition("/")
    kind, _, tls = scheme.partition("+")
    port = PORT_OF_HTTPS if tls else PORT
    named = [_parse_host(host, scheme=scheme, port=port) for host in hosts.lower().split(",")]
    return Address(
        tuple(dict.fromkeys(named)),
        _parse_index(unquote(index.removesuffix("/")), place=f"{scheme}://{hosts}"),
        kind=cast("Kind", kind),
        secure=bool(tls),
        fields=_parse_fields(fields.split("&") if fields else [], text=f"{scheme}://{place}"),
    )


def add_fields(text: str, fields: str) -> str:
    """Return an address that also says which fields of the index hold what.

    >>> add_fields("opensearch://localhost/papers", "title=ti,id=pmid")
    'opensearch://localhost:9200/papers?id=pmid&title=ti'
    """
    address = parse_address(text)
    pairs = [quote(pair, safe="=") for pair in fields.split(",")]
    said = _parse_fields(pairs, text="--fields")
    merged = address.fields._replace(**said.to_dict())
    return str(replace(address, fields=merged))


def _parse_host(text: str, *, scheme: str, port: int) -> Host:
    said = _HOST.fullmatch(text)
    if not said or int(said[2] or port) not in range(1, 65536):
        # What follows a colon may be a password, so it is not repeated.
        name = text.rpartition(":")[0] or text
        raise LibraryError(
            f"{scheme}://...: {name!r} with what follows is not a host and port; "
            f"an address looks like {_EXAMPLE}"
        )
    return Host(said[1].strip("[]"), int(said[2] or port))


def _parse_index(text: str, *, place: str) -> str:
    if not text:
        raise LibraryError(
            f"{place}: the name of an index is missing; write, for example, {_EXAMPLE}"
        )
    if not _INDEX.fullmatch(text) or text in {".", ".."} or len(text.encode()) > LONGEST:
        raise LibraryError(
            f"{place}: {text[:80]!r} is not the name of an index; "
            "use lower case letters, digits, - and _, such as papers-2024"
        )
    return text


def _parse_fields(pairs: list[str], *, text: str) -> Fields:
    fields: dict[str, str] = {}
    for pair in pairs:
        name, _, called = (unquote(part).strip() for part in pair.partition("="))
        if name not in Fields._fields:
            # An unknown name may come with a secret, so only the name is repeated.
            raise SettingsError(
                f"{text}: there is no field {name[:40]!r} to name; "
                f"give some of {', '.join(Fields._fields)}, such as title=ti,abstract=ab,id=pmid"
            )
        if not called or name in fields:
            trouble = "is given twice" if name in fields else "is given without the name of a field"
            raise SettingsError(f"{text}: {name} {trouble}; write {name}=FIELD, once")
        fields[name] = called
    return Fields(**fields)


class HostRing:
    """The hosts of a cluster, asked in turn; those that failed are passed over for a while."""

    def __init__(
        self, hosts: Sequence[Host], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        # Programs that start together should not all begin with the same host.
        first = secrets.randbelow(len(hosts))
        self._waiting = [*hosts[first:], *hosts[:first]]
        self._failures = dict.fromkeys(hosts, 0)
        self._away_until = dict.fromkeys(hosts, 0.0)
        self._lock = threading.Lock()

    def choose(self) -> Host:
        """Return the next host to ask; if all are away, the one that may be asked again first."""
        with self._lock:
            now = self._clock()
            away = {host: max(0.0, self._away_until[host] - now) for host in self._waiting}
            chosen = min(self._waiting, key=away.__getitem__)
            self._waiting.remove(chosen)
            self._waiting.append(chosen)
            return chosen

    def note_failure(self, host: Host) -> None:
        """Pass over a host for a while, twice as long each time."""
        with self._lock:
            seconds = _AWAY_FOR * 2 ** min(self._failures[host], _AWAY_DOUBLINGS)
            self._failures[host] += 1
            self._away_until[host] = self._clock() + seconds

    def note_success(self, host: Host) -> None:
        """Forget that a host has failed."""
        with self._lock:
            self._failures[host], self._away_until[host] = 0, 0.0
