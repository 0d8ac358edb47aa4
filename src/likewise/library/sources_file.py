"""The file `sources.json` of an embedded library: which files were read into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from likewise.documents.files import written_aside
from likewise.errors import LibraryError
from likewise.library.folder import LEDGER
from likewise.library.protocol import FileState

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def load_states(folder: Path) -> dict[str, FileState]:
    """Return what is known of each file, by its path; nothing where no file was read yet."""
    path = folder / LEDGER
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, FileState])
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise LibraryError(f"{path}: can't be read: {error.strerror or error}") from error
    except msgspec.DecodeError as error:
        raise LibraryError(
            f"{path}: damaged ({error}); delete it, and index the files again: "
            "documents that are there already will be recognised"
        ) from error


def save_states(folder: Path, states: Mapping[str, FileState]) -> None:
    """Write what is known of all files; the file is replaced whole or not at all."""
    with written_aside(folder / LEDGER) as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(states)))
