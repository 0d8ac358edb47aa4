"""The record elements of an XML file, cut from its bytes one at a time.

Records are found by their tags and parsed one by one: memory stays flat however long the file is,
a malformed record spoils no other, and no document type is ever parsed, so no entity can fill the
memory or fetch other files. Several documents in one file, one after the other, are read as one.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lxml import etree
from lxml.etree import _Element as Element

from likewise.documents.sources import BadRecordError, Complaint, Source

_POSITION = re.compile(r",? line \d++(?:, column \d++)?")
_BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
# Encodings for host names and source code, which are slow.
_NOT_OF_FILES = {"punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined"}
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


class Fragment(NamedTuple):
    """The bytes of one record, in UTF-8, and the line at which they begin."""

    tag: str
    line: int
    xml: bytes
    before: bytes = b""
    """The last tag before it."""


def cut_fragments(
    source: Source, tags: tuple[str, ...], *, besides: tuple[str, ...] = ()
) -> Iterator[Fragment | Complaint]:
    """Yield every element with one of these tags, and complaints about those never closed.

    Args:
        source: The file.
        tags: The tags of records; a file without any of them is refused.
        besides: Further tags to cut out.
    """
    cutter = Cutter(source, tags, besides=besides)
    for block in _read_utf8_blocks(source):
        yield from cutter.feed(block)
    yield from cutter.close()


def parse(xml: bytes) -> Element:
    """Parse a fragment; raise `etree.XMLSyntaxError` if it is malformed."""
    return etree.fromstring(xml, _PARSER)


def parse_record(xml: bytes) -> Element:
    """Parse a record; raise BadRecordError if it is malformed."""
    try:
        return parse(xml)
    except etree.XMLSyntaxError as error:
        why = _POSITION.sub("", error.msg or "no reason given")
        raise BadRecordError(f"malformed XML in this record ({why})") from error


def text_of(element: Element | None) -> str:
    """Return all text in an element, within inline markup too, with single spaces."""
    if element is None:
        return ""
    text = "".join(map(str, element.itertext())) if len(element) else element.text
    if not text:
        return ""
    # Checking that a text is plain takes a quarter of the time that splitting it does.
    uneven = "\n" in text or "  " in text or "\t" in text or "\r" in text
    if text.isascii() and not uneven:
        return text.strip(" ")
    return " ".join(text.split())


def find_all(element: Element | None, tag: str) -> Iterable[Element]:
    """Return the children of a tag; none if there is no element."""
    return () if element is None else element.iterchildren(tag)


def find_text(element: Element | None, *paths: str) -> str:
    """Return the text of the first of these elements that has any."""
    if element is None:
        return ""
    return next((text for path in paths if (text := text_of(element.find(path)))), "")


def strip_illegal(text: str) -> str:
    r"""Return a text without the characters that XML can't hold.

    >>> strip_illegal("a\x00b")
    'ab'
    """
    return ILLEGAL.sub("", text)


def _read_utf8_blocks(source: Source) -> Iterator[bytes]:
    """Yield the source's blocks in UTF-8, whatever encoding its first bytes declare."""
    blocks = source.blocks()
    first = next(blocks, b"")
    encoding = _find_encoding(source, first)
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
            f"the file says that it is in {encoding}, but is not ({error.args[-1]})",
            advice="export it again, in UTF-8",
        ) from error


def _find_encoding(source: Source, first: bytes) -> str:
    """Return the name of the encoding that a file's first bytes declare."""
    for bom, name in _BOMS.items():
        if first.startswith(bom):
            return name
    declaration = first[: first.find(b"?>")] if first.lstrip().startswith(b"<?xml") else b""
    named = ENCODING.search(declaration)
    declared = named[1].decode("ascii", "replace") if named else "utf-8"
    try:
        # In this way, Python refuses the codecs that are not encodings of text.
        "a".encode(declared)
        name = codecs.lookup(declared).name
        if name in _NOT_OF_FILES:
            raise LookupError(name)  # noqa: TRY301
    except (LookupError, ValueError) as error:
        raise source.fail(
            f"the file is in an encoding that we don't know ({declared!r})",
            line=1,
            advice="export it again, in UTF-8",
        ) from error
    # A declaration in UTF-16 could not have been read byte by byte: the file was converted since.
    return "utf-8" if name.startswith(("utf-16", "utf-32")) else name


# The longest records of PubMed, with thousands of authors, take less than 10 MB.
MAX_RECORD = 16 << 20
# Between records there are a handful of tags; a file with this many is of another kind.
MAX_TAGS = 100_000
MAX_NAMESPACES = 10_000
ENCODING = re.compile(rb"""encoding\s*+=\s*+["']([^"']*+)["']""")
_TOKEN = re.compile(rb"<(?:!--|!ENTITY|(/?)([A-Za-z_?][^\s/<>]*+)([^<>]*+)>?)")
_HIDDEN = rb"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)"
_NAMESPACE = re.compile(rb"""\sxmlns:[\w.-]++\s*+=\s*+(?:"[^"]*+"|'[^']*+')""")


