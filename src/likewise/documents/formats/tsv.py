"""Tables as text with tabs between the values, as Web of Science exports them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO

from likewise.documents.document import AnnotatedDocument
from likewise.documents.formats.csv import read, write_table

__all__ = ["read", "write"]


def write(annotated: Iterable[AnnotatedDocument], stream: IO[bytes]) -> None:
    """Write a tab-separated table that loses nothing."""
    write_table(annotated, stream, delimiter="\t")
