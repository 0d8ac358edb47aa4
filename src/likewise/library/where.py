"""Limits of a search: on year, language and publication type.

    year>=2010 and language=eng and type=review|meta-analysis

Conditions are joined by "and" or commas, and a document must fulfil all of them; alternatives are
joined by "or" or "|". Years take =, >=, <=, > and <; languages and types take = and !=. A document
without a year fulfils no condition on years; one without a language, or types, fulfils only !=.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple, cast, get_args

from likewise.documents import Document
from likewise.errors import SettingsError

ValueField = Literal["language", "type"]
VALUE_FIELDS: tuple[ValueField, ...] = get_args(ValueField)
LIMITED = ("year", *VALUE_FIELDS)
"""What a search can be limited by."""

LAST_YEAR = 9_999

_EXAMPLE = "write, for example, year>=2010 and language=eng and type=review"
_OPERATOR = r"(?:>=|<=|!=|=|<|>)"
_CONDITION = re.compile(rf"\s*([a-z_]+)\s*({_OPERATOR})(.*)", re.IGNORECASE | re.DOTALL)
# A comma or an "and" may be part of a value: it joins conditions only if another one follows.
_JOINT = re.compile(rf"(?:,|\band\b)(?=\s*[a-z_]+\s*{_OPERATOR})", re.IGNORECASE)
_OR = re.compile(r"\||\bor\b", re.IGNORECASE)
_APART = re.compile(r"[;,/|]|\band\b", re.IGNORECASE)

# For each language, PubMed's code first, then its other names.
_LANGUAGES = """
afr af afrikaans; ara ar arabic; bul bg bulgarian; cat ca catalan; chi zh zho chinese;
cze cs ces czech; dan da danish; dut nl nld dutch; eng en english; est et estonian; fin fi finnish;
fre fr fra french; ger de deu german; gre el ell greek; heb he hebrew; hin hi hindi;
hrv hr scr croatian; hun hu hungarian; ice is isl icelandic; ind id indonesian; ita it italian;
jpn ja japanese; kor ko korean; lat la latin; lav lv latvian; lit lt lithuanian; may ms msa malay;
nor no nb nn nob nno norwegian; per fa fas persian; pol pl polish; por pt portuguese;
rum ro ron romanian; rus ru russian; slo sk slk slovak; slv sl slovenian; spa es spanish;
srp sr scc serbian; swe sv swedish; tha th thai; tur tr turkish; ukr uk ukrainian;
vie vi vietnamese
"""


class ValueLimit(NamedTuple):
    """Values of which a document must have one, or must have none."""

    field: ValueField
    values: tuple[str, ...]
    """Spelled as `list_values` spells a document's, and sorted."""
    is_excluded: bool = False

    def __str__(self) -> str:
        return f"{self.field}{'!=' if self.is_excluded else '='}{'|'.join(self.values)}"


