"""Tables: the header among the first rows, its columns, and the documents in the rows below it.

A table that has all of our own columns is read back exactly as it was written. Any other is read
by the names that its makers give to columns, and cleaned.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from likewise.documents.document import Document
from likewise.documents.formats.cells import ALWAYS_OURS, FIELDS, from_row, is_nothing, name_key
from likewise.documents.formats.columns import ForeignRow
from likewise.documents.sources import (
    BadRecordError,
    Complaint,
    Record,
    RecordSize,
    Source,
    try_record,
)

# Some programs put a title, a date or a licence above the header.
HEADER_ROWS = 10


class TableRow(NamedTuple):
    """The cells of a row, the line where it begins and the number of lines that it takes."""

    line: int
    cells: Sequence[Any]
    lines: int = 1


def read_rows(
    rows: Iterable[TableRow | Complaint], *, header: TableRow, source: Source
) -> Iterator[Record | Complaint]:
    """Yield the records in the rows below a header, and the complaints between them."""
    names = read_cells(header)
    layout, width, found = Layout(names), len(header.cells), False
    below = iter(rows)
    first = list(islice(below, 1))
    if first and _names_fields(header, first[0]):
        yield from _read_fields_by_row(chain([header], first, below), source=source)
        return
    for row in chain(first, below):
        if isinstance(row, Complaint):
            yield row
        elif not all(is_nothing(value) for value in row.cells):
            found = True
            yield try_record(row.line, _read_row, row, layout, width)
    if not found:
        raise source.fail("a header but no rows below it", advice="export it again")


def _names_fields(header: TableRow, below: TableRow | Complaint) -> bool:
    """Return whether rows are fields, as in Embase's "fields by row": a name, then its values."""
    if isinstance(below, Complaint):
        return False
    places, first = find_places(read_cells(header)), find_places(read_cells(below)[:1])
    is_alone = all(where == (0,) for where in places.values())
    return is_alone and bool(first) and not places.keys() & first.keys()


def _read_fields_by_row(
    rows: Iterable[TableRow | Complaint], *, source: Source
) -> Iterator[Record | Complaint]:
    """Yield the records of rows that are fields; an empty row or the first name begins a record."""
    told: dict[str, list[str]] = {}
    layout, size = Layout([]), RecordSize(1, source)
    for row in chain(rows, [TableRow(0, ())]):
        if isinstance(row, Complaint):
            yield row
            continue
        name, *values = read_cells(row) or [""]
        if told and (not name or name == next(iter(told))):
            if list(told) != layout.names:
                layout = Layout(list(told))
            record = TableRow(size.line, list(map("; ".join, told.values())))
            yield try_record(size.line, _read_row, record, layout, len(told))
            told = {}
        if not told:
            size = RecordSize(row.line, source)
        for said in filter(None, values if name else ()):
            size.grow(said)
            told.setdefault(name, []).append(said)


def _read_row(row: TableRow, layout: Layout, width: int) -> Record:
    """Return the record in a row; one that is too short can be read if it is a single line."""
    over = sum(not is_nothing(value) for value in row.cells[width:])
    if over:
        found = f"a row with {over} more values than there are columns ({width})"
    elif row.lines > 1 and len(row.cells) < width:
        found = f"a row over {row.lines} lines with {len(row.cells)} values for {width} columns"
    else:
        return Record(layout.document(row.cells), row.line, layout.names, row.cells)
    raise BadRecordError(found, advice="check its quotes and separators")


def is_header(row: TableRow) -> bool:
    """Return whether a row names columns, among them one to know documents by."""
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


class Layout:
    """The columns of a table, and which fields they hold; the others' names get a prefix.

    >>> layout = Layout(["PMID", "Title", "Authors"])
    >>> layout.document(["7", "On cats", "Smith J, Doe A"]).authors
    ('Smith, J', 'Doe, A')
    """

    def __init__(self, names: Sequence[str], *, prefix: str = "csv") -> None:
        self.places = find_places(names)
        self.is_ours = set(names) >= ALWAYS_OURS
        self.is_telling = any(field in self.places for field in TELLING)
        self.names = names
        self._prefix = prefix
        ours = [name for name in FIELDS if name in names] if self.is_ours else []
        self._own_places = {name: names.index(name) for name in ours}

    def document(self, values: Sequence[Any]) -> Document:
        """Return the document in a row; raise BadRecordError if there is none."""
        if self.is_ours and all(isinstance(value, str) for value in values):
            own = {name: values[at] for name, at in self._own_places.items() if at < len(values)}
            document = from_row(own)
        else:
            row = ForeignRow(values, self.places)
            document = Document(**row.read_fields(self.names, prefix=self._prefix))
        if not (document.is_identifiable or document.id):
            raise BadRecordError("no title, no abstract and no identifier")
        return document


