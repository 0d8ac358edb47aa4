"""Plain lists of identifiers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.reading import lines_of, problems_in, read_data, read_path, read_text, written
from documents.strategies import documents
from likewise.documents import Document, read
from likewise.documents.formats import ids
from likewise.errors import ReadError


def test_a_list_of_all_kinds():
    assert read_data(ids, "mixed_list.ids") == [
        Document(pmid="31230001"),
        Document(pmid="31230002"),
        Document(pmid="31230003"),
        Document(pmid="31230004"),
        Document(pmid="31230005"),
        Document(doi="10.5555/abc.1"),
        Document(doi="10.5555/abc.2"),
        Document(pmcid="PMC7100001"),
        Document(pmid="31230006"),
        Document(doi="10.5555/(sici)1097(19980815)17:15<1661::aid-sim968>3.0.co;2-2"),
        Document(pmid="31230007"),
    ]


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("7", Document(pmid="7")),
        ("007", Document(pmid="7")),
        ("PMID:7", Document(pmid="7")),
        ("pmid 7", Document(pmid="7")),
        ("PubMed ID: 7", Document(pmid="7")),
        ('"7",', Document(pmid="7")),
        ("pmc7", Document(pmcid="PMC7")),
        ("PMCID: PMC7", Document(pmcid="PMC7")),
        ("PMCID: 7", Document(pmcid="PMC7")),
        ("10.5555/pmc7", Document(doi="10.5555/pmc7")),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC7/", Document(pmcid="PMC7")),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC7/", Document(pmcid="PMC7")),
        ("DOI: 10.5555/A", Document(doi="10.5555/a")),
        ("http://dx.doi.org/10.5555/a", Document(doi="10.5555/a")),
        ("10.5555/a#b", Document(doi="10.5555/a#b")),
        ("10.5555/a,b", Document(doi="10.5555/a,b")),
    ],
)
def test_identifiers(text, document):
    assert read_text(ids, text) == [document]


@pytest.mark.parametrize(
    "text", ["10.5555/a,10.5555/b", "10.5555/a;10.5555/b", "10.5555/a 10.5555/b"]
)
def test_dois_on_one_line(text):
    assert [document.doi for document in read_text(ids, text)] == ["10.5555/a", "10.5555/b"]


def test_a_line_that_is_no_identifier_is_a_problem_that_names_it():
    (problem,) = problems_in(ids, "7\nsee appendix\n8\n")
    assert (problem.line, problem.found) == (2, "'see appendix' is not a PMID, PMCID or DOI")


@pytest.mark.parametrize("line", ["VR 1.0", "7, oops, 8", "page 12", "10.5555/a in 2020"])
def test_a_line_with_anything_beside_identifiers_is_left_out(line):
    found = read_text(ids, f"7\n{line}\n", on_problem=lambda problem: None)
    assert found == [Document(pmid="7")]


def test_a_file_that_is_mostly_something_else_is_no_list(tmp_path):
    (tmp_path / "notes.txt").write_text("What we have\n\nsome papers\n7\nand others\n")
    with pytest.raises(ReadError, match=r"not a list of PMIDs, .*; export it as RIS or CSV"):
        list(read(tmp_path / "notes.txt"))


def test_half_of_the_first_lines_are_enough_for_a_list():
    assert len(problems_in(ids, "7\nsee appendix\n" * 10)) == 10


def test_lines_after_the_first_twenty_do_not_make_a_file_no_list():
    assert len(problems_in(ids, "7\n" * 20 + "see appendix\n" * 30)) == 30


def test_a_long_line_is_shown_in_part():
    (problem,) = problems_in(ids, "7\n" + "x" * 500)
    assert len(problem.found) < 120


def test_a_list_without_identifiers_fails(tmp_path):
    path = tmp_path / "none.ids"
    path.write_text("# nothing yet\n")
    with pytest.raises(ReadError, match=r"none\.ids: no PMID, PMCID or DOI in it"):
        read_path(ids, path)


def test_the_source_knows_the_line_of_each():
    assert lines_of(ids, "7 8\n\n9\n") == [1, 1, 3]


def test_the_best_identifier_of_each_is_written():
    lines = written(
        ids,
        [
            Document(id="x", pmid="7", doi="10.5555/a"),
            Document(id="x", doi="10.5555/a", pmcid="PMC1"),
            Document(id="x", pmcid="PMC1"),
            Document(id="x"),
        ],
    )
    assert lines == b"7\n10.5555/a\nPMC1\nx\n"


@given(
    originals=st.one_of(
        *(
            st.lists(documents({kind}).filter(lambda it: it != Document()), min_size=1)
            for kind in ("pmid", "doi", "pmcid")
        )
    )
)
def test_what_is_written_is_read_back(originals):
    assert read_text(ids, written(ids, originals).decode()) == originals
