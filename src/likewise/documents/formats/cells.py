"""The values in the cells of tables that others made: texts, lists and headings as they come."""

from __future__ import annotations

import ast
import re
import warnings
from functools import lru_cache
from typing import Any

from likewise.documents.document import MeshHeading

# How programs say that a cell is empty: R, pandas, SQL, Excel and Scopus.
NOTHING = frozenset(
    (
        *("", "NA", "N/A", "n/a", "nan", "NaN", "None", "null", "NULL", "\\N"),
        *("#N/A", "#REF!", "#VALUE!", "#NAME?"),
        *("[No abstract available]", "[No author name available]", "No abstract available"),
    )
)

_HEADING = re.compile(r"(?:(D\d{6,9}):)?(.*)", re.DOTALL)
_UI = re.compile(r"\b[A-Z]\d{5,9}\b")


def is_nothing(value: object) -> bool:
    """Tell whether a cell says nothing, in whichever way."""
    if isinstance(value, str):
        return value.strip() in NOTHING if len(value) < 32 else not value.strip()
    return value is None or value != value or value in ([], {})  # noqa: PLR0124  # NaN is not itself


def one_text(value: object) -> str:
    """Return a cell's text with single spaces; raise TypeError if it is none."""
    if isinstance(value, str):
        # Most texts are in order, and looking costs a fraction of what parting and joining does.
        if value.isprintable() and "  " not in value:
            return value.strip()
        return " ".join(value.split())
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return " ".join(" ".join(value).split())
    raise TypeError(kind(value))


def one_number(value: object) -> str:
    """Return an identifier's text, which a program may have made a number of."""
    if isinstance(value, list) and value:
        value = value[0]
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    text = one_text(value)
    return text[:-2] if text.endswith(".0") and text[:-2].isdigit() else text


def many_texts(value: object, *, by_comma: bool = True) -> list[str]:
    """Return the texts in a cell, parted by whichever of ; | newline and comma is there.

    >>> many_texts("cats; dogs, small"), many_texts("cats, dogs"), many_texts("['cats', 'dogs']")
    (['cats', 'dogs, small'], ['cats', 'dogs'], ['cats', 'dogs'])
    """
    if isinstance(value, str):
        value = listed(value) or parted(value, by_comma=by_comma)
    if not isinstance(value, list):
        raise TypeError(kind(value))
    for part in value:
        if not isinstance(part, str) and part is not None:
            raise TypeError(f"a list with {kind(part)} in it")
    return [text for text in map(_part, value) if text]


def listed(text: str) -> list[Any] | None:
    """Read a list as Python and JSON write it, which pandas puts into cells."""
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return None
    try:
        with warnings.catch_warnings():
            # Python warns of backslashes that it does not like; here they are text.
            warnings.simplefilter("ignore")
            value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    if "\\" in text:
        value = _whole(value)
    return value if isinstance(value, list) else None


def whole_characters(text: str) -> str:
    r"""Join the halves of characters that escapes wrote one by one; replace one that is alone.

    >>> whole_characters("\ud83d\ude00"), whole_characters("a\ud800b")
    ('😀', 'a�b')
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def parted(text: str, *, by_comma: bool) -> list[str]:
    """Part a text by whichever of ; | newline and comma is there, in this order."""
    for mark in (";", "|", "\n", ","):
        if mark in text and (by_comma or mark != ","):
            return text.split(mark)
    return [text]


def headings(names: object, uis: object = None) -> list[MeshHeading]:
    """Return the MeSH headings of a cell of names, one of identifiers, or both side by side.

    >>> headings("*Brain/metabolism")
    [MeshHeading(name='Brain', ui='', major=True)]
    >>> headings(["Infant, Newborn"], ["D007231"])
    [MeshHeading(name='Infant, Newborn', ui='D007231', major=False)]
    """
    if isinstance(names, list) and all(isinstance(name, dict) for name in names):
        return [_heading_of_parts(name) for name in names]
    # The names hold commas ("Infant, Newborn"), so a comma never parts them.
    found = [] if names is None else many_texts(names, by_comma=False)
    given = [] if uis is None else _uis(uis)
    if len(found) == len(given):
        return list(map(_heading, found, given))
    return [_heading(name) for name in found] or [MeshHeading("", ui=ui) for ui in given]


def _uis(value: object) -> list[str]:
    if isinstance(value, list):
        value = " ".join(map(str, value))
    if not isinstance(value, str):
        raise TypeError(kind(value))
    return _UI.findall(value)


def kind(value: object) -> str:
    """Name the kind of a JSON value, with the value itself where it is short.

    >>> kind(5), kind({}), kind(True)
    ('the number 5', 'an object', 'true')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"the number {value}"
    names = {str: "a text", list: "a list", dict: "an object", type(None): "null"}
    return names.get(type(value), type(value).__name__)


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return whole_characters(value)
    if isinstance(value, list):
        return [_whole(part) for part in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(part) for key, part in value.items()}
    return value


# The same few thousand headings, keywords and types come again and again.
@lru_cache(maxsize=1 << 15)
def _part(text: str | None) -> str:
    return "" if is_nothing(text) else one_text(text)


def _heading_of_parts(parts: dict[str, Any]) -> MeshHeading:
    name, ui = one_text(parts.get("name") or ""), one_text(parts.get("ui") or "")
    return MeshHeading(name, ui=ui, major=parts.get("major") is True)


@lru_cache(maxsize=1 << 15)
def _heading(text: str, ui: str = "") -> MeshHeading:
    # Qualifiers follow in lower case, and a star on one of them makes the heading a major one.
    descriptor = re.split(r"/(?=\*?[a-z])", text)[0].strip("* ")
    found = _HEADING.fullmatch(descriptor)
    written, name = found.groups() if found else ("", descriptor)
    return MeshHeading(name.strip("* "), ui=ui or written or "", major="*" in text)
