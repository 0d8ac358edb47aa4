import gzip
import multiprocessing
import os
import signal
import subprocess
import sys
import time

import pytest

from likewise.documents import Document, write
from likewise.errors import (
    LibraryBusyError,
    LibraryError,
    NotALibraryError,
    UnknownFormatError,
)
from likewise.library import open_library
from likewise.library.indexing import IndexSettings, index_files
from likewise.library.reading import read_files

PAPERS = [Document(id=str(n), title=f"Paper number {n}", abstract="Of rats.") for n in range(30)]


@pytest.fixture
def library(tmp_path):
    return tmp_path / "lib"


@pytest.fixture
def papers(tmp_path):
    write(PAPERS, tmp_path / "papers.jsonl")
    return tmp_path / "papers.jsonl"


def indexed(*sources, into, **settings):
    problems = []
    settings = IndexSettings(**settings)
    report = index_files(sources, into, settings=settings, on_problem=problems.append)
    return report, [str(problem) for problem in problems]


def ids_in(library):
    with open_library(library) as opened:
        return {paper.id for paper in opened.get([paper.id for paper in PAPERS])}


def test_every_document_of_a_file_is_in_the_library(papers, library):
    assert indexed(papers, into=library)[0].documents == 30


def test_a_folder_is_read_with_the_folders_in_it(papers, library, tmp_path):
    (tmp_path / "in" / "deep").mkdir(parents=True)
    write(PAPERS[:3], tmp_path / "in" / "deep" / "a.jsonl.gz")
    write(PAPERS[3:5], tmp_path / "in" / "b.csv")
    (tmp_path / "in" / "notes.docx").write_text("no format of ours")
    (tmp_path / "in" / ".hidden.csv").write_text("title\nhidden")
    report, _ = indexed(tmp_path / "in", into=library)
    assert (report.read, report.documents) == (2, 5)


def test_a_file_that_has_not_changed_is_not_read_again(papers, library):
    indexed(papers, into=library)
    report, _ = indexed(papers, into=library)
    assert (report.read, report.skipped, report.documents) == (0, 1, 30)


def test_a_changed_file_is_read_again(papers, library):
    indexed(papers, into=library)
    write([*PAPERS, Document(id="new", title="A new one")], papers)
    report, _ = indexed(papers, into=library)
    assert (report.counts.added, report.counts.unchanged) == (1, 30)


def test_a_file_named_twice_is_read_once(papers, library):
    assert indexed(papers, papers, into=library)[0].read == 1


def test_a_broken_file_is_named_and_the_others_are_kept(papers, library, tmp_path):
    broken = tmp_path / "a.jsonl.gz"
    broken.write_bytes(gzip.compress(papers.read_bytes())[:-20])
    report, problems = indexed(broken, papers, into=library)
    assert (report.failed, report.read, report.documents) == (1, 1, 30)
    assert problems[0].startswith(f"{broken}: the gzip data is cut off")


def test_a_broken_file_is_tried_again_the_next_time(library, tmp_path):
    broken = tmp_path / "a.ris"
    broken.write_text("nothing of the kind")
    indexed(broken, into=library)
    assert indexed(broken, into=library)[0].failed == 1


