"""What may be wrong with seeds: sentences that a person can act on before the search."""

from __future__ import annotations

import re
from statistics import median
from typing import TYPE_CHECKING

from likewise.expansion.seed_corners import corner_warnings
from likewise.expansion.seed_groups import two_groups
from likewise.expansion.seed_terms import spelled
from likewise.expansion.wording import counted, named, share
from likewise.library.analysis import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from likewise.documents import Document
    from likewise.expansion.seed_groups import Group
    from likewise.expansion.seeds import Seeds
    from likewise.library.protocol import Library

__all__ = ["corner_warnings", "scattered_warnings", "seed_warnings"]

ENOUGH = 10
"""With fewer seeds the decision is uncertain."""
MANY = 1 / 3
SCATTERED = 0.3
"""The share of the pool above the middle one of left-out seeds, from which on they are chance."""
ENOUGH_POOL = 500

_FOREIGN_ALPHABET = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+")
_STOP_WORDS = frozenset(STOP_WORDS)
# Of an English abstract a third are stop words, of a German or French one less than a tenth.
_FEWEST_STOP_WORDS = 0.16
_WORDS_TO_TELL = 20


def seed_warnings(seeds: Seeds, *, library: Library) -> list[str]:
    """Return a sentence for each thing about the seeds that may spoil the result."""
    documents = seeds.documents
    checks = (
        _too_few(documents),
        _without_abstract(documents),
        _another_language(documents),
        _two_topics(documents, library=library),
    )
    return [warning for warning in checks if warning]


def scattered_warnings(places: Sequence[float], *, pool: int) -> list[str]:
    """Warn if what was learned from the other seeds hardly finds a left-out one.

    Args:
        places: The share of the pool above each seed, when it was left out.
        pool: How many documents there are; of a small pool much may be on topic.
    """
    middle = median(places)
    if middle <= SCATTERED or pool < ENOUGH_POOL:
        return []
    told = (
        f"half of the seeds, left out, come after {share(middle)} of the pool, so the list is "
        "hardly better than chance; give seeds that have a topic in common"
    )
    return [told]


def _too_few(documents: Sequence[Document]) -> str:
    if len(documents) >= ENOUGH:
        return ""
    return (
        f"there are only {counted(len(documents), 'seed')}, and with fewer than {ENOUGH} "
        "the decision is uncertain; add papers on the topic if you know more"
    )


def _without_abstract(documents: Sequence[Document]) -> str:
    bare = [document.id for document in documents if not document.abstract]
    if len(bare) < MANY * len(documents):
        return ""
    return (
        f"{len(bare)} of {counted(len(documents), 'seed')} have no abstract ({named(bare)}), "
        "so only their titles say what the topic is; give records with abstracts if there are any"
    )


def _another_language(documents: Sequence[Document]) -> str:
    foreign = [document.id for document in documents if not _is_english(document)]
    if len(foreign) < MANY * len(documents):
        return ""
    return (
        f"{len(foreign)} of {counted(len(documents), 'seed')} seem not to be in English "
        f"({named(foreign)}), and the search works by words: it finds papers that use the same "
        "ones; give records with English titles and abstracts if the library is in English"
    )


def _is_english(document: Document) -> bool:
    """Tell whether a text is in English, by its alphabet and its stop words.

    What a record says of the language counts only for a short text: that is the paper's language,
    and most papers in other languages have an English abstract.
    """
    text = document.text
    if len(_FOREIGN_ALPHABET.findall(text)) > len(_LETTER.findall(text)) / 2:
        return False
    words = _WORD.findall(text.lower())
    if len(words) < _WORDS_TO_TELL:
        return document.language.lower()[:2] in ("", "en") or text.startswith("[")
    return sum(word in _STOP_WORDS for word in words) >= _FEWEST_STOP_WORDS * len(words)


def _two_topics(documents: Sequence[Document], *, library: Library) -> str:
    groups = two_groups(documents, library=library)
    if not groups or not groups.are_two_topics:
        return ""
    larger, smaller = (_told(group, library=library) for group in groups[:2])
    ids = named([document.id for document in groups.smaller.documents])
    return (
        f"the seeds look like two topics that have little in common: {larger}, and {smaller} "
        f"({ids}); if you do not want both, expand each alone"
    )


def _told(group: Group, *, library: Library) -> str:
    words = spelled(group.terms, group.documents, analyze_all=library.analyze_all)
    quoted = ", ".join(f"'{word}'" for word in words)
    return f"{len(group.documents)} with {quoted}"
