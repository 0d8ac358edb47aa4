"""Download all of PubMed into a folder: what is missing of the baseline and of the updates."""

from __future__ import annotations

import datetime as dt
import shutil
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

from likewise.documents.releases import (
    BASELINE,
    NLM,
    UPDATES,
    RemoteFile,
    check_base,
    list_files,
    select_since,
    year_of,
)
from likewise.documents.remote.file_fetcher import (
    DownloadProgress,
    Fetcher,
    KeptFile,
    Tally,
    lock_folder,
)
from likewise.errors import DownloadError, SettingsError
from likewise.web import WebClient
from likewise.web.troubles import StoppedError

MOST_FAILURES_IN_A_ROW = 5
"""If this many files fail in a row, the rest would fail too."""


T = TypeVar("T")
PATIENCE = 0.5
"""Seconds that threads get to end by themselves; none of them keeps the program from ending."""


@dataclass
class DownloadReport:
    """What a download did; `left` are the files that it did not get to."""

    folder: str
    fetched: int = 0
    there: int = 0
    failed: int = 0
    left: int = 0
    bytes: int = 0


def download_pubmed(
    folder: Path,
    *,
    settings: DownloadSettings | None = None,
    web: WebClient | None = None,
    on_line: Callable[[str], None] | None = None,
    on_progress: Callable[[DownloadProgress], None] | None = None,
) -> DownloadReport:
    """Put PubMed's files into a folder: those that are missing, incomplete or outdated.

    Args:
        folder: Created if it does not exist; it gets the folders baseline and updatefiles.
        settings: What to download.
        web: The client to use.
        on_line: Called with lines for people, such as about files that failed.
        on_progress: Called as bytes arrive.
    """
    settings = settings or DownloadSettings()
    say = on_line or (lambda _: None)
    with web or WebClient(connections=settings.connections) as way:
        files = list_wanted_files(way, settings, say=say)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with lock_folder(folder):
                report_other_years(folder, files, say=say)
                download = _Download(folder, files, settings=settings, say=say)
                return download.run(way, on_progress=on_progress)
        except OSError as error:
            where = error.filename or folder
            raise DownloadError(
                f"{where}: can't be written: {(error.strerror or str(error)).lower()}; what has "
                "arrived is kept: solve this, and run it again"
            ) from error


class _Download:
    """A download of files from a server into a folder."""

    def __init__(
        self,
        folder: Path,
        files: Sequence[RemoteFile],
        *,
        settings: DownloadSettings,
        say: Callable[[str], None],
    ) -> None:
        kept = [KeptFile(folder, file) for file in files]
        self._folder = folder
        self._threads = settings.connections
        self._say = say
        self._missing = [one for one in kept if settings.check or not one.is_settled]
        left = len(self._missing)
        self.report = DownloadReport(str(folder), there=len(kept) - left, left=left)
        self._failures_in_a_row = 0
        self._lock = threading.Lock()

    def run(
        self, web: WebClient, *, on_progress: Callable[[DownloadProgress], None] | None
    ) -> DownloadReport:
        """Fetch what is missing."""
        to_come = {kept.file.name: kept.missing_bytes for kept in self._missing}
        check_space(self._folder, sum(to_come.values()))
        tally = Tally(to_come, on_progress=on_progress)
        fetcher = Fetcher(web, tally)

        def fetch(kept: KeptFile) -> None:
            self._fetch(kept, fetcher)
            tally.finish_file(kept.file.name)

        work_side_by_side(self._missing, fetch, threads=self._threads, stop=web.stop)
        self.report.bytes = tally.bytes
        return self.report

    def _fetch(self, kept: KeptFile, fetcher: Fetcher) -> None:
        if self._failures_in_a_row >= MOST_FAILURES_IN_A_ROW:
            return
        try:
            fetched = fetcher.fetch(kept)
        except StoppedError:
            raise
        except DownloadError as error:
            self._count_failure(error)
        else:
            with self._lock:
                self._failures_in_a_row = 0
                self.report.left -= 1
                self.report.fetched += fetched
                self.report.there += not fetched

    def _count_failure(self, error: DownloadError) -> None:
        with self._lock:
            self.report.left -= 1
            self.report.failed += 1
            self._failures_in_a_row += 1
            self._say(str(error))
            if self._failures_in_a_row == MOST_FAILURES_IN_A_ROW:
                self._say(f"{self._failures_in_a_row} files in a row failed: the rest are skipped")


@dataclass(frozen=True)
class DownloadSettings:
    """What to download, from where, and how.

    Args:
        baseline: Whether to take the year's baseline.
        updates: Whether to take the daily update files.
        since: Take only files of this day or later, by the dates in the server's listing.
        base: The address of the folder that holds both.
        connections: How many files to fetch at a time.
        check: Whether to read the files that are here, to check that they are whole.
    """

    baseline: bool = True
    updates: bool = True
    since: dt.date | None = None
    base: str = NLM
    connections: int = 2
    check: bool = False

    def __post_init__(self) -> None:
        if not (self.baseline or self.updates):
            raise SettingsError(
                "neither the baseline nor the updates are asked for; ask for one of them"
            )
        if self.connections < 1:
            raise SettingsError(f"connections must be at least 1, not {self.connections}")


def list_wanted_files(
    web: WebClient, settings: DownloadSettings, *, say: Callable[[str], None]
) -> list[RemoteFile]:
    """Return the files that are asked for, as the server lists them."""
    base = check_base(settings.base)
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
    return select_since(files, settings.since, web=web)


def report_other_years(
    folder: Path, files: Sequence[RemoteFile], *, say: Callable[[str], None]
) -> None:
    """Report if files of an earlier year's baseline are here."""
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
            f"stay; the server has that of {newest}, which belongs in a new library"
        )


def check_space(folder: Path, needed: int) -> None:
    """Raise DownloadError if there is too little space on the disk."""
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise DownloadError(
            f"{folder}: {needed / 1e9:.1f} GB are to come, but only {free / 1e9:.1f} GB are free; "
            "make room, or take less with --baseline, --updates or --since"
        )


def work_side_by_side(
    things: Iterable[T], work: Callable[[T], None], *, threads: int, stop: Callable[[], None]
) -> None:
    """Work on each thing, `threads` at a time, in their order.

    Args:
        things: What to work on.
        work: Called with each; what it raises is raised here, once the others have stopped.
        threads: How many at a time.
        stop: Called when all is done or given up; it makes calls that still run end soon.
    """
    waiting = iter(list(things))  # threads may share the iterator of a list
    ended = threading.Event()
    outcomes: SimpleQueue[Exception | None] = SimpleQueue()

    def work_on_what_waits() -> None:
        try:
            for thing in waiting:
                if ended.is_set():
                    break
                work(thing)
        except Exception as error:  # noqa: BLE001  # it is raised again below
            outcomes.put(error)
        else:
            outcomes.put(None)

    crew = [threading.Thread(target=work_on_what_waits, daemon=True) for _ in range(threads)]
    try:
        for thread in crew:
            thread.start()
        for _ in crew:
            failure = outcomes.get()
            if failure:
                raise failure
    finally:
        ended.set()
        stop()
        for thread in filter(threading.Thread.is_alive, crew):
            thread.join(PATIENCE)
