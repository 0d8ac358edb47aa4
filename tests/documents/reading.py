"""What tests of readers share: read a format from bytes or from a file of tests/data."""

import io
import tempfile
from pathlib import Path

from likewise.documents.document import AnnotatedDocument
from likewise.documents.sources import Complaint, Record, Source, report_problem

DATA = Path(__file__).parent.parent / "data"


def read_path(module, path, *, on_problem=None):
    """The documents and deletions of a file; the first problem raises if nobody listens."""
    source, found = Source(path), []
    for item in module.read(source):
        if isinstance(item, Complaint):
            report_problem(source.problem(item), on_problem)
        else:
            found.append(item.document if isinstance(item, Record) else item)
    return found


def read_data(module, name):
    """The documents of a file in tests/data; the first problem raises."""
    return read_path(module, DATA / name)


def read_bytes(module, content, *, on_problem=None):
    """The documents in these bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        path.write_bytes(content)
        return read_path(module, path, on_problem=on_problem)


def read_text(module, text, **options):
    return read_bytes(module, text.encode(), **options)


def problems_in(module, text):
    """What the reader complains about."""
    problems = []
    read_text(module, text, on_problem=problems.append)
    return problems


def lines_of(module, text):
    """The line on which each record begins."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        path.write_text(text)
        return [record.line for record in module.read(Source(path))]


def written(module, documents, *, notes=None):
    """The bytes that the format's writer makes of these documents, with these notes on each."""
    stream = io.BytesIO()
    module.write((AnnotatedDocument(document, notes or {}) for document in documents), stream)
    return stream.getvalue()
