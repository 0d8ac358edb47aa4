"""Words that servers stem otherwise than we do, which is why they get terms that are ready made."""

import pytest

from library.opensearch.kept import filled_library
from likewise.documents import Document
from likewise.library import Query, Term
from likewise.library.analysis import build_analyzer
from likewise.library.opensearch.layouts import ANALYZER

OURS = {
    "interval": "interval",
    "added": "add",
    "organism": "organism",
    "emergency": "emergenc",
    "immunologist": "immunolog",
}
THEIRS = ["interv", "ad", "organ", "emerg", "immunologist"]


@pytest.fixture(scope="module")
def library(opensearch_url):
    with filled_library(opensearch_url, [Document(id=word, title=word) for word in OURS]) as made:
        yield made


def test_a_server_stems_them_by_the_snowball_of_its_year(library):
    if not library.engine.startswith("opensearch 2.5."):
        pytest.skip(f"known of OpenSearch 2.5 alone, and this is {library.engine}")
    path = f"/{library.address.index}/_analyze"
    body = {"analyzer": ANALYZER, "text": " ".join(OURS)}
    tokens = library._connection.ask("POST", path, body=body)["tokens"]
    assert [token["token"] for token in tokens] == THEIRS


def test_they_are_found_by_the_stem_that_we_make(library):
    for word, stem in OURS.items():
        assert build_analyzer().analyze(word) == [stem]
        assert library.find_best(Query((Term("title", stem),)), limit=9).ids == [word]
