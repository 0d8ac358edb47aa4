import pytest

from expansion.sessions.samples import new_session
from likewise.expansion.sessions.agreement import SeenSession


@pytest.fixture
def session(tmp_path):
    """Ann has marked 1 and 2, Bo 2 and 3."""
    with new_session(tmp_path) as session:
        session.mark({"1": "relevant", "2": "irrelevant"}, reviewer="Ann")
        session.mark({"2": "relevant", "3": "maybe"}, reviewer="Bo")
        yield session


@pytest.mark.parametrize(
    ("reviewer", "seen", "unseen"),
    [("Ann", {"1", "2"}, 1), (" bo", {"2", "3"}, 1), ("Cat", {"2"}, 2)],
)
def test_a_reviewer_sees_what_they_or_two_others_have_marked(session, reviewer, seen, unseen):
    viewed = SeenSession(session, reviewer)
    assert set(viewed.current()) == seen
    assert {mark.document for mark in viewed.history()} == seen
    assert (viewed.count_unseen(), session.count_unseen()) == (unseen, 0)


def test_a_mark_that_is_taken_back_hides_the_others_again(session):
    session.undo(["2"], reviewer="Ann")
    assert set(SeenSession(session, "Ann").current()) == {"1"}


def test_what_was_settled_is_seen_by_all(session):
    session.settle({"2": "relevant"}, reviewer="Cat")
    assert SeenSession(session, "Dan").marks().relevant == ("2",)


def test_tags_and_notes_are_seen_where_marks_are(session):
    session.review.tag(["1", "2", "3"], add=["RCT"], reviewer="Bo")
    session.review.note("3", "small", reviewer="Bo")
    remarks = SeenSession(session, "Ann").review.remarks()
    assert (dict(remarks.tags), dict(remarks.notes)) == (
        {"1": ("RCT",), "2": ("RCT",)},
        {},
    )
