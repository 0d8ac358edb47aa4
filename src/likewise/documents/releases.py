"""Releases of PubMed: the order of its files, and which edition of a record is the later one.

A year's baseline has the numbers from 1, and the updates of that year go on from there. PubMed
issues a paper's record again whenever something in it changes, and sometimes withdraws it. The
later of two editions is the one in the file of the higher year and number. A record that was
fetched singly is later than every file that the library had read before, and earlier than the files
that come after those.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from likewise.documents.document import Deletion, Document
from likewise.documents.identity import cache_short

FETCHED = "pubmed:efetch"
"""The source of records that were fetched singly, and so are in no release."""

VERSION = "pmid-version:"
"""The prefix, among a document's other ids, of its PMID's version if that is above 1."""

MOST_DIGITS = 10
"""A longer version is not one that NLM gave."""

_NAME = re.compile(r"(?:pubmed:)?(?:pubmed|medline)([0-9]{2})n([0-9]{4,6})\.xml(?:\.gz)?")


class Release(NamedTuple):
    """A numbered file of PubMed; of two, the later one is the greater."""

    year: int
    number: int


@cache_short(1 << 12)
def release_of(source: str) -> Release | None:
    """Return the release that a document's source or a file's name stands for, or None.

    >>> release_of("pubmed:pubmed26n1400.xml.gz")
    Release(year=26, number=1400)
    >>> release_of("refs.ris") is release_of("pubmed:efetch") is None
    True
    """
    found = _NAME.fullmatch(source)
    return Release(int(found[1]), int(found[2])) if found else None


def version_of(document: Document) -> int:
    """Return the version of a document's PMID, as far as is known.

    >>> from likewise.documents.document import Document
    >>> version_of(Document(other_ids=("pii:S1", "pmid-version:2"))), version_of(Document())
    (2, 1)
    """
    told = [other for other in document.other_ids if other.startswith(VERSION)]
    return max((parse_version(other.removeprefix(VERSION)) for other in told), default=1)


def parse_version(text: str) -> int:
    """Return the version of a PMID as a number; 1 if the text is not one that NLM gave.

    >>> parse_version("2"), parse_version("x"), parse_version("9" * 5000)
    (2, 1, 1)
    """
    return int(text) if text.isdecimal() and len(text) < MOST_DIGITS else 1


def sort_by_release(paths: Iterable[Path]) -> list[Path]:
    """Return files with PubMed's in the order of their releases, all others in their places.

    >>> from pathlib import Path
    >>> names = ["b.ris", "pubmed26n0002.xml", "a.ris", "new/pubmed26n0001.xml"]
    >>> [str(path) for path in sort_by_release(map(Path, names))]
    ['b.ris', 'new/pubmed26n0001.xml', 'a.ris', 'pubmed26n0002.xml']
    """
    found = list(paths)
    releases = {path: release for path in found if (release := release_of(path.name))}
    ordered = iter(sorted((path for path in found if path in releases), key=releases.__getitem__))
    return [next(ordered) if path in releases else path for path in found]


class Editions(NamedTuple):
    """Tells which edition of a PubMed record is the later one."""

    newest: Release | None = None
    """The latest release that the library had read before."""

    def is_older(self, document: Document, known: Document) -> bool:
        """Return whether a record is an earlier edition than the one that the library holds."""
        if not (is_dated(document) and is_dated(known)):
            return False
        version, other = version_of(document), version_of(known)
        if version != other:
            return version < other
        return self._precedes(release_of(document.source), known)

    def is_later(self, document: Document, known: Document) -> bool:
        """Return whether both are of PubMed, and the record is no earlier edition."""
        return is_dated(document) and is_dated(known) and not self.is_older(document, known)

    def withdraws(self, deletion: Deletion, release: Release | None, known: Document) -> bool:
        """Return whether a notice of deletion, in a file of this release, is about this edition."""
        return deletion.version >= version_of(known) and not self._precedes(release, known)

    def withdraws_again(self, deletion: Deletion, release: Release | None, known: Document) -> bool:
        """Return whether a notice that was read before is about an edition that has come since.

        Such an edition is from an earlier file; what came in the same file, or is of no release,
        was there when the notice was read.
        """
        there = release_of(known.source)
        is_earlier = release is not None and there is not None and there < release
        return is_earlier and self.withdraws(deletion, release, known)

    def _precedes(self, release: Release | None, known: Document) -> bool:
        if release is None:
            return False
        if known.source == FETCHED:
            return self.newest is not None and release <= self.newest
        there = release_of(known.source)
        return there is not None and release < there


def find_dated_source(*documents: Document) -> str:
    """Return the first source of a paper's records that is a file of PubMed, or was fetched.

    It tells which edition of PubMed's record a merged one is, so it must not be lost. If none of
    them is from PubMed, the first record's source is returned.
    """
    return next((each.source for each in documents if is_dated(each)), documents[0].source)


def is_dated(document: Document) -> bool:
    """Return whether a record says how late it is: it is from a file of PubMed, or was fetched."""
    return document.source == FETCHED or release_of(document.source) is not None
