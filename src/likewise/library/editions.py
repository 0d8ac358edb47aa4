"""Editions: which of two records of PubMed is the later one, and which a deletion is about.

PubMed issues a paper's record again whenever something in it changes, and sometimes withdraws it.
The file that a record is from tells how late it is. A record that was fetched singly is later than
every file that the library had read before, and earlier than the files that come after those.
"""

from __future__ import annotations

from typing import NamedTuple

from likewise.documents import Deletion, Document
from likewise.documents.releases import FETCHED, Release, release_of, version_of


class Editions(NamedTuple):
    """What tells which edition is the later one."""

    newest: Release | None = None
    """The latest release that the library had read before."""

    def is_older(self, document: Document, known: Document) -> bool:
        """Tell whether a record is an earlier edition than the one that the library holds."""
        if not (is_dated(document) and is_dated(known)):
            return False
        version, other = version_of(document), version_of(known)
        if version != other:
            return version < other
        return self._precedes(release_of(document.source), known)

    def is_later(self, document: Document, known: Document) -> bool:
        """Tell whether both are of PubMed, and the record is no earlier edition."""
        return is_dated(document) and is_dated(known) and not self.is_older(document, known)

    def withdraws(self, deletion: Deletion, release: Release | None, known: Document) -> bool:
        """Tell whether a notice of deletion, in a file of this release, is about this edition."""
        return deletion.version >= version_of(known) and not self._precedes(release, known)

    def withdraws_again(self, deletion: Deletion, release: Release | None, known: Document) -> bool:
        """Tell whether a notice that was heard before is about an edition that has come since.

        That is one of an earlier file: what came in the same file, and what is of no release, was
        there when the notice was heard.
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
    """Tell whether a record says how late it is: it is from a file of PubMed, or was fetched."""
    return document.source == FETCHED or release_of(document.source) is not None
