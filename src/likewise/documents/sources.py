"""A file being read: its bytes and lines, however it was packed, and what is wrong with it.

Everything that can go wrong below the level of a format goes wrong here, once for all readers:
compression, encodings, cut-off files, binary junk, lines without end.
"""

from __future__ import annotations

import codecs
import gzip
import os
import re
import stat
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeVar

import msgspec

from likewise.documents.document import Deletion, Document
from likewise.errors import LikewiseError, Problem, ReadError

BLOCK = 1 << 20
PACKED_BLOCK = 1 << 17
HEAD = 8192
_BEGINNINGS = {
    b"%pdf": "a PDF",
    b"<!doctype html": "a web page",
    b"<html": "a web page",
    b"\x89png": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"gif8": "a picture",
}
"""The kinds of files that people give by mistake, by how they begin, in lower case."""
_PACKED = (
    (b"word/", ".docx", "a Word document"),
    (b"ppt/", ".pptx", "a presentation"),
    (b"opendocument.text", ".odt", "a text document"),
)
"""The same for zip files, by a name in them or by their suffix."""
AS_REFERENCES = "export the references from where they are kept, as RIS, NBIB, BibTeX or CSV"
# What is unpacked is held in memory up to this size, and beyond it on disk.
SPOOLED = 16 << 20
# No abstract is this long: a longer line has lost its line ends, or was never text.
MAX_LINE = 16 << 20
# For files whose size is limited: reading this many lines takes some seconds.
MAX_LINES = 2_000_000

_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


LEFT_OUT = "it was left out"
NOTES = ("notes",)
"""The only name among a record's values, in formats that have notes."""
# Bytes that a line takes in Python besides its characters: many short ones fill memory too.
_LINE_COST = 64


class Record(msgspec.Struct, frozen=True):
    """A document as it was read: where it begins, and what its file says under its own names.

    `names` and `values` go together: the columns of a table, the keys of an object, or the
    notes on a record. They hold what no document does, such as a person's marks.
    """

    # A struct, since one is made for every record of every file.
    document: Document
    line: int | None = None
    names: Sequence[str] = ()
    values: Sequence[Any] = ()


class Complaint(NamedTuple):
    """What is wrong with a record, and what became of it; the other records are still read."""

    found: str
    line: int | None = None
    advice: str = LEFT_OUT


ReadItem = Record | Deletion | Complaint
"""What a reader yields."""

CAUGHT = "can't be read for a reason that we did not foresee"
"""How messages describe errors of other packages that a reader should have foreseen."""
Made = TypeVar("Made")


class BadRecordError(ValueError):
    """A record that can't be read as a document; the message says what was found."""

    def __init__(self, found: str, *, advice: str = LEFT_OUT) -> None:
        super().__init__(found)
        self.advice = advice


def try_record(line: int | None, make: Callable[..., Made], *parts: Any) -> Made | Complaint:
    """Return what a function makes of a record, or a complaint about whatever it raises.

    No reader knows all that the libraries beneath it raise, and one record must not stop the rest.
    """
    try:
        return make(*parts)
    except LikewiseError:
        raise
    except BadRecordError as error:
        return Complaint(str(error), line, error.advice)
    except Exception as error:  # noqa: BLE001  # as above
        return Complaint(f"this record {CAUGHT} ({_explain_foreign(error)})", line)


def make_record(document: Document, line: int, *notes: object) -> Record:
    """Return a document with its notes, if any; raise BadRecordError if it says nothing."""
    if not document.is_identifiable:
        raise BadRecordError("the record has no title, no abstract and no identifier")
    return Record(document, line, NOTES[: len(notes)], notes)


class Line(NamedTuple):
    """A line of text without its end, and its number from 1."""

    number: int
    text: str


