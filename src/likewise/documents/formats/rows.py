"""Rows: what a table's columns, or an object's keys, say about a document.

A table that has all of our own columns is read back exactly as it was written. Any other is read
by the names that its makers give to columns, and cleaned.
"""

from __future__ import annotations

import re
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from likewise.documents.document import Document, MeshHeading
from likewise.documents.formats import cells
from likewise.documents.formats.cells import is_nothing
from likewise.documents.formats.columns import FIELDS, TELLING, places
from likewise.documents.formats.links import pmcid_in_note, pmid_in_note
from likewise.documents.formats.people import people
from likewise.documents.formats.records import LEFT_OUT
from likewise.documents.identity import clean_doi, clean_pmcid, clean_pmid, clean_year

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from likewise.documents.annotations import Annotated

LISTS = frozenset({"authors", "other_ids", "mesh", "keywords", "publication_types"})


class RowError(ValueError):
    """A row that can't be read as a document; the message says what was found."""

    def __init__(self, found: str, *, advice: str = LEFT_OUT) -> None:
        super().__init__(found)
        self.advice = advice


class Layout:
    """The columns of a table: which of them hold what, and so what its rows say.

    >>> layout = Layout(["PMID", "Title", "Authors"])
    >>> layout.document(["7", "On cats", "Smith J, Doe A"]).authors
    ('Smith, J', 'Doe, A')
    """

    def __init__(self, names: Sequence[str]) -> None:
        """Find the fields among columns of these names."""
        self.places = places(names)
        self.is_ours = set(FIELDS) <= set(names)
        self.is_telling = any(field in self.places for field in TELLING)
        self._own_places = {name: names.index(name) for name in FIELDS} if self.is_ours else {}

    def document(self, values: Sequence[Any]) -> Document:
        """Return the document in a row; raise RowError if there is none."""
        if self.is_ours and all(isinstance(value, str) for value in values):
            document = self._own_document(values)
        else:
            document = Document(**self._fields(values))
        if not (document.says_something or document.id):
            raise RowError("no title, no abstract and no identifier")
        return document

    def _own_document(self, values: Sequence[str]) -> Document:
        fields = {name: values[at] for name, at in self._own_places.items() if at < len(values)}
        return from_row(fields)

    def _fields(self, values: Sequence[Any]) -> dict[str, Any]:
        filled = {}
        for column, where in self.places.items():
            cell = [values[at] for at in where if at < len(values)]
            cell = [value for value in cell if not is_nothing(value)]
            if cell:
                filled[column] = cell
        return _cleaned(filled)


def to_row(document: Document) -> dict[str, str]:
    """Return a document as texts by column, such that nothing is lost."""
    row = {}
    for name in FIELDS:
        value = getattr(document, name)
        if name == "mesh":
            value = [_heading_text(heading) for heading in value]
        row[name] = _join(value) if name in LISTS else "" if value is None else str(value)
    return row


def table_of(annotated: Iterable[Annotated]) -> tuple[list[str], Iterator[Annotated]]:
    """Return the columns of a table, the notes' after ours, and the entries that fill it."""
    entries = iter(annotated)
    first = list(islice(entries, 1))
    notes = first[0].notes if first else ()
    return [*FIELDS, *notes], chain(first, entries)


def from_row(row: dict[str, str]) -> Document:
    """Return the document that `to_row` was given.

    >>> document = Document(title="On cats", keywords=("a; b", "c"), mesh=(MeshHeading("Cats"),))
    >>> from_row(to_row(document)) == document
    True
    """
    fields: dict[str, Any] = {
        name: _part(text) if name in LISTS else text for name, text in row.items()
    }
    year = row.get("year", "")
    fields["year"] = int(year) if re.fullmatch(r"-?[0-9]{1,9}", year) else clean_year(year)
    fields["mesh"] = tuple(_heading_of(text) for text in fields.get("mesh", ()))
    return Document(**fields)


def _join(values: Sequence[str]) -> str:
    return "; ".join(value.replace("\\", r"\\").replace(";", r"\;") for value in values)


