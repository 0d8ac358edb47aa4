"""EndNote XML."""

import pytest
from benchmarks.attacks.samples import ARTICLE, CHAPTER
from hypothesis import given
from msgspec.structs import replace

from documents.reading import DATA, lines_of, problems_in, read_bytes, read_data, read_text, written
from documents.strategies import FIELDS, documents, plain_words, several
from documents.whole_records import CITATION, add_date
from likewise.documents import Document, read
from likewise.documents.formats import endnote
from likewise.errors import ReadError


def read_one(inside):
    (document,) = read_text(endnote, f"<xml><records><record>{inside}</record></records></xml>")
    return document


def test_endnote():
    first, _ = read_data(endnote, "endnote_one_line.xml")
    assert first == Document(
        title="Growth of Fictitia alba in the dark",
        abstract="First line. Second line.",
        year=2015,
        authors=("Okoro, N. P.", "Imagined Study Group"),
        journal="J Imag",
        doi="10.5555/ji.2015.3",
        pmid="90000061",
        pmcid="PMC9000061",
        keywords=("Plants", "*Darkness"),
        publication_types=("Journal Article",),
        language="eng",
        kind="JOUR",
        pages="1-2",
        issn=("0000-0002",),
        date="2015/03/03",
        urls=("https://www.ncbi.nlm.nih.gov/pubmed/90000061",),
        database="NLM",
        accession="90000061",
        extra=(
            ("endnote:auth-address", "Nowhere."),
            ("endnote:titles/alt-title", "Journal of imagination"),
            ("endnote:periodical/abbr-1", "Journal of imagination"),
        ),
    )


def test_another_databases_number_is_kept_under_its_name():
    _, second = read_data(endnote, "endnote_one_line.xml")
    assert second == Document(
        title="A book of dark rooms",
        other_ids=("wos:000900000062",),
        publication_types=("Book",),
        kind="BOOK",
        database="Web of Science",
        accession="WOS:000900000062",
    )


@pytest.mark.parametrize(
    ("inside", "pmid"),
    [
        ("<remote-database-name>PubMed</remote-database-name>", "123"),
        ("<remote-database-name>Medline</remote-database-name>", "123"),
        ("<remote-database-name>Embase</remote-database-name>", ""),
        ("<custom2>PMC77</custom2>", "123"),
        (
            "<urls><web-urls><url>https://pubmed.ncbi.nlm.nih.gov/123/</url></web-urls></urls>",
            "123",
        ),
        ("", ""),
    ],
)
def test_an_accession_number_is_a_pmid_only_if_something_says_so(inside, pmid):
    assert read_one(f"<accession-num>123</accession-num>{inside}").pmid == pmid


def test_a_link_to_pubmed_is_enough():
    url = "<urls><related-urls><url>https://pubmed.ncbi.nlm.nih.gov/9/</url></related-urls></urls>"
    assert read_one(url).pmid == "9"


def test_what_else_is_kept_in_the_field_of_the_pmcid_is_none():
    assert read_one("<titles><title>A</title></titles><custom2>2015</custom2>").pmcid == ""


def test_a_label_of_somebody_elses_is_no_id():
    assert read_one("<titles><title>A</title></titles><label>to read</label>").id == ""


def test_a_record_without_anything_is_a_problem():
    (problem,) = problems_in(endnote, "<xml><records>\n<record></record></records></xml>")
    assert (problem.line, problem.found) == (
        2,
        "the record has no title, no abstract and no identifier",
    )


def test_a_malformed_record_costs_only_itself():
    text = (
        "<xml><records><record><label>x</record>"
        "<record><titles><title>A</title></titles></record></records></xml>"
    )
    problems = []
    found = read_text(endnote, text, on_problem=problems.append)
    assert ([d.title for d in found], len(problems)) == (["A"], 1)


def test_a_record_knows_its_line():
    record = "<record><titles><title>A</title></titles></record>\n"
    assert lines_of(endnote, f"<xml><records>\n{record}{record}</records></xml>") == [2, 3]


def test_an_export_without_records_is_refused():
    with pytest.raises(ReadError, match="no <record> in the file"):
        read_text(endnote, "<xml><records></records></xml>")


def test_the_format_is_recognised_by_what_it_holds():
    first, *_ = read(DATA / "endnote_one_line.xml")
    assert first.source == "endnote:endnote_one_line.xml"


@given(
    document=documents(
        FIELDS - {"mesh", "other_ids", "source", "publication_types", "accession", "database"},
        **CITATION,
    ).map(add_date),
    kinds=several(plain_words),
)
def test_what_is_written_is_read_back(document, kinds):
    document = replace(document, publication_types=kinds)
    assert read_bytes(endnote, written(endnote, [document])) == [document]


def test_a_whole_article_is_read_back():
    # EndNote has one place for the number of a database, so that the PMID is written as a link.
    assert read_bytes(endnote, written(endnote, [ARTICLE])) == [ARTICLE]


def test_a_whole_chapter_is_read_back():
    assert read_bytes(endnote, written(endnote, [CHAPTER])) == [CHAPTER]


def test_notes_of_ours_are_no_remarks():
    assert read_bytes(endnote, written(endnote, [CHAPTER], notes={"rank": 1})) == [CHAPTER]


def test_elements_that_no_document_has_are_written_back():
    inside = (
        "<titles><title>A</title><short-title>a</short-title></titles><custom1>x</custom1>"
        "<urls><pdf-urls><url>internal-pdf://a.pdf</url></pdf-urls></urls>"
    )
    first = read_one(inside)
    assert first.extra == (
        ("endnote:titles/short-title", "a"),
        ("endnote:custom1", "x"),
        ("endnote:urls/pdf-urls/url", "internal-pdf://a.pdf"),
    )
    (again,) = read_bytes(endnote, written(endnote, [first]))
    assert sorted(again.extra) == sorted(first.extra)
