"""PubMed XML."""

import gzip

import msgspec
import pytest
from benchmarks.attacks.samples import ARTICLE
from hypothesis import given

from documents.reading import DATA, lines_of, problems_in, read_bytes, read_data, read_text, written
from documents.strategies import (
    FIELDS,
    documents,
    has_no_field_of_its_own,
    other_ids,
    references,
    several,
)
from documents.whole_records import CITATION, add_date
from likewise.documents import Deletion, Document, MeshHeading, read
from likewise.documents.formats import pubmed
from likewise.documents.identity import ensure_id
from likewise.errors import ReadError

# What only books and other databases have.
NOT_IN_ARTICLES = frozenset(
    ("kind", "isbn", "series", "edition", "editors", "publisher", "urls", "remarks")
) | {"database", "accession"}


def record(inside="", *, citation="", data="", pmid='<PMID Version="1">7</PMID>'):
    """A PubmedArticle with these elements in its Article, after it, and in its PubmedData."""
    return (
        f"<PubmedArticle><MedlineCitation>{pmid}<Article PubModel='Print'>{inside}</Article>"
        f"{citation}</MedlineCitation><PubmedData><History></History>{data}</PubmedData>"
        "</PubmedArticle>"
    )


def read_one(inside="", **parts):
    (document,) = read_text(pubmed, record(inside, **parts))
    return document


def test_a_record_of_the_baseline():
    assert read_data(pubmed, "pubmed_baseline.xml") == [
        Document(
            id="90000001",
            title="Uptake of CO2 by Fictitia alba: a trial & its lessons.",
            abstract="BACKGROUND: Plants take up CO2. METHODS: We grew Fictitia alba at x2 lux. "
            "It grew.",
            year=2019,
            authors=("Örn, Ada B", "Smith, C Jr", "Fictitia Study Group"),
            journal="Annals of imagined medicine",
            doi="10.5555/aim.2019.1",
            pmid="90000001",
            pmcid="PMC9000001",
            other_ids=("pii:S0000-0001(19)30001-2", "mid:NIHMS900001"),
            mesh=(
                MeshHeading("Plants", "D010944", major=True),
                MeshHeading("Humans", "D006801"),
                MeshHeading("Carbon Dioxide", "D002245", major=True),
            ),
            keywords=("CO2", "plants", "Growth"),
            publication_types=("Journal Article", "Randomized Controlled Trial"),
            language="eng",
            volume="7",
            issn=("0000-0001",),
            date="2019/12",
            extra=(("nbib:EIN", "Elsewhere. PMID: 90000777"),),
            references=("90000888",),
        )
    ]


def test_a_comment_makes_no_difference():
    whole = (DATA / "pubmed_baseline.xml").read_bytes()
    with_comment = whole.replace(
        b"<MeshHeadingList>", b"<!-- <MeshHeadingList> --><MeshHeadingList>"
    )
    assert read_bytes(pubmed, with_comment) == read_data(pubmed, "pubmed_baseline.xml")


def test_an_update_file_says_what_is_deleted():
    records = read_data(pubmed, "pubmed_update.xml")
    assert records[1:] == [Deletion("90000012"), Deletion("90000013")]


def test_a_deletion_without_a_number_is_a_problem():
    (problem,) = problems_in(pubmed, "<DeleteCitation><PMID>x</PMID></DeleteCitation>")
    assert problem.found == "a notice of deletion names no PMID ('x')"


def test_no_version_follows_a_higher_one():
    titles = [document.title for document in read_data(pubmed, "pubmed_versions.xml")]
    assert titles == ["Second version.", "Another paper.", "Third version."]


def test_the_deletion_of_a_lower_version_is_passed_over():
    deleted = "<DeleteCitation><PMID Version='1'>7</PMID></DeleteCitation>"
    newer = record("<ArticleTitle>A</ArticleTitle>", pmid='<PMID Version="2">7</PMID>')
    assert [one.pmid for one in read_text(pubmed, f"<S>{newer}{deleted}</S>")] == ["7"]


def test_answers_that_follow_each_other_are_read_as_one():
    found = read_data(pubmed, "efetch_concatenated.xml")
    assert [document.pmid for document in found] == ["90000031", "90000032"]


def test_a_chapter_has_the_book_for_its_journal():
    chapter, _ = read_data(pubmed, "pubmed_book.xml")
    assert chapter == Document(
        id="90000051",
        title="Fictitious Fever",
        abstract="DISEASE CHARACTERISTICS: It is hot.",
        year=2011,
        authors=("Writer, Wanda",),
        journal="Imagined Diseases",
        doi="10.5555/book.1",
        pmid="90000051",
        other_ids=("bookaccession:NBK900001",),
        keywords=("fever",),
        publication_types=("Review",),
        language="eng",
        kind="CHAP",
        editors=("Editor, Ed",),
        publisher="Invented Press",
    )


