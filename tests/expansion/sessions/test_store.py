import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import likewise
from expansion.sessions.samples import new_session, small_saved
from likewise.errors import SessionError
from likewise.expansion.records import Explanations
from likewise.expansion.sessions import store
from likewise.expansion.sessions.reasons import GivenNumbers
from likewise.expansion.sessions.records import SessionLook
from likewise.expansion.sessions.schema import NAMES
from likewise.expansion.sessions.session import Session
from likewise.expansion.sessions.store import reword_errors
from likewise.learn.estimates import Target

BEGIN_TO_WRITE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0.01, isolation_level=None)
try:
    connection.execute("BEGIN IMMEDIATE")
    print("begun")
except sqlite3.OperationalError as error:
    print(error)
"""


@pytest.fixture
def path(tmp_path):
    """The path of a session with something in every table, and one mark."""
    with new_session(tmp_path, name="Bees") as session:
        explanations = Explanations(("a",), ("s",), {})
        session.add_expansion(small_saved(), explanations=explanations)
        session.move_threshold(2)
        session.choose_target(Target(0.9))
        session.add_audit(["204"], population=["204", "205"])
        session.mark({"204": "relevant"}, reviewer="Ann")
        session.review.add_reason("no bees")
        session.review.tag(["204"], add=["hive"])
        session.review.note("204", "ask Ann")
        session.review.write_criteria("Bees alone.")
        session.review.give_numbers(GivenNumbers(sought=9))
        session.add_look(SessionLook(1, "", 1, "", 0))
    return tmp_path / "review.likewise"


def error(act, *args, **options):
    with pytest.raises(SessionError) as caught:
        act(*args, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def marked(path):
    with Session.open(path, read_only=True) as session:
        return list(session.current())


def program(text, *arguments):
    """Start another process with a session open in it."""
    beginning = """
        import os, resource, signal, sys
        from likewise.expansion.sessions.session import Session
        session = Session.open(sys.argv[1])
    """
    lines = textwrap.dedent(beginning) + textwrap.dedent(text)
    command = [sys.executable, "-c", lines, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_session_is_one_file_when_closed_and_while_open(path):
    with Session.open(path) as session:
        session.mark({"205": "maybe"})
        assert [file.name for file in path.parent.iterdir()] == ["review.likewise"]
    assert [file.name for file in path.parent.iterdir()] == ["review.likewise"]


@pytest.mark.parametrize("content", [b"TY  - JOUR\n", b"{}"])
def test_a_file_that_is_there_is_never_written_over(tmp_path, content):
    path = tmp_path / "review.likewise"
    path.write_bytes(content)
    assert "already exists; expand again with: likewise expand --session" in error(
        new_session, tmp_path
    )
    assert path.read_bytes() == content


def test_a_session_that_is_there_is_never_written_over(path):
    assert "already exists" in error(new_session, path.parent)
    assert marked(path) == ["204"]


def test_a_session_that_another_process_has_just_made_is_not_written_over(tmp_path, monkeypatch):
    new_session(tmp_path).close()
    monkeypatch.setattr(Path, "exists", lambda path: False)
    assert "already exists" in error(new_session, tmp_path)


def test_an_empty_file_that_a_killed_process_left_can_be_made_a_session(tmp_path):
    (tmp_path / "review.likewise").touch()
    with new_session(tmp_path) as session:
        assert session.mark({"1": "relevant"}).new == 1


def test_there_is_no_session_in_a_folder_that_is_not_there(tmp_path):
    assert "there is no folder" in error(new_session, tmp_path / "none")


def test_nothing_is_left_of_a_session_that_can_t_be_made(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "make_statements", lambda: ["CREATE TABLE ("])
    assert "it can't be read or written" in error(new_session, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "an empty file, not a session; make one with: likewise expand LIB SEEDS --session"),
        (b"id,title\n1,On cats\n", "review.likewise: not a session; make one with"),
        (b'{\n "kind": "likewise expansion",', "a saved expansion, which says how a list was made"),
        (b'{\n "kind": "likewise session",', "a saved expansion, which says how a list was made"),
        (b"SQLite format 3\0" + b"x" * 200, "not a session; make one with"),
    ],
)
def test_what_is_no_session_says_so(tmp_path, content, said):
    path = tmp_path / "review.likewise"
    path.write_bytes(content)
    assert said in error(Session.open, path)


def test_a_path_without_a_session_says_so(tmp_path):
    assert "there is no such session; make one" in error(Session.open, tmp_path / "none")
    assert "this is a folder, and a session is a file; give its file, or make one" in error(
        Session.open, tmp_path
    )


def test_a_folder_of_sessions_names_one_of_them(tmp_path):
    new_session(tmp_path).close()
    held = next(tmp_path.glob("*.likewise"))
    assert f"give its file, such as {held}, or" in error(Session.open, tmp_path)


def test_a_library_in_place_of_a_session_is_called_so(tmp_path):
    with likewise.open_library(tmp_path / "lib", write=True):
        pass
    said = error(Session.open, tmp_path / "lib")
    assert "this is a library, not a session; make one with: likewise expand " in said
    assert f"expand {tmp_path / 'lib'} SEEDS --session NEW_FILE" in said


@pytest.mark.parametrize(
    ("pragma", "said"),
    [
        ("application_id = 7", "another program's SQLite file, not a session"),
        ("user_version = 99", "a session of format 99, but likewise"),
    ],
)
def test_other_files_of_sqlite_are_told_apart(path, pragma, said):
    with store.Store(path).writing() as connection:
        connection.execute(f"PRAGMA {pragma}")
    connection.close()
    assert said in error(Session.open, path)


@pytest.mark.parametrize("kept", [0.4, 0.6, 0.9])
def test_a_file_that_was_cut_off_is_damaged(path, kept):
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * kept)])
    assert "a damaged session (" in error(Session.open, path)


def test_a_file_with_another_page_in_it_is_damaged(path):
    content = path.read_bytes()
    page = 4096
    path.write_bytes(content[: 2 * page] + b"\xff" * page + content[3 * page :])
    assert "use a copy of it" in error(Session.open, path)


def test_a_file_without_a_table_is_damaged(path):
    with store.Store(path).writing() as connection:
        connection.execute("DROP TABLE audits")
    connection.close()
    assert "a damaged session (no table audits)" in error(Session.open, path)


def test_an_expansion_that_can_t_be_unpacked_is_damaged(path):
    with store.Store(path).writing() as connection:
        connection.execute("INSERT INTO expansions VALUES (2, '', 0, '', 0, 0, x'0011')")
    connection.close()
    with Session.open(path) as session:
        assert "a damaged session (Error -3" in error(session.expansion)


@pytest.mark.parametrize("table", NAMES)
@pytest.mark.parametrize("act", ["UPDATE {} SET rowid = 5", "DELETE FROM {}"])
def test_rows_are_only_ever_added(path, table, act):
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="sessions are only ever added to"):
        connection.execute(act.format(table))
    connection.close()


def test_what_is_half_written_is_not_seen_by_others_and_does_not_keep_them_out(path):
    writer = store.Store(path)
    with writer.writing() as connection:
        connection.execute(
            "INSERT INTO marks VALUES (2, '1', 'maybe', '', 0, NULL, NULL, NULL, NULL, '')"
        )
        assert marked(path) == ["204"]
    writer.close()
    assert marked(path) == ["204", "1"]


def test_what_is_read_at_one_moment_does_not_see_what_others_add(path):
    with Session.open(path, read_only=True) as session, Session.open(path) as other:
        other._store.connection.execute("PRAGMA busy_timeout = 10")
        with session.at_one_moment():
            before = session.history()
            assert "another program has been writing" in error(other.mark, {"1": "maybe"})
            assert session.history() == before


def test_opening_a_session_again_leaves_its_locks_alone(path):
    # When a process closes a file, the system drops the locks that its other threads have on it.
    writer = store.Store(path)
    with writer.writing():
        Session.open(path, read_only=True).close()
        other = [sys.executable, "-c", BEGIN_TO_WRITE, str(path)]
        told = subprocess.run(other, capture_output=True, text=True, check=True).stdout
    writer.close()
    assert told == "database is locked\n"


def test_a_session_that_is_written_to_for_too_long_says_so(path, monkeypatch):
    monkeypatch.setattr(store, "PATIENCE", 0.01)
    writer = store.Store(path)
    with writer.writing():
        assert "wait for that program, or end it, and try again" in error(Session.open, path)
    writer.close()


def test_a_session_opened_for_reading_is_not_written_to(path):
    with Session.open(path, read_only=True) as session:
        assert "it can't be written to; copy it to a folder" in error(session.mark, {"1": "maybe"})
    assert marked(path) == ["204"]


def test_a_session_in_a_folder_that_can_t_be_written_to_can_only_be_read(path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert "it can't be written to" in error(Session.open, path)
    assert marked(path) == ["204"]


def test_a_full_disk_loses_nothing(path):
    ids = [str(number) for number in range(2000)]
    with Session.open(path) as session:
        session.mark(dict.fromkeys(ids[:100], "irrelevant"))
        session._store.connection.execute("PRAGMA max_page_count = 20")
        assert "the disk is full; everything marked before is kept: make room" in error(
            session.mark, dict.fromkeys(ids, "relevant")
        )
        assert len(session.current()) == 101
    assert marked(path) == ["204", *ids[:100]]


def test_a_file_that_may_not_grow_loses_nothing(path):
    process = program(
        """
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
        for number in range(1000):
            ids = [f"{number}-{one}" for one in range(30)]
            try:
                session.mark(dict.fromkeys(ids, "relevant"))
            except Exception as error:
                sys.exit(f"{type(error).__name__}: {error}")
            print(*ids)
        """,
        path,
    )
    printed, told = process.communicate(timeout=60)
    assert "SessionError: " in told
    assert "is the disk full or disconnected?" in told
    assert marked(path) == ["204", *printed.split()]


@pytest.mark.parametrize("acknowledged", [1, 12])
def test_what_was_acknowledged_outlasts_a_kill(path, acknowledged):
    process = program(
        """
        for number in range(10_000):
            session.mark({str(number): "relevant"})
            print(number, flush=True)
        """,
        path,
    )
    printed = [process.stdout.readline().strip() for _ in range(acknowledged)]
    process.kill()
    printed += process.communicate(timeout=60)[0].split()
    found = marked(path)
    assert found[: len(printed) + 1] == ["204", *printed]
    assert len(found) <= len(printed) + 2


@pytest.mark.parametrize("read_only", [True, False])
def test_what_was_half_written_at_a_kill_is_taken_back(path, read_only):
    process = program(
        """
        session._store.connection.execute("PRAGMA cache_size = 1")
        with session._store.writing() as connection:
            session._add_marks(connection, {str(number): "relevant" for number in range(5000)})
            os.kill(os.getpid(), signal.SIGKILL)
        """,
        path,
    )
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert path.with_name("review.likewise-journal").stat().st_size
    with Session.open(path, read_only=read_only) as session:
        assert list(session.current()) == ["204"]


def test_two_processes_may_mark_at_once(path):
    text = """
        for number in range(15):
            session.mark({f"{sys.argv[2]}{number}": "relevant"})
    """
    processes = [program(text, path, name) for name in "ab"]
    assert [process.communicate(timeout=60)[1] for process in processes] == ["", ""]
    assert set(marked(path)) == {
        "204",
        *(f"{name}{number}" for name in "ab" for number in range(15)),
    }
    with Session.open(path) as session:
        assert [mark.number for mark in session.history()] == list(range(1, 32))


def test_a_copy_made_while_it_is_open_is_whole(path):
    with Session.open(path) as session:
        session.mark({"205": "maybe"})
        shutil.copy(path, path.with_name("copy.likewise"))
        session.mark({"1": "maybe"})
    assert marked(path.with_name("copy.likewise")) == ["204", "205"]


def together(session, *steps):
    """Take steps in one transaction; return the errors of those that failed alone."""
    failed = []
    with session.writing_together():
        for step in steps:
            try:
                step()
            except SessionError as error:
                failed.append(str(error))
    return failed


def test_what_is_written_together_is_written_when_it_ends(path):
    with Session.open(path) as session:
        with session.writing_together():
            session.mark({"1": "maybe"})
            session.undo()
            session.rename("Wasps")
            session.mark({"2": "maybe"})
            assert list(session.current()) == ["204", "2"]
            assert marked(path) == ["204"]
        assert marked(path) == ["204", "2"]
        assert (session.name, session.version()) == ("Wasps", (1, 4, 1, 2, 1, 1, 1, 1, 1, 1, 1))


def test_what_is_written_together_waits_for_the_disk_once(path):
    commits = []
    with Session.open(path) as session:
        session._store.connection.set_trace_callback(
            lambda text: commits.append(text) if text == "COMMIT" else None
        )
        together(session, *(lambda n=n: session.mark({str(n): "maybe"}) for n in range(50)))
    assert len(commits) == 1


def test_nothing_of_what_is_written_together_is_written_if_it_is_broken_off(path):
    def broken_off():
        raise KeyError

    with Session.open(path) as session:
        with pytest.raises(KeyError):
            together(session, lambda: session.mark({"1": "maybe"}), broken_off)
        assert list(session.current()) == ["204"]
        session.mark({"2": "maybe"})
    assert marked(path) == ["204", "2"]


def test_what_fails_among_others_is_taken_back_alone(path):
    with Session.open(path) as session:
        failed = together(
            session,
            lambda: session.mark({"1": "maybe"}),
            lambda: session.mark({"2": "maybe", "\ud800": "maybe"}),
            lambda: session.mark({"3": "good"}),
            lambda: session.mark({"4": "maybe"}),
        )
    assert ["half a character" in failed[0], "no label 'good'" in failed[1]] == [True, True]
    assert marked(path) == ["204", "1", "4"]


def test_where_the_disk_is_full_nothing_of_what_is_written_together_is_kept(path):
    many = {str(number): "relevant" for number in range(2000)}
    with Session.open(path) as session:
        session._store.connection.execute("PRAGMA cache_size = 1")
        session._store.connection.execute("PRAGMA max_page_count = 25")
        marks = [{"a": "maybe"}, many, {"b": "maybe"}]
        steps = [lambda labels=labels: session.mark(labels) for labels in marks]
        assert "a part could not be written, so nothing was" in error(together, session, *steps)
        session.mark({"c": "maybe"})
    assert marked(path) == ["204", "c"]


def test_what_is_read_at_one_moment_can_t_be_written_to(path):
    with Session.open(path) as session, session.at_one_moment():
        assert "cannot start a transaction" in error(session.mark, {"1": "maybe"})
    assert marked(path) == ["204"]


def test_what_was_written_together_and_not_ended_at_a_kill_is_taken_back(path):
    process = program(
        """
        with session.writing_together():
            for number in range(200):
                session.mark({str(number): "relevant"})
            os.kill(os.getpid(), signal.SIGKILL)
        """,
        path,
    )
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert marked(path) == ["204"]


PATH = Path("review.likewise")


def of_kind(code):
    error = sqlite3.OperationalError("what SQLite says")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (of_kind(sqlite3.SQLITE_BUSY), "another program has been writing to it for 30 seconds"),
        (of_kind(sqlite3.SQLITE_BUSY_SNAPSHOT), "another program has been writing to it"),
        (of_kind(sqlite3.SQLITE_FULL), "the disk is full; everything marked before is kept"),
        (of_kind(sqlite3.SQLITE_READONLY_DIRECTORY), "it can't be written to; copy it"),
        (of_kind(sqlite3.SQLITE_CANTOPEN), "can't be opened (what SQLite says); may you write to"),
        (of_kind(sqlite3.SQLITE_CORRUPT_INDEX), "a damaged session (what SQLite says)"),
        (of_kind(sqlite3.SQLITE_IOERR_WRITE), "(what SQLite says); everything marked before is"),
        (sqlite3.ProgrammingError("closed"), "it can't be read or written (closed)"),
        (OSError(28, "No space left on device"), "(No space left on device); everything marked"),
    ],
)
def test_troubles_say_what_to_do_in_one_line(raised, said):
    with pytest.raises(SessionError) as caught, reword_errors(PATH):
        raise raised
    assert str(caught.value).startswith("review.likewise: ")
    assert said in str(caught.value)


def test_what_we_say_ourselves_is_left_as_it_is():
    with pytest.raises(SessionError, match=r"^ours$"), reword_errors(PATH):
        raise SessionError("ours")
