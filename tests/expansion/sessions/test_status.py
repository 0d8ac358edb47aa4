import pytest

from expansion.sessions.samples import new_session, small_saved
from likewise.errors import SettingsError
from likewise.expansion.sessions.status import read_status
from likewise.learn.stopping.rules import RULES
from likewise.learn.stopping.target import Target

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
