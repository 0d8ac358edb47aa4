"""How text becomes terms: one English analysis for every engine.

Words are runs of letters and digits; they are lower-cased, freed of accents ("Sjögren" and
"Sjogren" are one word), rid of stop words and stemmed by Snowball's English stemmer. Other engines
are set up to do the same; `docs/decisions/0003-analysis.md` says what was compared.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tantivy import TextAnalyzer

MAX_TERM_BYTES = 64

# The last seven are the remains of "patient's", "don't" and "we'll": words end at an apostrophe.
STOP_WORDS = [
    "a",
    "an",
    "and",
    "are",
    "as",
    "at",
    "be",
    "but",
    "by",
    "for",
    "if",
    "in",
    "into",
    "is",
    "it",
    "no",
    "not",
    "of",
    "on",
    "or",
    "such",
    "that",
    "the",
    "their",
    "then",
    "there",
    "these",
    "they",
    "this",
    "to",
    "was",
    "will",
    "with",
    "from",
    "has",
    "have",
    "had",
    "were",
    "been",
    "which",
    "we",
    "our",
    "its",
    "also",
    "can",
    "may",
    "both",
    "than",
    "between",
    "during",
    "using",
    "s",
    "t",
    "d",
    "ll",
    "m",
    "re",
    "ve",
]


@cache
def english() -> TextAnalyzer:
    """Return the analyzer, made once."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    return (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(MAX_TERM_BYTES))
        .filter(Filter.lowercase())
        .filter(Filter.ascii_fold())
        .filter(Filter.custom_stopword(STOP_WORDS))
        .filter(Filter.stemmer("english"))
        .build()
    )
