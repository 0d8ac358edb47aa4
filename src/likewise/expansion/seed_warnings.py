"""What may be wrong with seeds: sentences that a person can act on, before the search or after."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations_with_replacement
from statistics import median

from likewise.documents import Document
from likewise.documents.document import NoticeKind, find_warning
from likewise.expansion.seed_groups import (
    AnalyzeAll,
    SeedGroup,
    is_word,
    select_comparable,
    spell_terms,
    split_seeds,
)
from likewise.expansion.seeds import Seeds
from likewise.expansion.wording import format_count, format_share, list_names
from likewise.library.analysis import STOP_WORDS
from likewise.library.more_like import divergence
from likewise.library.protocol import Library

ENOUGH = 10
"""With fewer seeds the decision is uncertain."""
MANY = 1 / 3
SCATTERED = 0.3
"""If more of the pool than this ranks above the median left-out seed, the list is chance."""
ENOUGH_POOL = 500

_FOREIGN_ALPHABET = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")
_LETTER = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+")
_STOP_WORDS = frozenset(STOP_WORDS)
# A third of an English abstract are stop words, less than a tenth of a German or French one.
_FEWEST_STOP_WORDS = 0.16
_WORDS_TO_TELL = 20

MIN_SEEDS = 10
MIN_FOUND = 20
MIN_EVIDENCE = 7.0
MIN_SHARE = 0.6
"""The share of the seeds that must have something for it to be a corner."""
NEARLY_ALL = 0.9
"""The share of the seeds that must lie within a span of years."""
MAX_RATIO = 0.6
"""How large the share among the documents found may be, relative to that among the seeds."""
MOST_FOUND = 1000
"""How many of the documents found are looked at, at most."""
_MOST_WORDS = 3


def warn_of_seeds(seeds: Seeds, *, library: Library) -> list[str]:
    """Return a sentence for each thing about the seeds that may spoil the result."""
    documents = seeds.documents
    checks = (
        *warn_of_notices(documents, among="the seeds"),
        _warn_of_few(documents),
        _warn_of_bare(documents),
        _warn_of_language(documents),
        _warn_of_topics(documents, library=library),
    )
    return list(filter(None, checks))


_NOTICES: dict[NoticeKind, str] = {
    "retracted": "retracted",
    "doubted": "under an expression of concern",
    "notice": "notices of retraction or concern, which are not studies,",
}


def warn_of_notices(documents: Iterable[Document], *, among: str) -> list[str]:
    """Return a warning for each kind of notice; `among` says what the documents are."""
    named: dict[NoticeKind, list[str]] = {}
    for document in documents:
        if notice := find_warning(document):
            named.setdefault(notice.kind, []).append(f"{document.id} ({document.title})")
    return [
        f"{words} among {among}: {list_names(named[kind])}"
        for kind, words in _NOTICES.items()
        if kind in named
    ]


def warn_of_scattering(places: Sequence[float], *, pool: int) -> list[str]:
    """Warn if what was learned from the other seeds hardly finds a left-out one.

    Args:
        places: The share of the pool above each seed, when it was left out.
        pool: How many documents there are; of a small pool much may be on topic.
    """
    middle = median(places)
    if middle <= SCATTERED or pool < ENOUGH_POOL:
        return []
    message = (
        f"half of the seeds, when left out, rank below {format_share(middle)} of the pool, so the "
        "list is hardly better than chance; give seeds that have a topic in common"
    )
    return [message]


def _warn_of_few(documents: Sequence[Document]) -> str:
    if len(documents) >= ENOUGH:
        return ""
    return (
        f"there are only {format_count(len(documents), 'seed')}, and with fewer than {ENOUGH} "
        "the decision is uncertain; add papers on the topic if you know more"
    )


def _warn_of_bare(documents: Sequence[Document]) -> str:
    bare = [document.id for document in documents if not document.abstract]
    if len(bare) < MANY * len(documents):
        return ""
    return (
        f"{len(bare)} of {format_count(len(documents), 'seed')} have no abstract "
        f"({list_names(bare)}), so only their titles say what the topic is; give "
        "records with abstracts if there are any"
    )


def _warn_of_language(documents: Sequence[Document]) -> str:
    foreign = [document.id for document in documents if not _is_english(document)]
    if len(foreign) < MANY * len(documents):
        return ""
    return (
        f"{len(foreign)} of {format_count(len(documents), 'seed')} seem not to be in English "
        f"({list_names(foreign)}), and the search works by words: it finds papers that use the "
        "same ones; give records with English titles and abstracts if the library is in English"
    )


def _is_english(document: Document) -> bool:
    """Return whether a text is in English, by its alphabet and its stop words.

    What a record says about its language counts only for a short text: it is the paper's language,
    and most papers in other languages have an English abstract.
    """
    text = document.text
    if len(_FOREIGN_ALPHABET.findall(text)) > len(_LETTER.findall(text)) / 2:
        return False
    words = _WORD.findall(text.lower())
    if len(words) < _WORDS_TO_TELL:
        return document.language.lower()[:2] in ("", "en") or text.startswith("[")
    return sum(word in _STOP_WORDS for word in words) >= _FEWEST_STOP_WORDS * len(words)


def _warn_of_topics(documents: Sequence[Document], *, library: Library) -> str:
    groups = split_seeds(documents, library=library)
    if not groups or not groups.are_two_topics:
        return ""
    larger, smaller = (_describe_group(group, library=library) for group in groups[:2])
    ids = list_names([document.id for document in groups.smaller.documents])
    return (
        f"the seeds look like two topics that have little in common: {larger}, and {smaller} "
        f"({ids}); if you do not want both, expand each alone"
    )


def _describe_group(group: SeedGroup, *, library: Library) -> str:
    words = spell_terms(group.terms, group.documents, analyze_all=library.analyze_all)
    quoted = ", ".join(f"'{word}'" for word in words)
    return f"{len(group.documents)} with {quoted}"


def warn_of_corners(
    seeds: Seeds, found: Sequence[Document], *, analyze_all: AnalyzeAll, among: str = "seeds"
) -> list[str]:
    """Return a sentence for each sign that the seeds are one corner of a topic.

    If a share s of n seeds has something, and a share f of the documents found has it, the evidence
    of a corner is n times the divergence of s from f: the log of how much less likely these seeds
    are if they were drawn from the documents found. A corner that the search never left can't be
    seen.

    Args:
        seeds: The seeds.
        found: The documents decided to be on topic, without the seeds, in any order.
        analyze_all: The library's analysis.
        among: What to call the seeds, which include what was marked relevant.
    """
    # Documents of every rank count, so those looked at are spread over all of them.
    both = seeds.documents, found[:: math.ceil(len(found) / MOST_FOUND) or 1]
    corners = {
        "date from": _find_span(*both),
        "are from": _find_shared(*(list(map(_get_journal, some)) for some in both))[:1],
        "are by": _find_shared(*(list(map(_get_authors, some)) for some in both))[:1],
        "say": _find_words(*both, analyze_all=analyze_all),
    }
    return [
        _describe_corner(f"{among} {verb}", shared, found=len(found))
        for verb, shared in corners.items()
        if shared
    ]


@dataclass(frozen=True)
class _Shared:
    """Something in common, and how many of the seeds and of the documents found have it."""

    what: str
    seeds: int
    of_seeds: int
    found: int
    of_found: int

    @property
    def evidence(self) -> float:
        """How much it speaks for a corner; 0 if it does not."""
        here = self.seeds / self.of_seeds
        there = (self.found + 0.5) / (self.of_found + 1)
        return self.of_seeds * divergence(here, there) if there <= MAX_RATIO * here else 0.0


def _find_shared(
    seeds: Sequence[Collection[str]], found: Sequence[Collection[str]]
) -> list[_Shared]:
    """Return what many of the seeds have and few of the found, the most telling first."""
    of_seeds, of_found = sum(map(bool, seeds)), sum(map(bool, found))
    if of_seeds < MIN_SEEDS or of_found < MIN_FOUND:
        return []
    here, there = Counter(chain(*seeds)), Counter(chain(*found))
    counts = [
        _Shared(what, number, of_seeds, there[what], of_found)
        for what, number in here.items()
        if number >= MIN_SHARE * of_seeds
    ]
    telling = [shared for shared in counts if shared.evidence >= MIN_EVIDENCE]
    return sorted(telling, key=lambda shared: (-shared.evidence, shared.what))


def _find_span(seeds: Iterable[Document], found: Iterable[Document]) -> list[_Shared]:
    """Return the span of years that nearly all seeds date from, if it is telling."""
    here = Counter(document.year for document in seeds if document.year)
    there = Counter(document.year for document in found if document.year)
    if here.total() < MIN_SEEDS or there.total() < MIN_FOUND:
        return []
    spans = []
    for first, last in combinations_with_replacement(sorted(here), 2):
        inside = _count_within(here, first, last)
        if inside >= NEARLY_ALL * here.total():
            what = f"{first}-{last}" if first < last else f"{first}"
            found_inside = _count_within(there, first, last)
            spans.append(_Shared(what, inside, here.total(), found_inside, there.total()))
    best = max(spans, key=lambda span: span.evidence)
    return [best] if best.evidence >= MIN_EVIDENCE else []


def _count_within(years: Counter[int], first: int, last: int) -> int:
    return sum(number for year, number in years.items() if first <= year <= last)


def _get_journal(document: Document) -> set[str]:
    return {document.journal.strip(" .")} - {""}


def _get_authors(document: Document) -> set[str]:
    """Return a document's authors with one initial each, as some files have no more."""
    parts = [author.partition(",") for author in document.authors]
    return {f"{family}, {given.strip()[:1]}".rstrip(", ") for family, _, given in parts} - {""}


