"""The formats: how each is named, recognised, read and written."""

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
from likewise.documents.sources import AS_REFERENCES, ReadItem, Source, name_other_kind
from likewise.errors import UnknownFormatError
from likewise.extras import load_plug_in


class Reader(Protocol):
    """Yields what it reads from a source: records, notices of deletion, and complaints."""

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
    """A file format. Its module holds `read` and, if it `writes`, `write`; it loads when used.

    A module may hold further formats that say the same in another way: these have a `dialect`.
    """

    name: str
    description: str
    module: str
    suffixes: tuple[str, ...]
    pattern: str
    """A regular expression that such a file begins with; "" never matches.

    It is tried after blank lines and, in XML, after everything before the first element.
    """
    writes: bool = True
    notes: bool = True
    """Whether what it writes has a place for notes on documents, such as marks."""
    dialect: str = ""
    """If given, the module's functions are `read_DIALECT` and `write_DIALECT`."""

    def recognises(self, beginning: bytes) -> bool:
        """Return whether a file that begins like this is of this format."""
        return bool(self.pattern) and bool(re.match(self.pattern.encode(), beginning, re.MULTILINE))

    @property
    def read(self) -> Reader:
        """The function that reads it."""
        return cast("Reader", self._load("read"))

    @property
    def write(self) -> Writer:
        """The function that writes it."""
        if not self.writes:
            raise UnknownFormatError(
                f"the format {self.name!r} can be read but not written; "
                f"choose one of: {', '.join(one.name for one in formats() if one.writes)}"
            )
        return cast("Writer", self._load("write"))

    def _load(self, verb: str) -> object:
        name = f"{verb}_{self.dialect}" if self.dialect else verb
        return getattr(importlib.import_module(self.module), name)


_HERE = "likewise.documents.formats"

