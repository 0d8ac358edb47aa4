"""The ledger: which files a library has read, so that only new and changed ones are read again."""

from __future__ import annotations

import os
from pathlib import PurePath
from typing import TYPE_CHECKING

from likewise.documents.releases import release_of
from likewise.library.protocol import FileState

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from likewise.documents.releases import Release
    from likewise.library.protocol import Library


class Ledger:
    """The files that a library holds whole."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.states = library.files_read()
        self._unsaved: dict[str, FileState] = {}

    def is_current(self, path: Path, state: os.stat_result, *, format: str | None) -> bool:  # noqa: A002
        """Tell whether a file was read as it is now, and as asked for."""
        known = self.states.get(_key(path))
        now = (state.st_size, state.st_mtime_ns, format)
        return known is not None and (known.size, known.modified, known.format) == now

    def is_to_be_heard_again(self, path: Path) -> bool:
        """Tell whether a file's notices of deletion are to be heard once more."""
        known = self.states.get(_key(path))
        return known is not None and known.to_be_heard_again

    def record(
        self,
        path: Path,
        state: os.stat_result,
        *,
        format: str | None,  # noqa: A002
        deletions: int = 0,
    ) -> None:
        """Note that a file was read; nothing is written until `save`."""
        read = FileState(state.st_size, state.st_mtime_ns, format, deletions)
        self.states[_key(path)] = self._unsaved[_key(path)] = read

    def save(self) -> None:
        """Write what is new; to be called after what it speaks of was committed."""
        if self._unsaved:
            self._library.note_files(self._unsaved)
            self._unsaved = {}

    def put_down(self, states: Mapping[str, FileState]) -> None:
        """Write at once what is known of files."""
        if states:
            self.states |= states
            self._library.note_files(states)

    def newest_release(self) -> Release | None:
        """Return the latest release of PubMed that was read."""
        return max(filter(None, map(release_at, self.states)), default=None)

    def deleting_after(self, release: Release) -> dict[str, FileState]:
        """Return the files of later releases that had notices of deletion, in their order."""
        later = {
            path: found
            for path, state in self.states.items()
            if state.deletions and (found := release_at(path)) and found > release
        }
        return {path: self.states[path] for path in sorted(later, key=later.__getitem__)}


def release_at(path: str) -> Release | None:
    """Return the release of a file that the ledger names."""
    return release_of(PurePath(path).name)


def _key(path: Path) -> str:
    # Names that are not text stay apart from one another.
    return os.fsencode(path.resolve()).decode("utf-8", "backslashreplace")
