"""BibTeX and BibLaTeX.

The citation key is the id. What BibTeX has no field for is written to fields of our own, which
other programs pass over: `mesh` (an asterisk marks major headings; their codes are lost),
`publication-types`, `other-ids`, and `likewise-id` for an id that is no legal key.
"""

from __future__ import annotations

import hashlib
import re
from typing import IO, TYPE_CHECKING

from likewise.documents.document import Document, MeshHeading
from likewise.documents.formats.bibtex_entries import Entry, entries
from likewise.documents.formats.bibtex_names import read_list, read_names, write_list, write_names
from likewise.documents.formats.latex import to_latex, to_unicode
from likewise.documents.formats.links import doi_in_link, pmid_in_link
from likewise.documents.formats.tagged import one_line
from likewise.documents.identity import clean_doi, clean_pmcid, clean_pmid, clean_year

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from likewise.documents.sources import Source

_ILLEGAL = re.compile(r"[^A-Za-z0-9_.:/+-]")


def read(source: Source) -> Iterator[Document]:
    """Yield the documents of a BibTeX file."""
    found = False
    for entry in entries(source):
        found = True
        source.line = entry.line
        document = _document(entry)
        if document.says_something:
            yield document
        else:
            source.problem(f"the entry {entry.key!r} has no title, no abstract and no identifier")
    if not found:
        raise source.fail("no BibTeX entry in it", advice="each begins like '@article{key,'")


def write(documents: Iterable[Document], stream: IO[bytes]) -> None:
    """Write documents as BibTeX entries, in UTF-8."""
    for document in documents:
        key = _key(document.id)
        fields = dict(_fields(document))
        if key != document.id:
            fields["likewise-id"] = to_latex(one_line(document.id))
        lines = [
            f"  {name} = {{{value}}},"
            for name, value in fields.items()
            if value or name == "likewise-id"
        ]
        stream.write("\n".join([f"@article{{{key},", *lines, "}", "", ""]).encode())


def _document(entry: Entry) -> Document:
    fields = entry.fields
    return Document(
        id=_text(entry, "likewise-id") if "likewise-id" in fields else entry.key,
        title=_title(entry),
        abstract=_text(entry, "abstract"),
        year=clean_year(_text(entry, "year")) or clean_year(_text(entry, "date")),
        authors=read_names(fields.get("author") or fields.get("editor", "")),
        journal=_text(entry, "journal", "journaltitle", "booktitle"),
        doi=clean_doi(_text(entry, "doi")) or doi_in_link(_text(entry, "url")),
        pmid=_pmid(entry),
        pmcid=clean_pmcid(_text(entry, "pmcid", "pmc")),
        other_ids=_other_ids(entry),
        mesh=tuple(
            MeshHeading(name=name.removeprefix("*"), major=name.startswith("*"))
            for name in read_list(fields.get("mesh", ""))
        ),
        keywords=read_list(fields.get("keywords", "")),
        publication_types=read_list(fields.get("publication-types", "")),
        language=_text(entry, "language", "langid"),
    )


def _text(entry: Entry, *names: str) -> str:
    texts = (one_line(to_unicode(entry.fields.get(name, ""))) for name in names)
    return next(filter(None, texts), "")


def _title(entry: Entry) -> str:
    title, subtitle = _text(entry, "title"), _text(entry, "subtitle")
    return f"{title}: {subtitle}" if title and subtitle else title


def _pmid(entry: Entry) -> str:
    kind = _text(entry, "eprinttype", "archiveprefix").lower()
    if kind in ("pubmed", "pmid", "medline"):
        return clean_pmid(_text(entry, "eprint"))
    note = _text(entry, "note", "annote")
    return (
        clean_pmid(_text(entry, "pmid"))
        or pmid_in_link(_text(entry, "url"))
        or (clean_pmid(note) if note[:4].upper() == "PMID" else "")
    )


def _other_ids(entry: Entry) -> tuple[str, ...]:
    found = list(read_list(entry.fields.get("other-ids", "")))
    number = _text(entry, "eprint")
    if number and _text(entry, "eprinttype", "archiveprefix").lower() == "arxiv":
        found.append(f"arxiv:{number.lower().removeprefix('arxiv:')}")
    return tuple(dict.fromkeys(found))


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