class Source:
    """A file that is being read; to stop reading all of it, `raise source.fail(...)`."""

    def __init__(
        self,
        path: str | Path,
        *,
        on_bytes: Callable[[int], None] | None = None,
        most_bytes: int | None = None,
    ) -> None:
        """Prepare to read a file; nothing is opened yet.

        Args:
            path: The file.
            on_bytes: Called with the number of bytes taken from the file so far.
            most_bytes: How many bytes it may hold, unpacked; a larger file is refused.
        """
        self.path = Path(path)
        self.most_bytes = most_bytes
        self._on_bytes = on_bytes

    @property
    def name(self) -> str:
        """The file's name, without its folder."""
        return readable_name(Path(self.path.name))

    def problem(self, complaint: Complaint) -> Problem:
        """Return a complaint as a problem of one line that names this file."""
        found, line, advice = complaint
        path = _CONTROLS.sub(" ", readable_name(self.path))
        return Problem(path, _shorten(found), line, _shorten(advice))

    def fail(self, found: str, *, line: int | None = None, advice: str = "") -> ReadError:
        """Return the error to raise when the rest of the file can't be read."""
        return ReadError(self.problem(Complaint(found, line, advice)))

    def watch(self, items: Iterator[ReadItem]) -> Iterator[ReadItem]:
        """Yield what a reader yields; turn errors that are not ours into ReadError."""
        item: ReadItem | None = None
        try:
            for item in items:  # the last one is needed below
                yield item
        except LikewiseError:
            raise
        except Exception as error:
            line = None if isinstance(item, Deletion) or item is None else item.line
            where = f" after the record at line {line}" if line else ""
            raise self.fail(
                f"the file {CAUGHT}{where} ({_explain_foreign(error)})",
                advice="the file is damaged, or not what its name says",
            ) from error

    def head(self) -> bytes:
        """Return the first bytes, unpacked: enough to tell the format."""
        with self._open_raw() as raw, self._translate_packing_errors():
            if not _is_gzip(raw):
                return raw.read(HEAD)
            with gzip.open(raw) as stream:
                return stream.read(HEAD)

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        """Open the unpacked bytes as a stream in which a reader can seek."""
        with self._open_raw() as raw:
            if not _is_gzip(raw):
                self._check_size(os.fstat(raw.fileno()).st_size)
                yield raw
                return
        with tempfile.SpooledTemporaryFile(max_size=SPOOLED) as unpacked:
            for block in self.blocks():
                unpacked.write(block)
            unpacked.seek(0)
            yield unpacked

    def blocks(self) -> Iterator[bytes]:
        """Yield the unpacked bytes, a block at a time, up to the first damaged one."""
        with self._open_raw() as raw, self._translate_packing_errors():
            unpacked = _unpack_gzip(raw) if _is_gzip(raw) else iter(lambda: raw.read(BLOCK), b"")
            size = 0
            for block in unpacked:
                size += len(block)
                self._check_size(size)
                if self._on_bytes:
                    self._on_bytes(raw.tell())
                yield block

    def _check_size(self, size: int) -> None:
        if self.most_bytes is not None and size > self.most_bytes:
            raise self.too_large()

    def too_large(self) -> ReadError:
        """Return the error to raise when a file holds more than may be read."""
        most = self.most_bytes or 0
        shown = f"{most >> 20} MB" if most >> 20 else f"{most:,} bytes"
        return self.fail(
            f"it holds more than {shown} when unpacked",
            advice="split it, or leave out what is not needed",
        )

    def _open_raw(self) -> IO[bytes]:
        try:
            # Anything but a file (a pipe, a device) can't be read twice, and may never end.
            if not stat.S_ISREG(self.path.stat().st_mode) and not self.path.is_dir():
                raise self.fail("this is not a regular file", advice="save it to a file first")
            return self.path.open("rb")
        except OSError as error:
            advice = "check the path" if isinstance(error, FileNotFoundError) else ""
            raise self.fail(_explain_os_error(error), advice=advice) from error

    def lines(self) -> Iterator[Line]:
        """Yield decoded lines, whichever of LF, CRLF and CR ends them.

        A line that is not UTF-8 is read as Windows-1252, which includes Latin-1's letters.
        """
        most = None if self.most_bytes is None else MAX_LINES
        number = 1
        for block in self._line_blocks():
            texts = _decode_lines(block.partition(b"\x00")[0])
            after = number + len(texts)
            is_binary = b"\x00" in block
            if most is not None and after - 1 > most:
                yield from _number_lines(texts[: most + 1 - number], number)
                raise self.fail(f"more than {MAX_LINES:,} lines", advice="split it")
            if is_binary:
                yield from _number_lines(texts[:-1], number)
                raise self.fail(
                    "binary data where text was expected",
                    line=after - 1,
                    advice="give a text file",
                )
            yield from _number_lines(texts, number)
            number = after

    def _line_blocks(self) -> Iterator[bytes]:
        """Yield many lines at once, without the last one's line end."""
        rest, number = b"", 1
        for block in self._utf8_blocks():
            # A CR at the very end may be the first half of a CRLF: it waits for the next block.
            held = block.endswith(b"\r")
            joined = _unify_ends(rest + (block[:-1] if held else block))
            whole, end, rest = joined.rpartition(b"\n")
            rest += b"\r" if held else b""
            if end:
                yield whole
                number += whole.count(b"\n") + 1
            if len(rest) > MAX_LINE:
                raise self.fail(
                    f"a line of more than {MAX_LINE >> 20} MB",
                    line=number,
                    advice="the file has lost its line ends, or is not text",
                )
        if rest:
            yield _unify_ends(rest).removesuffix(b"\n")

    def _utf8_blocks(self) -> Iterator[bytes]:
        decoder: codecs.IncrementalDecoder | None = None
        for number, block in enumerate(self.blocks()):
            if number == 0:
                encoding = _UTF16.get(block[:2])
                decoder = codecs.getincrementaldecoder(encoding)("replace") if encoding else None
                block = block[2:] if encoding else block.removeprefix(codecs.BOM_UTF8)
            yield decoder.decode(block).encode() if decoder else block

    @contextmanager
    def _translate_packing_errors(self) -> Iterator[None]:
        try:
            yield
        except EOFError as error:
            raise self.fail(
                "the gzip data is cut off", advice="copy or download the file again"
            ) from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise self.fail(
                f"the gzip data is damaged ({error})", advice="copy or download the file again"
            ) from error
        except OSError as error:
            raise self.fail(_explain_os_error(error)) from error


