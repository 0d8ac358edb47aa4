"""One file of PubMed: fetched, going on where it was cut off, and kept only if its sum is right."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from likewise.documents.remote.pubmed_files import sum_of
from likewise.documents.remote.web_troubles import ConnectionCutError, answer_trouble, plain_address
from likewise.errors import DownloadError

if TYPE_CHECKING:
    from likewise.documents.remote.answers import Answer
    from likewise.documents.remote.kept_files import KeptFile
    from likewise.documents.remote.pubmed_files import RemoteFile
    from likewise.documents.remote.tally import Tally
    from likewise.documents.remote.web import Web

_CONTENT_RANGE = re.compile(r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)")


class Fetcher:
    """Brings files from a server to where they are kept."""

    def __init__(self, web: Web, tally: Tally) -> None:
        self._web = web
        self._tally = tally

    def fetch(self, file: RemoteFile, kept: KeptFile) -> bool:
        """Bring a file; return False if it turns out to be here.

        Raises:
            DownloadError: If it can't be had, or comes with the wrong sum twice.
        """
        expected = sum_of(self._web, file)
        if kept.is_whole(expected):
            kept.record(expected)
            kept.drop_part()
            return False
        for _ in range(2):
            self._bring(file, kept)
            if kept.is_part_whole(expected):
                kept.keep(expected)
                return True
            kept.drop_part()
            # File and sum may have been changed one after the other, and we came in between.
            expected = sum_of(self._web, file)
        raise DownloadError(
            f"{plain_address(file.url)}: came twice with the wrong sum, and was thrown away; "
            "run it again later"
        )

    def _bring(self, file: RemoteFile, kept: KeptFile) -> None:
        """Take in a file to its end, with as many connections as it takes."""
        furthest, failures = kept.part_size, 0
        while True:
            try:
                if self._take_in(file, kept):
                    return
            except ConnectionCutError as error:
                failures = 1 if kept.part_size > furthest else failures + 1
                furthest = max(furthest, kept.part_size)
                if failures > self._web.retries:
                    raise DownloadError(
                        f"{plain_address(file.url)}: {error}, {failures} times in a row; "
                        "run it again later"
                    ) from error
                self._web.back_off(failures)

    def _take_in(self, file: RemoteFile, kept: KeptFile) -> bool:
        """Take in what one connection brings; return whether that is all there is."""
        validator = kept.validator
        offset = kept.part_size if validator else 0
        with self._web.stream(file.url, offset=offset, validator=validator) as answer:
            start, size = _range_of(answer)
            if answer.status == 416 and size == offset:
                return True
            if answer.status != 200 and start != offset:
                # Neither from the beginning nor from where we are: once more, for all of it.
                kept.drop_part()
                raise ConnectionCutError(f"the server {answer_trouble(answer.status)}")
            if start == 0:
                kept.begin(answer.headers)
            self._write(answer, kept, name=file.name)
        # Some servers hand out only so much at a time; what brings nothing is the end.
        return size is None or not offset < kept.part_size < size

    def _write(self, answer: Answer, kept: KeptFile, *, name: str) -> None:
        said = answer.headers.get("Content-Length", "")
        length = int(said) if said.isdecimal() else 0
        with self._tally.transfer(name, length) as came, kept.open_part() as stream:
            for chunk in answer.chunks():
                stream.write(chunk)
                came(len(chunk))


def _range_of(answer: Answer) -> tuple[int | None, int | None]:
    """Return where an answer begins, and how long the whole is, as far as it says so."""
    if answer.status == 200:
        return 0, None
    found = _CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", ""))
    if not found:
        return None, None
    start, size = found.groups()
    return int(start) if start else None, int(size) if size != "*" else None
