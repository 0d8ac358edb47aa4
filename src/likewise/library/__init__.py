"""Libraries: indexed collections of documents, and how to look for more like these."""

from likewise.library.addresses import open_library
from likewise.library.protocol import Library, LibraryInfo
from likewise.library.query import FIELDS, Field, Hits, Query, Term

__all__ = [
    "FIELDS",
    "Field",
    "Hits",
    "Library",
    "LibraryInfo",
    "Query",
    "Term",
    "open_library",
]
