from dataclasses import replace

import pytest

from expansion.sessions.samples import new_session, small_saved
from likewise.errors import SettingsError
from likewise.expansion.expansion import Interval, SeedReading
from likewise.expansion.sessions.status import (
    Status,
    advice_sentence,
    status_of,
    status_sentences,
)
from likewise.learn.stopping.advice import Advice
from likewise.learn.stopping.target import Target

POOL = ["201", "10.1000/a b", "203", "204", "205"]
STATUS = Status(
    seeds=10, relevant=45, irrelevant=70, maybe=5, pool=2300, looked_at=120, decided=32,
    unlearned=0, left=Interval(30, 18, 47), recall=Interval(0.6, 0.489, 0.714), at_most=None,
    readings=(), unfinished=0, target=Target(), advice=Advice("go on", 100, 12.3, 2180, 0.02),
)  # fmt: skip


@pytest.fixture
def session(tmp_path):
    with new_session(tmp_path) as session:
        session.add_expansion(small_saved())
        yield session


def sentences(**changes):
    return status_sentences(replace(STATUS, **changes), session="review.likewise")


def test_marks_are_counted(session):
    session.mark({"201": "relevant", "203": "relevant", "204": "irrelevant", "205": "maybe"})
    status = status_of(session)
    assert (status.relevant, status.irrelevant, status.maybe) == (2, 1, 1)
    assert (status.seeds, status.pool, status.looked_at, status.found) == (4, 5, 4, 2)


def test_what_is_decided_and_not_looked_at_is_counted(session):
    session.mark({"201": "relevant", "204": "irrelevant"})
    assert status_of(session).decided == 2


def test_marks_that_were_not_learned_from_are_counted(session):
    session.mark({"201": "relevant", "204": "irrelevant"})
    session.add_expansion(small_saved())
    session.undo(["204"])
    assert status_of(session).unlearned == 1


def test_marks_that_were_taken_back_before_they_were_learned_from_are_not_counted(session):
    session.mark({"201": "relevant"})
    session.add_expansion(small_saved())
    session.mark({"201": "maybe", "203": "irrelevant", "204": "irrelevant"})
    session.undo(["204"])
    session.mark({"201": "relevant"})
    assert status_of(session).unlearned == 1


def test_advice_expects_no_more_than_are_said_to_be_left(session):
    session.mark({"201": "irrelevant", "203": "irrelevant"})
    status = status_of(session)
    assert status.advice.expected <= status.left.value


def test_maybe_may_be_left_or_not(session):
    before = status_of(session).left
    session.mark({"elsewhere": "maybe"})
    after = status_of(session).left
    assert after == (before.value + 0.5, before.low, before.high + 1)


def test_the_recall_is_that_of_what_is_found_and_left(session):
    session.mark({"201": "relevant", "10.1000/a b": "relevant"})
    status = status_of(session)
    assert status.recall == tuple(2 / (2 + left) for left in (status.left[0], *status.left[:0:-1]))


def test_without_an_audit_nothing_is_proven(session):
    session.mark({"201": "relevant"})
    assert status_of(session, target=Target(by="audits")).at_most is None


def test_what_was_read_leaves_room_for_so_many(session):
    session.mark({"201": "relevant", "10.1000/a b": "irrelevant"})
    status = status_of(session)
    # Three are left, and two that were read can't rule out any of them.
    assert (status.at_most, status.advice.by, status.advice.kind) == (3, "reading", "go on")


def test_before_anything_was_read_nothing_is_shown(session):
    assert status_of(session).at_most is None


def test_an_audit_proves_something(session):
    session.add_audit(["204", "205", "203"], population=POOL)
    session.mark({"204": "irrelevant", "205": "irrelevant", "203": "irrelevant"})
    assert status_of(session).at_most == 2


def test_an_audit_that_was_begun_is_to_be_finished(session):
    session.mark({"201": "relevant"})
    session.add_audit(["203", "10.1000/a b"], population=POOL[1:])
    status = status_of(session)
    assert status.unfinished == 2
    assert status.advice.kind != "audit" or status.advice.count == 2


def test_whoever_looked_at_everything_can_stop(session):
    session.mark(dict.fromkeys(POOL, "irrelevant"))
    status = status_of(session)
    assert (status.advice.kind, status.at_most, status.left) == ("stop", 0, (0, 0, 0))


def test_a_target_that_can_not_be_is_refused(session):
    with pytest.raises(SettingsError, match="--recall"):
        status_of(session, target=Target(recall=1.2))


def test_sentences_say_where_a_session_stands():
    assert sentences() == [
        "10 seeds; 120 of 2,300 candidates looked at: 45 relevant, 70 irrelevant, 5 maybe.",
        "About 30 (18-47) on topic are estimated to be left: a recall of 0.60 (0.49-0.71) so far.",
        "32 candidates are decided to be on topic, not looked at.",
        "Go on: about 12 of the next 100 are likely to be on topic: likewise next review.likewise",
    ]


