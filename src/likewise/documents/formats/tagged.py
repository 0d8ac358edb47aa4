"""Records of tagged lines, which RIS and MEDLINE files are made of.

A line with a tag begins a value; a line without one goes on with the value before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from likewise.documents.sources import Line, RecordSize, Source


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


class TaggedRecord:
    """The values of one record, by their tags."""

    def __init__(self, line: int) -> None:
        self.line = line
        self._values: dict[str, list[tuple[int, list[str]]]] = {}
        self._last: list[str] = []
        self._count = 0

    def __contains__(self, tag: object) -> bool:
        return tag in self._values

    def begin(self, tag: str, text: str) -> None:
        """Begin a value."""
        self._last = [text]
        self._count += 1
        self._values.setdefault(tag, []).append((self._count, self._last))

    def go_on(self, text: str) -> None:
        """Go on with the value that was begun last."""
        self._last.append(text)

    def values(self, *tags: str) -> list[str]:
        """Return the values of these tags, in the file's order, with their line ends."""
        found = [value for tag in tags for value in self._values.get(tag, ())]
        return ["\n".join(lines) for _, lines in (sorted(found) if len(tags) > 1 else found)]

    def first(self, *tags: str) -> str:
        """Return the first value that is not empty, on one line, trying the tags in turn."""
        for tag in tags:
            for value in self.values(tag):
                if text := one_line(value):
                    return text
        return ""


def read_tagged_records(
    lines: Iterable[Line], dialect: TagDialect, *, source: Source
) -> Iterator[TaggedRecord]:
    """Yield the records in a source's lines; what stands between records is passed over."""
    record: TaggedRecord | None = None
    size = RecordSize(1)
    after_blank = False
    for number, text in lines:
        found = dialect.tag_line.match(text)
        if not found:
            after_blank = not text.strip()
            if record and not after_blank:
                size.grow(text, source=source)
                record.go_on(text)
            continue
        tag = dialect.names.get(found[1], found[1])
        opens = tag in dialect.once and record is not None and tag in record
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
        record.begin(tag, found[2])
    if record:
        yield record


def one_line(text: str) -> str:
    r"""Return a text with each run of spaces and line ends made one space.

    >>> one_line(" On\r\n cats ")
    'On cats'
    """
    return " ".join(text.replace("\x00", " ").split())
