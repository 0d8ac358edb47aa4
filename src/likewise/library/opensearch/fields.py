"""The fields of an index, as its mapping has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TEXT = frozenset({"text", "match_only_text", "search_as_you_type"})
"""Types that are cut into words."""
EXACT = frozenset({"keyword", "constant_keyword", "wildcard"})
"""Types that hold a text whole."""
WHOLE_NUMBERS = frozenset({"long", "integer", "short", "byte", "unsigned_long"})
OBJECTS = frozenset({"object", "nested"})


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


def fields_of(mapping: Mapping[str, Any]) -> dict[str, IndexField]:
    """Return all fields of a mapping by name; objects too, and for an alias what it stands for."""
    fields = dict(_fields(mapping))
    # The server makes no terms of an alias, so the field that it stands for is asked for.
    return {
        name: fields.get(field.options.get("path", ""), field) for name, field in fields.items()
    }


def copied_into(mapping: Mapping[str, Any]) -> set[str]:
    """Return the fields that others are copied into: what they hold does not come back."""
    copies: set[str] = set()
    for _, field in _fields(mapping):
        to = field.options.get("copy_to", ())
        copies.update([to] if isinstance(to, str) else to)
    return copies


def _fields(
    mapping: Mapping[str, Any], *, within: str = "", is_nested: bool = False
) -> Iterator[tuple[str, IndexField]]:
    for key, options in mapping.get("properties", {}).items():
        name = f"{within}{key}"
        kind = options.get("type", "object")
        nested = is_nested or kind == "nested"
        yield name, IndexField(name, name, kind, options, nested)
        if kind in OBJECTS:
            yield from _fields(options, within=f"{name}.", is_nested=nested)
        for part, made in options.get("fields", {}).items():
            of_it = f"{name}.{part}"
            yield of_it, IndexField(of_it, name, made.get("type", ""), made, nested)


def parts_of(fields: Mapping[str, IndexField], field: IndexField) -> list[IndexField]:
    """Return a field, and after it all that is made of its values in other ways."""
    made = [other for other in fields.values() if other.source == field.source and other != field]
    return [field, *made]
