"""The names of sessions: those that addresses and files have, and those that people give."""

from __future__ import annotations

import re
import secrets
import string
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from likewise.documents import Document

SUFFIX = ".likewise"
IDENTIFIER = r"^[A-Za-z0-9_-]{1,64}$"
LONGEST = 80
"""The most characters of a name that is made of a title."""
NAMELESS = "(no name)"

_LETTERS = string.ascii_lowercase
_LENGTH = 14


def new_identifier() -> str:
    """Return random letters that nobody guesses, and no other session has."""
    return "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))


def is_identifier(text: str) -> bool:
    """Tell whether a text can be the id of a session.

    >>> is_identifier("review_1"), is_identifier("../review"), is_identifier("")
    (True, False, False)
    """
    return bool(re.fullmatch(IDENTIFIER.strip("^$"), text))


def file_of(folder: Path, identifier: str) -> Path:
    """Return where the session of an id lies."""
    return folder / f"{identifier}{SUFFIX}"


def clean_name(text: str) -> str:
    r"""Return a name as one line without what steers screens.

    >>> clean_name(" Cats\n and\x1b[1m dogs\u202e ")
    'Cats and[1m dogs'
    """
    printable = (c if c.isprintable() or c.isspace() else "" for c in text)
    return " ".join("".join(printable).split())


def default_name(seeds: Iterable[Document]) -> str:
    """Return the first title that a seed has, cut at a word.

    >>> from likewise.documents import Document
    >>> default_name([Document(id="7"), Document(title="On cats")])
    'On cats'
    """
    titles = (clean_name(seed.title) for seed in seeds)
    title = next(filter(None, titles), NAMELESS)
    if len(title) <= LONGEST:
        return title
    begun, _, _ = title[: LONGEST - 1].rpartition(" ")
    return f"{begun or title[: LONGEST - 2]} …"
