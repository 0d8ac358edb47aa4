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
from collections.abc import Iterable, Iterator
from typing import IO

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
from likewise.documents.sources import NOTES, Complaint, ReadItem, Record, Source

_ILLEGAL = re.compile(r"[^A-Za-z0-9_.:/+-]")


def read(source: Source) -> Iterator[ReadItem]:
    """Yield the records of a BibTeX file."""
    found = False
    for entry in read_entries(source):
        if isinstance(entry, Complaint):
            yield entry
            continue
        found = True
        document = _parse_entry(entry)
        if document.is_identifiable:
            yield Record(document, entry.line, NOTES, (read_notes(entry),))
        else:
            described = f"the entry {entry.key!r} has no title, no abstract and no identifier"
            yield Complaint(described, entry.line)
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
        lines = [
            f"  {name} = {{{value}}},"
            for name, value in fields.items()
            if value or name == "likewise-id"
        ]
        stream.write("\n".join([f"@article{{{key},", *lines, "}", "", ""]).encode())


def _parse_entry(entry: BibtexEntry) -> Document:
    fields = entry.fields
    return Document(
        id=read_field(entry, "likewise-id") if "likewise-id" in fields else entry.key,
        title=_read_title(entry),
        abstract=read_field(entry, "abstract"),
        year=clean_year(read_field(entry, "year")) or clean_year(read_field(entry, "date")),
        authors=read_names(fields.get("author") or fields.get("editor", "")),
        journal=read_field(entry, "journal", "journaltitle", "booktitle"),
        doi=find_doi(entry),
        pmid=find_pmid(entry),
        pmcid=find_pmcid(entry),
        other_ids=find_other_ids(entry),
        mesh=tuple(
            MeshHeading(name=name.removeprefix("*"), major=name.startswith("*"))
            for name in read_list(fields.get("mesh", ""))
        ),
        keywords=_read_lists(entry, "author_keywords", "keywords"),
        publication_types=_read_lists(entry, "publication-types", "document_type"),
        language=read_field(entry, "language", "langid"),
    )


def _read_title(entry: BibtexEntry) -> str:
    title, subtitle = read_field(entry, "title"), read_field(entry, "subtitle")
    return f"{title}: {subtitle}" if title and subtitle else title


def _read_lists(entry: BibtexEntry, *names: str) -> tuple[str, ...]:
    """Return the items of several fields, of which Scopus has two for keywords."""
    items = (item for name in names for item in read_list(entry.fields.get(name, "")))
    return tuple(dict.fromkeys(items))


def _list_fields(document: Document) -> Iterator[tuple[str, str]]:
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


def _make_key(identifier: str) -> str:
    """Return the id if it is a legal key, and else a legal key that no other id has."""
    if identifier and not _ILLEGAL.search(identifier):
        return identifier
    digest = hashlib.blake2b(identifier.encode(), digest_size=4).hexdigest()
    return f"{_ILLEGAL.sub('', identifier) or 'document'}-{digest}"


def find_doi(entry: BibtexEntry) -> str:
    """Return the DOI: of its own field, else of a link."""
    return clean_doi(read_field(entry, "doi")) or find_doi_in_link(read_field(entry, "url"))


def find_pmid(entry: BibtexEntry) -> str:
    """Return the PMID, where something says that a number is one."""
    if _read_archive(entry) in ("pubmed", "pmid", "medline"):
        return clean_pmid(read_field(entry, "eprint"))
    return (
        clean_pmid(read_field(entry, "pmid", "pubmed_id"))
        or find_pmid_in_link(read_field(entry, "url"))
        or find_pmid_in_note(read_notes(entry))
    )


def find_pmcid(entry: BibtexEntry) -> str:
    """Return the PMCID: of its own field, else of a note."""
    return clean_pmcid(read_field(entry, "pmcid", "pmc")) or find_pmcid_in_note(read_notes(entry))


def find_other_ids(entry: BibtexEntry) -> tuple[str, ...]:
    """Return what we wrote ourselves, and the number of a preprint."""
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
    """Return what is noted on an entry, a note a line."""
    return "\n".join(read_field(entry, name) for name in ("note", "annote"))


# Only from where a run of spaces begins: long runs would be searched again from each space.
_AND = re.compile(r"(?<!\s)\s+and\s+", re.IGNORECASE)
_SPACE = re.compile(r"[\s~]+")
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
    """Return names as a BibTeX value, from which `read_names` gets the same."""
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
    """Return items as a BibTeX value, from which `read_list` gets the same."""
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
