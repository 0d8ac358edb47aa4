import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.reading import read_path, written
from documents.strategies import documents
from documents.whole_records import CITATION, EXTRA
from likewise.documents import Document, read
from likewise.documents.formats import format_named
from likewise.errors import ReadError

beir = format_named("beir")

DATA = Path(__file__).parents[2] / "data"


@given(st.lists(documents(**CITATION, extra=EXTRA), min_size=1, max_size=4))
def test_what_is_written_is_read_back(tmp_path_factory, some):
    path = tmp_path_factory.mktemp("beir") / "corpus.jsonl"
    path.write_bytes(written(beir, some))
    assert read_path(beir, path) == some


def test_a_corpus_is_known_by_its_content():
    assert [(d.id, d.title, d.abstract, d.pmid) for d in read(DATA / "beir_corpus.jsonl")] == [
        ("d1", "On cats", "They purr.", "7"),
        ("d2", "", "Dogs bark.", ""),
    ]


def test_what_is_written_has_the_four_keys_of_beir():
    document = Document(id="1", title="On cats", abstract="They purr.", year=2001)
    assert json.loads(written(beir, [document])) == {
        "_id": "1",
        "title": "On cats",
        "text": "They purr.",
        "metadata": {"year": 2001},
    }


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ({"title": "x"}, "no _id"),
        ({"_id": "1", "title": "x", "metadata": "y"}, "metadata that is not an object"),
    ],
)
def test_entries_that_are_not_beir_are_problems(tmp_path, entry, found):
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps(entry))
    with pytest.raises(ReadError, match=found):
        read_path(beir, path)
