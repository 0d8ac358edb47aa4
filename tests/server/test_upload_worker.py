import gzip
import tempfile

import pytest

from likewise.errors import Problem, ReadError, UnknownFormatError
from likewise.server import upload_worker as worker
from likewise.server.upload_worker import (
    MOST_CHARACTERS,
    Problems,
    Refusal,
    Upload,
    UploadRequest,
    blame_content,
    describe_error,
    read_upload,
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


UPLOADED = b"TY  - JOUR\nTI  - On cats\nPY  - 2001\nER  - \n"


@pytest.fixture
def read(tmp_path):
    """Read what was sent, from where the server puts it."""

    def read(body, name="refs.ris", *, here="upload", most_papers=100, **limits):
        (tmp_path / here).write_bytes(body)
        return read_upload(UploadRequest(str(tmp_path / here), name, most_papers, **limits))

    return read


def test_a_file_is_read_whatever_it_is_called(read):
    assert [document.title for document in read(UPLOADED, "refs.exe").documents] == ["On cats"]


def test_the_suffix_tells_the_format_where_content_is_silent(read):
    uploaded = read(b"name;title\nx;On cats\n", "refs.csv", here="upload.csv")
    assert [document.title for document in uploaded.documents] == ["On cats"]


def test_a_packed_upload_is_read(read):
    assert len(read(gzip.compress(UPLOADED), "refs.ris.gz").documents) == 1


def test_a_file_that_unpacks_to_too_much_is_refused_by_its_own_name(read):
    with pytest.raises(ReadError, match=r"^bomb\.ris\.gz: .*more than"):
        read(gzip.compress(UPLOADED * 1_000), "bomb.ris.gz", most_bytes=1_000)


def test_a_file_that_can_not_be_read_is_told_by_its_own_name(read):
    with pytest.raises(ReadError, match=r"^refs\.ris: the file is empty"):
        read(b"")


def test_documents_say_which_file_they_are_from(read):
    (document,) = read(UPLOADED).documents
    assert document.source == "ris:refs.ris"


def test_what_can_not_be_read_is_told_by_the_files_own_name(read):
    problems = read(UPLOADED + b"TY  - JOUR\nER  - \n").problems
    assert len(problems) == 1
    assert problems[0].startswith("refs.ris:5: ")


def test_a_pasted_text_may_be_a_list_of_titles(read):
    pasted = read(b"On cats and dogs\nOn mice and men\n", "the text", is_pasted=True)
    assert [paper.title for paper in pasted.documents] == ["On cats and dogs", "On mice and men"]


def test_more_papers_than_anybody_pastes_are_refused(read):
    with pytest.raises(ReadError, match=r"^the text: more than 2 papers"):
        read(b"1\n2\n3\n", "the text", is_pasted=True, most_papers=2)


def test_more_records_than_anybody_has_are_refused(read):
    with pytest.raises(ReadError, match=r"refs\.ris: more than 2 records; give"):
        read(UPLOADED * 3, most_papers=2)


def test_a_record_that_would_keep_others_waiting_is_left_out_and_told(read, monkeypatch):
    monkeypatch.setattr(worker, "MOST_TEXT", 50)
    uploaded = read(UPLOADED + UPLOADED.replace(b"On cats", b"On" + b" mice" * 20))
    assert [document.title for document in uploaded.documents] == ["On cats"]
    told = "refs.ris: left out, since no paper has a record of 174 bytes: On mice mice mice"
    assert uploaded.problems[0].startswith(told)


def test_of_many_problems_the_first_are_told_and_the_rest_counted():
    problems = Problems("a.ris", most=100)
    for line in range(1, 24):
        problems.add(Problem("/tmp/x", "no title", line))
    assert problems.lines[0] == "a.ris:1: no title"
    assert problems.lines[19:] == ["a.ris:20: no title", "and 3 more of these"]


def test_a_file_of_nothing_but_problems_is_read_no_further():
    problems = Problems("a.ris", most=2)
    for line in range(1, 23):
        problems.add(Problem("/tmp/x", "no title", line))
    told = r"^a\.ris: more than 2 records that can't be read; the first of them: a\.ris:1: no t"
    with pytest.raises(ReadError, match=told):
        problems.add(Problem("/tmp/x", "no title", 23))
