"""The writer, and the settings of an index while it writes."""

import threading
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from library.opensearch.fresh import papers
from likewise.documents import Document
from likewise.errors import ClusterError, LibraryBusyError, LibraryError
from likewise.library.opensearch import writer as writers
from likewise.library.opensearch.layouts import OwnLayout
from likewise.library.opensearch.notebook import Notebook, PutBack
from likewise.library.opensearch.writer import BulkSettings, IndexWriter


@pytest.fixture
def writer(index):
    writer = IndexWriter(index.connection, index.layout)
    yield writer
    writer.close()


def requests(monkeypatch, writer):
    """Note how many changes each bulk request of a writer has."""
    sent = []
    send = writer._senders._send
    monkeypatch.setattr(
        writer._senders, "_send", lambda batch: (sent.append(len(batch)), send(batch))
    )
    return sent


def test_what_is_committed_is_seen(index, writer):
    writer.add(papers(1, 2))
    writer.commit()
    assert index.titles() == {"1": "On cats", "2": "On cats"}


def test_a_batch_is_sent_when_it_has_enough_bytes(index, monkeypatch):
    monkeypatch.setattr(writers, "BATCH_BYTES", 1000)
    writer = IndexWriter(index.connection, index.layout)
    sent = requests(monkeypatch, writer)
    writer.add(papers(*range(12), title="A" * 400))
    writer.commit()
    writer.close()
    assert (max(sent), sum(sent)) == (2, 12)


def test_a_batch_is_sent_when_it_has_enough_documents(index, writer, monkeypatch):
    monkeypatch.setattr(writers, "BATCH_DOCUMENTS", 4)
    sent = requests(monkeypatch, writer)
    writer.add(papers(*range(10)))
    writer.commit()
    assert sorted(sent) == [2, 4, 4]


def test_of_one_id_the_last_document_stays_however_batches_fall(index, monkeypatch):
    monkeypatch.setattr(writers, "BATCH_DOCUMENTS", 3)
    monkeypatch.setattr(writers, "THREADS", 4)
    writer = IndexWriter(index.connection, index.layout)
    for number in range(20):
        writer.add(papers("a", f"other {number}", title=f"Edition {number}"))
    writer.commit()
    writer.close()
    assert index.titles()["a"] == "Edition 19"


def test_what_is_deleted_after_it_was_added_is_gone(index, writer, monkeypatch):
    monkeypatch.setattr(writers, "BATCH_DOCUMENTS", 2)
    writer.add(papers(1, 2, 3))
    writer.delete(["1", "3", "nobody"])
    writer.commit()
    assert set(index.titles()) == {"2"}


def test_what_is_added_after_it_was_deleted_is_there(index, writer):
    writer.add(papers(1))
    writer.commit()
    writer.delete(["1"])
    writer.add(papers(1, title="Again"))
    writer.commit()
    assert index.titles() == {"1": "Again"}


def test_nothing_is_deleted_before_what_takes_its_place_is_written(index, writer, monkeypatch):
    bodies = []
    ask = index.connection.ask

    def listen(method, path, **options):
        if path == f"/{index.name}/_bulk":
            bodies.append(options["body"])
        return ask(method, path, **options)

    monkeypatch.setattr(index.connection, "ask", listen)
    writer.delete(["1"])
    writer.add(papers(2))
    writer.commit()
    assert [b"delete" in body for body in bodies] == [False, True]


def test_any_number_is_deleted(index, writer, monkeypatch):
    monkeypatch.setattr(writers, "BATCH_DELETIONS", 2)
    writer.add(papers(*range(6)))
    writer.commit()
    writer.delete(map(str, range(5)))
    writer.commit()
    assert set(index.titles()) == {"5"}


def test_a_document_without_an_id_gets_one(index, writer):
    writer.add([Document(title="On cats", pmid="7")])
    writer.commit()
    assert set(index.titles()) == {"7"}


def test_a_long_id_is_kept(index, writer):
    writer.add([Document(id="ü" * 400, title="Long")])
    writer.commit()
    writer.delete(["ü" * 400])
    writer.add(papers(1))
    writer.commit()
    assert set(index.titles()) == {"1"}


