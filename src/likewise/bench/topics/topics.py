"""Topics: conjunctions of labels, such as MeSH headings, that documents have or have not.

A topic is spelled as its terms with a plus between them, and what else is known of it:

    Animals + Brain + Rats
    D000818.D001921.D051381
    Cohen_BetaBlockers.abstract within Cohen_BetaBlockers

*Within* is a label of the documents about which the truth is known at all, such as those that a
review has screened; without it, that is the whole library.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from likewise.errors import TopicError

if TYPE_CHECKING:
    from collections.abc import Iterator

PAPER = Path(__file__).with_name("paper.txt")
"""The topics of the paper."""

_UIS = re.compile(r"[A-Z]\d+(\.[A-Z]\d+)*")
# Some headings have a plus in parentheses, such as H(+)-K(+)-Exchanging ATPase.
_PLUS = r"(?<!\()\+|\+(?!\))"


class Topic(NamedTuple):
    """Labels that a document must have all of, each by its name or its identifier."""

    terms: tuple[str, ...]
    within: str = ""

    def __str__(self) -> str:
        return " + ".join(self.terms) + (f" within {self.within}" if self.within else "")


def parse_topic(text: str) -> Topic:
    """Return the topic of a spelling; `str` is its inverse.

    >>> parse_topic("Animals+ Brain + Rats").terms
    ('Animals', 'Brain', 'Rats')
    >>> str(parse_topic("D000818.D001921"))
    'D000818 + D001921'
    """
    spelled, _, within = text.strip().partition(" within ")
    separator = r"\." if _UIS.fullmatch(spelled.strip()) else _PLUS
    terms = tuple(term.strip() for term in re.split(separator, spelled))
    if not all(terms) or (" within " in text and not within.strip()):
        raise TopicError(f"{text!r}: topics are written as in Animals + Brain + Rats")
    return Topic(terms, within.strip())


def read_topics(path: Path) -> Iterator[Topic]:
    """Yield the topics of a file, one a line, each once; lines that begin with # are comments."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        advice = "give a text file, a topic a line"
        raise TopicError(f"{path}: can't be read: {reason}; {advice}") from error
    seen: set[Topic] = set()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            topic = parse_topic(line)
        except TopicError as error:
            raise TopicError(f"{path}:{number}: {error}") from error
        if topic not in seen:
            yield topic
        seen.add(topic)
    if not seen:
        raise TopicError(f"{path}: no topic in it; write one a line, as in Animals + Brain + Rats")