def test_a_record_with_no_text_is_left_out_and_named_with_its_line(library, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("pmid,title\n1,Cats\n2,\n3,Dogs\n")
    report, problems = indexed(path, into=library)
    assert report.documents == 2
    assert problems[0].startswith(f"{path}:3: record '2' has neither title nor abstract")


def test_a_path_that_does_not_exist_is_named_and_the_others_are_read(papers, library, tmp_path):
    report, problems = indexed(tmp_path / "nowhere.ris", papers, into=library)
    assert (report.documents, report.failed) == (30, 1)
    assert problems == [f"{tmp_path / 'nowhere.ris'}: no such file or folder; check the path"]


def test_a_folder_without_files_of_ours_says_which_would_be(library, tmp_path):
    (tmp_path / "empty").mkdir()
    _, problems = indexed(tmp_path / "empty", into=library)
    assert problems[0].startswith(f"{tmp_path / 'empty'}: no file in it has a known suffix")


def test_one_file_need_not_be_in_a_list(papers, library):
    assert index_files(str(papers), library).documents == 30


def test_a_file_of_another_name_for_its_format_is_read_by_the_name_given(library, tmp_path):
    (tmp_path / "a.txt").write_text("title|year\nCats|1999\n")
    report, _ = indexed(tmp_path / "a.txt", into=library, format="csv")
    assert report.documents == 1


def test_a_format_that_nobody_knows_makes_no_library(papers, library):
    with pytest.raises(UnknownFormatError, match="no format is called 'foo'"):
        indexed(papers, into=library, format="foo")
    assert not library.exists()


def test_files_of_other_suffixes_in_a_folder_are_counted(papers, library, tmp_path):
    (tmp_path / "notes.docx").touch()
    assert indexed(tmp_path, into=library)[0].passed_over == 1


def test_a_pipe_is_refused_in_one_line_and_the_others_are_read(papers, library, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    report, problems = indexed(tmp_path / "pipe", papers, into=library)
    assert report.documents == 30
    assert problems == [f"{tmp_path / 'pipe'}: this is not a regular file; save it to a file first"]


def test_a_dead_link_in_a_folder_is_named_and_the_others_are_read(papers, library, tmp_path):
    (tmp_path / "dead.ris").symlink_to(tmp_path / "nowhere.ris")
    report, problems = indexed(tmp_path, into=library)
    assert (report.documents, report.failed) == (30, 1)
    assert problems == [f"{tmp_path / 'dead.ris'}: no such file or folder; check the path"]


def test_a_name_that_is_not_text_is_no_hindrance(papers, library, tmp_path):
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/odd\xff.jsonl")
    papers.rename(odd)
    report, _ = indexed(odd, into=library)
    again, _ = indexed(odd, into=library)
    assert (report.documents, again.skipped) == (30, 1)


def test_a_mistake_of_ours_in_one_file_does_not_stop_the_others(
    papers, library, tmp_path, monkeypatch
):
    def broken(source):
        raise RecursionError("too deep")

    monkeypatch.setattr("likewise.documents.formats.ris.read", broken)
    (tmp_path / "a.ris").write_text("TY  - JOUR\nER  - \n")
    report, problems = indexed(tmp_path / "a.ris", papers, into=library)
    assert report.documents == 30
    assert problems[0].startswith(f"{tmp_path / 'a.ris'}: the file can't be read")
    assert "RecursionError" in problems[0]


def test_an_endless_id_is_replaced_and_told(library, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "' + "x" * 70_000 + '", "pmid": "7", "title": "Cats"}\n')
    report, problems = indexed(path, into=library)
    assert (report.documents, problems) == (
        1,
        [f"{path}:1: an id of 70,000 characters; another was made"],
    )


def test_records_before_the_break_of_a_gzip_file_are_kept(library, tmp_path):
    lines = "".join(f'{{"id": "{n}", "title": "Paper {n} {hash(str(n))}"}}\n' for n in range(9000))
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(gzip.compress(lines.encode())[:-4000])
    report, problems = indexed(path, into=library)
    assert report.failed == 1
    assert report.documents > 8000
    assert len(problems) == 1


def test_an_impossible_year_is_left_out_and_told(library, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "1", "title": "Cats", "year": 99999999999999999999999}\n')
    report, problems = indexed(path, into=library)
    assert report.documents == 1
    assert problems[0].startswith(f"{path}:1: the year 9999")


def test_a_file_is_read_again_if_another_format_is_asked_for(library, tmp_path):
    (tmp_path / "a.txt").write_text("title|year\nCats|1999\n")
    indexed(tmp_path / "a.txt", into=library)
    report, _ = indexed(tmp_path / "a.txt", into=library, format="csv")
    assert (report.read, report.skipped) == (1, 0)


def test_large_and_small_files_are_taken_in_their_order(tmp_path, monkeypatch):
    monkeypatch.setattr("likewise.library.reading.SMALL_BYTES", 1000)
    paths = [tmp_path / f"{n}.jsonl" for n in range(6)]
    for number, path in enumerate(paths):
        write(PAPERS[: 30 if number % 2 else 1 + number], path)
    read = read_files(paths, workers=2)
    assert [sum(len(batch.documents) for batch in file) for file in read] == [1, 30, 3, 30, 5, 30]


def test_a_script_without_a_guard_may_index(many_files, library, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import likewise, sys\n"
        "import likewise.library.reading as reading\n"
        "reading.SMALL_BYTES = 0\n"
        "print(likewise.index_files(sys.argv[1], sys.argv[2]).documents)\n"
    )
    command = [sys.executable, str(script), str(many_files), str(library)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.stderr) == ("24000\n", "")


def test_an_id_used_twice_in_a_file_is_told_with_its_line(library, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,title\nx,Cats\nx,Dogs\n")
    report, problems = indexed(path, into=library)
    assert report.documents == 2
    assert problems[0].startswith(
        f"{path}:3: the id 'x' already names another paper, from csv:a.csv"
    )


def test_the_same_papers_in_two_formats_are_merged(library, tmp_path):
    papers = [Document(title=f"Some paper number {n} on rats", doi=f"10.1000/{n}", year=2001)
              for n in range(5)]  # fmt: skip
    write(papers, tmp_path / "a.ris")
    write(papers, tmp_path / "b.bib")
    report, _ = indexed(tmp_path / "a.ris", tmp_path / "b.bib", into=library)
    assert report.documents == 5


def test_deletions_remove_what_earlier_files_brought(library, tmp_path):
    write([Document(id="7", pmid="7", title="Withdrawn"), Document(id="8", pmid="8", title="Kept")],
          tmp_path / "pubmed01.xml")  # fmt: skip
    (tmp_path / "pubmed02.xml").write_text(
        "<PubmedArticleSet><DeleteCitation><PMID>7</PMID></DeleteCitation></PubmedArticleSet>"
    )
    report, _ = indexed(tmp_path / "pubmed01.xml", tmp_path / "pubmed02.xml", into=library)
    assert (report.documents, report.counts.deleted) == (1, 1)


def test_a_folder_of_other_things_is_not_made_a_library(papers, tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.txt").write_text("precious")
    with pytest.raises(NotALibraryError, match="holds other files"):
        index_files([papers], tmp_path / "thesis")


def test_a_damaged_ledger_is_named_with_what_to_do(papers, library):
    indexed(papers, into=library)
    (library / "sources.json").write_text("{")
    with pytest.raises(LibraryError, match=r"sources\.json: damaged .*delete it"):
        index_files([papers], library)


def test_without_its_ledger_a_library_recognises_its_documents(papers, library):
    indexed(papers, into=library)
    (library / "sources.json").unlink()
    assert indexed(papers, into=library)[0].counts.unchanged == 30


def test_a_second_writer_is_told_to_wait(papers, library):
    with (
        open_library(library, write=True),
        pytest.raises(LibraryBusyError, match="another process"),
    ):
        index_files([papers], library)


def test_readers_go_on_reading_while_another_process_writes(papers, library):
    indexed(papers, into=library)
    with open_library(library, write=True) as writer:
        writer.add([Document(id="x", title="Not committed")])
        assert len(ids_in(library)) == 30


def test_an_open_reader_sees_what_is_committed_later(papers, library, tmp_path):
    indexed(papers, into=library)
    with open_library(library) as reader, open_library(library, write=True) as writer:
        writer.add([Document(id="x", title="New")])
        writer.commit()
        deadline = time.monotonic() + 20
        while not reader.get(["x"]) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert reader.get(["x"])


def test_files_are_taken_in_their_order_by_processes_too(tmp_path, monkeypatch):
    monkeypatch.setattr("likewise.library.reading.SMALL_BYTES", 0)
    paths = [tmp_path / f"{n}.jsonl" for n in range(5)]
    for number, path in enumerate(paths):
        write(PAPERS[: 1 + number], path)
    read = read_files(paths, workers=3)
    assert [sum(len(batch.documents) for batch in file) for file in read] == [1, 2, 3, 4, 5]


def test_a_reading_process_that_is_killed_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("likewise.library.reading.SMALL_BYTES", 0)
    path = tmp_path / "a.jsonl"
    with path.open("w") as stream:
        stream.writelines(f'{{"id": "{n}", "title": "{"word " * 40}"}}\n' for n in range(300_000))
    reading = read_files([path], workers=2)
    batches = next(reading)
    next(batches)
    for child in multiprocessing.active_children():
        os.kill(child.pid, signal.SIGKILL)
    last = list(batches)[-1]
    assert last.failed
    assert "the process that read it was ended" in str(last.problems[-1])


SLOW_INDEX = """
import sys, time
from likewise.library.indexing import IndexSettings, index_files

def show(progress):
    print(progress.documents, flush=True)
    time.sleep(0.01)

if __name__ == "__main__":
    settings = IndexSettings(workers=2, commit_documents=2000)
    index_files([sys.argv[1]], sys.argv[2], settings=settings, on_progress=show)
"""

# No file may grow beyond this: writing fails just as on a full disk.
INDEX_ON_A_FULL_DISK = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
from likewise.cli import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def many_files(tmp_path_factory):
    """Eight files of 3,000 papers, which tests only read."""
    folder = tmp_path_factory.mktemp("many")
    for file in range(8):
        titles = {f"{file}-{n}": f"Paper {n} of file {file}" for n in range(3000)}
        papers = [
            Document(id=key, title=title, abstract="x " * 90) for key, title in titles.items()
        ]
        write(papers, folder / f"{file}.jsonl")
    return folder


@pytest.mark.parametrize("batches_before_the_kill", [1, 9, 30])
def test_a_killed_run_leaves_what_it_committed_and_the_next_finishes_the_job(
    many_files, library, batches_before_the_kill
):
    command = [sys.executable, "-c", SLOW_INDEX, str(many_files), str(library)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for _ in range(batches_before_the_kill):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    with open_library(library) as opened:
        survived = opened.count()
    report, problems = indexed(many_files, into=library)
    assert (report.documents, problems) == (24_000, [])
    assert report.counts.added == 24_000 - survived


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_what_it_took_and_says_so(many_files, library, told):
    command = [sys.executable, "-m", "likewise", "index", str(many_files), "--into", str(library)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not (library / "index" / "meta.json").exists():
            time.sleep(0.01)
        process.send_signal(told)
        said = process.stderr.read()
    if process.returncode:  # it may have been done already
        assert process.returncode == 130
        assert said.strip().startswith("likewise: stopped; what was done so far is kept")
        assert "Traceback" not in said
    assert indexed(many_files, into=library)[0].documents == 24_000


def test_a_disk_that_is_full_ends_in_one_line_and_loses_nothing(papers, library, tmp_path):
    indexed(papers, into=library)
    write([Document(id=f"n{n}", title=f"Paper {n}", abstract=f"w{n} " * 50) for n in range(40_000)],
          tmp_path / "big.jsonl")  # fmt: skip
    sources = [str(tmp_path / "big.jsonl"), "--into", str(library)]
    command = [sys.executable, "-c", INDEX_ON_A_FULL_DISK, "index", *sources]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith(f"likewise: {library}: could not be written, perhaps for lack")
    assert len(ids_in(library)) == 30