# The longest part of a message; what other packages say about an error can fill a page.
_LONGEST = 500
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]++")


def _shorten(text: str) -> str:
    """Return a text as one line of limited length."""
    line = _CONTROLS.sub(" ", text)
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _explain_foreign(error: Exception) -> str:
    said = str(error) if not isinstance(error, RecursionError) else "nested too deeply"
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _unify_ends(block: bytes) -> bytes:
    return block.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in block else block


def _number_lines(texts: Iterable[str], first: int) -> Iterator[Line]:
    # A file has so many lines that calling the class for each would take a tenth of the time.
    return map(partial(tuple.__new__, Line), enumerate(texts, first))


def _decode_lines(block: bytes) -> list[str]:
    try:
        return block.decode().split("\n")
    except UnicodeDecodeError:
        return [_decode(line) for line in block.split(b"\n")]


def _decode(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        try:
            return raw.decode("cp1252")
        except UnicodeDecodeError:
            return raw.decode("latin-1")


def _is_gzip(raw: IO[bytes]) -> bool:
    magic = raw.read(2)
    raw.seek(0)
    return magic == b"\x1f\x8b"


def _unpack_gzip(raw: IO[bytes]) -> Iterator[bytes]:
    """Yield the bytes of one or more gzip members; unlike GzipFile, also those before damage."""
    packed = raw.read(PACKED_BLOCK)
    while packed:
        unpacker = zlib.decompressobj(wbits=31)
        while packed and not unpacker.eof:
            # A few bytes may unpack to a thousand times as many, so unpack a block at a time.
            if block := unpacker.decompress(packed, BLOCK):
                yield block
            packed = unpacker.unconsumed_tail or unpacker.unused_data or raw.read(PACKED_BLOCK)
        if not unpacker.eof:
            raise EOFError
        # Some writers fill the last block of their medium with zeros.
        packed = packed.lstrip(b"\0")


def report_problem(problem: Problem, on_problem: Callable[[Problem], None] | None) -> None:
    """Report a problem to whoever listens; raise it if nobody does."""
    if on_problem is None:
        raise ReadError(problem)
    on_problem(problem)


def name_other_kind(source: Source) -> str:
    """Return the kind of a file without references, such as "a PDF"; "" if it is not known."""
    head, suffix = source.head(), source.path.suffix.lower()
    if head.startswith(b"PK"):
        kinds = [kind for sign, ending, kind in _PACKED if sign in head or suffix == ending]
    else:
        said = head.lstrip()[:20].lower()
        kinds = [kind for beginning, kind in _BEGINNINGS.items() if said.startswith(beginning)]
    return kinds[0] if kinds else ""


def readable_name(path: Path) -> str:
    """Return a path as text that can be written anywhere, even if its name is not text."""
    return os.fsencode(path).decode("utf-8", "replace")


def _explain_os_error(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, IsADirectoryError):
        return "this is a folder, not a file"
    return (error.strerror or str(error)).lower()


class RecordSize:
    """How long a record has grown, line by line; one that never ends would fill the memory."""

    def __init__(self, line: int, source: Source) -> None:
        self.line = line
        self._source = source
        self._size = 0

    def grow(self, text: str) -> None:
        """Add a line; raise if the record is longer than any can be."""
        self._size += len(text) + _LINE_COST
        if self._size > MAX_LINE:
            raise self._source.fail(
                f"a record of more than {MAX_LINE >> 20} MB",
                line=self.line,
                advice="check where it should end, or export it again",
            )
