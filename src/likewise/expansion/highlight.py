"""The words of a text that spoke for its document, marked; and terms, spelled as the text does."""

from __future__ import annotations

import re
from html import escape
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

# As the analysis cuts text into words: runs of letters and digits.
_WORD = re.compile(r"([^\W_]+)")


class Piece(NamedTuple):
    """A piece of a text."""

    text: str
    is_strong: bool = False
    """Whether it spoke for its document."""


MOST_WORDS = 100_000
"""How many words are remembered: a server reads texts for days."""


class Highlighter:
    """Knows which terms words give; few words are analysed twice, over all texts."""

    def __init__(self, analyze_all: Callable[[Sequence[str]], Sequence[Sequence[str]]]) -> None:
        """Mark words by what gives the terms of each of many."""
        self._analyze_all = analyze_all
        self._terms: dict[str, Sequence[str]] = {}

    def mark(self, text: str, terms: Collection[str]) -> Markup:
        """Return the text as HTML with the words marked that give one of the terms."""
        html = (
            f"<mark>{escape(piece.text)}</mark>" if piece.is_strong else escape(piece.text)
            for piece in self.pieces(text, terms)
        )
        return Markup("".join(html))  # noqa: S704  # all of it is escaped above

    def pieces(self, text: str, terms: Collection[str]) -> list[Piece]:
        """Return the text cut into what gives one of the terms and what does not; none is empty."""
        # Even parts lie between words, odd ones are words.
        parts = _WORD.split(text)
        pieces, end = [], 0
        for first, last in _joined(parts, self._giving(parts[1::2], terms)):
            pieces += [Piece("".join(parts[end:first])), Piece("".join(parts[first:last]), True)]
            end = last
        pieces.append(Piece("".join(parts[end:])))
        return [piece for piece in pieces if piece.text]

    def spell(self, terms: Sequence[str], text: str) -> list[str]:
        """Return the terms as the text first writes them; as they are if it does not.

        A word's capital is dropped ("Glucose" may open a sentence), an abbreviation's are not.
        """
        words: dict[str, str] = {}
        wanted = frozenset(terms)
        for word in self._giving(_WORD.findall(text), wanted):
            for term in wanted.intersection(self._terms[word]):
                words.setdefault(term, word.lower() if word.istitle() else word)
        return [words.get(term, term) for term in terms]

    def _giving(self, words: Sequence[str], terms: Collection[str]) -> dict[str, None]:
        """Return those of the words that give one of the terms, each once, in their order."""
        known, wanted = self._terms, frozenset(terms)
        distinct = dict.fromkeys(words)
        if len(known) > MOST_WORDS:
            known.clear()
        new = [word for word in distinct if word not in known]
        if new:
            known.update(zip(new, self._analyze_all(new), strict=True))
        return {word: None for word in distinct if not wanted.isdisjoint(known[word])}


def _joined(pieces: Sequence[str], words: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield where marks begin and end; words with a space or hyphen between them share one."""
    places = [place for place in range(1, len(pieces), 2) if pieces[place] in words]
    begin = None
    for place, following in zip_longest(places, places[1:]):
        begin = place if begin is None else begin
        if following != place + 2 or pieces[place + 1] not in (" ", "-"):
            yield begin, place + 1
            begin = None
