"""One file of PubMed: fetched, going on where it was cut off, and kept only if its sum is right.

pubmed26n0001.xml.gz            a file whose sum was right; never anything else
pubmed26n0001.xml.gz.md5        this sum; the time of this file is the date in the server's listing
pubmed26n0001.xml.gz.part       what has come so far
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
    """Brings files from a server to where they are kept."""

    def __init__(self, web: WebClient, tally: Tally) -> None:
        self._web = web
        self._tally = tally

    def fetch(self, file: RemoteFile, kept: KeptFile) -> bool:
        """Bring a file; return False if it turns out to be here.

        Raises:
            DownloadError: If it can't be had, or comes with the wrong sum twice.
        """
        expected = fetch_sum(self._web, file)
        if kept.is_whole(expected):
            kept.record(expected)
            kept.drop_part()
            return False
        for _ in range(2):
            self._bring(file, kept)
            if kept.is_part_whole(expected):
                kept.keep(expected)
                return True
            kept.drop_part()
            # File and sum may have been changed one after the other, and we came in between.
            expected = fetch_sum(self._web, file)
        raise DownloadError(
            f"{plain_address(file.url)}: came twice with the wrong sum, and was thrown away; "
            "run it again later"
        )

    def _bring(self, file: RemoteFile, kept: KeptFile) -> None:
        """Take in a file to its end, with as many connections as it takes."""
        furthest, failures = kept.part_size, 0
        while True:
            try:
                if self._take_in(file, kept):
                    return
            except ConnectionCutError as error:
                failures = 1 if kept.part_size > furthest else failures + 1
                furthest = max(furthest, kept.part_size)
                if failures > self._web.retries:
                    raise DownloadError(
                        f"{plain_address(file.url)}: {error}, {failures} times in a row; "
                        "run it again later"
                    ) from error
                self._web.back_off(failures)

    def _take_in(self, file: RemoteFile, kept: KeptFile) -> bool:
        """Take in what one connection brings; return whether that is all there is."""
        validator = kept.validator
        offset = kept.part_size if validator else 0
        with self._web.stream(file.url, offset=offset, validator=validator) as answer:
            start, size = _parse_range(answer)
            if answer.status == 416 and size == offset:
                return True
            if answer.status != 200 and start != offset:
                # Neither from the beginning nor from where we are: once more, for all of it.
                kept.drop_part()
                raise ConnectionCutError(f"the server {describe_status(answer.status)}")
            if start == 0:
                kept.begin(answer.headers)
            self._write(answer, kept, name=file.name)
        # Some servers hand out only so much at a time; what brings nothing is the end.
        return size is None or not offset < kept.part_size < size

    def _write(self, answer: WebAnswer, kept: KeptFile, *, name: str) -> None:
        said = answer.headers.get("Content-Length", "")
        length = int(said) if said.isdecimal() else 0
        with self._tally.transfer(name, length) as came, kept.open_part() as stream:
            for chunk in answer.chunks():
                stream.write(chunk)
                came(len(chunk))


def _parse_range(answer: WebAnswer) -> tuple[int | None, int | None]:
    """Return where an answer begins, and how long the whole is, as far as it says so."""
    if answer.status == 200:
        return 0, None
    found = _CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", ""))
    if not found:
        return None, None
    start, size = found.groups()
    return int(start) if start else None, int(size) if size != "*" else None


class KeptFile:
    """A file that a server has, as it is here: not at all, a part of it, or whole."""

    def __init__(self, folder: Path, file: RemoteFile) -> None:
        self.path = folder / file.folder / file.name
        self.part = Path(f"{self.path}.part")
        self._sum = Path(f"{self.path}.md5")
        self._origin = Path(f"{self.part}.from")
        self._listed = int(file.listed.timestamp()) if file.listed else None

    @property
    def is_settled(self) -> bool:
        """Whether it is here, whole, and the listing speaks of it as it did when it was fetched."""
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
        """How many bytes have come so far."""
        is_ours = self.part.is_file() and not self.part.is_symlink()
        return self.part.stat().st_size if is_ours else 0

    @property
    def validator(self) -> str:
        """What tells whether the part is of the file that the server has now."""
        try:
            lines = self._origin.read_text(encoding="latin-1").splitlines()
        except OSError:
            return ""
        return lines[0] if len(lines) == 1 and lines[0].isprintable() else ""

    def begin(self, headers: Mapping[str, str]) -> None:
        """Begin a part anew, with what tells later whether it is still of the same file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # Not emptied but made: were it a link, what that leads to would be lost.
        self.drop_part()
        self.part.open("xb").close()
        tag = headers.get("ETag") or "W/"
        validator = headers.get("Last-Modified", "") if tag.startswith("W/") else tag
        self._origin.write_text(validator, encoding="latin-1", errors="replace")

    def open_part(self) -> IO[bytes]:
        """Open the part to add to it."""
        return self.part.open("ab")

    def drop_part(self) -> None:
        """Throw away what has come so far."""
        self.part.unlink(missing_ok=True)
        self._origin.unlink(missing_ok=True)

    def is_whole(self, expected: str) -> bool:
        """Return whether the file is here, and has a sum."""
        return self.path.is_file() and _hash_file(self.path) == expected

    def is_part_whole(self, expected: str) -> bool:
        """Return whether all of the file has come, by its sum."""
        return self.part.is_file() and _hash_file(self.part) == expected

    def keep(self, expected: str) -> None:
        """Give a part that turned out whole its name."""
        with self.part.open("rb+") as stream:  # some systems flush only what may be written to
            os.fsync(stream.fileno())
        self.part.replace(self.path)
        self.record(expected)
        self.drop_part()

    def record(self, expected: str) -> None:
        """Note the file's sum beside it, so that it need not be read again to know it."""
        with replace_file(self._sum) as stream:
            stream.write(f"MD5({self.path.name})= {expected}\n".encode())
        if self._listed is not None:
            with suppress(OSError):  # as on disks that keep no times; it is only hashed again then
                os.utime(self._sum, (self._listed, self._listed))


def _hash_file(path: Path) -> str:
    with path.open("rb") as stream:
        # It is NLM's choice, and guards against accidents.
        return hashlib.file_digest(stream, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold a folder for this process, until it is done or dies in whatever way."""
    # The file itself stays: were it removed, two could hold files of this name.
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
        # A disk that knows no locks, as some in networks. Files keep their sums all the same.
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
    """Counts files and bytes; what listings say of sizes gives way to what servers say.

    Args:
        planned: For each file, by its name, how many bytes are to come.
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
        """How many bytes have come."""
        return self._state.bytes

    @contextmanager
    def transfer(self, file: str, length: int) -> Iterator[Callable[[int], None]]:
        """Begin to take in so many bytes of a file, and give what is told of those that come."""
        rest = length
        self._move(file, more=length - self._planned.pop(file, 0))

        def came(number: int) -> None:
            nonlocal rest
            more = max(0, number - rest)  # as where a server does not say how many there are
            rest = max(0, rest - number)
            self._move(file, came=number, more=more)

        try:
            yield came
        finally:
            self._move(file, more=-rest)

    def finish_file(self, file: str) -> None:
        """Count a file that nothing more comes of."""
        self._move(file, more=-self._planned.pop(file, 0), files=1)

    def _move(self, file: str, *, came: int = 0, more: int = 0, files: int = 0) -> None:
        with self._lock:
            _, now, total, done, of = self._state
            self._state = DownloadProgress(file, now + came, total + more, done + files, of)
            self._on_progress(self._state)
