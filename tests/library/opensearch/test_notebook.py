"""What is remembered of an index, in the hidden one beside it."""

import msgspec
import pytest

from likewise.errors import LibraryError
from likewise.library.opensearch import notebook as notebooks
from likewise.library.opensearch.notebook import IndexState, Notebook, PutBack
from likewise.library.protocol import FileState


class Word(msgspec.Struct):
    said: str


def test_a_reader_needs_no_notebook(index):
    notebook = Notebook(index.connection, f"{index.name}-other")
    assert (notebook.list_files(), notebook.read_state()) == ({}, IndexState())


def test_it_is_hidden(index, notebook):
    params = {"format": "json", "h": "index"}
    listed = index.connection.ask("GET", f"/_cat/indices/{index.name}*", params=params)
    assert listed == [{"index": index.name}]


def test_making_it_again_keeps_what_is_in_it(notebook):
    notebook.note_state(IndexState(changed="2026-01-02"))
    notebook.make()
    assert notebook.read_state() == IndexState(changed="2026-01-02")


def test_making_it_is_fine_if_another_was_quicker(index, notebook, monkeypatch):
    slower = Notebook(index.connection, index.name)
    ask = index.connection.ask
    unseen = lambda method, path, **options: {} if method == "GET" else ask(method, path, **options)  # noqa: E731
    monkeypatch.setattr(index.connection, "ask", unseen)
    slower.make()
    monkeypatch.undo()
    assert notebook.read_entry("state") is None


@pytest.fixture
def taken(index):
    """The name of an index whose notebook's name is another index's."""
    name = f"{index.name}-taken"
    index.connection.ask("PUT", f"/{name}-likewise", body={})
    yield name
    index.connection.ask("DELETE", f"/{name}-likewise")


def test_an_index_of_others_is_no_notebook(index, taken):
    with pytest.raises(LibraryError, match=f"{taken}-likewise, but there is one that holds"):
        Notebook(index.connection, taken).make()


def test_what_is_no_notebook_names_no_files(index, taken):
    assert Notebook(index.connection, taken).list_files() == {}


def test_what_was_noted_of_an_index_that_is_gone_is_forgotten(notebook, caplog):
    notebook.begin("first")
    notebook.note_files({"a": FileState(1, 1)})
    notebook.begin("second")
    assert (notebook.list_files(), notebook.read_state()) == ({}, IndexState(index="second"))
    assert "files read into the old one no longer count" in caplog.text


def test_of_an_index_that_was_restored_files_are_forgotten_and_rulings_hold(notebook, caplog):
    notebook.begin("first", made="a")
    notebook.note_files({"a": FileState(1, 1)})
    notebook.note_rulings({"record": "7"})
    notebook.begin("second", made="a")
    assert (notebook.list_files(), notebook.read_rulings()) == ({}, {"record": "7"})
    assert notebook.read_state() == IndexState(index="second", made="a")
    assert "the index was restored" in caplog.text


def test_an_index_that_is_made_anew_is_another(notebook):
    notebook.begin("first", made="a")
    notebook.note_rulings({"record": "7"})
    notebook.begin("second", made="b")
    assert notebook.read_rulings() == {}


def test_a_notebook_of_an_earlier_likewise_takes_notes_of_papers(index):
    name = f"{index.name}-old"
    properties = {"order": {"type": "keyword"}}
    mappings = {"_meta": {"likewise": {"notebook": 1}}, "dynamic": False, "properties": properties}
    index.connection.ask("PUT", f"/{name}-likewise", body={"mappings": mappings})
    notebook = Notebook(index.connection, name)
    assert notebook.read_rulings() == {}
    notebook.make()
    notebook.note_rulings({"a": "1"})
    assert notebook.read_rulings() == {"a": "1"}
    index.connection.ask("DELETE", f"/{name}-likewise")


def test_rulings_on_an_index_that_is_gone_are_forgotten(notebook):
    notebook.begin("first")
    notebook.note_rulings({"a": "1"})
    notebook.begin("second")
    assert notebook.read_rulings() == {}


