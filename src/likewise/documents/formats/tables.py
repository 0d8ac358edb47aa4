"""Tables: the header among the first rows, its columns, and the documents in the rows below it.

A table that has all of our own columns is read back exactly as it was written. Any other is read
by the names that its makers give to columns, and cleaned.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from likewise.documents.document import AnnotatedDocument, Document, MeshHeading
from likewise.documents.formats import cells
from likewise.documents.formats.cells import is_nothing, read_people
from likewise.documents.identity import (
    clean_doi,
    clean_pmcid,
    clean_pmid,
    clean_year,
    find_pmcid_in_note,
    find_pmid_in_note,
)
from likewise.documents.sources import LEFT_OUT, Complaint, Record, Source

# Some programs put a title, a date or a licence above the header.
HEADER_ROWS = 10
FIELDS = Document.__struct_fields__
"""The columns that we write, in this order; a table that has them all is read back exactly."""
LISTS = frozenset({"authors", "other_ids", "mesh", "keywords", "publication_types"})


class TableRow(NamedTuple):
    """The cells of a row, the line where it begins and the number of lines that it takes."""

    line: int
    cells: Sequence[Any]
    lines: int = 1


def read_rows(
    rows: Iterable[TableRow | Complaint], *, header: TableRow, source: Source
) -> Iterator[Record | Complaint]:
    """Yield the records in the rows below a header, and complaints that stand between rows."""
    names = read_cells(header)
    layout, width, found = Layout(names), len(header.cells), False
    for row in rows:
        if isinstance(row, Complaint):
            yield row
        elif not all(is_nothing(value) for value in row.cells):
            found = True
            yield _read_row(row, names, layout=layout, width=width)
    if not found:
        raise source.fail("a header but no rows below it", advice="export it again")


def _read_row(
    row: TableRow, names: Sequence[str], *, layout: Layout, width: int
) -> Record | Complaint:
    if misfit := _describe_misfit(row, width=width):
        return Complaint(misfit, row.line, "check its quotes and separators")
    try:
        return Record(layout.document(row.cells), row.line, names, row.cells)
    except RowError as error:
        return Complaint(str(error), row.line, error.advice)


def is_header(row: TableRow) -> bool:
    """Tell whether a row names columns, among them one to know documents by."""
    layout = Layout(read_cells(row))
    return layout.is_telling and (row.line == 1 or len(layout.places) > 1)


def make_header_error(first: Sequence[str], *, source: Source) -> Exception:
    """Return the error that names the columns found and those that we know."""
    shown = ", ".join(repr(name[:40]) for name in first[:12] if name) or "none"
    return source.fail(
        f"no header with a column that we know; the first row has {shown}",
        line=1,
        advice=f"name at least one column {', '.join(TELLING[:-1])} or {TELLING[-1]}",
    )


def read_cells(row: TableRow) -> list[str]:
    """Return the cells of a row as texts."""
    return ["" if value is None else str(value).strip() for value in row.cells]


def _describe_misfit(row: TableRow, *, width: int) -> str:
    """Say why a row can't be read safely; shorter ones can, if they are a single line."""
    over = sum(not is_nothing(value) for value in row.cells[width:])
    if over:
        return f"a row with {over} more values than there are columns ({width})"
    if row.lines > 1 and len(row.cells) < width:
        return f"a row over {row.lines} lines with {len(row.cells)} values for {width} columns"
    return ""


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
        self.places = find_places(names)
        self.is_ours = set(FIELDS) <= set(names)
        self.is_telling = any(field in self.places for field in TELLING)
        self._own_places = {name: names.index(name) for name in FIELDS} if self.is_ours else {}

    def document(self, values: Sequence[Any]) -> Document:
        """Return the document in a row; raise RowError if there is none."""
        if self.is_ours and all(isinstance(value, str) for value in values):
            document = self._own_document(values)
        else:
            document = Document(**self._fields(values))
        if not (document.is_identifiable or document.id):
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
        return _clean_fields(filled)


