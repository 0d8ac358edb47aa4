"""One file of PubMed: fetched, continued if it was cut off, and kept only if its checksum is right.

pubmed26n0001.xml.gz            a file whose checksum was right; never anything else
pubmed26n0001.xml.gz.md5        that checksum; its own time is the date in the server's listing
pubmed26n0001.xml.gz.part       what has arrived so far
pubmed26n0001.xml.gz.part.from  the ETag or the date of the file that it is a part of
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from likewise.documents import replace_file
from likewise.documents.releases import RemoteFile, fetch_sum, read_sum
from likewise.errors import DownloadError
from likewise.web import WebClient
from likewise.web.connections import WebAnswer
from likewise.web.troubles import ConnectionCutError, describe_status, plain_address

_CONTENT_RANGE = re.compile(r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)")


LOCK = ".likewise-download.lock"


class Fetcher:
    """Fetches files from a server to where they are kept."""

    def __init__(self, web: WebClient, tally: Tally) -> None:
        self._web = web
        self._tally = tally

    def fetch(self, kept: KeptFile) -> bool:
        """Fetch a file; return False if it turns out to be here already.

        Raises:
            DownloadError: If it can't be fetched, or comes with the wrong checksum twice.
        """
        expected = fetch_sum(self._web, kept.file)
        if kept.is_whole(expected):
            kept.record(expected)
            kept.drop_part()
            return False
        for _ in range(2):
            self._bring(kept)
            if kept.is_part_whole(expected):
                kept.keep(expected)
                return True
            kept.drop_part()
            # The server may have replaced only one of file and checksum when we asked.
            expected = fetch_sum(self._web, kept.file)
        raise DownloadError(
            f"{plain_address(kept.file.url)}: came twice with the wrong checksum, and was deleted; "
            "run it again later"
        )

    def _bring(self, kept: KeptFile) -> None:
        """Download a file to its end, with as many connections as it takes."""
        furthest, failures = kept.part_size, 0
        while True:
            try:
                if self._take_in(kept):
                    return
            except ConnectionCutError as error:
                failures = 1 if kept.part_size > furthest else failures + 1
                furthest = max(furthest, kept.part_size)
                if failures > self._web.retries:
                    raise DownloadError(
                        f"{plain_address(kept.file.url)}: {error}, {failures} times in a row; "
                        "run it again later"
                    ) from error
                self._web.back_off(failures)

    def _take_in(self, kept: KeptFile) -> bool:
        """Download what one connection brings; return whether the file is then complete."""
        validator = kept.validator
        offset = kept.part_size if validator else 0
        with self._web.stream(kept.file.url, offset=offset, validator=validator) as answer:
            start, size = _parse_range(answer)
            if answer.status == 416 and size == offset:
                return True
            if answer.status != 200 and start != offset:
                # It starts neither at the beginning nor where we are, so ask for all of it.
                kept.drop_part()
                raise ConnectionCutError(f"the server {describe_status(answer.status)}")
            if start == 0:
                kept.begin(answer.headers)
            self._write(answer, kept)
        # Some servers send only so much at a time; an answer that brings nothing is the end.
        return size is None or not offset < kept.part_size < size

    def _write(self, answer: WebAnswer, kept: KeptFile) -> None:
        said = answer.headers.get("Content-Length", "")
        length = int(said) if said.isdecimal() else 0
        with self._tally.transfer(kept.file.name, length) as came, kept.open_part() as stream:
            for chunk in answer.chunks():
                stream.write(chunk)
                came(len(chunk))


def _parse_range(answer: WebAnswer) -> tuple[int | None, int | None]:
    """Return where an answer begins and how long the whole file is; None if it does not say."""
    if answer.status == 200:
        return 0, None
    found = _CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", ""))
    if not found:
        return None, None
    start, size = found.groups()
    return int(start) if start else None, int(size) if size != "*" else None


class KeptFile:
    """The local copy of a server's file: missing, partial or whole."""

    def __init__(self, folder: Path, file: RemoteFile) -> None:
        self.file = file
        self.path = folder / file.folder / file.name
        self.part = Path(f"{self.path}.part")
        self._sum = Path(f"{self.path}.md5")
        self._origin = Path(f"{self.part}.from")
        self._listed = int(file.listed.timestamp()) if file.listed else None

    @property
    def is_settled(self) -> bool:
        """Whether it is here, whole, and has the date in the listing that it was fetched with."""
        try:
            recorded = self._sum.read_text(encoding="utf-8", errors="replace")
            date = int(self._sum.stat().st_mtime)
        except OSError:
            return False
        return (
            self.path.is_file()
            and bool(read_sum(recorded))
            and (self._listed is None or self._listed == date)
        )

    @property
    def part_size(self) -> int:
        """How many bytes have arrived so far."""
        is_ours = self.part.is_file() and not self.part.is_symlink()
        return self.part.stat().st_size if is_ours else 0

    @property
    def missing_bytes(self) -> int:
        """How many bytes are still to come, as far as this is known."""
        if self.path.is_file():  # It is likely to be whole; if not, its bytes count as they arrive.
            return 0
        return max(0, (self.file.size or 0) - self.part_size)

    @property
    def validator(self) -> str:
        """The ETag or date that tells whether the server still has the file of this part."""
        try:
            lines = self._origin.read_text(encoding="latin-1").splitlines()
        except OSError:
            return ""
        return lines[0] if len(lines) == 1 and lines[0].isprintable() else ""

    def begin(self, headers: Mapping[str, str]) -> None:
        """Start a new part, and note the ETag or date of the file that it is a part of."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # Create it anew instead of emptying it: if it is a link, its target would be lost.
        self.drop_part()
        self.part.open("xb").close()
        tag = headers.get("ETag") or "W/"
        validator = headers.get("Last-Modified", "") if tag.startswith("W/") else tag
        self._origin.write_text(validator, encoding="latin-1", errors="replace")

    def open_part(self) -> IO[bytes]:
        """Open the part for appending."""
        return self.part.open("ab")

    def drop_part(self) -> None:
        """Delete what has arrived so far."""
        self.part.unlink(missing_ok=True)
        self._origin.unlink(missing_ok=True)

    def is_whole(self, expected: str) -> bool:
        """Return whether the file is here and has the expected checksum."""
        return self.path.is_file() and _hash_file(self.path) == expected

    def is_part_whole(self, expected: str) -> bool:
        """Return whether the part is the whole file, judging by its checksum."""
        return self.part.is_file() and _hash_file(self.part) == expected

    def keep(self, expected: str) -> None:
        """Give a complete part its final name."""
        with self.part.open("rb+") as stream:  # some systems flush only what may be written to
            os.fsync(stream.fileno())
        self.part.replace(self.path)
        self.record(expected)
        self.drop_part()

    def record(self, expected: str) -> None:
        """Note the file's checksum beside it, so that the file need not be read again."""
        with replace_file(self._sum) as stream:
            stream.write(f"MD5({self.path.name})= {expected}\n".encode())
        if self._listed is not None:
            with suppress(OSError):  # some disks keep no times; then it is only hashed again
                os.utime(self._sum, (self._listed, self._listed))


