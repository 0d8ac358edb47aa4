from dataclasses import replace

import msgspec

from expansion.sessions.samples import new_session, small_saved
from expansion.sessions.standing import STATUS
from likewise.expansion.marks import Marks
from likewise.expansion.sessions.status import read_status
from likewise.expansion.sessions.status_words import describe_methods, describe_promise
from likewise.learn.stopping.advice import Advice
from likewise.learn.stopping.audits import AuditResult
from likewise.learn.stopping.target import Target

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
        "Of the candidates, 1,620 were read; 45 records beside the seeds were judged relevant, and "
        "5 left undecided. "
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
