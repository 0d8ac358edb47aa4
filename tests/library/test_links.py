"""Links between papers: who cites whom, in memory, on disk, and from files."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likewise.documents import Document
from likewise.errors import LibraryError, ReadError
from likewise.library import link_files, link_imports, open_library
from likewise.library.embedded import EmbeddedLibrary
from likewise.library.link_files import FolderLinks, build_graph, merge_runs, write_notes
from likewise.library.link_imports import LinksListener, import_links, parse_rows
from likewise.library.links import (
    Graphs,
    LinkGraph,
    MemoryLinks,
    find_neighbours,
    number_paper,
    open_links,
    require_links,
    sort_pairs,
)
from likewise.library.memory import MemoryLibrary

A = Document(id="1", pmid="1", title="Ash", references=("10", "11", "1"))
B = Document(id="2", pmid="2", doi="10.5555/b", title="Birch", references=("1", "10"))
C = Document(id="c", doi="10.5555/c", title="Cedar", references=("10.5555/b", "11", "10.5555/c"))


def follow(links, direction, *names):
    """What some papers are linked with, by name."""
    papers = links.number(names)
    found = links.follow(papers, direction)
    others = links.name(found.papers)
    return {
        name: sorted(other for row, other in zip(found.rows, others, strict=True) if row == place)
        for place, name in enumerate(names)
    }


@pytest.fixture(params=["memory", "embedded"])
def library(request, tmp_path):
    """A library of three papers that cite one another."""
    opened = (
        MemoryLibrary()
        if request.param == "memory"
        else EmbeddedLibrary(tmp_path / "lib", write=True)
    )
    opened.add([A, B, C])
    opened.commit()
    yield opened
    opened.close()


def test_links_go_both_ways(library):
    links = open_links(library)
    assert follow(links, "cites", "1", "2") == {"1": ["10", "11"], "2": ["1", "10"]}
    assert follow(links, "cited_by", "10", "11", "12") == {
        "10": ["1", "2"], "11": ["1", "10.5555/c"], "12": [],
    }  # fmt: skip


def test_a_paper_that_cites_itself_does_not(library):
    links = open_links(library)
    assert follow(links, "cites", "1", "10.5555/c") == {
        "1": ["10", "11"], "10.5555/c": ["10.5555/b", "11"],
    }  # fmt: skip


def test_a_paper_is_found_by_each_of_its_identifiers(library):
    found = find_neighbours(library, open_links(library), B)
    assert [one.name for one in found.cited_by] == ["10.5555/c"]
    assert [one.document.title for one in found.cites if one.document] == ["Ash"]


def test_what_is_cited_with_a_paper_is_counted(library):
    found = find_neighbours(library, open_links(library), Document(id="10", pmid="10"))
    assert [(one.name, one.times) for one in found.cited_with] == [("1", 1), ("11", 1)]


def test_a_library_without_references_has_no_links():
    library = MemoryLibrary()
    library.add([Document(id="1", title="Ash")])
    library.commit()
    assert open_links(library) is None
    with pytest.raises(LibraryError, match="lib: it knows no citations; index files"):
        require_links(library, where="lib")


def test_links_are_counted(library):
    links = open_links(library)
    assert links.count(np.array([10, 11, 99], dtype=np.uint64), "cited_by").tolist() == [2, 2, 0]
    assert links.count_all()[:2] == (6, 3)


def test_links_are_there_when_a_library_is_opened_again(tmp_path):
    with open_library(tmp_path / "lib", write=True) as library:
        library.add([A, B, C])
        library.commit()
    with open_library(tmp_path / "lib") as library:
        assert follow(open_links(library), "cited_by", "10") == {"10": ["1", "2"]}


def test_what_a_paper_cites_now_takes_the_place_of_what_it_cited(tmp_path, monkeypatch):
    monkeypatch.setattr(link_files, "FEW", 0)
    for references in (("10", "11"), ("12",)):
        with open_library(tmp_path / "lib", write=True) as library:
            library.add([Document(id="1", pmid="1", references=references), B])
            library.commit()
    links = FolderLinks(tmp_path / "lib")
    assert follow(links, "cites", "1", "2") == {"1": ["12"], "2": ["1", "10"]}
    assert follow(links, "cited_by", "11") == {"11": []}


def test_what_a_killed_run_has_put_aside_is_no_link(tmp_path, monkeypatch):
    monkeypatch.setattr(link_files, "FEW", 0)
    aside = tmp_path / "lib" / "links" / "runs"
    with open_library(tmp_path / "lib", write=True) as library:
        aside.mkdir(parents=True)
        np.save(aside / "000000.npy", np.array([[1, 99]], dtype=np.uint32))
        library.add([A])
        library.commit()
    assert follow(FolderLinks(tmp_path / "lib"), "cites", "1") == {"1": ["10", "11"]}
    assert not aside.exists()


def test_links_that_wait_are_merged_in_less_memory_than_they_take(tmp_path, monkeypatch):
    monkeypatch.setattr(link_files, "RANGE", 20_000)
    waiting = tmp_path / "links" / "new"
    waiting.mkdir(parents=True)
    cited = np.tile(np.arange(50, dtype=np.uint64), 400)
    for number in range(40):
        citing = np.repeat(np.arange(400, dtype=np.uint64) + 400 * number, 50)
        np.save(waiting / f"{number:06}.npy", np.stack([citing, cited], 1))
    tracemalloc.start()
    link_files.LinkWriter(tmp_path).settle()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(note.links for note in link_files.read_notes(tmp_path / "links")) == 40 * 400 * 50
    assert peak < 40 * 400 * 50 * 16 / 2


def test_few_new_links_wait_and_are_seen(tmp_path):
    for paper in (A, B):
        with open_library(tmp_path / "lib", write=True) as library:
            library.add([paper])
            library.commit()
    assert len(link_files.list_waiting(tmp_path / "lib" / "links")) == 1
    assert follow(FolderLinks(tmp_path / "lib"), "cited_by", "10") == {"10": ["1", "2"]}


def test_what_was_not_committed_is_no_link(tmp_path):
    with open_library(tmp_path / "lib", write=True) as library:
        library.add([A])
    assert FolderLinks(tmp_path / "lib").graphs == ()


def test_a_damaged_list_of_graphs_is_told(tmp_path):
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "links.json").write_text("[")
    with pytest.raises(LibraryError, match=r"links\.json: can't be read .* index again"):
        FolderLinks(tmp_path)


pairs = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=30)


@given(runs=st.lists(pairs, min_size=1, max_size=4), kind=st.sampled_from(["u4", "u8"]))
def test_merged_runs_hold_each_pair_once_and_in_order(runs, kind):
    link_files.RANGE, before = 8, link_files.RANGE
    try:
        found = merge_runs([sort_pairs(np.array(run, dtype=kind)) for run in runs])
        merged = [tuple(pair) for block in found for pair in block.tolist()]
    finally:
        link_files.RANGE = before
    assert merged == sorted({pair for run in runs for pair in run})


@settings(max_examples=20)
@given(rows=pairs)
def test_a_graph_on_disk_tells_what_one_in_memory_does(rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("lib")
    given = np.array(rows, dtype=np.uint32)
    write_notes(folder, [build_graph([sort_pairs(given)], folder, kind="uint32")])
    (folder.parent / f"{folder.name}-lib").mkdir()
    folder.rename(folder.parent / f"{folder.name}-lib" / "links")
    asked = np.arange(10, dtype=np.uint64)
    stored = FolderLinks(folder.parent / f"{folder.name}-lib")
    memory = Graphs([LinkGraph.of(given)])
    for direction in ("cites", "cited_by"):
        here, there = memory.follow(asked, direction), stored.follow(asked, direction)
        assert here.rows.tolist() == there.rows.tolist()
        assert here.papers.tolist() == there.papers.tolist()


# Files of links

ROWS = "citing,referenced\n5,3\n5,4\n7,3\n7,7\n"


@pytest.fixture
def lib(tmp_path):
    """A library without documents."""
    EmbeddedLibrary(tmp_path / "lib", write=True).close()
    return tmp_path / "lib"


def read_links(lib, text, name="links.csv"):
    """Read a file of this text; return the report, the problems and the links."""
    path = lib.parent / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    problems = []
    report = import_links(lib, path, listener=LinksListener(problems.append))
    return report, [str(problem) for problem in problems], FolderLinks(lib)


def test_a_file_of_links_is_read(lib):
    report, problems, links = read_links(lib, ROWS)
    assert (report.rows, report.links, report.own, problems) == (4, 3, 1, [])
    assert follow(links, "cited_by", "3") == {"3": ["5", "7"]}


def test_a_header_may_name_the_cited_paper_first(lib):
    _, _, links = read_links(lib, "referenced,citing\n3,5\n")
    assert follow(links, "cites", "5") == {"5": ["3"]}


def test_rows_may_come_in_any_order_and_twice(lib):
    report, _, links = read_links(lib, "7,3\n5,4\n7,3\n5,3\n")
    assert report.links == 3
    assert follow(links, "cites", "5") == {"5": ["3", "4"]}


def test_columns_in_the_wrong_order_are_noticed_by_their_pmids(lib):
    text = "".join(f"{number},{number + 5}\n" for number in range(1, 2000))
    report, problems, links = read_links(lib, text)
    assert report.is_swapped
    assert "its rows name the cited paper first" in problems[0]
    assert follow(links, "cites", "6") == {"6": ["1"]}


def test_lines_that_are_no_numbers_are_told_with_their_place(lib):
    report, problems, _ = read_links(lib, "5,3\nabc,4\n7\n7,3\n")
    assert (report.links, report.unread) == (2, 2)
    assert "links.csv:2: 'abc,4' is not a pair of PMIDs" in problems[0]


def test_a_last_line_that_may_be_cut_off_is_left_out_and_told(lib):
    report, problems, _ = read_links(lib, "5,3\n7,3")
    assert report.links == 1
    assert "'7,3 (the last line has no end)' is not a pair" in problems[0]


def test_half_a_packed_file_is_refused_and_what_was_there_stays(lib):
    read_links(lib, ROWS)
    text = "".join(f"{number + 9},{number}\n" for number in range(1, 50_000)).encode()
    with pytest.raises(ReadError, match="cut off"):
        read_links(lib, gzip.compress(text)[:-5000], "links.csv.gz")
    assert follow(FolderLinks(lib), "cites", "5") == {"5": ["3", "4"]}


def test_packed_files_are_read(lib, tmp_path):
    report, _, _ = read_links(lib, gzip.compress(b"5,3\n7,3"), "links.csv.gz")
    assert report.links == 2
    with zipfile.ZipFile(tmp_path / "links.zip", "w") as packed:
        packed.writestr("links.csv", ROWS)
    assert import_links(lib, tmp_path / "links.zip").links == 3


def test_a_file_of_anything_else_is_refused(lib):
    with pytest.raises(ReadError, match="it has no row of two PMIDs"):
        read_links(lib, "title,abstract\nOn cats,They purr\n")
    with pytest.raises(ReadError, match="it is empty"):
        read_links(lib, "")


def test_another_file_takes_the_place_of_the_first(lib):
    read_links(lib, ROWS)
    _, _, links = read_links(lib, "9,8\n", "other.csv")
    assert follow(links, "cites", "5", "9") == {"5": [], "9": ["8"]}
    assert len(list((lib / "links").glob("graph-*"))) == 1


def test_links_of_documents_and_of_a_file_are_put_together(lib):
    with open_library(lib, write=True) as library:
        library.add([A])
        library.commit()
    _, _, links = read_links(lib, "1,10\n1,12\n")
    assert follow(links, "cites", "1") == {"1": ["10", "11", "12"]}
    assert links.count(np.array([10], dtype=np.uint64), "cited_by").tolist() == [1]


def test_links_are_not_read_into_a_cluster():
    with pytest.raises(LibraryError, match="only a library in a folder can have a file of links"):
        import_links("opensearch://host:9200/papers", "links.csv")


KILLED = """
import sys
from likewise.library import link_imports
link_imports.RUN, link_imports.BLOCK = 20_000, 100_000
link_imports.import_links(sys.argv[1], sys.argv[2])
"""


def test_a_killed_run_is_gone_on_with(lib, tmp_path):
    rng = np.random.default_rng(7)
    rows = np.sort(rng.integers(1, 10**6, size=(300_000, 2)), axis=1)[:, ::-1]
    path = tmp_path / "links.csv"
    path.write_text("".join(f"{a},{b}\n" for a, b in rows.tolist()))
    run = subprocess.Popen([sys.executable, "-c", KILLED, str(lib), str(path)])
    state = lib / "links" / "import" / "state.json"
    end = time.monotonic() + 60
    while time.monotonic() < end and run.poll() is None and not _has_runs(state, 3):
        time.sleep(0.002)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    link_imports.RUN, before = 20_000, link_imports.RUN
    link_imports.BLOCK, blocks = 100_000, link_imports.BLOCK
    try:
        report = import_links(lib, path)
    finally:
        link_imports.RUN, link_imports.BLOCK = before, blocks
    assert report.rows == 300_000
    assert report.resumed >= 60_000
    links = FolderLinks(lib)
    asked = np.unique(rows[:500]).astype(np.uint64)
    expected = Graphs([LinkGraph.of(rows[rows[:, 0] != rows[:, 1]].astype(np.uint32))])
    for direction in ("cites", "cited_by"):
        found, told = links.follow(asked, direction), expected.follow(asked, direction)
        assert found.papers.tolist() == told.papers.tolist()
    assert not (lib / "links" / "import").exists()


def _has_runs(state, count):
    try:
        return json.loads(state.read_bytes())["runs"] >= count
    except (OSError, ValueError):
        return False


@given(rows=st.lists(st.tuples(st.integers(1, 10**9 - 1), st.integers(0, 10**9 - 1))))
def test_plain_rows_are_parsed_together(rows):
    text = "".join(f"{citing},{cited}\n" for citing, cited in rows).encode()
    assert [tuple(row) for row in parse_rows(text).tolist()] == rows


@pytest.mark.parametrize(
    "text", [b"1,2", b"1\n2,3,4\n", b",2\n", b"1,2,3\n4\n", b"1;2\n", b"1,2 \n", b"1,1234567890\n"]
)
def test_anything_else_is_looked_at_line_by_line(text):
    assert parse_rows(text) is None


def test_the_number_of_a_doi_does_not_change():
    # Graphs on disk hold it.
    assert number_paper("10.5555/b") == 6961740034312862119


def test_names_of_documents_without_references_take_no_memory():
    assert MemoryLinks([Document(id="1", doi="10.5555/x")]).name(
        np.array([number_paper("10.5555/x")], dtype=np.uint64)
    ) == [""]


@pytest.mark.parametrize("kind", ["u4", "u8"])
def test_no_pairs_are_sorted_too(kind):
    assert sort_pairs(np.empty((0, 2), dtype=kind)).shape == (0, 2)


def test_a_paper_that_cites_only_itself_has_no_links(lib):
    with open_library(lib, write=True) as library:
        library.add([Document(id="1", pmid="1", references=("1",))])
        library.commit()
    assert FolderLinks(lib).graphs == ()
