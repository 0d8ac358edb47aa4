"""The parts of an Excel workbook, looked at before anything is unpacked into memory.

A workbook is a zip file of XML, and either can be made to fill the memory: by parts that unpack to
a thousand times their size, by a directory of a million names, by entities made of entities. No
program that writes tables needs any of these, so a workbook that has them is refused. What a part
says of its own size can be relied on: no more than that is ever unpacked of it.
"""

from __future__ import annotations

import zipfile
from typing import IO, TYPE_CHECKING
from xml.parsers import expat

if TYPE_CHECKING:
    from likewise.documents.sources import Source
    from likewise.errors import ReadError

# Sheets of text shrink to a tenth or so; a part that is both this large and this much shrunk is
# made to fill the memory.
MAX_PART = 100 << 20
MAX_RATIO = 100
# What a row takes while it is read is many times this.
MAX_ROW = 4 << 20
# Of a file whose size is limited: reading so many takes a quarter of a minute.
MAX_TAGS = 5_000_000
# The names of some thousands of parts; most workbooks have a dozen.
MAX_DIRECTORY = 1 << 20

_OLE = b"\xd0\xcf\x11\xe0"
_END = b"PK\x05\x06"
_END_SIZE, _LONGEST_END = 22, 22 + (1 << 16)
_LARGE_END = b"PK\x06\x07"
_LARGE_END_SIZE = 20
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BLOCK = 1 << 16


def check_parts(stream: IO[bytes], *, source: Source) -> None:
    """Raise ReadError unless a stream is a workbook that can be unpacked safely."""
    if stream.read(4) == _OLE:
        raise source.fail(
            "an old Excel file (.xls), or one that is protected by a password",
            advice="save it as .xlsx without a password",
        )
    _check_directory(stream, source=source)
    try:
        with zipfile.ZipFile(stream) as archive:
            parts = archive.infolist()
            _check_sizes(parts, source=source)
            for part in parts:
                is_xml = _check_prolog(archive, part, source=source)
                if is_xml and part.file_size > MAX_ROW:
                    _check_rows(archive, part, source=source)
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, RuntimeError) as error:
        raise damaged(source) from error


def damaged(source: Source) -> ReadError:
    """Return the error to raise when a workbook can't be read."""
    return source.fail("the workbook is damaged", advice="copy it again, or save it as .csv")


def _check_directory(stream: IO[bytes], *, source: Source) -> None:
    """Refuse a directory that would take much memory, before it is read."""
    size = stream.seek(0, 2)
    stream.seek(max(0, size - _LONGEST_END - _LARGE_END_SIZE))
    tail = stream.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + _END_SIZE:
        raise damaged(source)
    length = int.from_bytes(tail[at + 12 : at + 16], "little")
    is_large = tail[max(0, at - _LARGE_END_SIZE) : at].startswith(_LARGE_END)
    if length > MAX_DIRECTORY or is_large:
        raise source.fail(
            "a zip file of more parts than a workbook has", advice="save it as .xlsx again"
        )


def _check_sizes(parts: list[zipfile.ZipInfo], *, source: Source) -> None:
    if "xl/workbook.xml" not in {part.filename for part in parts}:
        raise source.fail(
            "a zip file that is no Excel workbook", advice="save it as .xlsx, or unpack it"
        )
    if any(part.compress_type not in _PACKINGS for part in parts):
        raise source.fail("a workbook packed in an unusual way", advice="save it as .xlsx again")
    if source.most_bytes is not None and sum(p.file_size for p in parts) > source.most_bytes:
        raise source.too_large()
    for part in parts:
        if part.file_size > MAX_PART and part.file_size > MAX_RATIO * part.compress_size:
            raise source.fail(
                f"{part.filename} in it unpacks to {part.file_size >> 20} MB, more than "
                f"{MAX_RATIO} times its size: this is not a table",
                advice="save it as .csv if it is one",
            )


def _check_prolog(archive: zipfile.ZipFile, part: zipfile.ZipInfo, *, source: Source) -> bool:
    """Refuse a part with a document type, where alone entities are declared; tell if it is XML."""
    prolog = _Prolog()
    with archive.open(part) as stream:
        while not prolog.is_over and (block := stream.read(_BLOCK)):
            prolog.take(block)
    if prolog.has_document_type:
        raise source.fail(
            f"{part.filename} in it declares a document type (<!DOCTYPE)",
            advice="it is refused: such a file can be made to fill the memory",
        )
    return prolog.has_element


def _check_rows(archive: zipfile.ZipFile, part: zipfile.ZipInfo, *, source: Source) -> None:
    """Refuse a part with a row, or a text that cells share, that would take much memory."""
    length = tags = 0
    with archive.open(part) as stream:
        while block := stream.read(MAX_ROW >> 2):
            end = max(block.rfind(b"row>"), block.rfind(b"si>"))
            length = len(block) - end if end >= 0 else length + len(block)
            tags += block.count(b"<")
            if length > MAX_ROW:
                raise source.fail(
                    f"{part.filename} in it has a row of more than {MAX_ROW >> 20} MB",
                    advice="save it as .csv if it is a table",
                )
            if source.most_bytes is not None and tags > MAX_TAGS:
                raise source.fail(
                    f"{part.filename} in it has more than {MAX_TAGS:,} cells and other elements",
                    advice="save it as .csv, or split it",
                )


class _Prolog:
    """What stands before the first element of a part, seen by the parser that reads sheets."""

    def __init__(self) -> None:
        self.has_document_type = False
        self.has_element = False
        self.is_over = False
        self._parser = expat.ParserCreate()
        self._parser.StartDoctypeDeclHandler = self._note_document_type
        self._parser.StartElementHandler = self._end

    def take(self, block: bytes) -> None:
        """Take the next bytes; what is no XML has no prolog."""
        try:
            self._parser.Parse(block)
        except (expat.ExpatError, ValueError, LookupError):
            self.is_over = True

    def _note_document_type(self, *_: object) -> None:
        self.has_document_type = self.is_over = True

    def _end(self, *_: object) -> None:
        self.has_element = self.is_over = True
