"""From what another index holds of a paper to a document, however its makers wrote it down."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from likewise.documents import Document, MeshHeading
from likewise.documents.identity import clean_doi, clean_pmcid, clean_pmid, clean_year

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SAYING = ("text", "value", "content")
_NAMES = (
    "name", "full_name", "fullname", "display_name", "descriptor_name", "descriptor", "heading",
    "term", "label", "title", "collective_name",
)  # fmt: skip
_FAMILY = ("family", "last", "last_name", "lastname", "surname", "family_name")
_GIVEN = ("given", "first", "first_name", "firstname", "fore_name", "forename", "given_name",
          "initials")  # fmt: skip
_UIS = ("ui", "id", "descriptor_ui", "mesh_id")
_MAJOR = ("major", "is_major", "major_topic", "majortopic")
_UI = re.compile(r"[A-Z]\d{6,9}")

_LAST_YEAR = 9_999
# From here on a number of that many digits counts milliseconds, not seconds.
_MILLISECONDS = 10**11


def document_of(
    source: Mapping[str, Any], *, paths: Mapping[str, str], identifier: str, origin: str
) -> Document:
    """Return the document that a source tells of.

    Args:
        source: What came back.
        paths: Where in it each part of a document lies.
        identifier: The document's id.
        origin: The index that it comes from.
    """
    values = {name: list(values_at(source, path)) for name, path in paths.items()}
    texts = {name: list(_texts(found)) for name, found in values.items()}
    first = {name: found[0] if found else "" for name, found in texts.items()}
    return Document(
        id=identifier,
        title=" ".join(texts.get("title", ())),
        abstract=" ".join(texts.get("abstract", ())),
        year=next(filter(None, map(year_in, values.get("year", ()))), None),
        authors=tuple(_parted(texts.get("authors", ()))),
        journal=first.get("journal", ""),
        doi=clean_doi(first.get("doi", "")),
        pmid=clean_pmid(first.get("pmid", "")),
        pmcid=clean_pmcid(first.get("pmcid", "")),
        mesh=tuple(_headings(values.get("mesh", ()))),
        keywords=tuple(_parted(texts.get("keywords", ()))),
        publication_types=tuple(_parted(texts.get("publication_types", ()))),
        language=first.get("language", ""),
        source=origin,
    )


def values_at(source: Any, path: str) -> Iterator[Any]:
    """Yield the values at a path, those within lists one by one.

    >>> list(values_at({"by": [{"name": "A"}, {"name": ["B", "C"]}]}, "by.name"))
    ['A', 'B', 'C']
    """
    if isinstance(source, list):
        for value in source:
            yield from values_at(value, path)
    elif not path:
        if source is not None:
            yield source
    elif isinstance(source, dict):
        # Names with dots in them are written as objects, or as they are.
        for name, value in source.items():
            if name == path:
                yield from values_at(value, "")
            elif path.startswith(f"{name}."):
                yield from values_at(value, path[len(name) + 1 :])


def _texts(values: list[Any]) -> Iterator[str]:
    return filter(None, map(_text, values))


def _text(value: Any) -> str:
    """Return a value as text: an object's is what it says, or else its name."""
    if isinstance(value, dict):
        return _name(value)
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _name(value: Mapping[str, Any]) -> str:
    plain = {_plain(key): found for key, found in value.items()}
    whole = _said(plain, (*_SAYING, *_NAMES))
    if whole:
        return whole
    return ", ".join(filter(None, (_said(plain, _FAMILY), _said(plain, _GIVEN))))


def _plain(key: str) -> str:
    """Return a key without its way of writing.

    >>> _plain("LastName"), _plain("last-name")
    ('last_name', 'last_name')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[\s-]", "_", key).lower()


def _said(value: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        found = value.get(key)
        if isinstance(found, str | int) and not isinstance(found, bool) and str(found).strip():
            return str(found).strip()
    return ""


def _parted(texts: list[str] | tuple[()]) -> list[str]:
    """Return single values, where all of them may be written as one."""
    if len(texts) == 1 and ";" in texts[0]:
        return [part.strip() for part in texts[0].split(";") if part.strip()]
    return list(texts)


def _headings(values: list[Any] | tuple[()]) -> Iterator[MeshHeading]:
    for value in values:
        name = _text(value)
        if isinstance(value, dict):
            plain = {_plain(key): found for key, found in value.items()}
            ui = next((u for key in _UIS if _UI.fullmatch(u := str(plain.get(key, "")))), "")
            major = any(plain.get(key) in (True, "Y", "true") for key in _MAJOR)
            if name or ui:
                yield MeshHeading(name, ui, major)
        elif name:
            yield MeshHeading(name)


def year_in(value: Any) -> int | None:
    """Return the year of a date, however it is written.

    >>> year_in("2019-05-01T00:00:00Z"), year_in(1999), year_in(20010321), year_in(946684800000)
    (2019, 1999, 2001, 2000)
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, str):
        return clean_year(value)
    try:
        return _year_of_number(int(value))
    except (OverflowError, ValueError):
        return None


def _year_of_number(value: int) -> int | None:
    written = clean_year(str(value))
    if written or 0 <= value <= _LAST_YEAR:
        return written
    seconds = value / 1000 if abs(value) >= _MILLISECONDS else value
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)).year
