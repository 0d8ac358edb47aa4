import numpy as np
import pytest

from expansion.sessions.samples import new_session, small_saved
from learn.stopping.taught import taught
from likewise.errors import SettingsError
from likewise.expansion.records import Place
from likewise.expansion.sessions import status
from likewise.expansion.sessions.status import RuleVerdict, aim, consult_rules, read_status
from likewise.learn.estimates import Target
from likewise.learn.stopping import Screening
from likewise.learn.stopping.reading import Level, find_calibration
from likewise.learn.stopping.rules import RULES

POOL = ["201", "10.1000/a b", "203", "204", "205"]


@pytest.fixture
def session(tmp_path):
    with new_session(tmp_path) as session:
        session.add_expansion(small_saved())
        yield session


def test_marks_are_counted(session):
    session.mark({"201": "relevant", "203": "relevant", "204": "irrelevant", "205": "maybe"})
    status = read_status(session)
    assert (status.relevant, status.irrelevant, status.maybe) == (2, 1, 1)
    assert (status.seeds, status.pool, status.looked_at, status.found) == (4, 5, 4, 2)


def test_what_is_decided_and_not_looked_at_is_counted(session):
    session.mark({"201": "relevant", "204": "irrelevant"})
    assert read_status(session).decided == 2


def test_marks_that_were_not_learned_from_are_counted(session):
    session.mark({"201": "relevant", "204": "irrelevant"})
    session.add_expansion(small_saved())
    session.undo(["204"])
    assert read_status(session).unlearned == 1


def test_marks_that_were_taken_back_before_they_were_learned_from_are_not_counted(session):
    session.mark({"201": "relevant"})
    session.add_expansion(small_saved())
    session.mark({"201": "maybe", "203": "irrelevant", "204": "irrelevant"})
    session.undo(["204"])
    session.mark({"201": "relevant"})
    assert read_status(session).unlearned == 1


def test_advice_expects_no_more_than_are_said_to_be_left(session):
    session.mark({"201": "irrelevant", "203": "irrelevant"})
    status = read_status(session)
    assert status.advice.expected <= status.left.value


def test_maybe_may_be_left_or_not(session):
    before = read_status(session).left
    session.mark({"elsewhere": "maybe"})
    after = read_status(session).left
    assert tuple(after) == (before.value + 0.5, before.low, before.high + 1)


def test_the_recall_is_that_of_what_is_found_and_left(session):
    session.mark({"201": "relevant", "10.1000/a b": "relevant"})
    status = read_status(session)
    value, low, high = status.left
    assert tuple(status.recall) == tuple(2 / (2 + left) for left in (value, high, low))


def test_without_an_audit_nothing_is_proven(session):
    session.mark({"201": "relevant"})
    assert read_status(session, target=Target(by="audits")).at_most is None


def test_what_was_read_proves_nothing(session):
    session.mark({"201": "relevant", "10.1000/a b": "irrelevant"})
    status = read_status(session)
    assert (status.at_most, status.advice.by, status.advice.kind) == (None, "reading", "go on")


def test_before_anything_was_read_nothing_is_shown(session):
    assert read_status(session).at_most is None


def test_an_audit_proves_something(session):
    session.add_audit(["204", "205", "203"], population=POOL)
    session.mark({"204": "irrelevant", "205": "irrelevant", "203": "irrelevant"})
    assert read_status(session).at_most == 2


def test_an_audit_that_was_begun_is_to_be_finished(session):
    session.mark({"201": "relevant"})
    session.add_audit(["203", "10.1000/a b"], population=POOL[1:])
    status = read_status(session)
    assert status.unfinished == 2
    assert status.advice.kind != "audit" or status.advice.count == 2


def test_whoever_looked_at_everything_can_stop(session):
    session.mark(dict.fromkeys(POOL, "irrelevant"))
    status = read_status(session)
    assert (status.advice.kind, status.at_most, tuple(status.left)) == ("stop", 0, (0, 0, 0))


