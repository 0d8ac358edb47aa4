"""The same bytes, the same library: reading files again changes nothing, in whatever order."""

import os
from contextlib import suppress
from itertools import permutations

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import given

from likewise.documents import Document, write
from likewise.documents.identity import ensure_id, settle
from likewise.errors import LibraryError
from likewise.library import open_library
from likewise.library.duplicates import join_papers, split_papers
from likewise.library.indexing import IndexSettings, index_files
from likewise.library.intake import Intake
from likewise.library.memory import MemoryLibrary

TITLES = ["Insulin and the sleep of rats in winter", "On the diet of dogs that live with cats"]

records = st.builds(
    Document,
    id=st.sampled_from(["", "", "1", "2"]),
    pmid=st.sampled_from(["", "", "7", "8"]),
    doi=st.sampled_from(["", "", "10.1000/a", "10.1000/b"]),
    title=st.sampled_from(TITLES),
    abstract=st.sampled_from(["", "Short.", "Rather long, and of no use to anybody."]),
    year=st.sampled_from([None, 2001]),
    journal=st.sampled_from(["", "Sleep"]),
    other_ids=st.sampled_from([(), ("pii:2", "mid:1"), ("mid:1", "pii:2")]),
)
files = st.lists(st.lists(records, min_size=1, max_size=4), min_size=1, max_size=3)


def take_file(library, number, documents, *, format_="ris"):
    """Take the records of a file in as indexing does; return what became of them."""
    intake = Intake(library)
    intake.begin_file()
    source = f"{format_}:{number}"
    named = [msgspec.structs.replace(ensure_id(each), source=source) for each in documents]
    intake.take(named)
    intake.commit()
    return intake.counts


@given(files, st.sampled_from(["ris", "pubmed"]), st.randoms())
def test_records_that_are_taken_again_in_any_order_change_nothing(told, format_, random):
    library = MemoryLibrary()
    for number, documents in enumerate(told):
        take_file(library, number, documents, format_=format_)
    before = library.get(library.list_ids())
    again = list(enumerate(told))
    random.shuffle(again)
    for number, documents in again:
        counts = take_file(library, number, documents, format_=format_)
        assert counts.unchanged == len(documents)
    assert library.get(library.list_ids()) == before


class ExactLibrary(MemoryLibrary):
    """A library that knows again what it holds."""

    def find_exact(self, documents):
        return {each.id for each in documents if self.get([each.id]) == [each]}


def take_again_and_again(library, told, places):
    """Take some of the files in, one after the other; return what became of them."""
    intake = Intake(library)
    for number in places:
        intake.begin_file()
        intake._is_repetition = True
        intake.take([ensure_id(each) for each in told[number % len(told)]])
        if number % 2:
            intake.commit()
    intake.commit()
    return intake.counts


