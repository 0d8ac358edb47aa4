"""The library on a cluster: from an address to an index, and what it does there."""

import logging

import pytest

from library.opensearch.answering import Answering
from library.opensearch.kept import filled_library
from likewise.documents import Document, MeshHeading
from likewise.errors import (
    ClusterError,
    LibraryBusyError,
    LibraryError,
    NotALibraryError,
    SettingsError,
)
from likewise.library import Query, Term, open_library
from likewise.library.analysis import build_analyzer
from likewise.library.opensearch import Copies, OpenSearchLibrary, claim_layout, find_layout
from likewise.library.opensearch.address import parse_address
from likewise.library.opensearch.connection import Connection
from likewise.library.opensearch.layouts import OwnLayout, make_index_body, read_format
from likewise.library.protocol import FileState, Heading
from likewise.library.where import Where


def made(*, version=2, shards="1", replicas="0", window="500"):
    """What a server answers of an index that likewise made."""
    settings = {"number_of_shards": shards, "number_of_replicas": replicas}
    settings["max_result_window"] = window
    mappings = {**make_index_body()["mappings"], "_meta": {"likewise": {"format": version}}}
    return {"settings": {"index": settings}, "mappings": mappings}


THEIRS = {"settings": {"index": {}}, "mappings": {"properties": {"title": {"type": "text"}}}}


def test_an_index_of_ours_is_known_by_its_mapping():
    connection = Answering({"papers": made()})
    assert find_layout(connection) == OwnLayout("papers", ("papers",), window=500)


def test_a_name_that_stands_for_several_of_ours_has_the_smallest_window():
    connection = Answering({"b": made(window="900"), "a": made()})
    assert find_layout(connection) == OwnLayout("papers", ("a", "b"), window=500)


def test_an_index_of_a_later_likewise_is_refused():
    with pytest.raises(LibraryError, match="format 3, made by a later likewise"):
        find_layout(Answering({"papers": made(version=3)}))


def test_an_index_of_format_1_is_read_but_has_no_limits():
    layout = find_layout(Answering({"a": made(), "b": made(version=1)}))
    assert not layout.has_limits
    assert not layout.explain_unlimited(Where())
    assert "index its files again, into a new name" in layout.explain_unlimited(Where(2010))


def test_the_fields_of_our_own_index_are_not_to_be_named():
    connection = Answering({"papers": made()})
    connection.address = parse_address("opensearch://h/papers?title=ti")
    with pytest.raises(LibraryError, match="knows its fields; leave them out"):
        find_layout(connection)


def test_an_index_is_written_to_by_its_own_name():
    assert claim_layout(Answering({"papers-7": made()}), copies=Copies()).index == "papers-7"


def test_an_index_that_is_not_there_is_made():
    connection = Answering({}, {"acknowledged": True}, {"papers": made(shards="3")})
    claim_layout(connection, copies=Copies(shards=3))
    assert connection.paths == ["GET /papers", "PUT /papers", "GET /papers"]
    assert connection.bodies[1]["settings"] == make_index_body(shards=3)["settings"]


def test_no_two_indexes_are_made_alike():
    names = {make_index_body()["mappings"]["_meta"]["likewise"]["made"] for _ in range(9)}
    assert len(names) == 9


def test_an_index_that_another_has_made_meanwhile_is_taken():
    kinds = frozenset({"resource_already_exists_exception"})
    taken = ClusterError("there", status=400, kinds=kinds)
    connection = Answering({}, taken, {"papers": made()})
    assert claim_layout(connection, copies=Copies()).indexes == ("papers",)


def test_an_index_of_others_is_not_written_to():
    with pytest.raises(LibraryError, match="not made by likewise, which only reads it"):
        claim_layout(Answering({"papers": THEIRS}), copies=Copies())


def test_several_indexes_are_not_written_to_at_once():
    with pytest.raises(LibraryError, match="stands for 2 indexes; name the one"):
        claim_layout(Answering({"a": made(), "b": made()}), copies=Copies())


def test_no_index_is_made_with_fields_of_others():
    connection = Answering({})
    connection.address = parse_address("opensearch://h/papers?title=ti")
    with pytest.raises(LibraryError, match="there is no such index"):
        claim_layout(connection, copies=Copies())


