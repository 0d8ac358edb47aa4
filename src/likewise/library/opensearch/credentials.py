"""Who asks: users, passwords and keys, from the environment or a netrc file, never printed."""

from __future__ import annotations

import base64
import logging
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from netrc import NetrcParseError, netrc
from pathlib import Path
from typing import Any

from likewise.errors import LibraryError
from likewise.extras import require
from likewise.library.opensearch.address import Host

USER = "LIKEWISE_OPENSEARCH_USER"
PASSWORD = "LIKEWISE_OPENSEARCH_PASSWORD"  # noqa: S105 - the variable's name
API_KEY = "LIKEWISE_OPENSEARCH_API_KEY"
HOSTS = "LIKEWISE_OPENSEARCH_HOST"
"""Names the hosts that the environment's user, password and key are for; without it, any."""

# The rights of the group and of everyone else to read a file.
_OTHERS = 0o044
_AMAZON = re.compile(r"(?:\.(?P<region>[a-z0-9-]+)\.(?P<service>es|aoss))?\.amazonaws\.com(\.cn)?$")

_AT_AMAZON = "A library on a cluster at Amazon"

_log = logging.getLogger(__name__)

Signer = Callable[[str, str, bytes | None], dict[str, str]]


@dataclass(frozen=True)
class Credentials:
    """What a host is told about who is asking."""

    origin: str = ""
    """Where they come from, for messages; "" if there are none."""
    authorization: str = field(default="", repr=False)
    """The header of this name, or "" if there is none."""
    signer: Signer | None = field(default=None, repr=False)
    """Returns the headers that sign a request, given its method, its address and its body."""
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def hide(self, text: str) -> str:
        """Return a text in which no secret can be read."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text


def find_credentials(host: Host) -> Credentials:
    """Return the credentials for a host: the environment's, else netrc's, else Amazon's."""
    if is_meant(host) and (found := _read_environment()):
        return found
    return _read_netrc(host) or _ask_amazon(host) or Credentials()


def is_meant(host: Host) -> bool:
    """Return whether the environment's credentials are for a host, named with or without port."""
    named = os.environ.get(HOSTS, "").lower().replace(",", " ").split()
    return not named or not {host.name, f"[{host.name}]", str(host)}.isdisjoint(named)


def _read_environment() -> Credentials | None:
    key, user = os.environ.get(API_KEY, "").strip(), os.environ.get(USER, "").strip()
    if key and user:
        raise LibraryError(f"{API_KEY} and {USER} are both set; unset one of them")
    if key:
        return _make_from_key(key)
    if user or os.environ.get(PASSWORD):
        return _make_from_user(user, os.environ.get(PASSWORD, ""), origin=f"{USER} and {PASSWORD}")
    return None


def join_credentials(several: Iterable[Credentials]) -> Credentials:
    """Return the origins and the secrets of several credentials, for messages; not to be sent."""
    known = list(several)
    origins = dict.fromkeys(each.origin for each in known if each.origin)
    secrets = (secret for each in known for secret in each.secrets)
    return Credentials(" or ".join(origins), secrets=tuple(secrets))


def _make_from_key(key: str) -> Credentials:
    if not re.fullmatch(r"[!-~]+", key):
        raise LibraryError(f"{API_KEY} is not an API key: no key holds spaces or line breaks")
    # Servers show a key in two ways: its id and itself with a colon between, or both encoded.
    sent = base64.b64encode(key.encode()).decode() if ":" in key else key
    return Credentials(API_KEY, f"ApiKey {sent}", secrets=(sent, key))


def _make_from_user(user: str, password: str, *, origin: str) -> Credentials:
    if not user or not password:
        raise LibraryError(f"{origin} are needed together, but one of them is empty; set both")
    if ":" in user:
        raise LibraryError(f"{origin}: a user's name can't hold a colon")
    sent = base64.b64encode(f"{user}:{password}".encode()).decode()
    return Credentials(origin, f"Basic {sent}", secrets=(sent, password))


def _read_netrc(host: Host) -> Credentials | None:
    asked = os.environ.get("NETRC")
    path = Path(asked) if asked else Path("~/.netrc").expanduser()
    if not asked and not path.exists():
        return None
    try:
        # A default entry is for everyone else's servers; only one that names the host counts.
        entry = netrc(str(path)).hosts.get(host.name)
    except NetrcParseError as error:
        # Its own message quotes what stands there, which may be a password.
        raise LibraryError(f"{path}:{error.lineno}: not a valid line of a netrc file") from None
    except (OSError, UnicodeError) as error:
        raise LibraryError(f"{path}: this netrc file can't be read ({error})") from None
    if not entry:
        return None
    if os.name == "posix" and path.stat().st_mode & _OTHERS:
        _log.warning("%s: others can read the passwords in it; run chmod 600 on it", path)
    return _make_from_user(
        entry[0], entry[2] or "", origin=f"login and password of {host.name} in {path}"
    )


def _ask_amazon(host: Host) -> Credentials | None:
    named = _AMAZON.search(host.name)
    if not named:
        return None
    session = require("botocore.session", for_=_AT_AMAZON, extra="aws").Session()
    problem = require("botocore.exceptions", for_=_AT_AMAZON, extra="aws").BotoCoreError
    try:
        keys = session.get_credentials()
        region = named["region"] or session.get_config_variable("region")
    except problem as error:
        raise LibraryError(f"{host}: Amazon's credentials can't be used: {error}") from None
    if not keys or not region:
        lacking = (
            "no region is known; set AWS_REGION"
            if keys
            else "no credentials of Amazon were found; set those of the AWS tools"
        )
        raise LibraryError(f"{host}: {lacking}, or {USER} and {PASSWORD}")
    signer = _make_signer(keys, region, named["service"] or "es")
    frozen = keys.get_frozen_credentials()
    secrets = tuple(secret for secret in (frozen.secret_key, frozen.token) if secret)
    return Credentials("the credentials of Amazon", signer=signer, secrets=secrets)


def _make_signer(keys: Any, region: str, service: str) -> Signer:
    """Return a function that signs requests for Amazon (Signature Version 4)."""
    signature = require("botocore.auth", for_=_AT_AMAZON, extra="aws").SigV4Auth
    make_request = require("botocore.awsrequest", for_=_AT_AMAZON, extra="aws").AWSRequest

    def sign(method: str, url: str, body: bytes | None) -> dict[str, str]:
        # Keys can change between two looks at them, unless they are frozen.
        auth = signature(keys.get_frozen_credentials(), service, region)
        request = make_request(method=method, url=url, data=body)
        auth.add_auth(request)
        return dict(request.headers.items()) | {"X-Amz-Content-SHA256": auth.payload(request)}

    return sign