# In the order in which they are tried on a file's beginning, the most specific first. Patterns
# hardly backtrack ("*+"), so that nobody can make a file that takes hours to recognise.
BUILT_IN = (
    Format("pubmed", "PubMed XML: baseline, update files, E-utilities", f"{_HERE}.pubmed",
           (".xml",), r"<(PubmedArticleSet|PubmedArticle|PubmedBookArticle|DeleteCitation)\b",
           notes=False),
    Format("jats", "JATS XML: the front of articles, as PubMed Central has them", f"{_HERE}.jats",
           (".nxml", ".jats.xml"),
           r"(?:<pmc-articleset\b[^<>]*+>\s*+)?<article\b[^<>]*+>(?:\s|<\?[^<>]*+>)*+<front\b",
           writes=False, notes=False),
    Format("endnote", "EndNote XML", f"{_HERE}.endnote", (".endnote.xml",),
           r"<xml>\s*+<records>|<records>\s*+<record>"),
    Format("xlsx", "Excel workbook, first sheet", f"{_HERE}.xlsx", (".xlsx",),
           r"PK\x03\x04|\xd0\xcf\x11\xe0"),
    # Ovid names its database first, and numbers the records.
    Format("nbib", "PubMed / MEDLINE tagged format", f"{_HERE}.nbib", (".nbib", ".medline"),
           r"(PMID|OWN|STAT|OCI|UI) *+- |(Database: (.*\n)*?)?<1>\s*+(PMID|UI|TI) *+- "),
    # ProQuest begins with a few lines of its own, and some programs with the id.
    Format("ris", "RIS as EndNote, Zotero, Embase, Ovid and ProQuest write it", f"{_HERE}.ris",
           (".ris",), r"(?:(?:Provider:|Database:|Content:|(?!TY)[A-Z][A-Z0-9]  -) .*\s*+)*+"
           r"[ \t]*+TY\s{1,2}- ?"),
    Format("enw", "EndNote's tagged format (Refer), as Google Scholar offers it", f"{_HERE}.ris",
           (".enw",), r"%0 ", dialect="enw"),
    Format("wos", "Web of Science plain text", f"{_HERE}.wos", (".ciw", ".wos.txt"),
           r"FN .*+\s*+VR 1\.|PT [A-Z]\n[A-Z][A-Z0-9] "),
    Format("ovid", "Ovid's labelled text", f"{_HERE}.nbib", (".ovid.txt",),
           r"Database: .*Ovid|(Database: (.*\n)*?)?<1> *+\n[A-Z][^\n-]*\n[ \t]", writes=False,
           notes=False, dialect="ovid"),
    Format("cochrane", "the Cochrane Library's labelled text", f"{_HERE}.ris",
           (".cochrane.txt",), r"Record #\d++ of \d++", writes=False, notes=False,
           dialect="cochrane"),
    Format("bibtex", "BibTeX", f"{_HERE}.bibtex", (".bib", ".bibtex"),
           r"(?:%.*\s*+|Automatically generated by (?:[^@\n].*+\s*+)++)*+"
           r"@\s*+(?:(?i:comment|preamble)\s*+[{(]|[A-Za-z]++\s*+[{(]\s*+[^\s,={}()]*+\s*+[,=])"),
    Format("csl", "CSL-JSON, as Zotero, Mendeley and Pandoc write it", f"{_HERE}.csl_json",
           (".csl.json", ".json"),
           r'[\[{]\s*+(?:\{?\s*+"id"\s*+:\s*+"(?:[^"\\]|\\.)*+"\s*+,\s*+"type"\s*+:|'
           r'(?s:.*?)"(?:type"\s*+:\s*+"(?:article-(?:journal|magazine|newspaper)|paper-conference)"|'
           r'issued"\s*+:\s*+\{\s*+"date-parts"))'),
    Format("beir", "BEIR corpus (JSON lines with _id, title, text)", f"{_HERE}.jsonl",
           (".beir.jsonl",), r'\s*+\{[^\n]*"_id"\s*+:', dialect="beir"),
    Format("jsonl", "JSON lines: our own lossless form, and any with a title or an abstract",
           f"{_HERE}.jsonl", (".jsonl", ".ndjson"),
           r"\s*+(\{|\[\s*+[{\]])"),
    Format("ids", "a list of PMIDs, PMCIDs or DOIs, one a line", f"{_HERE}.ids", (".ids", ".txt"),
           r"(?:#.*\s*+)*+[ \t]*+(?i:(?:pmid:?+\s*+)?+\d{1,9}+|PMC\d++"
           r"|(?:doi:\s*+|https?://(?:dx\.)?+doi\.org/)?+10\.\d{4,9}+/[^\s,;]++)"
           r"[ \t]*+[,;]?+[ \t]*+$", notes=False),
    Format("tsv", "tab-separated table", f"{_HERE}.csv", (".tsv", ".tab"), r"[^\n,;\t]*+\t.*+\n",
           dialect="tsv"),
    Format("csv", "comma- or semicolon-separated table", f"{_HERE}.csv", (".csv",),
           r'"?sep=[^\n]"?\n|(?i:([^\n,;|]{0,60}+[,;|])*"?(primary.?)?(title|abstract|pmid|doi)"?'
           r'[ \t]*+([,;|\n]|\Z))'),
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
    """Return the format of a file that begins like this, or None if no format does."""
    beginning = _find_beginning(head)
    return next((known for known in formats() if known.recognises(beginning)), None)


def format_of(source: Source) -> Format:
    """Return the format of a file, by its beginning or, if that shows none, by its suffix.

    If a file begins like one format and has the suffix of another, the beginning decides: it is
    the suffix that people and programs get wrong. What comes further down decides nothing.
    """
    if known := find_format(source):
        return known
    raise source.fail(
        "no known format, by content or by suffix",
        advice=f"{AS_REFERENCES}, or name its format with --format",
    )


def find_format(source: Source) -> Format | None:
    """Return the format of a file, or None if neither its beginning nor its suffix is known."""
    head = source.head()
    if not _decode_head(head).strip():
        raise source.fail("the file is empty", advice="export it again")
    if known := format_by_content(head):
        return known
    if kind := name_other_kind(source):
        raise source.fail(f"{kind}, not a list of references", advice=AS_REFERENCES)
    if b"\x00" in _decode_head(head):
        raise source.fail("binary data in no format we know", advice=AS_REFERENCES)
    return _find_claiming(source.path, formats())


def _decode_head(head: bytes) -> bytes:
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return head.decode("utf-16", "replace").encode()
    return head.removeprefix(b"\xef\xbb\xbf")


def _find_beginning(head: bytes) -> bytes:
    """Return a file's first bytes after leading white space, with LF for line ends."""
    text = _decode_head(head).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    said = text.lstrip()
    if said.startswith(b"<"):
        return _skip_prolog(said)
    # Only whole lines are skipped: a table's first cell may be empty, and its separator a tab.
    return text[text.rfind(b"\n", 0, len(text) - len(said)) + 1 :]


def _skip_prolog(xml: bytes) -> bytes:
    """Return what follows an XML file's declaration, comments and document type."""
    while end := next((end for start, end in _PROLOG if xml.startswith(start)), b""):
        # What a document type declares is in brackets.
        if end == b">" and b"[" in xml.partition(b">")[0]:
            end = b"]>"
        rest = xml.partition(end)[2].lstrip()
        if not rest:
            break
        xml = rest
    return xml


_PROLOG = ((b"<?", b"?>"), (b"<!--", b"-->"), (b"<!DOCTYPE", b">"))


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