class Cutter:
    """Cuts records from blocks of bytes, with only the current record in memory."""

    def __init__(
        self, source: Source, tags: tuple[str, ...], *, besides: tuple[str, ...] = ()
    ) -> None:
        self._source = source
        self._needed = tags
        self._tags = {tag.encode(): tag for tag in (*tags, *besides)}
        self._buffer = b""
        self._position = 0
        self._line = 1
        self._namespaces = b""
        self._encoding = b""
        self._root = ""
        self._before = b""
        self._depth = 0
        self._found = False
        self._enough = 0
        self._tags_between = 0
        self._complaints: list[Complaint] = []

    def feed(self, block: bytes) -> Iterator[Fragment | Complaint]:
        """Take the next bytes and yield the records that are now complete."""
        self._buffer, self._position = self._buffer[self._position :] + block, 0
        if len(self._buffer) < self._enough:
            return
        while (begin := self._find_record(whole=False)) and (fragment := self._cut(begin)):
            if self._complaints:
                yield from self._complaints
                self._complaints.clear()
            yield fragment
        if len(self._buffer) - self._position > MAX_RECORD:
            raise self._source.fail(
                f"a record of more than {MAX_RECORD >> 20} MB",
                line=self._line,
                advice="the file is damaged, or not what its name says",
            )
        # What has no end yet is searched again when there is twice as much of it.
        self._enough = 2 * (len(self._buffer) - self._position)

    def close(self) -> Iterator[Fragment | Complaint]:
        """Yield the records that are left, and complain about what is missing at the end."""
        self._enough = 0
        yield from self.feed(b"")
        begin = self._find_record(whole=True)
        if begin or (self._depth > 0 and self._found):
            where = "in the middle of a record" if begin else f"before </{self._root}>"
            raise self._source.fail(
                f"the file is cut off: it ends {where}",
                line=self._line,
                advice="copy or download it again",
            )
        if not self._found:
            root = f" (its root is <{self._root}>)" if self._root else ""
            raise self._source.fail(
                f"no {self._wanted} in the file{root}", advice="export it again"
            )

    @property
    def _wanted(self) -> str:
        return " or ".join(f"<{tag}>" for tag in self._needed)

    def _find_record(self, *, whole: bool) -> re.Match[bytes] | None:
        """Move to the start tag of the next record, past everything between records."""
        while token := _TOKEN.search(self._buffer, self._position):
            self._advance(token.start())
            if token.end() == len(self._buffer) and not whole:
                return None
            if token[0] == b"<!--":
                end = self._buffer.find(b"-->", token.end())
                if end < 0:
                    return None
                self._advance(end)
            elif token[2] in self._tags and not token[1]:
                return token
            else:
                self._note(token)
                self._advance(token.end())
        self._advance(len(self._buffer) - len(b"<!ENTITY"))
        return None

    def _cut(self, begin: re.Match[bytes]) -> Fragment | None:
        """Cut the record that begins here, if its end is in the buffer too."""
        name, start = begin[2], begin.start()
        end = self._find_end(name, begin.end()) if not begin[3].endswith(b"/") else begin.end()
        if not end:
            *unclosed, start, end = self._find_bounds(name, begin)
            if not end:
                return None
            self._complaints += map(self._pass_over, unclosed)
            self._advance(start)
        line, xml = self._line, self._buffer[start:end]
        self._advance(end)
        self._found = self._found or self._tags[name] in self._needed
        self._tags_between = 0
        if self._namespaces:
            opening = len(name) + 1
            xml = xml[:opening] + self._namespaces + xml[opening:]
        return Fragment(self._tags[name], line, xml, self._before)

    def _find_end(self, name: bytes, inside: int) -> int:
        """Return where a record ends, or 0 if that takes a closer look.

        The next place with its name is its end tag, unless it was never closed.
        """
        buffer = self._buffer
        named = buffer.find(name, inside)
        end = named + len(name) + 1
        # Looking for one byte is much quicker than looking for two, so that comes first.
        if buffer[named - 2 : end] == b"</" + name + b">" and (
            buffer.find(b"!", inside, end) < 0 or buffer.find(b"<!", inside, end) < 0
        ):
            return end
        return 0

    def _find_bounds(self, name: bytes, begin: re.Match[bytes]) -> list[int]:
        """Return where unclosed records begin, then where the first closed one begins and ends.

        If that end is not in the buffer yet, return where the last record begins, and 0. Tags in
        comments and CDATA do not count.
        """
        tags = re.compile(_HIDDEN + rb"|<(/?)" + re.escape(name) + rb"(?:\s[^<>]*+)?>", re.DOTALL)
        opened = [begin.start()]
        for tag in tags.finditer(self._buffer, begin.end()):
            if tag[1]:
                return [*opened, tag.end()]
            if tag[1] is not None:
                opened.append(tag.start())
        return [opened[-1], 0]

    def _pass_over(self, unclosed: int) -> Complaint:
        self._advance(unclosed)
        return Complaint("this record is never closed", self._line)

    def _advance(self, to: int) -> None:
        if to > self._position:
            self._line += self._buffer.count(b"\n", self._position, to)
            self._position = to

    def _note(self, token: re.Match[bytes]) -> None:
        """Take note of a tag or a declaration outside the records."""
        if token[0] == b"<!ENTITY":
            raise self._source.fail(
                "the file declares entities of its own (<!ENTITY)",
                line=self._line,
                advice="it is refused: such a file can be made to fill the memory",
            )
        name, rest = token[2], token[3]
        self._tags_between += 1
        # After a record, an article's whole body may follow.
        if self._tags_between > MAX_TAGS and not self._found:
            raise self._source.fail(
                f"{MAX_TAGS:,} tags and no {self._wanted} among them",
                line=self._line,
                advice="export it again",
            )
        if name == b"?xml":
            self._check_encoding(rest)
        elif not name.startswith(b"?"):
            self._root = self._root or name.decode(errors="replace")
            self._before = token[0]
            self._depth += -1 if token[1] else 0 if rest.endswith(b"/") else 1
            if not self._found and len(self._namespaces) < MAX_NAMESPACES:
                self._namespaces += b"".join(_NAMESPACE.findall(rest))

    def _check_encoding(self, declaration: bytes) -> None:
        """Refuse a second document in another encoding: all are decoded like the first."""
        named = ENCODING.search(declaration)
        first, self._encoding = self._encoding, named[1].lower() if named else b"utf-8"
        if self._encoding in (b"utf8", b"us-ascii", b"ascii"):
            self._encoding = b"utf-8"
        if first not in (b"", self._encoding):
            raise self._source.fail(
                f"documents in two encodings follow each other in the file "
                f"({first.decode(errors='replace')} and "
                f"{self._encoding.decode(errors='replace')})",
                line=self._line,
                advice="put them in separate files",
            )


