"""A review that is read until the advice is to stop."""

import pytest

from expansion.sessions.screened import ON_TOPIC, expanded_session, read_on
from likewise.expansion.sessions.status import read_status
from likewise.expansion.sessions.status_words import describe_methods, describe_status
from likewise.learn.estimates import Target


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """A session that was read, ten at a time, until the advice was to stop."""
    with expanded_session(tmp_path_factory.mktemp("read")) as session:
        while read_status(session).advice.kind != "stop":
            read_on(session, 10)
        yield session


def test_by_reading_one_stops_before_the_end_with_the_target_reached(session):
    status = read_status(session)
    assert status.advice.by == "reading"
    assert status.relevant >= 0.95 * len(ON_TOPIC)
    assert status.looked_at < 0.9 * status.pool


def test_whoever_is_told_to_stop_was_told_how_far_it_is_before(session):
    assert read_status(session).course.further is None
    harder = read_status(session, target=Target(0.99, 0.95))
    if harder.advice.kind == "go on":
        assert 0 < harder.course.further.value <= harder.pool - harder.looked_at


def test_what_is_said_names_the_place(session):
    status = read_status(session)
    assert describe_status(status)[-1].startswith("You can stop: finding has declined as in")
    told = f"The rule was met after {status.advice.stopped_after:,} were read"
    assert told in describe_methods(status, saved=session.expansion())


def test_whoever_reads_a_little_more_is_still_told_to_stop(session):
    before = read_status(session)
    read_on(session, 7)
    after = read_status(session)
    assert (after.advice.kind, after.looked_at) == ("stop", before.looked_at + 7)
    assert after.advice.stopped_after <= after.looked_at


def test_to_have_it_proven_an_audit_is_advised_or_reading_on_and_never_to_stop(session):
    status = read_status(session, target=Target(by="audits"))
    assert status.advice.kind in ("audit", "go on")
    assert status.at_most is None
    assert any(said.startswith("With ") for said in status.cautions)