def test_what_was_not_sent_is_dropped(index):
    writer = IndexWriter(index.connection, index.layout)
    writer.add(papers(1))
    writer.close()
    IndexWriter(index.connection, index.layout).close()
    assert index.titles() == {}


def test_what_a_killed_process_has_sent_is_seen_by_the_next(index):
    killed = IndexWriter(index.connection, index.layout)
    killed.add(papers(1))
    killed._send()
    killed._senders.wait()
    killed._lock.release()
    killed._senders.stop(seconds=5)
    IndexWriter(index.connection, index.layout).close()
    assert set(index.titles()) == {"1"}


def test_half_a_character_is_named(writer):
    with pytest.raises(LibraryError, match="'1' holds half a character"):
        writer.add([Document(id="1", title="\ud800")])


@pytest.fixture
def refused(monkeypatch):
    """A document that the server does not take."""
    to_source = OwnLayout.to_source
    sources = lambda own, it, **_: b'{"find": 7}' if it.id == "bad" else to_source(own, it)  # noqa: E731
    monkeypatch.setattr(OwnLayout, "to_source", sources)
    return Document(id="bad", title="B")


def test_deleting_half_a_character_is_deleting_nothing(index, writer):
    writer.add(papers(1))
    writer.delete(["\ud800", "x\udfff"])
    writer.commit()
    assert set(index.titles()) == {"1"}


def test_a_source_of_any_length_is_taken(index, writer):
    writer.add([Document(id="1", title="A", source="x" * 40_000)])
    writer.commit()
    assert index.titles() == {"1": "A"}


def test_a_document_that_the_server_does_not_take_is_named(writer, refused):
    writer.add([Document(id="1", title="A"), refused])
    with pytest.raises(LibraryError, match=r"document 'bad' \(400: .*mapping for \[find\]"):
        writer.commit()


def test_after_an_error_nothing_is_committed(index, writer, refused):
    writer.add([refused])
    for _ in range(2):
        with pytest.raises(LibraryError, match="does not take the document"):
            writer.commit()
    assert writer.notebook.read_state().changed == ""


def test_a_commit_is_noted(index, writer):
    began = datetime.now(UTC).isoformat(timespec="seconds")
    writer.commit()
    assert began <= writer.notebook.read_state().changed <= datetime.now(UTC).isoformat()


def test_a_second_writer_has_to_wait(index, writer):
    with pytest.raises(LibraryBusyError, match="another process is writing"):
        IndexWriter(index.connection, index.layout)


def test_the_refused_writer_changes_nothing_for_the_first(index, writer):
    with pytest.raises(LibraryBusyError):
        IndexWriter(index.connection, index.layout)
    assert index.refresh_interval() == "-1"


def test_closing_puts_settings_back_and_lets_others_write(index):
    index.change(refresh_interval="7s")
    IndexWriter(index.connection, index.layout).close()
    second = IndexWriter(index.connection, index.layout)
    second.close()
    second.close()
    assert index.refresh_interval() == "7s"


def test_settings_are_put_back_after_an_error(index, refused):
    writer = IndexWriter(index.connection, index.layout)
    writer.add([refused])
    with pytest.raises(LibraryError):
        writer.commit()
    writer.close()
    assert index.refresh_interval() is None


def test_settings_that_could_not_be_put_back_are_said_and_put_back_by_the_next(
    index, monkeypatch, caplog
):
    def refuse(settings):
        raise LibraryError("not now")

    writer = IndexWriter(index.connection, index.layout)
    with monkeypatch.context() as broken:
        broken.setattr(writers.BulkSettings, "put_back", refuse)
        writer.close()
    before = index.refresh_interval()
    IndexWriter(index.connection, index.layout).close()
    assert (before, index.refresh_interval()) == ("-1", None)
    assert "were not put back (not now); the next likewise index into it will" in caplog.text