OPEN = (SeedReading(True, 0.6, 304.0), SeedReading(False, 0.4, 31.2))


def test_what_the_seeds_may_be_is_said_where_it_is_open_and_how_to_tell():
    assert sentences(readings=OPEN)[2] == (
        "Your papers are more alike than papers on one topic usually are. If they are the topic, "
        "about 31 are left; if they are one corner of a wider one, about 300. Marks on 10 from "
        "further down would tell: likewise next review.likewise --strategy calibrate --count 10"
    )


def test_where_one_reading_is_clear_nothing_is_said_of_them():
    assert sentences(readings=OPEN[1:]) == sentences()


def test_without_a_session_how_to_tell_readings_apart_names_no_command():
    assert status_sentences(replace(STATUS, readings=OPEN))[2].endswith("further down would tell.")


def test_readings_are_those_of_what_is_left(session):
    session.mark({"201": "relevant"})
    readings = status_of(session).readings
    assert sum(reading.weight for reading in readings) == pytest.approx(1)
    assert all(0 < reading.left <= 4 for reading in readings)


def test_by_the_signs_of_its_expansion_a_session_is_judged(tmp_path):
    numbers = []
    for name, score in (("few", 0.0), ("many", 8.0)):
        (tmp_path / name).mkdir()
        with new_session(tmp_path / name) as session:
            session.add_expansion(small_saved(signs={"score 300": score}))
            numbers.append([reading.left for reading in status_of(session).readings])
    assert numbers[0] != numbers[1]


def test_what_is_to_be_learned_is_said():
    assert sentences(unlearned=1)[-2] == (
        "1 mark not learned from yet: likewise expand --session review.likewise"
    )


def test_advice_to_audit_names_the_command():
    advice = Advice("audit", 60, 0.1, 25, 0.64)
    assert sentences(advice=advice, at_most=25)[-2:] == [
        "Audits leave room for at most 25 left, with 95 % confidence (recall at least 0.64).",
        "Audit 60 more: likewise next review.likewise --strategy audit --count 60",
    ]


def test_the_recall_that_is_proven_is_rounded_down():
    advice = Advice("stop", 0, 0.0, 2, 0.9599)
    assert sentences(advice=advice, at_most=2)[-1] == (
        "You can stop: at most 2 left, with 95 % confidence (recall at least 0.95), "
        "which audits prove."
    )


def test_where_reading_shows_it_what_it_rests_on_is_said():
    advice = Advice("stop", 0, 0.0, 2, 0.957, "reading")
    assert sentences(advice=advice, at_most=2)[-1] == (
        "You can stop: at most 2 left, with 95 % confidence (recall at least 0.95), "
        "if the topic thins out down the ranking as topics do; to have it proven: "
        "likewise status review.likewise --proof audits"
    )


def test_what_reading_leaves_room_for_is_said():
    advice = Advice("go on", 60, 0.1, 25, 0.64, "reading")
    assert sentences(advice=advice, at_most=25)[-2] == (
        "What was read leaves room for at most 25 left, with 95 % confidence "
        "(recall at least 0.64)."
    )


def test_at_the_end_there_is_nothing_to_estimate():
    advice = Advice("stop", 0, 0.0, 0, 1.0)
    assert sentences(looked_at=2300, advice=advice)[1:] == [
        "You can stop: everything was looked at."
    ]


def test_where_less_than_one_is_expected_it_is_hardly_any():
    assert sentences(advice=Advice("go on", 100, 0.2, 100, 0.3))[-1] == (
        "Go on: hardly any of the next 100 are likely to be on topic: likewise next review.likewise"
    )


SHOWN = "at most 2 left, with 95 % confidence (recall at least 0.95)"
THINS_OUT = "if the topic thins out down the ranking as topics do"


@pytest.mark.parametrize(
    ("advice", "said"),
    [
        (("go on", 9, 1.6, 2180, 0.02), "Go on: about 2 of the next 9 are likely to be on topic."),
        (("audit", 60, 0.1, 25, 0.64), "Audit 60 more: a random sample of what was not looked at."),
        (("stop", 0, 0.0, 2, 0.957), f"You can stop: {SHOWN}, which audits prove."),
        (
            ("stop", 0, 0.0, 2, 0.957, "reading"),
            f"You can stop: {SHOWN}, {THINS_OUT}; audits can prove it.",
        ),
    ],
)
def test_without_a_session_advice_names_no_command(advice, said):
    assert advice_sentence(replace(STATUS, advice=Advice(*advice), at_most=2)) == said


def test_without_a_session_no_sentence_names_a_command():
    told = status_sentences(replace(STATUS, unlearned=3))
    assert told[-2] == "3 marks not learned from yet."
    assert not [sentence for sentence in told if "likewise" in sentence]
    assert len(told) == len(sentences(unlearned=3))
