import msgspec
import pytest

from likewise.library.opensearch import term_vectors
from likewise.library.opensearch.foreign_fields import IndexField
from likewise.library.opensearch.term_vectors import ForeignAnalysis, split_texts


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
def analysis():
    return ForeignAnalysis("theirs", IndexField("ti.en", "ti", "text"))


def test_terms_come_in_their_order_and_as_often_as_they_occur(server, analysis):
    texts = ["the cat and the dog", "a"]
    assert analysis.terms(server, texts) == [["the", "cat", "and", "the", "dog"], ["a"]]


def test_texts_without_words_are_not_asked_for(server, analysis):
    assert analysis.terms(server, ["", " \n"]) == [[], []]
    assert server.asked == []


def test_a_text_is_asked_for_once(server, analysis):
    assert analysis.terms(server, ["cat", "dog", "cat"]) == [["cat"], ["dog"], ["cat"]]
    assert server.asked == [["cat", "dog"]]


def test_words_are_remembered_and_long_texts_are_not(server, analysis):
    long = "purring " * 10
    analysis.terms(server, ["cat", long])
    analysis.terms(server, ["cat", long])
    assert server.asked == [["cat", long], [long]]


def test_what_is_remembered_can_not_be_changed(server, analysis):
    analysis.terms(server, ["cat"])[0].append("dog")
    assert analysis.terms(server, ["cat"]) == [["cat"]]


def test_no_more_is_remembered_than_fits(server, analysis, monkeypatch):
    monkeypatch.setattr(term_vectors, "MOST_KEPT", 2)
    for word in ("a", "b", "c", "c", "a"):
        analysis.terms(server, [word])
    assert server.asked == [["a"], ["b"], ["c"], ["a"]]


def test_many_texts_go_in_several_requests(server, analysis, monkeypatch):
    monkeypatch.setattr(term_vectors, "TEXTS_AT_ONCE", 2)
    words = ["a", "b", "c", "d", "e"]
    assert analysis.terms(server, words) == [[word] for word in words]
    assert sorted(server.asked) == [["a", "b"], ["c", "d"], ["e"]]


def test_no_request_is_too_large(monkeypatch):
    monkeypatch.setattr(term_vectors, "CHARACTERS_AT_ONCE", 10)
    texts = ["12345", "12345", "1", "1234567890123", "1"]
    assert list(split_texts(texts)) == [["12345", "12345"], ["1"], ["1234567890123"], ["1"]]
