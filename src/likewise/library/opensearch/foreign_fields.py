"""Which fields of an index that likewise did not make are title, abstract, id and the rest.

What people say of them holds; a field of the same name as ours is taken without saying.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from likewise.errors import LibraryError
from likewise.library.opensearch.address import Fields
from likewise.library.opensearch.fields import OBJECTS, fields_of, parts_of
from likewise.library.query import FIELDS, Field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from likewise.library.opensearch.address import Address
    from likewise.library.opensearch.fields import IndexField

IDENTIFIERS = ("pmid", "doi", "pmcid")
NAMED_BY = ("name", "descriptor_name", "descriptor", "heading", "term", "label")
"""What an object's own name may be called."""

_GUESSES: dict[Field, tuple[str, ...]] = {
    "title": ("ti", "head", "name", "subject"),
    "abstract": ("ab", "body", "text", "content", "summary", "desc"),
}
_NEAREST = 3
_SHOWN = 12


@dataclass
class Chosen:
    """Which field of an index is what."""

    text: dict[Field, IndexField] = field(default_factory=dict)
    """The fields that are searched."""
    id: IndexField | None = None
    """The field of ids, or None where documents are known by their `_id`."""
    mesh: IndexField | None = None
    """The field of headings, if they can be counted."""
    identifiers: dict[str, IndexField] = field(default_factory=dict)
    """The fields that a document can be looked up by."""
    sources: dict[str, str] = field(default_factory=dict)
    """Where each part of a document lies in what comes back."""
    notes: list[str] = field(default_factory=list)
    """What people should know of, and what does not stop them."""


def choose_fields(address: Address, mappings: Sequence[Mapping[str, Any]]) -> Chosen:
    """Return which field of some indexes, searched as one, is what.

    Raises:
        LibraryError: A field that was named is not there, or can't be used as what it was named.
    """
    return _Choice(address, mappings).chosen