def to_row(document: Document) -> dict[str, str]:
    """Return a document as texts by column, such that nothing is lost."""
    row = {}
    for name in FIELDS:
        value = getattr(document, name)
        if name == "mesh":
            value = [_write_heading(heading) for heading in value]
        row[name] = _join(value) if name in LISTS else "" if value is None else str(value)
    return row


def lay_out_table(
    annotated: Iterable[AnnotatedDocument],
) -> tuple[list[str], Iterator[AnnotatedDocument]]:
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
        name: _split_parts(text) if name in LISTS else text for name, text in row.items()
    }
    year = row.get("year", "")
    fields["year"] = int(year) if re.fullmatch(r"-?[0-9]{1,9}", year) else clean_year(year)
    fields["mesh"] = tuple(_read_heading(text) for text in fields.get("mesh", ()))
    return Document(**fields)


def _join(values: Sequence[str]) -> str:
    return "; ".join(value.replace("\\", r"\\").replace(";", r"\;") for value in values)


def _split_parts(text: str) -> tuple[str, ...]:
    if not text:
        return ()
    if "\\" not in text:
        return tuple(text.split("; "))
    parts = re.findall(r"(?:\A|; )((?:\\.|[^;\\])*)", text, re.DOTALL)
    return tuple(re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL) for part in parts)


def _write_heading(heading: MeshHeading) -> str:
    """Write a heading as "*D000818:Animals", the star for a major one.

    >>> _write_heading(MeshHeading("Animals", ui="D000818")), _write_heading(MeshHeading("a: b"))
    ('D000818:Animals', ':a: b')
    """
    # A name that could be taken for star or identifier has a colon before it.
    guarded = heading.ui or ":" in heading.name or heading.name[:1] in ("*", "")
    text = f"{heading.ui}:{heading.name}" if guarded else heading.name
    return f"*{text}" if heading.major else text


def _read_heading(text: str) -> MeshHeading:
    major = text.startswith("*")
    ui, colon, name = text.removeprefix("*").partition(":")
    return MeshHeading(name if colon else ui, ui=ui if colon else "", major=major)


def _clean_fields(filled: dict[str, list[Any]]) -> dict[str, Any]:
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
            fields["mesh"] = tuple(cells.read_headings(names[0], uis[0]))
        for column, scheme in schemes.items():
            identifier = _make_identifier(filled[column][0], scheme=scheme)
            fields["other_ids"] = (*fields.get("other_ids", ()), identifier)
        note = "\n".join(value for value in filled.get("notes", ()) if isinstance(value, str))
        fields["pmid"] = fields.get("pmid") or find_pmid_in_note(note)
        fields["pmcid"] = fields.get("pmcid") or find_pmcid_in_note(note)
    except TypeError as error:
        found = f"{column.partition(':')[0]} is {error} where a text was expected"
        raise RowError(found, advice="write it as a text") from error
    return fields


def _make_identifier(value: Any, *, scheme: str) -> str:
    text = cells.read_number(value)
    bare = re.sub(rf"^{scheme}:\s*", "", text, flags=re.IGNORECASE)
    return f"{scheme}:{bare}"


def _read_text(filled: list[Any]) -> str:
    return cells.read_text(filled[0])


def _read_number(filled: list[Any]) -> str:
    return cells.read_number(filled[0])


def _read_year(filled: list[Any]) -> int | None:
    # Dates come as texts, numbers and, in CSL, lists in objects: a year is found in any of them.
    years = (clean_year(str(value)) for value in filled)
    return next((year for year in years if year), None)


def _read_people(filled: list[Any]) -> tuple[str, ...]:
    return tuple(read_people(filled[0]))


def _read_lists(filled: list[Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for value in filled for text in cells.read_texts(value)))


def _read_types(filled: list[Any]) -> tuple[str, ...]:
    # Web of Science has a letter for the kind of volume in such a column.
    return tuple(text for text in _read_lists(filled) if len(text) > 1)


def _read_origin(filled: list[Any]) -> str:
    # Other programs have a database's name in such a column; ours is "format:file".
    text = cells.read_text(filled[0])
    return text if re.match(r"\w+:\S", text) else ""


