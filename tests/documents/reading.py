"""What tests of readers share: read a format from bytes or from a file of tests/data."""

import io
import tempfile
from pathlib import Path

from likewise.documents.document import AnnotatedDocument
from likewise.documents.sources import Source

DATA = Path(__file__).parent.parent / "data"


def read_data(module, name):
    """The documents of a file in tests/data; the first problem raises."""
    return list(module.read(Source(DATA / name)))


def read_bytes(module, content, *, on_problem=None):
    """The documents in these bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        path.write_bytes(content)
        return list(module.read(Source(path, on_problem=on_problem)))


def read_text(module, text, **options):
    return read_bytes(module, text.encode(), **options)


def problems_in(module, text):
    """What the reader complains about."""
    problems = []
    read_text(module, text, on_problem=problems.append)
    return problems


def lines_of(module, text):
    """The line on which each record begins, as the source knows it when it is yielded."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        path.write_text(text)
        source = Source(path)
        return [source.line for _ in module.read(source)]


def written(module, documents, *, notes=None):
    """The bytes that the format's writer makes of these documents, with these notes on each."""
    stream = io.BytesIO()
    module.write((AnnotatedDocument(document, notes or {}) for document in documents), stream)
    return stream.getvalue()
