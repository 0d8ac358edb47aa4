r"""BibTeX and BibLaTeX.

The citation key is the id. What BibTeX has no field for is written to fields of our own, which
other programs ignore: `mesh` (an asterisk marks major headings; their codes are lost),
`publication-types`, `other-ids`, `urls` after the first, `accession`, `likewise-id` for an id that
is not a legal key, and `likewise-kind` for a type of work that has no type of entry. Fields that no
document has are kept under their names. Remarks are written to `note`, separated by `\par`. Notes
are written to `annote`: programs keep it as a note, but would print `note` in bibliographies.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any

from likewise.documents.citations import clean_date, find_serials, format_date, list_remarks
from likewise.documents.document import AnnotatedDocument, Document, MeshHeading, format_notes
from likewise.documents.formats.bibtex_syntax import BibtexEntry, read_entries, to_latex, to_unicode
from likewise.documents.formats.tagged import one_line
from likewise.documents.identity import (
    clean_doi,
    clean_pmcid,
    clean_pmid,
    clean_year,
    find_doi_in_link,
    find_pmcid_in_note,
    find_pmid_in_link,
    find_pmid_in_note,
)
from likewise.documents.sources import (
    NOTES,
    BadRecordError,
    Complaint,
    ReadItem,
    Record,
    Source,
    try_record,
)

# The types of entries that are written, and all that are read, by what RIS calls them.
_TYPES = {
    "JOUR": "article", "BOOK": "book", "CHAP": "incollection", "CPAPER": "inproceedings",
    "CONF": "proceedings", "EDBOOK": "collection", "THES": "phdthesis", "RPRT": "techreport",
    "UNPB": "unpublished", "ELEC": "online", "PAT": "patent", "PAMP": "booklet",
    "SER": "periodical", "DATA": "dataset", "COMP": "software", "GEN": "misc",
}  # fmt: skip
_KINDS = {name: kind for kind, name in _TYPES.items()} | {
    "inbook": "CHAP", "conference": "CPAPER", "mastersthesis": "THES", "thesis": "THES",
    "report": "RPRT", "electronic": "ELEC", "www": "ELEC",
}  # fmt: skip
# The fields for the publisher of these; for all others it is `publisher`.
_PUBLISHERS = {"THES": "school", "RPRT": "institution"}
_IN_BOOKS = ("CHAP", "CPAPER")
_PREFIX = "bibtex:"
_ENTRY_TYPE = "bibtex:entrytype"
_ILLEGAL = re.compile(r"[^A-Za-z0-9_.:/+-]")


def read(source: Source) -> Iterator[ReadItem]:
    """Yield the records of a BibTeX file."""
    found = False
    for entry in read_entries(source):
        if isinstance(entry, Complaint):
            yield entry
            continue
        found = True
        yield try_record(entry.line, _read_record, entry)
    if not found:
        raise source.fail("no BibTeX entry in it", advice="each begins like '@article{key,'")


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write documents as BibTeX entries, in UTF-8."""
    for document, notes in annotated:
        key = _make_key(document.id)
        fields = dict(_list_fields(document))
        if key != document.id:
            fields["likewise-id"] = to_latex(one_line(document.id))
        fields["annote"] = to_latex(one_line("; ".join(format_notes(notes))))
        for name, value in _list_extra(document):
            fields[name] = fields.get(name) or value
        lines = [
            f"  {name} = {{{value}}},"
            for name, value in fields.items()
            if value or name == "likewise-id"
        ]
        first = f"@{_choose_type(document)}{{{key},"
        stream.write("\n".join([first, *lines, "}", "", ""]).encode())


def _read_record(entry: BibtexEntry) -> Record:
    document = _parse_entry(entry)
    if not document.is_identifiable:
        raise BadRecordError(f"the entry {entry.key!r} has no title, no abstract and no identifier")
    return Record(document, entry.line, NOTES, (read_notes(entry),))


def _parse_entry(entry: BibtexEntry) -> Document:
    fields = _EntryFields(entry)
    citation = _read_citation(fields)
    return Document(
        id=fields.take("likewise-id") if "likewise-id" in entry.fields else entry.key,
        title=fields.take_title(),
        abstract=fields.take("abstract"),
        year=clean_year(read_field(entry, "year")) or clean_year(read_field(entry, "date")),
        authors=fields.take_names("author"),
        doi=clean_doi(read_field(entry, "doi")) or find_doi_in_link(read_field(entry, "url")),
        pmid=find_pmid(entry),
        pmcid=find_pmcid(entry),
        other_ids=find_other_ids(entry),
        mesh=tuple(
            MeshHeading(name=name.removeprefix("*"), major=name.startswith("*"))
            for name in fields.take_lists("mesh")
        ),
        keywords=fields.take_lists("author_keywords", "keywords"),
        publication_types=fields.take_lists("publication-types", "document_type"),
        language=fields.take("language", "langid"),
        **citation,
        extra=fields.list_left(),
    )


