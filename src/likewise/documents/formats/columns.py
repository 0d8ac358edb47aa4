"""What the columns of other people's tables say, as fields of a document.

If several columns hold the same field, the first that is filled wins, and lists are joined. What
no field takes is kept under its column's own name, so that nothing is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from likewise.documents.citations import (
    clean_date,
    find_serials,
    format_date,
    join_pages,
    list_remarks,
    read_date_parts,
)
from likewise.documents.document import KNOWN_NOTES
from likewise.documents.formats import cells
from likewise.documents.formats.cells import read_pair, split_parts
from likewise.documents.identity import (
    clean_doi,
    clean_pmcid,
    clean_pmid,
    clean_year,
    find_doi_in_link,
    find_pmcid_in_note,
    find_pmid_in_link,
    find_pmid_in_note,
    find_references,
)
from likewise.documents.sources import BadRecordError


class ForeignRow:
    """The cells of a row that say something, and which of them a field has taken.

    Args:
        values: The cells.
        places: Where each field is found, the best place first.
    """

    def __init__(self, values: Sequence[Any], places: Mapping[str, Sequence[int]]) -> None:
        self._column = ""  # the one that is being read
        self._values = values
        self._places = places
        self._taken: set[int] = set()
        self._filled: dict[str, list[int]] = {}
        for column, where in places.items():
            told = [at for at in where if at < len(values) and not cells.is_nothing(values[at])]
            if told:
                self._filled[column] = told

    def read_fields(self, names: Sequence[str], *, prefix: str) -> dict[str, Any]:
        """Return the fields of a document; raise BadRecordError if one can't be understood.

        Args:
            names: What the columns are called.
            prefix: The prefix for the names of columns that match no field.
        """
        try:
            fields = self._read_fields()
        except TypeError as error:
            found = f"{self._column.partition(':')[0]} is {error} where a text was expected"
            raise BadRecordError(found, advice="write it as a text") from error
        fields["extra"] = (*fields.get("extra", ()), *self._list_left(names, prefix=prefix))
        return fields

    def _read_fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for column in self._filled:
            self._column = column
            if read_cell := _FROM_CELLS.get(column):
                fields[column] = self._take_first(column, read_cell)
            elif column in _FROM_LISTS:
                fields[column] = self._take_all(column, _FROM_LISTS[column])
        self._read_headings(fields)
        self._read_other_ids(fields)
        self._read_notes(fields)
        self._read_references(fields)
        for column, read_part in _LOOSELY.items():
            if told := self._take_loosely(column, read_part):
                fields[column] = told
        for column in _SEVERAL:
            while more := self._take_loosely(column, _LOOSELY[column]):
                fields[column] = tuple(dict.fromkeys((*fields[column], *more)))
        self._read_citation(fields)
        return fields

    def _list_left(self, names: Sequence[str], *, prefix: str) -> list[tuple[str, str]]:
        """Return what no field took, under the names of its columns."""
        return [
            (f"{prefix}:{name}", _write_value(value))
            for at, (name, value) in enumerate(zip(names, self._values, strict=False))
            if at not in self._taken
            and name
            and name not in KNOWN_NOTES
            and not cells.is_nothing(value)
        ]

    def _take_first(self, column: str, read_cell: Callable[[Any], Any]) -> Any:
        """Return the first usable value, and take every cell that says the same."""
        found: Any = None
        for at in self._filled[column]:
            try:
                said = read_cell(self._values[at])
            except TypeError:
                if not found:
                    raise
                continue
            found = found or said
            if said and said == found:
                self._taken.add(at)
        return found if found is not None else read_cell("")

    def _take_all(self, column: str, read_cell: Callable[[Any], Sequence[str]]) -> tuple[str, ...]:
        where = self._filled[column]
        self._taken.update(where)
        return tuple(dict.fromkeys(text for at in where for text in read_cell(self._values[at])))

    def _take_loosely(self, column: str, read_part: Callable[[Any], Any]) -> Any:
        """Return what a column says, or None; what can't be understood is left alone."""
        for at in self._filled.get(column, ()):
            if at in self._taken:
                continue
            try:
                said = read_part(self._values[at])
            except TypeError:
                continue
            if said:
                self._taken.add(at)
                return said
        return None

    def _read_headings(self, fields: dict[str, Any]) -> None:
        self._column = "mesh"
        names, uis = self._filled.get("mesh"), self._filled.get("mesh_ids")
        if names or uis:
            told = [self._values[where[0]] if where else None for where in (names, uis)]
            fields["mesh"] = tuple(cells.read_headings(*told))
            self._taken.update(where[0] for where in (names, uis) if where)

    def _read_other_ids(self, fields: dict[str, Any]) -> None:
        """Take the numbers of databases, each named after its column, such as "other_ids:eid"."""
        for column, where in self._filled.items():
            self._column = column
            _, colon, scheme = column.partition(":")
            if colon:
                number = cells.read_number(self._values[where[0]])
                is_named = number.lower().startswith(f"{scheme}:")
                bare = number[len(scheme) + 1 :].lstrip() if is_named else number
                fields["other_ids"] = (*fields.get("other_ids", ()), f"{scheme}:{bare}")
                if scheme != "nihms":
                    fields.setdefault("accession", number)
                self._taken.add(where[0])

    def _read_notes(self, fields: dict[str, Any]) -> None:
        """Take notes for remarks, and find identifiers in them."""
        told = {at: self._values[at] for at in self._filled.get("notes", ())}
        notes = {at: value for at, value in told.items() if isinstance(value, str)}
        note = "\n".join(notes.values())
        fields["pmid"] = fields.get("pmid") or find_pmid_in_note(note)
        fields["pmcid"] = fields.get("pmcid") or find_pmcid_in_note(note)
        remarks = list(fields.get("remarks", ()))
        for value in notes.values():
            if _OWN_PAIR.match(value):
                fields["extra"] = tuple(map(read_pair, split_parts(value)))
            else:
                remarks += list_remarks(value.splitlines())
        fields["remarks"] = tuple(dict.fromkeys(remarks))
        self._taken.update(notes)

    def _read_references(self, fields: dict[str, Any]) -> None:
        """Read which papers the cited references name; keep the references, which say more."""
        told = (self._values[at] for at in self._filled.get("references", ()))
        parts = (str(part) for value in told for part in _list_values(value))
        if found := find_references(line for part in parts for line in re.split(r";|\n", part)):
            fields["references"] = found

    def _read_citation(self, fields: dict[str, Any]) -> None:
        """Take dates, pages, kinds and databases, which several columns may give."""
        fields["year"] = fields.get("year") or self._find_year()
        if date := self._take_date(fields["year"]):
            fields["date"] = date
        first, last = (self._take_loosely(f"{end}_page", cells.read_number) for end in _ENDS)
        pages = join_pages(first or "", last or "")
        if not pages and "pages" not in fields:
            pages = self._take_loosely("article_number", cells.read_number)
        if pages:
            fields.setdefault("pages", pages)
        self._read_summary(fields)
        if not fields.get("doi"):
            links = map(find_doi_in_link, fields.get("urls", ()))
            fields["doi"] = next(filter(None, links), "")
        if not fields.get("source"):
            self._read_source(fields)
        types = (self._values[at] for at in self._filled.get("publication_types", ()))
        kinds = (_find_kind(value) for value in types if isinstance(value, str))
        fields["kind"] = fields.get("kind") or next(filter(None, kinds), "")

    def _read_source(self, fields: dict[str, Any]) -> None:
        """Take what others call a source: a database, or the journal in a table without one."""
        for at in () if "journal" in self._places else self._filled.get("source", ()):
            text = cells.read_text(self._values[at])
            # Embase has a whole citation there, of which the rest is kept under its name.
            journal = _AFTER_JOURNAL.split(text, maxsplit=1)[0]
            is_database = cells.name_key(journal[:40]) in _DATABASES
            if journal != text or ("volume" in self._places and not is_database):
                self._taken.update([at] if journal == text else [])
                fields["journal"] = journal
                return
        if "database" not in fields:
            fields["database"] = self._take_loosely("source", _read_database) or ""
        # Europe PMC has numbers of several databases in one column.
        if fields["database"] == "MED" and not fields["pmid"]:
            fields["pmid"] = self._take_loosely("external_id", _read_pmid) or ""

    def _read_summary(self, fields: dict[str, Any]) -> None:
        """Take volume, issue and pages from a summary such as PubMed's, if nothing else has."""
        for at in self._filled.get("citation", ()):
            found = _SUMMARY.search(str(self._values[at])[:_LONGEST_SUMMARY])
            if found and not any(fields.get(name) for name in ("volume", "issue", "pages")):
                told = {name: text.strip() for name, text in found.groupdict("").items()}
                date = clean_date(told.pop("date"))
                fields.update(told, date=fields.get("date") or date)

    def _find_year(self) -> int | None:
        # Dates come as texts, numbers and, in CSL, lists in objects: a year is found in any.
        years = (clean_year(str(self._values[at])) for at in self._filled.get("date", ()))
        return next(filter(None, years), None)

    def _take_date(self, year: int | None) -> str:
        """Return the first date that says more than a year."""
        for at in self._filled.get("date", ()):
            value = self._values[at]
            is_plain = isinstance(value, str | int)
            date = clean_date(str(value), year=year) if is_plain else read_date_parts(value)
            if not date and clean_year(str(value)) == year:
                self._taken.add(at)
            elif date:
                self._taken.add(at)
                return date
        parts = [self._filled.get(part) for part in ("month", "day")]
        if not year or not parts[0]:
            return ""
        told = [str(self._values[where[0]]).strip() if where else "" for where in parts]
        date = format_date(str(year), *told)
        self._taken.update(where[0] for where in parts if where and date)
        return date


