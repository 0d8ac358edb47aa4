"""Seeds as a person gives them: files of any format, identifiers, or a list on standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from likewise.documents import Document, read
from likewise.documents.formats import formats
from likewise.documents.formats.links import doi_in_link
from likewise.errors import Problem, ReadError
from likewise.expansion.pasted import numbered, papers_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_STANDARD_INPUT = "standard input"
# People name such files too, and no id ends like that.
_OTHER_SUFFIXES = (".gz", ".json", ".pdf", ".doc", ".docx", ".xls")


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
            documents += papers_in(piped, name=_STANDARD_INPUT, on_problem=on_problem)
        elif _is_file(argument):
            documents += read(argument, on_problem=on_problem)
        elif _looks_like_a_path(argument):
            raise _unreadable(argument)
        else:
            documents += _identified(argument)
    return documents


def given_seeds(seeds: Iterable[Document | str | Path]) -> list[Document]:
    """Return seeds as documents, whatever they were given as."""
    documents: list[Document] = []
    for seed in [seeds] if isinstance(seeds, str | Path) else seeds:
        documents += read_seeds([str(seed)]) if isinstance(seed, str | Path) else [seed]
    return documents


def _is_file(argument: str) -> bool:
    try:
        return Path(argument).is_file()
    except OSError:  # A name too long for a file may still be an id.
        return False


def _looks_like_a_path(argument: str) -> bool:
    if "://" in argument or doi_in_link(argument):
        return False
    known = tuple(suffix for known in formats() for suffix in known.suffixes)
    return bool(set(argument) & set("/\\")) or argument.lower().endswith(known + _OTHER_SUFFIXES)


def _unreadable(argument: str) -> ReadError:
    found = "this is a folder, not a file" if Path(argument).is_dir() else "no such file"
    advice = "give a file of papers, or PMIDs, DOIs, PMCIDs or ids of the library"
    return ReadError(Problem(argument, found, advice=advice))


def _identified(argument: str) -> list[Document]:
    """Return the documents that an argument names by identifiers; PMIDs may be a list."""
    argument = argument.strip()
    return numbered(argument) or [Document(id=argument)] if argument else []