def _hash_file(path: Path) -> str:
    with path.open("rb") as stream:
        # MD5 is NLM's choice, and guards against accidents.
        return hashlib.file_digest(stream, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder for this process, until it is done or dies."""
    # The file itself stays: if it were removed, two processes could lock files of this name.
    with (folder / LOCK).open("a") as stream:
        _take(stream, folder)
        yield


def _take(stream: IO[str], folder: Path) -> None:
    try:
        import fcntl

        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in {errno.EWOULDBLOCK, errno.EACCES}:
            raise DownloadError(
                f"{folder}: another likewise is downloading into this folder; let it finish"
            ) from error
        # Some disks, such as network drives, have no locks. Checksums still protect the files.
    except ImportError:
        pass  # Windows has no such locks.


class DownloadProgress(NamedTuple):
    """How far a download has come."""

    file: str
    bytes: int
    total_bytes: int
    files: int
    total_files: int


class Tally:
    """Counts files and bytes; sizes from listings give way to what servers say.

    Args:
        planned: How many bytes of each file are to come, by its name.
        on_progress: Called as they come.
    """

    def __init__(
        self,
        planned: Mapping[str, int],
        *,
        on_progress: Callable[[DownloadProgress], None] | None = None,
    ) -> None:
        self._planned = dict(planned)
        self._lock = threading.Lock()
        self._on_progress = on_progress or (lambda _: None)
        self._state = DownloadProgress("", 0, sum(planned.values()), 0, len(planned))

    @property
    def bytes(self) -> int:
        """How many bytes have arrived."""
        return self._state.bytes

    @contextmanager
    def transfer(self, file: str, length: int) -> Iterator[Callable[[int], None]]:
        """Begin to transfer `length` bytes of a file; yield a function to call as bytes arrive."""
        rest = length
        self._move(file, more=length - self._planned.pop(file, 0))

        def came(number: int) -> None:
            nonlocal rest
            more = max(0, number - rest)  # the server may not say how many there are
            rest = max(0, rest - number)
            self._move(file, came=number, more=more)

        try:
            yield came
        finally:
            self._move(file, more=-rest)

    def finish_file(self, file: str) -> None:
        """Count a file as done."""
        self._move(file, more=-self._planned.pop(file, 0), files=1)

    def _move(self, file: str, *, came: int = 0, more: int = 0, files: int = 0) -> None:
        with self._lock:
            _, now, total, done, of = self._state
            self._state = DownloadProgress(file, now + came, total + more, done + files, of)
            self._on_progress(self._state)
