"""The cells of tables: texts, lists, headings and people as others write them, and as we do.

In our own tables a document is a row, and nothing of it is lost.

A spreadsheet would run a title such as "=HYPERLINK(...)" as a formula. In tables as text we put an
apostrophe before it, as people do when they type. A text that has apostrophes there already gets
one more, and reading takes one away, so that every text is read back as it was written. Tables of
others are read in the same way, since others guard their cells like this too.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from likewise.documents.document import (
    LEADING_NOTES,
    AnnotatedDocument,
    Document,
    MeshHeading,
    Note,
)
from likewise.documents.identity import cache_short, clean_year

# How programs say that a cell is empty: R, pandas, SQL, Excel and Scopus.
NOTHING = frozenset(
    (
        *("", "NA", "N/A", "n/a", "nan", "NaN", "None", "null", "NULL", "\\N"),
        *("#N/A", "#REF!", "#VALUE!", "#NAME?"),
        *("[No abstract available]", "[No author name available]", "No abstract available"),
    )
)

# To read such a list, Python takes a hundred times as much memory.
MAX_LIST = 200_000

_HEADING = re.compile(r"(?:(D\d{6,9}):)?(.*)", re.DOTALL)
_UI = re.compile(r"\b[A-Z]\d{5,9}\b")


def is_nothing(value: object) -> bool:
    """Return whether a cell is empty, or says so in one of the usual ways."""
    if isinstance(value, str):
        return value.strip() in NOTHING if len(value) < 32 else not value.strip()
    return value is None or value != value or value in ([], {})  # noqa: PLR0124  # NaN is not itself


def read_text(value: object) -> str:
    """Return a cell's text with single spaces; raise TypeError if it holds no text."""
    if isinstance(value, str):
        # Most texts are in order, and checking takes a fraction of the time of splitting them.
        if value.isprintable() and "  " not in value:
            return value.strip()
        return " ".join(value.split())
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return " ".join(" ".join(value).split())
    raise TypeError(name_kind(value))


def read_number(value: object) -> str:
    """Return an identifier as text, even if a program has turned it into a number."""
    if isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    text = read_text(value)
    return text[:-2] if text.endswith(".0") and text[:-2].isdigit() else text


def read_texts(value: object, *, by_comma: bool = True) -> list[str]:
    """Return the texts in a cell, split at the first of ; | newline and comma that is there.

    >>> read_texts("cats; dogs, small"), read_texts("cats, dogs"), read_texts("['cats', 'dogs']")
    (['cats', 'dogs, small'], ['cats', 'dogs'], ['cats', 'dogs'])
    """
    if isinstance(value, str):
        value = parse_list(value) or split_text(value, by_comma=by_comma)
    if not isinstance(value, list):
        raise TypeError(name_kind(value))
    for part in value:
        if not isinstance(part, str) and part is not None:
            raise TypeError(f"a list with {name_kind(part)} in it")
    return [text for text in map(_clean_text, filter(None, value)) if text]


def parse_list(text: str) -> list[Any] | None:
    """Return the list in a cell as Python, JSON or pandas write it; None if there is none."""
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")) or len(text) > MAX_LIST:
        return None
    try:
        with warnings.catch_warnings():
            # Python warns of backslashes that it does not like; here they are text.
            warnings.simplefilter("ignore")
            value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    if "\\" in text:
        value = _join_all_halves(value)
    return value if isinstance(value, list) else None


def join_halves(text: str) -> str:
    r"""Join halves of characters that were escaped one by one; replace a half that is alone.

    >>> join_halves("\ud83d\ude00"), join_halves("a\ud800b")
    ('😀', 'a�b')
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def name_key(name: str) -> str:
    """Return a column's name without case, spaces, underscores and punctuation.

    >>> name_key("Author(s)"), name_key("Journal/Book")
    ('authors', 'journalbook')
    """
    return re.sub(r"[\W_]++", "", name.casefold())


def split_text(text: str, *, by_comma: bool) -> list[str]:
    """Split a text at the first of ; | newline and comma that occurs in it."""
    for mark in (";", "|", "\n", ","):
        if mark in text and (by_comma or mark != ","):
            return text.split(mark)
    return [text]


def read_headings(names: object, uis: object = None) -> list[MeshHeading]:
    """Return the MeSH headings of a cell of names, one of identifiers, or both side by side.

    >>> read_headings("*Brain/metabolism")
    [MeshHeading(name='Brain', ui='', major=True)]
    >>> read_headings(["Infant, Newborn"], ["D007231"])
    [MeshHeading(name='Infant, Newborn', ui='D007231', major=False)]
    """
    if isinstance(names, list) and all(isinstance(name, dict) for name in names):
        return [_parse_heading_object(name) for name in names]
    # The names hold commas ("Infant, Newborn"), so a comma never separates them.
    found = [] if names is None else read_texts(names, by_comma=False)
    given = [] if uis is None else _find_uis(uis)
    if len(found) == len(given):
        return list(map(_parse_heading, found, given))
    return [_parse_heading(name) for name in found] or [MeshHeading("", ui=ui) for ui in given]


def _find_uis(value: object) -> list[str]:
    if isinstance(value, list):
        value = " ".join(map(str, value))
    if not isinstance(value, str):
        raise TypeError(name_kind(value))
    return _UI.findall(value)


def name_kind(value: object) -> str:
    """Name the kind of a JSON value; numbers and truth values are shown themselves.

    >>> name_kind(5), name_kind({}), name_kind(True)
    ('the number 5', 'an object', 'true')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"the number {value}"
    names = {str: "a text", list: "a list", dict: "an object", type(None): "null"}
    return names.get(type(value), type(value).__name__)


