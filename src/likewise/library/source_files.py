"""The files of a library: which it has read, which to read again, and how folders are searched.

The ledger says which files were read, so that only new and changed ones are read again. What later
files of PubMed deleted must not come back with earlier ones. An earlier file is read after later
ones if it was broken or missing at first, or has changed since. Revisions take care of themselves,
since each record says which file it is from. But nothing is left of a deleted record to compare
with. So if the earlier file added anything, the later files that had notices of deletion are read
again, for these alone. The ledger notes this before anything is read, so that the next run does
what a killed run leaves undone.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from msgspec.structs import replace

from likewise.arguments import check_type, require_path
from likewise.documents.formats import formats, suffix_of
from likewise.documents.releases import Release, release_of, sort_by_release
from likewise.documents.sources import readable_name
from likewise.errors import Problem
from likewise.library.folder import MARKER
from likewise.library.protocol import FileState, Library

BESIDE = frozenset({".md5", ".part", ".from"})
"""Suffixes of what `likewise download` keeps beside the files that it fetches."""


class Ledger:
    """Which files a library has read to their end; it is kept with the library."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self.states = library.list_files()
        self._unsaved: dict[str, FileState] = {}

    def is_current(self, path: Path, state: os.stat_result, *, format: str | None) -> bool:  # noqa: A002
        """Return whether a file was read as it is now, and in the format asked for."""
        known = self.states.get(_spell_path(path))
        now = (state.st_size, state.st_mtime_ns, format)
        return known is not None and (known.size, known.modified, known.format) == now

    def is_to_be_heard_again(self, path: Path) -> bool:
        """Return whether a file's notices of deletion have to be read again."""
        known = self.states.get(_spell_path(path))
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
        self.states[_spell_path(path)] = self._unsaved[_spell_path(path)] = read

    def save(self) -> None:
        """Write what is new; call it after the files' records were committed."""
        if self._unsaved:
            self._library.note_files(self._unsaved)
            self._unsaved = {}

    def put_down(self, states: Mapping[str, FileState]) -> None:
        """Note states of files, and write them at once."""
        if states:
            self.states |= states
            self._library.note_files(states)

    def find_newest_release(self) -> Release | None:
        """Return the latest release of PubMed that was read."""
        return max(filter(None, map(find_release, self.states)), default=None)

    def list_deleting_after(self, release: Release) -> dict[str, FileState]:
        """Return the files of later releases that had notices of deletion, in their order."""
        later = {
            path: found
            for path, state in self.states.items()
            if state.deletions and (found := find_release(path)) and found > release
        }
        return {path: self.states[path] for path in sorted(later, key=later.__getitem__)}


def find_release(path: str) -> Release | None:
    """Return the release of a file, given its path in the ledger."""
    return release_of(PurePath(path).name)


def _spell_path(path: Path) -> str:
    # Names that can't be decoded must stay different from one another.
    return os.fsencode(path.resolve()).decode("utf-8", "backslashreplace")


class Rereading:
    """The files with deletions that are later than some of those about to be read."""

    def __init__(self, ledger: Ledger, wanted: Mapping[Path, os.stat_result]) -> None:
        """Find these files, given those `wanted` now, and note that they have to be read again."""
        self._ledger = ledger
        releases = {release for path in wanted if (release := release_of(path.name))}
        later = ledger.list_deleting_after(min(releases)) if releases else {}
        self._later = {path: s for path, s in later.items() if find_release(path) not in releases}
        self._last = max(filter(None, map(find_release, self._later)), default=None)
        # Files that an earlier run has marked, but did not read again, stay marked.
        self._marked = {path: s for path, s in self._later.items() if not s.to_be_heard_again}
        ledger.put_down(
            {path: replace(s, to_be_heard_again=True) for path, s in self._marked.items()}
        )

    def precedes(self, path: Path) -> bool:
        """Return whether a file comes before any of these."""
        release = release_of(path.name)
        return bool(release and self._last and release < self._last)

    def call_off(self) -> None:
        """Note that deletions need not be read again, since no earlier file added anything."""
        self._ledger.put_down(self._marked)

    def describe_missing(self, given: Mapping[Path, os.stat_result]) -> Problem | None:
        """Return a problem that names the files still to be read again that were not given."""
        at_hand = {release_of(path.name) for path in given}
        missing = [
            path
            for path in self._later
            if self._ledger.states[path].to_be_heard_again and find_release(path) not in at_hand
        ]
        if not missing:
            return None
        more = f", and after those of {len(missing) - 1:,} more" if missing[1:] else ""
        found = f"an earlier file of PubMed was read after its notices of deletion{more}"
        advice = "deleted records may be back: index these files again"
        return Problem(missing[0], found, advice=advice)


@dataclass
class FoundFiles:
    """The files of some sources."""

    files: dict[Path, os.stat_result] = field(default_factory=dict)
    """In the order in which to read them, each with its state now."""
    passed_over: int = 0
    """Files in folders whose suffix belongs to no format."""
    problems: list[Problem] = field(default_factory=list)
    """Sources and files that can't be read."""


def find_files(sources: Iterable[str | Path]) -> FoundFiles:
    """Find files: sources in the order given, folders by file name, PubMed's by release."""
    check_type(sources, Iterable, name="sources", wanted="files and folders")
    found = FoundFiles()
    paths = (path for source in map(require_path, sources) for path in _list_source(source, found))
    for path in sort_by_release(dict.fromkeys(paths)):
        try:
            found.files[path] = path.stat()
        except OSError as error:
            found.problems.append(_describe_error(path, error))
    return found


def _list_source(source: Path, found: FoundFiles) -> list[Path]:
    """Return a file, or the files of a folder that may be read, and note what is left out."""

    def on_error(error: OSError) -> None:
        found.problems.append(_describe_error(source, error))

    try:
        if not stat.S_ISDIR(source.stat().st_mode):
            return [source]
    except OSError as error:
        on_error(error)
        return []
    paths = sorted(_walk_files(source, on_error=on_error))
    suffixes = sorted({suffix for known in formats() for suffix in known.suffixes})
    wanted = [path for path in paths if suffix_of(path) in suffixes]
    found.passed_over += sum(path.suffix not in BESIDE for path in paths) - len(wanted)
    if not wanted:
        nothing = "no file in it has a known suffix"
        advice = f"these are known: {' '.join(suffixes)}"
        found.problems.append(Problem(readable_name(source), nothing, advice=advice))
    return wanted


def _walk_files(folder: Path, *, on_error: Callable[[OSError], None]) -> Iterator[Path]:
    """Yield the regular files below a folder; hidden ones and libraries are left out."""
    for parent, folders, names in os.walk(folder, onerror=on_error):
        if MARKER in names:
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".")]
        for path in (Path(parent, name) for name in names if not name.startswith(".")):
            try:
                if stat.S_ISREG(path.stat().st_mode):
                    yield path
            except OSError as error:
                on_error(error)


def _describe_error(path: Path, error: OSError) -> Problem:
    where = readable_name(Path(os.fsdecode(error.filename))) if error.filename else str(path)
    if isinstance(error, FileNotFoundError):
        return Problem(where, "no such file or folder", advice="check the path")
    advice = "check permissions" if isinstance(error, PermissionError) else "check the path"
    return Problem(where, (error.strerror or str(error)).lower(), advice=advice)
