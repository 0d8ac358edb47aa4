"""The parts of a citation as people and programs write them: dates, pages, numbers, remarks.

Each is brought into one form, so that any format can write what another says: a date as
"2021/03/15", pages as "12-19", an ISSN as "1234-5678".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from likewise.documents.document import NOTICE_WORDS
from likewise.documents.identity import cache_short, clean_year

_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_NUMBERED_DATE = re.compile(
    r"([0-9]{4})(?:[/.-]([0-9]{1,2})?(?:[/.-]([0-9]{1,2})?(?:/(.*))?)?)?", re.DOTALL
)
_TIME = re.compile(r"(?<=[0-9])[T ][0-9]{2}:[0-9:.+Z-]*$")
# No date is longer; a longer text stays as it is.
_LONGEST_DATE = 40
_JOINED_YEAR = re.compile(r"(?<=[a-z])(?=[0-9]{4}$)")
_COMPACT_DATE = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")
# The parts of a value with several serial numbers, such as "1234-5678 (Print), 2345-6789".
_BETWEEN_SERIALS = re.compile(r"[\s,;:()\[\]/|]+")
_SPACED_ISBN = re.compile(r"(?<![0-9-])97[89](?:[ -]?[0-9]){10}(?![0-9-])")
_HYPHENS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"))
_ISBN_LENGTHS = (10, 13)
_ISSN_LENGTH = 8

ENDNOTE_TYPES = {
    "JOUR": "Journal Article", "BOOK": "Book", "CHAP": "Book Section", "THES": "Thesis",
    "CPAPER": "Conference Paper", "CONF": "Conference Proceedings", "RPRT": "Report",
    "GEN": "Generic", "EDBOOK": "Edited Book", "EBOOK": "Electronic Book",
    "ECHAP": "Electronic Book Section", "EJOUR": "Electronic Article", "ELEC": "Web Page",
    "NEWS": "Newspaper Article", "MGZN": "Magazine Article", "PAT": "Patent",
    "UNPB": "Unpublished Work", "MANSCPT": "Manuscript", "DATA": "Dataset",
    "COMP": "Computer Program", "ENCYC": "Encyclopedia", "DICT": "Dictionary",
    "GOVDOC": "Government Document", "STAND": "Standard", "SER": "Serial", "BLOG": "Blog",
    "GRANT": "Grant", "PAMP": "Pamphlet", "PCOMM": "Personal Communication",
}  # fmt: skip
"""EndNote's names for types of work, by what RIS calls them."""


def clean_date(text: str, year: int | None = None) -> str:
    """Return a date as "2021/03/15" or "2021/03"; other text as it is; "" for a year alone.

    >>> clean_date("2021 Oct 14"), clean_date("Mar 3", 2014), clean_date("2019//")
    ('2021/10/14', '2014/03/03', '')
    >>> clean_date("2021-03-15T00:00"), clean_date("15 March 2021"), clean_date("2021 MAR-APR")
    ('2021/03/15', '2021/03/15', '2021 MAR-APR')
    >>> clean_date("Winter", 1998), clean_date("1998///Winter")
    ('1998 Winter', '1998 Winter')

    Args:
        text: The date as it is written.
        year: The year given elsewhere, for a date without one.
    """
    text = " ".join(text.split())
    return _clean_date(text, year) if len(text) <= _LONGEST_DATE else text


# The same dates and numbers come again and again.
@cache_short(1 << 12)
def _clean_date(text: str, year: int | None) -> str:
    numbers = _TIME.sub("", text)
    if found := _NUMBERED_DATE.fullmatch(numbers) or _COMPACT_DATE.fullmatch(numbers):
        parts = (*found.groups(), "")
        if made := _join_date(*(int(part or 0) for part in parts[:3])):
            return made
        if season := (parts[3] or "").strip():
            return f"{found[1]} {season}"
        # An impossible date stays as it is, unless it says only the year.
        return "" if text.rstrip("/.-") == found[1] else text
    if made := _read_worded_date(text, year):
        return made
    if not text or text.isdecimal():
        return ""
    return text if clean_year(text) or not year else f"{year} {text}"


