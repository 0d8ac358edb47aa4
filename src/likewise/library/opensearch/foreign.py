"""Indexes that likewise did not make: read as they are, and never written to."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, ClassVar

import msgspec

from likewise.documents import Document
from likewise.errors import LibraryError
from likewise.library.opensearch.address import Address
from likewise.library.opensearch.connection import Connection
from likewise.library.opensearch.foreign_documents import (
    KEYS_AT_ONCE,
    check_ids,
    make_id_query,
    make_key_query,
    match_values,
    match_years,
    read_document,
)
from likewise.library.opensearch.foreign_fields import (
    LIMITED_BY,
    ChosenFields,
    IndexField,
    choose_fields,
    find_copies,
    join_names,
    read_fields,
)
from likewise.library.opensearch.layouts import Hit, OwnLayout, join_limits
from likewise.library.protocol import FIELDS, Field, Heading
from likewise.library.where import Where

USUAL_WINDOW = 10_000

_log = logging.getLogger(__name__)


def read_foreign_layout(connection: Connection, indexes: Mapping[str, Any]) -> ForeignLayout:
    """Return the layout of indexes that likewise did not make; log what is amiss with them.

    Args:
        connection: The connection to the cluster.
        indexes: What the server answers to `GET /INDEX`: for each index that the name stands for,
            its mappings and settings.
    """
    address = connection.address
    mappings = [index.get("mappings", {}) for index in indexes.values()]
    settings = [index.get("settings", {}).get("index", {}) for index in indexes.values()]
    chosen = choose_fields(address, mappings)
    notes = [*check_sources(address, mappings, chosen), *note_oddities(chosen, mappings, settings)]
    check_ids(connection, chosen)
    if chosen.notes or notes:
        _log.warning("%s: %s", address, "; ".join([*chosen.notes, *notes]))
    is_one = len(indexes) == 1
    routed = any(mapping.get("_routing", {}).get("required") for mapping in mappings)
    return ForeignLayout(
        address=address,
        chosen=chosen,
        holders=_find_holders(chosen, dict(zip(indexes, mappings, strict=True))),
        window=min(int(s.get("max_result_window", USUAL_WINDOW)) for s in settings),
        # If an id may lie in several places, it has to be searched for.
        is_direct=chosen.id is None and is_one and not routed,
    )


def _find_holders(chosen: ChosenFields, mappings: Mapping[str, Any]) -> dict[Field, list[str]]:
    """Return the indexes that have each part's field: no other is asked for its terms."""
    fields = {index: read_fields(mapping) for index, mapping in mappings.items()}
    return {
        part: [index for index in fields if field.name in fields[index]]
        for part, field in chosen.text.items()
    }


@dataclass(frozen=True)
class ForeignLayout:
    """The layout of an index, or of several under one name, that likewise did not make."""

    address: Address
    chosen: ChosenFields
    holders: Mapping[Field, Sequence[str]]
    """The single indexes behind the name that have the field of each part."""
    window: int
    is_direct: bool
    """Whether documents are fetched by `_id`, without a search."""

    keys_at_once: ClassVar[int] = KEYS_AT_ONCE

    @property
    def index(self) -> str:
        """The name of the index, or a name that stands for several."""
        return self.address.index

    @cached_property
    def text(self) -> Mapping[Field, str]:
        """The index's field for each part of a document that is searched."""
        return {part: field.name for part, field in self.chosen.text.items()}

    @property
    def id_field(self) -> str | None:
        """The field that holds ids and can be sorted by, or None if ids are `_id`."""
        return self.chosen.id and self.chosen.id.name

    @property
    def mesh_field(self) -> str | None:
        """The field that holds whole headings, if there is one."""
        return self.chosen.mesh and self.chosen.mesh.name

    @cached_property
    def source_fields(self) -> Sequence[str]:
        """The parts of the source that make a document."""
        return sorted(set(self.chosen.sources.values()))

    @property
    def counted(self) -> Mapping[str, Any]:
        """The aggregations that count documents: by `fields` that they have, and by index.

        Each answers with buckets: a list of them with keys, or an object.
        """
        having = {name: {"exists": {"field": path}} for name, path in self.chosen.sources.items()}
        return {
            "fields": {"filters": {"filters": having}},
            "sources": {"terms": {"field": "_index", "size": 10_000}},
        }

    def read_document(self, hit: Hit) -> Document:
        """Return the document of a hit, which was sorted by the field of ids if there is one."""
        identifier = str(hit.sort[-1]) if self.chosen.id else hit.id
        return read_document(
            msgspec.json.decode(hit.source),
            paths=self.chosen.sources,
            identifier=identifier,
            origin=hit.index or self.index,
        )

    def find_stored_id(self, identifier: str) -> str:
        """Return the `_id` of a document that need not be searched for."""
        return identifier

    def make_id_query(self, ids: Sequence[str]) -> dict[str, Any]:
        """Return the query for the documents of these ids."""
        return make_id_query(ids, self.chosen)

    def make_key_query(self, keys: Collection[str]) -> dict[str, Any] | None:
        """Return the query for documents that hold any of these identity keys, if there is one."""
        return make_key_query(keys, self.chosen)

    def explain_unlimited(self, where: Where) -> str:
        """Return why searches can't be limited like this, and the way out; "" if they can."""
        missing = [name for name in where.fields if LIMITED_BY[name] not in self.chosen.limits]
        if not missing:
            return ""
        named = ",".join(f"{LIMITED_BY[name]}=FIELD" for name in missing)
        return (
            f"no field to limit the {join_names(missing)} by is known in this index; "
            f"name it, if there is one: --fields {named}"
        )

    def make_limit(self, where: Where) -> dict[str, Any]:
        """Return the parts of a bool query that limit it: `filter` and `must_not`, if any."""
        fields = self.chosen.limits
        return join_limits(
            where,
            years=match_years(fields["year"], where) if where.has_years else {},
            match=lambda limit: match_values(fields[LIMITED_BY[limit.field]], limit),
        )

    def parse_heading(self, value: str) -> Heading:
        """Return the heading of a value of the field of headings."""
        return Heading(value)

    def spell_heading(self, heading: Heading) -> str:
        """Return the value under which the field of headings holds a heading."""
        return heading.name or heading.ui

    def make_specimen(self, field: Field, terms: Sequence[str]) -> dict[str, Any]:
        """Return a source that has these terms in the index's field."""
        return {self.chosen.text[field].source: terms}


