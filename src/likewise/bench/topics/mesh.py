"""MeSH: which headings are below a heading, so that topics can include them, and the check tags.

NLM writes its tree in three forms, each with a year in its name, and they may be gzipped:
desc2025.xml, whose descriptors have identifiers and places in the tree; d2025.bin, with the same as
tagged lines; and mtrees2025.bin, with a name and a place on each line.

Check tags are headings that indexers give to every article that they fit, whatever it is about:
those of sex, of age, of pregnancy, of the usual animals and of periods of history.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from likewise.documents.formats.xml_records import cut_fragments, parse, text_of
from likewise.documents.sources import Complaint, Source
from likewise.errors import ReadError
from likewise.library.protocol import Heading

_ADVICE = "give NLM's descYYYY.xml, dYYYY.bin or mtreesYYYY.bin"
_PLACE = re.compile(r"[A-Z]\d+(?:\.\d+)*")
_TREE_LINE = re.compile(rf"([^;]+);({_PLACE.pattern})")
_TAGGED_LINE = re.compile(r"(MH|UI|MN) = (.+)")
_PERIODS = ("Ancient", "Medieval", "15th Century", "16th Century", "17th Century", "18th Century",
            "19th Century", "20th Century", "21st Century")  # fmt: skip
CHECK_TAGS = frozenset(
    (
        *("Humans", "Male", "Female", "Pregnancy"),
        *("Infant, Newborn", "Infant", "Child, Preschool", "Child", "Adolescent", "Young Adult"),
        *("Adult", "Middle Aged", "Aged", "Aged, 80 and over"),
        *("Animals", "Cats", "Cattle", "Chick Embryo", "Cricetinae", "Dogs", "Guinea Pigs"),
        *("Mice", "Rabbits", "Rats"),
        *(f"History, {period}" for period in _PERIODS),
    )
)
"""The check tags, as MeSH spells them."""


class Descriptor(NamedTuple):
    """A heading and its places in the tree, such as A01.378; some, like Female, have none."""

    heading: Heading
    places: tuple[str, ...]


class MeshTree:
    """The headings of MeSH, and which are below which."""

    def __init__(self, descriptors: Iterable[Descriptor]) -> None:
        self._places: defaultdict[Heading, list[str]] = defaultdict(list)
        for heading, places in descriptors:
            self._places[heading] += places
        self._named = {fold_name(word): h for h in self._places for word in h if word}
        at = ((place, heading) for heading, places in self._places.items() for place in places)
        self._in_order = sorted(at)

    def __len__(self) -> int:
        return len(self._places)

    def find_heading(self, name_or_ui: str) -> Heading | None:
        """Return the heading of a name or an identifier, whatever its case and spaces."""
        return self._named.get(fold_name(name_or_ui))

    def find_below(self, name_or_ui: str) -> frozenset[Heading]:
        """Return a heading and all below it, at all its places; nothing if it is unknown."""
        top = self.find_heading(name_or_ui)
        if top is None:
            return frozenset()
        return frozenset([top, *(h for place in self._places[top] for h in self._under(place))])

    def _under(self, place: str) -> Iterator[Heading]:
        # "/" is the character after ".": what is below A01 begins with "A01.".
        first = bisect_left(self._in_order, (f"{place}.",))
        last = bisect_left(self._in_order, (f"{place}/",))
        return (heading for _, heading in self._in_order[first:last])


def fold_name(name: str) -> str:
    """Return a name in lower case without spaces, so that it can be compared with others.

    >>> fold_name("Infant,  newborn") == fold_name("Infant, Newborn")
    True
    """
    return "".join(name.split()).casefold()


def read_mesh_tree(path: str | Path) -> MeshTree:
    """Read the tree of MeSH from any of NLM's three forms of file."""
    source = Source(path)
    start = source.head().decode("utf-8", "replace").lstrip("\ufeff \r\n\t")
    if start.startswith("<"):
        descriptors = _read_xml(source)
    elif start.startswith("*NEWRECORD"):
        descriptors = _read_tagged(source)
    elif _TREE_LINE.match(start):
        descriptors = _read_lines(source)
    else:
        raise source.fail("not a file of the MeSH tree", advice=_ADVICE)
    tree = MeshTree(descriptors)
    if not len(tree):
        raise source.fail("no descriptor in it", advice=_ADVICE)
    return tree


def _read_xml(source: Source) -> Iterator[Descriptor]:
    from lxml import etree

    for fragment in cut_fragments(source, ("DescriptorRecord",)):
        if isinstance(fragment, Complaint):
            raise ReadError(source.problem(fragment))
        try:
            record = parse(fragment.xml)
        except etree.XMLSyntaxError as error:
            found, advice = "malformed XML in this descriptor", "download the file again"
            raise source.fail(found, line=fragment.line, advice=advice) from error
        name, ui = text_of(record.find("DescriptorName/String")), record.findtext("DescriptorUI")
        if not name:
            raise source.fail("a descriptor without a name", line=fragment.line, advice=_ADVICE)
        places = tuple(text_of(place) for place in record.findall("TreeNumberList/TreeNumber"))
        yield Descriptor(Heading(name, (ui or "").strip()), places)


def _read_tagged(source: Source) -> Iterator[Descriptor]:
    """Yield the descriptors of a file of lines like "MH = Brain", *NEWRECORD before each."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for line in source.lines():
        tagged = _TAGGED_LINE.match(line.text)
        if tagged:
            found[tagged[1]].append(tagged[2].strip())
        elif line.text.startswith("*NEWRECORD"):
            yield from _make_descriptors(found)
            found.clear()
    yield from _make_descriptors(found)


def _make_descriptors(found: dict[str, list[str]]) -> Iterator[Descriptor]:
    # Records of qualifiers have no MH, and descriptors of publication types no place.
    for name in found.get("MH", []):
        ui = found.get("UI", [""])[0]
        yield Descriptor(Heading(name, ui), tuple(found.get("MN", ())))


def _read_lines(source: Source) -> Iterator[Descriptor]:
    for line in source.lines():
        if not line.text.strip():
            continue
        parts = _TREE_LINE.fullmatch(line.text.strip())
        if not parts:
            found = f"{line.text[:60]!r} where a heading and its place were expected"
            raise source.fail(found, line=line.number, advice="each line is like Body Regions;A01")
        yield Descriptor(Heading(parts[1].strip()), (parts[2],))