def format_date(year: str, month: str | None = "", day: str | None = "") -> str:
    """Return a date made of its parts, the month a number or a name; "" for a year alone.

    >>> format_date("2021", "March", "5"), format_date("2021", "Spring"), format_date("2021")
    ('2021/03/05', '2021 Spring', '')
    """
    if not month or not _read_number(year, digits=4) > 0:
        return ""
    number = _read_number(month) if month.isdecimal() else _number_month(month)
    if not number and not month.isdecimal():
        return " ".join(filter(None, (year, month, day)))
    told = int(year)
    return _join_date(told, number, _read_number(day or "")) or _join_date(told, number, 0)


def _read_number(text: str, *, digits: int = 2) -> int:
    return int(text) if text.isdecimal() and len(text) <= digits else 0


def _join_date(year: int, month: int, day: int) -> str:
    if not 1 <= month <= len(_MONTHS) or day > 31:
        return ""
    return f"{year:04}/{month:02}/{day:02}" if day else f"{year:04}/{month:02}"


def _read_worded_date(text: str, year: int | None) -> str:
    """Return a date whose month is a word; "" if there is anything else in it."""
    month = day = told = 0
    # EBSCO has no space in "Jan2021".
    for word in _JOINED_YEAR.sub(" ", text.replace(",", " ")).split():
        if word.isdecimal() and len(word) == 4 and not told:
            told = int(word)
        elif word.isdecimal() and len(word) <= 2 and not day:
            day = int(word)
        elif (number := _number_month(word)) and not month:
            month = number
        else:
            return ""
    return _join_date(told or year or 0, month, day) if told or year else ""


def _number_month(word: str) -> int:
    name = word.rstrip(".").lower()
    name = "sep" if name == "sept" else name
    matching = (number for number, month in enumerate(_MONTHS, 1) if month.startswith(name))
    return next(matching, 0) if len(name) >= 3 else 0


def read_date_parts(value: object) -> str:
    """Return a date of CSL, {"date-parts": [[2021, 3, 15]]} or in words, as `clean_date` does.

    >>> read_date_parts({"date-parts": [["2021", 3]]}), read_date_parts({"raw": "15 Mar 2021"})
    ('2021/03', '2021/03/15')
    """
    if not isinstance(value, dict):
        return clean_date(str(value)) if isinstance(value, str | int) else ""
    parts = value.get("date-parts")
    if isinstance(parts, list) and len(parts) == 1 and isinstance(parts[0], list):
        texts = [str(part) for part in parts[0] if isinstance(part, str | int)]
        return format_date(*texts) if 1 <= len(texts) <= 3 else ""
    words = (value.get(name) for name in ("literal", "raw"))
    return next((clean_date(word) for word in words if isinstance(word, str)), "")


def spell_date(date: str) -> str:
    """Return a date as PubMed writes it.

    >>> spell_date("2021/10/05"), spell_date("1998 Winter")
    ('2021 Oct 5', '1998 Winter')
    """
    found = _NUMBERED_DATE.fullmatch(date)
    year, month, day = (int(part or 0) for part in found.groups()[:3]) if found else (0, 0, 0)
    if _join_date(year, month, day) != date or not date:
        return date
    spelled = f"{year} {_MONTHS[month - 1][:3].capitalize()}"
    return f"{spelled} {day}" if day else spelled


def join_pages(first: str, last: str) -> str:
    """Return a range of pages; a first page that is a range already stays as it is.

    >>> join_pages("12", "19"), join_pages("12-19", "19"), join_pages("e7", "")
    ('12-19', '12-19', 'e7')
    """
    first, last = first.translate(_HYPHENS), last.translate(_HYPHENS)
    if not last or last == first or not first or first.endswith(f"-{last}"):
        return first or last
    return f"{first}-{last}"


def split_pages(pages: str) -> tuple[str, str]:
    """Return the first page and the last; pages that are no plain range are returned as the first.

    >>> split_pages("12-19"), split_pages("112-9"), split_pages("S1-S4, 7")
    (('12', '19'), ('112-9', ''), ('S1-S4, 7', ''))
    """
    first, _, last = pages.partition("-")
    # "112-9" means 112 to 119, and a last page of 9 would mislead.
    is_range = first.isalnum() and last.isalnum() and len(first) <= len(last) and first != last
    return (first, last) if is_range else (pages, "")


class SerialNumbers(NamedTuple):
    """The ISSNs and ISBNs of a journal or a book."""

    issn: tuple[str, ...] = ()
    isbn: tuple[str, ...] = ()


