import gzip
import tempfile

import pytest

from likewise.errors import Problem, ReadError, UnknownFormatError
from likewise.server.uploads import worker
from likewise.server.uploads.worker import (
    MOST_CHARACTERS,
    Refusal,
    Upload,
    UploadRequest,
    blame_content,
    describe_error,
    try_reading,
)

ASKED = UploadRequest("/nowhere/upload", "refs.ris", 100)


@pytest.fixture
def reading(monkeypatch):
    """Let reading return something, or raise it."""
    monkeypatch.setattr(tempfile, "tempdir", None)

    def reading(outcome):
        def read_upload(_asked):
            if isinstance(outcome, BaseException):
                raise outcome
            return outcome

        monkeypatch.setattr(worker, "read_upload", read_upload)
        return try_reading(ASKED)

    return reading


def test_what_was_read_is_answered(reading):
    assert reading(Upload([], ["a problem"])) == Upload([], ["a problem"])


@pytest.mark.parametrize(
    "error", [ReadError(Problem("refs.ris", "no title", 7, "add one")), UnknownFormatError("what?")]
)
def test_an_error_of_ours_is_the_same_after_its_way(reading, error):
    revived = reading(error).revive()
    assert (type(revived), str(revived)) == (type(error), str(error))


def test_an_error_of_somebody_else_is_one_line_about_the_file(reading):
    refusal = reading(ValueError("year\n 99999 is out of range"))
    told = "refs.ris: this can't be read (ValueError: year 99999 is out of range)"
    assert str(refusal.revive()) == told
    assert isinstance(refusal.revive(), ReadError)


def test_an_error_of_ours_that_another_led_to_is_no_news_for_the_log(reading):
    error = ReadError(Problem("refs.ris", "cut off"))
    error.__cause__ = ReadError(Problem("upload.ris", "cut off"))
    assert reading(error).trace == ""


def test_what_the_system_refuses_is_not_blamed_on_a_file():
    with pytest.raises(OSError, match="disk"), blame_content("refs.ris"):
        raise OSError(5, "the disk is gone")


def test_what_the_system_refuses_is_told_as_such(reading):
    told = "refs.ris: the server's system can't read it: the disk is gone"
    assert str(reading(OSError(5, "the disk is gone")).revive()) == told


def test_a_broken_packing_is_blamed_on_the_file(reading):
    refusal = reading(gzip.BadGzipFile("not packed"))
    assert str(refusal.revive()) == "refs.ris: this can't be read (BadGzipFile: not packed)"


def test_where_an_error_of_somebody_else_happened_is_kept_for_the_log(reading):
    assert "in read_upload" in reading(ValueError("x")).trace


@pytest.mark.parametrize("error", [MemoryError(), RecursionError()])
def test_too_little_memory_is_told_as_such(reading, error):
    assert reading(error) == Refusal(type(error).__name__, is_memory=True)


def test_what_reading_leaves_behind_is_left_in_the_folder_of_the_file(reading):
    reading(Upload([], []))
    assert tempfile.gettempdir() == "/nowhere"


def test_a_long_error_is_cut():
    assert len(describe_error(ValueError("x" * 10_000))) == MOST_CHARACTERS


def test_half_a_character_of_an_error_can_be_sent():
    assert describe_error(ValueError("a\ud800b")) == "ValueError: a?b"
