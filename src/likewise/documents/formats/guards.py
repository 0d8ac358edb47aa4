"""Texts that a spreadsheet would take for formulas, and the apostrophe that keeps it from that.

A title such as "=HYPERLINK(...)" would be run by whoever opens a table that holds it. In tables as
text an apostrophe goes before it, which is what people type for the same end. So that what is
written is read back, a text that has apostrophes there already gets one more, and reading takes
one away: also in tables of others, who guard their cells in the same way.
"""

from __future__ import annotations

import re

# Spreadsheets skip white space, and in East Asia take the wide forms of these marks for the marks.
_FORMULA = r"(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])"
_IN_DANGER = re.compile(rf"'*{_FORMULA}")
_GUARDED = re.compile(rf"'+{_FORMULA}")


def is_like_a_formula(text: str) -> bool:
    """Tell whether a spreadsheet could take a text for a formula, or for one that was guarded.

    >>> [is_like_a_formula(text) for text in ("=1+1", "'=1+1", "1-1", "'tis")]
    [True, True, False, False]
    """
    return _IN_DANGER.match(text) is not None


def guarded(text: str) -> str:
    """Return a text as it is written to a table: with an apostrophe before it if it needs one.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("On cats")
    ("'=1+1", "''=1+1", 'On cats')
    """
    return f"'{text}" if is_like_a_formula(text) else text


def unguarded(cell: str) -> str:
    """Return the text that a cell was written for.

    >>> unguarded("'=1+1"), unguarded("''=1+1"), unguarded("'tis"), unguarded("=1+1")
    ('=1+1', "'=1+1", "'tis", '=1+1')
    """
    return cell[1:] if _GUARDED.match(cell) else cell
