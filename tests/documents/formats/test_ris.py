"""RIS as different programs write it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.citations import CITED, cited_documents, settled
from documents.reading import lines_of, problems_in, read_data, read_path, read_text, written
from likewise.documents import Document, MeshHeading
from likewise.documents.formats import ris
from likewise.documents.formats.tagged import read_tagged
from likewise.documents.sources import Line, Source
from likewise.errors import ReadError

EMBASE_LINK = "search/results?subaction=viewrecord&id=L2012345678&from=export"


def record(*lines):
    return "\r\n".join(["TY  - JOUR", "TI  - A title", *lines, "ER  - ", ""])


def read_one(*lines):
    (document,) = read_text(ris, record(*lines))
    return document


# --- programs


def test_endnote():
    assert read_data(ris, "endnote_keywords_on_lines.ris") == [
        Document(
            id="12",
            title="Home monitoring of lung function in adults with asthma",
            abstract="BACKGROUND: Home spirometry is cheap. METHODS: We followed 40 adults. "
            "RESULTS: Most of them measured daily.",
            year=2014,
            authors=("Lindqvist, Maja", "Okafor, Chidi B."),
            journal="Annals of Invented Pulmonology",
            pmid="23450001",
            pmcid="PMC3450001",
            keywords=("Adult", "Asthma/*therapy", "Spirometry"),
            kind="JOUR",
            date="2014/03/03",
            accession="23450001",
            extra=(("ris:J2", "Ann Invent Pulmonol"),),
        )
    ]


def test_zotero():
    assert read_data(ris, "zotero_plain.ris") == [
        Document(
            title="Night shifts and blood pressure",
            abstract="Night work raised systolic pressure by 4 mmHg.",
            year=2019,
            authors=("Moreau, Élodie", "World Sleep Consortium"),
            journal="Journal of Imagined Cardiology",
            doi="10.5555/jic.2019.77",
            keywords=("blood pressure", "shift work"),
            language="en",
            kind="JOUR",
            date="2019/07/02",
            urls=("https://www.example.org/articles/77",),
            extra=(("ris:L1", "https://www.example.org/articles/77.pdf"),),
        )
    ]


def test_embase():
    assert read_data(ris, "embase_accession_in_u2.ris") == [
        Document(
            title="Ketamine for acute pain in the ambulance",
            abstract="Ketamine acted within ten minutes.",
            year=2021,
            authors=("Brandt, S.", "Ivanova, P."),
            journal="Imaginary Emergency Medicine",
            doi="10.5555/iem.2021.5",
            pmid="34500002",
            other_ids=("embase:L2012345678",),
            keywords=("ambulance", "ketamine", "pain"),
            publication_types=("Article",),
            language="English",
            kind="JOUR",
            urls=(
                f"https://www.embase.com/{EMBASE_LINK}",
                "http://dx.doi.org/10.5555%2Fiem.2021.5",
            ),
            database="Embase",
            accession="L2012345678",
            extra=(("ris:JA", "Imag. Emerg. Med."),),
        )
    ]


def test_ovid():
    assert read_data(ris, "ovid_medline_number.ris") == [
        Document(
            title="Zinc for the common cold",
            abstract="Zinc lozenges shortened colds by one day.",
            year=2018,
            authors=("Castellanos, Rita",),
            journal="Fictional Archives of Medicine",
            doi="10.5555/fam.2018.31",
            pmid="31230003",
            publication_types=("Randomized Controlled Trial",),
            kind="JOUR",
            database="Ovid MEDLINE(R) ALL <1946 to Present>",
            accession="31230003",
        )
    ]


def test_proquest():
    assert read_data(ris, "proquest_two_accession_numbers.ris") == [
        Document(
            title="Walking groups after hip fracture",
            abstract="Walking in groups helped.",
            year=2017,
            authors=("Haugen, Ola", "Petrova, Nina"),
            pmid="30100004",
            other_ids=("medline:2013440004",),
            kind="JOUR",
            date="2017/11",
            database="MEDLINE®",
            accession="2013440004; 30100004",
        )
    ]


def test_mendeley_has_its_doi_in_m3():
    (document,) = read_data(ris, "mendeley_doi_in_m3.ris")
    assert (document.doi, document.publication_types) == ("10.5555/osn.2011.9", ())


def test_rayyan_marks_its_identifiers():
    (document,) = read_data(ris, "rayyan_id.ris")
    found = (document.id, document.pmid, document.pmcid, document.other_ids)
    assert found == ("rayyan-900000001", "32100005", "PMC7100005", ())


def test_covidences_study_number_is_no_pmid():
    (document,) = read_data(ris, "covidence_study_number.ris")
    assert document.pmid == ""


def test_cochrane_names_the_pmid_in_c3():
    (document,) = read_data(ris, "cochrane_pubmed_in_c3.ris")
    assert (document.pmid, document.other_ids) == ("28900006", ("central:CN-01990006",))


def test_web_of_science_names_its_own_scheme():
    (document,) = read_data(ris, "webofscience_accession.ris")
    assert document.other_ids == ("wos:000400000700007",)


def test_zotero_keeps_identifiers_in_n1():
    (document,) = read_data(ris, "zotero_extra_in_n1.ris")
    assert (document.pmid, document.pmcid) == ("37950001", "PMC10600001")


def test_ebsco_names_the_pmid_among_other_things_in_n1():
    (document,) = read_data(ris, "ebsco_pubmed_in_n1.ris")
    assert (document.pmid, document.other_ids) == ("19240001", ("cinahl:104800001",))


def test_scopus_has_the_pmid_in_c2():
    (document,) = read_data(ris, "scopus_pubmed_in_c2.ris")
    assert (document.pmid, document.pmcid) == ("33830001", "")


def test_ovid_may_have_the_pmid_in_id_and_the_type_twice():
    (document,) = read_data(ris, "ovid_number_in_id.ris")
    assert (document.id, document.pmid) == ("30100008", "30100008")
    assert (document.authors, document.publication_types) == (
        ("Novak, J", "Haddad, L"),
        ("Journal Article",),
    )


def test_reference_manager_has_the_pmid_in_a_link_and_no_space_in_names():
    (document,) = read_data(ris, "referencemanager_pm_link.ris")
    assert (document.pmid, document.authors) == ("9510001", ("Smith, J.A.", "Van Dam, B., Jr"))


# --- quirks


def test_a_new_ty_and_the_end_of_the_file_end_a_record():
    titles = [document.title for document in read_data(ris, "ris_missing_er.ris")]
    assert titles == ["The first record does not end", "The second ends with the file"]


def test_one_space_before_the_dash_is_enough_for_common_tags_only():
    first, second = read_data(ris, "ris_single_space.ris")
    assert (first.abstract, second.title) == (
        "Levels of IL - 6 were measured twice.",
        "Cycling and knee pain",
    )


def test_latin_1_is_read():
    (document,) = read_data(ris, "ris_latin1.ris")
    assert (document.title, document.authors) == (
        "Die Größe der Schilddrüse bei Kindern",
        ("Müller, Jörg",),
    )


def test_a_chapter_has_its_own_title_and_its_books():
    (document,) = read_data(ris, "ris_chapter.ris")
    assert (document.title, document.journal, document.editors) == (
        "Measuring sleep at home",
        "A Handbook of Imaginary Methods",
        ("Editor, Edith",),
    )


def test_a_book_has_its_title_in_bt_and_no_journal():
    (document,) = read_text(ris, "TY  - BOOK\nBT  - On cats\nER  - \n")
    assert (document.title, document.journal) == ("On cats", "")


def test_tags_without_a_field_are_kept_under_their_names():
    found = read_one("XY  - whatever", "Z9  - 5", "XY  - more").extra
    assert found == (("ris:XY", "whatever"), ("ris:Z9", "5"), ("ris:XY", "more"))


def test_a_type_that_is_missing_is_no_matter():
    assert read_text(ris, "TI  - A title\nER  - \n") == [Document(title="A title")]


def test_a_tag_before_the_type_belongs_to_the_record():
    (document,) = read_text(ris, "ID  - 5\nTY  - JOUR\nTI  - A title\nER  - \n")
    assert document.id == "5"


def test_n2_is_no_abstract_where_ab_is():
    assert read_one("N2  - A note.", "AB  - The abstract.").abstract == "The abstract."


def test_an_abstract_in_several_fields_is_put_together():
    assert read_one("AB  - One.", "AB  - Two.").abstract == "One. Two."


def test_authors_given_under_both_tags_are_counted_once():
    lines = ["A1  - Doe, A", "A1  - Roe, B", "AU  - Doe, A", "AU  - Roe, B"]
    assert read_one(*lines).authors == ("Doe, A", "Roe, B")


def test_two_authors_of_one_name_are_two_authors():
    assert read_one("AU  - Wang, Y", "AU  - Wang, Y").authors == ("Wang, Y", "Wang, Y")


def test_authors_on_one_line_are_separated_by_semicolons():
    assert read_one("AU  - Doe, A.; Roe, B.,").authors == ("Doe, A.", "Roe, B.")


@pytest.mark.parametrize("name", ["WHO Study Group", "Cochrane", "Alzheimer Europe"])
def test_groups_among_short_names_stay_as_they_are(name):
    assert read_one("A1  - Rossi M.", f"A1  - {name}").authors == ("Rossi, M.", name)


def test_where_people_have_commas_a_name_without_one_is_a_groups():
    assert read_one("AU  - Doe, A", "AU  - Parkinson UK").authors == ("Doe, A", "Parkinson UK")


def test_a_groups_name_that_looks_like_a_persons_is_written_with_a_comma():
    document = Document(title="On cats", authors=("Parkinson UK",), kind="JOUR")
    text = written(ris, [document]).decode()
    assert "AU  - Parkinson UK,\r\n" in text
    assert read_text(ris, text) == [document]


@pytest.mark.parametrize("tag", ["A2", "ED"])
def test_editors_do_not_join_the_authors(tag):
    found = read_one("AU  - Doe, A", f"{tag}  - Roe, B")
    assert (found.authors, found.editors) == (("Doe, A",), ("Roe, B",))


@pytest.mark.parametrize(
    "line", ["PY  - 2001/03/12/", "Y1  - 2001", "DA  - 2001/03", "PY  - c2001"]
)
def test_years(line):
    assert read_one(line).year == 2001


def test_the_full_name_of_a_journal_is_preferred():
    assert read_one("JA  - J Cats", "JO  - J. Cats", "JF  - Journal of Cats").journal == (
        "Journal of Cats"
    )


@pytest.mark.parametrize(
    "line",
    [
        "DO  - doi: 10.5555/X.1",
        "UR  - https://doi.org/10.5555/x.1",
        "L3  - 10.5555/x.1",
        "M3  - doi:10.5555/x.1",
    ],
)
def test_dois(line):
    assert read_one(line).doi == "10.5555/x.1"


def test_a_publishers_address_gives_no_doi():
    assert read_one("UR  - https://example.org/doi/10.5555/x.1/abstract").doi == ""


@pytest.mark.parametrize(
    "lines",
    [
        ["AN  - 123456", "DB  - PubMed"],
        ["AN  - 123456", "DP  - NLM"],
        ["AN  - MEDLINE:123456"],
        ["AN  - 99", "U2  - PMID: 123456.", "DB  - CINAHL"],
        ["UR  - https://pubmed.ncbi.nlm.nih.gov/123456/"],
        ["UR  - http://www.ncbi.nlm.nih.gov/pubmed/123456"],
        ["M1  - PubMed ID: 123456"],
        ["M2  - PMID: 123456"],
        ["U2  - PubMed ID: 123456"],
        ["ID  - 123456", "DB  - PubMed"],
    ],
)
def test_pmids(lines):
    assert read_one(*lines).pmid == "123456"


def test_a_pmid_is_not_listed_again_among_the_other_ids():
    assert read_one("AN  - MEDLINE:123456").other_ids == ()


@pytest.mark.parametrize(
    ("lines", "other"),
    [
        (["AN  - 123456"], "accession:123456"),
        (["AN  - 123456", "ID  - 7654321", "DB  - CINAHL"], "cinahl:123456"),
        (["AN  - 123456", "DB  - CINAHL Plus"], "cinahl-plus:123456"),
        (["AN  - 123456", "DB  - Embase <1974 to date>, MEDLINE"],
         "embase-1974-to-date-medline:123456"),
    ],
)  # fmt: skip
def test_a_number_of_another_database_is_no_pmid(lines, other):
    document = read_one(*lines)
    assert (document.pmid, document.other_ids) == ("", (other,))


def test_endnotes_count_of_records_is_no_pmid():
    assert read_one("ID  - 12", "DB  - Ovid MEDLINE").pmid == ""


def test_pmcid_in_c7_or_a_link():
    link = "UR  - https://www.ncbi.nlm.nih.gov/pmc/articles/PMC77/"
    assert [read_one(line).pmcid for line in ("C7  - PMC77", link)] == ["PMC77", "PMC77"]


def test_an_ampersand_of_html_does_not_part_keywords():
    assert read_one("KW  - Research &amp; Development; Cats").keywords == (
        "Research &amp; Development",
        "Cats",
    )


# --- citations


@pytest.mark.parametrize(
    ("lines", "field", "value"),
    [
        (["VL  - 12"], "volume", "12"),
        (["IS  - 3 Suppl 1"], "issue", "3 Suppl 1"),
        (["SP  - 101", "EP  - 109"], "pages", "101-109"),
        (["SP  - 101", "EP  - 9"], "pages", "101-9"),
        (["SP  - e17"], "pages", "e17"),
        (["C7  - 17"], "pages", "17"),
        (["C7  - PMC17"], "pages", ""),
        (["SN  - 1234-567x (Print) 2345-6789"], "issn", ("1234-567X", "2345-6789")),
        (["SN  - 3-16-148410-X"], "isbn", ("3-16-148410-X",)),
        (["SN  - none"], "extra", (("ris:SN", "none"),)),
        (["PB  - Invented Press"], "publisher", "Invented Press"),
        (["CY  - Uppsala"], "place", "Uppsala"),
        (["ET  - 2nd"], "edition", "2nd"),
        (["T3  - Studies of Cats"], "series", "Studies of Cats"),
        (["Y1  - 1998///Winter"], "date", "1998 Winter"),
        (["PY  - 2001", "DA  - 2000/12/05"], "date", "2000/12/05"),
        (["UR  - https://a.example", "UR  - https://b.example"], "urls",
         ("https://a.example", "https://b.example")),
        (["L1  - file.pdf"], "extra", (("ris:L1", "file.pdf"),)),
        (["VL  - 12", "VL  - 13"], "extra", (("ris:VL", "13"),)),
        (["AB  - The abstract.", "N2  - Another."], "extra", (("ris:N2", "Another."),)),
        (["DB  - Embase"], "database", "Embase"),
    ],
)  # fmt: skip
def test_tags(lines, field, value):
    assert getattr(read_one(*lines), field) == value


def test_a_book_s_second_title_is_its_series():
    (document,) = read_text(ris, "TY  - BOOK\nTI  - On cats\nT2  - Studies of Cats\nER  - \n")
    assert (document.journal, document.series) == ("", "Studies of Cats")


def test_another_databases_record_keeps_its_pmid():
    lines = written(ris, [CITED]).decode().split("\r\n")
    assert {"AN  - 150000017", "DB  - CINAHL", "U1  - 34560017[pmid]"} <= set(lines)


def test_tags_of_other_formats_are_not_written():
    document = Document(title="On cats", extra=(("nbib:SO", "x"), ("ris:ER", "y"), ("ris:C1", "z")))
    lines = written(ris, [document]).decode().split("\r\n")
    assert lines == ["TY  - JOUR", "TI  - On cats", "C1  - z", "ER  - ", "", ""]


# --- notes and remarks


def test_notes_of_an_expansion_are_no_remarks():
    notes = {"rank": 3, "score": -1.5, "probability": 0.93, "decision": True, "words": "cat; dog"}
    text = written(ris, [CITED], notes=notes).decode()
    assert "N1  - rank: 3\r\n" in text
    assert read_text(ris, text)[0].remarks == CITED.remarks


def test_notes_written_twice_do_not_pile_up():
    first = read_text(ris, written(ris, [CITED], notes={"rank": 3}).decode())
    assert written(ris, first, notes={"rank": 4}).decode().count("rank: ") == 1


def test_labels_of_screening_programs_are_no_remarks_but_are_noted(tmp_path):
    path = tmp_path / "t.ris"
    label = 'RAYYAN-INCLUSION: {"Ann"=>"Included"} | RAYYAN-LABELS: phone'
    path.write_text(record(f"N1  - {label}", "N1  - ASReview_relevant", "N1  - See table 2"))
    (item,) = ris.read(Source(path))
    assert item.document.remarks == ("RAYYAN-LABELS: phone", "See table 2")
    assert item.values == ([label, "ASReview_relevant", "See table 2"],)


# --- what is wrong


def test_a_record_that_raises_is_told_with_its_line_and_the_others_go_on(monkeypatch):
    def parse(tagged):
        if "bad" in tagged.first("TI"):
            raise OverflowError("too large:\n a number")
        return ris.parse_record(tagged)

    text = "TY  - JOUR\nTI  - a bad one\nER  - \n" + record()
    complaint, item = read_tagged(Source("x"), ris._DIALECT, parse, lines=enumerate_lines(text))
    assert complaint.line == 1
    assert "OverflowError" in str(Source("x").problem(complaint))
    assert "\n" not in str(Source("x").problem(complaint))
    assert item.document.title == "A title"


def enumerate_lines(text):
    return [Line(number, line) for number, line in enumerate(text.splitlines(), 1)]


def test_a_file_without_records_fails(tmp_path):
    path = tmp_path / "notes.ris"
    path.write_text("Only some notes.\n")
    with pytest.raises(ReadError, match=r"notes\.ris: no RIS record in it"):
        read_path(ris, path)


def test_an_empty_record_is_a_problem_with_its_line():
    problems = problems_in(ris, record() + "TY  - JOUR\nAU  - Doe, A\nER  - \n" + record())
    assert [(problem.line, problem.found, problem.advice) for problem in problems] == [
        (4, "the record has no title, no abstract and no identifier", "it was left out")
    ]


def test_a_record_with_an_abstract_only_is_read():
    assert len(read_text(ris, "TY  - JOUR\nAB  - Cats purr.\nER  - \n")) == 1


def test_the_source_knows_where_each_record_begins():
    assert lines_of(ris, record() + "\n\n" + record()) == [1, 6]


# --- writing


def test_a_written_record():
    document = Document(
        id="a 1",
        title="On\ncats",
        year=2001,
        authors=("Doe, A",),
        pmid="7",
        mesh=(MeshHeading("Cats", ui="D002415", major=True),),
    )
    assert written(ris, [document]).decode() == (
        "TY  - JOUR\r\nID  - a 1\r\nTI  - On cats\r\nAU  - Doe, A\r\nPY  - 2001\r\n"
        "AN  - 7\r\nDB  - PubMed\r\nKW  - Cats [Majr]\r\nER  - \r\n\r\n"
    )


@given(originals=st.lists(cited_documents(), min_size=1, max_size=3))
def test_what_is_written_is_read_back(originals):
    assert settled(read_text(ris, written(ris, originals).decode())) == settled(originals)


def test_references_in_a_note_of_scopus_tell_what_a_paper_cites():
    found = read_one("N1  - References: Li A., On cats, doi:10.5555/abc; Berg T., On dogs, (2002)")
    assert found.references == ("10.5555/abc",)
