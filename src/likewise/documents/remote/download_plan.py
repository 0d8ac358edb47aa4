"""What a download is to bring: settings, the files that they mean, and whether there is room."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from likewise.documents.remote.pubmed_files import (
    BASELINE,
    NLM,
    UPDATES,
    checked_base,
    list_files,
    listed_since,
    year_of,
)
from likewise.errors import DownloadError, SettingsError

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from likewise.documents.remote.kept_files import KeptFile
    from likewise.documents.remote.pubmed_files import RemoteFile
    from likewise.documents.remote.web import Web


@dataclass(frozen=True)
class DownloadSettings:
    """What to download, from where, and how.

    Args:
        baseline: Whether to take the year's baseline.
        updates: Whether to take the daily update files.
        since: The day from which on files are taken, by the server's listing.
        base: The address below which the folders of both lie.
        connections: How many files to fetch at a time.
        check: Whether to read files that are here again, to see that they are whole.
    """

    baseline: bool = True
    updates: bool = True
    since: dt.date | None = None
    base: str = NLM
    connections: int = 2
    check: bool = False

    def __post_init__(self) -> None:
        if not (self.baseline or self.updates):
            raise SettingsError("neither the baseline nor the updates: nothing to download")
        if self.connections < 1:
            raise SettingsError(f"connections must be at least 1, not {self.connections}")


def listed_files(
    web: Web, settings: DownloadSettings, *, say: Callable[[str], None]
) -> list[RemoteFile]:
    """Return the files that are asked for, as the server lists them."""
    base = checked_base(settings.base)
    wanted = {BASELINE: settings.baseline, UPDATES: settings.updates}
    files: list[RemoteFile] = []
    for folder in (name for name, is_wanted in wanted.items() if is_wanted):
        found = list_files(web, base, folder=folder)
        if not found:
            say(f"{base}{folder}/: no files yet")
        files += found
    if settings.since is None:
        return files
    if not all(file.listed for file in files):
        say(f"{base}: lists files without dates; the server is asked for the date of each")
    return listed_since(files, settings.since, web=web)


def tell_of_other_years(
    folder: Path, files: Sequence[RemoteFile], *, say: Callable[[str], None]
) -> None:
    """Say so where files of an earlier year's baseline are here."""
    there = {
        year_of(path.name)
        for name in (BASELINE, UPDATES)
        for path in (folder / name).glob("pubmed*.xml.gz")
    }
    newest = max((file.year for file in files), default=0)
    older = sorted(year for year in there if year and year < newest)
    if older:
        say(
            f"{folder}: files of the baseline of {', '.join(map(str, older))} are here too, and "
            f"stay; the server has that of {newest}, which belongs into a new library"
        )


def still_to_come(file: RemoteFile, kept: KeptFile) -> int:
    """Return how many bytes of a file are still to come, as far as it is known."""
    if kept.path.is_file():  # It is likely to be whole; what is fetched counts when it comes.
        return 0
    return max(0, (file.size or 0) - kept.part_size)


def check_space(folder: Path, needed: int) -> None:
    """Refuse what does not fit."""
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise DownloadError(
            f"{folder}: {needed / 1e9:.1f} GB are to come, but only {free / 1e9:.1f} GB are free; "
            "make room, or take less with --baseline, --updates or --since"
        )
