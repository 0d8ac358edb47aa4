"""Documents: what they are, which are the same, and the files that hold them."""

from likewise.documents.document import Deletion, Document, MeshHeading, Record
from likewise.documents.files import read, read_records, write
from likewise.documents.identity import identity_keys, is_same_paper, merge

__all__ = [
    "Deletion",
    "Document",
    "MeshHeading",
    "Record",
    "identity_keys",
    "is_same_paper",
    "merge",
    "read",
    "read_records",
    "write",
]