def _join_all_halves(value: Any) -> Any:
    if isinstance(value, str):
        return join_halves(value)
    if isinstance(value, list):
        return [_join_all_halves(part) for part in value]
    if isinstance(value, dict):
        return {_join_all_halves(key): _join_all_halves(part) for key, part in value.items()}
    return value


# The same few thousand headings, keywords and types come again and again.
@cache_short(1 << 15)
def _clean_text(text: str) -> str:
    return "" if is_nothing(text) else read_text(text)


def _parse_heading_object(parts: dict[str, Any]) -> MeshHeading:
    name, ui = read_text(parts.get("name") or ""), read_text(parts.get("ui") or "")
    return MeshHeading(name, ui=ui, major=parts.get("major") is True)


@cache_short(1 << 15)
def _parse_heading(text: str, ui: str = "") -> MeshHeading:
    # Qualifiers follow in lower case, and a star on one of them makes the heading a major one.
    descriptor = re.split(r"/(?=\*?[a-z])", text)[0].strip("* ")
    found = _HEADING.fullmatch(descriptor)
    written, name = found.groups() if found else ("", descriptor)
    return MeshHeading(name.strip("* "), ui=ui or written or "", major="*" in text)


_GROUP = re.compile(
    r"\b(group|study|trial|consortium|collaborat\w+|network|committee|team|society|association|"
    r"investigators|institute|centre|center|department|university)\b",
    re.IGNORECASE,
)
_SUFFIX = re.compile(r"(?<!\s)\s++(jr|sr|2nd|3rd|II|III|IV)\.?$", re.IGNORECASE)
_BARE_COMMA = re.compile(r",(?=[^\W\d_])")
_SPACES = re.compile(r"[^\S\n]++")
_SCOPUS_NUMBER = re.compile(r"\(\d++\)$")


def read_people(value: object) -> list[str]:
    """Return the authors in a cell, each as "Family, Given" or a group's name.

    >>> read_people("Smith J, van Dam AB."), read_people("Smith, John and Doe, Ann")
    (['Smith, J', 'van Dam, AB'], ['Smith, John', 'Doe, Ann'])
    >>> read_people("J. Smith; A. B. van Dam"), read_people("J Smith, AB van Dam")
    (['Smith, J.', 'van Dam, A. B.'], ['Smith, J', 'van Dam, AB'])
    """
    if isinstance(value, dict):
        value = [value]
    if isinstance(value, str):
        value = parse_list(value) or _split_names(value)
    if not isinstance(value, list):
        raise TypeError(name_kind(value))
    parts = [part for part in value if not is_nothing(part)]
    names = [part for part in parts if isinstance(part, str) and _begins_with_initials(part)]
    # A single one may be like "UK Biobank", unless it has a dot.
    if len(names) == len(parts) and (len(names) > 1 or all("." in name for name in names)):
        parts = list(map(_put_initials_last, names))
    found = [read_person(part) for part in parts]
    return [name for name in found if name and name.casefold().rstrip(".") != "et al"]


def read_person(value: object) -> str:
    """Return a name as "Family, Given" if it is clear which is which.

    >>> read_person("de la Cruz JM"), read_person({"family": "Li", "given": "Na"})
    ('de la Cruz, JM', 'Li, Na')
    >>> read_person("WHO Study Group")
    'WHO Study Group'
    """
    if isinstance(value, dict):
        return _join_name(value)
    name = _SCOPUS_NUMBER.sub("", read_text(value)).strip(" ,")
    if "," in name or not _is_short_name(name):
        return _BARE_COMMA.sub(", ", name)
    bare = _SUFFIX.sub("", name)
    family, _, initials = bare.rpartition(" ")
    return f"{family}, {initials}{name[len(bare) :]}"


