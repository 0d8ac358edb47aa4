"""Looking papers up in an index that likewise did not make: by id, PMID, DOI and PMCID."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from likewise.library.opensearch.fields import IndexField
    from likewise.library.opensearch.foreign_fields import Chosen

# What fits into the server's whole numbers.
_NUMBER = re.compile(r"-?\d{1,18}")
_SMALL = {"byte": 2, "short": 4, "integer": 9}
_LINKS = ("https://doi.org/", "http://dx.doi.org/", "doi:")

AT_ONCE = 1_000
"""How many keys a query may ask for: servers take 1,024 clauses, and a DOI is one."""

Clause = dict[str, Any]
NOTHING: Clause = {"match_none": {}}


def key_query(keys: Collection[str], chosen: Chosen) -> Clause | None:
    """Return the query for documents that hold any of these identity keys.

    Titles are no keys here: no index but ours holds their letters.
    """
    by_kind: dict[str, list[str]] = {}
    for key in sorted(keys):
        kind, _, value = key.partition(":")
        by_kind.setdefault(kind, []).append(value)
    clauses = [id_query(by_kind["id"], chosen)] if "id" in by_kind else []
    for kind, field in chosen.identifiers.items():
        clauses += _CLAUSES[kind](field, by_kind.get(kind, []))
    clauses = [clause for clause in clauses if clause != NOTHING]
    return {"bool": {"should": clauses, "minimum_should_match": 1}} if clauses else None


def id_query(ids: Sequence[str], chosen: Chosen) -> Clause:
    """Return the query for the documents of these ids."""
    if chosen.id is None:
        return {"ids": {"values": list(ids)}}
    return next(iter(_terms(chosen.id, ids)), NOTHING)


def _terms(field: IndexField, values: Sequence[str]) -> list[Clause]:
    """Return a clause for values; what a field of numbers can't hold is left out."""
    if field.is_number:
        digits = _SMALL.get(field.type, 18)
        numbers = (value for value in values if _NUMBER.fullmatch(value))
        values = [value for value in numbers if len(value.lstrip("-")) <= digits]
    return [{"terms": {field.name: list(values)}}] if values else []


def _by_pmid(field: IndexField, pmids: Sequence[str]) -> list[Clause]:
    return _terms(field, pmids)


def _by_doi(field: IndexField, dois: Sequence[str]) -> list[Clause]:
    if field.is_text:
        return [{"match_phrase": {field.name: doi}} for doi in dois]
    # Some write them with the address that leads there; and in either case, most of all in both.
    links = _terms(field, [f"{start}{doi}" for doi in dois for start in _LINKS])
    bare = ({"value": doi, "case_insensitive": True} for doi in dois)
    return [*links, *({"term": {field.name: value}} for value in bare)]


def _by_pmcid(field: IndexField, pmcids: Sequence[str]) -> list[Clause]:
    numbers = [pmcid.removeprefix("PMC") for pmcid in pmcids]
    if field.is_number:
        return _terms(field, numbers)
    return _terms(field, [*pmcids, *(pmcid.lower() for pmcid in pmcids), *numbers])


_CLAUSES = {"pmid": _by_pmid, "doi": _by_doi, "pmcid": _by_pmcid}
