"""Settings are changed for writing, and put back."""

import msgspec
import pytest

from likewise.errors import ClusterError, LibraryError
from likewise.library.opensearch import writer
from likewise.library.opensearch.notebook import Notebook, PutBack
from likewise.library.opensearch.writer import BulkSettings


@pytest.fixture
def index(made):
    made.change(number_of_replicas=0, auto_expand_replicas=False)
    return made.emptied()


def replicas(index):
    return index.settings()["index.number_of_replicas"]


def test_nothing_is_refreshed_while_much_is_written(index, notebook):
    BulkSettings(notebook, index.name).prepare()
    assert index.refresh_interval() == "-1"


@pytest.mark.parametrize("own", [None, "30s", "-1"])
def test_the_refreshing_that_somebody_set_is_put_back(index, notebook, own):
    index.change(refresh_interval=own)
    settings = BulkSettings(notebook, index.name)
    settings.prepare()
    settings.put_back()
    assert index.refresh_interval() == own


@pytest.mark.parametrize(("own", "kept"), [(0, "0"), (1, "1"), (3, "1")])
def test_of_several_replicas_one_is_kept(index, notebook, own, kept):
    index.change(number_of_replicas=own)
    settings = BulkSettings(notebook, index.name)
    settings.prepare()
    while_writing = replicas(index)
    settings.put_back()
    assert (while_writing, replicas(index)) == (kept, str(own))


def test_replicas_that_the_server_sets_by_itself_are_left_alone(index, notebook):
    index.change(auto_expand_replicas="0-2")
    BulkSettings(notebook, index.name).prepare()
    assert notebook.state().put_back == PutBack(refresh_interval=None, replicas=None)


def test_what_a_killed_process_changed_is_put_back_by_the_next(index, notebook):
    index.change(refresh_interval="7s", number_of_replicas=2)
    BulkSettings(notebook, index.name).prepare()
    later = BulkSettings(Notebook(index.connection, index.name), index.name)
    later.prepare()
    later.put_back()
    assert (index.refresh_interval(), replicas(index)) == ("7s", "2")


def test_what_somebody_has_changed_meanwhile_stays(index, notebook):
    settings = BulkSettings(notebook, index.name)
    settings.prepare()
    index.change(refresh_interval="3s")
    settings.put_back()
    assert index.refresh_interval() == "3s"


def test_putting_back_twice_is_putting_back_once(index, notebook):
    settings = BulkSettings(notebook, index.name)
    settings.prepare()
    settings.put_back()
    index.change(refresh_interval="-1")
    settings.put_back()
    assert index.refresh_interval() == "-1"


def test_when_it_was_committed_to_stays_noted(index, notebook):
    settings = BulkSettings(notebook, index.name)
    settings.prepare()
    notebook.note_state(msgspec.structs.replace(notebook.state(), changed="2026-01-02"))
    settings.prepare()
    settings.put_back()
    assert notebook.state().changed == "2026-01-02"


def test_an_index_that_was_replaced_is_noticed(index, notebook):
    settings = BulkSettings(notebook, index.name)
    settings.prepare()
    index.connection.ask("DELETE", f"/{index.name}")
    index.make()
    with pytest.raises(LibraryError, match="deleted or replaced"):
        settings.check()


def test_who_may_not_ask_for_the_health_writes_all_the_same(index, notebook, monkeypatch):
    index.change(number_of_replicas=1)
    ask = index.connection.ask

    def forbidding(method, path, **options):
        if "_cluster" in path:
            raise ClusterError("not allowed", status=403)
        return ask(method, path, **options)

    monkeypatch.setattr(index.connection, "ask", forbidding)
    BulkSettings(notebook, index.name).prepare()
    assert index.refresh_interval() == "-1"


def test_replicas_that_are_coming_are_waited_for(index, notebook, monkeypatch):
    monkeypatch.setattr(writer, "PAUSE", 0.001)
    index.change(number_of_replicas=1)
    healths = ["green", "yellow", "red"]
    ask = index.connection.ask

    def healing(method, path, **options):
        if "_cluster" in path:
            return {"status": healths.pop(), "number_of_data_nodes": 3}
        return ask(method, path, **options)

    monkeypatch.setattr(index.connection, "ask", healing)
    BulkSettings(notebook, index.name).prepare()
    assert healths == []
