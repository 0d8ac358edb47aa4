"""Taking records in: the same paper twice, editions of PubMed's, and deletions."""

import itertools

import pytest

from likewise.documents import Deletion, Document
from likewise.documents.releases import FETCHED, Release
from likewise.library.intake import Intake
from likewise.library.memory import MemoryLibrary

TITLE = "A long enough title about insulin in rats"


@pytest.fixture
def library():
    return MemoryLibrary()


@pytest.fixture
def intake(library):
    return Intake(library)


def taken(intake, *documents, **options):
    intake.take(documents, **options)
    intake.commit()
    return intake.counts


def test_new_documents_are_added(intake):
    assert taken(intake, Document(id="1", title="A"), Document(id="2", title="B")).added == 2


def test_the_same_document_again_changes_nothing(intake):
    paper = Document(id="1", title=TITLE, pmid="1")
    taken(intake, paper)
    counts = taken(intake, paper)
    assert (counts.added, counts.unchanged) == (1, 1)


def test_the_same_paper_of_another_file_is_merged_under_the_first_id(intake, library):
    taken(intake, Document(id="7", pmid="7", title=TITLE, source="pubmed:a"))
    taken(intake, Document(id="ref1", pmid="7", title=TITLE, doi="10.1/x", source="ris:b"))
    paper = library.get(["7"])[0]
    assert (library.count(), paper.doi, paper.other_ids) == (1, "10.1/x", ("id:ref1",))


def test_merging_is_counted(intake):
    counts = taken(intake, Document(id="a", doi="10.1/x"), Document(id="b", doi="10.1/x", year=1))
    assert (counts.added, counts.merged) == (1, 1)


def test_merging_the_same_record_again_changes_nothing(intake):
    records = [Document(id="7", pmid="7", source="pubmed:a"), Document(id="r", pmid="7", year=2001)]
    taken(intake, *records)
    assert taken(intake, *records).unchanged == 2


def test_records_of_one_block_are_merged_too(intake, library):
    taken(intake, Document(id="a", doi="10.1/x"), Document(id="b", doi="10.1/x", year=2001))
    assert [paper.year for paper in library.get(["a", "b"])] == [2001]


def test_a_paper_not_committed_yet_is_recognised(intake, library):
    intake.take([Document(id="a", doi="10.1/x")])
    intake.take([Document(id="b", doi="10.1/x")])
    intake.commit()
    assert library.count() == 1


def test_a_paper_withdrawn_and_not_committed_yet_may_come_again(intake, library):
    taken(intake, Document(id="7", pmid="7", title="Old", abstract="Gone."))
    intake.delete([Deletion("7")])
    taken(intake, Document(id="7", pmid="7", title="New"))
    assert [(paper.title, paper.abstract) for paper in library.get(["7"])] == [("New", "")]


def test_papers_united_before_they_are_committed_are_one(intake, library):
    intake.take([Document(id="a", pmid="7"), Document(id="b", doi="10.1/x")])
    intake.take([Document(id="c", pmid="7", doi="10.1/x")])
    intake.commit()
    assert (library.count(), library.get(["a"])[0].doi) == (1, "10.1/x")


def test_a_newer_record_of_the_same_format_holds(intake, library):
    taken(
        intake, Document(id="7", pmid="7", title="Old title", abstract="Long.", source="pubmed:a")
    )
    counts = taken(intake, Document(id="7", pmid="7", title="New", source="pubmed:b"))
    paper = library.get(["7"])[0]
    assert (paper.title, paper.abstract, counts.revised) == ("New", "Long.", 1)


def test_a_poorer_record_of_another_format_does_not_spoil_a_rich_one(intake, library):
    taken(intake, Document(id="7", pmid="7", title="Title", year=2001, source="pubmed:a"))
    taken(intake, Document(id="7", pmid="7", title="TITLE", source="ris:b"))
    assert library.get(["7"])[0].title == "Title"


def test_a_record_whose_id_names_another_paper_is_kept_under_an_id_of_its_own(intake, library):
    taken(intake, Document(id="1", title="Cats", source="csv:a"))
    taken(intake, Document(id="1", title="Dogs", doi="10.1/dogs", source="csv:b"))
    assert library.get(["1"])[0].title == "Cats"
    assert [paper.title for paper in library.find(["doi:10.1/dogs"])] == ["Dogs"]


def test_it_is_told_that_a_record_was_kept_under_another_id(intake):
    told = []
    records = [Document(id="1", title="Cats"), Document(id="1", title="Dogs", pmid="7")]
    taken(intake, *records, on_placed=lambda place, placement: told.append((place, placement)))
    assert [(place, put.namesake and put.namesake.title) for place, put in told] == [
        (0, None),
        (1, "Cats"),
    ]
    assert [put.paper == "1" for _, put in told] == [True, False]