def _find_words(
    seeds: Sequence[Document], found: Sequence[Document], *, analyze_all: AnalyzeAll
) -> list[_Shared]:
    """Return the telling words that the seeds share, spelled as the seeds spell them."""
    both = [select_comparable(documents, analyze_all=analyze_all) for documents in (seeds, found)]
    shared = _find_shared(*([set(terms) for _, terms in some] for some in both))
    shared = [each for each in shared if is_word(each.what)][:_MOST_WORDS]
    words = spell_terms([each.what for each in shared], seeds, analyze_all=analyze_all)
    return [replace(each, what=f"'{word}'") for each, word in zip(shared, words, strict=True)]


def _describe_corner(who: str, shared: Sequence[_Shared], *, found: int) -> str:
    first, *others = shared
    all_seeds = first.seeds == first.of_seeds
    number = f"all {first.seeds}" if all_seeds else f"{first.seeds} of {first.of_seeds}"
    also = "".join(
        f", and {each.seeds} {each.what}, compared with {format_share(each.found / each.of_found)}"
        for each in others
    )
    return (
        f"{number} {who} {first.what}, compared with {format_share(first.found / first.of_found)} "
        f"of the {format_count(found, 'document')} found{also}; "
        "if your topic is wider than that, add seeds from outside this corner"
    )
