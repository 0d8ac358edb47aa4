"""BibTeX and BibLaTeX.

The citation key is the id. What BibTeX has no field for is written to fields of our own, which
other programs pass over: `mesh` (an asterisk marks major headings; their codes are lost),
`publication-types`, `other-ids`, and `likewise-id` for an id that is no legal key.
Notes are written to `annote`: programs keep it as a note, while `note` would be printed in
bibliographies.
"""

from __future__ import annotations

import hashlib
import re
from typing import IO, TYPE_CHECKING

from likewise.documents.annotations import note_lines
from likewise.documents.document import Document, MeshHeading
from likewise.documents.formats.bibtex_entries import Entry, entries
from likewise.documents.formats.bibtex_identifiers import (
    doi_of,
    notes_of,
    other_ids_of,
    pmcid_of,
    pmid_of,
    text_of,
)
from likewise.documents.formats.bibtex_names import read_list, read_names, write_list, write_names
from likewise.documents.formats.latex import to_latex
from likewise.documents.formats.records import LEFT_OUT, NOTES
from likewise.documents.formats.tagged import one_line
from likewise.documents.identity import clean_year
from likewise.documents.sources import Said

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from likewise.documents.annotations import Annotated
    from likewise.documents.sources import Source

_ILLEGAL = re.compile(r"[^A-Za-z0-9_.:/+-]")


def read(source: Source) -> Iterator[Document]:
    """Yield the documents of a BibTeX file."""
    found = False
    for entry in entries(source):
        found = True
        source.line, source.said = entry.line, Said(NOTES, [notes_of(entry)])
        document = _document(entry)
        if document.says_something:
            yield document
        else:
            source.problem(
                f"the entry {entry.key!r} has no title, no abstract and no identifier",
                advice=LEFT_OUT,
            )
    if not found:
        raise source.fail("no BibTeX entry in it", advice="each begins like '@article{key,'")


def write(annotated: Iterable[Annotated], stream: IO[bytes]) -> None:
    """Write documents as BibTeX entries, in UTF-8."""
    for document, notes in annotated:
        key = _key(document.id)
        fields = dict(_fields(document))
        if key != document.id:
            fields["likewise-id"] = to_latex(one_line(document.id))
        fields["annote"] = to_latex(one_line("; ".join(note_lines(notes))))
        lines = [
            f"  {name} = {{{value}}},"
            for name, value in fields.items()
            if value or name == "likewise-id"
        ]
        stream.write("\n".join([f"@article{{{key},", *lines, "}", "", ""]).encode())


def _document(entry: Entry) -> Document:
    fields = entry.fields
    return Document(
        id=text_of(entry, "likewise-id") if "likewise-id" in fields else entry.key,
        title=_title(entry),
        abstract=text_of(entry, "abstract"),
        year=clean_year(text_of(entry, "year")) or clean_year(text_of(entry, "date")),
        authors=read_names(fields.get("author") or fields.get("editor", "")),
        journal=text_of(entry, "journal", "journaltitle", "booktitle"),
        doi=doi_of(entry),
        pmid=pmid_of(entry),
        pmcid=pmcid_of(entry),
        other_ids=other_ids_of(entry),
        mesh=tuple(
            MeshHeading(name=name.removeprefix("*"), major=name.startswith("*"))
            for name in read_list(fields.get("mesh", ""))
        ),
        keywords=_together(entry, "author_keywords", "keywords"),
        publication_types=_together(entry, "publication-types", "document_type"),
        language=text_of(entry, "language", "langid"),
    )


def _title(entry: Entry) -> str:
    title, subtitle = text_of(entry, "title"), text_of(entry, "subtitle")
    return f"{title}: {subtitle}" if title and subtitle else title


def _together(entry: Entry, *names: str) -> tuple[str, ...]:
    """Return the items of several fields, of which Scopus has two for keywords."""
    items = (item for name in names for item in read_list(entry.fields.get(name, "")))
    return tuple(dict.fromkeys(items))


def _fields(document: Document) -> Iterator[tuple[str, str]]:
    yield "title", to_latex(one_line(document.title))
    yield "author", write_names(document.authors)
    yield "year", str(document.year or "")
    yield "journal", to_latex(one_line(document.journal))
    yield "abstract", to_latex(one_line(document.abstract))
    yield "doi", to_latex(document.doi)
    yield "pmid", document.pmid
    yield "pmcid", document.pmcid
    yield "keywords", write_list(document.keywords)
    yield "mesh", write_list(f"{'*' * heading.major}{heading.name}" for heading in document.mesh)
    yield "publication-types", write_list(document.publication_types)
    yield "other-ids", write_list(document.other_ids)
    yield "language", to_latex(one_line(document.language))


def _key(identifier: str) -> str:
    """Return the id if it is a legal key, and else a legal key that no other id has."""
    if identifier and not _ILLEGAL.search(identifier):
        return identifier
    digest = hashlib.blake2b(identifier.encode(), digest_size=4).hexdigest()
    return f"{_ILLEGAL.sub('', identifier) or 'document'}-{digest}"