def test_a_renamed_record_that_comes_again_changes_nothing(intake, library):
    records = [Document(id="1", title="Cats"), Document(id="1", title="Dogs", pmid="7")]
    taken(intake, *records)
    taken(intake, *records)
    assert (library.count(), intake.counts.unchanged) == (2, 2)


def test_an_edited_abstract_revises_a_paper_that_only_its_id_and_title_identify(intake, library):
    taken(intake, Document(id="1", title=TITLE, abstract="Old.", source="csv:a"))
    taken(intake, Document(id="1", title=TITLE, abstract="New.", year=2001, source="csv:a"))
    assert [paper.abstract for paper in library.get(["1"])] == ["New."]


def test_an_edited_title_revises_a_paper_that_only_its_id_and_abstract_identify(intake, library):
    abstract = "Forty cats were stroked daily by four people, and what they did was noted. " * 2
    taken(intake, Document(id="1", title="Catz", abstract=abstract, source="csv:a"))
    taken(intake, Document(id="1", title="Cats", abstract=abstract, source="csv:a"))
    assert (library.count(), library.get(["1"])[0].title) == (1, "Cats")


def test_papers_of_one_id_in_files_of_one_name_are_both_kept(intake, library):
    nurses = Document(id="2", title="Sleep of nurses", abstract="None.", source="csv:export.csv")
    dogs = Document(id="2", title="Diet of dogs", abstract="None.", source="csv:export.csv")
    taken(intake, nurses)
    taken(intake, dogs)
    assert library.count() == 2


def test_papers_of_one_id_and_short_titles_are_both_kept_when_they_come_again(intake, library):
    records = [
        Document(id="1", title="Editorial", abstract="On cats."),
        Document(id="1", title="Editorial", abstract="On dogs."),
    ]
    taken(intake, *records)
    counts = taken(intake, *records)
    assert (library.count(), counts.added, counts.unchanged) == (2, 2, 2)


def test_a_record_that_shows_two_papers_to_be_one_unites_them(intake, library):
    taken(intake, Document(id="a", pmid="7", title="A"), Document(id="b", doi="10.1/x", year=2001))
    taken(intake, Document(id="c", pmid="7", doi="10.1/x"))
    paper = library.get(["a"])[0]
    assert (library.count(), paper.year, paper.other_ids) == (1, 2001, ("id:b", "id:c"))


def test_a_pmid_that_is_another_papers_id_overwrites_nothing(intake, library):
    taken(intake, Document(id="1", title="My own row on bees", source="csv:mine"))
    taken(intake, Document(id="1", pmid="1", title="Formate assay", source="nbib:pm"))
    assert sorted(p.title for p in library.find(["id:1", "pmid:1"])) == [
        "Formate assay",
        "My own row on bees",
    ]


def test_an_id_made_for_one_paper_is_not_a_third_ones(intake, library):
    taken(intake, Document(id="7", title="Row seven"), Document(id="1", title="Row one"))
    taken(intake, Document(id="1", pmid="7", title="Different"))
    assert (library.count(), library.get(["7"])[0].title) == (3, "Row seven")


def test_a_poorer_record_that_comes_again_does_not_spoil_what_was_merged(intake, library):
    poor = Document(id="1", pmid="5", title="T", abstract="short", source="csv:a")
    rich = Document(id="2", pmid="5", title="T", abstract="long" * 9, year=2001, source="csv:b")
    taken(intake, poor, rich)
    taken(intake, poor, rich)
    assert library.get(["1"])[0].abstract == "long" * 9


def test_a_correction_of_pubmed_holds_after_another_record_was_merged(intake, library):
    taken(intake, Document(id="7", pmid="7", title="Wrong", source="pubmed:a"))
    taken(intake, Document(id="7", pmid="7", title="Wrong", year=2001, source="ris:b"))
    taken(intake, Document(id="7", pmid="7", title="Right", source="pubmed:c"))
    assert [(paper.title, paper.year) for paper in library.get(["7"])] == [("Right", 2001)]


@pytest.mark.parametrize("commits", [(), (0,), (1,), (0, 1)])
def test_the_outcome_does_not_depend_on_where_commits_fall(intake, library, commits):
    blocks = [
        Document(id="b", pmid="1", doi="10.1/x"),
        Document(id="a", pmid="2", doi="10.1/x"),
        Document(id="c", doi="10.1/x"),
    ]
    for place, document in enumerate(blocks):
        intake.take([document])
        if place in commits:
            intake.commit()
    intake.commit()
    assert {paper.id: paper.other_ids for paper in library.get(["a", "b"])} == {
        "a": ("id:c",),
        "b": (),
    }


