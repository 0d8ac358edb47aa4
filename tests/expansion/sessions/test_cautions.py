import pytest

from expansion.sessions.samples import new_session, small_saved
from learn.stopping.taught import taught
from likewise.expansion.records import Place
from likewise.expansion.sessions import status
from likewise.expansion.sessions.status import read_status
from likewise.learn.stopping.reading import Level, past_replays
from likewise.learn.stopping.target import Target

AUDITS = Target(by="audits")


def saved_pool(size):
    """Return an expansion with so many candidates, d1 the best of them, and two seeds."""
    places = [
        Place(id=f"d{rank}", rank=rank, score=-rank / 10, probability=0.1, decision=False,
                   seed=False)
        for rank in range(1, size + 1)
    ]  # fmt: skip
    seeds = [Place(id=name, rank=rank, score=score, probability=1.0, decision=True, seed=True)
             for name, rank, score in (("101", 1, 0.0), ("102", 9, -0.9))]  # fmt: skip
    return small_saved(ranking=(*seeds, *places))


@pytest.fixture
def session(tmp_path):
    with new_session(tmp_path) as session:
        session.add_expansion(saved_pool(200))
        yield session


def mark(session, *runs, first=1, **more):
    """Mark documents from a place on, in runs: so many relevant, then so many irrelevant, ..."""
    place = first
    for turn, run in enumerate(runs):
        label = ("relevant", "irrelevant")[turn % 2]
        for number in range(place, place + run):
            session.mark({f"d{number}": label}, **more)
        place += run


def told(session, target=None):
    return list(read_status(session, target=target or Target()).cautions)


def test_before_anything_is_marked_there_is_nothing_to_take_care_of(session):
    assert told(session) == told(session, AUDITS) == []


def test_who_has_read_everything_need_not_take_care(session):
    mark(session, 5, 195)
    assert told(session, Target(1.0)) == told(session, AUDITS) == []


def test_who_has_found_and_read_enough_need_not_take_care(session):
    mark(session, 10, 10)
    assert told(session) == []


# The order of reading


def test_marks_of_files_have_no_order(session):
    mark(session, 12, 8, first=101, source="screened.csv")
    assert told(session)[0] == (
        "20 marks came from files, in no order: advice goes by what you read from now."
    )


def test_a_file_of_what_stood_first_was_read_in_order(session):
    session.mark({f"d{rank}": "relevant" for rank in range(12, 0, -1)}, source="look.csv")
    mark(session, 0, 8, first=13)
    assert told(session) == []


def test_what_was_read_since_has_one(session):
    mark(session, 12, 8, first=101, source="screened.csv")
    mark(session, 10, 4)
    assert told(session) == [
        "20 marks came from files, in no order: advice goes by the 14 read since."
    ]


def test_marks_of_files_that_are_not_in_the_pool_do_not_matter(session):
    session.mark({"elsewhere": "relevant"}, source="screened.csv")
    mark(session, 10, 10)
    assert told(session) == []


def test_a_pool_that_has_grown_holds_what_nobody_has_read_of(session):
    mark(session, 10, 10)
    session.add_expansion(saved_pool(1200))
    assert told(session) == [
        (
            "The pool has grown from 200 to 1,200 candidates: what was read before tells little of "
            "the new ones; read some of them before you stop."
        )
    ]


def test_a_pool_that_has_hardly_grown_is_the_same(session):
    mark(session, 10, 10)
    session.add_expansion(saved_pool(210))
    assert told(session) == []


# What reading can't tell


def test_of_fewer_than_ten_found_too_little_is_known(session):
    mark(session, 9, 10)
    assert told(session) == [
        (
            "Fewer than 10 were found by reading: too few to tell from when to stop; read on, or "
            "let audits prove it."
        )
    ]


def test_what_a_file_brought_was_not_found_by_reading(session):
    mark(session, 30, 5, first=101, source="screened.csv")
    mark(session, 9, 10)
    assert told(session)[-1].startswith("Fewer than 10 were found by reading")


def test_where_nothing_irrelevant_was_read_one_reads_on_down_the_ranking(session):
    mark(session, 15)
    assert told(session) == [
        (
            "Nothing irrelevant was read yet, so it can't be told how finding declines; read on "
            "down the ranking."
        )
    ]


def test_all_of_a_topic_can_only_be_read(session):
    mark(session, 15, 15)
    (said,) = told(session, Target(1.0))
    highest = past_replays().levels[-1].recall
    assert said == (
        "No test short of reading everything shows a recall of 100 %; "
        f"{100 * highest:.0f} % is within reach."
    )


def test_more_confidence_than_other_reviews_give_is_not_to_be_had(session, monkeypatch):
    levels = (Level(0.8, (0.5, 0.9), (0.1, 0.2)), Level(0.99, (0.5, 0.95), (0.1, 0.2)))
    monkeypatch.setattr(status, "past_replays", lambda: taught(levels=levels))
    mark(session, 15, 15)
    assert told(session, Target(0.95, 0.97)) == [
        "Other reviews can't show a confidence of 97 %; 95 % is within reach, or audits prove it."
    ]
    assert told(session, Target(0.95, 0.95)) == []
    # What they give depends on the recall.
    assert told(session, Target(0.8, 0.95)) == [
        "Other reviews can't show a confidence of 95 %; 90 % is within reach, or audits prove it."
    ]


def test_what_can_not_be_shown_in_any_case_is_said_first(session):
    mark(session, 5)
    assert told(session, Target(1.0))[0].startswith("No test short of reading everything")


# What audits can prove


def test_where_many_are_found_it_is_told_how_much_has_to_be_drawn(session):
    mark(session, 100, 20)
    # 1 - 0.05^(1/6) is 0.393, and of 80 that is 31.4.
    assert told(session, AUDITS) == [
        "With 100 found, audits prove 95 % only if at least 39 % of what is unread (32) are drawn."
    ]


def test_where_fewer_are_found_it_is_told_what_is_within_reach(session):
    mark(session, 60, 40)
    assert told(session, AUDITS) == [
        (
            "With 60 found, audits prove 95 % only if at least 53 % of what is unread (53) are "
            "drawn; for 90 %, 35 % of what is unread (35)."
        )
    ]


def test_where_few_are_found_no_audit_is_worth_its_work(session):
    mark(session, 10, 40)
    assert told(session, AUDITS) == [
        (
            "With 10 found, audits prove 95 % only if at least 95 % of what is unread (143) are "
            "drawn; reading everything is hardly more work, so find more first."
        )
    ]


def test_what_a_file_brought_counts_where_audits_prove(session):
    mark(session, 60, 20, source="screened.csv")
    mark(session, 40, 20, first=81)
    assert told(session, AUDITS)[-1].startswith("With 100 found, audits prove 95 %")


def test_of_reading_nothing_is_said_where_audits_prove(session):
    mark(session, 5)
    (said,) = told(session, AUDITS)
    assert said.startswith("With 5 found, audits prove")
