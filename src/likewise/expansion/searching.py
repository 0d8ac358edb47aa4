"""Searching by one line: words, phrases, fields, NOT, OR and brackets, in lists and libraries.

The module begins with what a filter can ask about a document, then shows how a line is read. A
filter is never refused: what is not understood is left out, or searched for as words, with a
complaint.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

from likewise.documents import Document
from likewise.documents.document import find_warning
from likewise.expansion.sessions.reasons import make_key
from likewise.library.protocol import Hits, Library, make_words_query
from likewise.library.where import ANYWHERE, Where

_YEARS = re.compile(r"(\d{4})?(?:\.\.|-)(\d{4})?")
STATES = ("new", "retracted")
"""new: found by a look and not marked yet; retracted: retracted, doubted, or a notice of it."""
ANY = "*"
"""Stands for any tag, reason or note."""


@dataclass(frozen=True)
class FilteredText:
    """The parts of a document that filters look at; all texts in lower case.

    Reviewers' remarks are added for each use: they change, and not everybody may see them.
    """

    text: str
    """Title, abstract, authors, journal and year."""
    title: str = ""
    authors: str = ""
    journal: str = ""
    year: int | None = None
    types: str = ""
    """Publication types, one per line."""
    source: str = ""
    tags: frozenset[str] = frozenset()
    reason: str = ""
    notes: str = ""
    states: frozenset[str] = frozenset()
    """Those of `STATES` that it is in."""

    @classmethod
    def of(cls, document: Document) -> Self:
        r"""Return the parts of a document that filters look at.

        >>> FilteredText.of(Document(title="On Cats", year=1999, authors=("Li, X", "Wu, Y"))).text
        'on cats\n\nli, x\nwu, y\n\n1999'
        """
        title, journal = document.title.casefold(), document.journal.casefold()
        authors = "\n".join(document.authors).casefold()
        year = "" if document.year is None else str(document.year)
        return cls(
            text=f"{title}\n{document.abstract.casefold()}\n{authors}\n{journal}\n{year}",
            title=title,
            authors=authors,
            journal=journal,
            year=document.year,
            types="\n".join(document.publication_types).casefold(),
            source=document.source.casefold(),
            states=frozenset({"retracted"} if find_warning(document) else ()),
        )

    def add_state(self, state: str) -> Self:
        """Return a copy with one more state."""
        return replace(self, states=self.states | {state})

    def add_remarks(self, tags: Collection[str], reason: str, notes: str = "") -> Self:
        """Return a copy with the document's tags, its reason for exclusion and its notes."""
        if not tags and not reason and not notes:
            return self
        return replace(
            self,
            tags=frozenset(map(make_key, tags)),
            reason=make_key(reason),
            notes=make_key(notes),
        )


Check = Callable[[FilteredText], bool]
"""Tells whether a document is kept."""


class FilterField(NamedTuple):
    """A field that a filter may name."""

    make: Callable[[str], Check | None]
    """Makes a check from what follows the colon, in lower case; None if that makes no sense."""
    example: str
    is_sought: bool = False
    """Whether what follows the colon is looked for in a title, so that searches can find it."""


def make_years_check(value: str) -> Check | None:
    """Return a check of years: 2010, 2010.., ..2015 or 2010..2015; None for anything else."""
    if re.fullmatch(r"\d{4}", value):
        return lambda one: one.year == int(value)
    ends = _YEARS.fullmatch(value)
    if not ends or not any(ends.groups()):
        return None
    first, last = int(ends[1] or 0), int(ends[2] or 9999)
    return None if first > last else lambda one: one.year is not None and first <= one.year <= last


def _make_part_check(name: str) -> Callable[[str], Check | None]:
    """Return a function that makes checks for a text in a field."""

    def make(value: str) -> Check | None:
        return (lambda one: value in getattr(one, name)) if value else None

    return make


def _make_state_check(value: str) -> Check | None:
    return (lambda one: value in one.states) if value in STATES else None


def _make_remark_check(
    find: Callable[[FilteredText], Collection[str]],
) -> Callable[[str], Check | None]:
    """Return a function that makes checks for a remark of reviewers, or for any remark at all."""

    def make(value: str) -> Check | None:
        key = make_key(value)
        if key == ANY:
            return lambda one: bool(find(one))
        return (lambda one: key in find(one)) if key else None

    return make


