"""Seeds of which little but the title is known: found by its words, known again by its letters.

Such a title comes from a person's paste. It may be cut off at its end, have a subtitle that the
library's lacks, or stand in a reference between authors and journal.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING

from likewise.documents.identity import MIN_TITLE_LETTERS, normalise_title
from likewise.library.query import Query, Term

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from likewise.documents import Document
    from likewise.library.protocol import Library

# Titles end before this; what is longer is a text of its own, and matched by nothing less.
MAX_TITLE = 1_000
# Fewer words than that are part of many titles.
MIN_WORDS = 6

_TERMS = 12
_LOOKED_AT = 10
_ENDS = re.compile(r"[\W_]\Z")
_BEGINS = re.compile(r"[\W_]")


def copies_by_title(library: Library, papers: Iterable[Document]) -> dict[str, Document]:
    """Return the library's copies of papers that tell neither an identifier nor a year, by id."""
    titled = [paper for paper in papers if is_known_by_title(paper)]
    analyzed = library.analyze_all("title", [paper.title for paper in titled])
    terms = [dict.fromkeys(found) for found in analyzed]
    found = [_search(library, some) for some in _rarest(library, terms)]
    wanted = dict.fromkeys(identifier for ids in found for identifier in ids)
    held = {document.id: document for document in library.get(list(wanted))}
    copies: dict[str, Document] = {}
    for paper, ids in zip(titled, found, strict=True):
        copy = _known_again(paper, [held[identifier] for identifier in ids if identifier in held])
        if copy:
            copies[paper.id] = copy
    return copies


def is_known_by_title(paper: Document) -> bool:
    """Tell whether a paper says nothing that identifies it but its title."""
    identified = paper.pmid or paper.doi or paper.pmcid or paper.year
    return not identified and 0 < len(paper.title) <= MAX_TITLE


def _rarest(library: Library, terms: Sequence[Collection[str]]) -> list[list[str]]:
    """Return the few terms of each title that fewest titles have, and that any has at all."""
    counts = library.document_frequencies("title", {term for some in terms for term in some})
    return [
        sorted((term for term in some if counts.get(term)), key=lambda term: counts[term])[:_TERMS]
        for some in terms
    ]


def _search(library: Library, terms: Sequence[str]) -> list[str]:
    if not terms:
        return []
    query = Query(tuple(Term("title", term) for term in terms))
    return library.search(query, limit=_LOOKED_AT).ids


def _known_again(paper: Document, candidates: Sequence[Document]) -> Document | None:
    letters = normalise_title(paper.title)
    same = [document for document in candidates if normalise_title(document.title) == letters]
    is_long = len(letters) >= MIN_TITLE_LETTERS
    # "Editorial" says which paper only if there is one, and an abstract says that it is another.
    if same and (is_long or (len(same) == 1 and not paper.abstract)):
        return same[0]
    if same or paper.abstract or len(paper.title.split()) < MIN_WORDS:
        return None
    within = [document for document in candidates if _stands_in(document.title, paper.title)]
    if within:
        return max(within, key=lambda document: len(document.title))
    # Of several titles that begin in the same way, a cut-off one may be any.
    begun = [document for document in candidates if _begins(document.title, letters)]
    return begun[0] if len(begun) == 1 else None


def _begins(title: str, letters: str) -> bool:
    return bool(letters) and normalise_title(title).startswith(letters)


def _stands_in(title: str, text: str) -> bool:
    """Tell whether a title stands in a text as a part that marks set off from the rest."""
    letters, words = normalise_title(title), text.split()
    if len(title.split()) < MIN_WORDS or not letters:
        return False
    parts = [normalise_title(word) for word in words]
    begins = list(accumulate(map(len, parts), initial=0))
    at = "".join(parts).find(letters)
    first = _word_at(begins, at, parts)
    last = _word_at(begins, at + len(letters), parts)
    if at < 0 or first is None or last is None:
        return False
    before = first == 0 or _ENDS.search(words[first - 1]) is not None
    after = last == len(words) or bool(_ENDS.search(words[last - 1]) or _BEGINS.match(words[last]))
    return before and after


def _word_at(begins: Sequence[int], place: int, parts: Sequence[str]) -> int | None:
    """Return the word that begins at a place among the letters, or how many there are at its end.

    Of words without letters there, a dash say, the first is meant.
    """
    return begins.index(place) if place in begins[: len(parts) + 1] else None
