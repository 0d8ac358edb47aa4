"""What the engine raises, turned into one line that says what to do."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from likewise.errors import LibraryBusyError, LibraryError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NO_PERMISSION = re.compile(r"PermissionDenied|ReadOnlyFilesystem|code: (13|30)\b")
_NO_SPACE = re.compile(r"No space left|StorageFull|File too large|FileTooLarge|code: (27|28)\b")


@contextmanager
def engine_errors(path: Path, *, writing: bool = False) -> Iterator[None]:
    """Raise a LibraryError for whatever goes wrong in the engine."""
    try:
        yield
    except LibraryError:
        raise
    except (ValueError, OSError) as error:
        raise _explained(path, error, writing=writing) from error
    except BaseException as error:
        # A panic in the engine's Rust is no Exception; its class can't be imported.
        if type(error).__name__ == "PanicException":
            raise _explained(path, error, writing=writing) from error
        raise


def _explained(path: Path, error: BaseException, *, writing: bool) -> LibraryError:
    said = " ".join(str(error).split())
    if "LockBusy" in said:
        return LibraryBusyError(
            f"{path}: another process is writing to this library; "
            "wait until it is done (searching goes on meanwhile)"
        )
    if isinstance(error, UnicodeError):
        return LibraryError(f"{path}: a document holds half a character ({said}); nothing was lost")
    if _NO_PERMISSION.search(said):
        return LibraryError(
            f"{path}: no permission to write there; even a reader has to lock the index, "
            "so give yourself write permission on the folder"
        )
    if _NO_SPACE.search(said):
        return LibraryError(
            f"{path}: no space left to write; what was committed before is safe: "
            "make room and run the command again"
        )
    if writing:
        return LibraryError(
            f"{path}: could not be written, perhaps for lack of space ({said[:200]}); "
            "what was committed before is safe: make room and run the command again"
        )
    return LibraryError(
        f"{path}: the index is damaged ({said[:200]}); "
        "index its files, which sources.json lists, into a new folder"
    )