def test_a_writer_that_could_not_begin_leaves_nothing_locked(index, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr(writers.BulkSettings, "prepare", lambda self: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            IndexWriter(index.connection, index.layout)
    IndexWriter(index.connection, index.layout).close()
    assert index.refresh_interval() is None


def test_who_lost_the_lock_writes_no_more_and_leaves_the_settings(index, writer):
    writer._lock._lost = LibraryBusyError("taken over")
    writer.add(papers(1))
    with pytest.raises(LibraryBusyError, match="taken over"):
        writer.commit()
    writer.close()
    assert index.refresh_interval() == "-1"


def test_no_thread_is_left(index):
    before = threading.enumerate()
    writer = IndexWriter(index.connection, index.layout)
    began = [thread for thread in threading.enumerate() if thread not in before]
    writer.close()
    for thread in began:
        thread.join(5)
    assert not [thread for thread in began if thread.is_alive()]


def test_an_index_that_somebody_deleted_meanwhile_is_not_taken_for_a_library(index, writer):
    index.connection.ask("DELETE", f"/{index.name}")
    writer.add(papers(1))
    with pytest.raises(LibraryError, match="deleted or replaced"):
        writer.commit()
    writer.close()
    index.connection.ask("DELETE", f"/{index.name}")
    index.make()


def test_ctrl_c_in_the_middle_loses_nothing_that_was_handed_over(index, writer, monkeypatch):
    send = writer._senders.send

    def interrupted(batch):
        monkeypatch.setattr(writer._senders, "send", send)
        raise KeyboardInterrupt

    monkeypatch.setattr(writers, "BATCH_DOCUMENTS", 2)
    monkeypatch.setattr(writer._senders, "send", interrupted)
    with pytest.raises(KeyboardInterrupt):
        writer.add(papers(1, 2))
    writer.commit()
    assert set(index.titles()) == {"1", "2"}


def test_a_refresh_that_fails_on_a_lost_node_is_made_again(index, writer, monkeypatch):
    monkeypatch.setattr(writers, "REFRESH_PAUSE", 0.001)
    lost = {"_shards": {"failures": [{"reason": {"reason": "node not connected"}}]}}
    failures = [lost, lost]
    ask = index.connection.ask

    def failing(method, path, **options):
        refreshes = path == f"/{index.name}/_refresh"
        return failures.pop() if refreshes and failures else ask(method, path, **options)

    monkeypatch.setattr(index.connection, "ask", failing)
    writer.add(papers(1))
    writer.commit()
    assert (failures, set(index.titles())) == ([], {"1"})


def test_a_refresh_that_never_works_is_an_error(index, writer, monkeypatch):
    lost = {"_shards": {"failures": [{"reason": {"reason": "node\nnot connected"}}]}}
    ask = index.connection.ask

    def failing(method, path, **options):
        return lost if path.endswith("_refresh") else ask(method, path, **options)

    with monkeypatch.context() as broken:
        broken.setattr(index.connection, "ask", failing)
        broken.setattr(index.connection, "patience", -1.0)
        with pytest.raises(LibraryError, match=r"can be seen \(node not connected\)"):
            writer.commit()


changes = st.lists(
    st.tuples(st.sampled_from(["add", "delete", "commit"]), st.sampled_from("abcde")), max_size=20
)


@given(changes)
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_was_said_last_holds_whatever_came_before(made, monkeypatch, changes):
    monkeypatch.setattr(writers, "BATCH_DOCUMENTS", 2)
    monkeypatch.setattr(writers, "THREADS", 3)
    index, expected = made.emptied(), {}
    writer = IndexWriter(index.connection, index.layout)
    for number, (change, identifier) in enumerate(changes):
        if change == "add":
            writer.add(papers(identifier, title=f"Edition {number}"))
            expected[identifier] = f"Edition {number}"
        elif change == "delete":
            writer.delete([identifier])
            expected.pop(identifier, None)
        else:
            writer.commit()
    writer.commit()
    writer.close()
    assert index.titles() == expected


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
    assert notebook.read_state().put_back == PutBack(refresh_interval=None, replicas=None)


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
    notebook.note_state(msgspec.structs.replace(notebook.read_state(), changed="2026-01-02"))
    settings.prepare()
    settings.put_back()
    assert notebook.read_state().changed == "2026-01-02"


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
    monkeypatch.setattr(writers, "PAUSE", 0.001)
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
