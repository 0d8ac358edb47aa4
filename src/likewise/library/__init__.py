"""Libraries: indexed collections of documents, and how to look for more like these."""

from likewise.library.engines import open_library
from likewise.library.protocol import FIELDS, Field, Hits, Library, LibraryInfo, Query, Term
from likewise.library.where import Where

__all__ = [
    "FIELDS",
    "Field",
    "Hits",
    "Library",
    "LibraryInfo",
    "Query",
    "Term",
    "Where",
    "open_library",
]
