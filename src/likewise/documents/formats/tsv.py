"""Tables as text with tabs between the values, as Web of Science exports them."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from likewise.documents.formats.csv import read, write_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.documents.annotations import Annotated

__all__ = ["read", "write"]


def write(annotated: Iterable[Annotated], stream: IO[bytes]) -> None:
    """Write a tab-separated table of which nothing is lost."""
    write_table(annotated, stream, delimiter="\t")
