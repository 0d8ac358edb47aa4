"""Files of PubMed as they lie in a folder of ours.

pubmed26n0001.xml.gz            a file whose sum was right; never anything else
pubmed26n0001.xml.gz.md5        this sum; the time of this file is the date in the server's listing
pubmed26n0001.xml.gz.part       what has come so far
pubmed26n0001.xml.gz.part.from  the ETag or the date of the file that it is a part of
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from likewise.documents.files import written_aside
from likewise.documents.remote.pubmed_files import read_sum

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import IO

    from likewise.documents.remote.pubmed_files import RemoteFile


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
        """Tell whether the file is here, and has a sum."""
        return self.path.is_file() and _md5(self.path) == expected

    def is_part_whole(self, expected: str) -> bool:
        """Tell whether all of the file has come, by its sum."""
        return self.part.is_file() and _md5(self.part) == expected

    def keep(self, expected: str) -> None:
        """Give a part that turned out whole its name."""
        with self.part.open("rb+") as stream:  # some systems flush only what may be written to
            os.fsync(stream.fileno())
        self.part.replace(self.path)
        self.record(expected)
        self.drop_part()

    def record(self, expected: str) -> None:
        """Note the file's sum beside it, so that it need not be read again to know it."""
        with written_aside(self._sum) as stream:
            stream.write(f"MD5({self.path.name})= {expected}\n".encode())
        if self._listed is not None:
            with suppress(OSError):  # as on disks that keep no times; it is only hashed again then
                os.utime(self._sum, (self._listed, self._listed))


def _md5(path: Path) -> str:
    with path.open("rb") as stream:
        # It is NLM's choice, and guards against accidents.
        return hashlib.file_digest(stream, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