class _Choice:
    def __init__(self, address: Address, mappings: Sequence[Mapping[str, Any]]) -> None:
        self.chosen = Chosen()
        self._address = address
        self._given = address.fields.given()
        self._by_index = [fields_of(mapping) for mapping in mappings]
        self._fields = {
            name: f for fields in reversed(self._by_index) for name, f in fields.items()
        }
        # What is mapped nowhere may still come back.
        self._is_open = any(str(m.get("dynamic", "true")).lower() == "false" for m in mappings)
        for part in FIELDS:
            self._choose_text(part)
        if not self.chosen.text:
            raise self._no_text()
        self._choose_id()
        self._choose_mesh()
        for name in IDENTIFIERS:
            self._choose_identifier(name)
        self._choose_sources()

    def _named(self, name: str) -> IndexField | None:
        """Return the field that was named, or that has our own name."""
        called = self._given.get(name, name)
        found = self._fields.get(called)
        if found is None and name in self._given:
            raise self._missing(name, called)
        return found

    def _choose_text(self, part: Field) -> None:
        named = self._named(part)
        found = self._first(named, lambda f: f.is_text and f.is_indexed)
        if found:
            self.chosen.text[part] = found
        elif named and part in self._given:
            raise self._refused(part, _why_not_text(named), self._text_fields())

    def _choose_id(self) -> None:
        if self._given.get("id") == "_id":
            return
        named = self._named("id")
        found = self._first(named, lambda f: f.has_columns and f.is_indexed)
        everywhere = found and all(found.name in fields for fields in self._by_index)
        if everywhere:
            self.chosen.id = found
        elif named and "id" in self._given:
            why = "not in all indexes" if found else f"{_kind(named)}, not to be sorted by"
            self.chosen.notes.append(f"{named.name} is {why}, so documents are known by their _id")

    def _choose_mesh(self) -> None:
        named = self._named("mesh")
        found = self._first(named, lambda f: f.has_columns and f.is_indexed)
        if named and named.type in OBJECTS:
            inside = [self._fields.get(f"{named.name}.{name}") for name in NAMED_BY]
            within = (self._first(f, lambda f: f.has_columns and f.is_indexed) for f in inside)
            found = next(filter(None, within), None)
        self.chosen.mesh = found
        if named and not found and "mesh" in self._given:
            self.chosen.notes.append(f"headings in {named.name} ({_kind(named)}) can't be counted")

    def _choose_identifier(self, name: str) -> None:
        named = self._named(name)
        found = self._first(named, lambda f: f.is_whole and f.is_indexed) or self._first(
            named, lambda f: f.is_text and f.is_indexed
        )
        if found:
            self.chosen.identifiers[name] = found
        elif named and name in self._given:
            self.chosen.notes.append(
                f"papers can't be looked up by {named.name} ({_kind(named)}): they are not found "
                f"by their {name.upper()}"
            )

    def _choose_sources(self) -> None:
        for name in Fields._fields:
            if name == "id":
                continue
            called = self._given.get(name, name)
            if name in self._given and called not in self._fields and not self._is_open:
                raise self._missing(name, called)
            if name in FIELDS and name not in self.chosen.text:
                continue
            found = self._fields.get(called)
            self.chosen.sources[name] = found.source if found else called

    def _first(
        self, named: IndexField | None, fits: Callable[[IndexField], bool]
    ) -> IndexField | None:
        """Return the field if it fits, or else what is made of its values and does."""
        return next(filter(fits, parts_of(self._fields, named)), None) if named else None

    def _text_fields(self) -> list[str]:
        return sorted(name for name, f in self._fields.items() if f.is_text and f.is_indexed)

    def _missing(self, name: str, called: str) -> LibraryError:
        near = get_close_matches(called, self._fields, n=_NEAREST, cutoff=0.5)
        return self._refused(name, "the index has no such field", near or self._text_fields())

    def _refused(self, name: str, why: str, others: Iterable[str]) -> LibraryError:
        at_hand = listed(others)
        advice = f"; there is {at_hand}" if at_hand else ""
        return LibraryError(f"{self._address}: {name}={self._given[name]}: {why}{advice}")

    def _no_text(self) -> LibraryError:
        texts = self._text_fields()
        if not texts:
            return LibraryError(f"{self._address}: it has no text field, so nothing can be found")
        example = ",".join(f"{part}={name}" for part, name in _guessed(texts).items())
        return LibraryError(
            f"{self._address}: likewise did not make this index, and it has neither title nor "
            f"abstract; its text fields are {listed(texts)}; say which is what: --fields {example}"
        )


def _guessed(texts: Sequence[str]) -> dict[Field, str]:
    """Return what title and abstract may be, for an example."""
    likely: dict[Field, str] = {}
    for part, beginnings in _GUESSES.items():
        alike = (name for name in texts if name.split(".")[-1].lower().startswith(beginnings))
        if name := next(alike, ""):
            likely[part] = name
    others = iter([name for name in texts if name not in likely.values()])
    guessed = {part: likely.get(part) or next(others, "") for part in FIELDS}
    return {part: name for part, name in guessed.items() if name}


def _kind(found: IndexField) -> str:
    if found.is_nested:
        return "a nested object"
    return found.type if found.is_indexed else f"{found.type}, not indexed"


def _why_not_text(found: IndexField) -> str:
    if found.is_nested:
        return "it lies in a nested object, which is not searched"
    if found.is_text:
        return "it is not indexed, so it can't be searched"
    return f"its type is {found.type}, not text, so words in it can't be found"


def listed(names: Iterable[str]) -> str:
    """Return names for a message, not too many of them.

    >>> listed(["ti", "ab"])
    'ti, ab'
    """
    every = list(names)
    more = f" and {len(every) - _SHOWN:,} more" if len(every) > _SHOWN else ""
    return ", ".join(every[:_SHOWN]) + more