def test_a_title_does_not_unite_papers_that_their_pmids_tell_apart(intake, library):
    taken(intake, Document(id="1", pmid="1", title=TITLE), Document(id="2", pmid="2", title=TITLE))
    taken(intake, Document(id="c", title=TITLE))
    assert library.count() == 2


def test_equal_titles_with_different_pmids_are_two_papers(intake, library):
    taken(intake, Document(id="1", pmid="1", title=TITLE), Document(id="2", pmid="2", title=TITLE))
    assert library.count() == 2


@pytest.mark.parametrize("pubmed", ["pubmed:mine.xml", "pubmed:pubmed26n0001.xml.gz"])
def test_an_edited_row_holds_after_a_poorer_record_of_pubmed_was_merged(intake, library, pubmed):
    own = {"id": "r1", "pmid": "7", "abstract": "Long.", "year": 2001, "source": "ris:refs.ris"}
    taken(intake, Document(title="A tilte", **own))
    taken(intake, Document(id="7", pmid="7", title="Poor", journal="J", source=pubmed))
    taken(intake, Document(title="A title", **own))
    assert [(paper.title, paper.journal) for paper in library.get(["r1"])] == [("A title", "J")]


def test_a_withdrawn_record_is_deleted(intake, library):
    taken(intake, Document(id="7", pmid="7", title="A"), Document(id="8", pmid="8", title="B"))
    intake.delete([Deletion("7"), Deletion("9")])
    intake.commit()
    assert (library.count(), intake.counts.deleted) == (1, 1)


def test_a_record_withdrawn_before_it_was_committed_is_deleted(intake, library):
    intake.take([Document(id="7", pmid="7", title="A")])
    intake.delete([Deletion("7")])
    intake.commit()
    assert library.count() == 0


def test_a_withdrawn_record_under_a_persons_own_id_stays(intake, library):
    taken(intake, Document(id="mine", pmid="7", title="A"))
    intake.delete([Deletion("7")])
    intake.commit()
    assert library.count() == 1


