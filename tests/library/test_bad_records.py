"""Files and records that can't be used: each is named, and the others go on."""

import json
import multiprocessing
import os
import signal

import pytest

from likewise.cli import run
from likewise.documents import Document, write
from likewise.errors import RecordError
from likewise.library import open_library, shelf
from likewise.library.indexing import index_files
from likewise.library.intake import Intake
from likewise.library.memory import MemoryLibrary
from likewise.library.reading import read_files

PAPERS = [Document(id=str(n), title=f"Paper number {n}", abstract="Of rats.") for n in range(5)]


def index_with_problems(*sources, into):
    problems = []
    report = index_files(sources, into, on_problem=problems.append)
    return report, [str(problem) for problem in problems]


def list_ledger(library):
    with open_library(library) as opened:
        return list(opened.list_files())


NO_RECORD = "no record in it could be used; check the file, or say what it is with --format"


def test_a_file_without_a_record_has_failed_and_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr("likewise.documents.formats.ris.read", lambda source: iter(()))
    path, library = tmp_path / "a.ris", tmp_path / "lib"
    path.write_text("TY  - JOUR\nER  - \n")
    for _ in range(2):
        report, problems = index_with_problems(path, into=library)
        assert (report.read, report.failed, report.skipped) == (0, 1, 0)
        assert len(problems) == 1
        assert problems[0].startswith(f"{path}: {NO_RECORD}")
        assert list_ledger(library) == []


def test_a_file_whose_records_say_nothing_is_told_by_the_exit_code(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text("pmid,title\n1,\n2,\n")
    assert run(["index", str(path), "--into", str(tmp_path / "lib")]) == 1
    *complaints, last = capsys.readouterr().err.splitlines()
    assert last.startswith(f"{path}: {NO_RECORD}")
    assert len(complaints) == 2


def test_a_file_of_pubmed_with_deletions_alone_has_not_failed(tmp_path):
    path = tmp_path / "pubmed26n0002.xml"
    path.write_text(
        "<PubmedArticleSet><DeleteCitation><PMID>7</PMID></DeleteCitation></PubmedArticleSet>"
    )
    report, problems = index_with_problems(path, into=tmp_path / "lib")
    assert (report.read, report.failed, problems) == (1, 0, [])
    assert list_ledger(tmp_path / "lib") == [str(path)]


def test_a_wrong_path_leaves_no_library_behind(tmp_path, capsys):
    library = tmp_path / "lib"
    assert run(["index", str(tmp_path / "nowhere.ris"), "--into", str(library)]) == 1
    printed = capsys.readouterr()
    assert "no such file or folder" in printed.err
    assert printed.out == f"{library}: there was nothing to read, so no library was made\n"
    assert not library.exists()


def test_a_wrong_path_leaves_a_library_as_it_was(tmp_path):
    write(PAPERS, tmp_path / "a.jsonl")
    index_files(tmp_path / "a.jsonl", tmp_path / "lib")
    report, _ = index_with_problems(tmp_path / "nowhere.ris", into=tmp_path / "lib")
    assert (report.failed, report.documents) == (1, 5)


def test_a_record_that_fails_while_it_is_taken_in_is_named_and_the_others_go_on(
    tmp_path, monkeypatch
):
    def fail_for_three(document):
        if document.id == "3":
            raise ValueError("Exceeds the limit\nfor integer conversion")
        return real(document)

    real = shelf.identity_keys
    monkeypatch.setattr(shelf, "identity_keys", fail_for_three)
    path = tmp_path / "a.jsonl"
    write(PAPERS, path)
    report, problems = index_with_problems(path, into=tmp_path / "lib")
    assert (report.documents, report.counts.added, report.failed) == (4, 4, 0)
    said = "ValueError while taking the record in (Exceeds the limit for integer conversion)"
    assert len(problems) == 1
    assert problems[0].startswith(f"{path}:4: {said}; it was left out; this is a bug in")


def test_a_file_whose_records_all_fail_has_failed(tmp_path, monkeypatch):
    def fail(document):
        raise ValueError("bad")

    write(PAPERS, tmp_path / "a.jsonl")
    monkeypatch.setattr(shelf, "identity_keys", fail)
    report, problems = index_with_problems(tmp_path / "a.jsonl", into=tmp_path / "lib")
    assert (report.failed, len(problems)) == (1, 6)


@pytest.mark.parametrize("field", ["title", "abstract", "pmid"])
def test_a_record_with_half_a_character_is_left_out_of_its_block(field, tmp_path):
    refused = []
    with open_library(tmp_path / "lib", write=True) as library:
        intake = Intake(library)
        block = [
            *PAPERS[:2],
            Document(id="9", **{"title": "Cats", field: "half a \ud800 character"}),
            *PAPERS[2:],
        ]
        intake.take(block, on_refused=lambda place, error: refused.append((place, error)))
        intake.commit()
        assert (library.count(), intake.counts.added) == (5, 5)
    assert [place for place, _ in refused] == [2]
    assert isinstance(refused[0][1], RecordError)


def test_where_nobody_listens_a_record_that_fails_is_raised(tmp_path):
    with open_library(tmp_path / "lib", write=True) as library, pytest.raises(RecordError):
        Intake(library).take([Document(id="9", title="half a \ud800 character")])


def test_an_error_of_the_library_is_no_records_fault(monkeypatch):
    library = MemoryLibrary()

    def fail(documents, *, keys):
        raise OSError("no space")

    monkeypatch.setattr(library, "add", fail)
    with pytest.raises(OSError, match="no space"):
        Intake(library).take(PAPERS, on_refused=lambda place, error: None)


def test_a_reading_process_that_crashes_is_named_with_the_signal(tmp_path, monkeypatch):
    monkeypatch.setattr("likewise.library.reading.SMALL_BYTES", 0)
    path = tmp_path / "a.jsonl"
    with path.open("w") as stream:
        stream.writelines(
            json.dumps({"id": str(n), "title": "word " * 40}) + "\n" for n in range(100_000)
        )
    reading = read_files([path], workers=2)
    batches = next(reading)
    next(batches)
    for child in multiprocessing.active_children():
        os.kill(child.pid, signal.SIGSEGV)
    problem = str(list(batches)[-1].problems[-1])
    assert problem.startswith(f"{path}: the process that read it was ended by SIGSEGV; run the")
