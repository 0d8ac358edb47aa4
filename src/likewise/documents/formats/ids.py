"""Plain lists of PMIDs, PMCIDs and DOIs.

They stand one on a line, or several with commas, semicolons or spaces between them; what follows a
"#" is a comment. A bare number is a PMID.
"""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING

from likewise.documents.document import Document
from likewise.documents.formats.links import doi_in_link, pmcid_in_link, pmid_in_link
from likewise.documents.formats.tagged import one_line
from likewise.documents.identity import clean_pmcid, clean_pmid

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from likewise.documents.sources import Source

_COMMENT = re.compile(r"(?:\A|\s)#.*")
_PREFIX = re.compile(
    r"\b(PMID|PMCID|DOI|PubMed(?:\s*ID)?)(?:\s*[:=]\s*|\s+(?=\d|PMC))", re.IGNORECASE
)
# Old DOIs hold semicolons and commas ("...3.0.CO;2-2"): those end an identifier only at a space or
# where another one begins.
_SEPARATOR = re.compile(
    r"\s+|[,;](?=\s|\Z|\d{1,9}(?:[\s,;]|\Z)|PMC\d|PMID|DOI|https?:|10\.\d{4})", re.IGNORECASE
)
_COLUMN_NAMES = frozenset({"pmid", "pmids", "pmcid", "pmcids", "doi", "dois", "id", "ids"})
_SHOWN = 60


def read(source: Source) -> Iterator[Document]:
    """Yield a document with nothing but its identifier for each identifier in the list."""
    found = False
    for number, text in source.lines():
        items = _items(_COMMENT.sub("", text))
        if not items or (not found and _is_column_name(items)):
            continue
        source.line = number
        documents = [_document(item) for item in items]
        if not all(documents):
            _complain(source, [item for item, it in zip(items, documents, strict=True) if not it])
        for document in filter(None, documents):
            found = True
            yield document
    if not found:
        raise source.fail("no PMID, PMCID or DOI in it", advice="write one on each line")


def write(documents: Iterable[Document], stream: IO[bytes]) -> None:
    """Write the best identifier of each document on a line of its own."""
    for document in documents:
        best = document.pmid or document.doi or document.pmcid or document.id
        if line := one_line(best):
            stream.write(f"{line}\n".encode())


def _is_column_name(items: list[str]) -> bool:
    return len(items) == 1 and items[0].lower() in _COLUMN_NAMES


def _items(text: str) -> list[str]:
    text = _PREFIX.sub(lambda found: f"{''.join(found[1].split())}:", text)
    return [item for part in _SEPARATOR.split(text) if (item := part.strip(",;\"'"))]


def _document(item: str) -> Document | None:
    bare = _PREFIX.sub("", item)
    named_pmcid = item[:3].upper() == "PMC"
    if pmcid := pmcid_in_link(item) or (clean_pmcid(bare) if named_pmcid else ""):
        return Document(pmcid=pmcid)
    if pmid := clean_pmid(bare) or pmid_in_link(item):
        return Document(pmid=pmid)
    if doi := doi_in_link(bare):
        return Document(doi=doi)
    return None


def _complain(source: Source, items: list[str]) -> None:
    text = " ".join(items)
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    source.problem(f"{shown!r} is no PMID, PMCID or DOI", advice="correct it, or put # before it")
