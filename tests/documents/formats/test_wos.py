"""Web of Science's plain text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.citations import CITED, cited_documents, settled
from documents.reading import lines_of, problems_in, read_data, read_text, written
from documents.strategies import references, several
from likewise.documents import Document
from likewise.documents.formats import wos
from likewise.errors import ReadError


def read_one(*lines):
    (document,) = read_text(wos, "\n".join(["PT J", "TI On cats", *lines, "ER", "", "EF"]))
    return document


def test_an_article():
    first, _ = read_data(wos, "webofscience_chapter.ciw")
    assert first == Document(
        title="Sleep and shift work in nurses: a cohort",
        abstract="Nurses on night shifts sleep less.",
        year=2014,
        authors=("Okafor, Ngozi", "Lind, Per Olov", "World Sleep Consortium"),
        journal="JOURNAL OF SLEEP STUDIES",
        doi="10.1000/jss.2014.7",
        pmid="23456789",
        other_ids=("wos:000312345600001",),
        keywords=("nurses", "shift work", "SLEEP", "WORK"),
        publication_types=("Article", "Early Access"),
        language="English",
        kind="JOUR",
        volume="12",
        issue="3",
        pages="101-109",
        issn=("1234-5679", "2345-678X"),
        publisher="INVENTED PRESS",
        place="UPPSALA",
        date="2014/03/03",
        database="Web of Science",
        accession="WOS:000312345600001",
        extra=(
            ("wos:C1", "[Okafor, Ngozi] Univ Nowhere, Dept Nursing, Nowhere, Sweden."),
            ("wos:C1", "[Lind, Per Olov] Inst Sleep, Elsewhere, Norway."),
            ("wos:CR", "Berg T, 2001, J INVENTED MED, V1, P2"),
            ("wos:CR", "Novak J, 2002, ANN UNREAL MED, V3, P4"),
            ("wos:NR", "2"),
            ("wos:TC", "4"),
            ("wos:J9", "J SLEEP STUD"),
            ("wos:PG", "9"),
            ("wos:DA", "2024-01-01"),
        ),
    )


def test_a_chapter_has_its_book_its_editors_and_its_number():
    _, second = read_data(wos, "webofscience_chapter.ciw")
    assert (second.kind, second.journal, second.series, second.editors, second.pages) == (
        "CHAP",
        "HANDBOOK OF IMAGINARY METHODS",
        "Studies of Sleep",
        ("Editor, E", "Van Dam, B"),
        "77",
    )


def test_short_names_serve_where_there_are_no_full_ones():
    assert read_one("AU Okafor, N", "   Lind, P").authors == ("Okafor, N", "Lind, P")


def test_a_file_without_a_heading_is_read():
    (document,) = read_text(wos, "PT J\nTI On cats\nER\n")
    assert document.title == "On cats"


def test_the_source_knows_where_each_record_begins():
    assert lines_of(wos, "FN x\nVR 1.0\nPT J\nTI a\nER\n\nPT J\nTI b\nER\n\nEF\n") == [1, 7]


def test_an_empty_record_is_a_problem_with_its_line():
    (problem,) = problems_in(wos, "PT J\nTI a\nER\n\nPT J\nPY 2001\nER\n\nEF\n")
    assert (problem.line, problem.found) == (
        5,
        "the record has no title, no abstract and no identifier",
    )


def test_a_file_without_records_fails():
    with pytest.raises(ReadError, match="no record of Web of Science in it; each begins with"):
        read_text(wos, "FN x\nVR 1.0\nEF\n")


def test_a_written_record():
    document = Document(
        id="7",
        title="On cats",
        year=2001,
        authors=("Doe, Ann-Marie", "Cat Group"),
        pages="1-9",
        date="2001/10/05",
        extra=(("wos:CR", "One"), ("wos:CR", "Two"), ("ris:C1", "not for here")),
    )
    assert written(wos, [document], notes={"rank": 3}).decode() == (
        "FN Web of Science\nVR 1.0\n"
        "PT J\nAU Doe, AM\nAF Doe, Ann-Marie\nCA Cat Group\nTI On cats\n"
        "PY 2001\nPD Oct 5\nBP 1\nEP 9\nCR One\n   Two\nN1 rank: 3\nER\n\nEF\n"
    )


def test_what_web_of_science_says_is_written_again():
    originals = read_data(wos, "webofscience_chapter.ciw")
    assert read_text(wos, written(wos, originals).decode()) == originals


def test_a_record_of_another_database_keeps_its_number():
    (found,) = read_text(wos, written(wos, [CITED]).decode())
    assert (found.database, found.accession) == ("CINAHL", "150000017")


def test_cited_references_tell_what_a_paper_cites_and_are_kept_as_they_are():
    lines = ("CR Li A, 2001, J CATS, V1, P2, DOI 10.5555/ABC", "   Berg T, 2002, J DOGS, V3, P4")
    found = read_one(*lines)
    assert found.references == ("10.5555/abc",)
    assert [name for name, _ in found.extra] == ["wos:CR", "wos:CR"]


def test_a_reference_of_which_only_the_number_is_known_is_written_as_such():
    paper = Document(title="On cats", references=("7", "10.5555/abc"), kind="JOUR")
    text = written(wos, [paper]).decode()
    assert "CR PMID: 7\n   DOI 10.5555/abc\n" in text
    assert read_text(wos, text) == [paper]


@given(
    originals=st.lists(
        cited_documents("id", "mesh", "pmcid", "other_ids", references=several(references, most=3)),
        min_size=1,
        max_size=3,
    )
)
def test_what_is_written_is_read_back(originals):
    assert settled(read_text(wos, written(wos, originals).decode())) == settled(originals)
