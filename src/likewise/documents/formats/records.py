"""Records as every reader meets them: those that say nothing, and those that never end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from likewise.documents.sources import MAX_LINE

if TYPE_CHECKING:
    from likewise.documents.sources import Source

LEFT_OUT = "it was left out"
SAYS_NOTHING = "the record has no title, no abstract and no identifier"
NOTES = ("notes",)
"""What formats that know notes say beside a document."""

# What Python needs to hold a line beside its characters: many short ones fill the memory too.
_LINE_COST = 64


class Size:
    """How long a record has grown, line by line; one that never ends would fill the memory."""

    def __init__(self, line: int) -> None:
        self._line = line
        self._size = 0

    def grow(self, text: str, *, source: Source) -> None:
        """Count a line in; raise if the record is longer than any can be."""
        self._size += len(text) + _LINE_COST
        if self._size > MAX_LINE:
            raise source.fail(
                f"a record of more than {MAX_LINE >> 20} MB",
                line=self._line,
                advice="see where it should end, or export it again",
            )