def test_a_target_that_can_not_be_is_refused(session):
    with pytest.raises(SettingsError, match="--recall"):
        read_status(session, target=Target(recall=1.2))


def test_the_target_is_the_one_given_or_the_one_kept_or_the_default(session):
    assert read_status(session).target == Target()
    session.choose_target(Target(0.8, 0.9, "audits"))
    assert read_status(session).target == Target(0.8, 0.9, "audits")
    assert read_status(session, target=Target(0.7)).target == Target(0.7)


def test_the_course_follows_what_was_read_and_judged_of_the_pool(session):
    session.mark({"elsewhere": "relevant", "201": "relevant", "204": "maybe"})
    session.mark({"203": "irrelevant"})
    course = read_status(session).course
    assert (course.read, course.found) == ((0, 1, 2), (0, 1, 1))
    # What may be on topic or not is neither judged nor ahead.
    assert (course.ahead[0].read, course.ahead[-1].read) == (2, 4)


def test_who_can_stop_is_not_told_how_many_more(session):
    session.mark(dict.fromkeys(POOL, "irrelevant"))
    assert read_status(session).course.further is None


def test_every_rule_is_asked_and_aimed_at_the_target(session):
    session.mark(dict.fromkeys(POOL, "irrelevant"))
    rules = read_status(session, target=Target(0.8)).rules
    assert [one.rule.split("(")[0] for one in rules] == list(RULES)
    assert rules[0].rule == "calibrated(recall=0.8, confidence=0.95)"
    # Everybody can stop who has looked at everything.
    assert all(one.stops for one in rules)


def test_audits_are_told(session):
    session.add_audit(["204", "205"], population=POOL)
    session.mark({"204": "relevant", "205": "irrelevant"})
    (audit,) = read_status(session).audits
    assert (audit.looked_at, audit.on_topic) == (2, 1)


def test_readings_are_those_of_what_is_left(session):
    session.mark({"201": "relevant"})
    readings = read_status(session).readings
    assert sum(reading.weight for reading in readings) == pytest.approx(1)
    assert all(0 < reading.left <= 4 for reading in readings)


def test_by_the_signs_of_its_expansion_a_session_is_judged(tmp_path):
    numbers = []
    for name, score in (("few", 0.0), ("many", 8.0)):
        (tmp_path / name).mkdir()
        with new_session(tmp_path / name) as session:
            session.add_expansion(small_saved(signs={"score 300": score}))
            numbers.append([reading.left for reading in read_status(session).readings])
    assert numbers[0] != numbers[1]


LOOKED = Screening(labels=np.array([True, False, False, False]), size=10)


def test_without_a_kept_target_the_default_counts():
    assert aim(None) == Target()


def test_what_is_given_counts_more_than_what_is_kept():
    kept = Target(0.9, 0.8, "audits")
    assert aim(kept) == kept
    assert aim(kept, recall=0.7) == Target(0.7, 0.8, "audits")
    assert aim(kept, confidence=0.99, by="reading") == Target(0.9, 0.99, "reading")


def test_every_rule_is_aimed_at_the_target():
    said = consult_rules(LOOKED, Target(0.9, 0.8))
    assert [one.rule.split("(")[0] for one in said] == list(RULES)
    assert said[0].rule == "calibrated(recall=0.9, confidence=0.8)"
    assert said[0].description == RULES["calibrated"].description
    aimed = [one.rule for one in said if "recall=0.9" in one.rule]
    assert "callaghan(recall=0.9, confidence=0.8)" in aimed
    assert "poisson(recall=0.9, confidence=0.8)" in aimed


def test_what_is_said_of_a_rule_counts_more_than_the_target():
    (said,) = consult_rules(LOOKED, Target(0.9), rules=["callaghan(recall=0.7)"])
    assert said.rule == "callaghan(recall=0.7, confidence=0.95)"


