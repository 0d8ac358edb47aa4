"""Records that never end."""

import pytest

from likewise.documents import sources
from likewise.documents.sources import RecordSize, Source
from likewise.errors import ReadError


def test_the_error_names_the_line_where_the_record_begins(monkeypatch):
    monkeypatch.setattr(sources, "MAX_LINE", 2 << 20)
    with pytest.raises(ReadError, match=r"\Arefs.ris:7: a record of more than 2 MB; see where"):
        RecordSize(7).grow("x" * (2 << 20), source=Source("refs.ris"))


def test_many_short_lines_are_too_long_as_well(monkeypatch):
    monkeypatch.setattr(sources, "MAX_LINE", 1000)
    size, source = RecordSize(1), Source("refs.ris")
    for _ in range(15):  # each costs 64
        size.grow("", source=source)
    with pytest.raises(ReadError):
        size.grow("", source=source)
