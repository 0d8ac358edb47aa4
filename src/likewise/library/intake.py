"""Taking records into a library, block by block, so that each paper is in it once.

The shelf (`shelf.py`) decides which paper a record belongs to, and what becomes of it. This module
fetches the shelf's papers from the library, and writes back what has changed. A record that can't
be taken is left out, and the others are taken all the same.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

import msgspec

from likewise.documents import Deletion, Document
from likewise.documents.releases import Editions, Release
from likewise.documents.sources import LEFT_OUT
from likewise.errors import LikewiseError, RecordError
from likewise.library.paper_notes import PaperTrail
from likewise.library.protocol import ExactIndex, Library
from likewise.library.shelf import Arrival, IntakeCounts, Outcome, Placement, Shelf

# How many papers of one file are remembered, to notice a paper that is in it twice.
MOST_GIVEN = 1_000_000
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Document).decode


OnRefused = Callable[[int, Exception], None]
"""Called with the place of a record in its block, and why it was left out."""


class Intake:
    """Takes records into a library."""

    def __init__(self, library: Library, *, newest: Release | None = None) -> None:
        """Take records into a library, which has read PubMed up to the release `newest`."""
        self.counts = IntakeCounts()
        self._library = library
        self._editions = Editions(newest)
        self._trail = PaperTrail(library)
        self._ruled = set(self._trail.rulings.values()) - {""}
        self._given: set[str] | None = None
        self._pending = _Pending()
        self._is_empty: bool | None = None
        self._committed, self._committed_at = 0, time.monotonic()
        self._is_repetition = False
        """Whether most of the last records were in the library already."""

    def begin_file(self) -> None:
        """Begin a file, in whose records each paper should be only once."""
        self._given = set()

    def take(
        self,
        documents: Sequence[Document],
        *,
        places: Sequence[str] = (),
        on_placed: Callable[[int, Placement], None] = lambda _place, _placement: None,
        on_refused: OnRefused | None = None,
    ) -> None:
        """Take documents in.

        Args:
            documents: A block of them; a few hundred or thousand at a time is best.
            places: The file and line of each, if they are to be noted.
            on_placed: Called with the place of each in the block, and where it went.
            on_refused: Called for each that is left out; without it, the first such error is
                raised.
        """
        arrivals = list(self._meet(documents, places, on_refused))
        shelf = self._fill_shelf([arrival for _, arrival in arrivals])
        unchanged = self.counts.unchanged
        papers: dict[str, tuple[int, Outcome]] = {}
        for place, arrival in arrivals:
            try:
                placement = shelf.put(arrival, counts=self.counts, given=self._given or ())
            except Exception as error:  # noqa: BLE001  # whatever a record raises is its own
                _refuse(place, error, on_refused)
                continue
            papers[placement.paper] = place, placement.outcome
            if self._given is not None and len(self._given) < MOST_GIVEN:
                self._given.add(placement.paper)
            on_placed(place, placement)
        self._is_repetition = 2 * (self.counts.unchanged - unchanged) > len(arrivals)
        self._give_back(shelf, papers, on_refused)

    def _meet(
        self, documents: Sequence[Document], places: Sequence[str], on_refused: OnRefused | None
    ) -> Iterable[tuple[int, Arrival]]:
        rulings = self._trail.rulings
        for number, document in enumerate(documents):
            place = places[number] if places else ""
            try:
                yield number, Arrival.of(document, rulings=rulings, place=place)
            except UnicodeEncodeError as error:
                found = f"half a character in the document {document.id!r} ({error.reason})"
                _refuse(number, RecordError(found), on_refused)
            except Exception as error:  # noqa: BLE001  # as above
                _refuse(number, error, on_refused)

    def _fill_shelf(self, arrivals: Sequence[Arrival]) -> Shelf:
        """Return a shelf with the papers that records may be the same as."""
        exact = self._find_exact(arrivals) if self._is_repetition else {}
        others = [arrival for arrival in arrivals if arrival.document.id not in exact]
        found = self._find_known({key for arrival in others for key in arrival.sought})
        notes = self._trail.read(paper.id for paper in found)
        papers = exact | {paper.id: paper for paper in found}
        in_order = [papers[identifier] for identifier in sorted(papers)]
        return Shelf(in_order, editions=self._editions, notes=notes, ruled=self._ruled)

    def _find_exact(self, arrivals: Sequence[Arrival]) -> dict[str, Document]:
        """Return, by id, the records that are exactly a paper of the library, and all of it.

        They change nothing, so it does not matter which other papers have their keys.
        """
        if not isinstance(self._library, ExactIndex):
            return {}
        often = Counter(arrival.document.id for arrival in arrivals)
        free = {
            identifier: arrival.document
            for arrival in arrivals
            if often[identifier := arrival.document.id] == 1
            and arrival.ruled is None
            and identifier not in self._ruled
            and not self._pending.changes(identifier)
        }
        found = self._library.find_exact(list(free.values())) if free else set()
        noted = self._trail.read(found)
        return {identifier: free[identifier] for identifier in found if identifier not in noted}

    def _give_back(
        self, shelf: Shelf, papers: dict[str, tuple[int, Outcome]], on_refused: OnRefused | None
    ) -> None:
        """Write what has changed on the shelf to the library.

        `papers` has the place of each paper's last record in the block, and what became of it.
        """
        # Papers are added before those that they replace are removed, lest an interrupt leave none.
        changed = list(shelf.changed.values())
        try:
            self._library.add(changed, keys=shelf.keys)
        except RecordError:
            changed = list(self._add_singly(shelf, papers, on_refused))
        for document in changed:
            self._pending.add(document, shelf.keys[document.id])
        self._remove([gone for gone in shelf.removed if gone not in shelf.changed])
        self._trail.change(shelf.noted)

    def _add_singly(
        self, shelf: Shelf, papers: dict[str, tuple[int, Outcome]], on_refused: OnRefused | None
    ) -> Iterable[Document]:
        """Add what has changed one by one, and yield the documents that the library has taken."""
        for document in shelf.changed.values():
            try:
                self._library.add([document], keys=shelf.keys)
            except RecordError as error:
                place, outcome = papers[document.id]
                self.counts.count(outcome, -1)
                _refuse(place, error, on_refused)
            else:
                yield document

    def delete(
        self,
        deletions: Iterable[Deletion],
        *,
        release: Release | None = None,
        again: bool = False,
    ) -> None:
        """Remove withdrawn PubMed records, but no editions that came after the notices.

        Args:
            deletions: The notices.
            release: The release of the file that they are from.
            again: Whether they were read before, and now apply to records that came later.
        """
        withdraws = self._editions.withdraws_again if again else self._editions.withdraws
        notices = {each.pmid: each for each in sorted(deletions, key=lambda each: each.version)}
        withdrawn = [
            paper.id
            for paper in self._find_known({f"pmid:{pmid}" for pmid in notices})
            if paper.id == paper.pmid in notices and withdraws(notices[paper.pmid], release, paper)
        ]
        self._remove(withdrawn)
        self._trail.change(dict.fromkeys(withdrawn))
        self.counts.deleted += len(withdrawn)

    def commit(self) -> None:
        """Make everything taken so far durable."""
        self._library.commit()
        self._trail.save()
        self._pending = _Pending()
        self._is_empty = None
        self._committed, self._committed_at = self.counts.taken, time.monotonic()

    def is_due(self, documents: int, seconds: float) -> bool:
        """Return whether so many records, or so many seconds, came since the last commit."""
        waited = time.monotonic() - self._committed_at
        return self.counts.taken - self._committed >= documents or waited >= seconds

    def _find_known(self, keys: set[str]) -> list[Document]:
        if not keys:
            return []
        if self._is_empty is None:
            # Nothing else writes to the library, so it stays empty until the next commit.
            self._is_empty = not self._library.count()
        committed = [] if self._is_empty else self._library.find(keys)
        found = [d for d in committed if not self._pending.changes(d.id)]
        # The order must not depend on when the last commit was.
        return sorted([*found, *self._pending.find(keys)], key=lambda document: document.id)

    def _remove(self, ids: Sequence[str]) -> None:
        self._library.delete(ids)
        for identifier in ids:
            self._pending.remove(identifier)


def _refuse(place: int, error: Exception, on_refused: OnRefused | None) -> None:
    """Report that a record is left out; raise if nobody listens or the record is not to blame."""
    is_its_own = isinstance(error, RecordError) or not isinstance(error, LikewiseError | OSError)
    if on_refused is None or not is_its_own or isinstance(error, MemoryError):
        raise error
    on_refused(place, error)


def describe_refusal(error: Exception) -> tuple[str, str]:
    """Return why a record was left out, and what to do about it, each in one line."""
    said = " ".join(str(error).split())[:200]
    if isinstance(error, LikewiseError):
        return said, LEFT_OUT
    found = f"{type(error).__name__} while taking the record in ({said})"
    return found, f"{LEFT_OUT}; this is a bug in likewise: please report it with the file"


class _Pending:
    """What was added and removed since the last commit, which searches do not see yet.

    Few of the documents are ever asked for, and packed they take half the memory.
    """

    def __init__(self) -> None:
        self._packed: dict[str, bytes] = {}
        self._removed: set[str] = set()
        self._by_key: defaultdict[int, list[str]] = defaultdict(list)

    def changes(self, identifier: str) -> bool:
        """Return whether the document of an id is no longer what searches see."""
        return identifier in self._packed or identifier in self._removed

    def add(self, document: Document, keys: list[str]) -> None:
        """Note a document that was added."""
        self._packed[document.id] = _encode(document)
        self._removed.discard(document.id)
        for key in keys:
            self._by_key[hash(key)].append(document.id)

    def remove(self, identifier: str) -> None:
        """Note a document that was removed."""
        self._packed.pop(identifier, None)
        self._removed.add(identifier)

    def find(self, keys: Iterable[str]) -> list[Document]:
        """Return the documents that may hold any of these keys."""
        ids = {found for key in keys for found in self._by_key.get(hash(key), ())}
        return [_decode(self._packed[i]) for i in sorted(ids) if i in self._packed]
