"""Whether seeds are one corner of a topic: what they share and the found documents do not.

Something that a share s of n seeds has, and a share f of the documents found, is evidence of a
corner to the amount of n times the divergence of s from f (the log of how much less likely these
seeds are if drawn from the found). A corner that the search has not gone past can't be seen.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import chain, combinations_with_replacement
from typing import TYPE_CHECKING, NamedTuple

from likewise.expansion.seed_terms import comparable, is_word, spelled
from likewise.expansion.wording import counted, share
from likewise.library.more_like import divergence

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from likewise.documents import Document
    from likewise.expansion.seed_terms import AnalyzeAll
    from likewise.expansion.seeds import Seeds

MIN_SEEDS = 10
MIN_FOUND = 20
MIN_EVIDENCE = 7.0
MIN_SHARE = 0.6
"""What share of the seeds must have it."""
NEARLY_ALL = 0.9
"""What share of the seeds must be of a span of years."""
MAX_RATIO = 0.6
"""How large the share of the found may be against that of the seeds."""
MOST_FOUND = 1000
"""Of more documents, so many are looked at."""
_MOST_WORDS = 3


def corner_warnings(
    seeds: Seeds, found: Sequence[Document], *, analyze_all: AnalyzeAll
) -> list[str]:
    """Return a sentence for each kind of corner that the seeds may be.

    Args:
        seeds: The seeds.
        found: The documents decided to be on topic, without the seeds, in any order.
        analyze_all: The library's analysis.
    """
    # What documents of every rank have is wanted, so those looked at are spread over all.
    some = found[:: math.ceil(len(found) / MOST_FOUND) or 1]
    corners = {
        "are of": _years(seeds.documents, some),
        "are from": _shared(*(list(map(_journal, d)) for d in (seeds.documents, some)))[:1],
        "are by": _shared(*(list(map(_authors, d)) for d in (seeds.documents, some)))[:1],
        "say": _words(seeds.documents, some, analyze_all=analyze_all),
    }
    return [_sentence(verb, shared, found=len(found)) for verb, shared in corners.items() if shared]


class _Shared(NamedTuple):
    """Something in common, and how many of the seeds and of the found have it."""

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


def _shared(seeds: Sequence[Collection[str]], found: Sequence[Collection[str]]) -> list[_Shared]:
    """Return what corners have in common, the most telling first; each document has some things."""
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


def _years(seeds: Iterable[Document], found: Iterable[Document]) -> list[_Shared]:
    """Return the span that nearly all seeds are of."""
    here = Counter(document.year for document in seeds if document.year)
    there = Counter(document.year for document in found if document.year)
    if here.total() < MIN_SEEDS or there.total() < MIN_FOUND:
        return []
    spans = []
    for first, last in combinations_with_replacement(sorted(here), 2):
        inside = _within(here, first, last)
        if inside >= NEARLY_ALL * here.total():
            what = f"{first}-{last}" if first < last else f"{first}"
            found_inside = _within(there, first, last)
            spans.append(_Shared(what, inside, here.total(), found_inside, there.total()))
    best = max(spans, key=lambda span: span.evidence)
    return [best] if best.evidence >= MIN_EVIDENCE else []


def _within(years: Counter[int], first: int, last: int) -> int:
    return sum(number for year, number in years.items() if first <= year <= last)


def _journal(document: Document) -> set[str]:
    return {document.journal.strip(" .")} - {""}


def _authors(document: Document) -> set[str]:
    """Return a document's authors with one initial each, as some files have no more."""
    parts = [author.partition(",") for author in document.authors]
    return {f"{family}, {given.strip()[:1]}".rstrip(", ") for family, _, given in parts} - {""}


def _words(
    seeds: Sequence[Document], found: Sequence[Document], *, analyze_all: AnalyzeAll
) -> list[_Shared]:
    """Return the words that the seeds have, spelled as they spell them."""
    said = [comparable(documents, analyze_all=analyze_all) for documents in (seeds, found)]
    shared = _shared(*([set(terms) for _, terms in some] for some in said))
    shared = [each for each in shared if is_word(each.what)][:_MOST_WORDS]
    words = spelled([each.what for each in shared], seeds, analyze_all=analyze_all)
    return [each._replace(what=f"'{word}'") for each, word in zip(shared, words, strict=True)]


def _sentence(verb: str, shared: Sequence[_Shared], *, found: int) -> str:
    first, *others = shared
    all_seeds = first.seeds == first.of_seeds
    number = f"all {first.seeds}" if all_seeds else f"{first.seeds} of {first.of_seeds}"
    also = "".join(
        f", {each.seeds} {each.what} ({share(each.found / each.of_found)})" for each in others
    )
    return (
        f"{number} seeds {verb} {first.what}, of the {counted(found, 'document')} found "
        f"{share(first.found / first.of_found)}{also}; "
        "if your topic is wider than that, add seeds from outside this corner"
    )
