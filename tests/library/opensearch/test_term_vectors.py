"""Term vectors: how often terms occur, and which terms texts have."""

import msgspec
import pytest

from library.opensearch.answering import Answering
from library.opensearch.kept import filled_library
from likewise.documents import Document
from likewise.errors import LibraryError, NotALibraryError
from likewise.library.memory import MemoryLibrary
from likewise.library.opensearch import connection as connection_module
from likewise.library.opensearch import term_vectors
from likewise.library.opensearch import term_vectors as frequencies_module
from likewise.library.opensearch.foreign_fields import IndexField
from likewise.library.opensearch.layouts import OwnLayout
from likewise.library.opensearch.term_vectors import (
    ForeignAnalysis,
    Frequencies,
    Shard,
    find_shards,
    split_texts,
)

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


class Server:
    """Answers as a server does whose analysis takes words as they are."""

    patience = 90.0

    def __init__(self):
        self.asked = []

    def ask(self, method, path, *, body, shape):
        assert (method, path) == ("POST", "/theirs/_mtermvectors")
        texts = [document["doc"]["ti"] for document in body["docs"]]
        self.asked.append(texts)
        return msgspec.convert({"docs": [self._vectors(text) for text in texts]}, shape)

    def _vectors(self, text):
        words = text.split()
        terms = {
            word: {"tokens": [{"position": place} for place, w in enumerate(words) if w == word]}
            for word in sorted(set(words))
        }
        return {"found": True, "term_vectors": {"ti.en": {"terms": terms}} if terms else {}}


@pytest.fixture
def server():
    return Server()


@pytest.fixture
def analysis(server):
    return ForeignAnalysis(server, "theirs", IndexField("ti.en", "ti", "text"))


def test_terms_come_in_their_order_and_as_often_as_they_occur(analysis):
    texts = ["the cat and the dog", "a"]
    assert analysis.list_terms(texts) == [["the", "cat", "and", "the", "dog"], ["a"]]


def test_texts_without_words_are_not_asked_for(server, analysis):
    assert analysis.list_terms(["", " \n"]) == [[], []]
    assert server.asked == []


def test_a_text_is_asked_for_once(server, analysis):
    assert analysis.list_terms(["cat", "dog", "cat"]) == [["cat"], ["dog"], ["cat"]]
    assert server.asked == [["cat", "dog"]]


def test_words_are_remembered_and_long_texts_are_not(server, analysis):
    long = "purring " * 10
    analysis.list_terms(["cat", long])
    analysis.list_terms(["cat", long])
    assert server.asked == [["cat", long], [long]]


def test_what_is_remembered_can_not_be_changed(analysis):
    analysis.list_terms(["cat"])[0].append("dog")
    assert analysis.list_terms(["cat"]) == [["cat"]]


def test_no_more_is_remembered_than_fits(server, analysis, monkeypatch):
    monkeypatch.setattr(term_vectors, "MOST_KEPT", 2)
    for word in ("a", "b", "c", "c", "a"):
        analysis.list_terms([word])
    assert server.asked == [["a"], ["b"], ["c"], ["a"]]


def test_many_texts_go_in_several_requests(server, analysis, monkeypatch):
    monkeypatch.setattr(term_vectors, "TEXTS_AT_ONCE", 2)
    words = ["a", "b", "c", "d", "e"]
    assert analysis.list_terms(words) == [[word] for word in words]
    assert sorted(server.asked) == [["a", "b"], ["c", "d"], ["e"]]


def test_no_request_is_too_large(monkeypatch):
    monkeypatch.setattr(term_vectors, "CHARACTERS_AT_ONCE", 10)
    texts = ["12345", "12345", "1", "1234567890123", "1"]
    assert list(split_texts(texts)) == [["12345", "12345"], ["1"], ["1234567890123"], ["1"]]