def _part(text: str) -> tuple[str, ...]:
    if not text:
        return ()
    if "\\" not in text:
        return tuple(text.split("; "))
    parts = re.findall(r"(?:\A|; )((?:\\.|[^;\\])*)", text, re.DOTALL)
    return tuple(re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL) for part in parts)


def _heading_text(heading: MeshHeading) -> str:
    """Write a heading as "*D000818:Animals", the star for a major one.

    >>> _heading_text(MeshHeading("Animals", ui="D000818")), _heading_text(MeshHeading("a: b"))
    ('D000818:Animals', ':a: b')
    """
    # A name that could be taken for star or identifier has a colon before it.
    guarded = heading.ui or ":" in heading.name or heading.name[:1] in ("*", "")
    text = f"{heading.ui}:{heading.name}" if guarded else heading.name
    return f"*{text}" if heading.major else text


def _heading_of(text: str) -> MeshHeading:
    major = text.startswith("*")
    ui, colon, name = text.removeprefix("*").partition(":")
    return MeshHeading(name if colon else ui, ui=ui if colon else "", major=major)


def _cleaned(filled: dict[str, list[Any]]) -> dict[str, Any]:
    """Return the fields of a document from the cells that are filled, by column."""
    fields: dict[str, Any] = {}
    schemes = {column: column.partition(":")[2] for column in filled if ":" in column}
    try:
        for column, values in filled.items():
            if column in _FROM_CELLS:
                fields[column] = _FROM_CELLS[column](values)
        column = "mesh"
        if "mesh" in filled or "mesh_ids" in filled:
            names, uis = filled.get("mesh", [None]), filled.get("mesh_ids", [None])
            fields["mesh"] = tuple(cells.headings(names[0], uis[0]))
        for column, scheme in schemes.items():
            identifier = _identifier(filled[column][0], scheme=scheme)
            fields["other_ids"] = (*fields.get("other_ids", ()), identifier)
        note = "\n".join(value for value in filled.get("notes", ()) if isinstance(value, str))
        fields["pmid"] = fields.get("pmid") or pmid_in_note(note)
        fields["pmcid"] = fields.get("pmcid") or pmcid_in_note(note)
    except TypeError as error:
        found = f"{column.partition(':')[0]} is {error} where a text was expected"
        raise RowError(found, advice="write it as a text") from error
    return fields


def _identifier(value: Any, *, scheme: str) -> str:
    text = cells.one_number(value)
    bare = re.sub(rf"^{scheme}:\s*", "", text, flags=re.IGNORECASE)
    return f"{scheme}:{bare}"


def _text(filled: list[Any]) -> str:
    return cells.one_text(filled[0])


def _number(filled: list[Any]) -> str:
    return cells.one_number(filled[0])


def _year(filled: list[Any]) -> int | None:
    # Dates come as texts, numbers and, in CSL, lists in objects: a year is found in any of them.
    years = (clean_year(str(value)) for value in filled)
    return next((year for year in years if year), None)


def _people(filled: list[Any]) -> tuple[str, ...]:
    return tuple(people(filled[0]))


def _together(filled: list[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for value in filled for text in cells.many_texts(value)))


def _types(filled: list[Any]) -> tuple[str, ...]:
    # Web of Science has a letter for the kind of volume in such a column.
    return tuple(text for text in _together(filled) if len(text) > 1)


def _origin(filled: list[Any]) -> str:
    # Other programs have a database's name in such a column; ours is "format:file".
    text = cells.one_text(filled[0])
    return text if re.match(r"\w+:\S", text) else ""


def _first(clean: Callable[[str], str]) -> Callable[[list[Any]], str]:
    def first_cleaned(filled: list[Any]) -> str:
        cleaned = (clean(cells.one_number(value)) for value in filled)
        return next((value for value in cleaned if value), "")

    return first_cleaned


_FROM_CELLS: dict[str, Callable[[list[Any]], Any]] = {
    "id": _number,
    "title": _text,
    "abstract": _text,
    "year": _year,
    "authors": _people,
    "journal": _text,
    "doi": _first(clean_doi),
    "pmid": _first(clean_pmid),
    "pmcid": _first(clean_pmcid),
    "keywords": _together,
    "publication_types": _types,
    "language": _text,
    "source": _origin,
    "other_ids": _together,
}
