import gzip
import tempfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents.formats import formats
from likewise.errors import Problem, ReadError
from likewise.server.routes import seeds
from likewise.server.routes.seeds import (
    MOST_NAME,
    Problems,
    clean_file_name,
    find_suffix,
    read_upload,
)

RIS = b"TY  - JOUR\nTI  - On cats\nPY  - 2001\nER  - \n"
ROOM = 1_000_000


def test_a_file_is_read_whatever_it_is_called():
    uploaded = read_upload(RIS, "refs.exe", most_bytes=ROOM)
    assert [document.title for document in uploaded.documents] == ["On cats"]


def test_the_suffix_tells_the_format_where_content_is_silent():
    uploaded = read_upload(b"name;title\nx;On cats\n", "refs.csv", most_bytes=ROOM)
    assert [document.title for document in uploaded.documents] == ["On cats"]


def test_a_packed_file_is_read():
    uploaded = read_upload(gzip.compress(RIS), "refs.ris.gz", most_bytes=ROOM)
    assert len(uploaded.documents) == 1


def test_a_file_that_unpacks_to_too_much_is_refused_by_its_own_name():
    with pytest.raises(ReadError, match=r"^bomb\.ris\.gz: .*more than"):
        read_upload(gzip.compress(RIS * 1_000), "bomb.ris.gz", most_bytes=1_000)


def test_a_file_that_can_not_be_read_is_told_by_its_own_name():
    with pytest.raises(ReadError, match=r"^refs\.ris: the file is empty"):
        read_upload(b"", "C:\\papers\\refs.ris", most_bytes=ROOM)


def test_documents_say_which_file_they_are_from():
    (document,) = read_upload(RIS, "folder/refs.ris", most_bytes=ROOM).documents
    assert document.source == "ris:refs.ris"


def test_what_can_not_be_read_is_told_by_the_files_own_name():
    problems = read_upload(RIS + b"TY  - JOUR\nER  - \n", "refs.ris", most_bytes=ROOM).problems
    assert len(problems) == 1
    assert problems[0].startswith("refs.ris:5: ")


def test_of_many_problems_the_first_are_told_and_the_rest_counted():
    problems = Problems("a.ris")
    for line in range(1, 24):
        problems.add(Problem("/tmp/x", "no title", line))
    assert problems.lines[0] == "a.ris:1: no title"
    assert problems.lines[19:] == ["a.ris:20: no title", "and 3 more of these"]


def test_a_file_of_nothing_but_problems_is_read_no_further(monkeypatch):
    monkeypatch.setattr(seeds, "MOST_SEEDS", 2)
    problems = Problems("a.ris")
    for line in range(1, 23):
        problems.add(Problem("/tmp/x", "no title", line))
    told = r"^a\.ris: more than 2 records that can't be read; the first of them: a\.ris:1: no t"
    with pytest.raises(ReadError, match=told):
        problems.add(Problem("/tmp/x", "no title", 23))


def test_more_records_than_anybody_has_are_refused(monkeypatch):
    monkeypatch.setattr(seeds, "MOST_SEEDS", 2)
    with pytest.raises(ReadError, match=r"refs\.ris: more than 2 records; give"):
        read_upload(RIS * 3, "refs.ris", most_bytes=ROOM)


def test_nothing_is_left_of_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    read_upload(RIS, "../../refs.ris", most_bytes=ROOM)
    with pytest.raises(ReadError):
        read_upload(b"", "refs.ris", most_bytes=ROOM)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("refs.ris", "refs.ris"),
        ("/etc/passwd", "passwd"),
        ("..", "the file"),
        ("", "the file"),
        ("a/", "a"),
        ("a\x00\nb.ris", "ab.ris"),
        ("evil\u202esir.exe", "evilsir.exe"),
    ],
)
def test_a_name_is_shown_without_folders_and_what_steers(name, shown):
    assert clean_file_name(name) == shown


@given(st.text(max_size=300))
def test_whatever_a_name_holds_it_is_one_short_line(name):
    shown = clean_file_name(name)
    assert 0 < len(shown) <= MOST_NAME
    assert "/" not in shown
    assert "\\" not in shown


@given(st.text(max_size=50) | st.sampled_from(["x.RIS.gz", "../a.csv", "a.xml/..", "b.bib\x00"]))
def test_of_a_name_only_a_suffix_of_ours_is_used(name):
    ours = {suffix for known in formats() for suffix in known.suffixes}
    assert find_suffix(name) in ours | {""}
