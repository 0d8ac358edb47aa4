"""What goes wrong on the way to a server, and how long it is left alone."""

import random
import ssl
from email.utils import formatdate

import pytest
from urllib3 import exceptions

from likewise.errors import DownloadError
from likewise.web.troubles import (
    FailureKind,
    NoAnswerError,
    Pace,
    PassingTroubleError,
    check_address,
    choose_pause,
    describe_status,
    parse_retry_after,
    plain_address,
    translate_error,
)


def test_a_certificate_that_can_not_be_verified_stays_so():
    error = exceptions.SSLError(ssl.SSLCertVerificationError("self-signed certificate"))
    trouble = translate_error(exceptions.MaxRetryError(None, "/", error))
    assert isinstance(trouble, DownloadError)
    assert str(trouble).startswith("has a certificate that can't be verified")


@pytest.mark.parametrize(
    "error",
    [
        exceptions.SSLError(ssl.SSLError("unexpected eof")),
        exceptions.ProtocolError("connection broken"),
        exceptions.DecodeError("not gzip"),
    ],
)
def test_a_broken_connection_may_be_whole_the_next_time(error):
    trouble = translate_error(error)
    assert isinstance(trouble, PassingTroubleError)
    assert str(trouble) == "cuts the connection"


def test_an_error_of_another_kind_is_one_line():
    assert str(translate_error(exceptions.HTTPError("odd\nthing"))) == "gives no answer: odd thing"


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (403, "refuses to hand it out (403)"),
        (429, "is getting too many requests (429)"),
        (503, "is out of order for now (503)"),
        (301, "redirects to another address, which is not followed (301)"),
    ],
)
def test_answers_are_told_in_words(status, words):
    assert describe_status(status) == words


def test_an_address_is_shown_without_secrets():
    assert plain_address("https://me:a@b@host/p?key=1#x") == "https://host/p"


def test_an_address_that_is_none_is_shown_without_secrets():
    with pytest.raises(DownloadError) as raised:
        check_address("ftp://me:hush@host/")
    assert str(raised.value).startswith("'ftp://host/': not a web address")


def test_what_got_no_answer_tells_why_and_what_was_at_the_bottom_of_it():
    refused = ConnectionRefusedError(111, "Connection refused")
    error = exceptions.NewConnectionError(None, "no connection")
    error.__cause__ = refused
    unanswered = NoAnswerError.of(exceptions.MaxRetryError(None, "/", error))
    assert (unanswered.kind, unanswered.cause) == (FailureKind.UNREACHED, refused)


class Clock:
    now = 50.0

    def __call__(self):
        return self.now


def test_requests_are_evenly_spaced():
    pace = Pace(4, clock=Clock())
    assert [pace.take_turn() for _ in range(4)] == [0.0, 0.25, 0.5, 0.75]


def test_who_comes_late_does_not_wait_and_saves_no_turns():
    clock = Clock()
    pace = Pace(4, clock=clock)
    pace.take_turn()
    clock.now += 10
    assert [pace.take_turn(), pace.take_turn()] == [0.0, 0.25]


def test_without_a_pace_nobody_waits():
    pace = Pace(None, clock=Clock())
    assert [pace.take_turn(), pace.take_turn()] == [0.0, 0.0]


@pytest.mark.parametrize(("trial", "longest"), [(1, 1.0), (2, 2.0), (4, 8.0), (7, 60.0), (99, 60)])
def test_pauses_double_up_to_a_minute(trial, longest):
    drawn = [choose_pause(trial, pause=1.0, rng=random.Random(seed)) for seed in range(50)]
    assert longest / 2 <= min(drawn) < max(drawn) <= longest


def test_a_date_in_the_past_asks_for_no_wait():
    assert parse_retry_after(formatdate(1000, usegmt=True), now=2000.0) == 0.0


@pytest.mark.parametrize("text", ["", "-5", "Thu, 99 Jan 1970 00:02:00 GMT"])
def test_what_is_neither_a_number_nor_a_date_asks_for_nothing(text):
    assert parse_retry_after(text) is None


def test_a_request_waits_a_second_from_the_answer_of_the_one_that_many_before():
    clock = Clock()
    pace = Pace(2, clock=clock)
    for _ in range(2):
        clock.now += pace.take_turn()
        clock.now += 0.4
        pace.note_answer()
    # Sent at 0 and 0.5, answered at 0.4 and 0.9: the third would be due at 1, and waits until 1.4.
    assert round(clock.now - Clock.now + pace.take_turn(), 6) == 1.4


def test_without_a_limit_answers_are_no_matter():
    pace = Pace(None, clock=Clock())
    pace.note_answer()
    assert pace.take_turn() == 0
