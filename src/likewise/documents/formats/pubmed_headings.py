"""The MeSH headings of a PubMed record: the same few thousand over and over."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Generic, TypeVar

import msgspec

from likewise.documents.document import MeshHeading
from likewise.documents.formats.pubmed_article import is_major, mesh_heading
from likewise.documents.formats.pubmed_text import UnusualError
from likewise.documents.formats.xml_records import parse

Value = TypeVar("Value")

_MOST_REMEMBERED = 1 << 16
_DESCRIPTOR = re.compile(
    r"""\s*<MeshHeading>\s*<DescriptorName UI="(\w*)" MajorTopicYN="([YN])">"""
    r"""([!-%'-;=?-~]+(?: [!-%'-;=?-~]+)*)</DescriptorName>"""
)


def headings(about: bytes) -> tuple[MeshHeading, ...]:
    """Return the headings among the elements that follow a record's article."""
    begin = about.find(b"<MeshHeadingList")
    if begin < 0:
        return ()
    end = about.find(b"</MeshHeadingList>", begin)
    listed = about[begin + len(b"<MeshHeadingList>") : end].decode()
    *found, last = listed.split("</MeshHeading>")
    if end < 0 or last.strip():
        raise UnusualError
    parts = [heading.partition("</DescriptorName>") for heading in found]
    return tuple([_known[name + closed][_major[others]] for name, closed, others in parts])


class _Remembering(dict[str, Value], Generic[Value]):
    """What was made of some XML before; to look it up takes half as long as `lru_cache` does."""

    def __init__(self, make: Callable[[str], Value]) -> None:
        self._make = make

    def __missing__(self, xml: str) -> Value:
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        self[xml] = made = self._make(xml)
        return made


def _heading(descriptor: str) -> tuple[MeshHeading, MeshHeading]:
    """Return a heading without and with a qualifier that is a major topic."""
    plain = _DESCRIPTOR.fullmatch(descriptor)
    if plain:
        heading = MeshHeading(plain[3], plain[1], major=plain[2] == "Y")
    else:
        heading = mesh_heading(parse(f"{descriptor.lstrip()}</MeshHeading>".encode()))
    return heading, msgspec.structs.replace(heading, major=True)


def _any_major(qualifiers: str) -> bool:
    return is_major(parse(f"<MeshHeading>{qualifiers}</MeshHeading>".encode()))


_known = _Remembering(_heading)
_major = _Remembering(_any_major)
