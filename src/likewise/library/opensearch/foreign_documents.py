"""Papers in an index that likewise did not make: read into documents, and looked up.

They are looked up by id, PMID, DOI and PMCID, and by the years, languages and types of a limit.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from likewise.documents import Document, MeshHeading
from likewise.documents.identity import clean_doi, clean_pmcid, clean_pmid, clean_year
from likewise.errors import LibraryError
from likewise.library.opensearch.connection import WHOLE, Connection
from likewise.library.opensearch.foreign_fields import ChosenFields, IndexField
from likewise.library.where import LAST_YEAR, ValueLimit, Where, list_spellings

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

# From here on, a number counts milliseconds, not seconds.
_MILLISECONDS = 10**11

# What fits into the server's whole numbers.
_NUMBER = re.compile(r"-?\d{1,18}")
_SMALL = {"byte": 2, "short": 4, "integer": 9}
_LINKS = ("https://doi.org/", "http://dx.doi.org/", "doi:")
KEYS_AT_ONCE = 1_000
"""How many keys a query may ask for: servers take 1,024 clauses, and a DOI is one."""
LOOKED_AT = 10_000
"""How many documents of a shard are checked for ids that several of them have."""
Clause = dict[str, Any]
NOTHING: Clause = {"match_none": {}}


def read_document(
    source: Mapping[str, Any], *, paths: Mapping[str, str], identifier: str, origin: str
) -> Document:
    """Return the document that a source describes.

    Args:
        source: The `_source` that came back.
        paths: Where each part of a document lies in it.
        identifier: The document's id.
        origin: The index that it comes from.
    """
    values = {name: list(find_values(source, path)) for name, path in paths.items()}
    texts = {name: list(filter(None, map(_read_text, found))) for name, found in values.items()}
    first = {name: found[0] if found else "" for name, found in texts.items()}
    return Document(
        id=identifier,
        title=" ".join(texts.get("title", ())),
        abstract=" ".join(texts.get("abstract", ())),
        year=next(filter(None, map(read_year, values.get("year", ()))), None),
        authors=tuple(_split_values(texts.get("authors", ()))),
        journal=first.get("journal", ""),
        doi=clean_doi(first.get("doi", "")),
        pmid=clean_pmid(first.get("pmid", "")),
        pmcid=clean_pmcid(first.get("pmcid", "")),
        mesh=tuple(_read_headings(values.get("mesh", ()))),
        keywords=tuple(_split_values(texts.get("keywords", ()))),
        publication_types=tuple(_split_values(texts.get("publication_types", ()))),
        language=first.get("language", ""),
        source=origin,
    )


def find_values(source: Any, path: str) -> Iterator[Any]:
    """Yield the values at a path, those within lists one by one.

    >>> list(find_values({"by": [{"name": "A"}, {"name": ["B", "C"]}]}, "by.name"))
    ['A', 'B', 'C']
    """
    if isinstance(source, list):
        for value in source:
            yield from find_values(value, path)
    elif not path:
        if source is not None:
            yield source
    elif isinstance(source, dict):
        # Names with dots in them are written as objects, or as they are.
        for name, value in source.items():
            if name == path:
                yield from find_values(value, "")
            elif path.startswith(f"{name}."):
                yield from find_values(value, path[len(name) + 1 :])


def _read_text(value: Any) -> str:
    """Return a value as text; for an object, its text or else its name."""
    if isinstance(value, dict):
        return _read_name(value)
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _read_name(value: Mapping[str, Any]) -> str:
    plain = {_simplify_key(key): found for key, found in value.items()}
    whole = _pick_text(plain, (*_SAYING, *_NAMES))
    if whole:
        return whole
    return ", ".join(filter(None, (_pick_text(plain, _FAMILY), _pick_text(plain, _GIVEN))))


def _simplify_key(key: str) -> str:
    """Return a key in lower case, with underscores between its words.

    >>> _simplify_key("LastName"), _simplify_key("last-name")
    ('last_name', 'last_name')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[\s-]", "_", key).lower()


