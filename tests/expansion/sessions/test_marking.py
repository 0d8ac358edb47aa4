import pytest

from expansion.corpus import library_of
from likewise.documents import Document
from likewise.expansion.sessions.marking import Statement, find_documents, mark_papers
from likewise.expansion.sessions.session import Session

CATS = Document(id="1", pmid="1", title="On the purring of cats in the night")
DOGS = Document(id="d", doi="10.1000/dogs", title="On the barking of dogs in the morning")
BEES = Document(id="b", title="On the dancing of honey bees in their hives")
LIBRARY = library_of(CATS, DOGS, BEES)


@pytest.fixture
def session(tmp_path):
    path = tmp_path / "review.likewise"
    with Session.make(path, library="lib", fingerprint="", seeds=[CATS]) as opened:
        yield opened


def said(paper, label, place="--x", source=""):
    return Statement(paper, label, place, source)


def named(name):
    return Document(id=name)


def test_papers_are_known_by_id_pmid_doi_and_title(session):
    papers = [named("b"), named("PMID: 1"), named("https://doi.org/10.1000/Dogs")]
    papers.append(Document(title="On the Dancing of Honey Bees in their Hives."))
    papers.append(named("unheard of"))
    meant = find_documents(papers, session=session, library=LIBRARY)
    assert meant == ["b", "1", "d", "b", None]


def test_the_number_of_a_row_is_not_taken_for_a_document(session):
    row = Document(id="1", title="An altogether different paper, first in its file")
    assert find_documents([row], session=session, library=LIBRARY) == [None]


def test_marks_of_a_file_have_its_name(session):
    mark_papers(
        session,
        [said(BEES, "maybe"), said(CATS, "relevant", "a.csv:2", "a.csv")],
        library=LIBRARY,
    )
    assert [(m.document, m.label, m.source) for m in session.history()] == [
        ("b", "maybe", ""),
        ("1", "relevant", "a.csv"),
    ]


def test_of_two_names_of_one_document_the_last_label_counts(session):
    first, last = said(named("1"), "relevant", "a:1"), said(named("PMID:1"), "irrelevant", "b:2")
    marking = mark_papers(session, [first, last], library=LIBRARY)
    assert marking.labels == {"1": "irrelevant"}
    assert marking.contradictions == (("1", first, last),)
    assert [mark.label for mark in session.history()] == ["irrelevant"]


def test_the_same_label_twice_is_no_contradiction(session):
    marking = mark_papers(session, [said(CATS, "maybe"), said(CATS, "maybe")], library=LIBRARY)
    assert (marking.contradictions, marking.labels) == ((), {"1": "maybe"})


def test_what_was_said_before_is_told(session):
    mark_papers(session, [said(CATS, "relevant"), said(DOGS, "relevant")], library=LIBRARY)
    again = mark_papers(session, [said(CATS, "maybe"), said(DOGS, "relevant")], library=LIBRARY)
    assert again.changed == (("1", "relevant", "maybe"),)
    assert again.same == 1


def test_unknown_papers_are_returned_and_nothing_is_marked_of_them(session):
    unheard = said(named("99"), "relevant")
    marking = mark_papers(session, [unheard, said(BEES, "maybe")], library=LIBRARY)
    assert marking.unknown == (unheard,)
    assert list(session.current()) == ["b"]


def test_seeds_that_are_marked_irrelevant_are_named(session):
    statements = [said(CATS, "irrelevant"), said(BEES, "irrelevant")]
    assert mark_papers(session, statements, library=LIBRARY).seeds == ("1",)


def test_nothing_said_marks_nothing(session):
    assert mark_papers(session, [], library=LIBRARY).labels == {}
    assert session.history() == []