def test_a_whole_book_has_its_own_title():
    _, book = read_data(pubmed, "pubmed_book.xml")
    assert book == Document(
        id="90000052",
        title="A Whole Book",
        year=1998,
        pmid="90000052",
        kind="BOOK",
        editors=("Editor, Ed",),
        date="1998-1999",
    )


@pytest.mark.parametrize("said", ["", "[Not Available].", " "])
def test_a_title_that_is_missing_gives_way_to_the_vernacular(said):
    title = f"<ArticleTitle>{said}</ArticleTitle><VernacularTitle>Über alles.</VernacularTitle>"
    assert read_one(title).title == "Über alles."


def test_a_translated_title_keeps_its_brackets():
    title = "<ArticleTitle>[On all.]</ArticleTitle><VernacularTitle>Über alles.</VernacularTitle>"
    assert read_one(title).title == "[On all.]"


def test_an_abstract_that_is_not_the_journals_is_left_out():
    other = (
        "<OtherAbstract Language='eng'><AbstractText>Plain words.</AbstractText></OtherAbstract>"
    )
    assert read_one(citation=other).abstract == ""


def test_spaces_between_inline_elements_are_kept():
    text = "<Abstract><AbstractText><b>Aim</b> <i>here</i></AbstractText></Abstract>"
    assert read_one(text).abstract == "Aim here"


def test_cdata_is_text():
    assert read_one("<ArticleTitle><![CDATA[a </PubmedArticle> <b]]></ArticleTitle>").title == (
        "a </PubmedArticle> <b"
    )


@pytest.mark.parametrize(
    ("inside", "year"),
    [
        ("<Year>1987</Year>", 1987),
        ("<MedlineDate>1998 Dec-1999 Jan</MedlineDate>", 1998),
        ("<MedlineDate>Winter</MedlineDate>", 2005),
        ("", 2005),
    ],
)
def test_the_year_is_that_of_the_issue_else_of_the_electronic_article(inside, year):
    issue = f"<Journal><JournalIssue><PubDate>{inside}</PubDate></JournalIssue></Journal>"
    assert read_one(f"{issue}<ArticleDate><Year>2005</Year></ArticleDate>").year == year


def test_the_year_of_entry_into_pubmed_is_the_last_resort():
    text = record().replace(
        "<History>", "<History><PubMedPubDate><Year>1966</Year></PubMedPubDate>"
    )
    (document,) = read_text(pubmed, text)
    assert document.year == 1966


def test_a_journal_without_title_goes_by_its_abbreviation():
    journal = "<Journal><ISOAbbreviation>J Imag</ISOAbbreviation></Journal>"
    assert read_one(journal).journal == "J Imag"


def test_a_number_missing_from_its_place_is_taken_from_the_list():
    ids = "<ArticleIdList><ArticleId IdType='pubmed'>8</ArticleId></ArticleIdList>"
    assert read_one(pmid="", data=ids).pmid == "8"


def test_a_record_without_anything_is_a_problem():
    (problem,) = problems_in(pubmed, record(pmid=""))
    assert problem.found == "the record has no title, no abstract and no identifier"


def test_a_record_knows_its_line():
    text = (DATA / "pubmed_versions.xml").read_text()
    assert lines_of(pubmed, text) == [4, 15, 37]


def test_a_malformed_record_costs_only_itself():
    problems = []
    text = (DATA / "pubmed_malformed_record.xml").read_text()
    found = read_text(pubmed, text, on_problem=problems.append)
    assert ([d.pmid for d in found], problems[0].line) == (["90000041", "90000043"], 15)


def test_malformed_xml_is_told_in_one_line():
    (problem,) = problems_in(pubmed, (DATA / "pubmed_malformed_record.xml").read_text())
    assert problem.found == (
        "malformed XML in this record (Opening and ending tag mismatch: i and b)"
    )


def test_bytes_that_are_not_utf8_cost_their_record_only():
    author = b"<AuthorList ><Author ValidYN='Y'><LastName>\xe9</LastName></Author></AuthorList>"
    plain = author.replace(b"'", b'"').replace(b"</Author>", b"<ForeName>A</ForeName></Author>")
    bad = record("AUTHORS").encode().replace(b"AUTHORS", plain)
    problems = []
    found = read_bytes(
        pubmed, b"<S>" + bad + record().encode() + b"</S>", on_problem=problems.append
    )
    assert (len(found), len(problems)) == (1, 1)


