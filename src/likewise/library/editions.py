"""Editions: which of PubMed's records of a paper is the later one, whatever order they come in.

PubMed issues a paper's record again whenever something in it changes, and sometimes withdraws it.
The file that a record is from tells how late it is. A record that was fetched singly is later than
every file that the library had read before, and earlier than the files that come after those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from likewise.documents.releases import FETCHED, Release, release_of, version_of

if TYPE_CHECKING:
    from likewise.documents import Deletion, Document


class Editions(NamedTuple):
    """What tells which edition is the later one."""

    newest: Release | None = None
    """The latest release that the library had read before."""

    def is_older(self, document: Document, known: Document) -> bool:
        """Tell whether a record is an earlier edition than the one that the library holds."""
        if not (_is_dated(document) and _is_dated(known)):
            return False
        version, other = version_of(document), version_of(known)
        if version != other:
            return version < other
        return self._precedes(release_of(document.source), known)

    def is_later(self, document: Document, known: Document) -> bool:
        """Tell whether both are of PubMed, and the record is no earlier edition."""
        return _is_dated(document) and _is_dated(known) and not self.is_older(document, known)

    def withdraws(self, deletion: Deletion, release: Release | None, known: Document) -> bool:
        """Tell whether a notice of deletion, in a file of this release, is about this edition."""
        return deletion.version >= version_of(known) and not self._precedes(release, known)

    def withdraws_again(self, deletion: Deletion, release: Release | None, known: Document) -> bool:
        """Tell it of a notice that was heard before: about editions of earlier files alone.

        What came with the notice, in the same file, and what is of no release was there already.
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


def dated_source(*documents: Document) -> str:
    """Return the source, of several records of a paper, that tells which edition of PubMed's it is.

    The first one's, if none does; in a record that was merged with others it must not be lost.
    """
    return next((each.source for each in documents if _is_dated(each)), documents[0].source)


def _is_dated(document: Document) -> bool:
    return document.source == FETCHED or release_of(document.source) is not None
