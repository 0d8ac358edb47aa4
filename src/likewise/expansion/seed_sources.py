"""Seeds as a person gives them: files of any format, identifiers, and pasted or piped text.

If a text is in no known format, each of its lines is read on its own, whether it was pasted or
comes from a file. Each identifier in a line of identifiers names a paper; a single word can only be
an id of the library; a reference that holds an identifier names the paper with that identifier; any
other line is a title.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from likewise.arguments import describe_value, spell_identifier
from likewise.documents import Document, Record, read_documents
from likewise.documents.document import check_document
from likewise.documents.formats import Format, find_format, format_by_content, formats, suffix_of
from likewise.documents.formats.ids import parse_id_line
from likewise.documents.identity import (
    clean_doi,
    find_doi_in_link,
    find_pmcid_in_link,
    find_pmcid_in_note,
    find_pmid_in_link,
    find_pmid_in_note,
)
from likewise.documents.sources import Source, report_problem
from likewise.errors import Problem, ReadError, SeedsError
from likewise.expansion.mark_files import find_decisions
from likewise.expansion.marks import LABELS

_STANDARD_INPUT = "standard input"
# People also give files with these endings, and no id ends like that.
_OTHER_SUFFIXES = (".gz", ".json", ".pdf", ".doc", ".docx", ".xls")

# A file with such a name may hold anything that a person wrote, even a list of titles.
_TEXT_SUFFIXES = ("", ".txt")
# A person's words can look like the header of a table, or have tabs between them.
_DOUBTFUL = frozenset({"csv", "tsv"})
_COLUMN_NAMES = frozenset(
    ("id", "ids", "pmid", "pmids", "pmcid", "pmcids", "doi", "dois", "title", "titles")
)
_NUMBERS = re.compile(r"[0-9]++(?:[,;\s]++[0-9]++)*+[,;]?")
_BETWEEN_NUMBERS = re.compile(r"[,;\s]++")
_BULLET = re.compile(
    r"\s*+(?:[-*+\u00b7\u2013\u2014\u2022\u2023\u25aa\u25cf\u25e6]|[(\[]?[0-9]{1,3}+[.)\]]++)\s++"
)
_QUOTES = ('""', "''", "`'", "\u201c\u201d", "\u201e\u201c", "\u2018\u2019", "\u00ab\u00bb")
# Without a limit, a text of nothing but quotation marks would take minutes.
_MOST_QUOTES = 10
_ADDRESS = re.compile(r"https?://\S++", re.IGNORECASE)
# In languages without spaces between words, a title can be one word.
_UNSPACED_TITLE = 8


class GivenPapers(NamedTuple):
    """Papers that were given as seeds, sorted by what their files say about them.

    A file from Rayyan, ASReview, Covidence or likewise says which of its papers were included and
    which were excluded. Those that it leaves open are neither seeds nor irrelevant.
    """

    seeds: list[Document]
    irrelevant: list[Document]
    decisions: list[str]
    """A line on each file that decides something."""

    def join(self, other: GivenPapers) -> GivenPapers:
        """Return these papers together with others."""
        return GivenPapers(
            self.seeds + other.seeds,
            self.irrelevant + other.irrelevant,
            self.decisions + other.decisions,
        )


def sort_seeds(
    arguments: Sequence[str], *, on_problem: Callable[[Problem], None] | None = None
) -> GivenPapers:
    """Return the papers that arguments name as seeds, sorted by what their files say.

    Args:
        arguments: Files, ids (of the library, PMIDs, DOIs, PMCIDs), or "-" for standard input.
        on_problem: Called for each record that can't be read; without it the first one raises.
    """
    given = GivenPapers([], [], [])
    for argument in arguments:
        if argument != "-" and _is_file(argument):
            source = Source(argument)
            records = _read_file(source, on_problem=on_problem)
            given = given.join(sort_records(records, source=source, on_problem=on_problem))
        else:
            given.seeds.extend(read_seeds([argument], on_problem=on_problem))
    return given


def sort_records(
    records: Sequence[Record],
    *,
    source: Source,
    on_problem: Callable[[Problem], None] | None = None,
) -> GivenPapers:
    """Return the papers of a file: all are seeds, unless it says which are relevant.

    Messages name the source; `on_problem` is called for each label that can't be read.
    """
    decided = find_decisions(records, source=source, on_problem=on_problem)
    if decided is None:
        return GivenPapers([record.document for record in records], [], [])
    seeds, irrelevant, left = (
        [mark.document for mark in decided.marks if mark.label == label] for label in LABELS
    )
    marked = {id(mark.document) for mark in decided.marks}
    others = [each.document for each in records if id(each.document) not in marked]
    # If a file notes only exclusions, the papers that it does not exclude are the seeds.
    kind = "relevant" if seeds else "not excluded"
    seeds, left = (seeds, left + others) if seeds else (others, left)
    line = (
        f"{source.name}: {decided.column!r} says what was decided; {len(seeds):,} {kind} are "
        f"seeds, and {len(irrelevant):,} irrelevant are taken as off topic"
    )
    line += f"; {len(left):,} left open are neither" if left else ""
    return GivenPapers(seeds, irrelevant, [line])


def read_seeds(
    arguments: Sequence[str], *, on_problem: Callable[[Problem], None] | None = None
) -> list[Document]:
    """Return the documents that arguments name, whatever their files say about them.

    An identifier becomes a document with nothing but that id. Arguments are as in `sort_seeds`.
    """
    documents: list[Document] = []
    for argument in arguments:
        if argument == "-":
            piped = sys.stdin.buffer.read()
            documents += parse_content(piped, name=_STANDARD_INPUT, on_problem=on_problem)
        elif _is_file(argument):
            records = _read_file(Source(argument), on_problem=on_problem)
            documents += [record.document for record in records]
        elif _is_path_like(argument):
            raise _make_unreadable_error(argument)
        elif name := argument.strip():
            documents += parse_numbers(name) or [Document(id=name)]
    return documents


def gather_seeds(seeds: Iterable[Document | str | int | Path] | GivenPapers) -> GivenPapers:
    """Return seeds as documents: files are read, and identifiers become records."""
    if isinstance(seeds, GivenPapers):
        return seeds
    given = GivenPapers([], [], [])
    if hasattr(seeds, "columns"):
        raise SeedsError('seeds is a table; give one column of it, such as seeds["pmid"]')
    is_one = isinstance(seeds, str | bytes | Path | Document) or not isinstance(seeds, Iterable)
    for seed in [seeds] if is_one else seeds:
        if isinstance(seed, Document):
            check_document(seed)
            given.seeds.append(seed)
            continue
        spelled = str(seed) if isinstance(seed, Path) else spell_identifier(seed)
        if spelled is None:
            raise SeedsError(
                f"{describe_value(seed)} is not a seed; "
                "give documents, files, PMIDs, DOIs, PMCIDs or ids"
            )
        given = given.join(sort_seeds([spelled]))
    return given


def _is_file(argument: str) -> bool:
    try:
        return Path(argument).is_file()
    except OSError:  # A name too long for a file may still be an id.
        return False


def _read_file(source: Source, *, on_problem: Callable[[Problem], None] | None) -> list[Record]:
    """Return the records of a file; text in no known format is read like pasted text."""
    if suffix_of(source.path) not in _TEXT_SUFFIXES:
        return list(read_documents(source, on_problem=on_problem))
    known = find_format(source)
    return _read_papers(source, known, on_problem=on_problem, parse=_parse_line_of_file)


def _parse_line_of_file(line: str) -> list[Document]:
    # A file of numbers is a list of PMIDs; numbers that a person types may be ids of the library.
    return parse_id_line(line) or parse_line(line)


def _is_path_like(argument: str) -> bool:
    if "://" in argument or find_doi_in_link(argument):
        return False
    known = tuple(suffix for known in formats() for suffix in known.suffixes)
    return bool(set(argument) & set("/\\")) or argument.lower().endswith(known + _OTHER_SUFFIXES)


def _make_unreadable_error(argument: str) -> ReadError:
    found = "this is a folder, not a file" if Path(argument).is_dir() else "no such file"
    advice = "give a file of papers, or PMIDs, DOIs, PMCIDs or ids of the library"
    return ReadError(Problem(argument, found, advice=advice))


def parse_content(
    content: bytes,
    *,
    name: str,
    on_problem: Callable[[Problem], None] | None = None,
    most: int | None = None,
) -> list[Document]:
    r"""Return the papers that pasted or piped text names, with whatever it says about them.

    >>> papers = parse_content(b"7, 8\n- On cats and dogs", name="pasted text")
    >>> [paper.id or paper.title for paper in papers]
    ['7', '8', 'On cats and dogs']

    Args:
        content: The text.
        name: What problems call it.
        on_problem: Called for each record that can't be read; without it the first one raises.
        most: How many papers it may name; a text that names more is refused.
    """

    def report(problem: Problem) -> None:
        report_problem(replace(problem, path=name), on_problem)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name.replace(" ", "-"))
        path.write_bytes(content)
        most_read = None if most is None else most + 1
        try:
            source = Source(path)
            known = format_by_content(source.head())
            records = _read_papers(source, known, on_problem=report, most=most_read)
            papers = [record.document for record in records]
        except ReadError as error:
            raise ReadError(replace(error.problem, path=name)) from error
    if most is not None and len(papers) > most:
        raise ReadError(Problem(name, f"more than {most:,} papers", advice="give fewer"))
    return papers


def parse_line(line: str) -> list[Document]:
    """Return the papers that a line names.

    >>> [paper.pmid for paper in parse_line("1. Smith J. On cats. 2001;3:4-9. PMID: 123")]
    ['123']
    >>> [paper.title for paper in parse_line('"On cats and dogs."')]
    ['On cats and dogs.']
    """
    if numbers := parse_numbers(line.strip()):
        return numbers
    text = _join_cells(line)
    if bullet := _BULLET.match(text):
        text = text[bullet.end() :]
    title = _strip_quotes(text.rstrip(",; "))
    is_nothing = not any(map(str.isalnum, title))
    if is_nothing or title.startswith("#") or title.lower() in _COLUMN_NAMES:
        return []
    if named := parse_numbers(text) or parse_id_line(text):
        return named
    if " " not in title and (title.isascii() or len(title) < _UNSPACED_TITLE):
        return [Document(id=title)]
    return [_parse_reference(text) or Document(title=title)]


def parse_numbers(text: str) -> list[Document]:
    """Return the papers that a list of numbers names; none if the text is not such a list."""
    if not _NUMBERS.fullmatch(text):
        return []
    return [Document(id=number) for number in _BETWEEN_NUMBERS.split(text) if number]


def _read_papers(
    source: Source,
    known: Format | None,
    *,
    on_problem: Callable[[Problem], None] | None,
    most: int | None = None,
    parse: Callable[[str], list[Document]] = parse_line,
) -> list[Record]:
    """Return at most `most` papers of a file, read in its format or else line by line."""
    first = source.head().split(b"\n", 1)[0].strip().lower().decode("latin-1")
    is_column = first in _COLUMN_NAMES
    if known and known.name != "ids" and not (known.name in _DOUBTFUL and is_column):
        try:
            records = read_documents(source, format=known.name, on_problem=on_problem)
            return list(islice(records, most))
        except ReadError:
            if known.name not in _DOUBTFUL:
                raise
    papers = (Record(paper, line.number) for line in source.lines() for paper in parse(line.text))
    return list(islice(papers, most))


def _join_cells(line: str) -> str:
    """Return a line with single spaces; of tabbed cells without a reference, the most telling."""
    cells = line.strip().split("\t")
    if len(cells) > 1 and not any(map(_parse_reference, cells)):
        # A number with few digits is a year or the number of a row.
        named = [cell for cell in cells if len(cell) > 4 and parse_id_line(cell)]
        line = named[0] if named else max(cells, key=len)
    return " ".join(line.split())


def _strip_quotes(text: str) -> str:
    for _ in range(_MOST_QUOTES):
        if len(text) > 1 and text[0] + text[-1] in _QUOTES:
            text = text[1:-1].strip()
    return text


def _parse_reference(line: str) -> Document | None:
    """Return the paper that a reference names by an identifier; None if it holds none."""
    addresses = _ADDRESS.findall(line)
    # Identifiers can be recognised only in addresses of doi.org, PubMed and PMC.
    rest = _ADDRESS.sub(" ", line)
    found = Document(
        doi=_find_first(find_doi_in_link, addresses) or clean_doi(rest),
        pmid=_find_first(find_pmid_in_link, addresses) or find_pmid_in_note(rest),
        pmcid=_find_first(find_pmcid_in_link, addresses) or find_pmcid_in_note(rest),
    )
    return found if found.is_identifiable else None


def _find_first(find: Callable[[str], str], addresses: list[str]) -> str:
    return next(filter(None, map(find, addresses)), "")
