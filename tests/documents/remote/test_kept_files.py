"""Files as they lie in a folder."""

import datetime as dt

import pytest

from likewise.documents.remote.file_fetcher import KeptFile
from likewise.documents.remote.pubmed_files import RemoteFile

DAY = dt.datetime(2026, 1, 10, 14, 5, tzinfo=dt.UTC)
MD5_OF_ABC = "900150983cd24fb0d6963f7d28e17f72"


def remote(listed=DAY):
    name = "pubmed26n0001.xml.gz"
    return RemoteFile("baseline", name, f"http://host/baseline/{name}", listed)


@pytest.fixture
def kept(tmp_path):
    kept = KeptFile(tmp_path, remote())
    kept.begin({"ETag": '"first"'})
    return kept


def keep(kept):
    kept.part.write_bytes(b"abc")
    kept.keep(MD5_OF_ABC)


def test_a_part_gets_its_name_when_it_is_kept(kept):
    keep(kept)
    names = sorted(path.name for path in kept.path.parent.iterdir())
    assert names == ["pubmed26n0001.xml.gz", "pubmed26n0001.xml.gz.md5"]


def test_what_is_kept_is_settled(kept, tmp_path):
    keep(kept)
    assert KeptFile(tmp_path, remote()).is_settled


def test_a_part_is_not_settled(kept):
    assert not kept.is_settled


def test_a_file_without_its_sum_is_not_settled(kept):
    kept.path.write_bytes(b"abc")
    assert not kept.is_settled


def test_a_sum_without_its_file_is_not_settled(kept):
    kept.record(MD5_OF_ABC)
    assert not kept.is_settled


def test_a_damaged_sum_settles_nothing(kept):
    keep(kept)
    kept.path.with_name(f"{kept.path.name}.md5").write_bytes(b"\xff\x00")
    assert not kept.is_settled


def test_a_file_with_a_new_date_in_the_listing_is_not_settled(kept, tmp_path):
    keep(kept)
    assert not KeptFile(tmp_path, remote(DAY + dt.timedelta(minutes=1))).is_settled


def test_a_listing_without_dates_leaves_it_settled(kept, tmp_path):
    keep(kept)
    assert KeptFile(tmp_path, remote(None)).is_settled


def test_the_sum_is_written_as_nlm_writes_it(kept):
    keep(kept)
    text = kept.path.with_name(f"{kept.path.name}.md5").read_text()
    assert text == f"MD5(pubmed26n0001.xml.gz)= {MD5_OF_ABC}\n"


@pytest.mark.parametrize(("content", "whole"), [(b"abc", True), (b"ab", False)])
def test_a_file_is_whole_by_its_sum(kept, content, whole):
    kept.path.write_bytes(content)
    kept.part.write_bytes(content)
    assert (kept.is_whole(MD5_OF_ABC), kept.is_part_whole(MD5_OF_ABC)) == (whole, whole)


@pytest.mark.parametrize(
    ("headers", "validator"),
    [
        ({"ETag": '"a"', "Last-Modified": "Thu"}, '"a"'),
        ({"ETag": 'W/"a"', "Last-Modified": "Thu"}, "Thu"),
        ({"Last-Modified": "Thu"}, "Thu"),
        ({}, ""),
    ],
)
def test_a_part_is_known_by_a_strong_tag_or_else_by_its_date(kept, headers, validator):
    kept.begin(headers)
    assert kept.validator == validator


def test_a_part_that_begins_anew_is_empty(kept):
    kept.part.write_bytes(b"abc")
    kept.begin({})
    assert kept.part_size == 0


def test_a_part_is_never_written_to_where_a_link_leads(kept, tmp_path):
    mine = tmp_path / "mine.txt"
    mine.write_bytes(b"mine")
    for path in (kept.part, kept.part.with_name(f"{kept.part.name}.from")):
        path.unlink()
        path.symlink_to(mine)
    assert kept.part_size == 0
    kept.begin({"ETag": '"first"'})
    keep(kept)
    assert (mine.read_bytes(), kept.path.is_symlink(), kept.path.read_bytes()) == (
        b"mine", False, b"abc",
    )  # fmt: skip


def test_a_damaged_note_about_a_part_is_as_good_as_none(kept):
    kept.part.with_name(f"{kept.part.name}.from").write_bytes(b"a\r\nX-Other: b")
    assert kept.validator == ""


def test_nothing_here_has_no_size_and_no_tag(tmp_path):
    kept = KeptFile(tmp_path, remote())
    assert (kept.part_size, kept.validator, kept.is_whole(""), kept.is_part_whole("")) == (
        0, "", False, False,
    )  # fmt: skip
