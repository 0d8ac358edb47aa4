"""A file that is one JSON array: the text of each value in it, without holding them all."""

from __future__ import annotations

import codecs
import json
import re
from itertools import chain
from typing import TYPE_CHECKING

from likewise.documents.sources import MAX_LINE, Line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from likewise.documents.sources import Source

_OPENING = re.compile(r"\s*(\[\s*)?")
_BETWEEN = re.compile(r"[\s,]*")
# A value that is cut off by the end of a block is faulty right there, give or take an escape.
_MARGIN = 16


def is_array(source: Source) -> bool:
    """Tell whether a file is a JSON array."""
    return source.head().removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"[")


def array_values(source: Source) -> Iterator[Line]:
    """Yield the text of each value of an array, with the line where it begins."""
    text, at, line, enough = "", 0, 1, 0
    expected = _OPENING
    for block in chain(_texts(source), [""]):
        text, at = text[at:] + block, 0
        # A value that was cut off is read again when there is twice as much of it, or no more.
        enough = enough if block else 0
        while len(text) - at >= enough:
            begins = _end_of(expected, text, at=at)
            if "[" in text[at:begins]:
                expected = _BETWEEN
            line += text.count("\n", at, begins)
            at = begins
            if text.startswith("]", at):
                return
            end = _end_of_value(text, at=at, line=line, source=source)
            if end is None:
                enough = 2 * (len(text) - at)
                break
            yield Line(line, text[at:end])
            line += text.count("\n", at, end)
            at, enough = end, 0
    raise source.fail(
        "the JSON array is cut off", line=line, advice="copy or download the file again"
    )


def _texts(source: Source) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    for block in source.blocks():
        yield decoder.decode(block)


def _end_of(pattern: re.Pattern[str], text: str, *, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _end_of_value(text: str, *, at: int, line: int, source: Source) -> int | None:
    """Return where the value that begins here ends, or None if more text is needed to tell."""
    if at == len(text):
        return None
    try:
        return json.JSONDecoder().raw_decode(text, at)[1]
    except json.JSONDecodeError as error:
        waits = error.msg.startswith("Unterminated") or error.pos >= len(text) - _MARGIN
        if waits and len(text) - at < MAX_LINE:
            return None
        where = line + text.count("\n", at, error.pos)
        raise source.fail(
            f"broken JSON ({error.msg})", line=where, advice="mend it there, or export it again"
        ) from error
    except RecursionError as error:
        raise source.fail(
            "JSON nested too deeply", line=line, advice="write each object on a line of its own"
        ) from error
