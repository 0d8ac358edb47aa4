"""EndNote's tagged format."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.citations import cited_documents, settled
from documents.reading import lines_of, problems_in, read_data, read_text, written
from likewise.documents import Document, MeshHeading
from likewise.documents.formats import format_named
from likewise.errors import ReadError

enw = format_named("enw")


def read_one(*lines):
    (document,) = read_text(enw, "\n".join(["%0 Journal Article", "%T On cats", *lines]))
    return document


def test_google_scholar():
    assert read_data(enw, "googlescholar_one_record.enw") == [
        Document(
            title="Sleep and shift work in nurses",
            year=2014,
            authors=("Okafor, Ngozi", "Lind, Per"),
            journal="Journal of Sleep Studies",
            kind="JOUR",
            volume="12",
            issue="3",
            pages="101-109",
            issn=("0000-0000",),
            publisher="Invented Press",
        )
    ]


def test_endnote():
    first, _ = read_data(enw, "endnote_two_records.enw")
    assert first == Document(
        title="Sleep and shift work in nurses",
        abstract="BACKGROUND: Nurses work at night. RESULTS: They sleep less, % of all hours.",
        year=2014,
        authors=("Okafor, Ngozi", "World Sleep Consortium"),
        journal="J Sleep Stud",
        doi="10.1000/jss.2014.7",
        pmid="23456789",
        pmcid="PMC3456789",
        keywords=("Adult", "Nurses", "*Sleep"),
        language="eng",
        kind="JOUR",
        volume="12",
        issn=("0000-0000",),
        date="2014/03/01",
        urls=("https://example.org/1",),
        remarks=("eng",),
        accession="23456789",
        extra=(("ris:ST", "Sleep and shift work"), ("ris:DP", "NLM")),
    )


def test_a_chapter_has_its_book_and_the_year_of_its_date():
    _, second = read_data(enw, "endnote_two_records.enw")
    assert (second.journal, second.year) == ("A Handbook of Imaginary Methods", 2011)


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("%F doe2001", "id", "doe2001"),
        ("%U https://doi.org/10.5555/a", "doi", "10.5555/a"),
        ("%U https://pubmed.ncbi.nlm.nih.gov/77/", "pmid", "77"),
        ("%Z PMID: 77", "pmid", "77"),
        ("%M WOS:0001", "other_ids", ("wos:0001",)),
        ("%9 Review", "publication_types", ("Review",)),
        ("%E Roe, B", "editors", ("Roe, B",)),
        ("%I Invented Press", "publisher", "Invented Press"),
        ("%C Uppsala", "place", "Uppsala"),
        ("%7 2nd", "edition", "2nd"),
        ("%S Studies of Cats", "series", "Studies of Cats"),
        ("%P e12", "pages", "e12"),
        ("%O Cats, on", "extra", (("enw:O", "Cats, on"),)),
        ("%+ Department of Cats", "extra", (("ris:AD", "Department of Cats"),)),
        ("%X", "abstract", ""),
    ],
)
def test_tags(line, field, value):
    assert getattr(read_one(line), field) == value


def test_the_source_knows_where_each_record_begins():
    assert lines_of(enw, "\n%0 Thesis\n%T a\n\n%0 Book\n%T b\n%0 Book\n%T c\n") == [2, 5, 7]


def test_a_record_without_anything_is_a_problem_with_its_line():
    (problem,) = problems_in(enw, "%0 Book\n%T a\n\n%0 Book\n%D 2001\n")
    assert problem.line == 4


def test_a_record_without_its_first_line_is_a_problem():
    (problem,) = problems_in(enw, "%T a\n%A Doe, J\n\n%0 Book\n%T b\n")
    assert (problem.line, problem.found) == (1, "a record without its first line, '%0 ...'")


def test_a_file_without_records_fails():
    with pytest.raises(ReadError, match="no EndNote record in it; each begins with"):
        read_text(enw, "Only some notes.\n")


def test_a_written_record():
    document = Document(
        id="a 1",
        title="On\ncats",
        year=2001,
        authors=("Doe, A",),
        pmid="7",
        mesh=(MeshHeading("Cats", ui="D002415", major=True),),
    )
    assert written(enw, [document]).decode() == (
        "%0 Journal Article\n%F a 1\n%T On cats\n%A Doe, A\n%D 2001\n%M 7\n%~ PubMed\n"
        "%K Cats [Majr]\n\n"
    )


@pytest.mark.parametrize(
    ("name", "kind"),
    [("Journal Article", "JOUR"), ("book section", "CHAP"), ("Thesis", "THES"), ("Icon", "Icon")],
)
def test_types_are_told_in_the_words_of_ris(name, kind):
    (document,) = read_text(enw, f"%0 {name}\n%T On cats\n")
    assert document.kind == kind


def test_a_books_second_title_is_its_series():
    (document,) = read_text(enw, "%0 Book\n%T On cats\n%B Studies of Cats\n")
    assert (document.journal, document.series) == ("", "Studies of Cats")


def test_what_an_endnote_library_says_is_written_again():
    (document, _) = read_data(enw, "endnote_two_records.enw")
    assert read_text(enw, written(enw, [document]).decode()) == [document]


def test_tags_without_a_field_are_written_again():
    document = read_one("%O Cats, on", "%+ Department of Cats", "%[ 2020")
    lines = written(enw, [document]).decode().splitlines()
    assert {"%O Cats, on", "%+ Department of Cats", "%[ 2020"} <= set(lines)


@given(originals=st.lists(cited_documents(), min_size=1, max_size=3))
def test_what_is_written_is_read_back(originals):
    assert settled(read_text(enw, written(enw, originals).decode())) == settled(originals)
