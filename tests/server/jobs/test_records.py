import logging

import pytest

from expansion.sessions.samples import small_saved
from likewise.errors import SessionError, WriteError
from likewise.expansion.sessions.session import Session
from likewise.server.jobs.records import (
    Ending,
    Job,
    JobRecord,
    JobRecords,
    explain_exit_code,
    find_ending,
)
from server.jobs.samples import small_session


def record(session="abc", *, created="2026-01-31T09:30:00.000Z", **fields):
    job = Job(id=f"of-{session}", session=session, state="done", created=created, **fields)
    return JobRecord(job=job, before=2)


def test_what_is_written_is_read_back(tmp_path):
    given = record(expansion=3, stages=("seeds", "learning"), share=0.5, warnings=("few seeds",))
    JobRecords(tmp_path).write(given)
    assert JobRecords(tmp_path).read() == [given]


def test_a_session_keeps_its_latest_job(tmp_path):
    JobRecords(tmp_path).write(record(error="lost"))
    JobRecords(tmp_path).write(record(expansion=3))
    assert JobRecords(tmp_path).read() == [record(expansion=3)]


def test_the_oldest_comes_first(tmp_path):
    for session, created in (("a", "2026-03-01"), ("b", "2026-01-01"), ("c", "2026-02-01")):
        JobRecords(tmp_path).write(record(session, created=created))
    assert [found.job.session for found in JobRecords(tmp_path).read()] == ["b", "c", "a"]


def test_where_nothing_was_written_nothing_is_read(tmp_path):
    assert JobRecords(tmp_path).read() == []


def test_what_is_removed_is_gone_and_may_be_gone_before(tmp_path):
    JobRecords(tmp_path).write(record())
    JobRecords(tmp_path).remove("abc")
    JobRecords(tmp_path).remove("abc")
    assert JobRecords(tmp_path).read() == []


@pytest.mark.parametrize("content", [b"", b"{", b'{"job": {}}', b"\xff\xfe"])
def test_what_is_no_record_is_left_out_and_logged(tmp_path, caplog, content):
    JobRecords(tmp_path).write(record())
    (tmp_path / "jobs" / "broken.job.json").write_bytes(content)
    with caplog.at_level(logging.WARNING):
        found = JobRecords(tmp_path).read()
    assert found == [record()]
    assert "broken.job.json: not the record of a job" in caplog.text


def test_a_record_of_another_session_is_left_out(tmp_path, caplog):
    JobRecords(tmp_path).write(record())
    (tmp_path / "jobs" / "abc.job.json").rename(tmp_path / "jobs" / "other.job.json")
    assert JobRecords(tmp_path).read() == []


@pytest.mark.parametrize("session", ["../abc", "a/b", "", "a.b", "x" * 65, "abc\n"])
def test_an_id_that_could_be_a_path_is_refused(tmp_path, session):
    with pytest.raises(SessionError, match="is not a session's id"):
        JobRecords(tmp_path).write(record(session))


def test_a_folder_that_is_gone_is_told_of(tmp_path):
    with pytest.raises(WriteError, match="jobs: can't be made"):
        JobRecords(tmp_path / "gone").write(record())


def expanded_once(folder):
    path = small_session(folder)
    with Session.open(path) as session:
        session.add_expansion(small_saved())
    return path


def test_a_process_that_was_killed_is_told_of_with_what_to_do():
    assert explain_exit_code(-9) == Ending(
        "failed",
        error="its process was killed, probably because the system ran out of memory; "
        "choose a smaller pool, or close other programs, and start it again",
    )


@pytest.mark.parametrize(
    ("code", "found"), [(1, "ended with code 1;"), (-6, "by SIGABRT;"), (-63, "by signal 63;")]
)
def test_other_codes_are_told(code, found):
    assert found in explain_exit_code(code).error


def test_an_expansion_that_is_there_is_done(tmp_path):
    assert find_ending(expanded_once(tmp_path), before=0) == Ending("done", expansion=1)


def test_an_expansion_that_was_there_before_is_not_this_one(tmp_path):
    assert find_ending(expanded_once(tmp_path), before=1) is None


def test_a_job_that_never_began_added_nothing(tmp_path):
    assert find_ending(expanded_once(tmp_path), before=None) is None


def test_a_session_that_is_gone_has_nothing(tmp_path):
    assert find_ending(tmp_path / "gone.likewise", before=0) is None
