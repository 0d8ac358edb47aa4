"""What was merged can be checked, taken apart and joined; it stays so when files are read again."""

import os

import pytest

from likewise.documents import Document, write
from likewise.errors import LibraryError, UnknownDocumentError
from likewise.library import duplicates, open_library
from likewise.library.duplicates import (
    DuplicatePair,
    join_papers,
    list_duplicates,
    split_papers,
    write_pairs,
)
from likewise.library.indexing import index_files
from likewise.library.intake import Intake
from likewise.library.keys import look_up_documents
from likewise.library.memory import MemoryLibrary

TITLE = "Sleep of nurses who work at night in winter"
TALK = Document(id="talk", title=TITLE, year=2001, journal="Proceedings", abstract="A talk.")
PAPER = Document(pmid="7", title=TITLE, year=2001, journal="Sleep", abstract="Twelve nurses slept.")
COPY = Document(doi="10.1000/a", pmid="7", title=TITLE.upper(), year=2001)


@pytest.fixture
def files(tmp_path):
    """Two files that hold a paper, a talk of the same title and year, and a copy."""
    write([TALK], tmp_path / "talks.jsonl")
    write(
        [PAPER, COPY, Document(pmid="8", title="Another paper, on dogs")], tmp_path / "refs.jsonl"
    )
    return [tmp_path / "talks.jsonl", tmp_path / "refs.jsonl"]


@pytest.fixture
def library(files, tmp_path):
    index_files(files, tmp_path / "lib")
    return tmp_path / "lib"


def read_again(files, library):
    """Touch files and index them again; return the counts."""
    for number, path in enumerate(files):
        os.utime(path, (number, number))
    return index_files(files, library).counts


def papers_in(library):
    """Return the title, journal and abstract of each document, by id."""
    with open_library(library) as opened:
        found = opened.get(opened.list_ids())
    return {paper.id: (paper.journal, paper.abstract) for paper in found}


def test_records_that_were_merged_are_listed_with_what_they_have_in_common(library, files):
    with open_library(library) as opened:
        pairs = list_duplicates(opened)
    told = [(pair.kept_id, pair.other_id, pair.matched_by, pair.other_place) for pair in pairs]
    assert told == [
        ("talk", "7", "title", f"{files[1]}:1"),
        ("talk", "7", "pmid", f"{files[1]}:2"),
    ]
    assert {pair.kept_source for pair in pairs} == {"jsonl:talks.jsonl"}


def test_duplicates_are_told_while_files_are_indexed(files, tmp_path):
    told = []
    index_files(files, tmp_path / "lib", on_duplicate=told.append)
    assert [(each.kept.id, each.other.pmid, each.matched) for each in told] == [
        ("talk", "7", "title"),
        ("talk", "7", "pmid"),
    ]


def test_a_paper_that_is_in_one_file_twice_is_told_and_its_newer_edition_is_not(tmp_path):
    write([PAPER, PAPER], tmp_path / "refs.jsonl")
    told = []
    index_files(tmp_path / "refs.jsonl", tmp_path / "lib", on_duplicate=told.append)
    assert [(each.matched, each.place) for each in told] == [("pmid", f"{tmp_path}/refs.jsonl:2")]
    write([Document(pmid="7", title="Edited")], tmp_path / "refs.jsonl")
    index_files(tmp_path / "refs.jsonl", tmp_path / "lib", on_duplicate=told.append)
    assert len(told) == 1


def test_split_records_are_papers_of_their_own_as_they_were_read(library):
    with open_library(library, write=True) as opened:
        parted = split_papers(opened, ["talk"])
    assert [(each.paper, len(each.into), each.into[:2]) for each in parted] == [
        ("talk", 3, ("talk", "7"))
    ]
    papers = papers_in(library)
    assert papers["talk"] == ("Proceedings", "A talk.")
    assert papers["7"] == ("Sleep", "Twelve nurses slept.")
    assert len(papers) == 4


def test_a_split_stays_when_files_are_read_again_in_any_order(library, files):
    with open_library(library, write=True) as opened:
        split_papers(opened, ["talk"])
    before = papers_in(library)
    for order in (files, files[::-1]):
        counts = read_again(order, library)
        assert (counts.unchanged, counts.taken) == (4, 4)
    assert papers_in(library) == before


def test_a_split_stays_when_another_copy_comes(library, tmp_path):
    with open_library(library, write=True) as opened:
        split_papers(opened, ["talk"])
    write([Document(id="new", title=TITLE, year=2001, authors=("Doe, J",))], tmp_path / "new.jsonl")
    index_files(tmp_path / "new.jsonl", library)
    assert len(papers_in(library)) == 4


def test_a_split_stays_when_a_record_is_edited(library, files, tmp_path):
    with open_library(library, write=True) as opened:
        split_papers(opened, ["talk"])
    edited = Document(
        pmid="7", title=TITLE, year=2001, journal="Sleep", abstract="Ten nurses slept."
    )
    write([edited, COPY, Document(pmid="8", title="Another paper, on dogs")], files[1])
    read_again(files, library)
    assert papers_in(library)["7"] == ("Sleep", "Ten nurses slept.")
    assert papers_in(library)["talk"] == ("Proceedings", "A talk.")


def test_a_paper_of_one_record_can_not_be_split(library):
    with (
        open_library(library, write=True) as opened,
        pytest.raises(LibraryError, match="8: can't be split: it is made of one record only"),
    ):
        split_papers(opened, ["talk", "8"])
    assert len(papers_in(library)) == 2


