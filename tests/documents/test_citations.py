"""The parts of a citation, brought into one form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents.citations import (
    clean_date,
    find_serials,
    format_date,
    is_note,
    join_pages,
    list_remarks,
    read_date_parts,
    spell_date,
    split_pages,
)
from likewise.documents.document import KNOWN_NOTES, format_notes
from likewise.documents.identity import clean_reference, list_references


@pytest.mark.parametrize(
    ("text", "year", "date"),
    [
        ("2021/03/15", None, "2021/03/15"),
        ("2021/03/15/", 2021, "2021/03/15"),
        ("2021-3-5", None, "2021/03/05"),
        ("20210315", None, "2021/03/15"),
        ("2021/03//", None, "2021/03"),
        ("2021", None, ""),
        ("2021//", None, ""),
        ("2021///", None, ""),
        ("1998///Winter", None, "1998 Winter"),
        ("2021 Oct 14", None, "2021/10/14"),
        ("14 October 2021", None, "2021/10/14"),
        ("Oct. 14, 2021", None, "2021/10/14"),
        ("SEP", 2021, "2021/09"),
        ("Sept 3", 2021, "2021/09/03"),
        ("Mar 3", 2014, "2014/03/03"),
        ("Mar 3", None, "Mar 3"),
        ("2021 Oct-Dec", None, "2021 Oct-Dec"),
        ("Winter", 1998, "1998 Winter"),
        ("2021/13/40", None, "2021/13/40"),
        ("c2001", 2001, "c2001"),
        ("", 2001, ""),
        ("2021-03", None, "2021/03"),
        ("2021.03.15", None, "2021/03/15"),
        ("2021-03-15 00:00:00", None, "2021/03/15"),
        ("2021-03-15T09:30:00.123Z", None, "2021/03/15"),
        ("2021/03/40", None, "2021/03/40"),
        ("Decennial", 2021, "2021 Decennial"),
        ("1998 Dec-1999 Jan", None, "1998 Dec-1999 Jan"),
        ("MAR-APR", 2021, "2021 MAR-APR"),
        ("in press", None, "in press"),
        ("a" * 100_000, None, "a" * 100_000),
    ],
)
def test_dates(text, year, date):
    assert clean_date(text, year) == date


@given(text=st.text("0123456789/- OctWinter", max_size=12), year=st.sampled_from([None, 2021]))
def test_a_clean_date_stays_as_it_is(text, year):
    date = clean_date(text, year)
    assert clean_date(date, year) == date


@pytest.mark.parametrize(
    ("parts", "date"),
    [
        (("2021", "3", "40"), "2021/03"),
        (("2021", "13"), ""),
        (("", "3"), ""),
        (("in press", "3"), ""),
        (("2021", "Mar.", "5"), "2021/03/05"),
        (("2021", "Jul-Aug"), "2021 Jul-Aug"),
    ],
)
def test_parts_of_dates(parts, date):
    assert format_date(*parts) == date


@pytest.mark.parametrize(
    ("value", "date"),
    [
        ({"date-parts": [[2021, 3, 15]]}, "2021/03/15"),
        ({"date-parts": [[2021]]}, ""),
        ({"date-parts": [[2021, 3], [2021, 4]]}, ""),
        ({"literal": "Spring 2021"}, "Spring 2021"),
        ("2021-03", "2021/03"),
        ([1], ""),
    ],
)
def test_dates_of_csl(value, date):
    assert read_date_parts(value) == date


@pytest.mark.parametrize(
    ("date", "spelled"),
    [
        ("2021/10/05", "2021 Oct 5"),
        ("2021/10", "2021 Oct"),
        ("1998 Winter", "1998 Winter"),
        ("2021/13/40", "2021/13/40"),
        ("", ""),
    ],
)
def test_dates_as_pubmed_writes_them(date, spelled):
    assert spell_date(date) == spelled


@pytest.mark.parametrize(
    ("first", "last", "pages"),
    [
        ("101", "109", "101-109"),
        ("101-109", "", "101-109"),
        ("101-109", "109", "101-109"),
        ("101\u2010109", "", "101-109"),
        ("7", "7", "7"),
        ("", "9", "9"),
        ("", "", ""),
    ],
)
def test_pages_are_joined(first, last, pages):
    assert join_pages(first, last) == pages


@pytest.mark.parametrize("pages", ["101-109", "101-9", "e17", "S1-S4, 7", "i-xii", "-", "12-", ""])
def test_pages_that_were_parted_are_joined_again(pages):
    assert join_pages(*split_pages(pages)) == pages


@pytest.mark.parametrize(
    ("text", "issn", "isbn"),
    [
        ("1234-5679", ("1234-5679",), ()),
        ("12345679 (ISSN)", ("1234-5679",), ()),
        ("1234-567x (Print)\n2345-6789 (Linking)", ("1234-567X", "2345-6789"), ()),
        ("978-3-16-148410-0; 3-16-148410-X", (), ("978-3-16-148410-0", "3-16-148410-X")),
        ("1234\u20105679", ("1234-5679",), ()),
        ("1234-5679, 1234-5679", ("1234-5679",), ()),
        ("978 3 16 148410 0 1234-5679", ("1234-5679",), ("978-3-16-148410-0",)),
        ("9783161484100 12345679", ("1234-5679",), ("9783161484100",)),
        ("", (), ()),
        ("none, 12345, 1X34-5678, 1\u06634-5678", (), ()),
    ],
)
def test_serial_numbers(text, issn, isbn):
    assert find_serials([text]) == (issn, isbn)


def test_a_number_of_neither_kind_is_that_of_what_it_stands_on():
    assert find_serials(["12-3 (Print)"], others="issn") == (("12-3",), ())
    assert find_serials(["12-3; 1234-5679"], others="isbn") == (("1234-5679",), ("12-3",))


NOTES = {
    "rank": 3, "score": -1.25, "probability": 0.93, "decision": True, "seed": False,
    "words": "cat, dog", "nearest_seed": "a 1", "notice": "retracted", "mark": "maybe",
    "citations": "cites 3 of your papers; shares 12 references with Okafor 2014 (400725)",
    "reason": "wrong population", "tags": "cats, dogs", "review_note": "read it twice",
    "marked_at": "2026-01-31T09:30:00.123Z", "marked_by": "Ann",
}  # fmt: skip


def test_every_note_of_ours_is_known_for_one():
    assert set(NOTES) == set(KNOWN_NOTES)
    assert all(map(is_note, format_notes(NOTES)))


@pytest.mark.parametrize("text", ["score: see table 2", "rank", "Mark: said so", "mark: later", ""])
def test_what_people_write_is_no_note(text):
    assert not is_note(text)


def test_remarks_are_what_is_left_of_notes():
    notes = ["rank: 3\nRead by Ann,\n and Bob", "asreview: ASReview_relevant", "  ", "Cited by 7"]
    assert list_remarks(notes) == ("Read by Ann, and Bob", "Cited by 7")


def test_a_doi_written_in_five_ways_is_one_reference():
    ways = ["10.5555/ABC", "doi:10.5555/abc", "https://doi.org/10.5555%2Fabc", "10.5555/abc.",
            "http://dx.doi.org/10.5555/Abc"]  # fmt: skip
    assert list_references(map(clean_reference, ways)) == ("10.5555/abc",)


def test_five_thousand_references_are_all_kept():
    assert len(list_references(map(str, range(5000)))) == 5000
