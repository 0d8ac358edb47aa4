"""The record elements of an XML file, cut from its bytes one at a time.

Records are found by their tags and parsed alone: memory stays flat however long the file is,
a malformed record costs itself only, and no document type is ever parsed, so that no entity
can swell or reach out. Several documents in one file, one after the other, are read as one.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from lxml import etree

from likewise.documents.formats.xml_cutter import ENCODING, Cutter, Fragment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element as Element

    from likewise.documents.sources import Source

__all__ = ["ILLEGAL", "Fragment", "fragments", "legal", "malformed", "parse", "text_of"]

_POSITION = re.compile(r",? line \d+(?:, column \d+)?")
_BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
# Malformed UTF-8 is left to the parser, which then refuses the record that holds it.
_AS_IT_IS = {"utf-8", "ascii"}
ILLEGAL = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# Blank text is kept: between two inline elements it is the space between two words.
_PARSER = etree.XMLParser(
    resolve_entities=False,
    no_network=True,
    collect_ids=False,
    huge_tree=False,
    remove_comments=True,
    remove_pis=True,
)


def fragments(source: Source, tags: tuple[str, ...]) -> Iterator[Fragment]:
    """Yield every element with one of these tags; what is cut off or never closed is a problem."""
    cutter = Cutter(source, tags)
    for block in _utf8_blocks(source):
        yield from cutter.feed(block)
    yield from cutter.close()


def parse(xml: bytes) -> Element:
    """Parse a fragment; raise `etree.XMLSyntaxError` if it is malformed."""
    return etree.fromstring(xml, _PARSER)


def malformed(source: Source, fragment: Fragment, error: etree.XMLSyntaxError) -> None:
    """Report a fragment that can't be parsed, and why."""
    why = _POSITION.sub("", error.msg or "no reason given")
    source.problem(
        f"malformed XML in this record ({why})", line=fragment.line, advice="it was left out"
    )


def text_of(element: Element | None) -> str:
    """Return all text in an element, inline markup or not, with its white space made plain."""
    if element is None:
        return ""
    text = "".join(map(str, element.itertext())) if len(element) else element.text
    if not text:
        return ""
    # That a text is plain is seen in a quarter of the time that splitting it takes.
    uneven = "\n" in text or "  " in text or "\t" in text or "\r" in text
    if text.isascii() and not uneven:
        return text.strip(" ")
    return " ".join(text.split())


def legal(text: str) -> str:
    r"""Return a text without the characters that XML can't hold.

    >>> legal("a\x00b")
    'ab'
    """
    return ILLEGAL.sub("", text)


def _utf8_blocks(source: Source) -> Iterator[bytes]:
    """Yield the source's blocks in UTF-8, whatever encoding its first bytes declare."""
    blocks = source.blocks()
    first = next(blocks, b"")
    encoding = _encoding(source, first)
    if encoding in _AS_IT_IS:
        yield first.removeprefix(codecs.BOM_UTF8)
        yield from blocks
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        yield decoder.decode(first).encode()
        for block in blocks:
            yield decoder.decode(block).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeError as error:
        raise source.fail(
            f"the file says that it is in {encoding}, and is not ({error.args[-1]})",
            advice="export it again, in UTF-8",
        ) from error


def _encoding(source: Source, first: bytes) -> str:
    """Return the name of the encoding that a file's first bytes declare."""
    for bom, name in _BOMS.items():
        if first.startswith(bom):
            return name
    declaration = first[: first.find(b"?>")] if first.lstrip().startswith(b"<?xml") else b""
    named = ENCODING.search(declaration)
    declared = named[1].decode("ascii", "replace") if named else "utf-8"
    try:
        # Asked in this way, Python refuses the codecs that are no encodings of text.
        "a".encode(declared)
        name = codecs.lookup(declared).name
    except (LookupError, UnicodeError) as error:
        raise source.fail(
            f"the file is in an encoding that we don't know ({declared!r})",
            line=1,
            advice="export it again, in UTF-8",
        ) from error
    # A declaration in UTF-16 could not have been read byte by byte: the file was converted since.
    return "utf-8" if name.startswith(("utf-16", "utf-32")) else name
