"""Document frequencies, from prepared answers and from a real server."""

import pytest

from library.opensearch.answering import Answering
from library.opensearch.kept import filled_library
from likewise.documents import Document
from likewise.errors import LibraryError, NotALibraryError
from likewise.library.memory import MemoryLibrary
from likewise.library.opensearch import connection as connection_module
from likewise.library.opensearch import term_vectors as frequencies_module
from likewise.library.opensearch.layouts import OwnLayout
from likewise.library.opensearch.term_vectors import Frequencies, Shard, find_shards

ONE = {"shards": [[{"shard": 0}]]}
TWO = {"shards": [[{"shard": 1}]]}
BOTH = {"shards": [[{"shard": 0}, {"shard": 0}], [{"shard": 1}]]}


def vectors(**counts):
    terms = {term: {"doc_freq": number, "term_freq": 1} for term, number in counts.items()}
    return {"term_vectors": {"find.title": {"terms": terms}}}


@pytest.fixture(autouse=True)
def one_at_a_time(monkeypatch):
    """Answers are prepared in the order of questions."""
    in_order = lambda ask, jobs: [ask(job) for job in jobs]  # noqa: E731
    monkeypatch.setattr(frequencies_module, "ask_for_each", in_order)


def test_the_counts_of_all_shards_are_added():
    connection = Answering(BOTH, TWO, ONE, vectors(cat=3, dog=1), vectors(cat=4))
    frequencies = Frequencies(connection, OwnLayout("papers"))
    assert frequencies.count("title", ["cat", "dog"]) == {"cat": 7, "dog": 1}


def test_a_term_that_a_shard_does_not_have_counts_nothing_there():
    unknown = {"term_vectors": {"find.title": {"terms": {"cat": {"term_freq": 1}}}}}
    connection = Answering(ONE, ONE, unknown)
    assert Frequencies(connection, OwnLayout("papers")).count("title", ["cat"]) == {"cat": 0}


def test_an_index_without_any_document_counts_nothing():
    connection = Answering(ONE, ONE, {})
    assert Frequencies(connection, OwnLayout("papers")).count("title", ["cat"]) == {"cat": 0}


def test_a_term_that_no_index_can_have_is_not_asked_for():
    connection = Answering(ONE, ONE, vectors(cat=3))
    counts = Frequencies(connection, OwnLayout("papers")).count("title", ["cat", "x" * 32_767])
    assert counts == {"cat": 3, "x" * 32_767: 0}
    assert connection.bodies[-1]["doc"] == {"find": {"title": ["cat"]}}


def test_shards_without_a_copy_are_waited_for(monkeypatch):
    monkeypatch.setattr(connection_module, "WHOLE_PAUSE", 0.0)
    connection = Answering({"shards": [[{"shard": 0}], []]}, BOTH, TWO, ONE)
    assert find_shards(connection, "papers") == [Shard("papers", "0"), Shard("papers", "1")]


def test_an_index_that_was_deleted_since_is_no_library():
    with pytest.raises(NotALibraryError, match="the index is gone"):
        find_shards(Answering({"shards": []}), "papers")


def test_no_terms_are_not_asked_for():
    connection = Answering()
    assert Frequencies(connection, OwnLayout("papers")).count("title", []) == {}


def test_shards_are_found_once():
    connection = Answering(ONE, ONE, vectors(cat=1), vectors(dog=2))
    frequencies = Frequencies(connection, OwnLayout("papers"))
    frequencies.count("title", ["cat"])
    assert frequencies.count("title", ["dog"]) == {"dog": 2}
    assert connection.paths[2:] == ["POST /papers/_termvectors"] * 2


def test_terms_are_asked_for_as_they_are_in_batches(monkeypatch):
    monkeypatch.setattr(frequencies_module, "TERMS_AT_ONCE", 2)
    connection = Answering(ONE, ONE, vectors(a=1, b=2), vectors(c=3))
    found = Frequencies(connection, OwnLayout("papers")).count("title", ["c", "a", "b"])
    assert found == {"a": 1, "b": 2, "c": 3}
    asked = connection.bodies[2]
    assert asked["doc"] == {"find": {"title": ["a", "b"]}}
    assert asked["per_field_analyzer"] == {"find.title": "keyword"}


def test_each_shard_gets_a_routing_that_leads_there_alone():
    # The first value leads to the second shard, the next to both, the third there again.
    connection = Answering(BOTH, TWO, BOTH, TWO, ONE)
    assert find_shards(connection, "papers") == [Shard("papers", "0"), Shard("papers", "3")]


def test_shards_that_no_routing_leads_to_are_said_to_be(monkeypatch):
    monkeypatch.setattr(frequencies_module, "TRIES_PER_SHARD", 2)
    connection = Answering(BOTH, *[BOTH] * 4)
    with pytest.raises(LibraryError, match="no routing leads to 2 of the shards of papers"):
        find_shards(connection, "papers")


def test_a_real_server_counts_as_the_reference_does(opensearch_url):
    words = ["cat", "dog", "mouse", "zebra"]
    papers = [
        Document(id=str(n), title=" ".join(words[: n % 4]), abstract=words[n % 3])
        for n in range(40)
    ]
    memory = MemoryLibrary()
    memory.add(papers)
    memory.commit()
    with filled_library(opensearch_url, papers, shards=3) as library:
        for field in ("title", "abstract"):
            expected = memory.document_frequencies(field, words)
            assert library.document_frequencies(field, words) == expected
