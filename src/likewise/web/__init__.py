"""Polite HTTP for NLM's files, NCBI's records and clusters: few connections, and patience."""

from __future__ import annotations

import logging
import random
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Self, TypeVar
from urllib.parse import urlencode, urlsplit

from urllib3.exceptions import HTTPError
from urllib3.response import BaseHTTPResponse

from likewise.errors import DownloadError
from likewise.web.connections import (
    CHUNK,
    ConnectionPools,
    WebAnswer,
    WebReply,
    WebRequest,
    open_answer,
    open_response,
    put_away,
    unpack_content,
)
from likewise.web.troubles import (
    LONGEST_WAIT,
    NoAnswerError,
    Pace,
    PassingTroubleError,
    StoppedError,
    check_address,
    choose_pause,
    plain_address,
    translate_error,
)

LOG = logging.getLogger(__name__)

T = TypeVar("T")

MOST_BYTES = 2**28
"""The most that `WebClient.get` takes into memory; no expected answer comes near it."""
WORTH_TELLING = 5.0
"""A wait of this many seconds or more is explained to people."""
TRIALS_OF_STRANGERS = 2
"""Retries of a server that has never answered: the network is probably down."""


class WebClient:
    """A client that never asks a server too often, and asks again if that may help.

    Args:
        retries: Trials after the first, if a connection fails or a server is busy.
        pause: Seconds before the second trial; the pause doubles with each trial.
        per_second: The most requests a second.
        connections: The most connections to a server at a time.
        timeout: Seconds of silence after which a server counts as unreachable.
        connect_timeout: The same for making a connection; by default as long.
        tls: Which certificates are trusted; by default those of the system.
        has_proxies: Whether to use the proxies that the environment names.
        rng: Makes pauses a bit shorter or longer.
    """

    def __init__(  # noqa: PLR0913  # all that a client can differ in
        self,
        *,
        retries: int = 8,
        pause: float = 1.0,
        per_second: float | None = None,
        connections: int = 2,
        timeout: float = 30,
        connect_timeout: float | None = None,
        tls: ssl.SSLContext | None = None,
        has_proxies: bool = True,
        rng: random.Random | None = None,
    ) -> None:
        self.retries = retries
        self.requests = 0
        self._pause = pause
        self._pace = Pace(per_second)
        self._rng = rng or random.Random()  # noqa: S311  # pauses are no secrets
        self._pools = ConnectionPools(
            connections=connections,
            timeout=timeout,
            connect_timeout=connect_timeout,
            tls=tls,
            has_proxies=has_proxies,
        )
        self._reached: set[str] = set()
        self._stopped = threading.Event()

    def get(
        self,
        url: str,
        *,
        fields: Mapping[str, str | Sequence[str]] | None = None,
        post: bool = False,
    ) -> bytes:
        """Return everything that an address holds.

        Args:
            url: The address.
            fields: Sent in the address or, with `post`, as a form. A field with several values is
                sent once for each.
            post: Whether to send a form.
        """
        headers = {"Accept-Encoding": "gzip"}
        sent = urlencode(fields or {}, doseq=True)
        if post:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            request = WebRequest(url, headers, method="POST", body=sent, follow=False)
        else:
            request = WebRequest(f"{url}?{sent}" if sent else url, headers, follow=not sent)
        return self._persist(url, lambda: self._read_whole(request))

    def head(self, url: str) -> Mapping[str, str]:
        """Return the headers of an address, without fetching its content."""
        response = self._persist(url, lambda: self._open(WebRequest(url, method="HEAD")))
        put_away(response)
        return response.headers

    @contextmanager
    def stream(self, url: str, *, offset: int = 0, validator: str = "") -> Iterator[WebAnswer]:
        """Open the content of an address, to be read chunk by chunk.

        The answer's status is 200 if it starts at the beginning, 206 if it continues from `offset`,
        and 416 if there is nothing at `offset`.

        Args:
            url: The address.
            offset: How many bytes the caller already has.
            validator: The ETag or the date that these came with; if the server's has changed
                since, the answer starts at the beginning.
        """
        headers = {"Accept-Encoding": "identity"}
        if offset:
            headers["Range"] = f"bytes={offset}-"
        if offset and validator:
            headers["If-Range"] = validator
        response = self._persist(url, lambda: self._open(WebRequest(url, headers)))
        try:
            yield WebAnswer(response, is_stopped=self._stopped.is_set)
        finally:
            put_away(response)

    def exchange(self, request: WebRequest) -> WebReply:
        """Send a request once, and return the unpacked answer, whatever its status.

        This is for callers that handle statuses and retries themselves.

        Raises:
            NoAnswerError: If there is no answer, or only a part of one.
        """
        self._take_turn()
        try:
            response = open_response(self._pools.pool_for(request.url), request)
            try:
                content = response.read(decode_content=True)
            finally:
                response.release_conn()
        except HTTPError as error:
            raise NoAnswerError.of(error) from error
        return WebReply(response.status, response.headers, content)

    def back_off(self, trial: int) -> None:
        """Wait before the next trial: the more trials have failed, the longer."""
        self.rest(choose_pause(trial, pause=self._pause, rng=self._rng))

    def rest(self, seconds: float) -> None:
        """Wait; raise StoppedError as soon as `stop` is called."""
        if self._stopped.wait(seconds):
            raise StoppedError

    def stop(self) -> None:
        """End all waits and streams, in every thread, with a StoppedError."""
        self._stopped.set()

    def close(self) -> None:
        """Close the connections."""
        self._pools.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take_turn(self) -> None:
        """Wait until the next request may be sent, and count it."""
        self.rest(self._pace.take_turn())
        self.requests += 1

    def _persist(self, url: str, attempt: Callable[[], T]) -> T:
        check_address(url)
        trial = 1
        while True:
            self._take_turn()
            try:
                return self._note_answer(attempt)
            except PassingTroubleError as trouble:
                self._wait_out(trouble, url, trial=trial)
            except HTTPError as error:
                self._wait_out(translate_error(error), url, trial=trial)
            trial += 1

    def _note_answer(self, attempt: Callable[[], T]) -> T:
        try:
            return attempt()
        finally:
            self._pace.note_answer()

    def _wait_out(self, trouble: Exception, url: str, *, trial: int) -> None:
        """Wait until a trouble may have passed; raise if it never will, or came too often."""
        has_answered = urlsplit(url).netloc in self._reached
        allowed = self.retries if has_answered else min(self.retries, TRIALS_OF_STRANGERS)
        seconds = choose_pause(trial, pause=self._pause, rng=self._rng)
        line = f"{plain_address(url)}: the server {trouble}"
        if not isinstance(trouble, PassingTroubleError) or trial > allowed:
            raise DownloadError(line) from trouble
        if trouble.after is not None:
            seconds = max(seconds, trouble.after)
        if seconds > LONGEST_WAIT:
            raise DownloadError(f"{line}, and asks us to wait {seconds:.0f} s") from trouble
        if seconds >= WORTH_TELLING:
            LOG.warning("%s; trying again in %.0f s", line, seconds)
        self.rest(seconds)

    def _read_whole(self, request: WebRequest) -> bytes:
        response = self._open(request)
        read = bytearray()
        try:
            for chunk in response.stream(CHUNK, decode_content=False):
                read += chunk
                if len(read) > MOST_BYTES:
                    break
        finally:
            put_away(response)
        content = unpack_content(bytes(read), response.headers, most=MOST_BYTES)
        if len(content) > MOST_BYTES:
            raise DownloadError(
                f"{plain_address(request.url)}: more than {MOST_BYTES // 2**20} MB, "
                "which can't be what was asked for"
            )
        return content

    def _open(self, request: WebRequest) -> BaseHTTPResponse:
        try:
            response = open_answer(self._pools.pool_for(request.url), request)
        except PassingTroubleError:
            self._reached.add(urlsplit(request.url).netloc)
            raise
        self._reached.add(urlsplit(request.url).netloc)
        return response
