import shutil
import sqlite3
from pathlib import Path

import pytest

from expansion.samples import small_expansion
from expansion.sessions.samples import new_session, small_saved
from likewise.errors import SessionError
from likewise.expansion.sessions.schema import FORMAT, NAMES, read_format
from likewise.expansion.sessions.session import Session
from likewise.learn.stopping.target import Target

OLD = Path(__file__).parents[2] / "data" / "old"


@pytest.fixture
def old(tmp_path):
    """A copy of a session of the first format, in which nothing has a name."""
    return Path(shutil.copy(OLD / "format1.likewise", tmp_path / "old.likewise"))


@pytest.fixture
def second(tmp_path):
    """A copy of a session of the second format, in which no target can be kept."""
    return Path(shutil.copy(OLD / "format2.likewise", tmp_path / "second.likewise"))


def tables(path):
    connection = sqlite3.connect(path)
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    version = read_format(connection)
    connection.close()
    return version, {name for (name,) in found}


def test_a_session_has_the_name_it_was_made_with(tmp_path):
    with new_session(tmp_path, name="Bees, and <b>others</b>") as session:
        assert session.name == "Bees, and <b>others</b>"


def test_a_session_need_not_have_a_name(tmp_path):
    with new_session(tmp_path) as session:
        assert (session.name, session.names()) == ("", [])


def test_the_last_name_counts_and_the_first_is_kept(tmp_path):
    with new_session(tmp_path, name="Bees") as session:
        session.rename("Wasps")
        session.rename("Wasps")
    with Session.open(tmp_path / "review.likewise", read_only=True) as again:
        assert again.name == "Wasps"
        assert [(name.number, name.name) for name in again.names()] == [(1, "Bees"), (2, "Wasps")]


def test_a_name_can_be_taken_away(tmp_path):
    with new_session(tmp_path, name="Bees") as session:
        session.rename("")
        assert session.name == ""


def test_a_name_that_can_t_be_written_changes_nothing(tmp_path):
    with new_session(tmp_path, name="Bees") as session:
        with pytest.raises(SessionError, match="half a character in an id or a name"):
            session.rename("\ud800")
        assert session.name == "Bees"


def test_an_old_session_is_read_as_it_is(old):
    before = old.read_bytes()
    with Session.open(old, read_only=True) as session:
        assert (session.name, session.names(), session.thresholds()) == ("", [], [])
        assert session.explanations() is None
        assert (session.target(), session.targets()) == (None, [])
        assert session.version() == (1, 4, 0, 0, 1, 0)
        assert session.cut() == session.original_cut() == 6
        assert [head.decided for head in session.expansions()] == [3]
    assert old.read_bytes() == before


def test_an_old_session_that_is_only_read_can_t_be_renamed(old):
    refused = pytest.raises(SessionError, match="can't be written to")
    with Session.open(old, read_only=True) as session, refused:
        session.rename("Bees")
    assert tables(old)[0] == 1


def test_an_old_session_is_brought_up_when_it_is_opened_to_be_written_to(old):
    Session.open(old).close()
    version, found = tables(old)
    assert (version, found) == (FORMAT, set(NAMES))


def test_an_old_session_that_was_brought_up_keeps_what_it_held(old):
    with Session.open(old, read_only=True) as session:
        before = session.start, session.history(), session.expansion(), session.audits()
    with Session.open(old) as session:
        now = session.start, session.history(), session.expansion(), session.audits()
    assert now == before


def test_an_old_session_can_do_what_new_ones_can(old):
    with Session.open(old) as session:
        session.rename("Bees")
        session.move_threshold(2)
        session.choose_target(Target(0.9))
        session.mark({"205": "maybe"})
        session.add_expansion(small_saved(), explanations=small_expansion().explain.explain_all())
    with Session.open(old) as again:
        assert (again.name, again.version()) == ("Bees", (2, 5, 1, 1, 1, 1))
        assert again.explanations().explain("203").up == ("insulin",)
        assert (again.cut(1), again.cut(2)) == (2, 6)


def test_the_new_tables_of_an_old_session_are_only_ever_added_to(old):
    with Session.open(old) as session:
        session.rename("Bees")
    connection = sqlite3.connect(old)
    with pytest.raises(sqlite3.IntegrityError, match="sessions are only ever added to"):
        connection.execute("DELETE FROM names")
    connection.close()


def test_a_session_without_targets_is_read_as_it_is(second):
    before = second.read_bytes()
    with Session.open(second, read_only=True) as session:
        assert (session.target(), session.targets()) == (None, [])
        assert (session.name, session.cut(), session.version()) == ("Bees", 4, (1, 2, 1, 1, 1, 0))
    assert second.read_bytes() == before


def test_a_session_without_targets_is_brought_up_and_keeps_what_it_held(second):
    with Session.open(second, read_only=True) as session:
        before = session.names(), session.thresholds(), session.history(), session.expansion()
    with Session.open(second) as session:
        session.choose_target(Target(0.8, 0.9, "audits"))
        now = session.names(), session.thresholds(), session.history(), session.expansion()
        assert (now, session.target()) == (before, Target(0.8, 0.9, "audits"))
    assert tables(second) == (FORMAT, set(NAMES))


@pytest.mark.parametrize("number", range(1, FORMAT))
def test_a_session_of_every_format_before_is_kept_to_be_opened(number):
    with Session.open(OLD / f"format{number}.likewise", read_only=True) as session:
        assert session.start.likewise == "0.1.0"


def test_an_old_session_that_another_process_brings_up_is_read_on(old):
    with Session.open(old, read_only=True) as reader, Session.open(old) as writer:
        writer.rename("Bees")
        writer.move_threshold(0)
        assert (reader.name, reader.cut()) == ("Bees", 0)


def test_two_that_open_an_old_session_at_once_bring_it_up_once(old):
    with Session.open(old) as one, Session.open(old) as other:
        one.rename("Bees")
        assert other.name == "Bees"


def test_an_old_session_that_can_t_be_brought_up_stays_as_it_is(old, monkeypatch):
    broken = ["CREATE TABLE names (number)", "CREATE TABLE ("]
    monkeypatch.setattr("likewise.expansion.sessions.store.make_statements", lambda since: broken)
    with pytest.raises(SessionError, match="it can't be read or written"):
        Session.open(old)
    assert tables(old) == (1, {"start", "expansions", "audits", "marks"})
