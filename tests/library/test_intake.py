import pytest

from likewise.documents import Document
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


def test_equal_titles_of_papers_not_committed_yet_ask_for_no_commit(intake, library):
    intake.take([Document(id="1", pmid="1", title=TITLE)])
    intake.take([Document(id="2", pmid="2", title=TITLE)])
    assert library.count() == 0


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
    assert [paper.title for paper in library.get(["1", "10.1/dogs"])] == ["Cats", "Dogs"]


def test_it_is_told_that_a_record_was_kept_under_another_id(intake):
    told = []
    taken(intake, Document(id="1", title="Cats"), Document(id="1", title="Dogs", pmid="7"),
          on_renamed=lambda place, renamed: told.append((place, renamed.kept.id)))  # fmt: skip
    assert told == [(1, "7")]


def test_a_renamed_record_that_comes_again_changes_nothing(intake, library):
    records = [Document(id="1", title="Cats"), Document(id="1", title="Dogs", pmid="7")]
    taken(intake, *records)
    taken(intake, *records)
    assert (library.count(), intake.counts.unchanged) == (2, 2)


def test_a_file_read_again_may_give_an_id_to_another_paper(intake, library):
    taken(intake, Document(id="1", title="Cats", source="csv:a"))
    taken(intake, Document(id="1", title="Dogs", source="csv:a"), renewing=True)
    assert library.get(["1"])[0].title == "Dogs"


def test_equal_titles_with_different_pmids_are_two_papers(intake, library):
    taken(intake, Document(id="1", pmid="1", title=TITLE), Document(id="2", pmid="2", title=TITLE))
    assert library.count() == 2


def test_a_withdrawn_record_is_deleted(intake, library):
    taken(intake, Document(id="7", pmid="7", title="A"), Document(id="8", pmid="8", title="B"))
    intake.delete(["7", "9"])
    intake.commit()
    assert (library.count(), intake.counts.deleted) == (1, 1)


def test_a_record_withdrawn_before_it_was_committed_is_deleted(intake, library):
    intake.take([Document(id="7", pmid="7", title="A")])
    intake.delete(["7"])
    intake.commit()
    assert library.count() == 0


def test_a_withdrawn_record_under_a_persons_own_id_stays(intake, library):
    taken(intake, Document(id="mine", pmid="7", title="A"))
    intake.delete(["7"])
    intake.commit()
    assert library.count() == 1
