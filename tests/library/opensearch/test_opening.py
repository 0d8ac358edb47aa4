"""From an address to an index: found, made, or refused in one line."""

import logging

import pytest

from library.opensearch.answering import Answering
from likewise.errors import ClusterError, LibraryError, NotALibraryError, SettingsError
from likewise.library import open_library
from likewise.library.opensearch.address import parse_address
from likewise.library.opensearch.layouts import OwnLayout, make_index_body, read_format
from likewise.library.opensearch.library import Copies, claim_layout, find_layout
from likewise.library.where import Where


def made(*, version=2, shards="1", replicas="0", window="500"):
    """What a server answers of an index that likewise made."""
    settings = {"number_of_shards": shards, "number_of_replicas": replicas}
    settings["max_result_window"] = window
    mappings = {"_meta": {"likewise": {"format": version}}}
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
    assert connection.bodies[1] == make_index_body(shards=3)


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
    assert read_format(mapping) is None


def test_replicas_follow_the_number_of_nodes_unless_said():
    assert make_index_body()["settings"]["index"]["auto_expand_replicas"] == "0-1"
    assert make_index_body(replicas=2)["settings"]["index"]["number_of_replicas"] == 2


def test_an_index_that_is_not_there_is_no_library(opensearch_address):
    with pytest.raises(NotALibraryError, match="likewise index FILES --into"):
        open_library(opensearch_address)