def _split_names(text: str) -> list[str]:
    # Long runs of spaces would be searched again from each of them.
    text = _SPACES.sub(" ", text).strip()
    if text.endswith(".") and text.count(".") == 1:
        text = text[:-1]  # PubMed closes its list with a full stop.
    if any(mark in text for mark in ";|\n"):
        return split_text(text, by_comma=False)
    joined = re.split(r"(?<!\s)\s++and\s++", text)
    if len(joined) > 1 and all("," in name for name in joined):
        return joined
    parts = [part for part in map(str.strip, text.split(",")) if part not in ("…", "...")]
    # Nobody writes "Okafor N, Ngozi": after initials, a comma separates authors.
    if _is_short_name(parts[0]) or (_GROUP.search(parts[0]) and _is_short_name(parts[-1])):
        return parts
    if len(parts) % 2 == 0 and all(_is_initials(part) for part in parts[1::2]):
        return [", ".join(parts[at : at + 2]) for at in range(0, len(parts), 2)]
    if len(parts) > 1 and all(map(_begins_with_initials, parts)):
        return parts
    if len(parts) > 2 and all(" " in part and not _GROUP.search(part) for part in parts):
        return parts
    return [text]


def _begins_with_initials(name: str) -> bool:
    """Return whether a name is initials and a family, as in "J. van Dam" and "AB Smith"."""
    first, _, family = name.strip().partition(" ")
    return _is_initials(first) and family[-1:].islower() and not _GROUP.search(family)


def _put_initials_last(name: str) -> str:
    words = name.split()
    count = next(at for at, word in enumerate(words) if not _is_initials(word))
    return f"{' '.join(words[count:])}, {' '.join(words[:count])}"


def _is_short_name(name: str) -> bool:
    """Return whether a name is a family and initials, as in "van Dam AB" and "Smith J. Jr"."""
    family, _, initials = _SUFFIX.sub("", name).rpartition(" ")
    return 0 < len(family.split()) <= 4 and _is_initials(initials) and not _GROUP.search(family)


def _is_initials(text: str) -> bool:
    letters = re.sub(r"[.\s-]", "", text)
    return 0 < len(letters) <= 4 and letters.isalpha() and letters.isupper()


def _join_name(parts: dict[str, Any]) -> str:
    lower = {str(key).lower().replace("_", ""): value for key, value in parts.items()}
    family = lower.get("family") or lower.get("lastname")
    given = lower.get("given") or lower.get("firstname") or lower.get("forename")
    whole = lower.get("name") or lower.get("displayname") or lower.get("literal")
    if family:
        return ", ".join(read_text(part) for part in (family, given) if part)
    return read_person(whole) if isinstance(whole, str) else ""


# Spreadsheets skip white space, and in East Asia also accept the wide forms of these marks.
_FORMULA = r"(?:[\t\r\n]|\s*+[=+\-@\uff1d\uff0b\uff0d\uff20])"
_IN_DANGER = re.compile(rf"'*+{_FORMULA}")
_GUARDED = re.compile(rf"'++{_FORMULA}")


def is_like_a_formula(text: str) -> bool:
    """Return whether a spreadsheet could take a text for a formula, guarded or not.

    >>> [is_like_a_formula(text) for text in ("=1+1", "'=1+1", "1-1", "'tis")]
    [True, True, False, False]
    """
    return _IN_DANGER.match(text) is not None


def guard_cell(text: str) -> str:
    """Return a text as it is written to a table: with an apostrophe before it if it needs one.

    >>> guard_cell("=1+1"), guard_cell("'=1+1"), guard_cell("On cats")
    ("'=1+1", "''=1+1", 'On cats')
    """
    return f"'{text}" if is_like_a_formula(text) else text


def unguard_cell(cell: str) -> str:
    """Return the text of a cell, without the apostrophe that may guard it.

    >>> unguard_cell("'=1+1"), unguard_cell("''=1+1"), unguard_cell("'tis"), unguard_cell("=1+1")
    ('=1+1', "'=1+1", "'tis", '=1+1')
    """
    return cell[1:] if _GUARDED.match(cell) else cell


