"""The formats: how each is called, recognised, read and written."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import IO, Protocol, cast

from likewise.documents.document import AnnotatedDocument
from likewise.documents.sources import ReadItem, Source
from likewise.errors import UnknownFormatError
from likewise.extras import load_plug_in


class Reader(Protocol):
    """Yields what it reads in a source: records, notices of deletion, complaints about records."""

    def __call__(self, source: Source, /) -> Iterator[ReadItem]:
        """Read."""
        ...


class Writer(Protocol):
    """Writes documents, and the notes on them if it has a place for notes, to a binary stream."""

    def __call__(self, annotated: Iterable[AnnotatedDocument], stream: IO[bytes], /) -> None:
        """Write."""
        ...


@dataclass(frozen=True)
class Format:
    """A file format. Its module holds `read` and, where `writes`, `write`; it loads when used."""

    name: str
    description: str
    module: str
    suffixes: tuple[str, ...]
    pattern: str
    """A regular expression that is found in the first bytes of such a file; "" never matches."""
    writes: bool = True
    notes: bool = True
    """Whether what it writes has a place for notes on documents, such as marks."""

    def recognises(self, head: bytes) -> bool:
        """Tell whether a file that begins like this is of this format."""
        return bool(self.pattern) and bool(re.search(self.pattern.encode(), head, re.MULTILINE))

    @property
    def read(self) -> Reader:
        """The function that reads it."""
        return cast("Reader", importlib.import_module(self.module).read)

    @property
    def write(self) -> Writer:
        """The function that writes it."""
        if not self.writes:
            raise UnknownFormatError(
                f"the format {self.name!r} can be read but not written; "
                f"choose one of: {', '.join(one.name for one in formats() if one.writes)}"
            )
        return cast("Writer", importlib.import_module(self.module).write)


_HERE = "likewise.documents.formats"

# In the order in which they are tried on a file's content: the most particular first.
BUILT_IN = (
    Format("pubmed", "PubMed XML: baseline, update files, E-utilities", f"{_HERE}.pubmed",
           (".xml",), r"<(PubmedArticleSet|PubmedArticle|PubmedBookArticle|DeleteCitation)\b",
           notes=False),
    Format("endnote", "EndNote XML", f"{_HERE}.endnote", (".endnote.xml",),
           r"<xml>\s*<records>|<records>\s*<record>"),
    Format("xlsx", "Excel workbook, first sheet", f"{_HERE}.xlsx", (".xlsx",),
           r"\A(PK\x03\x04|\xd0\xcf\x11\xe0)"),
    Format("nbib", "PubMed / MEDLINE tagged format", f"{_HERE}.nbib",
           (".nbib", ".medline"), r"^(PMID|OWN|STAT|OCI) *- "),
    Format("ris", "RIS as EndNote, Zotero, Embase, Ovid and ProQuest write it", f"{_HERE}.ris",
           (".ris",), r"^\s*TY\s{1,2}- ?"),
    Format("enw", "EndNote's tagged format (Refer), as Google Scholar offers it", f"{_HERE}.enw",
           (".enw",), r"^%0 "),
    Format("bibtex", "BibTeX", f"{_HERE}.bibtex", (".bib", ".bibtex"),
           r"^\s*@\s*[A-Za-z]+\s*[{(]"),
    Format("beir", "BEIR corpus (JSON lines with _id, title, text)", f"{_HERE}.beir",
           (".beir.jsonl",), r'\A\s*\{[^\n]*"_id"\s*:'),
    Format("jsonl", "JSON lines: our own lossless form, and any with a title or an abstract",
           f"{_HERE}.jsonl", (".jsonl", ".ndjson"),
           r"\A\s*(\{|\[\s*[{\]])"),
    Format("ids", "a list of PMIDs, PMCIDs or DOIs, one a line", f"{_HERE}.ids", (".ids", ".txt"),
           r"\A(\s*(#[^\n]*|(pmid:?\s*)?\d{1,9}|PMC\d+|(doi:\s*|https?://(dx\.)?doi\.org/)?10\.\d{4,9}/\S+)"
           r"\s*[,;]?\s*(\n|\Z))+", notes=False),
    Format("tsv", "tab-separated table", f"{_HERE}.tsv", (".tsv", ".tab"), r"\A[^\n,;]*\t[^\n]*\n"),
    Format("csv", "comma- or semicolon-separated table", f"{_HERE}.csv", (".csv",),
           r'\A("?sep=[^\n]"?\r?\n|(?i:([^\n,;|]{0,60}[,;|])*"?(primary.?)?(title|abstract|pmid|doi)"?'
           r'\s*([,;|\n]|\Z)))'),
)  # fmt: skip


@cache
def formats() -> tuple[Format, ...]:
    """Return every format: those that plug-ins add, then the built-in ones."""
    added = [load_plug_in(e, kind="format") for e in entry_points(group="likewise.readers")]
    return (*added, *BUILT_IN)


def format_named(name: str) -> Format:
    """Return the format of this name."""
    for known in formats():
        if known.name == name:
            return known
    raise UnknownFormatError(f"no format is called {name!r}; the formats are: {list_names()}")


def format_for_writing(path: Path) -> Format:
    """Return the format that a file's suffix asks for."""
    known = _find_claiming(path, [known for known in formats() if known.writes])
    if known:
        return known
    raise UnknownFormatError(
        f"{path}: no format is written as {suffix_of(path) or 'a file without a suffix'!r}; "
        f"use one of: {' '.join(list_written_suffixes())} (and .gz after it)"
    )


