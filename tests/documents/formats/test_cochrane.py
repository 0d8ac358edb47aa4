"""Labelled text of the Cochrane Library."""

import pytest

from documents.reading import DATA, lines_of, problems_in, read_data, read_text
from likewise.documents import Document, read
from likewise.documents.formats import format_named
from likewise.errors import ReadError

cochrane = format_named("cochrane")


def test_central():
    first, _ = read_data(cochrane, "cochrane_central.txt")
    assert first == Document(
        title="Music before anaesthesia: a randomised trial",
        abstract="BACKGROUND: Waiting is hard. RESULTS: Music helped.",
        year=2017,
        authors=("Adeyemi, T", "Berg, A"),
        journal="Imaginary anaesthesia",
        doi="10.5555/ia.2017.6",
        pmid="28900006",
        other_ids=("central:CN-01990006",),
        keywords=("*anxiety", "*music", "adult"),
        publication_types=("Journal article", "Randomised controlled trial"),
        kind="JOUR",
        volume="12",
        issue="3",
        pages="101-109",
        urls=("https://www.example.org/central/CN-01990006/full",),
        database="Cochrane Central Register of Controlled Trials",
        accession="CN-01990006",
        extra=(("ris:C4", "EMBASE 620000006"),),
    )


def test_a_label_without_a_field_is_kept_under_its_name():
    _, second = read_data(cochrane, "cochrane_central.txt")
    assert second.extra == (("cochrane:CT", "NCT00000007"),)


def test_a_review_is_of_the_database_of_reviews():
    (document,) = read_text(cochrane, "Record #1 of 1\nID: CD000007\nTI: Cats for asthma\n")
    assert document.database == "Cochrane Database of Systematic Reviews"


def test_the_file_is_recognised_whatever_it_is_called():
    first, _ = read(DATA / "cochrane_central.txt")
    assert (first.id, first.source) == ("28900006", "cochrane:cochrane_central.txt")


def test_the_source_knows_where_each_record_begins():
    text = "Record #1 of 2\nTI: a cat\n\nRecord #2 of 2\nTI: a dog\n"
    assert lines_of(cochrane, text) == [1, 4]


def test_an_empty_record_is_a_problem_with_its_line():
    (problem,) = problems_in(cochrane, "Record #1 of 2\nTI: a\n\nRecord #2 of 2\nYR: 2001\n")
    assert problem.line == 4


def test_a_file_without_records_fails():
    with pytest.raises(ReadError, match="no record of the Cochrane Library in it; each begins"):
        read_text(cochrane, "Only some notes.\n")
