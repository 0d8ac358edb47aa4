"""How often documents are cited, from a file beside the library."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from likewise.documents.sources import Source

if TYPE_CHECKING:
    from pathlib import Path

_BETWEEN = re.compile(r"[\t,;]|\s+")


def read_citations(path: Path) -> dict[str, int]:
    """Return how often each document is cited: a line has an id, and after it the count."""
    source = Source(path)
    counts: dict[str, int] = {}
    for line in source.lines():
        cells = [cell.strip(' "') for cell in _BETWEEN.split(line.text.strip()) if cell]
        if not cells:
            continue
        if len(cells) == 2 and cells[1].isdecimal():
            counts[cells[0]] = int(cells[1])
        # The first line may name the columns.
        elif line.number > 1:
            raise source.fail(
                f"{line.text[:60]!r} is no id with a count",
                line=line.number,
                advice="write the id, a tab or comma, and how often it is cited",
            )
    if not counts:
        raise source.fail("no count in it", advice="write an id and a count a line")
    return counts
