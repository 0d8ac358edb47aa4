import sqlite3
from pathlib import Path

import pytest

from likewise.errors import SessionError
from likewise.expansion.sessions.store import reword_errors

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
