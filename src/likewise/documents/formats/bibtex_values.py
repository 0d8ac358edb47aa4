"""Names and lists in the values of BibTeX fields."""

from __future__ import annotations

import re
from collections.abc import Iterable

from likewise.documents.formats.bibtex_syntax import to_latex, to_unicode
from likewise.documents.formats.tagged import one_line

# Only from where a run of spaces begins: long runs would be searched again from each space.
_AND = re.compile(r"(?<!\s)\s++and\s++", re.IGNORECASE)
_SPACE = re.compile(r"[\s~]++")
_COMMA = re.compile(r",")
_SEMICOLON = re.compile(r";")


def read_names(value: str) -> tuple[str, ...]:
    """Return the names in a value, each as "Family, Given" or a group's name.

    >>> read_names("Ludwig van Beethoven and {World Health Organization} and Doe, Jane and others")
    ('van Beethoven, Ludwig', 'World Health Organization', 'Doe, Jane')
    """
    names = split_outside_braces(f" {value.strip()} ", _AND)
    return tuple(name for text in names if text.strip() != "others" and (name := _read_name(text)))


def write_names(names: Iterable[str]) -> str:
    """Return names as a BibTeX value, from which `read_names` gets the same."""
    return " and ".join(_protect_name(one_line(name)) for name in names if one_line(name))


def read_list(value: str) -> tuple[str, ...]:
    """Return the items of a value, separated by semicolons if it has any and else by commas.

    >>> read_list("asthma, {Lung Diseases, Obstructive}")
    ('asthma', 'Lung Diseases, Obstructive')
    """
    parts = split_outside_braces(value, _SEMICOLON)
    if len(parts) == 1:
        parts = split_outside_braces(value, _COMMA)
    return tuple(item for part in parts if (item := one_line(to_unicode(part))))


def write_list(items: Iterable[str]) -> str:
    """Return items as a BibTeX value, from which `read_list` gets the same."""
    texts = (to_latex(one_line(item)) for item in items)
    return ", ".join(f"{{{text}}}" if re.search("[,;]", text) else text for text in texts if text)


def split_outside_braces(text: str, separator: re.Pattern[str]) -> list[str]:
    """Split a text at a separator, except where braces protect it."""
    if "{" not in text:
        return separator.split(text)
    parts, start, depth = [], 0, 0
    for found in re.finditer(rf"[{{}}]|{separator.pattern}", text, separator.flags):
        if found[0] in "{}":
            depth += 1 if found[0] == "{" else -1
        elif depth == 0:
            parts.append(text[start : found.start()])
            start = found.end()
    return [*parts, text[start:]]


def _read_name(text: str) -> str:
    text = text.strip()
    parts = [part.strip() for part in split_outside_braces(text, _COMMA)]
    if len(parts) == 1:
        return _put_family_first(text)
    family, given = parts[0], parts[-1]
    ordered = [family, given, *parts[1:-1]]  # BibTeX puts "Jr" in the middle.
    return ", ".join(plain for part in ordered if (plain := _to_plain(part)))


def _put_family_first(text: str) -> str:
    """Return "Given von Family" as "von Family, Given"."""
    words = [word for word in split_outside_braces(text, _SPACE) if word]
    if len(words) < 2:
        return _to_plain(text)
    lower = (at for at, word in enumerate(words[:-1]) if at and _to_plain(word)[:1].islower())
    start = next(lower, len(words) - 1)
    return f"{_to_plain(' '.join(words[start:]))}, {_to_plain(' '.join(words[:start]))}"


def _to_plain(text: str) -> str:
    return one_line(to_unicode(text.replace("~", " ") if "\\" not in text else text))


def _protect_name(name: str) -> str:
    parts = [to_latex(part) for part in name.split(", ")]
    is_clear = (
        len(parts) in (2, 3)
        and all(part == part.strip() != "" for part in parts)
        and name.count(",") == len(parts) - 1
        and not _AND.search(f" {name} ")
    )
    if not is_clear:
        return f"{{{to_latex(name)}}}"
    family, given, *suffix = parts
    return ", ".join([family, *suffix, given])