IndexLayout = OwnLayout | ForeignLayout
"""How documents are laid out in an index, whoever made it."""


def check_sources(
    address: Address, mappings: Sequence[Mapping[str, Any]], chosen: ChosenFields
) -> list[str]:
    """Return notes on fields whose values are not kept; raise if title or abstract is not."""
    wanted = chosen.sources
    text = [wanted[part] for part in chosen.text]
    lost: set[str] = set()
    for mapping in mappings:
        kept = mapping.get("_source", {})
        if kept.get("enabled", True) in (False, "false"):
            raise LibraryError(
                f"{address}: the index keeps no _source, so the texts of documents can't be read; "
                "index them again with likewise index"
            )
        copied = find_copies(mapping) & read_fields(mapping).keys()
        lost |= {path for path in wanted.values() if _is_left_out(path, kept)}
        lost |= copied.intersection(text)
    if lost.intersection(text):
        raise LibraryError(
            f"{address}: {join_names(sorted(lost.intersection(text)))}: searched, but not kept in "
            "_source, so the texts of documents can't be read; name the fields that are kept"
        )
    given = {wanted[name] for name in address.fields.to_dict() if name in wanted}
    said = sorted(lost & given)
    return [f"not kept in _source, and so left empty: {join_names(said)}"] if said else []


def _is_left_out(path: str, kept: Mapping[str, Any]) -> bool:
    includes, excludes = (kept.get(name, ()) for name in ("includes", "excludes"))
    is_in = not includes or any(_matches(path, pattern) for pattern in includes)
    return not is_in or any(_matches(path, pattern) for pattern in excludes)


def _matches(path: str, pattern: str) -> bool:
    """Return whether a pattern matches a path, or an object that the path lies in."""
    parts = path.split(".")
    above = (".".join(parts[:length]) for length in range(1, len(parts) + 1))
    return any(fnmatchcase(name, pattern) for name in above)


def note_oddities(
    chosen: ChosenFields,
    mappings: Sequence[Mapping[str, Any]],
    settings: Sequence[Mapping[str, Any]],
) -> list[str]:
    """Return notes on what makes results differ from those of an index that likewise makes."""
    texts = list(chosen.text.values())
    found = [
        f"no field of {part}s is known, so these are not searched; name it, if there is one: "
        f"--fields {part}=FIELD"
        for part in FIELDS
        if part not in chosen.text
    ]
    found += [note for field in texts for note in _note_field(field)]
    usual = [_describe_scoring(setting) for setting in settings]
    found += [f"the index scores by {name}, not by the usual BM25" for name in set(usual) if name]
    found += [
        f"the indexes split {field.name} into words in different ways; that of the first is used"
        for field in texts
        if len(_list_analyzers(field, mappings)) > 1
    ]
    return found


def _note_field(field: IndexField) -> Iterator[str]:
    options = field.options
    if field.type == "match_only_text" or options.get("index_options") == "docs":
        yield f"{field.name} has no frequencies: a word counts once, however often it occurs"
    if field.type == "match_only_text" or options.get("norms", True) in (False, "false"):
        yield f"{field.name} has no norms: long texts are found more often"
    if (name := options.get("similarity", "BM25")) != "BM25":
        yield f"{field.name} is scored by {name}, not by the usual BM25"


def _describe_scoring(settings: Mapping[str, Any]) -> str:
    """Return what an index scores by, or "" if that is the usual BM25."""
    said = settings.get("similarity", {}).get("default", {})
    others = {name: value for name, value in said.items() if name != "type"}
    if said.get("type", "BM25") == "BM25" and not others:
        return ""
    return " ".join([said.get("type", "BM25"), *(f"{n}={others[n]}" for n in sorted(others))])


def _list_analyzers(field: IndexField, mappings: Iterable[Mapping[str, Any]]) -> set[str]:
    found = (read_fields(mapping).get(field.name) for mapping in mappings)
    return {each.options.get("analyzer", "") for each in found if each}