def test_a_rule_would_stop_or_goes_on():
    said = consult_rules(LOOKED, Target(), rules=["consecutive(count=3)", "consecutive(count=4)"])
    assert [(one.stops, one.verdict) for one in said] == [(True, "would stop"), (False, "goes on")]
    assert said[0] == RuleVerdict(
        "consecutive(count=3)", RULES["consecutive"].description, stops=True
    )


def test_rules_that_are_joined_are_asked_together():
    joined = "consecutive(count=3) and callaghan(recall=0.5)"
    (said,) = consult_rules(LOOKED, Target(0.9), rules=[joined])
    assert said.rule == "consecutive(count=3) and callaghan(recall=0.5, confidence=0.95)"
    both = [RULES[name].description for name in ("consecutive", "callaghan")]
    assert said.description == " and ".join(both)
    assert not said.stops


def test_a_rule_that_is_not_known_is_refused():
    with pytest.raises(SettingsError, match="'guess' is not known"):
        consult_rules(LOOKED, Target(), rules=["guess"])


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
def large_session(tmp_path):
    with new_session(tmp_path) as large_session:
        large_session.add_expansion(saved_pool(200))
        yield large_session


def mark(large_session, *runs, first=1, **more):
    """Mark documents from a place on, in runs: so many relevant, then so many irrelevant, ..."""
    place = first
    for turn, run in enumerate(runs):
        label = ("relevant", "irrelevant")[turn % 2]
        for number in range(place, place + run):
            large_session.mark({f"d{number}": label}, **more)
        place += run


def told(large_session, target=None):
    return list(read_status(large_session, target=target or Target()).cautions)


def test_before_anything_is_marked_there_is_nothing_to_take_care_of(large_session):
    assert told(large_session) == told(large_session, AUDITS) == []


def test_who_has_read_everything_need_not_take_care(large_session):
    mark(large_session, 5, 195)
    assert told(large_session, Target(1.0)) == told(large_session, AUDITS) == []


def test_who_has_found_and_read_enough_need_not_take_care(large_session):
    mark(large_session, 10, 10)
    assert told(large_session) == []


# The order of reading


def test_marks_of_files_have_no_order(large_session):
    mark(large_session, 12, 8, first=101, source="screened.csv")
    assert told(large_session)[0] == (
        "20 marks came from files, in no order: advice goes by what you read from now."
    )


def test_a_file_of_what_stood_first_was_read_in_order(large_session):
    large_session.mark({f"d{rank}": "relevant" for rank in range(12, 0, -1)}, source="look.csv")
    mark(large_session, 0, 8, first=13)
    assert told(large_session) == []


def test_what_was_read_since_has_one(large_session):
    mark(large_session, 12, 8, first=101, source="screened.csv")
    mark(large_session, 10, 4)
    assert told(large_session) == [
        "20 marks came from files, in no order: advice goes by the 14 read since."
    ]


def test_marks_of_files_that_are_not_in_the_pool_do_not_matter(large_session):
    large_session.mark({"elsewhere": "relevant"}, source="screened.csv")
    mark(large_session, 10, 10)
    assert told(large_session) == []


def test_a_pool_that_has_grown_holds_what_nobody_has_read_of(large_session):
    mark(large_session, 10, 10)
    large_session.add_expansion(saved_pool(1200))
    assert told(large_session) == [
        (
            "The pool has grown from 200 to 1,200 candidates: what was read before tells little of "
            "the new ones; read some of them before you stop."
        )
    ]


def test_a_pool_that_has_hardly_grown_is_the_same(large_session):
    mark(large_session, 10, 10)
    large_session.add_expansion(saved_pool(210))
    assert told(large_session) == []


# What reading can't tell


def test_of_fewer_than_ten_found_too_little_is_known(large_session):
    mark(large_session, 9, 10)
    assert told(large_session) == [
        (
            "Fewer than 10 were found by reading: too few to tell when to stop; read on, or "
            "let audits prove it."
        )
    ]


