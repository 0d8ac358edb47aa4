"""Releases of PubMed: the numbered files of its baseline and its updates, and their order.

A year's baseline has the numbers from 1, and the updates of that year go on from there. So the
later of two editions of a record is the one in the file of the higher year and number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from likewise.documents.document import Document

FETCHED = "pubmed:efetch"
"""The source of records that were fetched singly, and so are in no release."""

VERSION = "pmid-version:"
"""What stands, among a document's other ids, before its PMID's version if that is above 1."""

MOST_DIGITS = 10
"""A longer version is no number that anybody gave."""

_NAME = re.compile(r"(?:pubmed:)?(?:pubmed|medline)([0-9]{2})n([0-9]{4,6})\.xml(?:\.gz)?")


class Release(NamedTuple):
    """A numbered file of PubMed; of two, the later one is the greater."""

    year: int
    number: int


@lru_cache(maxsize=4096)
def release_of(source: str) -> Release | None:
    """Return the release that a document's source, or a file of this name, is; None if it is none.

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
    """Return the version of a PMID as a number; the first, if it is none that anybody gave.

    >>> parse_version("2"), parse_version("x"), parse_version("9" * 5000)
    (2, 1, 1)
    """
    return int(text) if text.isdecimal() and len(text) < MOST_DIGITS else 1


def sort_by_release(paths: Iterable[Path]) -> list[Path]:
    """Return files with PubMed's in the order of their releases, and all others where they were.

    >>> from pathlib import Path
    >>> names = ["b.ris", "pubmed26n0002.xml", "a.ris", "new/pubmed26n0001.xml"]
    >>> [str(path) for path in sort_by_release(map(Path, names))]
    ['b.ris', 'new/pubmed26n0001.xml', 'a.ris', 'pubmed26n0002.xml']
    """
    found = list(paths)
    releases = {path: release for path in found if (release := release_of(path.name))}
    ordered = iter(sorted((path for path in found if path in releases), key=releases.__getitem__))
    return [next(ordered) if path in releases else path for path in found]
