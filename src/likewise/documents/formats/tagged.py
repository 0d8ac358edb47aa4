"""Records of tagged lines, which RIS, MEDLINE and other labelled files are made of.

A line with a tag begins a value; a line without one goes on with the value before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from likewise.documents.document import Document
from likewise.documents.sources import (
    Line,
    ReadItem,
    RecordSize,
    Source,
    make_item,
    try_record,
)


@dataclass(frozen=True)
class TagDialect:
    """How lines and records are told apart."""

    tag_line: re.Pattern[str]
    """Matches a line with a tag, and captures the tag and the text after it."""
    opening: str
    """The tag that opens a record when it comes after a blank line."""
    once: frozenset[str]
    """Tags that no record has twice: where one comes again, the next record has begun."""
    closing: str = ""
    """The tag that ends a record, if there is one."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The tags that are known by another name from here on."""
    unnamed: str = ""
    """What is put before a tag that has no name there, as in "enw:"."""


class TaggedRecord:
    """The values of one record, by their tags."""

    def __init__(self, line: int) -> None:
        self.line = line
        self._entries: list[tuple[str, list[str]]] = []
        self._values: dict[str, list[list[str]]] = {}
        self._last: list[str] = []

    def __contains__(self, tag: object) -> bool:
        return tag in self._values

    def begin(self, tag: str, text: str) -> None:
        """Begin a value."""
        self._last = [text]
        self._entries.append((tag, self._last))
        if tag in self._values:
            self._values[tag].append(self._last)
        else:
            self._values[tag] = [self._last]

    def go_on(self, text: str) -> None:
        """Go on with the value that was begun last."""
        self._last.append(text)

    def values(self, *tags: str) -> list[str]:
        """Return the values of these tags, in the file's order, with their line ends."""
        if len(tags) > 1:
            tags = tuple(tag for tag in tags if tag in self._values)
        if len(tags) > 1:
            return ["\n".join(lines) for tag, lines in self._entries if tag in tags]
        found = self._values.get(tags[0]) if tags else None
        return ["\n".join(lines) for lines in found] if found else []

    def items(self) -> Iterator[tuple[str, str]]:
        """Yield every tag with its value, in the file's order, with line ends."""
        return ((tag, "\n".join(lines)) for tag, lines in self._entries)

    def first(self, *tags: str) -> str:
        """Return the first value that is not empty, on one line, trying the tags in turn."""
        for tag in tags:
            for lines in self._values.get(tag, ()):
                if text := one_line("\n".join(lines) if len(lines) > 1 else lines[0]):
                    return text
        return ""


def read_tagged_records(
    lines: Iterable[Line], dialect: TagDialect, *, source: Source
) -> Iterator[TaggedRecord]:
    """Yield the records in a source's lines; what stands between records is passed over."""
    record: TaggedRecord | None = None
    size = RecordSize(1)
    after_blank = False
    find_tag, names, once = dialect.tag_line.match, dialect.names, dialect.once
    for number, text in lines:
        found = find_tag(text)
        if not found:
            after_blank = not text.strip()
            if record and not after_blank:
                size.grow(text, source=source)
                record.go_on(text)
            continue
        tag, value = found.groups()
        if names:
            tag = names.get(tag) or dialect.unnamed + tag
        opens = tag in once and record is not None and tag in record
        if record and (opens or (after_blank and tag == dialect.opening)):
            yield record
            record = None
        after_blank = False
        if tag == dialect.closing:
            if record:
                yield record
            record = None
            continue
        if record is None:
            record, size = TaggedRecord(number), RecordSize(number)
        size.grow(text, source=source)
        record.begin(tag, value)
    if record:
        yield record


def parse_records(
    records: Iterable[TaggedRecord], parse: Callable[[TaggedRecord], Document], *, notes: str = ""
) -> Iterator[ReadItem]:
    """Yield what each record holds, or a complaint about it; no record stops the others.

    Args:
        records: As they were cut out of the file.
        parse: Makes a document of one.
        notes: The tag that holds notes, if there is one.
    """
    for record in records:
        yield try_record(record.line, _make_item, record, parse, notes)


def _make_item(
    record: TaggedRecord, parse: Callable[[TaggedRecord], Document], notes: str
) -> ReadItem:
    return make_item(parse(record), record.line, record.values(notes))


def one_line(text: str) -> str:
    r"""Return a text with each run of spaces and line ends made one space.

    >>> one_line(" On\r\n cats ")
    'On cats'
    """
    # Most texts are in order, and looking costs a fraction of what parting and joining does.
    if text.isprintable() and "  " not in text:
        return text.strip()
    return " ".join(text.replace("\x00", " ").split())