def _read_citation(fields: _EntryFields) -> dict[str, Any]:
    kind = fields.kind
    journals = ("booktitle",) if kind in _IN_BOOKS else ()
    return {
        "kind": kind,
        "journal": fields.take(*journals, "journal", "journaltitle", "booktitle"),
        "volume": fields.take("volume"),
        "issue": fields.take("number", "issue"),
        "pages": fields.take("pages").replace("--", "-"),
        "issn": find_serials(fields.take_lists("issn", "eissn"), others="issn").issn,
        "isbn": find_serials(fields.take_lists("isbn"), others="isbn").isbn,
        "series": fields.take("series"),
        "edition": fields.take("edition"),
        "editors": fields.take_names("editor"),
        "publisher": fields.take(_PUBLISHERS.get(kind, "publisher"), "publisher"),
        "place": fields.take("address", "location"),
        "date": fields.take_date(),
        "urls": fields.take_urls(),
        "remarks": fields.take_remarks(),
        "database": fields.take("source", "database"),
        "accession": fields.take("accession", "accession-number", "unique-id"),
    }


# These fields are read in another way, and count as taken if this makes something of them.
_CLEANED: dict[str, Callable[[str], str]] = {
    "doi": clean_doi,
    "pmid": clean_pmid,
    "pubmed_id": clean_pmid,
    "pmcid": clean_pmcid,
    "pmc": clean_pmcid,
    **dict.fromkeys(("other-ids", "likewise-id", "likewise-kind"), str),
}


class _EntryFields:
    """The fields of an entry, and which of them a document has taken."""

    def __init__(self, entry: BibtexEntry) -> None:
        self._entry = entry
        self._taken = {name for name, clean in _CLEANED.items() if clean(read_field(entry, name))}
        self.kind = read_field(entry, "likewise-kind") or _KINDS.get(entry.kind, "GEN")
        """The type of work, in RIS's words."""

    def take(self, *names: str) -> str:
        """Return the first of these fields that says something."""
        for name in names:
            if text := read_field(self._entry, name):
                self._taken.add(name)
                return text
        return ""

    def take_title(self) -> str:
        title, subtitle = self.take("title"), self.take("subtitle")
        return f"{title}: {subtitle}" if title and subtitle else title or subtitle

    def take_names(self, name: str) -> tuple[str, ...]:
        self._taken.add(name)
        return read_names(self._entry.fields.get(name, ""))

    def take_lists(self, *names: str) -> tuple[str, ...]:
        """Return the items of several fields together: Scopus, for one, has two for keywords."""
        self._taken.update(names)
        values = [self._entry.fields.get(name, "") for name in names]
        if "unique-id" in self._entry.fields:
            # Web of Science puts braces around all that a field says, not around items.
            values = [value.strip().removeprefix("{").removesuffix("}") for value in values]
        return tuple(dict.fromkeys(item for value in values for item in read_list(value)))

    def take_urls(self) -> tuple[str, ...]:
        first = self.take("url")
        return tuple(dict.fromkeys(filter(None, (first, *self.take_lists("urls")))))

    def take_date(self) -> str:
        """Return the date, if it is more than a year."""
        text = read_field(self._entry, "year")
        year = clean_year(text)
        if text == str(year):
            self._taken.add("year")
        if date := read_field(self._entry, "date"):
            self._taken.add("date")
            return clean_date(date, year=year)
        month, day = (read_field(self._entry, name) for name in ("month", "day"))
        # Some write the day there too, as in `mar # "~15"`.
        month = month.replace("~", " ")
        date = format_date(str(year or ""), month, day)
        if date and " " in month and not day:
            date = clean_date(month, year=year)
        self._taken.update(("month", "day") if date else ())
        return date

    def take_remarks(self) -> tuple[str, ...]:
        """Return what others have noted, but not our own notes."""
        self._taken.update(("note", "annote"))
        notes = _PARAGRAPH.split(self._entry.fields.get("note", ""))
        texts = [*notes, self._entry.fields.get("annote", "")]
        return list_remarks(one_line(to_unicode(text)) for text in texts)

    def list_left(self) -> tuple[tuple[str, str], ...]:
        """Return the fields that nothing has taken, and the entry's type if it would be lost."""
        entry = self._entry
        left = [
            (f"{_PREFIX}{name}", text)
            for name in entry.fields
            if name not in self._taken and (text := read_field(entry, name))
        ]
        is_usual = entry.kind == _TYPES.get(self.kind, "misc")
        return tuple(left if is_usual else [(_ENTRY_TYPE, entry.kind), *left])