def test_the_shards_of_an_index_can_not_be_changed():
    connection = Answering({"papers": made(shards="2")})
    with pytest.raises(SettingsError, match="made with --shards 2, which can't be changed"):
        claim_layout(connection, copies=Copies(shards=3))


def test_what_an_index_has_already_may_be_asked_for_again(caplog):
    connection = Answering({"papers": made(shards="2", replicas="1")})
    claim_layout(connection, copies=Copies(shards=2, replicas=1))
    assert caplog.text == ""


def test_an_index_that_is_there_keeps_its_replicas_and_that_is_said(caplog):
    with caplog.at_level(logging.WARNING):
        claim_layout(Answering({"papers": made(replicas="1")}), copies=Copies(replicas=2))
    assert "keeps its replicas" in caplog.text


@pytest.mark.parametrize("copies", [Copies(shards=0), Copies(shards=1025), Copies(replicas=-1)])
def test_numbers_that_no_index_has_are_refused_before_anything_is_asked(copies):
    with pytest.raises(SettingsError):
        claim_layout(Answering(), copies=copies)


@pytest.mark.parametrize(
    "mapping", [{}, {"_meta": None}, {"_meta": {"likewise": 1}}, {"_meta": {"likewise": {}}}]
)
def test_mappings_of_others_have_no_format(mapping):
    assert read_format({"mappings": mapping}) is None


def test_replicas_follow_the_number_of_nodes_unless_said():
    assert make_index_body()["settings"]["index"]["auto_expand_replicas"] == "0-1"
    assert make_index_body(replicas=2)["settings"]["index"]["number_of_replicas"] == 2


def test_an_index_that_is_not_there_is_no_library(opensearch_address):
    with pytest.raises(NotALibraryError, match="likewise index FILES --into"):
        open_library(opensearch_address)


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


def test_documents_that_are_there_as_they_are_are_known_again(library):
    others = [Document(id="1", title="Dogs"), Document(id="new")]
    assert library.find_exact([PAPERS[0], *others]) == {"0"}


def test_notes_are_not_asked_for_while_a_library_without_any_is_written_to(opensearch_address):
    with OpenSearchLibrary(opensearch_address, write=True) as library:
        assert library.read_papers(["1"]) == {}
        library._connection.close()
        assert library.read_papers(["2"]) == {}


def test_info_says_how_large_it_is_and_when_it_was_changed(library):
    info = library.info()
    assert info.bytes > 1000
    assert info.changed.startswith("20")


def test_hits_beyond_what_comes_at_once_are_found_too(library):
    whole = library.find_best(CATS, limit=30)
    ask(library, "PUT", "/_settings", body={"index": {"max_result_window": 8}})
    with OpenSearchLibrary(str(library.address)) as narrow:
        assert narrow._layout.window == 8
        assert narrow.find_best(CATS, limit=30) == whole
        assert narrow.find_having([[Heading("Cats")]]) == sorted(paper.id for paper in PAPERS)


def test_more_terms_than_the_server_takes_are_refused_in_one_line(library):
    query = Query(tuple(Term("title", f"cat{number}") for number in range(1100)))
    with pytest.raises(LibraryError, match="ask for fewer terms") as refused:
        library.find_best(query, limit=5)
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
            assert again.list_files() == {"a": FileState(1, 1)}
        with pytest.raises(LibraryBusyError):
            open_library(f"{opensearch_address}-alias", write=True)


def test_files_read_into_an_index_that_was_deleted_are_read_again(opensearch_address):
    with OpenSearchLibrary(opensearch_address, write=True, replicas=0) as library:
        library.note_files({"a": FileState(1, 1)})
        ask(library, "DELETE", "")
    with OpenSearchLibrary(opensearch_address, write=True, replicas=0) as library:
        assert library.list_files() == {}


def test_a_library_that_can_not_be_opened_leaves_no_connection(opensearch_address, monkeypatch):
    closed = []
    monkeypatch.setattr(Connection, "close", lambda self: closed.append(self.address))
    with pytest.raises(LibraryError):
        OpenSearchLibrary(opensearch_address)
    assert closed == [parse_address(opensearch_address)]


def test_no_engine_answers_to_other_schemes_and_what_follows_is_not_repeated():
    with pytest.raises(LibraryError, match="no engine knows") as refused:
        open_library("mongodb://user:secret@host/papers")
    assert "secret" not in str(refused.value)
