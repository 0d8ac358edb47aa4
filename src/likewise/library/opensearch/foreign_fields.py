"""Which fields of an index that likewise did not make are title, abstract, id and the rest.

What people say about them holds; if they say nothing, a field with the same name as ours is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, NamedTuple

from likewise.errors import LibraryError
from likewise.library.opensearch.address import Address, Fields
from likewise.library.protocol import FIELDS, Field

IDENTIFIERS = ("pmid", "doi", "pmcid")
LIMITED_BY = {"year": "year", "language": "language", "type": "publication_types"}
"""The field of a document that each limit of a search is on."""
NAMED_BY = ("name", "descriptor_name", "descriptor", "heading", "term", "label")
"""Keys under which an object may have its name."""

_GUESSES: dict[Field, tuple[str, ...]] = {
    "title": ("ti", "head", "name", "subject"),
    "abstract": ("ab", "body", "text", "content", "summary", "desc"),
}
_NEAREST = 3
_SHOWN = 12

TEXT = frozenset({"text", "match_only_text", "search_as_you_type"})
"""Types that are cut into words."""
EXACT = frozenset({"keyword", "constant_keyword", "wildcard"})
"""Types that hold a text whole."""
DATES = frozenset({"date", "date_nanos"})
WHOLE_NUMBERS = frozenset({"long", "integer", "short", "byte", "unsigned_long"})
OBJECTS = frozenset({"object", "nested"})


@dataclass
class ChosenFields:
    """Which field of an index holds what."""

    text: dict[Field, IndexField] = field(default_factory=dict)
    """The fields that are searched."""
    id: IndexField | None = None
    """The field of ids, or None if documents are known by their `_id`."""
    mesh: IndexField | None = None
    """The field of headings, if they can be counted."""
    limits: dict[str, IndexField] = field(default_factory=dict)
    """The fields of years, languages and publication types, if they can be searched."""
    identifiers: dict[str, IndexField] = field(default_factory=dict)
    """The fields that a document can be looked up by."""
    sources: dict[str, str] = field(default_factory=dict)
    """Where each part of a document lies in what comes back."""
    notes: list[str] = field(default_factory=list)
    """What people should know, but what does not stop them."""


def choose_fields(address: Address, mappings: Sequence[Mapping[str, Any]]) -> ChosenFields:
    """Return which field holds what in some indexes that are searched as one.

    Raises:
        LibraryError: A field that was named is not there, or can't be used for its purpose.
    """
    return _FieldChooser(address, mappings).chosen


class _FieldChooser:
    def __init__(self, address: Address, mappings: Sequence[Mapping[str, Any]]) -> None:
        self.chosen = ChosenFields()
        self._address = address
        self._given = address.fields.to_dict()
        self._by_index = [read_fields(mapping) for mapping in mappings]
        self._fields = {
            name: f for fields in reversed(self._by_index) for name, f in fields.items()
        }
        # A field that is mapped nowhere may still come back.
        self._is_open = any(str(m.get("dynamic", "true")).lower() == "false" for m in mappings)
        for part in FIELDS:
            self._choose_text(part)
        if not self.chosen.text:
            raise self._refuse_without_text()
        self._choose_id()
        self._choose_mesh()
        for name in LIMITED_BY.values():
            self._choose_limit(name)
        for name in IDENTIFIERS:
            self._choose_identifier(name)
        self._choose_sources()

    def _find_named(self, name: str) -> IndexField | None:
        """Return the field that was named, or that has our own name."""
        called = self._given.get(name, name)
        found = self._fields.get(called)
        if found is None and name in self._given:
            raise self._refuse_missing(name, called)
        return found

    def _choose_text(self, part: Field) -> None:
        named = self._find_named(part)
        found = self._pick_first(named, lambda f: f.is_text and f.is_indexed)
        if found:
            self.chosen.text[part] = found
        elif named and part in self._given:
            raise self._refuse(part, _explain_not_text(named), self._list_text_fields())

    def _choose_id(self) -> None:
        if self._given.get("id") == "_id":
            return
        named = self._find_named("id")
        found = self._pick_first(named, lambda f: f.has_columns and f.is_indexed)
        everywhere = found and all(found.name in fields for fields in self._by_index)
        if everywhere:
            self.chosen.id = found
        elif named and "id" in self._given:
            why = "not in all indexes" if found else f"{_describe_kind(named)}, and can't be sorted"
            self.chosen.notes.append(f"{named.name} is {why}, so documents are known by their _id")

    def _choose_mesh(self) -> None:
        named = self._find_named("mesh")
        found = self._pick_first(named, lambda f: f.has_columns and f.is_indexed)
        if named and named.type in OBJECTS:
            inside = [self._fields.get(f"{named.name}.{name}") for name in NAMED_BY]
            within = (self._pick_first(f, lambda f: f.has_columns and f.is_indexed) for f in inside)
            found = next(filter(None, within), None)
        self.chosen.mesh = found
        if named and not found and "mesh" in self._given:
            self.chosen.notes.append(
                f"headings in {named.name} ({_describe_kind(named)}) can't be counted"
            )

    def _choose_limit(self, name: str) -> None:
        # A named field that is not mapped may still come back: `_choose_sources` checks that.
        named = self._fields.get(self._given.get(name, name))
        found = self._pick_first(named, lambda f: (f.is_whole or f.is_date) and f.is_indexed)
        if not found and name != "year":
            found = self._pick_first(named, lambda f: f.is_text and f.is_indexed)
        if found:
            self.chosen.limits[name] = found

    def _choose_identifier(self, name: str) -> None:
        named = self._find_named(name)
        found = self._pick_first(named, lambda f: f.is_whole and f.is_indexed) or self._pick_first(
            named, lambda f: f.is_text and f.is_indexed
        )
        if found:
            self.chosen.identifiers[name] = found
        elif named and name in self._given:
            self.chosen.notes.append(
                f"papers can't be looked up by {named.name} ({_describe_kind(named)}): they are "
                f"not found by their {name.upper()}"
            )

    def _choose_sources(self) -> None:
        for name in Fields._fields:
            if name == "id":
                continue
            called = self._given.get(name, name)
            if name in self._given and called not in self._fields and not self._is_open:
                raise self._refuse_missing(name, called)
            if name in FIELDS and name not in self.chosen.text:
                continue
            found = self._fields.get(called)
            self.chosen.sources[name] = found.source if found else called

    def _pick_first(
        self, named: IndexField | None, fits: Callable[[IndexField], bool]
    ) -> IndexField | None:
        """Return the field if it fits, or else one that is made of its values and fits."""
        return next(filter(fits, list_parts(self._fields, named)), None) if named else None

    def _list_text_fields(self) -> list[str]:
        return sorted(name for name, f in self._fields.items() if f.is_text and f.is_indexed)

    def _refuse_missing(self, name: str, called: str) -> LibraryError:
        near = get_close_matches(called, self._fields, n=_NEAREST, cutoff=0.5)
        return self._refuse(name, "the index has no such field", near or self._list_text_fields())

    def _refuse(self, name: str, why: str, others: Iterable[str]) -> LibraryError:
        at_hand = join_names(others)
        advice = f"; there is {at_hand}" if at_hand else ""
        return LibraryError(f"{self._address}: {name}={self._given[name]}: {why}{advice}")

    def _refuse_without_text(self) -> LibraryError:
        texts = self._list_text_fields()
        if not texts:
            return LibraryError(f"{self._address}: it has no text field, so nothing can be found")
        example = ",".join(f"{part}={name}" for part, name in _guess_fields(texts).items())
        return LibraryError(
            f"{self._address}: likewise did not make this index, and it has neither title nor "
            f"abstract; its text fields are {join_names(texts)}; say which is what: "
            f"--fields {example}"
        )


def _guess_fields(texts: Sequence[str]) -> dict[Field, str]:
    """Return what title and abstract may be, for an example."""
    likely: dict[Field, str] = {}
    for part, beginnings in _GUESSES.items():
        alike = (name for name in texts if name.split(".")[-1].lower().startswith(beginnings))
        if name := next(alike, ""):
            likely[part] = name
    others = iter([name for name in texts if name not in likely.values()])
    guessed = {part: likely.get(part) or next(others, "") for part in FIELDS}
    return {part: name for part, name in guessed.items() if name}


def _describe_kind(found: IndexField) -> str:
    if found.is_nested:
        return "a nested object"
    return found.type if found.is_indexed else f"{found.type}, not indexed"


def _explain_not_text(found: IndexField) -> str:
    if found.is_nested:
        return "it lies in a nested object, which is not searched"
    if found.is_text:
        return "it is not indexed, so it can't be searched"
    return f"its type is {found.type}, not text, so words in it can't be found"


def join_names(names: Iterable[str]) -> str:
    """Return names for a message, not too many of them.

    >>> join_names(["ti", "ab"])
    'ti, ab'
    """
    every = list(names)
    more = f" and {len(every) - _SHOWN:,} more" if len(every) > _SHOWN else ""
    return ", ".join(every[:_SHOWN]) + more


class IndexField(NamedTuple):
    """A field of an index."""

    name: str
    """What queries call it: "ti", "meta.title", "ti.english"."""
    source: str
    """Where its values lie in what comes back: "ti" for "ti.english", which is made of it."""
    type: str
    options: Mapping[str, Any] = {}
    is_nested: bool = False
    """Whether it lies in objects that are documents of their own, out of reach of our queries."""

    @property
    def is_text(self) -> bool:
        """Whether it can be searched for words."""
        return self.type in TEXT

    @property
    def is_number(self) -> bool:
        """Whether it holds whole numbers."""
        return self.type in WHOLE_NUMBERS

    @property
    def is_date(self) -> bool:
        """Whether it holds dates."""
        return self.type in DATES

    @property
    def is_indexed(self) -> bool:
        """Whether it can be searched at all."""
        return self.options.get("index", True) in (True, "true") and not self.is_nested

    @property
    def is_whole(self) -> bool:
        """Whether its values can be looked up as they are."""
        return self.type in EXACT or self.is_number

    @property
    def has_columns(self) -> bool:
        """Whether it can be sorted by and counted, for which the server keeps columns of values."""
        return self.is_whole and self.options.get("doc_values", True) in (True, "true")


def read_fields(mapping: Mapping[str, Any]) -> dict[str, IndexField]:
    """Return all fields of a mapping by name; objects too, and for an alias what it stands for."""
    fields = dict(_walk_fields(mapping))
    # The server makes no terms of an alias, so the field that it stands for is asked for.
    return {
        name: fields.get(field.options.get("path", ""), field) for name, field in fields.items()
    }


def find_copies(mapping: Mapping[str, Any]) -> set[str]:
    """Return the fields that others are copied into: what they hold does not come back."""
    copies: set[str] = set()
    for _, one in _walk_fields(mapping):
        to = one.options.get("copy_to", ())
        copies.update([to] if isinstance(to, str) else to)
    return copies


def _walk_fields(
    mapping: Mapping[str, Any], *, within: str = "", is_nested: bool = False
) -> Iterator[tuple[str, IndexField]]:
    for key, options in mapping.get("properties", {}).items():
        name = f"{within}{key}"
        kind = options.get("type", "object")
        nested = is_nested or kind == "nested"
        yield name, IndexField(name, name, kind, options, nested)
        if kind in OBJECTS:
            yield from _walk_fields(options, within=f"{name}.", is_nested=nested)
        for part, made in options.get("fields", {}).items():
            of_it = f"{name}.{part}"
            yield of_it, IndexField(of_it, name, made.get("type", ""), made, nested)


def list_parts(fields: Mapping[str, IndexField], field: IndexField) -> list[IndexField]:
    """Return a field, and after it all others that are made of the same values."""
    made = [other for other in fields.values() if other.source == field.source and other != field]
    return [field, *made]