def list_written_suffixes() -> list[str]:
    """Return all suffixes of files that can be written."""
    return sorted({suffix for known in formats() if known.writes for suffix in known.suffixes})


def list_usual_suffixes(*, with_notes: bool = False) -> str:
    """Return the usual suffix of each format that is written (with notes), for help texts."""
    written = (known for known in formats() if known.writes and (known.notes or not with_notes))
    return " ".join(known.suffixes[0] for known in written)


def list_names() -> str:
    """Return the names of all formats, as messages and help texts list them."""
    return ", ".join(known.name for known in formats())


def format_by_content(head: bytes) -> Format | None:
    """Return the format of a file that begins like this, or None if it could be any."""
    head = _decode_head(head)
    return next((known for known in formats() if known.recognises(head)), None)


def format_of(source: Source) -> Format:
    """Return the format of a file, by what it holds and, where that is silent, by its suffix."""
    head = _decode_head(source.head())
    if not head.strip():
        raise source.fail("the file is empty", advice="export it again")
    if known := format_by_content(head):
        return known
    advice = f"the formats are: {list_names()}"
    if b"\x00" in head:
        raise source.fail("binary data in no format we know", advice=advice)
    if claimed := _find_claiming(source.path, formats()):
        return claimed
    raise source.fail("no known format, by content or by suffix", advice=advice)


def _decode_head(head: bytes) -> bytes:
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return head.decode("utf-16", "replace").encode()
    return head.removeprefix(b"\xef\xbb\xbf")


def suffix_of(path: Path) -> str:
    """Return a file's suffix in lower case, looking through ".gz".

    >>> from pathlib import Path
    >>> suffix_of(Path("a/REFS.RIS.gz"))
    '.ris'
    """
    name = _strip_packing(path)
    return f".{name.rpartition('.')[2]}" if "." in name else ""


def _find_claiming(path: Path, offered: Sequence[Format]) -> Format | None:
    """Return the format with the longest suffix that the file has; of equals, the first."""
    name = _strip_packing(path)
    claims = [
        (len(suffix), known)
        for known in offered
        for suffix in known.suffixes
        if name.endswith(suffix)
    ]
    return max(claims, key=lambda claim: claim[0])[1] if claims else None


def _strip_packing(path: Path) -> str:
    return path.name.lower().removesuffix(".gz")