_ENDS = ("first", "last")
# As in "J Sleep Stud. 2014 Mar 1;12(2):10-19." of PubMed.
_LONGEST_SUMMARY = 1000
_SUMMARY = re.compile(
    r"\. (?P<date>[0-9]{4}[^;.]{0,20});(?P<volume>[^();:]{0,20})"
    r"(?:\((?P<issue>[^()]{1,30})\))?:(?P<pages>[^.;:]{1,40})\."
)
_OWN_PAIR = re.compile(r"[a-z]{2,12}:[^\s=;]{1,60}=")


def _write_value(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    return msgspec.json.encode(value).decode()


def clean_with(clean: Callable[[str], str]) -> Callable[[Any], str]:
    """Return a function that cleans the identifier in a cell."""
    return lambda value: clean(cells.read_number(value))


def _read_pmid(value: Any) -> str:
    # Embase has a link after it, in parentheses, and OpenAlex a link alone.
    text = cells.read_number(value)
    return clean_pmid(text) or clean_pmid(text.partition("(")[0]) or find_pmid_in_link(text)


def _read_origin(value: Any) -> str:
    # Other programs have a database's name in such a column; ours is "format:file".
    text = cells.read_text(value)
    return text if re.match(r"\w{1,20}:\S", text) else ""


def _read_database(value: Any) -> str:
    # Some programs have a whole citation there.
    text = cells.read_text(value)
    return text if len(text) <= 40 and not any(map(str.isdigit, text)) else ""


_DATABASES = frozenset(
    (
        *("med", "pmc", "ppr", "pubmed", "medline", "europepmc", "embase", "scopus", "wos"),
        *("webofscience", "cinahl", "psycinfo", "central", "cochrane", "cochranelibrary", "ovid"),
        *("googlescholar", "crossref", "openalex", "dimensions", "lens", "eric", "lilacs"),
        *("proquest", "ebsco", "clinicaltrialsgov", "ictrp", "medrxiv", "biorxiv", "arxiv"),
        *("ieee", "ieeexplore"),
    )
)
_AFTER_JOURNAL = re.compile(r" \([12][0-9]{3}\) ")


def _read_kind(value: Any) -> str:
    text = cells.read_text(value)
    return _find_kind(text) or (text if text.isupper() and text.isalpha() else "")


def _read_types(value: Any) -> list[str]:
    # Web of Science has a letter for the kind of volume in such a column.
    return [text for text in cells.read_texts(value) if len(text) > 1]


def _read_urls(value: Any) -> list[str]:
    words = " ".join(cells.read_texts(value, by_comma=False)) if isinstance(value, list) else value
    return [url for word in cells.read_text(words).split() if (url := word.strip(";,|"))]


def read_issn(value: Any) -> tuple[str, ...]:
    """Return the ISSNs in a cell, or what it says instead."""
    return find_serials(map(cells.read_number, _list_values(value)), others="issn").issn


def read_isbn(value: Any) -> tuple[str, ...]:
    """Return the ISBNs in a cell, or what it says instead."""
    return find_serials(map(cells.read_number, _list_values(value)), others="isbn").isbn


def _list_lines(value: Any) -> list[str]:
    return "\n".join(cells.read_texts(value, by_comma=False)).splitlines()


def _list_values(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


# A value of the wrong kind in one of these spoils the row: it would be another paper.
_FROM_CELLS: dict[str, Callable[[Any], Any]] = {
    "id": cells.read_number,
    "title": cells.read_text,
    "abstract": cells.read_text,
    "year": lambda value: clean_year(str(value)),
    "journal": cells.read_text,
    "doi": clean_with(clean_doi),
    "pmid": _read_pmid,
    "pmcid": clean_with(clean_pmcid),
    "language": cells.read_text,
    "source": _read_origin,
    "authors": lambda value: tuple(cells.read_people(value)),
}
_FROM_LISTS: dict[str, Callable[[Any], Sequence[str]]] = {
    "keywords": cells.read_texts,
    "publication_types": _read_types,
    "other_ids": cells.read_texts,
}
# What is not understood in one of these is kept under its own name.
_LOOSELY: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(
        ("volume", "issue", "pages", "series", "edition", "publisher", "place"), cells.read_number
    ),
    "database": cells.read_text,
    "accession": cells.read_number,
    "kind": _read_kind,
    "issn": read_issn,
    "isbn": read_isbn,
    "editors": lambda value: tuple(cells.read_people(value)),
    "urls": lambda value: tuple(dict.fromkeys(_read_urls(value))),
    "remarks": lambda value: list_remarks(_list_lines(value)),
}
# A row may have several columns for these, each with some of the values.
_SEVERAL = ("issn", "urls")

_KINDS = {
    kind: frozenset(words.split())
    for kind, words in {
        "JOUR": """j article journalarticle review letter editorial note shortsurvey erratum
            journal articlejournal researcharticle reviewarticle""",
        "BOOK": "b book monograph wholebook",
        "CHAP": "bookchapter booksection chapter bookpart",
        "CPAPER": "conferencepaper proceedingspaper paperconference",
        "CONF": "conferencereview conferenceproceedings proceedings",
        "THES": "thesis dissertation phdthesis mastersthesis dissertationthesis",
        "RPRT": "report techreport workingpaper",
        "SER": "s bookseries",
        "PAT": "p patent",
        "NEWS": "newspaperarticle newspaper",
        "MGZN": "magazinearticle magazine",
        "ELEC": "webpage website",
        "DATA": "dataset datapaper",
        "UNPB": "preprint unpublished",
        "GEN": "generic miscellaneous other",
    }.items()
}


def _find_kind(text: str) -> str:
    """Return what RIS calls a kind of work that databases and programs name in words."""
    if len(text) > 60:
        return ""
    key = cells.name_key(text)
    return next((kind for kind, words in _KINDS.items() if key in words), "")
