"""A folder that only one process at a time downloads into."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from likewise.errors import DownloadError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCK = ".likewise-download.lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
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
