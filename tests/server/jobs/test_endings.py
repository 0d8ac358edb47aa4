import pytest

from expansion.sessions.samples import small_saved
from likewise.expansion.sessions.session import Session
from likewise.server.jobs.records import Ending, explain_exit_code, find_ending
from server.jobs.samples import small_session


def expanded_once(folder):
    path = small_session(folder)
    with Session.open(path) as session:
        session.add_expansion(small_saved())
    return path


def test_a_process_that_was_killed_is_told_of_with_what_to_do():
    assert explain_exit_code(-9) == Ending(
        "failed",
        error="its process was killed, as the system does for want of memory; "
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