class CountingLibrary(MemoryLibrary):
    """A library that remembers how often it was asked something."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def find(self, keys):
        self.asked.append("find")
        return super().find(keys)

    def count(self):
        self.asked.append("count")
        return super().count()


def test_a_library_that_was_empty_is_asked_once_until_something_is_committed():
    library = CountingLibrary()
    intake = Intake(library)
    for number in range(3):
        intake.take([Document(id=str(number), title="A")])
    assert library.asked == ["count"]


def test_a_library_is_asked_one_question_a_block():
    library = CountingLibrary()
    intake = Intake(library)
    taken(intake, Document(id="1", title="A"))
    library.asked.clear()
    for number in range(2, 5):
        intake.take([Document(id=str(number), title="A")])
    assert library.asked == ["count", "find", "find", "find"]


def test_a_block_of_nothing_asks_nothing():
    library = CountingLibrary()
    Intake(library).take([])
    assert library.asked == []


FIRST, SECOND, THIRD = (f"pubmed:pubmed26n000{number}.xml.gz" for number in (1, 2, 3))


def edition(source, title="", **fields):
    return Document(**{"id": "7", "pmid": "7", "title": title or source, "source": source} | fields)


def take_editions(library, *documents, newest=None):
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
    take_editions(library, *map(edition, order))
    assert (paper(library).title, paper(library).source) == (THIRD, THIRD)


def test_an_older_edition_that_comes_later_changes_nothing_and_is_counted_so(library):
    counts = take_editions(library, edition(SECOND, "New"), edition(FIRST, "Old"))
    assert (counts.added, counts.revised, counts.unchanged) == (1, 0, 1)


@pytest.mark.parametrize("order", [(FIRST, SECOND), (SECOND, FIRST)])
def test_what_the_latest_edition_lacks_is_kept_from_the_one_before(library, order):
    abstracts = {FIRST: "Told once.", SECOND: ""}
    take_editions(library, *(edition(source, abstract=abstracts[source]) for source in order))
    assert (paper(library).title, paper(library).abstract) == (SECOND, "Told once.")


def test_the_later_of_two_records_of_one_file_holds(library):
    take_editions(library, edition(FIRST, "Wrong"), edition(FIRST, "Right"))
    assert paper(library).title == "Right"


def test_an_older_edition_does_not_hold_after_a_richer_record_of_another_file_was_merged(library):
    other = edition("ris:refs.ris", "NEW", doi="10.1/x", year=2001, journal="J")
    take_editions(library, edition(SECOND, "New"), other, edition(FIRST, "Old"))
    assert (paper(library).title, paper(library).year) == ("NEW", 2001)


def test_a_later_edition_holds_after_another_file_was_merged_and_loses_nothing(library):
    other = edition("ris:refs.ris", "OLD", doi="10.1/x", year=2001, journal="J")
    take_editions(library, edition(FIRST, "Old"), other, edition(SECOND, "New"))
    assert (paper(library).title, paper(library).year) == ("New", 2001)


@pytest.mark.parametrize("order", [(FIRST, SECOND), (SECOND, FIRST)])
def test_editions_of_a_paper_under_a_persons_own_id_are_told_apart_too(library, order):
    take_editions(library, Document(id="mine", pmid="7", title="Mine"), *map(edition, order))
    assert (paper(library).id, paper(library).title) == ("mine", SECOND)


def test_a_fetched_record_holds_over_what_was_read_before(library):
    take_editions(library, edition(SECOND, "New"))
    take_editions(library, edition(FETCHED, "Newest"))
    assert paper(library).title == "Newest"


@pytest.mark.parametrize(
    ("newest", "title"), [(None, SECOND), (Release(26, 1), SECOND), (Release(26, 2), "Fetched")]
)
def test_a_fetched_record_holds_until_a_file_comes_that_goes_beyond_those_read(
    library, newest, title
):
    take_editions(library, edition(FETCHED, "Fetched"))
    take_editions(library, edition(SECOND), newest=newest)
    assert paper(library).title == title


def test_a_record_fetched_again_holds(library):
    take_editions(library, edition(FETCHED, "Old"), edition(FETCHED, "New"))
    assert paper(library).title == "New"


@pytest.mark.parametrize(
    ("release", "left"), [(None, 0), (Release(26, 1), 1), (Release(26, 2), 0), (Release(27, 1), 0)]
)
def test_a_notice_of_deletion_is_about_editions_up_to_its_own_file(library, release, left):
    take_editions(library, edition(SECOND))
    intake = Intake(library)
    intake.delete([Deletion("7")], release=release)
    intake.commit()
    assert (library.count(), intake.counts.deleted) == (left, 1 - left)


@pytest.mark.parametrize(("newest", "left"), [(Release(26, 1), 0), (Release(26, 2), 1)])
def test_a_fetched_record_is_deleted_by_files_beyond_those_read(library, newest, left):
    take_editions(library, edition(FETCHED))
    intake = Intake(library, newest=newest)
    intake.delete([Deletion("7")], release=Release(26, 2))
    intake.commit()
    assert library.count() == left


VERSIONED = {"other_ids": ("pmid-version:2",)}


@pytest.mark.parametrize("lower_first", [True, False])
def test_the_higher_version_of_a_pmid_holds_even_if_the_lower_is_issued_again(library, lower_first):
    lower, higher = edition(SECOND, "One"), edition(FIRST, "Two", **VERSIONED)
    take_editions(library, *((lower, higher) if lower_first else (higher, lower)))
    assert paper(library).title == "Two"


@pytest.mark.parametrize(("versions", "left"), [([1], 1), ([2], 0), ([2, 1], 0)])
def test_the_deletion_of_a_lower_version_leaves_the_higher_one(library, versions, left):
    take_editions(library, edition(FIRST, **VERSIONED))
    intake = Intake(library)
    intake.delete([Deletion("7", version) for version in versions], release=Release(26, 2))
    intake.commit()
    assert library.count() == left


def test_a_persons_own_record_is_merged_with_a_higher_version_as_with_any(library):
    rich = edition("ris:refs.ris", "RICH", year=2001, journal="J", doi="10.1/x")
    take_editions(library, edition(FIRST, "Two", **VERSIONED), rich)
    assert paper(library).title == "RICH"


class ExactLibrary(MemoryLibrary):
    """A library that knows again what it holds, and counts the keys that it is asked for."""

    asked = 0

    def find(self, keys):
        self.asked += len(keys)
        return super().find(keys)

    def find_exact(self, documents):
        return {each.id for each in documents if self.get([each.id]) == [each]}


def test_once_most_records_were_there_the_next_are_not_looked_up_by_their_keys():
    library = ExactLibrary()
    intake = Intake(library)
    papers = [Document(id=str(number), pmid=str(number), title=TITLE) for number in range(1, 4)]
    taken(intake, *papers)
    taken(intake, *papers)
    asked = library.asked
    assert taken(intake, *papers).unchanged == 6
    assert library.asked == asked


def test_of_records_that_are_there_the_one_that_differs_is_revised():
    library = ExactLibrary()
    intake = Intake(library)
    papers = [Document(id=str(n), pmid=str(n), title=f"{TITLE} {n}", source="a") for n in (1, 2, 3)]
    for _ in range(2):
        intake.begin_file()
        taken(intake, *papers)
    intake.begin_file()
    changed = Document(id="3", pmid="3", title="Another title about dogs", source="a")
    assert taken(intake, *papers[:2], changed).revised == 1
    assert library.get(["3"])[0].title == "Another title about dogs"
