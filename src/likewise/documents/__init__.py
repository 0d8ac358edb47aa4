"""Documents: what they are, which are the same, and the files that hold them."""

from likewise.documents.document import Deletion, Document, MeshHeading
from likewise.documents.files import read, read_documents, read_records, write
from likewise.documents.identity import identity_keys, is_same_paper, merge
from likewise.documents.sources import Complaint, Record

__all__ = [
    "Complaint",
    "Deletion",
    "Document",
    "MeshHeading",
    "Record",
    "identity_keys",
    "is_same_paper",
    "merge",
    "read",
    "read_documents",
    "read_records",
    "write",
]
