from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from documents.reading import read_path, written
from documents.strategies import documents
from documents.whole_records import CITATION, EXTRA
from likewise.documents import Document, read
from likewise.documents.formats import format_named

tsv = format_named("tsv")

DATA = Path(__file__).parents[2] / "data"


@given(st.lists(documents(**CITATION, extra=EXTRA), min_size=1, max_size=4))
def test_what_is_written_is_read_back(tmp_path_factory, some):
    path = tmp_path_factory.mktemp("tsv") / "t.tsv"
    path.write_bytes(written(tsv, some))
    assert read_path(tsv, path) == some


def test_web_of_science():
    [document] = read(DATA / "webofscience_tags.txt")
    assert document == Document(
        id="23456789",
        title="Sleep and shift work in nurses",
        abstract="Nurses on night shifts sleep less.",
        year=2014,
        authors=("Okafor, Ngozi", "Lind, Per"),
        journal="JOURNAL OF SLEEP STUDIES",
        doi="10.1000/jss.2014.7",
        pmid="23456789",
        other_ids=("wos:000312345600001",),
        keywords=("nurses", "SLEEP", "WORK"),
        publication_types=("Article",),
        language="English",
        kind="JOUR",
        accession="WOS:000312345600001",
        extra=(("csv:AU", "Okafor, N; Lind, P"), ("csv:DA", "2024-01-01")),
        source="tsv:webofscience_tags.txt",
    )


def test_commas_under_a_wrong_suffix_are_understood(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("title,year\nOn cats,2001\n")
    assert next(read(path)).year == 2001
