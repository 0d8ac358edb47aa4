"""Plain lists of PMIDs, PMCIDs and DOIs.

Each line has one of them, or several with commas, semicolons or spaces between them; what follows a
"#" is a comment. A bare number is a PMID. A line with anything else on it is left out entirely: the
numbers in it ("VR 1.0", "2nd ed. 2020") may be of any kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import IO, NamedTuple

from likewise.documents.document import AnnotatedDocument, Document
from likewise.documents.formats.tagged import one_line
from likewise.documents.identity import (
    clean_pmcid,
    clean_pmid,
    find_doi_in_link,
    find_pmcid_in_link,
    find_pmid_in_link,
)
from likewise.documents.sources import Complaint, ReadItem, Record, Source

# None of these backtracks, so the time for a line grows no faster than its length.
_COMMENT = re.compile(r"(?:\A|\s)#.*+")
_PREFIX = re.compile(
    r"\b(PMID|PMCID|DOI|PubMed(?:\s*+ID)?+)(?:\s*+[:=]\s*+|\s++(?=\d|PMC))", re.IGNORECASE
)
# Old DOIs hold semicolons and commas ("...3.0.CO;2-2"): those end an identifier only at a space or
# where another one begins.
_SEPARATOR = re.compile(
    r"\s++|[,;](?=\s|\Z|\d{1,9}+(?:[\s,;]|\Z)|PMC\d|PMID|DOI|https?:|10\.\d{4})", re.IGNORECASE
)
_COLUMN_NAMES = frozenset({"pmid", "pmids", "pmcid", "pmcids", "doi", "dois", "id", "ids"})
_SHOWN = 60
# A line of a list has a few identifiers; a longer line is something else.
_LONGEST = 1 << 20
# This many lines tell whether a file is a list at all.
_JUDGED = 20


def read(source: Source) -> Iterator[ReadItem]:
    """Yield a document for each identifier in the list, with nothing but that identifier."""
    entries = _read_entries(source)
    first = list(islice(entries, _JUDGED))
    if 2 * sum(bool(entry.documents) for entry in first) < len(first):
        raise source.fail(
            "not a list of PMIDs, PMCIDs or DOIs, nor any other format we know",
            advice="export it as RIS or CSV",
        )
    if not first:
        raise source.fail("no PMID, PMCID or DOI in it", advice="write one on each line")
    for entry in chain(first, entries):
        if not entry.documents:
            shown = entry.text if len(entry.text) <= _SHOWN else f"{entry.text[:_SHOWN]}..."
            found = f"{shown!r} is not a PMID, PMCID or DOI"
            yield Complaint(found, entry.line, "correct it, or put # before any other text")
        for document in entry.documents:
            yield Record(document, entry.line)


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write the best identifier of each document on a line of its own."""
    for document, _ in annotated:
        best = document.pmid or document.doi or document.pmcid or document.id
        if line := one_line(best):
            stream.write(f"{line}\n".encode())


class _ListLine(NamedTuple):
    """A line that is not a comment, and the documents that it names if it says nothing else."""

    line: int
    text: str
    documents: list[Document]


def _read_entries(source: Source) -> Iterator[_ListLine]:
    is_first = True
    for number, text in source.lines():
        text = _COMMENT.sub("", text).strip()
        items = _split_items(text)
        if not items:
            continue
        is_column_name = len(items) == 1 and items[0].lower() in _COLUMN_NAMES
        if not (is_first and is_column_name):
            yield _ListLine(number, text, _parse_items(items))
        is_first = False


def parse_id_line(text: str) -> list[Document]:
    """Return the documents that a line of a list names; none if it says anything else.

    >>> [document.pmid for document in parse_id_line("PMID: 12, 34")], parse_id_line("12 cats")
    (['12', '34'], [])
    """
    return _parse_items(_split_items(_COMMENT.sub("", text).strip()))


def _parse_items(items: list[str]) -> list[Document]:
    found = [document for item in items if (document := _parse_item(item))]
    return found if len(found) == len(items) else []


def _split_items(text: str) -> list[str]:
    if len(text) > _LONGEST:
        return [text]
    text = _PREFIX.sub(lambda found: f"{''.join(found[1].split())}:", text)
    return [item for part in _SEPARATOR.split(text) if (item := part.strip(",;\"'"))]


def _parse_item(item: str) -> Document | None:
    bare = _PREFIX.sub("", item)
    named_pmcid = item[:3].upper() == "PMC"
    if pmcid := find_pmcid_in_link(item) or (clean_pmcid(bare) if named_pmcid else ""):
        return Document(pmcid=pmcid)
    if pmid := clean_pmid(bare) or find_pmid_in_link(item):
        return Document(pmid=pmid)
    if doi := find_doi_in_link(bare):
        return Document(doi=doi)
    return None