@given(files, st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_records_that_are_known_again_become_what_they_became_by_their_keys(told, places):
    known, by_keys = ExactLibrary(), MemoryLibrary()
    counts = [take_again_and_again(library, told, places) for library in (known, by_keys)]
    assert counts[0] == counts[1]
    assert known.get(known.list_ids()) == by_keys.get(by_keys.list_ids())
    assert known.read_papers() == by_keys.read_papers()


SOURCES = [
    *("ris:a.ris", "ris:b.ris", "nbib:x.nbib", "pubmed:export.xml"),
    *("pubmed:pubmed21n0001.xml", "pubmed:pubmed22n1200.xml"),
]
RICH = Document(volume="12", pages="1-9", urls=("https://example.org/a",), remarks=("said",),
                extra=(("ris:C1", "x"),), database="Embase", keywords=("k",))  # fmt: skip


@st.composite
def mixed_files(draw):
    """Up to three files of different formats; one of PubMed's has a PMID once."""
    told = []
    for source in draw(st.lists(st.sampled_from(SOURCES), min_size=1, max_size=3, unique=True)):
        of_pubmed = source.startswith("pubmed:")
        pmids = st.sampled_from(["7", "8"] if of_pubmed else ["", "", "7", "8"])
        papers = []
        for paper in draw(st.lists(records, min_size=1, max_size=3)):
            changed = {"pmid": draw(pmids), "id": "" if of_pubmed else paper.id, "source": source}
            if draw(st.booleans()):
                changed |= {name: getattr(RICH, name) for name in ("volume", "urls", "extra")}
            papers.append(settle(msgspec.structs.replace(paper, **changed)))
        told.append(list({paper.pmid: paper for paper in papers}.values() if of_pubmed else papers))
    return told


def take_records(library, papers):
    intake = Intake(library)
    intake.begin_file()
    intake.take(papers)
    intake.commit()
    return intake.counts


def rule(library, random):
    """Split a paper or join two, if that can be done."""
    ids = sorted(library.list_ids())
    with suppress(LibraryError):
        if random.random() < 0.5:
            split_papers(library, [random.choice(ids)])
        elif len(ids) > 1:
            join_papers(library, *random.sample(ids, 2))


@given(mixed_files(), st.randoms(use_true_random=False))
def test_rereads_change_nothing_whatever_was_split_and_joined_in_between(told, random):
    library = MemoryLibrary()
    for papers in told:
        take_records(library, papers)
        rule(library, random)
    before = library.get(library.list_ids()), library.read_papers()
    for papers in random.sample(told, len(told)) + random.sample(told, len(told)):
        assert take_records(library, papers).unchanged == len(papers)
    assert (library.get(library.list_ids()), library.read_papers()) == before


PUBMED = Document(id="7", pmid="7", title=TITLES[0], abstract="Told by PubMed.", year=2001,
                  source="pubmed:pubmed21n0001.xml")  # fmt: skip
LATER = msgspec.structs.replace(PUBMED, title=TITLES[0].upper(), abstract="",
                                source="pubmed:pubmed22n1200.xml")  # fmt: skip
RICHER = msgspec.structs.replace(RICH, id="mine", pmid="7", doi="10.1000/a", title=TITLES[0],
                                 abstract="Told at length by a database that is not PubMed.",
                                 year=2001, journal="Sleep", source="ris:a.ris")  # fmt: skip


@pytest.mark.parametrize("order", list(permutations([PUBMED, LATER, RICHER])))
def test_editions_of_pubmed_that_were_merged_with_a_richer_record_change_nothing_again(order):
    library = MemoryLibrary()
    for paper in order:
        take_records(library, [paper])
    (before,) = library.get(library.list_ids())
    assert before.volume == "12"
    for again in permutations(order):
        assert [take_records(library, [paper]).unchanged for paper in again] == [1, 1, 1]
    assert library.get(library.list_ids()) == [before]


def test_an_export_of_pubmed_does_not_hide_which_edition_was_read():
    library = MemoryLibrary()
    export = msgspec.structs.replace(PUBMED, journal="Sleep", source="pubmed:export.xml")
    for paper in (LATER, export, PUBMED):
        take_records(library, [paper])
    assert library.get(["7"])[0].source == LATER.source


def test_a_ruling_on_an_identifier_takes_no_record_out_of_another_paper():
    one, two = (
        Document(id=name, pmid="7", doi=f"10.1000/{name}", title=TITLES[0]) for name in "ab"
    )
    other = Document(id="8", pmid="8", doi="10.1000/b", title=TITLES[1])
    library = MemoryLibrary()
    take_records(library, [one, two, other])
    split_papers(library, ["a"])
    before = library.get(library.list_ids())
    assert take_records(library, [one, two, other]).unchanged == 3
    assert library.get(library.list_ids()) == before


A, B, C = (
    [Document(pmid="7", title=TITLES[0], abstract="Long, and told by PubMed.", year=2001,
              other_ids=("pii:2", "mid:1")),
     Document(id="x", title=TITLES[1], year=1999)],
    [Document(doi="10.1000/a", title=TITLES[0], year=2001, journal="Sleep", keywords=("b", "a")),
     Document(id="x", title="Another paper of that name", abstract="Not on dogs at all.")],
    [Document(pmid="7", doi="10.1000/a", title=TITLES[0].upper(), year=2001,
              other_ids=("wos:9", "pii:2")),
     Document(doi="10.1000/d", title=TITLES[1], year=1999, abstract="On dogs, and on cats.")],
)  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """Three files whose papers overlap, in three formats."""
    (tmp_path / "in").mkdir()
    for name, papers in {"a.jsonl": A, "b.ris": B, "c.bib": C}.items():
        write(papers, tmp_path / "in" / name)
    return tmp_path / "in"


def stored_in(library):
    """Return the bytes of every document of a library."""
    with open_library(library) as opened:
        return [msgspec.msgpack.encode(document) for document in opened.get(opened.list_ids())]


@pytest.mark.parametrize("order", list(permutations(["a.jsonl", "b.ris", "c.bib"])))
def test_files_that_were_touched_and_are_read_again_change_nothing(order, folder, tmp_path):
    index_files(folder, tmp_path / "lib")
    before = stored_in(tmp_path / "lib")
    for name in order:
        os.utime(folder / name, (1, 1))
        report = index_files(folder / name, tmp_path / "lib")
        assert (report.read, report.counts.unchanged, report.counts.taken) == (1, 2, 2)
    assert stored_in(tmp_path / "lib") == before


def test_a_run_that_commits_after_every_record_gives_the_same_library(folder, tmp_path):
    index_files(folder, tmp_path / "lib")
    index_files(folder, tmp_path / "often", settings=IndexSettings(commit_documents=1))
    assert stored_in(tmp_path / "often") == stored_in(tmp_path / "lib")


def test_a_library_whose_ids_are_in_no_order_is_not_revised_for_that(tmp_path):
    paper = Document(id="7", title=TITLES[0], other_ids=("pii:2", "mid:1"), source="jsonl:a.jsonl")
    with open_library(tmp_path / "lib", write=True) as library:
        library.add([paper])
        library.commit()
    write([paper], tmp_path / "a.jsonl")
    counts = index_files(tmp_path / "a.jsonl", tmp_path / "lib").counts
    assert (counts.unchanged, counts.taken) == (1, 1)


def test_an_edited_file_holds_and_so_does_the_edit_that_is_taken_back(tmp_path):
    path, library = tmp_path / "a.jsonl", tmp_path / "lib"
    for title in ("A tilte of one paper", "A title of one paper", "A tilte of one paper"):
        write([Document(id="7", pmid="7", title=title)], path)
        os.utime(path, (len(title), hash(title) % 1000))
        index_files(path, library)
        with open_library(library) as opened:
            assert opened.get(["7"])[0].title == title


def test_a_paper_that_is_in_a_file_twice_is_as_its_richer_record_tells(tmp_path):
    papers = [Document(id="7", pmid="7", title="A paper", abstract="Long."),
              Document(id="7", pmid="7", title="The paper")]  # fmt: skip
    write(papers, tmp_path / "a.jsonl")
    counts = index_files(tmp_path / "a.jsonl", tmp_path / "lib").counts
    assert (counts.added, counts.unchanged) == (1, 1)
    with open_library(tmp_path / "lib") as opened:
        assert opened.get(["7"])[0].title == "A paper"


def test_files_that_have_not_changed_are_read_again_on_request(folder, tmp_path):
    index_files(folder, tmp_path / "lib")
    before = stored_in(tmp_path / "lib")
    report = index_files(folder, tmp_path / "lib", settings=IndexSettings(again=True))
    assert (report.read, report.skipped, report.counts.unchanged) == (3, 0, 6)
    assert stored_in(tmp_path / "lib") == before