FIELDS: Mapping[str, FilterField] = {
    "year": FilterField(make_years_check, "year:2010..2015"),
    "journal": FilterField(_make_part_check("journal"), "journal:lancet"),
    "type": FilterField(_make_part_check("types"), "type:review"),
    "title": FilterField(_make_part_check("title"), "title:cats", is_sought=True),
    "author": FilterField(_make_part_check("authors"), "author:curie"),
    "source": FilterField(_make_part_check("source"), "source:embase"),
    "tag": FilterField(_make_remark_check(lambda one: one.tags), "tag:RCT"),
    "reason": FilterField(
        _make_remark_check(lambda one: (one.reason,) if one.reason else ()),
        'reason:"wrong population"',
    ),
    "note": FilterField(_make_remark_check(lambda one: one.notes), "note:dose"),
    "is": FilterField(_make_state_check, "is:new or is:retracted"),
}
"""The fields by name. To add one, add a line here, and what it looks at to `FilteredText`."""


@dataclass(frozen=True)
class ListFilter:
    """A filter, parsed from a line."""

    keeps: Check
    words: tuple[str, ...]
    """The words and phrases that it asks for, in lower case, to be highlighted."""
    complaint: str
    """What was not understood, as one line; "" if everything was."""
    sought: tuple[str, ...]
    """The same words, and those that a title must have, to search a library for."""
    is_plain: bool
    """Whether it is nothing but words: no phrase, field, NOT or OR is in it."""


_TOKEN = re.compile(
    r"""
    (?P<field>[^\W\d_]+):(?P<value>"[^"]*"?|[^\s()"]*)   # year:2010..  journal:"The Lancet"
    | (?P<phrase>"[^"]*"?)
    | (?P<bracket>[()])
    | (?P<word>[^\s()"]+)
    """,
    re.VERBOSE,
)
_QUOTES = str.maketrans("“”„«»", '"""""')
"""Phones type quotation marks of other shapes."""
MOST_NESTED = 20
"""How deeply brackets may be nested."""


def parse_filter(line: str, *, fields: Mapping[str, FilterField] = FIELDS) -> ListFilter:
    """Parse a filter: parts side by side must all hold; NOT binds more tightly, OR less.

    >>> cats = parse_filter('cats OR "guinea pigs" year:2010.. NOT type:review')
    >>> cats.words, cats.complaint
    (('cats', 'guinea pigs'), '')
    >>> cats.keeps(FilteredText("on cats", year=2009))
    True
    """
    parser = _Parser(line, fields)
    return ListFilter(
        keeps=parser.parse(),
        words=tuple(dict.fromkeys(parser.words)),
        complaint="; ".join(parser.complaints),
        sought=tuple(dict.fromkeys(parser.sought)),
        is_plain=parser.is_plain,
    )


class _Parser:
    """Reads a line from left to right."""

    def __init__(self, line: str, fields: Mapping[str, FilterField]) -> None:
        self.words: list[str] = []
        self.sought: list[str] = []
        self.is_plain = True
        self.complaints: list[str] = []
        self._fields = fields
        self._tokens = list(_TOKEN.finditer(line.translate(_QUOTES)))
        self._at = 0
        self._is_asked = True
        """Whether the part that is read now must hold, and not its contrary."""
        self._depth = 0

    def parse(self) -> Check:
        """Return a check for the whole line."""
        found = [self._parse_any()]
        while self._at < len(self._tokens):
            self._at += 1  # a closing bracket that was never opened
            self._complain("a closing bracket has no opening one, and was left out")
            found.append(self._parse_any())
        return _join_checks(found, all)

    def _parse_any(self) -> Check:
        """Read parts with OR between them."""
        parts = [self._parse_all()]
        while self._take("OR"):
            parts.append(self._parse_all())
        given = [part for part in parts if part]
        if 1 <= len(given) < len(parts):
            self._complain("OR has nothing on one side, and was left out")
        return _join_checks(given, any) if given else lambda _: True

    def _parse_all(self) -> Check | None:
        """Read parts that stand side by side; None if there are none."""
        parts: list[Check] = []
        while self._at < len(self._tokens) and not self._is_next("OR", ")"):
            if self._take("AND"):
                continue
            if part := self._parse_one():
                parts.append(part)
        return _join_checks(parts, all) if parts else None

    def _parse_one(self) -> Check | None:
        """Read one part, or the contrary of one."""
        before, is_turned = self._is_asked, False
        while self._take("NOT"):
            is_turned = not is_turned
            if self._at == len(self._tokens) or self._is_next("OR", "AND", ")"):
                self._complain("NOT has nothing after it, and was left out")
                return None
        self._is_asked = before != is_turned
        part = self._parse_plain()
        self._is_asked = before
        return (lambda one: not part(one)) if part and is_turned else part

    def _parse_plain(self) -> Check | None:
        if self._take("("):
            return self._parse_bracket()
        token = self._tokens[self._at]
        self._at += 1
        if token["field"]:
            return self._read_field(token["field"], self._unquote(token["value"]))
        return self._look_for(self._unquote(token[0]))

    def _parse_bracket(self) -> Check | None:
        if self._depth == MOST_NESTED:
            self._complain(f"brackets nested more than {MOST_NESTED} deep were left out")
            return None
        self._depth += 1
        within = self._parse_any()
        self._depth -= 1
        if not self._take(")"):
            self._complain("a bracket is not closed: it reaches to the end")
        return within

    def _read_field(self, name: str, value: str) -> Check | None:
        field = self._fields.get(name.casefold())
        if field is None:
            known = ", ".join(f"{one}:" for one in self._fields)
            self._complain(
                f"“{name}:” is not a field, so its words were searched for; the fields are: {known}"
            )
            return self._look_for(f"{name}:{value}")
        check = field.make(value.casefold())
        if check is None:
            self._complain(f"“{name}:{value}” was left out; write for example {field.example}")
        elif field.is_sought and self._is_asked:
            self.sought.append(value)
        self.is_plain = False
        return check

    def _look_for(self, text: str) -> Check | None:
        wanted = " ".join(text.casefold().split())
        if not wanted:
            return None
        if self._is_asked:
            self.words.append(wanted)
            self.sought.append(wanted)
        return lambda one: wanted in one.text

    def _unquote(self, text: str) -> str:
        if text.startswith('"') and (len(text) == 1 or not text.endswith('"')):
            self._complain("a quotation mark is missing: the phrase reaches to the end")
        self.is_plain &= not text.startswith('"')
        return " ".join(text.strip('"').split())

    def _is_next(self, *signs: str) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at][0] in signs

    def _take(self, sign: str) -> bool:
        """Skip a sign if it comes next; return whether it did."""
        is_there = self._is_next(sign)
        self._at += is_there
        self.is_plain &= not is_there or sign not in ("OR", "NOT")
        return is_there

    def _complain(self, words: str) -> None:
        if words not in self.complaints:
            self.complaints.append(words)