FIELDS = Document.__struct_fields__
"""The columns that we write, in this order; a table that has them all is read back exactly."""
LISTS = frozenset(
    (
        *("authors", "other_ids", "mesh", "keywords", "publication_types"),
        *("issn", "isbn", "editors", "urls", "remarks", "references", "extra"),
    )
)
ALWAYS_OURS = frozenset(
    (
        *("id", "title", "abstract", "year", "authors", "journal", "doi", "pmid", "pmcid"),
        *("other_ids", "mesh", "keywords", "publication_types", "language", "source"),
    )
)
"""The columns that our tables have had since the first version."""


def make_row(document: Document, notes: Mapping[str, Note]) -> dict[str, Note]:
    """Return the cells of a document and of the notes on it; its year stays a number."""
    row: dict[str, Note] = {**to_row(document), **notes}
    if document.year is not None:
        row["year"] = document.year
    return row


def to_row(document: Document) -> dict[str, str]:
    """Return a document as texts by column, without losing anything."""
    row = {}
    for name in FIELDS:
        value = getattr(document, name)
        if name == "mesh":
            value = [_write_heading(heading) for heading in value]
        elif name == "extra":
            value = [write_pair(*pair) for pair in value]
        row[name] = _join(value) if name in LISTS else "" if value is None else str(value)
    return row


def lay_out_table(
    annotated: Iterable[AnnotatedDocument],
) -> tuple[list[str], Iterator[AnnotatedDocument]]:
    """Return the columns of a table, and the entries that fill it.

    Ours come first, and then the notes'; in a session's table, the notes that matter most lead.
    """
    entries = iter(annotated)
    first = list(islice(entries, 1))
    notes = first[0].notes if first else {}
    leading = [name for name in LEADING_NOTES if name in notes] if "reason" in notes else []
    others = (name for name in (*FIELDS, *notes) if name not in leading)
    return [*leading, *others], chain(first, entries)


def from_row(row: dict[str, str]) -> Document:
    """Return the document that `to_row` was given.

    >>> document = Document(title="On cats", keywords=("a; b", "c"), mesh=(MeshHeading("Cats"),))
    >>> from_row(to_row(document)) == document
    True
    """
    fields: dict[str, Any] = {
        name: split_parts(text) if name in LISTS else text for name, text in row.items()
    }
    year = row.get("year", "")
    fields["year"] = int(year) if re.fullmatch(r"-?[0-9]{1,9}", year) else clean_year(year)
    fields["mesh"] = tuple(_read_heading(text) for text in fields.get("mesh", ()))
    fields["extra"] = tuple(map(read_pair, fields.get("extra", ())))
    return Document(**fields)


def _join(values: Sequence[str]) -> str:
    return "; ".join(value.replace("\\", r"\\").replace(";", r"\;") for value in values)


_PART = re.compile(r"(?:\A|; )((?:[^;\\]|\\.)*+)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def split_parts(text: str) -> tuple[str, ...]:
    """Return the items in a cell that we wrote."""
    if not text:
        return ()
    if "\\" not in text:
        return tuple(text.split("; "))
    return tuple(_ESCAPED.sub(r"\1", part) for part in _PART.findall(text))


def write_pair(tag: str, value: str) -> str:
    r"""Write a pair of tag and value as "ris:C1=value".

    >>> write_pair("ris:C1", "a=b"), write_pair("csv:a=b", "c")
    ('ris:C1=a=b', 'csv:a\\=b=c')
    """
    guarded = tag.replace("\\", r"\\").replace("=", r"\=") if "=" in tag or "\\" in tag else tag
    return f"{guarded}={value}"


_PAIR = re.compile(r"((?:[^\\=]|\\.)*+)=?", re.DOTALL)


def read_pair(text: str) -> tuple[str, str]:
    """Return the pair that `write_pair` was given."""
    found = _PAIR.match(text)
    end = found.end() if found else 0
    tag = found[1] if found else ""
    return _ESCAPED.sub(r"\1", tag) if "\\" in tag else tag, text[end:]


def _write_heading(heading: MeshHeading) -> str:
    """Write a heading as "*D000818:Animals", with the star if it is major.

    >>> _write_heading(MeshHeading("Animals", ui="D000818")), _write_heading(MeshHeading("a: b"))
    ('D000818:Animals', ':a: b')
    """
    # A name that could be taken for a star or an identifier gets a colon before it.
    guarded = heading.ui or ":" in heading.name or heading.name[:1] in ("*", "")
    text = f"{heading.ui}:{heading.name}" if guarded else heading.name
    return f"*{text}" if heading.major else text


def _read_heading(text: str) -> MeshHeading:
    major = text.startswith("*")
    ui, colon, name = text.removeprefix("*").partition(":")
    return MeshHeading(name if colon else ui, ui=ui if colon else "", major=major)
