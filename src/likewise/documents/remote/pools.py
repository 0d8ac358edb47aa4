"""Connections that are kept open, straight to a server or through the proxy of the environment."""

from __future__ import annotations

import threading
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3
from urllib3.exceptions import LocationParseError

from likewise import __version__
from likewise.documents.remote.web_troubles import plain_address
from likewise.errors import SettingsError

AGENT = f"likewise/{__version__}"


class Pools:
    """A pool of connections for each proxy that is in use, and one without.

    Args:
        connections: The most to a server at a time; who needs another one waits.
        timeout: Seconds without a sign of the server after which it counts as away.
    """

    def __init__(self, *, connections: int, timeout: float) -> None:
        self._connections = connections
        self._timeout = urllib3.Timeout(connect=timeout, read=timeout)
        self._pools: dict[str, urllib3.PoolManager] = {}
        self._lock = threading.Lock()

    def pool_for(self, url: str) -> urllib3.PoolManager:
        """Return the pool whose connections lead to an address."""
        proxy = proxy_for(url)
        with self._lock:
            if proxy not in self._pools:
                self._pools[proxy] = self._made(proxy)
            return self._pools[proxy]

    def close(self) -> None:
        """Close the connections that nobody uses; others are closed when they are given back."""
        with self._lock:
            for pool in self._pools.values():
                pool.clear()
            self._pools.clear()

    def _made(self, proxy: str) -> urllib3.PoolManager:
        if not proxy:
            return urllib3.PoolManager(
                maxsize=self._connections,
                block=True,
                timeout=self._timeout,
                headers={"User-Agent": AGENT},
            )
        parts = urlsplit(proxy)
        secret = f"{parts.username or ''}:{parts.password or ''}" if parts.username else None
        try:
            return urllib3.ProxyManager(
                plain_address(proxy),
                proxy_headers=urllib3.make_headers(proxy_basic_auth=secret),
                maxsize=self._connections,
                block=True,
                timeout=self._timeout,
                headers={"User-Agent": AGENT},
            )
        except (urllib3.exceptions.ProxySchemeUnknown, LocationParseError) as error:
            raise SettingsError(
                f"the proxy {plain_address(proxy)} of the environment is none for HTTP; "
                "HTTPS_PROXY and HTTP_PROXY are like http://proxy.example.org:8080"
            ) from error


def proxy_for(url: str) -> str:
    """Return the proxy that the environment names for an address, or nothing."""
    parts = urlsplit(url)
    if proxy_bypass(parts.netloc.rpartition("@")[2]):
        return ""
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all") or ""
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"
