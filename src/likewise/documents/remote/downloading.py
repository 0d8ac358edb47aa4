"""All of PubMed into a folder: what is missing of the baseline and of the updates."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from likewise.documents.remote.download_plan import (
    DownloadSettings,
    check_space,
    listed_files,
    still_to_come,
    tell_of_other_years,
)
from likewise.documents.remote.file_fetcher import Fetcher
from likewise.documents.remote.folder_lock import locked
from likewise.documents.remote.kept_files import KeptFile
from likewise.documents.remote.side_by_side import side_by_side
from likewise.documents.remote.tally import Tally
from likewise.documents.remote.web import Web
from likewise.documents.remote.web_troubles import StoppedError
from likewise.errors import DownloadError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from likewise.documents.remote.pubmed_files import RemoteFile
    from likewise.documents.remote.tally import Progress

MOST_FAILURES_IN_A_ROW = 5
"""Where so many files fail one after the other, the rest would fail too."""


@dataclass
class DownloadReport:
    """What a download did; `left` are the files that it did not come to."""

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
    web: Web | None = None,
    on_line: Callable[[str], None] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> DownloadReport:
    """Put PubMed's files into a folder: those that are not there, whole, or are new on the server.

    Args:
        folder: Made if it is not there; in it are then the folders baseline and updatefiles.
        settings: What to download.
        web: The way to the server.
        on_line: Called with lines for people: about files that failed, and what to know.
        on_progress: Called as bytes come in.
    """
    settings = settings or DownloadSettings()
    say = on_line or (lambda _: None)
    with web or Web(connections=settings.connections) as way:
        files = listed_files(way, settings, say=say)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with locked(folder):
                tell_of_other_years(folder, files, say=say)
                download = _Download(folder, files, settings=settings, say=say)
                return download.run(way, on_progress=on_progress)
        except OSError as error:
            where = error.filename or folder
            raise DownloadError(
                f"{where}: can't be written: {(error.strerror or str(error)).lower()}; what has "
                "come is kept: run it again when this is mended"
            ) from error


class _Download:
    """Files on their way from a server into a folder."""

    def __init__(
        self,
        folder: Path,
        files: Sequence[RemoteFile],
        *,
        settings: DownloadSettings,
        say: Callable[[str], None],
    ) -> None:
        kept = {file: KeptFile(folder, file) for file in files}
        self._folder = folder
        self._files = len(kept)
        self._threads = settings.connections
        self._say = say
        self._missing = {
            file: one for file, one in kept.items() if settings.check or not one.is_settled
        }
        self.report = DownloadReport(str(folder), there=len(kept) - len(self._missing))
        self._failures_in_a_row = 0
        self._lock = threading.Lock()

    def run(self, web: Web, *, on_progress: Callable[[Progress], None] | None) -> DownloadReport:
        """Fetch what is missing."""
        to_come = {file.name: still_to_come(file, kept) for file, kept in self._missing.items()}
        check_space(self._folder, sum(to_come.values()))
        tally = Tally(to_come, on_progress=on_progress)
        fetcher = Fetcher(web, tally)

        def fetch(file: RemoteFile) -> None:
            self._fetch(file, fetcher)
            tally.done(file.name)

        side_by_side(self._missing, fetch, threads=self._threads, stop=web.stop)
        report = self.report
        report.bytes = tally.bytes
        report.left = self._files - report.fetched - report.there - report.failed
        return report

    def _fetch(self, file: RemoteFile, fetcher: Fetcher) -> None:
        if self._failures_in_a_row >= MOST_FAILURES_IN_A_ROW:
            return
        try:
            fetched = fetcher.fetch(file, self._missing[file])
        except StoppedError:
            raise
        except DownloadError as error:
            self._failed(error)
        else:
            with self._lock:
                self._failures_in_a_row = 0
                self.report.fetched += fetched
                self.report.there += not fetched

    def _failed(self, error: DownloadError) -> None:
        with self._lock:
            self.report.failed += 1
            self._failures_in_a_row += 1
            self._say(str(error))
            if self._failures_in_a_row == MOST_FAILURES_IN_A_ROW:
                self._say(f"{self._failures_in_a_row} files in a row failed: the rest is left")