def find_serials(texts: Iterable[str], *, others: str = "") -> SerialNumbers:
    """Return the ISSNs and ISBNs in texts, each once, whatever is around them.

    >>> find_serials(["1234-567x (Print) 23456789", "ISBN: 978 3 16 148410 0"])
    SerialNumbers(issn=('1234-567X', '2345-6789'), isbn=('978-3-16-148410-0',))
    >>> find_serials(["12-3 (Print)"]), find_serials(["12-3 (Print)"], others="issn")
    (SerialNumbers(issn=(), isbn=()), SerialNumbers(issn=('12-3',), isbn=()))

    Args:
        texts: Texts that may hold such numbers.
        others: What to take numbers of neither kind for, "issn" or "isbn"; if it is "", they
            are left out.
    """
    found = [_parse_serials(text, others) for text in texts]
    if len(found) == 1:
        return found[0]
    return SerialNumbers(
        tuple(dict.fromkeys(number for numbers in found for number in numbers.issn)),
        tuple(dict.fromkeys(number for numbers in found for number in numbers.isbn)),
    )


@cache_short(1 << 12)
def _parse_serials(text: str, others: str) -> SerialNumbers:
    numbers: dict[str, dict[str, None]] = {"issn": {}, "isbn": {}, "": {}}
    text = _SPACED_ISBN.sub(lambda found: found[0].replace(" ", "-"), text.translate(_HYPHENS))
    for word in _BETWEEN_SERIALS.split(text):
        bare = word.replace("-", "").upper()
        if not (bare.isascii() and bare[:-1].isdecimal() and bare[-1] in "0123456789X"):
            continue
        if len(bare) == _ISSN_LENGTH:
            numbers["issn"][f"{bare[:4]}-{bare[4:]}"] = None
        elif len(bare) in _ISBN_LENGTHS:
            numbers["isbn"][word] = None
        else:
            numbers[others][word] = None
    return SerialNumbers(tuple(numbers["issn"]), tuple(numbers["isbn"]))


_SCREENING = ("ASReview_", "asreview_")
_RAYYAN_LABEL = "RAYYAN-INCLUSION"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# What each note of an expansion or a session looks like: people's remarks have colons too.
_NOTES: dict[str, Callable[[str], bool]] = {
    "rank": _is_number,
    "score": _is_number,
    "probability": _is_number,
    "decision": ("true", "false").__contains__,
    "seed": ("true", "false").__contains__,
    "words": bool,
    "nearest_seed": bool,
    "citations": lambda text: text.startswith(("cites ", "is cited ", "shares ")),
    "notice": lambda text: text.startswith(tuple(NOTICE_WORDS.values())),
    "mark": ("relevant", "irrelevant", "maybe").__contains__,
    "reason": bool,
    "tags": bool,
    "review_note": bool,
    "marked_by": bool,
    "marked_at": lambda text: text[:4].isdecimal(),
    "asreview": lambda text: text.startswith(_SCREENING),
    "label_included": _is_number,
}


def is_note(text: str) -> bool:
    """Return whether a line is a note of an expansion or a label of a screening, not a remark.

    If a format has one place for all notes, they are on one line, separated by semicolons.

    >>> is_note("rank: 3"), is_note("ASReview_relevant"), is_note("score: see table 2")
    (True, True, False)
    >>> is_note("rank: 3; mark: relevant")
    True
    """
    text = text.strip()
    return text.startswith(_SCREENING) or any(map(_is_named, (text, text.partition(";")[0])))


def _is_named(text: str) -> bool:
    name, colon, value = text.partition(": ")
    return bool(colon) and name in _NOTES and _NOTES[name](value.strip())


def list_remarks(notes: Iterable[str]) -> tuple[str, ...]:
    r"""Return what people and databases noted, without the notes and labels of screenings.

    >>> list_remarks(["rank: 3", "Cited by 7", 'RAYYAN-INCLUSION: {"A"=>"Maybe"} | LABELS: phone'])
    ('Cited by 7', 'LABELS: phone')
    """
    texts = (" ".join(_keep_remarks(note)) for note in notes)
    return tuple(dict.fromkeys(text for text in texts if text))


def _keep_remarks(note: str) -> Iterator[str]:
    for line in note.split("\n"):
        if is_note(line):
            continue
        if _RAYYAN_LABEL in line:
            parts = (part.strip() for part in line.split(" | "))
            line = " | ".join(part for part in parts if not part.startswith(_RAYYAN_LABEL))
        if words := line.split():
            yield " ".join(words)