def _join_checks(checks: list[Check], how: Callable[[Iterable[object]], bool]) -> Check:
    if len(checks) == 1:
        return checks[0]
    return lambda one: how(check(one) for check in checks)


SEARCHED = {name: field for name, field in FIELDS.items() if name not in ("tag", "reason", "note")}
"""The fields that a search may name: reviewers' remarks are in sessions, not in libraries."""
MOST_LOOKED_AT = 5_000
"""How many documents a search with phrases, fields, NOT or OR looks through at most."""
STEP = 500


class FoundDocument(NamedTuple):
    """A document that a search found."""

    document: Document
    score: float


class SearchResult(NamedTuple):
    """A page of what a search found, best first."""

    found: list[FoundDocument]
    has_more: bool
    complaint: str
    """What was not understood in the line, or where the search gave up; "" if neither."""


def search_library(
    library: Library, line: str, *, limit: int, offset: int = 0, where: Where = ANYWHERE
) -> SearchResult:
    """Search a library for any of some words; more of them, and rarer ones, rank higher.

    A line with phrases in quotes, fields, NOT or OR is read as a filter: only documents that it
    keeps are found, ranked by the words that it asks for. The best `offset` are left out.
    """
    wanted = parse_filter(line, fields=SEARCHED)
    if wanted.is_plain:
        query = make_words_query(line, library=library, where=where)
        hits, end = library.find_best(query, limit=offset + limit + 1), offset + limit
        page = Hits(hits.ids[offset:end], hits.scores[offset:end])
        return SearchResult(list(_read_hits(library, page)), len(hits) > end, "")
    return _search_filtered(library, wanted, limit=limit, offset=offset, where=where)


def _search_filtered(
    library: Library, wanted: ListFilter, *, limit: int, offset: int, where: Where
) -> SearchResult:
    query = make_words_query(" ".join(wanted.sought), library=library, where=where)
    complaints = [wanted.complaint] if wanted.complaint else []
    if not query.terms:
        complaints.append("a search needs a word to look for, besides fields and NOT")
        return SearchResult([], has_more=False, complaint="; ".join(complaints))
    hits = library.find_best(query, limit=MOST_LOOKED_AT)
    kept: list[FoundDocument] = []
    for one in _read_hits(library, hits):
        if wanted.keeps(FilteredText.of(one.document)):
            kept.append(one)
        if len(kept) > offset + limit:
            break
    else:
        if len(hits) == MOST_LOOKED_AT:
            complaints.append(f"only the best {MOST_LOOKED_AT:,} documents were looked through")
    page = kept[offset : offset + limit]
    return SearchResult(page, len(kept) > offset + limit, "; ".join(complaints))


def _read_hits(library: Library, hits: Hits) -> Iterator[FoundDocument]:
    """Yield documents, the best first, read from the library as they are needed."""
    for start in range(0, len(hits), STEP):
        ids, scores = hits.ids[start : start + STEP], hits.scores[start : start + STEP]
        held = {document.id: document for document in library.get(ids)}
        pairs = zip(ids, scores, strict=True)
        yield from (FoundDocument(held[name], score) for name, score in pairs if name in held)
