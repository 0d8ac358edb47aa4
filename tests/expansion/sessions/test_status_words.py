from dataclasses import replace

import msgspec
import pytest

from expansion.sessions.samples import new_session, small_saved
from expansion.sessions.standing import COURSE, STATUS
from likewise.expansion.marks import Marks
from likewise.expansion.sessions.status import read_status
from likewise.expansion.sessions.status_words import (
    describe_advice,
    describe_further,
    describe_methods,
    describe_promise,
    describe_status,
)
from likewise.learn.estimates import SeedReading, Target
from likewise.learn.stopping.advice import Advice
from likewise.learn.stopping.audits import AuditResult
from likewise.learn.stopping.left import Further
from likewise.learn.stopping.reading import read_calibration_file

# What is said of a session where reading says since when one can stop.
READ_ENOUGH = "finding has declined as in reviews that had found 95 %, with 95 % confidence"
STOPPED = Advice("stop", 0, 0.0, 2180, 0.02, "reading", stopped_after=120)


def sentences(**changes):
    return describe_status(replace(STATUS, **changes), session="review.likewise")


FURTHER = replace(COURSE, further=Further(243, 181, 402))


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
    course, target = replace(COURSE, further=further), Target(by=by)
    assert describe_further(replace(STATUS, course=course, target=target)) == said


def test_how_many_more_is_said_before_the_advice():
    assert sentences(course=FURTHER)[-2] == "About 240 more to read (180-400), then stop."


def test_where_the_advice_is_not_to_go_on_nobody_is_told_how_many_more():
    advice = Advice("audit", 60, 0.1, 25, 0.64)
    assert describe_further(replace(STATUS, course=FURTHER, advice=advice)) == ""


def test_what_advice_by_reading_promises_is_said():
    reviews = sum(read_calibration_file().made["reviews"].values())
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


def test_once_marks_have_told_none_are_asked_for():
    likely = (SeedReading(True, 0.9, 304.0), SeedReading(False, 0.1, 31.2))
    assert sentences(readings=likely, telling=5)[2] == (
        "Your papers look like one corner of a wider topic; your marks tell how wide it is."
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


SAVED = small_saved(versions={"numpy": "2.1.0", "scipy": "1.14.0"}, library_size=20_000)
OVER = replace(
    STATUS, looked_at=1620, advice=Advice("stop", 0, 0.0, 680, 0.06, "reading", stopped_after=1480)
)
AUDITS = (AuditResult(700, 40, 1, 10), AuditResult(600, 60, 0, 11), AuditResult(500, 0, 0, 11))


def told(status=OVER, **changes):
    return describe_methods(replace(status, **changes), saved=SAVED)


def test_the_paragraph_says_how_it_was_screened_and_why_it_ended():
    assert told() == (
        'Records were screened with likewise 0.1.0 (method "linear"; numpy 2.1.0, scipy 1.14.0). '
        "Starting from 10 seed papers, it retrieved 2,300 candidates of a library of 20,000 "
        "records and ranked them by how likely each is to be on the topic of the seeds. "
        "Of the candidates, 1,620 were read; 45 records besides the seeds were judged relevant, "
        "and 5 left undecided. "
        "Screening ended by the stopping rule of likewise that rests on reading, with the target "
        "of finding 95 % of the relevant candidates with 95 % confidence; it advises to stop when "
        "finding has declined so far that hardly more than that can be missed, by a test "
        "calibrated on replays of other reviews (conformal risk control). "
        f"{describe_promise(Target())} "
        "The rule was met after 1,480 were read; about 30 (80 % interval 18-47) relevant "
        "candidates were estimated to be left unread. "
        "No random sample of the unread candidates was drawn. "
        "Recall is that among the candidates; the rest of the library was not screened."
    )


def test_the_paragraph_says_what_the_search_was_limited_to():
    settings = {**SAVED.settings, "where": "year>=2010"}
    limited = msgspec.structs.replace(SAVED, settings=settings)
    paragraph = describe_methods(OVER, saved=limited)
    assert "a library of 20,000 records, limited to year>=2010, and ranked them" in paragraph


def test_screening_that_goes_on_is_said_not_to_be_complete():
    for advice in (STATUS.advice, Advice("audit", 60, 0.1, 25, 0.64)):
        paragraph = told(STATUS, advice=advice)
        assert "Screening was not complete: the target of finding 95 % " in paragraph
        assert "about 30 (80 % interval 18-47) relevant candidates were estimated" in paragraph
        assert "Screening ended" not in paragraph


def test_who_read_everything_needed_no_rule():
    paragraph = told(looked_at=2300)
    assert "Screening ended when every candidate had been read." in paragraph
    assert "rule" not in paragraph
    assert "sample" not in paragraph


def test_what_audits_prove_is_told_even_if_reading_was_asked_to():
    paragraph = told(advice=Advice("stop", 0, 0.0, 2, 0.957, "audits"), audits=AUDITS)
    assert "that rests on audits" in paragraph
    assert describe_promise(Target(by="audits")) in paragraph
    assert "By then at most 2 relevant candidates could be left (a recall of at least 0.95); " in (
        paragraph
    )
    assert (
        "2 random samples of candidates that were unread by then, 100 records in all, held 1 that "
        "was judged relevant or left undecided." in paragraph
    )


def test_what_was_learned_from_marks_is_told():
    saved = small_saved(marks=Marks(relevant=("201",), irrelevant=("204", "205"), maybe=("203",)))
    paragraph = describe_methods(OVER, saved=saved)
    assert "seeds, learned from the seeds and from decisions on 3 records." in paragraph


def test_an_encoder_is_told_and_what_was_not_noted_is_not():
    saved = small_saved(settings={"method": "linear", "encoder": "minilm"}, versions={},
                        library_size=0)  # fmt: skip
    paragraph = describe_methods(OVER, saved=saved)
    assert '(method "linear", encoder "minilm").' in paragraph
    assert "2,300 candidates and ranked" in paragraph
    assert "the rest of the library" not in paragraph


def test_the_paragraph_of_a_session_is_one_line(tmp_path):
    with new_session(tmp_path) as session:
        session.add_expansion(small_saved())
        paragraph = describe_methods(read_status(session), saved=session.expansion())
    assert "\n" not in paragraph
    assert paragraph.startswith("Records were screened with likewise")
