from dataclasses import replace

import pytest

from expansion.sessions.standing import COURSE, STATUS
from likewise.expansion.records import SeedReading
from likewise.expansion.sessions.status_words import (
    describe_advice,
    describe_further,
    describe_promise,
    describe_status,
)
from likewise.learn.stopping.advice import Advice
from likewise.learn.stopping.left import Further
from likewise.learn.stopping.reading import calibration_file
from likewise.learn.stopping.target import Target

# What is said of a session where reading says since when one can stop.
READ_ENOUGH = "finding has declined as in reviews that had found 95 %, with 95 % confidence"
STOPPED = Advice("stop", 0, 0.0, 2180, 0.02, "reading", stopped_after=120)


def sentences(**changes):
    return describe_status(replace(STATUS, **changes), session="review.likewise")


FURTHER = COURSE._replace(further=Further(243, 181, 402))


@pytest.mark.parametrize(
    ("further", "by", "said"),
    [
        (Further(243, 181, 402), "reading", "About 240 more to read (180-400), then stop."),
        (Further(243, 181, 402), "audits", "About 240 more to read (180-400), then an audit."),
        (Further(9, 9, 9), "reading", "About 9 more to read, then stop."),
        (Further(2180, 900, 2180), "reading", "About 2,180 more to read (900-2,180), then stop."),
    ],
)
def test_how_many_more_are_to_be_read_is_said(further, by, said):
    course, target = COURSE._replace(further=further), Target(by=by)
    assert describe_further(replace(STATUS, course=course, target=target)) == said


def test_how_many_more_is_said_before_the_advice():
    assert sentences(course=FURTHER)[-2] == "About 240 more to read (180-400), then stop."


def test_where_the_advice_is_not_to_go_on_nobody_is_told_how_many_more():
    advice = Advice("audit", 60, 0.1, 25, 0.64)
    assert describe_further(replace(STATUS, course=FURTHER, advice=advice)) == ""


def test_what_advice_by_reading_promises_is_said():
    reviews = sum(calibration_file().made["reviews"].values())
    assert describe_promise(Target(0.8, 0.9)) == (
        f"Of 100 reviews like the {reviews:,} that it was tried on, at least 90 have found 80 % of "
        "their topic when the advice is to stop; for a single review that is no promise."
    )


def test_what_advice_by_audits_promises_is_said():
    assert describe_promise(Target(0.9, 0.99, "audits")) == (
        "Whatever the ranking is, fewer than 1 of 100 such audits would say so wrongly."
    )


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
    assert describe_status(replace(STATUS, readings=OPEN))[2].endswith("further down would tell.")


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
    assert sentences(advice=STOPPED)[-1] == (
        f"You can stop: {READ_ENOUGH}; to have it proven: "
        "likewise status review.likewise --proof audits"
    )


def test_whoever_reads_on_is_told_since_when_they_could_stop():
    earlier = replace(STOPPED, stopped_after=90)
    assert f"{READ_ENOUGH} (after 90 read, 30 ago)" in sentences(advice=earlier)[-1]
    assert "ago" not in sentences(advice=STOPPED)[-1]


def test_what_audits_leave_room_for_is_not_said_where_it_is_hardly_anything():
    advice = Advice("go on", 60, 0.1, 60, 0.43, "audits")
    assert not [said for said in sentences(advice=advice, at_most=60) if "leave room" in said]


def test_cautions_stand_before_how_many_more_and_the_advice():
    told = sentences(cautions=("Take care.", "Take more."), course=FURTHER)
    assert told[-4:-1] == [
        "Take care.",
        "Take more.",
        "About 240 more to read (180-400), then stop.",
    ]


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


@pytest.mark.parametrize(
    ("advice", "said"),
    [
        (("go on", 9, 1.6, 2180, 0.02), "Go on: about 2 of the next 9 are likely to be on topic."),
        (("audit", 60, 0.1, 25, 0.64), "Audit 60 more: a random sample of what was not looked at."),
        (("stop", 0, 0.0, 2, 0.957), f"You can stop: {SHOWN}, which audits prove."),
        (("stop", 0, 0.0, 2180, 0.02, "reading", 120), f"You can stop: {READ_ENOUGH}."),
    ],
)
def test_without_a_session_advice_names_no_command(advice, said):
    assert describe_advice(replace(STATUS, advice=Advice(*advice), at_most=2)) == said


def test_without_a_session_no_sentence_names_a_command():
    told = describe_status(replace(STATUS, unlearned=3))
    assert told[-2] == "3 marks not learned from yet."
    assert not [sentence for sentence in told if "likewise" in sentence]
    assert len(told) == len(sentences(unlearned=3))
