"""Seeds as a person gives them: files of any format, identifiers, and pasted or piped text.

Where a text is no file's, each line is looked at by itself. A line of identifiers names a paper
each; a single word is an id of the library, if anything; a reference with an identifier in it is
taken for that; any other line is a title.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path

from likewise.documents import Document, read, read_documents
from likewise.documents.formats import format_by_content, formats
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
from likewise.errors import Problem, ReadError

_STANDARD_INPUT = "standard input"
# People name such files too, and no id ends like that.
_OTHER_SUFFIXES = (".gz", ".json", ".pdf", ".doc", ".docx", ".xls")

_PASTED = "pasted text"
# A person's words can look like the header of a table, or have tabs between them as a table has.
_DOUBTFUL = frozenset({"csv", "tsv"})
_COLUMN_NAMES = frozenset(
    ("id", "ids", "pmid", "pmids", "pmcid", "pmcids", "doi", "dois", "title", "titles")
)
_NUMBERS = re.compile(r"[0-9]+(?:[,;\s]+[0-9]+)*[,;]?")
_BULLET = re.compile(
    r"\s*(?:[-*+\u00b7\u2013\u2014\u2022\u2023\u25aa\u25cf\u25e6]|[(\[]?[0-9]{1,3}[.)\]]+)\s+"
)
_QUOTES = ('""', "''", "`'", "\u201c\u201d", "\u201e\u201c", "\u2018\u2019", "\u00ab\u00bb")
# To take them off one by one, from a text of nothing else, would take minutes.
_MOST_QUOTES = 10
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
# In languages without spaces between words, a title can be one word.
_UNSPACED_TITLE = 8


def read_seeds(
    arguments: Sequence[str], *, on_problem: Callable[[Problem], None] | None = None
) -> list[Document]:
    """Return the documents that arguments name; of an identifier, one with nothing but that id.

    Args:
        arguments: Files, ids (of the library, PMIDs, DOIs, PMCIDs), or "-" for standard input.
        on_problem: Called for each record that can't be read; without it the first one raises.
    """
    documents: list[Document] = []
    for argument in arguments:
        if argument == "-":
            piped = sys.stdin.buffer.read()
            documents += parse_content(piped, name=_STANDARD_INPUT, on_problem=on_problem)
        elif _is_file(argument):
            documents += read(argument, on_problem=on_problem)
        elif _is_path_like(argument):
            raise _make_unreadable_error(argument)
        else:
            documents += _parse_identifiers(argument)
    return documents


def gather_seeds(seeds: Iterable[Document | str | Path]) -> list[Document]:
    """Return seeds as documents: files are read, and identifiers become records."""
    documents: list[Document] = []
    for seed in [seeds] if isinstance(seeds, str | Path) else seeds:
        documents += read_seeds([str(seed)]) if isinstance(seed, str | Path) else [seed]
    return documents


def _is_file(argument: str) -> bool:
    try:
        return Path(argument).is_file()
    except OSError:  # A name too long for a file may still be an id.
        return False


def _is_path_like(argument: str) -> bool:
    if "://" in argument or find_doi_in_link(argument):
        return False
    known = tuple(suffix for known in formats() for suffix in known.suffixes)
    return bool(set(argument) & set("/\\")) or argument.lower().endswith(known + _OTHER_SUFFIXES)


def _make_unreadable_error(argument: str) -> ReadError:
    found = "this is a folder, not a file" if Path(argument).is_dir() else "no such file"
    advice = "give a file of papers, or PMIDs, DOIs, PMCIDs or ids of the library"
    return ReadError(Problem(argument, found, advice=advice))


def _parse_identifiers(argument: str) -> list[Document]:
    """Return the documents that an argument names by identifiers; PMIDs may be a list."""
    argument = argument.strip()
    return parse_numbers(argument) or [Document(id=argument)] if argument else []


def parse_papers(
    text: str,
    *,
    on_problem: Callable[[Problem], None] | None = None,
    most: int | None = None,
) -> list[Document]:
    r"""Return the papers that a text names, as far as it tells of them.

    >>> [paper.id or paper.title for paper in parse_papers("7, 8\n- On cats and dogs")]
    ['7', '8', 'On cats and dogs']

    Args:
        text: What was pasted.
        on_problem: Called for each record that can't be read; without it the first one raises.
        most: How many papers it may name; a text that names more is refused.
    """
    content = text.encode("utf-8", "replace")
    return parse_content(content, name=_PASTED, on_problem=on_problem, most=most)


def parse_content(
    content: bytes,
    *,
    name: str,
    on_problem: Callable[[Problem], None] | None = None,
    most: int | None = None,
) -> list[Document]:
    """Return the papers in bytes that came without a file; problems are reported under `name`."""

    def report(problem: Problem) -> None:
        report_problem(problem._replace(path=name), on_problem)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name.replace(" ", "-"))
        path.write_bytes(content)
        most_read = None if most is None else most + 1
        try:
            papers = _read_papers(Source(path), on_problem=report, most=most_read)
        except ReadError as error:
            raise ReadError(error.problem._replace(path=name)) from error
    if most is not None and len(papers) > most:
        raise ReadError(Problem(name, f"more than {most:,} papers", advice="give fewer of them"))
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
    told = _join_cells(line)
    if bullet := _BULLET.match(told):
        told = told[bullet.end() :]
    title = _strip_quotes(told.rstrip(",; "))
    is_nothing = not any(map(str.isalnum, title))
    if is_nothing or title.startswith("#") or title.lower() in _COLUMN_NAMES:
        return []
    if named := parse_numbers(told) or parse_id_line(told):
        return named
    if " " not in title and (title.isascii() or len(title) < _UNSPACED_TITLE):
        return [Document(id=title)]
    return [_parse_reference(told) or Document(title=title)]


def parse_numbers(text: str) -> list[Document]:
    """Return the papers that a list of numbers names; none if it is no such list."""
    if not _NUMBERS.fullmatch(text):
        return []
    return [Document(id=number) for number in re.split(r"[,;\s]+", text) if number]


def _read_papers(
    source: Source, *, on_problem: Callable[[Problem], None], most: int | None
) -> list[Document]:
    """Return the papers of a file's text, or else of its lines; at most so many."""
    head = source.head()
    known = format_by_content(head)
    is_column = head.split(b"\n", 1)[0].strip().lower().decode("latin-1") in _COLUMN_NAMES
    if known and known.name != "ids" and not (known.name in _DOUBTFUL and is_column):
        try:
            records = read_documents(source, format=known.name, on_problem=on_problem)
            return [record.document for record in islice(records, most)]
        except ReadError:
            if known.name not in _DOUBTFUL:
                raise
    papers = (paper for line in source.lines() for paper in parse_line(line.text))
    return list(islice(papers, most))