def test_what_a_file_brought_was_not_found_by_reading(large_session):
    mark(large_session, 30, 5, first=101, source="screened.csv")
    mark(large_session, 9, 10)
    assert told(large_session)[-1].startswith("Fewer than 10 were found by reading")


def test_where_nothing_irrelevant_was_read_one_reads_on_down_the_ranking(large_session):
    mark(large_session, 15)
    assert told(large_session) == [
        (
            "Nothing irrelevant was read yet, so nothing shows how finding declines; read on "
            "down the ranking."
        )
    ]


def test_all_of_a_topic_can_only_be_read(large_session):
    mark(large_session, 15, 15)
    (said,) = told(large_session, Target(1.0))
    highest = find_calibration().levels[-1].recall
    assert said == (
        "No test short of reading everything shows a recall of 100 %; "
        f"{100 * highest:.0f} % is within reach."
    )


def test_more_confidence_than_other_reviews_give_is_not_to_be_had(large_session, monkeypatch):
    levels = (Level(0.8, (0.5, 0.9), (0.1, 0.2)), Level(0.99, (0.5, 0.95), (0.1, 0.2)))
    monkeypatch.setattr(status, "find_calibration", lambda: taught(levels=levels))
    mark(large_session, 15, 15)
    assert told(large_session, Target(0.95, 0.97)) == [
        "Other reviews can't show a confidence of 97 %; 95 % is within reach, or audits prove it."
    ]
    assert told(large_session, Target(0.95, 0.95)) == []
    # What they give depends on the recall.
    assert told(large_session, Target(0.8, 0.95)) == [
        "Other reviews can't show a confidence of 95 %; 90 % is within reach, or audits prove it."
    ]


def test_what_can_not_be_shown_in_any_case_is_said_first(large_session):
    mark(large_session, 5)
    assert told(large_session, Target(1.0))[0].startswith("No test short of reading everything")


# What audits can prove


def test_where_many_are_found_it_is_told_how_much_has_to_be_drawn(large_session):
    mark(large_session, 100, 20)
    # 1 - 0.05^(1/6) is 0.393, and of 80 that is 31.4.
    assert told(large_session, AUDITS) == [
        "With 100 found, audits prove 95 % only if at least 39 % of what is unread (32) are drawn."
    ]


def test_where_fewer_are_found_it_is_told_what_is_within_reach(large_session):
    mark(large_session, 60, 40)
    assert told(large_session, AUDITS) == [
        (
            "With 60 found, audits prove 95 % only if at least 53 % of what is unread (53) are "
            "drawn; for 90 %, 35 % of what is unread (35)."
        )
    ]


def test_where_few_are_found_no_audit_is_worth_its_work(large_session):
    mark(large_session, 10, 40)
    assert told(large_session, AUDITS) == [
        (
            "With 10 found, audits prove 95 % only if at least 95 % of what is unread (143) are "
            "drawn; reading everything is hardly more work, so find more first."
        )
    ]


def test_what_a_file_brought_counts_where_audits_prove(large_session):
    mark(large_session, 60, 20, source="screened.csv")
    mark(large_session, 40, 20, first=81)
    assert told(large_session, AUDITS)[-1].startswith("With 100 found, audits prove 95 %")


def test_of_reading_nothing_is_said_where_audits_prove(large_session):
    mark(large_session, 5)
    (said,) = told(large_session, AUDITS)
    assert said.startswith("With 5 found, audits prove")


def test_a_status_is_one_line_and_in_notebooks_sentences(session):
    status = read_status(session)
    line = f"<Status: 0 of {status.pool} candidates looked at, 0 relevant, about "
    assert repr(status).startswith(line)
    assert repr(status).endswith("; go on>")
    assert status._repr_html_().count("<p>") >= 2
