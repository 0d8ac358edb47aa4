"""Answers of which a part is missing are asked for again."""

import pytest

from library.opensearch.answering import ADDRESS, Answering
from likewise.documents import Document
from likewise.errors import ClusterError, NotALibraryError
from likewise.library.opensearch import connection as connection_module
from likewise.library.opensearch.connection import PartFailure, ask_until_whole
from likewise.library.opensearch.foreign_fields import IndexField
from likewise.library.opensearch.layouts import OwnLayout
from likewise.library.opensearch.reading import read_by_id
from likewise.library.opensearch.term_vectors import ForeignAnalysis

LOST = PartFailure("no_shard_available_action_exception", "no\nshard")
THERE = {"_id": "1", "found": True, "_source": {"id": "1", "title": "Cats"}}
UNREACHED = {"_id": "2", "error": {"type": "no_shard_available_action_exception", "reason": None}}


@pytest.fixture(autouse=True)
def without_pause(monkeypatch):
    monkeypatch.setattr(connection_module, "WHOLE_PAUSE", 0.0)


def ask(*answers, patience=90.0):
    """Return the answer that is taken, of some that are each a list of failures."""
    left = list(answers)
    connection = Answering(patience=patience)
    return ask_until_whole(connection, lambda: left.pop(0), lambda answer: answer)


def test_an_answer_without_failures_is_taken():
    assert ask([None, None], [None]) == [None, None]


def test_what_a_lost_node_leaves_out_is_asked_for_again():
    assert ask([None, LOST], [LOST, None], [None]) == [None]


def test_patience_ends_in_one_line():
    with pytest.raises(ClusterError, match=rf"^{ADDRESS}: a part of .* \(no shard\)") as caught:
        ask([LOST], patience=0)
    assert caught.value.kinds == {LOST.type}


def test_what_does_not_pass_is_not_asked_for_again():
    with pytest.raises(ClusterError, match=r"can't be read \(index_closed_exception\)"):
        ask([PartFailure("index_closed_exception", None)], [None])


def test_an_index_that_is_gone_is_no_library():
    with pytest.raises(NotALibraryError, match=r"papers: no such index \[papers\]; make it"):
        ask([PartFailure("index_not_found_exception", "no such index [papers]")])


def test_documents_of_a_shard_that_can_not_be_reached_are_not_left_out():
    found = THERE | {"_id": "2", "_source": {"id": "2", "title": "Dogs"}}
    connection = Answering({"docs": [THERE, UNREACHED]}, {"docs": [THERE, found]})
    assert read_by_id(connection, OwnLayout("papers"), ["1", "2"]) == {
        "1": Document(id="1", title="Cats"),
        "2": Document(id="2", title="Dogs"),
    }


def test_texts_that_a_shard_has_not_analysed_do_not_count_as_empty():
    made = {"term_vectors": {"ti": {"terms": {"cat": {"tokens": [{"position": 0}]}}}}}
    connection = Answering({"docs": [UNREACHED]}, {"docs": [made]})
    analysis = ForeignAnalysis("theirs", IndexField("ti", "ti", "text"))
    assert analysis.terms(connection, ["cats"]) == [["cat"]]