_INLINE = re.compile(r"<(i|b|u|sub|sup)>([^<>]*+)</\1>")
# The ampersand comes last, so that it can't become part of another entity.
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&"}
_NO_CONTROLS = bytes(32) + bytes(range(32, 127)) + bytes(129)


class UnusualError(ValueError):
    """A record that is not laid out as its database usually lays records out."""


def find_end(xml: bytes, sought: bytes, begin: int) -> int:
    """Return where the next occurrence of `sought` ends; raise UnusualError if there is none."""
    found = xml.find(sought, begin)
    if found < 0:
        raise UnusualError
    return found + len(sought)


def read_plain_text(raw: bytes) -> str:
    """Return the text of an element as `text_of` does, given what is between its tags."""
    text = raw.decode()
    if "<" in text or "&" in text or ">" in text:
        text = _strip_markup(text)
        if not text:
            return text_of(parse(b"<t>%b</t>" % raw))
    # Printable text has no white space but spaces, and nothing that XML can't hold.
    # For ASCII this can be checked in a quarter of the time.
    if raw.translate(_NO_CONTROLS) != raw if text.isascii() else not text.isprintable():
        text = _level_spaces(text)
    return " ".join(text.split()) if "  " in text else text.strip(" ")


def read_plain_texts(raws: list[bytes]) -> list[str] | None:
    """Return the texts of several elements, or None if one is not plain; quicker than singly."""
    texts = b"\n".join(raws).decode().split("\n")
    together = "".join(texts)
    plain = together.isprintable() and "  " not in together and len(texts) == len(raws)
    if not plain or "&" in together or "<" in together or ">" in together:
        return None
    return [text.strip(" ") for text in texts]


def _strip_markup(text: str) -> str:
    """Replace the usual entities and inline tags; return "" if there are others."""
    if text.count("&") != sum(map(text.count, _ENTITIES)):
        return ""
    if "<" in text:
        pieces = _INLINE.split(text)
        del pieces[1::3]
        text = "".join(pieces)
    if "<" in text or ">" in text:
        return ""
    for entity, character in _ENTITIES.items():
        text = text.replace(entity, character)
    return text


def _level_spaces(text: str) -> str:
    """Turn all white space into spaces; raise UnusualError for what XML can't hold."""
    # These three are nearly all that is not printable, and replacing them is the quickest way.
    plain = text.replace("\xa0", " ").replace("\u202f", " ").replace("\u2009", " ")
    if plain.isprintable():
        return plain
    if ILLEGAL.search(text):
        raise UnusualError
    return " ".join(text.split())
