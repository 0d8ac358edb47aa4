"""The filter of a list, written as one line: words, phrases, fields, NOT, OR and brackets.

What is not understood is left out, or looked for as words, and said: nobody who types a filter is
to be refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

from likewise.documents import Document
from likewise.expansion.sessions.reasons import make_key

_TOKEN = re.compile(
    r"""
    (?P<field>[^\W\d_]+):(?P<value>"[^"]*"?|[^\s()"]*)   # year:2010..  journal:"The Lancet"
    | (?P<phrase>"[^"]*"?)
    | (?P<bracket>[()])
    | (?P<word>[^\s()"]+)
    """,
    re.VERBOSE,
)
_YEARS = re.compile(r"(\d{4})?(?:\.\.|-)(\d{4})?")
_QUOTES = str.maketrans("“”„«»", '"""""')
"""Telephones write quotation marks of their own."""
MOST_NESTED = 20
"""How many brackets may stand within one another."""


class FilteredText(NamedTuple):
    """What filters look at of a document; all texts in lower case.

    What reviewers said of it is added at each look: it changes, and not everybody may see it.
    """

    text: str
    """Title, abstract, authors, journal and year."""
    title: str = ""
    authors: str = ""
    journal: str = ""
    year: int | None = None
    types: tuple[str, ...] = ()
    source: str = ""
    tags: frozenset[str] = frozenset()
    reason: str = ""

    @classmethod
    def of(cls, document: Document) -> Self:
        r"""Return what filters look at of a document.

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
            types=tuple(one.casefold() for one in document.publication_types),
            source=document.source.casefold(),
        )

    def add_remarks(self, tags: Collection[str], reason: str) -> Self:
        """Return the same with the tags of the document, and why it was excluded."""
        if not tags and not reason:
            return self
        return self._replace(tags=frozenset(map(make_key, tags)), reason=make_key(reason))


Check = Callable[[FilteredText], bool]
"""Tells whether a document is kept."""


class FilterField(NamedTuple):
    """A field that a filter may name."""

    make: Callable[[str], Check | None]
    """Makes a check of what stands behind the colon, in lower case; None if that says nothing."""
    example: str


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
    """Return what makes checks of whether a text field holds something."""

    def make(value: str) -> Check | None:
        return (lambda one: value in getattr(one, name)) if value else None

    return make


def _make_type_check(value: str) -> Check | None:
    return (lambda one: any(value in kind for kind in one.types)) if value else None


def _make_tag_check(value: str) -> Check | None:
    key = make_key(value)
    return (lambda one: key in one.tags) if key else None


def _make_reason_check(value: str) -> Check | None:
    key = make_key(value)
    return (lambda one: key == one.reason) if key else None


FIELDS: Mapping[str, FilterField] = {
    "year": FilterField(make_years_check, "year:2010..2015"),
    "journal": FilterField(_make_part_check("journal"), "journal:lancet"),
    "type": FilterField(_make_type_check, "type:review"),
    "title": FilterField(_make_part_check("title"), "title:cats"),
    "author": FilterField(_make_part_check("authors"), "author:curie"),
    "source": FilterField(_make_part_check("source"), "source:embase"),
    "tag": FilterField(_make_tag_check, "tag:RCT"),
    "reason": FilterField(_make_reason_check, 'reason:"wrong population"'),
}
"""The fields by their names: another one is another line here, and what it looks at in
`FilteredText`."""


@dataclass(frozen=True)
class ListFilter:
    """A filter that was read.

    >>> cats = parse_filter('cats OR "guinea pigs" year:2010.. NOT type:review')
    >>> cats.words, cats.complaint
    (('cats', 'guinea pigs'), '')
    >>> cats.keeps(FilteredText("on cats", year=2009))
    True
    """

    check: Check
    words: tuple[str, ...]
    """The words and phrases that are asked for, in lower case, to be shown where they stand."""
    complaints: tuple[str, ...]
    """What was not understood."""

    def keeps(self, one: FilteredText) -> bool:
        """Tell whether a document is kept."""
        return self.check(one)

    @property
    def complaint(self) -> str:
        """What was not understood, as one line; "" if all was."""
        return "; ".join(self.complaints)


def parse_filter(line: str, *, fields: Mapping[str, FilterField] = FIELDS) -> ListFilter:
    """Read a filter: all that stands side by side must hold, and NOT binds before it, OR after.

    Args:
        line: What was typed.
        fields: The fields that it may name.
    """
    parser = _Parser(line, fields)
    check = parser.parse()
    return ListFilter(check, tuple(dict.fromkeys(parser.words)), tuple(parser.complaints))


class _Parser:
    """Reads a line from the left to the right."""

    def __init__(self, line: str, fields: Mapping[str, FilterField]) -> None:
        self.words: list[str] = []
        self.complaints: list[str] = []
        self._fields = fields
        self._tokens = list(_TOKEN.finditer(line.translate(_QUOTES)))
        self._at = 0
        self._is_asked = True
        """Whether what is read now must hold, and not the contrary."""
        self._depth = 0

    def parse(self) -> Check:
        """Return what the whole line asks for."""
        found = [self._parse_any()]
        while self._at < len(self._tokens):
            self._at += 1  # a bracket that closes what was never opened
            self._complain("a bracket closes nothing, and was left out")
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
        return _join_checks(given, any) if given else _keep_all

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
                self._complain("NOT has nothing behind it, and was left out")
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
            self._complain(f"more than {MOST_NESTED} brackets within one another were left out")
            return None
        self._depth += 1
        within = self._parse_any()
        self._depth -= 1
        if not self._take(")"):
            self._complain("a bracket is not closed: it goes to the end")
        return within

    def _read_field(self, name: str, value: str) -> Check | None:
        field = self._fields.get(name.casefold())
        if field is None:
            known = ", ".join(f"{one}:" for one in self._fields)
            self._complain(f"“{name}:” is no field, and was looked for as words; fields: {known}")
            return self._look_for(f"{name}:{value}")
        check = field.make(value.casefold())
        if check is None:
            self._complain(f"“{name}:{value}” was left out; write for example {field.example}")
        return check

    def _look_for(self, text: str) -> Check | None:
        wanted = " ".join(text.casefold().split())
        if not wanted:
            return None
        if self._is_asked:
            self.words.append(wanted)
        return lambda one: wanted in one.text

    def _unquote(self, text: str) -> str:
        if text.startswith('"') and (len(text) == 1 or not text.endswith('"')):
            self._complain("a quotation mark is missing: the phrase goes to the end")
        return " ".join(text.strip('"').split())

    def _is_next(self, *signs: str) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at][0] in signs

    def _take(self, sign: str) -> bool:
        """Go past a sign, if it is the next."""
        is_there = self._is_next(sign)
        self._at += is_there
        return is_there

    def _complain(self, words: str) -> None:
        if words not in self.complaints:
            self.complaints.append(words)


def _join_checks(checks: list[Check], how: Callable[[Iterable[object]], bool]) -> Check:
    if len(checks) == 1:
        return checks[0]
    return lambda one: how(check(one) for check in checks)


def _keep_all(_: FilteredText) -> bool:
    return True
