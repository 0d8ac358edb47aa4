"""PubMed's editions of a record, taken in in the wrong order too."""

import itertools

import pytest

from likewise.documents import Deletion, Document
from likewise.documents.releases import FETCHED, Release
from likewise.library.intake import Intake
from likewise.library.memory import MemoryLibrary

FIRST, SECOND, THIRD = (f"pubmed:pubmed26n000{number}.xml.gz" for number in (1, 2, 3))


@pytest.fixture
def library():
    return MemoryLibrary()


def edition(source, title="", **fields):
    return Document(**{"id": "7", "pmid": "7", "title": title or source, "source": source} | fields)


def taken(library, *documents, newest=None):
    intake = Intake(library, newest=newest)
    for document in documents:
        intake.take([document])
    intake.commit()
    return intake.counts


def paper(library):
    (found,) = library.find(["pmid:7"])
    return found


@pytest.mark.parametrize("order", list(itertools.permutations([FIRST, SECOND, THIRD])))
def test_the_latest_edition_holds_whatever_order_they_come_in(library, order):
    taken(library, *map(edition, order))
    assert (paper(library).title, paper(library).source) == (THIRD, THIRD)


def test_an_older_edition_that_comes_later_changes_nothing_and_is_counted_so(library):
    counts = taken(library, edition(SECOND, "New"), edition(FIRST, "Old"))
    assert (counts.added, counts.revised, counts.unchanged) == (1, 0, 1)


@pytest.mark.parametrize("order", [(FIRST, SECOND), (SECOND, FIRST)])
def test_what_the_latest_edition_lacks_is_kept_from_the_one_before(library, order):
    abstracts = {FIRST: "Told once.", SECOND: ""}
    taken(library, *(edition(source, abstract=abstracts[source]) for source in order))
    assert (paper(library).title, paper(library).abstract) == (SECOND, "Told once.")


def test_the_later_of_two_records_of_one_file_holds(library):
    taken(library, edition(FIRST, "Wrong"), edition(FIRST, "Right"))
    assert paper(library).title == "Right"


def test_an_older_edition_does_not_hold_after_a_richer_record_of_another_file_was_merged(library):
    other = edition("ris:refs.ris", "NEW", doi="10.1/x", year=2001, journal="J")
    taken(library, edition(SECOND, "New"), other, edition(FIRST, "Old"))
    assert (paper(library).title, paper(library).year) == ("NEW", 2001)


def test_a_later_edition_holds_after_another_file_was_merged_and_loses_nothing(library):
    other = edition("ris:refs.ris", "OLD", doi="10.1/x", year=2001, journal="J")
    taken(library, edition(FIRST, "Old"), other, edition(SECOND, "New"))
    assert (paper(library).title, paper(library).year) == ("New", 2001)


@pytest.mark.parametrize("order", [(FIRST, SECOND), (SECOND, FIRST)])
def test_editions_of_a_paper_under_a_persons_own_id_are_told_apart_too(library, order):
    taken(library, Document(id="mine", pmid="7", title="Mine"), *map(edition, order))
    assert (paper(library).id, paper(library).title) == ("mine", SECOND)


def test_a_fetched_record_holds_over_what_was_read_before(library):
    taken(library, edition(SECOND, "New"))
    taken(library, edition(FETCHED, "Newest"))
    assert paper(library).title == "Newest"


@pytest.mark.parametrize(
    ("newest", "title"), [(None, SECOND), (Release(26, 1), SECOND), (Release(26, 2), "Fetched")]
)
def test_a_fetched_record_holds_until_a_file_comes_that_goes_beyond_those_read(
    library, newest, title
):
    taken(library, edition(FETCHED, "Fetched"))
    taken(library, edition(SECOND), newest=newest)
    assert paper(library).title == title


def test_a_record_fetched_again_holds(library):
    taken(library, edition(FETCHED, "Old"), edition(FETCHED, "New"))
    assert paper(library).title == "New"


@pytest.mark.parametrize(
    ("release", "left"), [(None, 0), (Release(26, 1), 1), (Release(26, 2), 0), (Release(27, 1), 0)]
)
def test_a_notice_of_deletion_is_about_editions_up_to_its_own_file(library, release, left):
    taken(library, edition(SECOND))
    intake = Intake(library)
    intake.delete([Deletion("7")], release=release)
    intake.commit()
    assert (library.count(), intake.counts.deleted) == (left, 1 - left)


@pytest.mark.parametrize(("newest", "left"), [(Release(26, 1), 0), (Release(26, 2), 1)])
def test_a_fetched_record_is_deleted_by_files_beyond_those_read(library, newest, left):
    taken(library, edition(FETCHED))
    intake = Intake(library, newest=newest)
    intake.delete([Deletion("7")], release=Release(26, 2))
    intake.commit()
    assert library.count() == left


VERSIONED = {"other_ids": ("pmid-version:2",)}


@pytest.mark.parametrize("lower_first", [True, False])
def test_the_higher_version_of_a_pmid_holds_even_if_the_lower_is_issued_again(library, lower_first):
    lower, higher = edition(SECOND, "One"), edition(FIRST, "Two", **VERSIONED)
    taken(library, *((lower, higher) if lower_first else (higher, lower)))
    assert paper(library).title == "Two"


@pytest.mark.parametrize(("versions", "left"), [([1], 1), ([2], 0), ([2, 1], 0)])
def test_the_deletion_of_a_lower_version_leaves_the_higher_one(library, versions, left):
    taken(library, edition(FIRST, **VERSIONED))
    intake = Intake(library)
    intake.delete([Deletion("7", version) for version in versions], release=Release(26, 2))
    intake.commit()
    assert library.count() == left


def test_a_persons_own_record_is_merged_with_a_higher_version_as_with_any(library):
    rich = edition("ris:refs.ris", "RICH", year=2001, journal="J", doi="10.1/x")
    taken(library, edition(FIRST, "Two", **VERSIONED), rich)
    assert paper(library).title == "RICH"
