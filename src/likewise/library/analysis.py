"""How text becomes terms: one English analysis for every engine.

Words are runs of letters and digits. They are lower-cased and stripped of accents ("Sjögren" and
"Sjogren" are one word); stop words are dropped, and all others are stemmed by Snowball's English
stemmer. Other engines are set up to do the same; `docs/decisions/0003-analysis.md` says what was
compared.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tantivy import TextAnalyzer

MAX_TERM_BYTES = 64
# Longer texts are not cached: whoever sends them could fill the memory.
_LONGEST_KEPT = 20_000

# The last seven are the remains of "patient's", "don't" and "we'll": words end at an apostrophe.
_STOP_WORDS = """
a an and are as at be but by for if in into is it no not of on or such that the their then there
these they this to was will with from has have had were been which we our its also can may both than
between during using s t d ll m re ve
"""
STOP_WORDS = _STOP_WORDS.split()

MANY, WORD = 1_000, 30
"""How many texts are analysed together, if they have at most this many characters on average."""
_END = "zqxend"
_BETWEEN = f" {_END} "
"""Separates texts that are analysed together: a word that no text has, and that is its own stem."""

_PARTS_OF_WORDS = (string.ascii_letters + string.digits).encode() + bytes(range(0x80, 0x100))
_SPACED = bytes(byte if byte in _PARTS_OF_WORDS else ord(" ") for byte in range(0x100)).lower()


@cache
def build_analyzer() -> TextAnalyzer:
    """Return the English analyzer, which is built once."""
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


def analyze_text(text: str) -> tuple[str, ...]:
    """Return the terms of a text, from a small cache, since those of seeds are needed often."""
    return _analyze_kept(text) if len(text) <= _LONGEST_KEPT else _analyze(text)


def _analyze(text: str) -> tuple[str, ...]:
    return tuple(build_analyzer().analyze(text))


_analyze_kept = lru_cache(maxsize=1024)(_analyze)


def analyze_texts(texts: Sequence[str]) -> list[list[str]]:
    """Return the terms of each of many texts; single words are analysed together.

    >>> analyze_texts(["Treated", "the", "IL-6"])
    [['treat'], [], ['il', '6']]
    """
    if len(texts) < MANY:
        return [list(analyze_text(text)) for text in texts]
    analyze, found = build_analyzer().analyze, []
    for start in range(0, len(texts), MANY):
        some = texts[start : start + MANY]
        is_short = sum(map(len, some)) <= MANY * WORD
        terms = analyze(_BETWEEN.join([*some, ""])) if is_short else []
        ends = [place for place, term in enumerate(terms) if term == _END]
        if len(ends) == len(some):
            found += [terms[first + 1 : last] for first, last in pairwise([-1, *ends])]
        else:
            # They are long, or one of them has that word too.
            found += [analyze(text) for text in some]
    return found


def split_chunks(text: str) -> list[str]:
    """Split a text, in lower case, at every ASCII character that can't be part of a word.

    A word lies within one chunk, and what becomes of it does not depend on its neighbours: the
    terms of a text are those of its chunks, one after the other. Chunks are small, and most texts
    are made of the same ones, so whoever analyses many texts need analyse each chunk only once.

    >>> split_chunks("The patient's IL-6 (5 mg)")
    ['the', 'patient', 's', 'il', '6', '5', 'mg']
    """
    spaced = text.encode(errors="surrogatepass").translate(_SPACED)
    return spaced.decode(errors="surrogatepass").split()
