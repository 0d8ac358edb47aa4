"""What the tagged formats write is recognised by its content, whatever the file is called."""

import pytest

from likewise.documents import Document, read, write

DOCUMENT = Document(id="10.5555/a", title="On cats", doi="10.5555/a")


@pytest.mark.parametrize("name", ["ris", "nbib", "bibtex", "ids", "enw"])
def test_written_files_are_recognised(tmp_path, name):
    path = tmp_path / "file.unknown"
    write([DOCUMENT], path, format=name)
    (document,) = read(path)
    assert (document.id, document.source) == ("10.5555/a", f"{name}:file.unknown")
