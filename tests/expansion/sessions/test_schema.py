"""Files that say that they are sessions, and were made to do harm or are damaged."""

import sqlite3
from contextlib import closing

import pytest

from expansion.sessions.samples import new_session, small_saved
from likewise.errors import SessionError
from likewise.expansion.sessions.session import Session

MARK = "INSERT INTO marks VALUES (1, {document}, {label}, {time}, 1, {rank}, 0.5, {how}, NULL, '')"
USUAL = {"document": "'204'", "label": "'maybe'", "time": "''", "rank": "3", "how": "'audit'"}


@pytest.fixture
def path(tmp_path):
    with new_session(tmp_path, name="Bees") as session:
        session.add_expansion(small_saved())
    return tmp_path / "review.likewise"


def changed(path, *statements):
    """Change a session as none of ours does, and return what is said when it is opened."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    try:
        Session.open(path, read_only=True).close()
    except SessionError as error:
        return str(error).removeprefix(f"{path}: ")
    return "whole"


def damaged(fault):
    return f"a damaged session ({fault}); use a copy of it"


def test_a_row_as_we_write_them_is_whole(path):
    assert changed(path, MARK.format(**USUAL)) == "whole"


@pytest.mark.parametrize(
    "odd",
    [
        {"document": "x'ff'"},
        {"time": "x'00'"},
        {"label": "'<b>'"},
        {"how": "'guessed'"},
        {"rank": "'third'"},
    ],
)
def test_a_mark_that_makes_no_sense_is_damage(path, odd):
    found = changed(path, MARK.format(**USUAL | odd))
    assert found == damaged("a row of marks that makes no sense")


def test_a_name_that_is_no_text_is_damage(path):
    found = changed(path, "INSERT INTO names VALUES (2, '', x'ff00')")
    assert found == damaged("a row of names that makes no sense")


@pytest.mark.parametrize("odd", ["1.5, 0.9, 'audits'", "0.9, 1.0, 'audits'", "0.9, 0.9, 'luck'"])
def test_a_target_that_can_t_be_is_damage(path, odd):
    found = changed(path, f"INSERT INTO targets VALUES (1, '', {odd})")
    assert found == damaged("a row of targets that makes no sense")


def test_a_view_in_place_of_a_table_is_damage_and_never_looked_at(path):
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9)"
    view = f"CREATE VIEW names AS {endless} SELECT i AS number, '' AS time, '' AS name FROM n"
    assert changed(path, "DROP TABLE names", view) == damaged("no table names")


def test_a_trigger_of_others_is_damage(path):
    trigger = "CREATE TRIGGER wipe AFTER INSERT ON names BEGIN DELETE FROM marks; END"
    assert changed(path, trigger) == damaged("a trigger wipe that likewise did not write")


def test_a_trigger_of_others_under_a_name_of_ours_is_damage(path):
    name = "no_DELETE_of_marks"
    trigger = f"CREATE TRIGGER {name} AFTER INSERT ON names BEGIN DELETE FROM marks; END"
    found = changed(path, f"DROP TRIGGER {name}", trigger)
    assert found == damaged(f"a trigger {name} that likewise did not write")


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE marks RENAME COLUMN label TO said",
        "ALTER TABLE marks ADD COLUMN more TEXT AS (label || label)",
    ],
)
def test_a_table_of_other_columns_is_damage(path, change):
    assert changed(path, change) == damaged("a table marks with other columns")


def test_an_expansion_of_another_number_than_it_has_is_damage(path):
    found = changed(path, "INSERT INTO expansions VALUES (7, '', 0, '', 0, 0, x'00')")
    assert found == damaged("rows of expansions are missing")


def test_a_format_that_never_was_is_no_session(path):
    assert changed(path, "PRAGMA user_version = -1").startswith("a session of format -1, which")


def test_an_audit_that_is_no_list_is_damage(path):
    changed(path, "INSERT INTO audits VALUES (1, '', 1, '[[', x'00')")
    with (
        Session.open(path, read_only=True) as session,
        pytest.raises(SessionError, match=r"a damaged session \(.*\); use a copy of it"),
    ):
        session.audits()
