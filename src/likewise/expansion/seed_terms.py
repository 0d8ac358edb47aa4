"""The terms of seeds: whose can be compared, and how documents write them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from likewise.documents import Document
    from likewise.library.query import Field

    AnalyzeAll = Callable[[Field, Sequence[str]], list[list[str]]]

MIN_TERMS = 30
"""A title has fewer, an abstract more."""

# As the analysis cuts text into words: runs of letters and digits.
_WORD = re.compile(r"[^\W_]+")


def comparable(
    documents: Sequence[Document], *, analyze_all: AnalyzeAll
) -> list[tuple[Document, Counter[str]]]:
    """Return the documents that say enough to be compared by it, with how often each term occurs.

    A title leaves most of a paper's words out, so that two of one topic seldom have any in common.
    """
    analyzed = analyze_all("abstract", [document.text for document in documents])
    counted = zip(documents, map(Counter, analyzed), strict=True)
    return [(document, terms) for document, terms in counted if terms.total() >= MIN_TERMS]


def spelled(
    terms: Sequence[str], documents: Iterable[Document], *, analyze_all: AnalyzeAll
) -> list[str]:
    """Return the word that documents write most often for each term; else the term.

    A word's capital is dropped ("Glucose" may open a sentence), an abbreviation's are not.
    """
    if not terms:
        return []
    words = Counter(word for document in documents for word in _WORD.findall(document.text))
    written: dict[str, Counter[str]] = {term: Counter() for term in terms}
    for word, given in zip(words, analyze_all("abstract", list(words)), strict=True):
        for term in written.keys() & set(given):
            written[term][word.lower() if word.istitle() else word] += words[word]
    return [
        max(counts, key=lambda word: (counts[word], word)) if counts else term
        for term, counts in written.items()
    ]


def is_word(term: str) -> bool:
    """Tell whether a term means something to a reader: numbers and single letters do not."""
    return len(term) > 1 and not term.isdigit()