def test_what_was_noted_of_the_same_index_stays(notebook, caplog):
    notebook.begin("first")
    notebook.note_files({"a": FileState(1, 1)})
    notebook.begin("first")
    assert notebook.list_files() == {"a": FileState(1, 1)}
    assert not caplog.text


def test_damaged_notes_are_an_error_that_says_what_to_delete(index, notebook):
    notebook.write("state", Word("a"), over=None)
    path = f"/{notebook.name}/_doc/state"
    index.connection.ask("PUT", path, body={"changed": 5})
    with pytest.raises(LibraryError, match=f"{notebook.name} are damaged .*; delete it"):
        notebook.read_state()


def test_a_damaged_file_is_an_error_too(index, notebook):
    path, params = f"/{notebook.name}/_doc/file-x", {"refresh": "true"}
    index.connection.ask("PUT", path, body={"order": "x"}, params=params)
    with pytest.raises(LibraryError, match="missing required field"):
        notebook.list_files()


def test_files_that_were_read_are_known_at_once(notebook):
    states = {"/b/refs.ris": FileState(7, 8), "/a/ü.xml": FileState(1, 2, "pubmed", deletions=3)}
    notebook.note_files(states)
    assert notebook.list_files() == states


def test_a_file_noted_again_replaces_what_was_noted(notebook):
    notebook.note_files({"a": FileState(1, 1), "b": FileState(2, 2)})
    notebook.note_files({"a": FileState(3, 3)})
    assert notebook.list_files() == {"a": FileState(3, 3), "b": FileState(2, 2)}


def test_any_number_of_files_is_noted(notebook, monkeypatch):
    monkeypatch.setattr(notebooks, "PAGE", 3)
    states = {f"file {number}": FileState(number, 1) for number in range(9)}
    notebook.note_files(states)
    assert notebook.list_files() == states


@pytest.mark.parametrize("put_back", [None, PutBack(), PutBack("30s", 2)])
def test_the_state_comes_back_as_it_was_noted(notebook, put_back):
    notebook.note_state(IndexState("2026-01-02T03:04:05+00:00", put_back))
    assert notebook.read_state() == IndexState("2026-01-02T03:04:05+00:00", put_back)


def test_other_entries_are_no_files(notebook):
    notebook.note_state(IndexState("now"))
    notebook.write("word", Word("a"), over=None)
    assert notebook.list_files() == {}


def test_an_entry_is_written_where_there_is_none(notebook):
    version = notebook.write("word", Word("a"), over=None)
    assert notebook.read_entry("word") == ({"said": "a"}, version)


def test_an_entry_that_is_there_is_not_written_over_unseen(notebook):
    notebook.write("word", Word("a"), over=None)
    assert notebook.write("word", Word("b"), over=None) is None
    assert notebook.read_entry("word").value == {"said": "a"}


def test_an_entry_is_written_over_the_version_that_was_seen(notebook):
    seen = notebook.write("word", Word("a"), over=None)
    notebook.write("word", Word("b"), over=seen)
    assert notebook.read_entry("word").value == {"said": "b"}


def test_an_entry_that_has_changed_since_is_not_written_over(notebook):
    seen = notebook.write("word", Word("a"), over=None)
    notebook.write("word", Word("b"), over=seen)
    assert notebook.write("word", Word("c"), over=seen) is None
    assert notebook.read_entry("word").value == {"said": "b"}


def test_an_entry_that_was_erased_since_is_not_written_over(notebook):
    seen = notebook.write("word", Word("a"), over=None)
    notebook.erase("word", over=seen)
    assert notebook.write("word", Word("b"), over=seen) is None


def test_only_the_version_that_was_seen_is_erased(notebook):
    seen = notebook.write("word", Word("a"), over=None)
    newer = notebook.write("word", Word("b"), over=seen)
    assert [notebook.erase("word", over=version) for version in (seen, newer)] == [False, True]
    assert notebook.read_entry("word") is None