_PARAGRAPH = re.compile(r"\\par(?![A-Za-z])")


def _list_fields(document: Document) -> Iterator[tuple[str, str]]:
    yield "title", to_latex(one_line(document.title))
    yield "author", write_names(document.authors)
    yield "editor", write_names(document.editors)
    yield "year", str(document.year or "")
    for name, text in _list_texts(document).items():
        yield name, to_latex(one_line(text))
    yield "note", r" \par ".join(to_latex(one_line(remark)) for remark in document.remarks)
    for name, items in (
        ("urls", document.urls[1:]),
        ("issn", document.issn),
        ("isbn", document.isbn),
        ("keywords", document.keywords),
        ("mesh", [f"{'*' * heading.major}{heading.name}" for heading in document.mesh]),
        ("publication-types", document.publication_types),
        ("other-ids", document.other_ids),
    ):
        yield name, write_list(items)


def _list_texts(document: Document) -> dict[str, str]:
    """Return the fields that are plain texts."""
    date = document.date
    return {
        "date": date.replace("/", "-") if date.replace("/", "").isdecimal() else date,
        "booktitle" if document.kind in _IN_BOOKS else "journal": document.journal,
        "volume": document.volume,
        "number": document.issue,
        "pages": document.pages.replace("-", "--"),
        "series": document.series,
        "edition": document.edition,
        _PUBLISHERS.get(document.kind, "publisher"): document.publisher,
        "address": document.place,
        "abstract": document.abstract,
        "doi": document.doi,
        "pmid": document.pmid,
        "pmcid": document.pmcid,
        "language": document.language,
        "source": document.database,
        "accession": document.accession,
        "url": next(iter(document.urls), ""),
        "likewise-kind": "" if document.kind in _TYPES else document.kind,
    }


def _list_extra(document: Document) -> Iterator[tuple[str, str]]:
    """Yield the fields that were kept under their names."""
    for tag, value in document.extra:
        name = tag.removeprefix(_PREFIX)
        if tag.startswith(_PREFIX) and tag != _ENTRY_TYPE and not _ILLEGAL.search(name):
            yield name, to_latex(one_line(value))


def _choose_type(document: Document) -> str:
    kept = dict(document.extra).get(_ENTRY_TYPE, "")
    if kept.isalpha() and kept.isascii() and _KINDS.get(kept, "GEN") == document.kind:
        return kept
    return _TYPES.get(document.kind, "misc") if document.kind else "article"


def _make_key(identifier: str) -> str:
    """Return the id if it is a legal key, or else a legal key that no other id has."""
    if identifier and not _ILLEGAL.search(identifier):
        return identifier
    digest = hashlib.blake2b(identifier.encode(), digest_size=4).hexdigest()
    return f"{_ILLEGAL.sub('', identifier) or 'document'}-{digest}"


def find_pmid(entry: BibtexEntry) -> str:
    """Return the PMID, if something says that a number is one."""
    if _read_archive(entry) in ("pubmed", "pmid", "medline"):
        return clean_pmid(read_field(entry, "eprint"))
    return (
        clean_pmid(read_field(entry, "pmid", "pubmed_id"))
        or find_pmid_in_link(read_field(entry, "url"))
        or find_pmid_in_note(read_notes(entry))
    )


def find_pmcid(entry: BibtexEntry) -> str:
    """Return the PMCID from its own field, else from a note."""
    return clean_pmcid(read_field(entry, "pmcid", "pmc")) or find_pmcid_in_note(read_notes(entry))


def find_other_ids(entry: BibtexEntry) -> tuple[str, ...]:
    """Return the identifiers that we wrote ourselves, and arXiv's number of a preprint."""
    found = list(read_list(entry.fields.get("other-ids", "")))
    number = read_field(entry, "eprint")
    if number and _read_archive(entry) == "arxiv":
        found.append(f"arxiv:{number.lower().removeprefix('arxiv:')}")
    return tuple(dict.fromkeys(found))


