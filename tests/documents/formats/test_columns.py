"""Whole citations in the tables of others, and nothing of a row lost."""

import pytest

from documents.reading import read_bytes, read_text, written
from likewise.documents import Document
from likewise.documents.formats import csv, format_named, xlsx
from likewise.documents.formats.tables import Layout

tsv = format_named("tsv")

SCOPUS = """\
"Authors","Author full names","Title","Year","Source title","Volume","Issue","Art. No.",\
"Page start","Page end","Cited by","DOI","Link","Affiliations","Funding Details","Publisher",\
"ISSN","ISBN","PubMed ID","Language of Original Document","Document Type","Source","EID"
"Lind P.","Lind, Per Olof (572)","Wards; rooms","2014","Journal of Sleep","12","2","",\
"10","19","4","10.5555/JIS.7","https://example.org/7","Lund; Sweden","Ward fund","Imaginary Press",\
"00000019; 00000027","","90000077","English","Article","Scopus","2-s2.0-84"
"Lind P.","Lind, Per Olof (572)","Halls","2015","Journal of Sleep","13","","e7",\
"","","","","","","","","","9783000000001","","","Conference paper","Scopus","2-s2.0-85"
"""
WEB_OF_SCIENCE = (
    "PT\tAU\tAF\tBE\tTI\tSO\tSE\tLA\tDT\tDE\tAB\tC1\tCR\tPU\tPI\tSN\tEI\tBN\tJ9\tPD\tPY\tVL"
    "\tIS\tBP\tEP\tAR\tDI\tPM\tUT\n"
    'J\tLind, P\tLind, Per Olof\t\t"Sleep" in wards\tJOURNAL OF SLEEP\t\tEnglish\tArticle\twards'
    "\tThey sleep.\t[Lind, P] Lund\tA, 1999; B, 2000\tIMAGINARY PRESS\tLUND\t0000-0019"
    "\t0000-0027\t\tJ SLEEP\tMAR 15\t2014\t12\t2\t10\t19\t\t10.5555/jis.7\t90000077"
    "\tWOS:000000000000077\n"
    "B\tLind, P\tLind, Per\tMoreau, Z\tHalls\tDARK ROOMS\tRooms\tEnglish\tProceedings Paper"
    "\t\t\t\t\t\t\t\t\t978-3-0000-0000-1\t\tJAN-MAR\t2015\t\t\t\t\te7\t\t"
    "\tWOS:000000000000078\n"
)
PUBMED = """\
PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,Create Date,PMCID,\
NIHMS ID,DOI
90000077,Sleep in wards,"Lind P, van Dam AB.",J Sleep. 2014 Mar 15;12(2):10-19. doi: 10.5555/jis.,\
Lind P,J Sleep,2014,2014/01/02,PMC9000077,,10.5555/jis.7
"""


def test_a_citation_of_scopus_is_kept_whole():
    first, second = read_text(csv, SCOPUS)
    assert first == Document(
        title="Wards; rooms",
        year=2014,
        authors=("Lind, Per Olof",),
        journal="Journal of Sleep",
        doi="10.5555/jis.7",
        pmid="90000077",
        other_ids=("eid:2-s2.0-84",),
        publication_types=("Article",),
        language="English",
        kind="JOUR",
        volume="12",
        issue="2",
        pages="10-19",
        issn=("0000-0019", "0000-0027"),
        publisher="Imaginary Press",
        urls=("https://example.org/7",),
        database="Scopus",
        accession="2-s2.0-84",
        extra=(
            ("csv:Authors", "Lind P."),
            ("csv:Cited by", "4"),
            ("csv:Affiliations", "Lund; Sweden"),
            ("csv:Funding Details", "Ward fund"),
        ),
    )
    assert (second.kind, second.pages, second.isbn) == ("CPAPER", "e7", ("9783000000001",))


def test_a_citation_of_web_of_science_is_kept_whole():
    first, second = read_text(tsv, WEB_OF_SCIENCE)
    assert first == Document(
        title='"Sleep" in wards',
        abstract="They sleep.",
        year=2014,
        authors=("Lind, Per Olof",),
        journal="JOURNAL OF SLEEP",
        doi="10.5555/jis.7",
        pmid="90000077",
        other_ids=("wos:000000000000077",),
        keywords=("wards",),
        publication_types=("Article",),
        language="English",
        kind="JOUR",
        volume="12",
        issue="2",
        pages="10-19",
        issn=("0000-0019", "0000-0027"),
        publisher="IMAGINARY PRESS",
        place="LUND",
        date="2014/03/15",
        accession="WOS:000000000000077",
        extra=(
            ("csv:AU", "Lind, P"),
            ("csv:C1", "[Lind, P] Lund"),
            ("csv:CR", "A, 1999; B, 2000"),
            ("csv:J9", "J SLEEP"),
        ),
    )
    assert (second.kind, second.series, second.editors) == ("BOOK", "Rooms", ("Moreau, Z",))
    assert (second.date, second.pages) == ("2015 JAN-MAR", "e7")


