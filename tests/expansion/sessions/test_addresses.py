"""A session of somebody else may name any server, which is not to learn one's password."""

import json
import shlex

import pytest

from expansion.corpus import corpus, library_in, seeds_on
from expansion.sessions.samples import new_session
from library.opensearch.fake_server import running
from likewise import library as engine_module
from likewise.cli import run
from likewise.errors import LikewiseError, SessionError
from likewise.expansion.sessions.expanding import expand_session
from likewise.expansion.sessions.session import Session
from likewise.library import (
    ADDRESSES_FILE,
    MOST_SESSIONS,
    check_address,
    remember_address,
    state_folder,
)

ADDRESS = "opensearch://search.example.org/papers"


@pytest.fixture(autouse=True)
def surroundings(monkeypatch, tmp_path):
    """Begin as a user who has a password for a cluster, and has not said anything yet."""
    for name in ("API_KEY", "HOST", "CA", "INSECURE"):
        monkeypatch.delenv(f"LIKEWISE_OPENSEARCH_{name}", raising=False)
    monkeypatch.setenv("LIKEWISE_OPENSEARCH_USER", "reader")
    monkeypatch.setenv("LIKEWISE_OPENSEARCH_PASSWORD", "s3cret")
    monkeypatch.setenv("LIKEWISE_OPENSEARCH_PATIENCE", "0")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    forget(monkeypatch)


def forget(monkeypatch):
    """Begin as a new process does."""
    monkeypatch.setattr(engine_module, "_given_here", set())


@pytest.fixture
def theirs():
    """A server that is not the user's."""
    with running() as server:
        yield server


@pytest.fixture
def sent(tmp_path, theirs):
    """The file of a session that somebody else has sent, which names their server."""
    address = f"opensearch://127.0.0.1:{theirs.port}/papers"
    new_session(tmp_path, library=address).close()
    return tmp_path / "review.likewise", address


def test_an_address_of_a_file_is_refused():
    with pytest.raises(SessionError, match=r"never given for it on this computer"):
        check_address("a.likewise", ADDRESS)


def test_an_address_that_was_given_is_taken(tmp_path, monkeypatch):
    remember_address(tmp_path / "a.likewise", ADDRESS)
    forget(monkeypatch)
    check_address(tmp_path / "a.likewise", ADDRESS)


def test_it_is_given_for_all_that_is_asked_of_these_servers():
    remember_address("a.likewise", ADDRESS)
    check_address("a.likewise", "opensearch://SEARCH.example.org/others?title=ti")


@pytest.mark.parametrize(
    "other",
    [
        "opensearch://search.example.org.evil.example/papers",
        "opensearch://search.example.org,evil.example/papers",
        "opensearch://search.example.org:9201/papers",
        "opensearch+https://search.example.org/papers",
    ],
)
def test_what_was_given_is_not_given_for_another_server(other):
    remember_address("a.likewise", ADDRESS)
    with pytest.raises(SessionError):
        check_address("a.likewise", other)


def test_what_was_given_is_not_given_for_another_session():
    remember_address("a.likewise", ADDRESS)
    with pytest.raises(SessionError):
        check_address("b.likewise", ADDRESS)


def test_a_folder_needs_nobodys_word(tmp_path):
    check_address("a.likewise", str(tmp_path / "lib"))
    remember_address("a.likewise", str(tmp_path / "lib"))
    assert not state_folder().exists()


def test_what_can_not_be_kept_counts_as_long_as_the_program_runs(tmp_path):
    (tmp_path / "state").write_text("no folder")
    remember_address("a.likewise", ADDRESS)
    check_address("a.likewise", ADDRESS)


def test_a_damaged_memory_is_none_and_is_replaced(tmp_path, monkeypatch):
    state_folder().mkdir(parents=True)
    (state_folder() / ADDRESSES_FILE).write_text("{")
    (tmp_path / "a.likewise").touch()
    remember_address(tmp_path / "a.likewise", ADDRESS)
    forget(monkeypatch)
    check_address(tmp_path / "a.likewise", ADDRESS)


def test_memory_does_not_grow_without_end(tmp_path, monkeypatch):
    many = {str(tmp_path): ["x"]} | {f"{tmp_path}/{'./' * n}": ["x"] for n in range(MOST_SESSIONS)}
    state_folder().mkdir(parents=True)
    (state_folder() / ADDRESSES_FILE).write_text(json.dumps(many))
    remember_address(tmp_path / "a.likewise", ADDRESS)
    kept = json.loads((state_folder() / ADDRESSES_FILE).read_text())
    assert len(kept) == MOST_SESSIONS
    assert str(tmp_path / "a.likewise") in kept


def test_sessions_that_are_gone_are_forgotten(tmp_path):
    remember_address(tmp_path / "gone.likewise", ADDRESS)
    remember_address(tmp_path / "a.likewise", ADDRESS)
    kept = json.loads((state_folder() / ADDRESSES_FILE).read_text())
    assert list(kept) == [str(tmp_path / "a.likewise")]


@pytest.mark.parametrize(
    "command",
    [
        ["expand", "--session", "FILE"],
        ["next", "FILE"],
        ["mark", "FILE", "--relevant", "10.1000/xyz"],
    ],
)
def test_a_session_of_somebody_else_gets_no_password_and_no_visit(sent, theirs, capsys, command):
    path, address = sent
    assert run([str(path) if word == "FILE" else word for word in command]) == 1
    assert f"--library {address}" in capsys.readouterr().err
    assert theirs.asked == []


def test_who_gives_the_address_is_not_asked_again(sent, theirs, capsys):
    path, address = sent
    run(["next", str(path), "--library", address])
    first = len(theirs.asked)
    run(["next", str(path)])
    assert "never given for it" not in capsys.readouterr().err
    assert 0 < first < len(theirs.asked)
    assert all(asked.headers["authorization"].startswith("Basic ") for asked in theirs.asked)


def test_who_gives_the_address_can_still_keep_the_password_for_others(sent, theirs, monkeypatch):
    monkeypatch.setenv("LIKEWISE_OPENSEARCH_HOST", "search.example.org")
    path, address = sent
    run(["next", str(path), "--library", address])
    assert theirs.asked
    assert not any("authorization" in asked.headers for asked in theirs.asked)


def test_a_session_can_be_gone_on_with_on_a_library_of_ones_own(tmp_path, sent, theirs):

    library = library_in(tmp_path / "lib", *corpus())
    with Session.open(sent[0]) as session:
        expand_session(session, library=library, any_library=True)
    assert theirs.asked == []


def test_who_begins_a_session_has_given_its_address(tmp_path, monkeypatch):
    from likewise.library import open_library
    from likewise.library.embedded import EmbeddedLibrary

    monkeypatch.setattr(EmbeddedLibrary, "place", ADDRESS)
    with open_library(library_in(tmp_path / "lib", *corpus())) as opened:
        path = tmp_path / "own.likewise"
        Session.create(path, opened, seeds_on("sugar")).close()
    check_address(path, ADDRESS)


def test_what_is_printed_to_be_typed_is_quoted_for_the_shell():
    address = "opensearch://a/b;reboot"
    with pytest.raises(LikewiseError) as caught:
        check_address("a.likewise", address)
    assert f"--library {shlex.quote(address)} " in str(caught.value)
