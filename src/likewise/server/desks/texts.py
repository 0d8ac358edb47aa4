"""The texts of pools, kept as long as somebody looks for words in them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.documents import Document
    from likewise.library.protocol import Library

MOST_POOLS = 2
BATCH = 1_000


class Pool(NamedTuple):
    """Whose texts they are."""

    session: str
    expansion: int


class Texts:
    """What documents say; what was read for the two latest pools is kept."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._lock = threading.Lock()
        self._kept: OrderedDict[Pool, dict[str, str]] = OrderedDict()

    def having(self, words: str, ids: Sequence[str], *, pool: Pool) -> set[str]:
        """Return which documents have all of the words, whatever their case, or as parts of words.

        Args:
            words: What to look for in title, abstract, authors, journal and year.
            ids: Of the documents to look into.
            pool: What they are of.
        """
        texts = self._texts(ids, pool=pool)
        found = list(dict.fromkeys(ids))
        for word in words.casefold().split():
            found = [identifier for identifier in found if word in texts[identifier]]
        return set(found)

    def _texts(self, ids: Sequence[str], *, pool: Pool) -> dict[str, str]:
        with self._lock:
            texts = self._kept.setdefault(pool, {})
            self._kept.move_to_end(pool)
            while len(self._kept) > MOST_POOLS:
                self._kept.popitem(last=False)
        # A pool is read by one thread, so that nobody else adds to its texts.
        texts |= self._read([identifier for identifier in ids if identifier not in texts])
        return texts

    def _read(self, ids: Sequence[str]) -> dict[str, str]:
        found = dict.fromkeys(ids, "")
        for start in range(0, len(ids), BATCH):
            for document in self._library.get(ids[start : start + BATCH]):
                found[document.id] = searched(document)
        return found


def searched(document: Document) -> str:
    r"""Return what of a document is looked into.

    >>> from likewise.documents import Document
    >>> searched(Document(title="On Cats", year=1999, authors=("Li, X", "Wu, Y")))
    'on cats\n\nli, x\nwu, y\n\n1999'
    """
    authors = "\n".join(document.authors)
    year = "" if document.year is None else document.year
    parts = (document.title, document.abstract, authors, document.journal, year)
    return "\n".join(map(str, parts)).casefold()