def read_field(entry: BibtexEntry, *names: str) -> str:
    """Return the first of these fields that says something, as plain text on one line."""
    texts = (one_line(to_unicode(entry.fields.get(name, ""))) for name in names)
    return next(filter(None, texts), "")


def _read_archive(entry: BibtexEntry) -> str:
    return read_field(entry, "eprinttype", "archiveprefix").lower()


def read_notes(entry: BibtexEntry) -> str:
    """Return the notes on an entry, one on each line."""
    return "\n".join(read_field(entry, name) for name in ("note", "annote"))


# Matches only where a run of spaces begins: long runs would be searched again from each space.
_AND = re.compile(r"(?<!\s)\s++and\s++", re.IGNORECASE)
_SPACE = re.compile(r"[\s~]++")
_COMMA = re.compile(r",")
_SEMICOLON = re.compile(r";")


def read_names(value: str) -> tuple[str, ...]:
    """Return the names in a value, each as "Family, Given" or a group's name.

    >>> read_names("Ludwig van Beethoven and {World Health Organization} and Doe, Jane and others")
    ('van Beethoven, Ludwig', 'World Health Organization', 'Doe, Jane')
    """
    names = split_outside_braces(f" {value.strip()} ", _AND)
    return tuple(name for text in names if text.strip() != "others" and (name := _read_name(text)))


def write_names(names: Iterable[str]) -> str:
    """Return names as a BibTeX value, from which `read_names` gets the same names."""
    return " and ".join(_protect_name(one_line(name)) for name in names if one_line(name))


def read_list(value: str) -> tuple[str, ...]:
    """Return the items of a value, separated by semicolons if it has any and else by commas.

    >>> read_list("asthma, {Lung Diseases, Obstructive}")
    ('asthma', 'Lung Diseases, Obstructive')
    """
    parts = split_outside_braces(value, _SEMICOLON)
    if len(parts) == 1:
        parts = split_outside_braces(value, _COMMA)
    return tuple(item for part in parts if (item := one_line(to_unicode(part))))


def write_list(items: Iterable[str]) -> str:
    """Return items as a BibTeX value, from which `read_list` gets the same items."""
    texts = (to_latex(one_line(item)) for item in items)
    return ", ".join(f"{{{text}}}" if re.search("[,;]", text) else text for text in texts if text)


def split_outside_braces(text: str, separator: re.Pattern[str]) -> list[str]:
    """Split a text at a separator, except where braces protect it."""
    if "{" not in text:
        return separator.split(text)
    parts, start, depth = [], 0, 0
    for found in re.finditer(rf"[{{}}]|{separator.pattern}", text, separator.flags):
        if found[0] in "{}":
            depth += 1 if found[0] == "{" else -1
        elif depth == 0:
            parts.append(text[start : found.start()])
            start = found.end()
    return [*parts, text[start:]]


def _read_name(text: str) -> str:
    text = text.strip()
    parts = [part.strip() for part in split_outside_braces(text, _COMMA)]
    if len(parts) == 1:
        return _put_family_first(text)
    family, given = parts[0], parts[-1]
    ordered = [family, given, *parts[1:-1]]  # BibTeX puts "Jr" in the middle.
    return ", ".join(plain for part in ordered if (plain := _to_plain(part)))


def _put_family_first(text: str) -> str:
    """Return "Given von Family" as "von Family, Given"."""
    words = [word for word in split_outside_braces(text, _SPACE) if word]
    if len(words) < 2:
        return _to_plain(text)
    lower = (at for at, word in enumerate(words[:-1]) if at and _to_plain(word)[:1].islower())
    start = next(lower, len(words) - 1)
    return f"{_to_plain(' '.join(words[start:]))}, {_to_plain(' '.join(words[:start]))}"


def _to_plain(text: str) -> str:
    return one_line(to_unicode(text.replace("~", " ") if "\\" not in text else text))


def _protect_name(name: str) -> str:
    parts = [to_latex(part) for part in name.split(", ")]
    is_clear = (
        len(parts) in (2, 3)
        and all(part == part.strip() != "" for part in parts)
        and name.count(",") == len(parts) - 1
        and not _AND.search(f" {name} ")
    )
    if not is_clear:
        return f"{{{to_latex(name)}}}"
    family, given, *suffix = parts
    return ", ".join([family, *suffix, given])