def test_a_malformed_heading_is_a_problem():
    mesh = "<MeshHeadingList><MeshHeading><b></DescriptorName></MeshHeading></MeshHeadingList>"
    (problem,) = problems_in(pubmed, record(citation=mesh))
    assert problem.found.startswith("malformed XML in this record")


def test_text_that_is_too_long_for_anyone_is_a_problem():
    title = f"<ArticleTitle>{'a' * 11_000_000}</ArticleTitle>"
    (problem,) = problems_in(pubmed, f"<S>{record(title)}{record()}</S>")
    assert problem.found.startswith("malformed XML in this record")


def test_a_set_without_records_is_refused():
    with pytest.raises(
        ReadError, match=r"no <PubmedArticle> or .* \(its root is <PubmedArticleSet>\)"
    ):
        read_text(pubmed, "<?xml version='1.0'?><PubmedArticleSet></PubmedArticleSet>")


def test_gzip_that_is_cut_off_is_refused_after_what_could_be_read(tmp_path):
    path = tmp_path / "a.xml.gz"
    path.write_bytes(gzip.compress((DATA / "pubmed_versions.xml").read_bytes() * 2000)[:-20])
    with pytest.raises(ReadError, match="the gzip data is cut off"):
        list(read(path))


def test_the_format_is_recognised_by_what_it_holds(tmp_path):
    path = tmp_path / "download"
    path.write_bytes((DATA / "pubmed_baseline.xml").read_bytes())
    assert [document.source for document in read(path)] == ["pubmed:download"]


@given(
    document=documents(
        FIELDS - {"id", "source", *NOT_IN_ARTICLES},
        other_ids=several(other_ids.filter(has_no_field_of_its_own)),
        references=several(references),
        **CITATION,
    ).map(add_date)
)
def test_what_is_written_is_read_back(document):
    (found,) = read_bytes(pubmed, written(pubmed, [document]))
    assert ensure_id(found) == ensure_id(document)


def test_a_whole_citation_is_read_back_as_far_as_articles_have_it():
    (found,) = read_bytes(pubmed, written(pubmed, [ARTICLE]))
    left_out = dict.fromkeys(NOT_IN_ARTICLES, "") | {"urls": (), "remarks": (), "isbn": (),
                                                     "editors": (), "id": "90000077"}  # fmt: skip
    assert found == msgspec.structs.replace(ARTICLE, **left_out)


@pytest.mark.parametrize(
    ("inside", "date"),
    [
        ("<Year>2021</Year><Month>Mar</Month><Day>5</Day>", "2021/03/05"),
        ("<Year>2021</Year><Month>03</Month>", "2021/03"),
        ("<Year>2021</Year><Season>Winter</Season>", "2021 Winter"),
        ("<MedlineDate>1998 Dec-1999 Jan</MedlineDate>", "1998 Dec-1999 Jan"),
        ("<Year>2021</Year>", ""),
    ],
)
def test_dates_are_told_as_precisely_as_they_are_known(inside, date):
    issue = f'<JournalIssue CitedMedium="Print"><PubDate>{inside}</PubDate></JournalIssue>'
    assert read_one(f"<Journal>{issue}</Journal><ArticleTitle>A</ArticleTitle>").date == date


def test_characters_that_xml_cannot_hold_are_left_out():
    (found,) = read_bytes(pubmed, written(pubmed, [Document(title="a\x00b\ufffe", pmid="7")]))
    assert found.title == "ab"


@pytest.mark.network
@pytest.mark.parametrize(
    ("number", "counts"),
    [(0, (30_000, 29_998, 14_832)), (1, (20_788, 335, 18_445))],
)
def test_real_files_are_read_whole(pubmed_sample, number, counts):
    found = [(bool(d.mesh), bool(d.abstract)) for d in read(pubmed_sample[number])]
    assert (len(found), *map(sum, zip(*found, strict=True))) == counts


def test_a_version_above_the_first_is_told():
    newer = record("<ArticleTitle>A</ArticleTitle>", pmid='<PMID Version="2">7</PMID>')
    (document,) = read_text(pubmed, newer)
    assert document.other_ids == ("pmid-version:2",)


@pytest.mark.parametrize(("said", "version"), [("3", 3), ("x", 1), ("9" * 5000, 1)])
def test_a_deletion_tells_the_version_it_is_about(said, version):
    notice = f'<DeleteCitation><PMID Version="{said}">7</PMID></DeleteCitation>'
    assert read_text(pubmed, notice) == [Deletion("7", version)]
