"""What is told at once of an index that likewise did not make: what stops, what only matters."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from likewise.errors import LibraryError
from likewise.library.opensearch.fields import copied_into, fields_of
from likewise.library.opensearch.foreign_fields import listed
from likewise.library.query import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from likewise.library.opensearch.address import Address
    from likewise.library.opensearch.fields import IndexField
    from likewise.library.opensearch.foreign_fields import Chosen


def check_sources(
    address: Address, mappings: Sequence[Mapping[str, Any]], chosen: Chosen
) -> list[str]:
    """Return what of documents does not come back; raise if that is their text."""
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
        copied = copied_into(mapping) & fields_of(mapping).keys()
        lost |= {path for path in wanted.values() if _is_left_out(path, kept)}
        lost |= copied.intersection(text)
    if lost.intersection(text):
        raise LibraryError(
            f"{address}: {listed(sorted(lost.intersection(text)))}: searched, but not kept in "
            "_source, so the texts of documents can't be read; name the fields that are kept"
        )
    given = {wanted[name] for name in address.fields.given() if name in wanted}
    said = sorted(lost & given)
    return [f"{listed(said)} not kept in _source, so that stays empty"] if said else []


def _is_left_out(path: str, kept: Mapping[str, Any]) -> bool:
    includes, excludes = (kept.get(name, ()) for name in ("includes", "excludes"))
    is_in = not includes or any(_matches(path, pattern) for pattern in includes)
    return not is_in or any(_matches(path, pattern) for pattern in excludes)


def _matches(path: str, pattern: str) -> bool:
    """Tell whether a pattern is of a path, or of what it lies in."""
    parts = path.split(".")
    above = (".".join(parts[:length]) for length in range(1, len(parts) + 1))
    return any(fnmatchcase(name, pattern) for name in above)


def notes_on(
    chosen: Chosen, mappings: Sequence[Mapping[str, Any]], settings: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Return what makes results other than those of an index that likewise makes."""
    texts = list(chosen.text.values())
    found = [
        f"no field of {part}s is known, so these are not searched; name it, if there is one: "
        f"--fields {part}=FIELD"
        for part in FIELDS
        if part not in chosen.text
    ]
    found += [note for field in texts for note in _notes_on_field(field)]
    usual = [_scoring(setting) for setting in settings]
    found += [f"the index scores by {name}, not by BM25 as it comes" for name in set(usual) if name]
    found += [
        f"{field.name} is made into words in different ways by its indexes; the first one's is used"
        for field in texts
        if len(_analyzers(field, mappings)) > 1
    ]
    return found


def _notes_on_field(field: IndexField) -> Iterator[str]:
    options = field.options
    if field.type == "match_only_text" or options.get("index_options") == "docs":
        yield f"{field.name} has no frequencies: a word counts once, however often it occurs"
    if field.type == "match_only_text" or options.get("norms", True) in (False, "false"):
        yield f"{field.name} has no norms: long texts are found more often"
    if (name := options.get("similarity", "BM25")) != "BM25":
        yield f"{field.name} is scored by {name}, not by BM25 as it comes"


def _scoring(settings: Mapping[str, Any]) -> str:
    """Return what an index scores by, or "" if that is what every index does."""
    said = settings.get("similarity", {}).get("default", {})
    others = {name: value for name, value in said.items() if name != "type"}
    if said.get("type", "BM25") == "BM25" and not others:
        return ""
    return " ".join([said.get("type", "BM25"), *(f"{n}={others[n]}" for n in sorted(others))])


def _analyzers(field: IndexField, mappings: Iterable[Mapping[str, Any]]) -> set[str]:
    found = (fields_of(mapping).get(field.name) for mapping in mappings)
    return {each.options.get("analyzer", "") for each in found if each}
