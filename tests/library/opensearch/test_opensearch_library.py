"""The library on a real server, where it is more than the contract."""

import pytest

from library.opensearch.kept import filled_library
from likewise.documents import Document, MeshHeading
from likewise.errors import LibraryBusyError, LibraryError
from likewise.library import Query, Term, open_library
from likewise.library.analysis import build_analyzer
from likewise.library.opensearch.address import parse_address
from likewise.library.opensearch.connection import Connection
from likewise.library.opensearch.library import OpenSearchLibrary
from likewise.library.protocol import FileState, Heading

CATS = Query((Term("title", "cat"),))
PAPERS = [
    Document(id=f"{number}", title="Cats", abstract="Livers purr.", mesh=(MeshHeading("Cats"),))
    for number in range(30)
]


@pytest.fixture(scope="module")
def library(opensearch_url):
    with filled_library(opensearch_url, PAPERS, shards=2) as library:
        yield library


def ask(library, method, path, **how):
    return library._connection.ask(method, f"/{library.address.index}{path}", **how)


def test_the_engine_is_called_as_the_server_calls_itself(library):
    assert library.engine.startswith("opensearch ")


def test_what_is_opened_for_reading_is_not_written_to(library):
    with pytest.raises(LibraryError, match="opened for reading only"):
        library.add(PAPERS)
    with pytest.raises(LibraryError, match="opened for reading only"):
        library.note_files({})


def test_info_says_how_large_it_is_and_when_it_was_changed(library):
    info = library.info()
    assert info.bytes > 1000
    assert info.changed.startswith("20")


def test_hits_beyond_what_comes_at_once_are_found_too(library):
    whole = library.search(CATS, limit=30)
    ask(library, "PUT", "/_settings", body={"index": {"max_result_window": 8}})
    with OpenSearchLibrary(str(library.address)) as narrow:
        assert narrow._layout.window == 8
        assert narrow.search(CATS, limit=30) == whole
        assert narrow.find_having([[Heading("Cats")]]) == sorted(paper.id for paper in PAPERS)


def test_more_terms_than_the_server_takes_are_refused_in_one_line(library):
    query = Query(tuple(Term("title", f"cat{number}") for number in range(1100)))
    with pytest.raises(LibraryError, match="ask for fewer terms") as refused:
        library.search(query, limit=5)
    assert "\n" not in str(refused.value)


def test_queries_of_other_tools_find_words_in_any_form(library):
    for text in ("liver", "The LIVERS", "of livers"):
        query = {"query": {"match": {"find.abstract": text}}}
        assert ask(library, "POST", "/_count", body=query)["count"] == 30


@pytest.mark.parametrize("text", ["The patient's IL-6 responses", "Sjögren's ß-cells", "x" * 70])
def test_the_analyzer_for_other_tools_is_much_like_ours(library, text):
    body = {"analyzer": "likewise_english", "text": text}
    tokens = ask(library, "POST", "/_analyze", body=body)["tokens"]
    assert [token["token"] for token in tokens] == build_analyzer().analyze(text)


def test_what_documents_are_found_by_is_not_stored_twice(library):
    hit = ask(library, "GET", "/_doc/7")
    assert hit["_source"] == {
        "id": "7",
        "title": "Cats",
        "abstract": "Livers purr.",
        "mesh": [{"name": "Cats"}],
    }


def test_a_name_for_two_libraries_reads_both(library, opensearch_url):
    more = [Document(id="more", title="Cats and dogs", pmid="7", mesh=(MeshHeading("Dogs"),))]
    with filled_library(opensearch_url, more) as other:
        name = f"{library.address.index}-both"
        for index in (library.address.index, other.address.index):
            other._connection.ask("PUT", f"/{index}/_alias/{name}")
        address = str(library.address).replace(library.address.index, name)
        with open_library(address) as both:
            assert both.count() == 31
            assert [paper.id for paper in both.get(["more", "3"])] == ["more", "3"]
            assert both.find(["pmid:7"]) == more
            assert both.document_frequencies("title", ["cat", "dog"]) == {"cat": 31, "dog": 1}
            assert both.count_headings() == {Heading("Cats"): 30, Heading("Dogs"): 1}
        with pytest.raises(LibraryError, match="stands for 2 indexes"):
            open_library(address, write=True)


def test_a_library_has_one_notebook_whatever_it_is_called(opensearch_address):
    with OpenSearchLibrary(opensearch_address, write=True, replicas=0) as library:
        library.note_files({"a": FileState(1, 1)})
        ask(library, "PUT", f"/_alias/{library.address.index}-alias")
        with open_library(f"{opensearch_address}-alias") as again:
            assert again.files_read() == {"a": FileState(1, 1)}
        with pytest.raises(LibraryBusyError):
            open_library(f"{opensearch_address}-alias", write=True)


def test_files_read_into_an_index_that_was_deleted_are_read_again(opensearch_address):
    with OpenSearchLibrary(opensearch_address, write=True, replicas=0) as library:
        library.note_files({"a": FileState(1, 1)})
        ask(library, "DELETE", "")
    with OpenSearchLibrary(opensearch_address, write=True, replicas=0) as library:
        assert library.files_read() == {}


def test_a_library_that_can_not_be_opened_leaves_no_connection(opensearch_address, monkeypatch):
    closed = []
    monkeypatch.setattr(Connection, "close", lambda self: closed.append(self.address))
    with pytest.raises(LibraryError):
        OpenSearchLibrary(opensearch_address)
    assert closed == [parse_address(opensearch_address)]


def test_no_engine_answers_to_other_schemes_and_what_follows_is_not_repeated():
    with pytest.raises(LibraryError, match="no engine answers") as refused:
        open_library("mongodb://user:secret@host/papers")
    assert "secret" not in str(refused.value)
