"""Documents as a reader sees them: authors, links, and the words that spoke for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from html import escape
from itertools import zip_longest
from typing import NamedTuple

from markupsafe import Markup

from likewise.documents import Document
from likewise.documents.document import describe_warning
from likewise.documents.notebook import Link, find_links, shorten_authors
from likewise.expansion.citing import LINE_NAMES, LineKind, LinkMap, draw_map, lay_out_map
from likewise.expansion.expansion import Expansion
from likewise.expansion.records import Place
from likewise.library.analysis import analyze_text

# Words as the analysis cuts them: runs of letters and digits.
_WORD = re.compile(r"([^\W_]+)")

MOST_WORDS = 100_000
"""How many words are remembered, at most: a server reads texts for days."""
MOST_UP, MOST_DOWN = 5, 2


COMMON_WORDS = """
study background objective purpose aim introduction method result conclusion discussion data
analysis analyze use show shown significant significance increase decrease reduce high higher low
lower large small group compare comparison effect associated association related relationship
difference different measure value level mean total number rate ratio range found find suggest
indicate report observe investigate evaluate assess examine determine include perform respectively
based present year month week day time one two three first second well however therefore further
new more most all other each after before among over under versus vs who what when while although
because factor change only following similar receive addition additional occur either
demonstrate cause less appear specific type require four some without obtain provide important
possible could previous condition initial term evidence within remain describe complete greater
affect presence same form
contain any due involve major role given detect about common whereas long general consistent
potential identify thus should various out likely least conclude need individual reveal recent
technique through process very whether consider many contrast statistical influence known pattern
frequent establish state particular limited standard support available achieve approximately being
lead derive point alone main characteristic seen does made current conduct part even according
parameter order property variable multiple overall short confirm characterize define successful
seem essential apparent average represent approach since subsequent maintain better lack estimate
often considerable carry basis usual note separate slight exhibit correspond exist allow add would
equal ability last half despite clear recommend regarding play alternative much fail few course
extent strong prior feature information vary little except upon system quality work score analyse
target understand
"""
"""Words that are common in abstracts, whatever they are about."""


class Piece(NamedTuple):
    """A piece of a text."""

    text: str
    is_strong: bool = False
    """Whether it spoke for its document."""


class Highlighter:
    """Marks the words that give certain terms; remembers the terms of words over all texts."""

    def __init__(self, analyze_all: Callable[[Sequence[str]], Sequence[Sequence[str]]]) -> None:
        """Take the analysis that gives the terms of each of many words."""
        self._analyze_all = analyze_all
        self._terms: dict[str, Sequence[str]] = {}

    def mark(self, text: str, terms: Collection[str]) -> Markup:
        """Return the text as HTML, with the words that give one of the terms marked."""
        html = (
            f"<mark>{escape(piece.text)}</mark>" if piece.is_strong else escape(piece.text)
            for piece in self.pieces(text, terms)
        )
        return Markup("".join(html))  # noqa: S704  # all of it is escaped above

    def pieces(self, text: str, terms: Collection[str]) -> list[Piece]:
        """Cut the text into pieces that give one of the terms and those between; none is empty."""
        # Even parts lie between words, odd ones are words.
        parts = _WORD.split(text)
        pieces, end = [], 0
        for first, last in _join_marks(parts, self._find_words(parts[1::2], terms)):
            pieces += [Piece("".join(parts[end:first])), Piece("".join(parts[first:last]), True)]
            end = last
        pieces.append(Piece("".join(parts[end:])))
        return [piece for piece in pieces if piece.text]

    def spell(self, terms: Sequence[str], text: str) -> list[str]:
        """Return the terms as the text first writes them; unchanged if it does not.

        A word loses its capital ("Glucose" may open a sentence), an abbreviation keeps its
        capitals. The terms of a pair are spelled one by one.
        """
        words: dict[str, str] = {}
        wanted = frozenset(part for term in terms for part in (term, *term.split()))
        for word in self._find_words(_WORD.findall(text), wanted):
            for term in wanted.intersection(self._terms[word]):
                words.setdefault(term, word.lower() if word.istitle() else word)
        return [
            words.get(term) or " ".join(words.get(part, part) for part in term.split())
            for term in terms
        ]

    def _find_words(self, words: Sequence[str], terms: Collection[str]) -> dict[str, None]:
        """Return those of the words that give one of the terms, each once, in their order."""
        known, wanted = self._terms, frozenset(terms)
        distinct = dict.fromkeys(words)
        if len(known) > MOST_WORDS:
            known.clear()
        new = [word for word in distinct if word not in known]
        if new:
            known.update(zip(new, self._analyze_all(new), strict=True))
        return {word: None for word in distinct if not wanted.isdisjoint(known[word])}


def spell_terms_in(text: str, terms: Sequence[str]) -> list[str]:
    """Return the terms of our own analysis as a text first writes them.

    >>> spell_terms_in("Glucose of diabetic dogs", ["glucos", "diabet dog", "rat"])
    ['glucose', 'diabetic dogs', 'rat']
    """
    return Highlighter(_analyze_words).spell(terms, text)


_analyze_word = lru_cache(maxsize=MOST_WORDS)(analyze_text)


def _analyze_words(words: Sequence[str]) -> list[tuple[str, ...]]:
    return list(map(_analyze_word, words))


def choose_telling(terms: Iterable[str]) -> list[str]:
    """Return the terms that say something: no numbers, single letters or common words.

    If a term has several words, one that says something is enough.

    >>> choose_telling(["studi", "69", "p", "rat", "mous model", "2 group"])
    ['rat', 'mous model']
    """
    common = _find_common_terms()
    return [
        term
        for term in terms
        if any(
            len(word) > 1 and not word.isdecimal() and word not in common for word in term.split()
        )
    ]


@cache
def _find_common_terms() -> frozenset[str]:
    return frozenset(analyze_text(COMMON_WORDS))


def _join_marks(pieces: Sequence[str], words: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield where marks begin and end; words with a space or hyphen between them share one."""
    places = [place for place in range(1, len(pieces), 2) if pieces[place] in words]
    begin = None
    for place, following in zip_longest(places, places[1:]):
        begin = place if begin is None else begin
        if following != place + 2 or pieces[place + 1] not in (" ", "-"):
            yield begin, place + 1
            begin = None