def test_a_citation_of_pubmed_s_summary_is_kept_whole():
    (found,) = read_text(csv, PUBMED)
    assert (found.volume, found.issue, found.pages) == ("12", "2", "10-19")
    assert (found.date, found.authors) == ("2014/03/15", ("Lind, P", "van Dam, AB"))
    assert ("csv:Create Date", "2014/01/02") in found.extra


def test_a_date_of_its_own_is_kept_beside_a_summary():
    found = row(title="x", date="2014/04/01", citation="J Sleep. 2014 Mar 15;12(2):10-19.")
    assert (found.date, found.volume) == ("2014/04/01", "12")


@pytest.mark.parametrize("ours", [csv, tsv, xlsx], ids=["csv", "tsv", "xlsx"])
@pytest.mark.parametrize(
    ("module", "text"),
    [(csv, SCOPUS), (tsv, WEB_OF_SCIENCE), (csv, PUBMED)],
    ids=["scopus", "web-of-science", "pubmed"],
)
def test_what_others_wrote_survives_our_tables(module, text, ours):
    found = read_text(module, text)
    assert read_bytes(ours, written(ours, found)) == found


def row(**columns):
    return Layout(list(columns)).document(list(columns.values()))


def test_what_can_t_be_understood_stays_under_its_name():
    assert row(title="x", pmid="none yet", year="soon").extra == (
        ("csv:pmid", "none yet"),
        ("csv:year", "soon"),
    )


def test_an_object_where_a_text_is_usual_is_kept_as_json():
    assert row(title="x", publisher={"name": "P"}).extra == (("csv:publisher", '{"name":"P"}'),)


def test_a_second_column_for_a_field_that_says_something_else_is_kept():
    found = row(title="x", **{"Journal": "J Sleep", "Source title": "Journal of Sleep"})
    assert (found.journal, found.extra) == (
        "J Sleep",
        (("csv:Source title", "Journal of Sleep"),),
    )


def test_notes_of_ours_are_no_part_of_a_document():
    assert row(title="x", rank="1", mark="relevant").extra == ()


def test_zotero_s_extra_is_a_remark_and_ours_is_what_it_was():
    assert row(title="x", Extra="read it\nPMID: 7").remarks == ("read it", "PMID: 7")
    assert row(title="x", extra="ris:C1=a; ris:C2=b").extra == (("ris:C1", "a"), ("ris:C2", "b"))


@pytest.mark.parametrize(
    ("columns", "date"),
    [
        ({"year": "2014", "month": "3", "day": "1"}, "2014/03/01"),
        ({"Published Year": "2014", "Published Month": "Mar"}, "2014/03"),
        ({"date": "2014-03-01"}, "2014/03/01"),
        ({"date": "2014"}, ""),
    ],
)
def test_dates_come_whole_or_in_parts(columns, date):
    found = row(title="x", **columns)
    assert (found.year, found.date, found.extra) == (2014, date, ())


def test_a_whole_citation_in_the_source_column_is_no_database():
    said = "Journal of Sleep (2014) 12:2 (10-19)"
    found = row(title="x", source=said)
    assert (found.database, found.extra) == ("", (("csv:source", said),))


def test_a_table_that_we_wrote_before_there_were_citations_is_read_exactly():
    header = "id,title,abstract,year,authors,journal,doi,pmid,pmcid,other_ids,mesh,keywords,"
    header += "publication_types,language,source"
    (found,) = read_text(csv, f"{header}\n1,a  b,,,Smith J,,,,,,,c\\;d; e,,,ris:a.ris\n")
    assert found == Document(
        id="1", title="a  b", authors=("Smith J",), keywords=("c;d", "e"), source="ris:a.ris"
    )


def test_references_of_scopus_tell_what_a_paper_cites_and_stay_in_their_column():
    cell = "Li A., On cats, (2001) https://doi.org/10.5555/ABC; Berg T., On dogs, (2002); 35"
    found = Layout(["Title", "References"]).document(["On cows", cell])
    assert (found.references, found.extra) == (("10.5555/abc",), (("csv:References", cell),))