def test_what_was_merged_by_an_earlier_likewise_can_not_be_split(tmp_path):
    with open_library(tmp_path / "lib", write=True) as opened:
        opened.add([Document(id="1", title=TITLE, other_ids=("id:2",))])
        opened.commit()
        with pytest.raises(LibraryError, match="an earlier likewise merged its records"):
            split_papers(opened, ["1"])


def test_records_that_nothing_tells_apart_can_not_be_split(tmp_path):
    write([PAPER], tmp_path / "a.jsonl")
    write([PAPER], tmp_path / "b.jsonl")
    index_files([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], tmp_path / "lib")
    with (
        open_library(tmp_path / "lib", write=True) as opened,
        pytest.raises(LibraryError, match="7: can't be split: its records have the same"),
    ):
        split_papers(opened, ["7"])


@pytest.fixture
def apart(tmp_path):
    """A library of two papers with different PMIDs, and its file."""
    papers = [
        Document(pmid="7", title=TITLE, year=2001),
        Document(pmid="9", title="In print", year=2002),
    ]
    write(papers, tmp_path / "two.jsonl")
    index_files(tmp_path / "two.jsonl", tmp_path / "lib")
    return tmp_path / "lib", [tmp_path / "two.jsonl"]


def test_joined_papers_are_one_that_is_found_under_both_identifiers(apart):
    library, _ = apart
    with open_library(library, write=True) as opened:
        join_papers(opened, "9", "7")
        assert opened.list_ids() == ["9"]
        assert [paper.id for paper in look_up_documents(opened, ["7", "9"])] == ["9", "9"]


def test_a_join_stays_when_its_file_is_read_again(apart):
    library, files = apart
    with open_library(library, write=True) as opened:
        join_papers(opened, "7", "9")
    counts = read_again(files, library)
    assert (counts.unchanged, counts.taken) == (2, 2)
    assert list(papers_in(library)) == ["7"]


def test_a_join_stays_when_a_title_is_edited(apart):
    library, files = apart
    with open_library(library, write=True) as opened:
        join_papers(opened, "7", "9")
    papers = [Document(pmid="7", title=TITLE, year=2001)]
    write([*papers, Document(pmid="9", title="Printed", year=2002)], files[0])
    read_again(files, library)
    assert list(papers_in(library)) == ["7"]


def test_a_join_is_taken_back_by_a_split_and_a_split_by_a_join(apart):
    library, files = apart
    with open_library(library, write=True) as opened:
        before = opened.get(["7", "9"])
        join_papers(opened, "7", "9")
        split_papers(opened, ["7"])
        assert opened.get(["7", "9"]) == before
    read_again(files, library)
    assert list(papers_in(library)) == ["7", "9"]
    with open_library(library, write=True) as opened:
        join_papers(opened, "7", "9")
    read_again(files, library)
    assert list(papers_in(library)) == ["7"]


def test_a_paper_is_not_joined_with_itself_nor_with_one_that_is_not_there(apart):
    library, _ = apart
    with open_library(library, write=True) as opened:
        with pytest.raises(LibraryError, match="7 and PMID: 7: both are the document 7 already"):
            join_papers(opened, "7", "PMID: 7")
        with pytest.raises(UnknownDocumentError):
            join_papers(opened, "7", "nowhere")


@pytest.mark.parametrize("ending_at", ["add", "commit", "note_papers"])
def test_a_split_that_was_killed_is_finished_by_running_it_again(ending_at, library, monkeypatch):
    with open_library(library, write=True) as opened:
        monkeypatch.setattr(opened, ending_at, kill)
        with pytest.raises(KilledError):
            split_papers(opened, ["talk"])
    with open_library(library, write=True) as opened:
        assert split_papers(opened, ["talk"])[0].into[:2] == ("talk", "7")
    assert len(papers_in(library)) == 4


@pytest.mark.parametrize("ending_at", ["add", "delete", "commit"])
def test_a_join_that_was_killed_is_finished_by_running_it_again(ending_at, apart, monkeypatch):
    library, _ = apart
    with open_library(library, write=True) as opened:
        monkeypatch.setattr(opened, ending_at, kill)
        with pytest.raises(KilledError):
            join_papers(opened, "7", "9")
    with open_library(library, write=True) as opened:
        join_papers(opened, "7", "9")
    assert list(papers_in(library)) == ["7"]
    with open_library(library, write=True) as opened:
        assert split_papers(opened, ["7"])[0].into == ("7", "9")


class KilledError(Exception):
    """Stands for the end of a process."""


def kill(*_, **__):
    raise KilledError


def test_a_report_has_a_line_for_each_pair_and_no_formulas(tmp_path):
    pair = DuplicatePair("1", "=1+1", "ris:a", "2", "Two\nlines", "ris:b", "b.ris:7", "doi")
    write_pairs([pair], tmp_path / "a.csv")
    header, row = (tmp_path / "a.csv").read_text().splitlines()
    assert header.split(",")[-1] == "matched_by"
    assert row == "1,'=1+1,ris:a,2,Two lines,ris:b,b.ris:7,doi"


def test_rulings_hold_in_memory_too():
    library = MemoryLibrary()
    intake = Intake(library)
    intake.take([Document(id="7", pmid="7", title="A"), Document(id="9", pmid="9", title="B")])
    intake.commit()
    join_papers(library, "7", "9")
    again = Intake(library)
    again.take([Document(id="9", pmid="9", title="B")])
    again.commit()
    assert library.list_ids() == ["7"]


def test_an_engine_that_keeps_no_notes_says_so():
    class Plain:
        engine = "plain 1"

    with pytest.raises(LibraryError, match="plain 1 keeps no notes of duplicates"):
        duplicates.list_duplicates(Plain())
