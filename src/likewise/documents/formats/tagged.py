"""Records of tagged lines, which RIS, MEDLINE and other labelled files are made of.

A line with a tag begins a value; a line without one continues it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from likewise.documents.document import Document
from likewise.documents.sources import (
    Line,
    ReadItem,
    Record,
    RecordSize,
    Source,
    make_record,
    try_record,
)


@dataclass(frozen=True)
class TagDialect:
    """How tags, values and records are recognised."""

    tag_line: re.Pattern[str]
    """Matches a line with a tag, and captures the tag and the text after it."""
    opening: str
    """The tag that opens a record when it comes after a blank line."""
    once: frozenset[str]
    """Tags that no record has twice: if one comes again, the next record has begun."""
    closing: str = ""
    """The tag that ends a record, if there is one."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The names by which tags are known from here on."""
    unnamed: str = ""
    """The prefix for tags without such a name, such as "enw:"."""
    is_strict: bool = False
    """Whether it takes the opening tag to make a record."""
    notes: str = ""
    """The tag that holds notes, if there is one."""
    if_empty: tuple[str, str] = ("", "")
    """What to say of a file without records, and how a record begins."""


class TaggedRecord:
    """The values of the record that begins at a line, by their tags, with their line ends."""

    def __init__(self, line: int, entries: Sequence[tuple[str, str]]) -> None:
        self.line = line
        self._entries = entries
        self._values: dict[str, list[str]] = {}
        for tag, value in entries:
            if tag in self._values:
                self._values[tag].append(value)
            else:
                self._values[tag] = [value]

    def __contains__(self, tag: object) -> bool:
        return tag in self._values

    def values(self, *tags: str) -> Sequence[str]:
        """Return the values of these tags, in the file's order."""
        present = tags if len(tags) == 1 else self._values.keys() & tags
        if len(present) > 1:
            return [value for tag, value in self._entries if tag in present]
        return next((self._values[tag] for tag in present if tag in self._values), [])

    def items(self) -> Sequence[tuple[str, str]]:
        """Return every tag with its value, in the file's order."""
        return self._entries

    def first(self, *tags: str) -> str:
        """Return the first value that is not empty, on one line, trying the tags in turn."""
        for tag in tags:
            for value in self._values.get(tag, ()):
                if text := one_line(value):
                    return text
        return ""


def read_tagged_records(
    lines: Iterable[Line], dialect: TagDialect, *, source: Source
) -> Iterator[TaggedRecord]:
    """Yield the records in a source's lines; what is between records is skipped."""
    size = RecordSize(1, source)
    entries: list[tuple[str, str]] = []
    further: list[str] = []
    begun: set[str] = set()
    first, after_blank = 0, False
    find_tag, names, once = dialect.tag_line.match, dialect.names, dialect.once
    for number, text in lines:
        found = find_tag(text)
        if not found:
            after_blank = not text.strip()
            if entries and not after_blank:
                size.grow(text)
                further.append(text)
            continue
        if further:
            _lengthen(entries, further)
        tag, value = found.groups()
        if names:
            tag = names.get(tag) or dialect.unnamed + tag
        opens = tag in begun or (after_blank and tag == dialect.opening)
        after_blank = False
        if entries and (opens or tag == dialect.closing):
            yield TaggedRecord(first, entries)
            entries, begun = [], set()
        if tag == dialect.closing:
            continue
        if not entries:
            first, size = number, RecordSize(number, source)
        if tag in once:
            begun.add(tag)
        size.grow(text)
        entries.append((tag, value))
    if entries:
        _lengthen(entries, further)
        yield TaggedRecord(first, entries)


def _lengthen(entries: list[tuple[str, str]], further: list[str]) -> None:
    """Add further lines to the last value, and forget them."""
    tag, value = entries[-1]
    entries[-1] = (tag, "\n".join([value, *further]))
    further.clear()


def read_tagged(
    source: Source,
    dialect: TagDialect,
    parse: Callable[[TaggedRecord], Document],
    *,
    lines: Iterable[Line] | None = None,
) -> Iterator[ReadItem]:
    """Yield what each record holds, or a complaint about it; no record stops the others.

    Args:
        source: The file; one without records is refused.
        dialect: What it is written in.
        parse: Turns a record into a document.
        lines: The lines to read instead of the file's own.
    """

    def make(record: TaggedRecord) -> Record:
        return make_record(parse(record), record.line, record.values(dialect.notes))

    found = False
    for record in read_tagged_records(lines or source.lines(), dialect, source=source):
        if not dialect.is_strict or dialect.opening in record:
            found = True
            yield try_record(record.line, make, record)
    if not found:
        raise source.fail(dialect.if_empty[0], advice=dialect.if_empty[1])


def one_line(text: str) -> str:
    r"""Return a text with each run of spaces and line ends turned into one space.

    >>> one_line(" On\r\n cats ")
    'On cats'
    """
    # Most texts are in order, and checking takes a fraction of the time of splitting and joining.
    if text.isprintable() and "  " not in text:
        return text.strip()
    return " ".join(text.replace("\x00", " ").split())