@dataclass(frozen=True)
class Where:
    """The limits of a search; false if there are none.

    >>> str(Where.parse("type=Review, year > 2009"))
    'year>=2010 and type=review'
    """

    first_year: int | None = None
    last_year: int | None = None
    limits: tuple[ValueLimit, ...] = ()
    """Sorted, each once."""

    @classmethod
    def parse(cls, text: str) -> Where:
        """Return the limits that a text states; "" states none."""
        first, last, limits = 1, LAST_YEAR, set()
        for condition in _JOINT.split(text) if text.strip() else []:
            parts = _CONDITION.fullmatch(condition)
            if not parts:
                raise SettingsError(f"{condition.strip()!r} is not a condition; {_EXAMPLE}")
            field, operator, value = parts[1].lower(), parts[2], parts[3]
            if field == "year":
                low, high = _parse_years(operator, value)
                first, last = max(first, low), min(last, high)
            elif field in VALUE_FIELDS:
                limits.add(_parse_values(cast("ValueField", field), operator, value))
            else:
                known = f"{', '.join(LIMITED[:-1])} and {LIMITED[-1]}"
                raise SettingsError(f"{condition.strip()!r} names none of {known}; {_EXAMPLE}")
        if first > last:
            raise SettingsError(f"no year meets {text.strip()!r}; {_EXAMPLE}")
        return cls(
            first if first > 1 else None, last if last < LAST_YEAR else None, tuple(sorted(limits))
        )

    def __str__(self) -> str:
        bounds = {">=": self.first_year, "<=": self.last_year}
        if self.first_year == self.last_year:
            bounds = {"=": self.first_year}
        years = [f"year{sign}{year}" for sign, year in bounds.items() if year is not None]
        return " and ".join([*years, *map(str, self.limits)])

    def __bool__(self) -> bool:
        return self != Where()

    @property
    def has_years(self) -> bool:
        """Whether it limits years."""
        return self.first_year is not None or self.last_year is not None

    @property
    def fields(self) -> list[str]:
        """The names of what it limits."""
        named = {limit.field for limit in self.limits}
        return [name for name in LIMITED if name in named or (name == "year" and self.has_years)]

    def matches(self, document: Document) -> bool:
        """Return whether a document fulfils all conditions."""
        if self.has_years:
            year, first, last = document.year, self.first_year or 1, self.last_year or LAST_YEAR
            if year is None or not first <= year <= last:
                return False
        return all(
            limit.is_excluded == set(limit.values).isdisjoint(list_values(document, limit.field))
            for limit in self.limits
        )


ANYWHERE = Where()


def _parse_years(operator: str, text: str) -> tuple[int, int]:
    """Return the first and the last year of a condition."""
    if not re.fullmatch(r"\s*[0-9]{1,4}\s*", text) or not int(text):
        raise SettingsError(f"{text.strip()!r} is not a year; {_EXAMPLE}")
    year = int(text)
    spans = {
        "=": (year, year),
        ">=": (year, LAST_YEAR),
        ">": (year + 1, LAST_YEAR),
        "<=": (1, year),
        "<": (1, year - 1),
    }
    if operator not in spans:
        raise SettingsError(f"years take =, >=, <=, > and <, not {operator}; {_EXAMPLE}")
    return spans[operator]


def _parse_values(field: ValueField, operator: str, text: str) -> ValueLimit:
    if operator not in {"=", "!="}:
        raise SettingsError(f"{field} takes = and !=, not {operator}; {_EXAMPLE}")
    values = _clean(field, _OR.split(text))
    if not values:
        raise SettingsError(f"{field}{operator} has nothing after it; {_EXAMPLE}")
    return ValueLimit(field, tuple(sorted(values)), operator == "!=")


def list_values(document: Document, field: ValueField) -> list[str]:
    """Return the languages or the types of a document in the spelling of limits, sorted.

    >>> from likewise.documents import Document
    >>> list_values(Document(language="English; fr"), "language")
    ['eng', 'fre']
    """
    if field == "language":
        return sorted(_clean(field, _APART.split(document.language)))
    return sorted(_clean(field, document.publication_types))


def list_spellings(field: ValueField, value: str) -> list[str]:
    """Return all spellings of a value, its own first; case does not matter.

    >>> list_spellings("language", "eng")
    ['eng', 'en', 'english']
    """
    return _languages().get(value, [value]) if field == "language" else [value]


def _clean(field: ValueField, values: Iterable[str]) -> set[str]:
    """Return values in lower case and with single spaces; languages by PubMed's names."""
    plain = {" ".join(value.split()).lower() for value in values} - {""}
    if field != "language":
        return plain
    known = _languages()
    # "en-US" is English too.
    spellings = (known.get(v) or known.get(re.split(r"[-_]", v)[0], [v]) for v in plain)
    return {names[0] for names in spellings}


@cache
def _languages() -> dict[str, list[str]]:
    """Return the spellings of each language, by every one of them."""
    languages = [language.split() for language in _LANGUAGES.split(";")]
    return {spelling: language for language in languages for spelling in language}