def _pick_text(value: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        found = value.get(key)
        if isinstance(found, str | int) and not isinstance(found, bool) and str(found).strip():
            return str(found).strip()
    return ""


def _split_values(texts: list[str] | tuple[()]) -> list[str]:
    """Return single values, splitting a text that holds all of them."""
    if len(texts) == 1 and ";" in texts[0]:
        return [part.strip() for part in texts[0].split(";") if part.strip()]
    return list(texts)


def _read_headings(values: list[Any] | tuple[()]) -> Iterator[MeshHeading]:
    for value in values:
        name = _read_text(value)
        if isinstance(value, dict):
            plain = {_simplify_key(key): found for key, found in value.items()}
            ui = next((u for key in _UIS if _UI.fullmatch(u := str(plain.get(key, "")))), "")
            major = any(plain.get(key) in (True, "Y", "true") for key in _MAJOR)
            if name or ui:
                yield MeshHeading(name, ui, major)
        elif name:
            yield MeshHeading(name)


def read_year(value: Any) -> int | None:
    """Return the year of a date, however it is written.

    >>> [read_year(date) for date in ("2019-05-01T00:00:00Z", 1999, 20010321, 946684800000)]
    [2019, 1999, 2001, 2000]
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, str):
        return clean_year(value)
    try:
        return _read_year_number(int(value))
    except (OverflowError, ValueError):
        return None


def _read_year_number(value: int) -> int | None:
    written = clean_year(str(value))
    if written or 0 <= value <= LAST_YEAR:
        return written
    seconds = value / 1000 if abs(value) >= _MILLISECONDS else value
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)).year


def make_key_query(keys: Collection[str], chosen: ChosenFields) -> Clause | None:
    """Return the query for documents that hold any of these identity keys.

    Titles are not keys here: only an index of ours can be searched by their letters.
    """
    by_kind: dict[str, list[str]] = {}
    for key in sorted(keys):
        kind, _, value = key.partition(":")
        by_kind.setdefault(kind, []).append(value)
    clauses = [make_id_query(by_kind["id"], chosen)] if "id" in by_kind else []
    for kind, field in chosen.identifiers.items():
        clauses += _CLAUSES[kind](field, by_kind.get(kind, []))
    clauses = [clause for clause in clauses if clause != NOTHING]
    return _match_any(clauses) if clauses else None


def make_id_query(ids: Sequence[str], chosen: ChosenFields) -> Clause:
    """Return the query for the documents with these ids."""
    if chosen.id is None:
        return {"ids": {"values": list(ids)}}
    return next(iter(_match_keys(chosen.id, ids)), NOTHING)


def match_years(field: IndexField, where: Where) -> Clause:
    """Return the clause for documents of the years that a limit allows, however they are kept."""
    first, last = where.first_year or 1, where.last_year or LAST_YEAR
    if not field.is_number:
        bounds = {"gte": f"{first:04}"} | ({"lt": f"{last + 1}"} if last < LAST_YEAR else {})
        return {"range": {field.name: bounds | ({"format": "yyyy"} if field.is_date else {})}}
    spans = [(first, last)]
    if field.type not in {"byte", "short"}:
        # Some write a day as 20190501.
        spans.append((first * 10_000, last * 10_000 + 1231))
    return _match_any([{"range": {field.name: {"gte": a, "lte": b}}} for a, b in spans])


def match_values(field: IndexField, limit: ValueLimit) -> Clause:
    """Return the clause for documents that have one of some values, however it is spelled."""
    values = [other for value in limit.values for other in list_spellings(limit.field, value)]
    if field.is_text:
        return _match_any([{"match_phrase": {field.name: value}} for value in values])
    spelled = [{"value": value, "case_insensitive": True} for value in values]
    return _match_any([{"term": {field.name: value}} for value in spelled])


def _match_any(clauses: list[Clause]) -> Clause:
    return {"bool": {"should": clauses, "minimum_should_match": 1}}


def _match_keys(field: IndexField, values: Sequence[str]) -> list[Clause]:
    """Return a clause for values; what a field of numbers can't hold is left out."""
    if field.is_number:
        digits = _SMALL.get(field.type, 18)
        numbers = (value for value in values if _NUMBER.fullmatch(value))
        values = [value for value in numbers if len(value.lstrip("-")) <= digits]
    return [{"terms": {field.name: list(values)}}] if values else []


def _match_dois(field: IndexField, dois: Sequence[str]) -> list[Clause]:
    if field.is_text:
        return [{"match_phrase": {field.name: doi}} for doi in dois]
    # Some write DOIs as links, and in upper or lower case or, most often, in both.
    links = _match_keys(field, [f"{start}{doi}" for doi in dois for start in _LINKS])
    bare = ({"value": doi, "case_insensitive": True} for doi in dois)
    return [*links, *({"term": {field.name: value}} for value in bare)]


def _match_pmcids(field: IndexField, pmcids: Sequence[str]) -> list[Clause]:
    numbers = [pmcid.removeprefix("PMC") for pmcid in pmcids]
    if field.is_number:
        return _match_keys(field, numbers)
    return _match_keys(field, [*pmcids, *(pmcid.lower() for pmcid in pmcids), *numbers])


_CLAUSES = {"pmid": _match_keys, "doi": _match_dois, "pmcid": _match_pmcids}


def check_ids(connection: Connection, chosen: ChosenFields) -> None:
    """Check that a field tells all documents apart; if it was guessed and does not, use `_id`."""
    if chosen.id is None:
        return
    address = connection.address
    amiss = _find_amiss_ids(connection, chosen.id.name)
    if amiss and address.fields.id:
        raise LibraryError(
            f"{address}: id={address.fields.id}: {amiss}; give a field that tells all documents "
            "apart, or id=_id"
        )
    if amiss:
        chosen.id = None


def _find_amiss_ids(connection: Connection, field: str) -> str:
    """Return why a field can't hold ids ("" if it can); only a sample is checked for duplicates."""
    doubles = {"field": field, "size": 1, "min_doc_count": 2, "execution_hint": "map"}
    asked = {
        "lacking": {"missing": {"field": field}},
        "some": {"sampler": {"shard_size": LOOKED_AT}, "aggs": {"twice": {"terms": doubles}}},
    }
    path = f"/{connection.address.index}/_search"
    found = connection.ask("POST", path, body={"size": 0, "aggs": asked}, params=WHOLE)[
        "aggregations"
    ]
    if number := found["lacking"]["doc_count"]:
        return f"{number:,} of its documents have none"
    twice = [bucket["key"] for bucket in found["some"]["twice"]["buckets"]]
    return f"several of its documents have the id {twice[0]}" if twice else ""