def _join_cells(line: str) -> str:
    """Return a line with single spaces; of cells with tabs between them, what tells the most."""
    cells = line.strip().split("\t")
    if len(cells) > 1 and not any(map(_parse_reference, cells)):
        # A number of few digits is a year, or counts the rows.
        named = [cell for cell in cells if len(cell) > 4 and parse_id_line(cell)]
        line = named[0] if named else max(cells, key=len)
    return " ".join(line.split())


def _strip_quotes(text: str) -> str:
    for _ in range(_MOST_QUOTES):
        if len(text) > 1 and text[0] + text[-1] in _QUOTES:
            text = text[1:-1].strip()
    return text


def _parse_reference(line: str) -> Document | None:
    """Return the paper that a reference names by an identifier; None if there is none in it."""
    addresses = _ADDRESS.findall(line)
    # Of addresses, only those of doi.org and PubMed hold identifiers that can be told.
    rest = _ADDRESS.sub(" ", line)
    found = Document(
        doi=_find_first(find_doi_in_link, addresses) or clean_doi(rest),
        pmid=_find_first(find_pmid_in_link, addresses) or find_pmid_in_note(rest),
        pmcid=_find_first(find_pmcid_in_link, addresses) or find_pmcid_in_note(rest),
    )
    return found if found.is_identifiable else None


def _find_first(find: Callable[[str], str], addresses: list[str]) -> str:
    return next(filter(None, map(find, addresses)), "")
