"""Near duplicates: papers that may be one, though nothing proves it, for people to decide on.

Their titles are nearly the same, they are of the same year, and have the same first author. Only
papers of one year and author are compared, each with those next to it when titles are sorted, by
their beginnings and by their ends: what this costs grows with the number of documents, not with
its square.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from likewise.documents import Document
from likewise.documents.identity import MIN_TITLE_LETTERS, normalise_title
from likewise.library.paper_notes import PaperNotebook
from likewise.library.protocol import Library

LIKENESS = 0.8
"""How alike titles must be: the least share of runs of three letters in common."""
ALL_COMPARED = 20
"""Up to this many papers of one year and author, each is compared with all others."""
NEIGHBOURS = 10
"""Beyond that, each is compared with this many neighbours."""
READ_AT_ONCE = 1000


class NearPair(NamedTuple):
    """Two papers that may be the same."""

    one_id: str
    one_title: str
    one_source: str
    other_id: str
    other_title: str
    other_source: str
    year: int
    author: str
    likeness: float
    """How alike their titles are, from 0 to 1."""


class _Card:
    """The parts of a paper that are compared."""

    __slots__ = ("_threes", "author", "id", "letters", "source", "title", "year")

    def __init__(self, document: Document, *, letters: str, author: str) -> None:
        self.id = document.id
        self.title = document.title
        self.source = document.source
        self.year = document.year or 0
        self.letters = letters
        self.author = author
        self._threes: set[str] | None = None

    @property
    def threes(self) -> set[str]:
        """The letters of the title, three by three; few are ever asked for."""
        if self._threes is None:
            ends = range(3, len(self.letters) + 1)
            self._threes = {self.letters[end - 3 : end] for end in ends}
        return self._threes


def find_near_duplicates(
    library: Library, *, on_progress: Callable[[int, int], None] | None = None
) -> list[NearPair]:
    """Return the papers that may be the same, most alike first.

    Those that a person has split are not among them.

    Args:
        library: Where to look.
        on_progress: Called with how many documents were read, and how many there are.
    """
    ruled = set(library.read_rulings().values()) if isinstance(library, PaperNotebook) else set()
    blocks: defaultdict[int, list[_Card]] = defaultdict(list)
    for card in _read_cards(library, on_progress=on_progress):
        blocks[hash((card.year, normalise_title(card.author)))].append(card)
    found = {
        (one.id, other.id): _make_pair(one, other, likeness)
        for cards in blocks.values()
        for one, other in _list_neighbours(cards)
        if not {one.id, other.id} <= ruled
        and (likeness := _measure_likeness(one, other)) >= LIKENESS
    }
    return sorted(found.values(), key=lambda pair: (-pair.likeness, pair.one_id, pair.other_id))


def _read_cards(
    library: Library, *, on_progress: Callable[[int, int], None] | None
) -> Iterator[_Card]:
    ids = library.list_ids()
    for start in range(0, len(ids), READ_AT_ONCE):
        for document in library.get(ids[start : start + READ_AT_ONCE]):
            author = document.authors[0].partition(",")[0] if document.authors else ""
            letters = normalise_title(document.title)
            # "Reply" by the same author in the same year is no evidence of anything.
            if document.year and author and len(letters) >= MIN_TITLE_LETTERS:
                yield _Card(document, letters=letters, author=author)
        if on_progress:
            on_progress(min(start + READ_AT_ONCE, len(ids)), len(ids))


def _list_neighbours(cards: Sequence[_Card]) -> Iterator[tuple[_Card, _Card]]:
    """Yield the pairs of papers that are to be compared, each in the order of their ids."""
    reach = NEIGHBOURS if len(cards) > ALL_COMPARED else len(cards)
    orders = [sorted(cards, key=lambda card: card.letters)]
    if reach < len(cards):
        orders.append(sorted(cards, key=lambda card: card.letters[::-1]))
    for ordered in orders:
        for place, card in enumerate(ordered):
            for other in ordered[place + 1 : place + 1 + reach]:
                yield (card, other) if card.id < other.id else (other, card)


def _measure_likeness(one: _Card, other: _Card) -> float:
    """Return how alike two titles are, from 0 to 1.

    It is 1 if one title begins with the other, since subtitles are often left out.
    """
    if one.letters.startswith(other.letters) or other.letters.startswith(one.letters):
        return 1.0
    shared = len(one.threes & other.threes)
    return 2 * shared / (len(one.threes) + len(other.threes))


def _make_pair(one: _Card, other: _Card, likeness: float) -> NearPair:
    return NearPair(
        *(one.id, one.title, one.source),
        *(other.id, other.title, other.source),
        *(one.year, one.author, round(likeness, 3)),
    )