@dataclass(frozen=True)
class ReportRow:
    """A document in the table."""

    place: Place
    document: Document
    title: Markup
    abstract: Markup
    authors: str
    links: tuple[Link, ...]
    nearest_seed: str
    """Its title."""
    up: list[str]
    """Words that moved it up, the strongest first."""
    down: list[str]
    warning: str = ""
    """A warning to readers, such as that it was retracted."""
    citations: str = ""
    """How it is linked with the seeds."""


@dataclass(frozen=True)
class SeedLine:
    """A seed as the report lists it."""

    document: Document
    in_library: bool
    below: bool
    """Whether it scores below the threshold."""
    warning: str = ""


def make_rows(expansion: Expansion, ranking: Iterable[Place]) -> list[ReportRow]:
    """Return a row for each place of a ranking, with the words that spoke for it marked."""
    highlighter = Highlighter(_analyze_words)
    seeds = {seed.id: seed.title for seed in expansion.seeds.documents}
    return [_make_row(expansion, place, seeds=seeds, highlighter=highlighter) for place in ranking]


def _make_row(
    expansion: Expansion, place: Place, *, seeds: dict[str, str], highlighter: Highlighter
) -> ReportRow:
    document = expansion.documents[place.id]
    why = expansion.explain(place.id)
    return ReportRow(
        place=place,
        document=document,
        title=highlighter.mark(document.title or "(no title)", frozenset(why.up)),
        abstract=highlighter.mark(document.abstract, frozenset(why.up)),
        authors=shorten_authors(document.authors),
        links=find_links(document),
        nearest_seed=seeds.get(why.nearest_seed) or why.nearest_seed,
        up=highlighter.spell(why.up[:MOST_UP], document.text),
        down=highlighter.spell(choose_telling(why.down)[:MOST_DOWN], document.text),
        warning=describe_warning(document),
        citations=why.links,
    )


def list_seed_lines(expansion: Expansion) -> list[SeedLine]:
    """Return the seeds that were learned from, those in the library first."""
    below = {
        place.id for place in expansion.ranking if place.seed and place.height < expansion.threshold
    }
    return [
        SeedLine(document, in_library, document.id in below, describe_warning(document))
        for group, in_library in (
            (expansion.seeds.matched, True),
            (expansion.seeds.text_only, False),
        )
        for document in group
    ]


@dataclass(frozen=True)
class ReportMap:
    """The map of citations, as the report shows it."""

    map: LinkMap
    drawing: Markup
    names: Mapping[LineKind, str]
    """What lines of each kind mean."""
    anchors: Mapping[str, str]
    """Where in the page papers are listed, by id."""


def make_map(expansion: Expansion, listed: Sequence[Place]) -> ReportMap | None:
    """Return the map of the documents found that are linked with seeds; None if none is."""
    links = expansion.links
    told = {place.id: links[place.id] for place in expansion.found if place.id in links}
    drawn = [link for link in expansion.seed_links if link.document in told]
    seeds = {one.document.id: one.document for one in list_seed_lines(expansion)}
    documents = {**expansion.documents, **seeds}
    found = lay_out_map(drawn, documents, told=told)
    if not found:
        return None
    anchors = {place.id: f"#rank-{place.rank}" for place in listed}
    anchors |= {name: f"#seed-{number}" for number, name in enumerate(seeds, 1)}
    drawing = draw_map(found, anchors=anchors, documents=documents)
    kinds = {line.kind for line in found.lines}
    names = {kind: name for kind, name in LINE_NAMES.items() if kind in kinds}
    return ReportMap(found, drawing, names, anchors)
