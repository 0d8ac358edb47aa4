"""Which records make a paper, and what rulings call them."""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import msgspec
import pytest

from likewise.documents import Document
from likewise.errors import LibraryError
from likewise.library import folder, open_library
from likewise.library.paper_notes import PaperNote, TakenRecord, find_ruling, name_record

PAPER = Document(
    id="x", pmid="7", title="On cats", year=2001, journal="Cats", authors=("Doe, Jane",)
)


def make_note(*documents):
    return PaperNote(tuple(TakenRecord(document) for document in documents))


def test_a_newer_edition_takes_the_place_of_the_earlier_one_of_its_file():
    old = Document(id="1", title="Catz", source="csv:a")
    new = Document(id="1", title="Cats", source="csv:a")
    other = Document(id="1", title="Cats", source="csv:b")
    note = make_note(old, other).put(TakenRecord(new, "a:2", "title"))
    assert [record.document for record in note.records] == [new, other]


def test_a_later_release_of_pubmed_takes_the_place_of_an_earlier_one():
    old = Document(id="7", pmid="7", source="pubmed:pubmed26n0001.xml.gz")
    new = Document(id="7", pmid="7", source="pubmed:pubmed26n0002.xml.gz")
    assert make_note(old).put(TakenRecord(new)) == make_note(new)


def test_a_record_is_held_just_as_it_is():
    note = make_note(PAPER)
    assert note.holds(PAPER)
    assert not note.holds(msgspec.structs.replace(PAPER, abstract="New."))


@pytest.mark.parametrize(
    ("changed", "is_same"),
    [
        ({"abstract": "More.", "keywords": ("cats",), "source": "ris:again.ris"}, True),
        ({"title": "On CATS.", "authors": ("Doe, J", "Roe, R")}, True),
        ({"pmid": "8"}, False),
        ({"title": "On dogs"}, False),
        ({"year": 2002}, False),
        ({"journal": "Dogs"}, False),
        ({"authors": ("Roe, R",)}, False),
        ({"id": "y"}, False),
    ],
)
def test_a_record_has_the_name_of_what_identifies_it_to_people(changed, is_same):
    other = msgspec.structs.replace(PAPER, **changed)
    assert (name_record(other) == name_record(PAPER)) is is_same


@pytest.mark.parametrize("identifier", ["7", "made-0123"])
def test_an_id_that_was_made_for_a_record_is_no_part_of_its_name(identifier):
    named = [msgspec.structs.replace(PAPER, id=name) for name in (identifier, "")]
    assert name_record(named[0]) == name_record(named[1])


@pytest.mark.parametrize(
    ("rulings", "paper"),
    [
        ({}, None),
        ({"pmid:7": "9"}, "9"),
        ({"pmid:7": "9", name_record(PAPER): "1"}, "1"),
        ({"pmid:7": ""}, None),
        ({"pmid:8": "9"}, None),
    ],
)
def test_a_ruling_on_a_record_goes_before_one_on_its_identifier(rulings, paper):
    assert find_ruling(PAPER, rulings) == paper


@pytest.fixture
def library(tmp_path):
    with open_library(tmp_path / "lib", write=True) as opened:
        opened.note_papers({"1": make_note(PAPER)})
        opened.commit()
    return tmp_path / "lib"


def test_damaged_notes_end_in_one_line_that_says_what_deleting_them_costs(library):
    (library / "papers.sqlite").write_bytes(b"no database at all, and long enough to be looked at")
    with (
        open_library(library) as opened,
        pytest.raises(LibraryError, match=r"papers\.sqlite: damaged .*; delete it: all documents"),
    ):
        opened.read_papers()


def test_notes_that_were_only_begun_are_none(library):
    (library / "papers.sqlite").write_bytes(b"")
    with open_library(library) as opened:
        assert (opened.read_papers(), opened.read_rulings()) == ({}, {})


@pytest.mark.parametrize("table", ["papers", "rulings"])
def test_notes_of_which_only_one_table_was_made_are_none(library, table):
    notes = library / "papers.sqlite"
    notes.unlink()
    with closing(sqlite3.connect(notes)) as connection:
        connection.execute(f"CREATE TABLE {table} (id TEXT PRIMARY KEY, note BLOB NOT NULL)")
    with open_library(library) as opened:
        assert (opened.read_papers(), opened.read_rulings()) == ({}, {})


def test_the_tables_of_notes_are_made_together_or_not_at_all(library):
    notes = library / "papers.sqlite"
    notes.unlink()
    script = folder._TABLES.partition("CREATE TABLE IF NOT EXISTS rulings")[0]
    with closing(sqlite3.connect(notes)) as connection:  # closed where a kill might be
        connection.executescript(script)
    with closing(sqlite3.connect(notes)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == []
    with open_library(library, write=True) as opened:
        opened.note_papers({"1": make_note(PAPER)})
        assert (list(opened.read_papers()), opened.read_rulings()) == (["1"], {})


KILLED = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
rows = ((str(number), b"x" * 3000) for number in range(500))
connection.executemany("INSERT OR REPLACE INTO papers VALUES (?, ?)", rows)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_process_was_killed_in_is_taken_back_by_whoever_reads_next(library):
    notes = str(library / "papers.sqlite")
    subprocess.run([sys.executable, "-c", KILLED, notes], check=False)
    assert (library / "papers.sqlite-journal").stat().st_size > 0
    with open_library(library) as opened:
        assert opened.read_papers() == {"1": make_note(PAPER)}


def test_notes_that_may_not_be_written_are_read(library):
    copy = library.parent / "copy"
    shutil.copytree(library, copy)
    (copy / "papers.sqlite").chmod(0o400)
    with open_library(copy) as opened:
        assert opened.read_papers() == {"1": make_note(PAPER)}


def test_a_library_opened_for_reading_takes_no_notes(library):
    with open_library(library) as opened, pytest.raises(LibraryError, match="for reading only"):
        opened.note_rulings({"a": "1"})
