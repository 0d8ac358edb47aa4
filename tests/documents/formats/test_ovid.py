"""Ovid's labelled text."""

import pytest

from documents.reading import DATA, lines_of, problems_in, read_data, read_text
from likewise.documents import Document, MeshHeading, read
from likewise.documents.formats import format_named
from likewise.errors import ReadError

ovid = format_named("ovid")

EMBASE = (
    "Database: Embase <1974 to 2021>\n\n<1>\nAccession Number\n  2012345678\nTitle\n  On cats\n"
)


def read_one(*lines):
    (document,) = read_text(ovid, "\n".join(["<1>", "Title", "  On cats", *lines]))
    return document


def test_an_export_with_its_search():
    assert read_data(ovid, "ovid_labelled.txt") == [
        Document(
            title="Zinc for the common cold.",
            year=2018,
            authors=("Castellanos, R",),
            journal="Fictional Archives of Medicine",
            pmid="31230003",
            volume="12",
            issue="3",
            pages="31-7",
            database="Ovid MEDLINE(R) ALL <1946 to March 01, 2021>",
            extra=(("nbib:SO", "Fictional Archives of Medicine. 12(3):31-7, 2018."),),
        )
    ]


def test_the_file_is_recognised_by_how_it_begins():
    (document,) = read(DATA / "ovid_labelled.txt")
    assert document.source == "ovid:ovid_labelled.txt"


@pytest.mark.parametrize(
    ("lines", "field", "value"),
    [
        (["Authors Full Name", "  Berg, Anna", "  Lind, Per"], "authors",
         ("Berg, Anna", "Lind, Per")),
        (["Authors Full Name", "  Berg, Anna; Lind, Per."], "authors", ("Berg, Anna", "Lind, Per")),
        (["Abstract", "  Cats", "  purr."], "abstract", "Cats purr."),
        (["MeSH Subject Headings", "  *Cats/ph [Physiology]"], "mesh",
         (MeshHeading("Cats", major=True),)),
        (["ISSN Electronic", "  1234-567X"], "issn", ("1234-567X",)),
        (["Digital Object Identifier", "  https://dx.doi.org/10.5555/a"], "doi", "10.5555/a"),
        (["Institution", "  Univ of Nowhere.", "  Inst of Cats."], "extra",
         (("ovid:Institution", "Univ of Nowhere. Inst of Cats."),)),
        (["Source", "  A book, not a journal"], "journal", ""),
    ],
)  # fmt: skip
def test_labels(lines, field, value):
    assert getattr(read_one(*lines), field) == value


def test_another_databases_number_is_no_pmid():
    (document,) = read_text(ovid, EMBASE.replace("Accession Number", "Unique Identifier"))
    assert (document.pmid, document.accession) == ("", "2012345678")


def test_the_database_told_before_the_records_is_that_of_each():
    (document,) = read_text(ovid, EMBASE)
    assert (document.database, document.accession) == ("Embase <1974 to 2021>", "2012345678")


def test_the_source_knows_where_each_record_begins():
    text = "<1>\nTitle\n  a cat\n\n<2>\nTitle\n  a dog\n"
    assert lines_of(ovid, text) == [1, 5]


def test_an_empty_record_is_a_problem_with_its_line():
    (problem,) = problems_in(ovid, "<1>\nTitle\n  a cat\n\n<2>\nAuthors\n  Doe J\n")
    assert problem.line == 5


def test_a_file_without_records_fails():
    with pytest.raises(ReadError, match="no record of Ovid's in it; each begins with"):
        read_text(ovid, "Database: Ovid MEDLINE(R)\n\nNothing was found.\n")