def _clean_first(clean: Callable[[str], str]) -> Callable[[list[Any]], str]:
    def first_cleaned(filled: list[Any]) -> str:
        cleaned = (clean(cells.read_number(value)) for value in filled)
        return next((value for value in cleaned if value), "")

    return first_cleaned


_FROM_CELLS: dict[str, Callable[[list[Any]], Any]] = {
    "id": _read_number,
    "title": _read_text,
    "abstract": _read_text,
    "year": _read_year,
    "authors": _read_people,
    "journal": _read_text,
    "doi": _clean_first(clean_doi),
    "pmid": _clean_first(clean_pmid),
    "pmcid": _clean_first(clean_pmcid),
    "keywords": _read_lists,
    "publication_types": _read_types,
    "language": _read_text,
    "source": _read_origin,
    "other_ids": _read_lists,
}


# As `name_key` leaves them. Where a table has several for one field, the first that is filled wins
# (or, for lists, they are put together in this order).
NAMES = {
    "id": """id recordid documentid docid key covidence covidencenumber openalexid refid referenceid
        articleid""",
    "title": "title primarytitle articletitle documenttitle maintitle",
    "abstract": "abstract abstractnote notesabstract abstracttext summary text",
    "year": """year publicationyear pubyear publishedyear yearpublished date publicationdate
        datepublished pubdate coverdate issued published""",
    "authors": """authorfullnames authors author authornames authorlist creators firstauthors
        firstauthor""",
    "journal": """journal journalname journaltitle fulljournalname journalbook sourcetitle
        publicationtitle publicationname containertitle secondarytitle pubtitle venue""",
    "doi": "doi articledoi digitalobjectidentifier doilink",
    "pmid": "pmid pubmedid pubmed pubmedpmid medlinepmid medlineid",
    "pmcid": "pmcid pmc",
    "mesh": "mesh meshterms meshheadings meshheading meshnames meshdescriptors",
    "mesh_ids": "meshids meshset meshuis meshui meshid",
    "keywords": """keywords authorkeywords keyword indexkeywords keywordsplus manualtags
        automatictags subjectterms identifierkeywords""",
    "publication_types": "publicationtypes publicationtype documenttype articletype itemtype type",
    "language": "language languageoforiginaldocument languageofarticle lang",
    "source": "source",
    "other_ids": "otherids",
    "other_ids:eid": "eid",
    "other_ids:embase": "pui",
    "other_ids:lens": "lensid",
    "other_ids:dimensions": "publicationid",
    "other_ids:wos": "utuniquewosid",
    "other_ids:accession": "accessionnumber",
    "other_ids:nihms": "nihmsid",
    # Zotero keeps what it has no field for in "Extra", a name and a value on a line.
    "notes": "extra notes note",
}  # fmt: skip
# Web of Science heads its columns with tags, and its ID is no id but the "Keywords Plus".
WEB_OF_SCIENCE = {
    "title": "TI",
    "abstract": "AB",
    "year": "PY EA",
    "authors": "AF AU CA",
    "journal": "SO",
    "doi": "DI",
    "pmid": "PM",
    "keywords": "DE ID",
    "publication_types": "DT",
    "language": "LA",
    "other_ids:wos": "UT",
}
# Without one of these there is nothing to know a document by.
TELLING = ("title", "abstract", "doi", "pmid", "pmcid", "id")


def find_places(names: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return where each field is found among columns of these names, the best place first.

    >>> find_places(["PMID", "Article Title", "Index Keywords", "Author Keywords"])
    {'title': (1,), 'pmid': (0,), 'keywords': (3, 2)}
    """
    tagged = {"TI", "SO"} <= set(names)
    known = WEB_OF_SCIENCE if tagged else NAMES
    where: defaultdict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(names):
        where[name if tagged else name_key(name)].append(place)
    found = {
        field: tuple(place for alias in aliases.split() for place in where.get(alias, ()))
        for field, aliases in known.items()
    }
    return {field: places for field, places in found.items() if places}


def name_key(name: str) -> str:
    """Return a column's name without case, spaces, underscores and punctuation.

    >>> name_key("Author(s)"), name_key("Journal/Book")
    ('authors', 'journalbook')
    """
    return re.sub(r"[\W_]+", "", name.casefold())