# As `name_key` leaves them. If a table has several for one field, the first that is filled wins
# (or, for lists, they are joined in this order).
NAMES = {
    "id": """id recordid documentid docid key covidence covidencenumber openalexid refid referenceid
        articleid""",
    "title": "title primarytitle articletitle documenttitle maintitle studytitle",
    "abstract": "abstract abstractnote notesabstract abstracttext summary text briefsummary",
    "year": "year publicationyear pubyear publishedyear yearpublished",
    "date": """date publicationdate datepublished pubdate coverdate issued published
        dateofpublication""",
    "month": "month publishedmonth publicationmonth",
    "day": "day publicationday",
    "authors": """authorfullnames authors author authornames authorlist creators firstauthors
        firstauthor authorshipsauthordisplayname""",
    "journal": """journal journalname journaltitle fulljournalname journalbook sourcetitle
        publicationtitle publicationname containertitle secondarytitle pubtitle venue
        primarylocationsourcedisplayname""",
    "doi": "doi articledoi digitalobjectidentifier doilink",
    "pmid": "pmid pubmedid pubmed pubmedpmid medlinepmid medlineid idspmid",
    "pmcid": "pmcid pmc idspmcid",
    "mesh": "mesh meshterms meshheadings meshheading meshnames meshdescriptors",
    "mesh_ids": "meshids meshset meshuis meshui meshid",
    "keywords": """keywords authorkeywords keyword indexkeywords keywordsplus manualtags
        automatictags subjectterms identifierkeywords subjects ieeeterms""",
    "publication_types": """publicationtypes publicationtype documenttype articletype itemtype type
        doctype pubtype""",
    "language": "language languageoforiginaldocument languageofarticle lang articlelanguage",
    "kind": "kind",
    "volume": "volume vol journalvolume volumenumber",
    "issue": "issue issuenumber journalissue",
    "pages": "pages page pagination pagerange pageinfo",
    "first_page": "pagestart startpage firstpage beginningpage",
    "last_page": "pageend endpage lastpage endingpage",
    "article_number": "artno articlenumber",
    "citation": "citation",
    "issn": "issn issns printissn eissn electronicissn onlineissn journalissn",
    "isbn": "isbn isbns",
    "series": "series seriestitle bookseriestitle",
    "edition": "edition",
    "editors": "editors editor bookeditors",
    "publisher": "publisher",
    "place": "place placeofpublication publishercity location",
    "urls": """urls url link links documenturl sourceurls externalurl weblink articleurl
        fulltextlink plink studyurl""",
    "remarks": "remarks",
    "database": "database databasename librarycatalog",
    "accession": "accession",
    "source": "source",
    "external_id": "externalid",
    "references": "references citedreferences",
    "other_ids": "otherids",
    "other_ids:eid": "eid",
    "other_ids:embase": "pui embaseaccessionid",
    "other_ids:lens": "lensid",
    "other_ids:nct": "nctnumber",
    "other_ids:cochrane": "cochranereviewid",
    "other_ids:dimensions": "publicationid",
    "other_ids:wos": "utuniquewosid",
    "other_ids:accession": "accessionnumber",
    "other_ids:nihms": "nihmsid",
    # Zotero keeps what it has no field for in "Extra", a name and a value on a line.
    "notes": "extra notes note",
}  # fmt: skip
# Web of Science heads its columns with tags, and its ID is no id but the "Keywords Plus".
WEB_OF_SCIENCE = {
    "title": "TI", "abstract": "AB", "year": "PY EA", "authors": "AF AU CA", "journal": "SO",
    "doi": "DI", "pmid": "PM", "keywords": "DE ID", "publication_types": "PT DT",
    "language": "LA", "volume": "VL", "issue": "IS", "first_page": "BP", "last_page": "EP",
    "article_number": "AR", "issn": "SN EI", "isbn": "BN", "series": "SE", "editors": "BE ED",
    "publisher": "PU", "place": "PI", "date": "PD", "references": "CR", "other_ids:wos": "UT",
}  # fmt: skip
# No table has this many columns for one field, and each would be looked up in every row.
MAX_PLACES = 100
# Without one of these, there is nothing to recognise a document by.
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
    return {field: places[:MAX_PLACES] for field, places in found.items() if places}
