import pytest

from expansion.sessions.samples import new_session, small_saved
from likewise.errors import SessionError
from likewise.expansion.marks import describe_opinions, show_marks
from likewise.expansion.sessions.looking import read_looking
from likewise.expansion.sessions.status import read_status


@pytest.fixture
def session(tmp_path):
    with new_session(tmp_path) as session:
        session.add_expansion(small_saved())
        yield session


@pytest.fixture
def screened(session):
    """Ann and Bob agree on 201, disagree on 203; Ann alone has marked 204, Bob 205."""
    session.review.add_reason("editorial")
    session.mark({"201": "relevant", "203": "irrelevant", "204": "relevant"}, reviewer="Ann")
    session.mark({"201": "relevant", "203": "relevant", "205": "maybe"}, reviewer="Bob")
    return session


def decisions(session):
    return {name: mark.label for name, mark in session.current().items()}


def seen_by(session, reviewer):
    return {name: mark.label for name, mark in show_marks(session.opinions(), reviewer).items()}


def test_a_mark_of_one_reviewer_leaves_that_of_another(screened):
    assert [mark.reviewer for mark in screened.opinions()["203"].marks] == ["Ann", "Bob"]


def test_what_reviewers_disagree_on_is_maybe(screened):
    assert decisions(screened) == {
        "204": "relevant",
        "201": "relevant",
        "203": "maybe",
        "205": "maybe",
    }
    assert screened.marks().maybe == ("203", "205")


def test_one_name_in_other_letters_is_one_person(session):
    session.mark({"201": "relevant"}, reviewer="Ann  Lee")
    session.mark({"201": "irrelevant"}, reviewer=" ann lee")
    assert decisions(session) == {"201": "irrelevant"}
    assert session.undo(reviewer="ANN LEE")[0].label == "irrelevant"


def test_a_reviewer_does_not_see_what_only_another_has_marked(screened):
    assert seen_by(screened, "Bob") == {"201": "relevant", "203": "relevant", "205": "maybe"}
    assert screened.opinions()["204"].list_others("Bob") == ()


def test_a_reviewer_sees_what_another_marked_once_both_have(screened):
    assert [mark.reviewer for mark in screened.opinions()["203"].list_others("bob")] == ["Ann"]


def test_a_third_person_sees_what_two_have_marked_and_nothing_else(screened):
    assert seen_by(screened, "Cat") == {"201": "relevant", "203": "maybe"}


def test_tags_and_notes_of_another_are_hidden_with_their_mark(screened):
    screened.review.tag(["203", "204"], add=["RCT"], reviewer="Ann")
    screened.review.note("204", "include!", reviewer="Ann")
    seen = screened.review.remarks_for("Bob", screened.opinions())
    assert (seen.tags, seen.notes) == ({"203": ("RCT",)}, {})
    own = screened.review.remarks_for("ann", screened.opinions())
    assert own.find_own_note("204", "Ann") == "include!"
    assert own.describe_notes("204") == "Ann: include!"


def test_a_settled_conflict_is_what_was_settled_whoever_looks(screened):
    screened.settle({"203": "irrelevant"}, reviewer="Cat", reason="editorial")
    settled = screened.current()["203"]
    assert (settled.label, settled.reviewer, settled.reason, settled.is_settling) == (
        *("irrelevant", "Cat", "editorial"),
        True,
    )
    assert seen_by(screened, "Ann")["203"] == seen_by(screened, "Dan")["203"] == "irrelevant"


def test_a_mark_after_the_settling_does_not_open_the_conflict_again(screened):
    screened.settle({"203": "relevant"}, reviewer="Cat")
    screened.mark({"203": "maybe"}, reviewer="Ann")
    assert decisions(screened)["203"] == "relevant"


def test_a_settling_that_is_taken_back_opens_the_conflict_again(screened):
    screened.settle({"203": "relevant"}, reviewer="Cat")
    screened.settle({"203": None}, reviewer="Dan")
    assert screened.opinions()["203"].is_conflict


@pytest.mark.parametrize("name", ["201", "204", "nothing"])
def test_what_nobody_disagrees_on_can_t_be_settled(screened, name):
    with pytest.raises(SessionError, match=f"{name}: reviewers do not disagree on it"):
        screened.settle({"203": "relevant", name: "relevant"}, reviewer="Cat")
    assert screened.opinions()["203"].is_conflict


def test_undo_takes_back_the_latest_mark_of_the_reviewer_who_asks(screened):
    assert [mark.document for mark in screened.undo(reviewer="Ann")] == ["204"]
    assert screened.undo() == []
    assert decisions(screened)["205"] == "maybe"


def test_a_reviewer_is_shown_next_what_only_another_has_marked(screened):
    rest = [place.id for place in read_looking(screened, reviewer="Bob").rest]
    assert "204" in rest
    assert "201" not in rest
    assert "204" not in [place.id for place in read_looking(screened).rest]


def test_what_was_settled_need_not_be_looked_at_by_anybody(screened):
    screened.settle({"203": "relevant"}, reviewer="Cat")
    assert "203" not in [place.id for place in read_looking(screened, reviewer="Dan").rest]


def test_status_counts_a_conflict_as_maybe_until_it_is_settled(screened):
    before = read_status(screened)
    screened.settle({"203": "relevant"}, reviewer="Cat")
    after = read_status(screened)
    assert (before.relevant, before.maybe) == (2, 2)
    assert (after.relevant, after.maybe) == (3, 1)


def test_a_second_mark_that_agrees_is_nothing_to_learn_from(session):
    session.mark({"201": "relevant"}, reviewer="Ann")
    session.add_expansion(small_saved())
    session.mark({"201": "relevant"}, reviewer="Bob")
    assert read_status(session).unlearned == 0
    session.mark({"201": "maybe"}, reviewer="Bob")
    assert read_status(session).unlearned == 1


def test_who_said_what_is_told_in_a_line(screened):
    screened.settle({"203": "relevant"}, reviewer="Cat")
    told = describe_opinions(screened.opinions()["203"])
    assert told == "Ann: irrelevant; Bob: relevant; settled by Cat: relevant"


def test_one_alone_without_a_name_is_not_told(session):
    session.mark({"201": "relevant"})
    assert describe_opinions(session.opinions()["201"]) == ""
