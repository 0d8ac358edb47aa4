"""Finding the files to read: those named, and those in the folders named, in the right order."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from likewise.documents.formats import formats, suffix_of
from likewise.documents.releases import in_release_order
from likewise.documents.sources import readable_name
from likewise.errors import Problem
from likewise.library.folder import MARKER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


BESIDE = frozenset({".md5", ".part", ".from"})
"""Suffixes of what `likewise download` keeps beside the files that it fetches."""


class Found(NamedTuple):
    """The files of some sources."""

    files: dict[Path, os.stat_result]
    """In the order in which they are read, each with what it is like now."""
    passed_over: int
    """Files in folders whose suffix is of no format."""
    problems: list[Problem]
    """Sources and files that can't be had."""


def find_files(sources: Iterable[str | Path]) -> Found:
    """Find files: sources as they are named, folders by file name, PubMed's by their releases."""
    finder = _Finder()
    states: dict[Path, os.stat_result] = {}
    for path in in_release_order(dict.fromkeys(finder.files(sources))):
        try:
            states[path] = path.stat()
        except OSError as error:
            finder.problems.append(_problem(path, error))
    return Found(states, finder.passed_over, finder.problems)


class _Finder:
    """Looks into folders, and remembers what was no file to read."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.passed_over = 0

    def files(self, sources: Iterable[str | Path]) -> Iterator[Path]:
        """Yield the files of sources."""
        for source in map(Path, sources):
            try:
                is_folder = stat.S_ISDIR(source.stat().st_mode)
            except OSError as error:
                self.problems.append(_problem(source, error))
                continue
            if is_folder:
                yield from self._files_in(source)
            else:
                yield source

    def _files_in(self, folder: Path) -> list[Path]:
        def on_error(error: OSError) -> None:
            self.problems.append(_problem(folder, error))

        found = sorted(_files_below(folder, on_error=on_error))
        suffixes = known_suffixes()
        wanted = [path for path in found if suffix_of(path) in suffixes]
        self.passed_over += sum(path.suffix not in BESIDE for path in found) - len(wanted)
        if not wanted:
            nothing = "no file in it has a suffix that we know"
            advice = f"those are: {' '.join(suffixes)}"
            self.problems.append(Problem(readable_name(folder), nothing, advice=advice))
        return wanted


def _files_below(folder: Path, *, on_error: Callable[[OSError], None]) -> Iterator[Path]:
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


def known_suffixes() -> list[str]:
    """Return every suffix that a format claims, in order."""
    return sorted({suffix for known in formats() for suffix in known.suffixes})


def _problem(path: Path, error: OSError) -> Problem:
    where = readable_name(Path(os.fsdecode(error.filename))) if error.filename else str(path)
    if isinstance(error, FileNotFoundError):
        return Problem(where, "no such file or folder", advice="check the path")
    advice = "check who may read it" if isinstance(error, PermissionError) else "check the path"
    return Problem(where, (error.strerror or str(error)).lower(), advice=advice)
