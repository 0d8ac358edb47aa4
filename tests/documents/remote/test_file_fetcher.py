"""One file of PubMed, from a server that behaves, or does not."""

import datetime as dt
import errno
import fcntl
import hashlib
import random
from contextlib import suppress

import pytest

from likewise.documents.releases import RemoteFile, list_files
from likewise.documents.remote.file_fetcher import (
    DownloadProgress,
    Fetcher,
    KeptFile,
    Tally,
    lock_folder,
)
from likewise.errors import DownloadError

PATH = "baseline/pubmed26n0001.xml.gz"
CONTENT = random.Random(0).randbytes(300_000)
OTHER = random.Random(1).randbytes(200_000)


@pytest.fixture
def fetch(server, web, tmp_path):
    """Fetch what the server has into a folder: whether it was fetched, and what is there then."""

    def fetch():
        [file] = list_files(web, server.base, folder="baseline")
        kept = KeptFile(tmp_path, file)
        fetched = Fetcher(web, Tally({})).fetch(kept)
        return fetched, kept.path.read_bytes()

    return fetch


@pytest.fixture
def kept(server, web, tmp_path):
    """Where the file is kept."""
    server.put(PATH, CONTENT)
    [file] = list_files(web, server.base, folder="baseline")
    return KeptFile(tmp_path, file)


def begin_part(kept, content, tag='"first"'):
    kept.begin({"ETag": tag})
    kept.part.write_bytes(content)


def ranges(server):
    return [headers.get("Range") for headers in server.requests("0001.xml.gz")]


def test_a_file_is_fetched_and_nothing_else_is_left(server, fetch, tmp_path):
    server.put(PATH, CONTENT)
    assert fetch() == (True, CONTENT)
    names = sorted(path.name for path in (tmp_path / "baseline").iterdir())
    assert names == ["pubmed26n0001.xml.gz", "pubmed26n0001.xml.gz.md5"]


def test_a_file_that_came_some_other_way_is_only_checked(server, fetch, kept):
    kept.path.parent.mkdir()
    kept.path.write_bytes(CONTENT)
    assert fetch() == (False, CONTENT)
    assert ranges(server) == []


def test_a_damaged_file_is_fetched_again(server, fetch, kept):
    kept.path.parent.mkdir()
    kept.path.write_bytes(CONTENT[:-1])
    assert fetch() == (True, CONTENT)


def test_a_cut_connection_costs_only_the_rest(server, fetch):
    server.put(PATH, CONTENT, cuts=[100_000, 50_000])
    assert fetch() == (True, CONTENT)
    first, second, third = ranges(server)
    assert first is None
    assert 0 < int(second[6:-1]) <= 100_000 < int(third[6:-1]) <= 150_000


def test_many_cuts_are_fine_as_long_as_it_goes_on(server, fetch):
    # Ten cuts, and three trials in a row where nothing comes.
    server.put(PATH, CONTENT, cuts=[70_000, *[20_000] * 9])
    assert fetch() == (True, CONTENT)


def test_cuts_without_end_at_one_place_are_told(server, fetch):
    server.put(PATH, CONTENT, cuts=[100_000, *[0] * 10])
    with pytest.raises(DownloadError, match="cuts the connection, 4 times in a row; run it again"):
        fetch()


def test_what_came_in_an_earlier_run_is_gone_on_with(server, fetch, kept):
    begin_part(kept, CONTENT[:123_456])
    assert fetch() == (True, CONTENT)
    assert ranges(server) == ["bytes=123456-"]


def test_a_part_of_what_has_changed_since_is_thrown_away(server, fetch, kept):
    begin_part(kept, OTHER[:100_000], tag='"another"')
    assert fetch() == (True, CONTENT)
    assert len(ranges(server)) == 1


def test_a_part_of_unknown_origin_is_thrown_away(server, fetch, kept):
    begin_part(kept, OTHER[:100_000], tag="")
    assert fetch() == (True, CONTENT)
    assert ranges(server) == [None]


def test_a_part_that_is_all_there_is_kept(server, fetch, kept):
    begin_part(kept, CONTENT)
    assert fetch() == (True, CONTENT)
    assert ranges(server) == ["bytes=300000-"]


def test_a_part_that_is_longer_than_the_file_is_thrown_away(server, fetch, kept):
    begin_part(kept, CONTENT + b"more")
    assert fetch() == (True, CONTENT)


def test_a_server_without_ranges_sends_it_from_the_beginning(server, fetch):
    server.put(PATH, CONTENT, cuts=[100_000], takes_ranges=False)
    assert fetch() == (True, CONTENT)


def test_a_server_without_tags_is_known_by_its_dates(server, fetch):
    server.put(PATH, CONTENT, cuts=[100_000], tag="")
    assert fetch() == (True, CONTENT)
    assert server.requests("0001.xml.gz")[1]["If-Range"] == "Thu, 01 Jan 1970 00:00:00 GMT"


def test_a_file_that_changes_in_the_middle_is_fetched_anew(server, fetch):
    server.put(PATH, OTHER, cuts=[100_000], changes_to=CONTENT)
    server.put_plain(f"{PATH}.md5", hashlib.md5(CONTENT).hexdigest().encode())
    assert fetch() == (True, CONTENT)


def test_a_file_with_the_wrong_sum_is_fetched_once_more(server, fetch):
    server.put(PATH, OTHER, changes_to=CONTENT)
    server.put_plain(f"{PATH}.md5", hashlib.md5(CONTENT).hexdigest().encode())
    assert fetch() == (True, CONTENT)
    assert ranges(server) == [None, None]


def test_a_sum_that_came_too_late_is_asked_for_again(server, fetch):
    server.put(PATH, CONTENT)
    wrong = hashlib.md5(OTHER).hexdigest().encode()
    right = hashlib.md5(CONTENT).hexdigest().encode()
    server.put_plain(f"{PATH}.md5", wrong, changes_to=right)
    assert fetch() == (True, CONTENT)


def test_a_file_with_the_wrong_sum_twice_is_told_and_not_kept(server, fetch, tmp_path):
    server.put(PATH, OTHER)
    server.put_plain(f"{PATH}.md5", b"0" * 32)
    with pytest.raises(DownloadError, match="came twice with the wrong checksum, and was deleted"):
        fetch()
    assert list((tmp_path / "baseline").iterdir()) == []


def test_a_file_that_is_busy_for_a_while_is_waited_for(server, fetch):
    server.put(PATH, CONTENT, refusals=[(503, "0"), (429, None)])
    assert fetch() == (True, CONTENT)


def test_an_answer_from_an_odd_place_is_not_taken(server, fetch, kept):
    begin_part(kept, CONTENT[:1000])
    plain = server.send_file
    odd = {"Content-Range": f"bytes 2000-{len(CONTENT) - 1}/{len(CONTENT)}"}

    def send_file(handler, served):
        if handler.headers.get("Range"):
            server.send(handler, 206, CONTENT[2000:], odd)
        else:
            plain(handler, served)

    server.send_file = send_file
    assert fetch() == (True, CONTENT)


def hand_out(server, most):
    """Have the server answer any range with so many bytes at the most."""
    plain = server.send_file

    def send_file(handler, served):
        asked = handler.headers.get("Range")
        if asked:
            start = int(asked.removeprefix("bytes=").removesuffix("-"))
            end = min(start + most, len(CONTENT))
            said = {"Content-Range": f"bytes {start}-{end - 1}/{len(CONTENT)}"}
            server.send(handler, 206, CONTENT[start:end], said)
        else:
            plain(handler, served)

    server.send_file = send_file


def test_a_server_that_hands_out_a_piece_at_a_time_is_asked_for_the_next(server, fetch, kept):
    begin_part(kept, CONTENT[:1000])
    hand_out(server, 100_000)
    assert fetch() == (True, CONTENT)
    assert ranges(server) == ["bytes=1000-", "bytes=101000-", "bytes=201000-"]


def test_pieces_without_anything_in_them_are_not_asked_for_for_ever(server, fetch, kept):
    begin_part(kept, CONTENT[:1000])
    hand_out(server, 0)
    # What came is thrown away, and fetched from the beginning.
    assert fetch() == (True, CONTENT)


def test_the_same_piece_again_and_again_is_given_up(server, fetch, kept):
    plain = server.send_file
    first = {"ETag": '"first"', "Content-Range": f"bytes 0-99/{len(CONTENT)}"}
    server.send_file = lambda handler, served: (
        server.send(handler, 206, CONTENT[:100], first)
        if handler.path.endswith("gz")
        else plain(handler, served)
    )
    with pytest.raises(DownloadError, match=r"gives an odd answer \(206\), 4 times in a row"):
        fetch()


def test_a_server_that_answers_nonsense_for_ever_is_given_up(server, fetch, kept):
    plain = server.send_file
    server.send_file = lambda handler, served: (
        server.send(handler, 416, b"") if handler.path.endswith("gz") else plain(handler, served)
    )
    with pytest.raises(DownloadError, match=r"gives an odd answer \(416\), 4 times in a row"):
        fetch()


DAY = dt.datetime(2026, 1, 10, 14, 5, tzinfo=dt.UTC)
MD5_OF_ABC = "900150983cd24fb0d6963f7d28e17f72"


def remote(listed=DAY):
    name = "pubmed26n0001.xml.gz"
    return RemoteFile("baseline", name, f"http://host/baseline/{name}", listed)


@pytest.fixture
def begun(tmp_path):
    begun = KeptFile(tmp_path, remote())
    begun.begin({"ETag": '"first"'})
    return begun


def keep(begun):
    begun.part.write_bytes(b"abc")
    begun.keep(MD5_OF_ABC)


def test_a_part_gets_its_name_when_it_is_kept(begun):
    keep(begun)
    names = sorted(path.name for path in begun.path.parent.iterdir())
    assert names == ["pubmed26n0001.xml.gz", "pubmed26n0001.xml.gz.md5"]


def test_what_is_kept_is_settled(begun, tmp_path):
    keep(begun)
    assert KeptFile(tmp_path, remote()).is_settled


def test_a_part_is_not_settled(begun):
    assert not begun.is_settled


def test_a_file_without_its_sum_is_not_settled(begun):
    begun.path.write_bytes(b"abc")
    assert not begun.is_settled


def test_a_sum_without_its_file_is_not_settled(begun):
    begun.record(MD5_OF_ABC)
    assert not begun.is_settled


def test_a_damaged_sum_settles_nothing(begun):
    keep(begun)
    begun.path.with_name(f"{begun.path.name}.md5").write_bytes(b"\xff\x00")
    assert not begun.is_settled


def test_a_file_with_a_new_date_in_the_listing_is_not_settled(begun, tmp_path):
    keep(begun)
    assert not KeptFile(tmp_path, remote(DAY + dt.timedelta(minutes=1))).is_settled


def test_a_listing_without_dates_leaves_it_settled(begun, tmp_path):
    keep(begun)
    assert KeptFile(tmp_path, remote(None)).is_settled


def test_the_sum_is_written_as_nlm_writes_it(begun):
    keep(begun)
    text = begun.path.with_name(f"{begun.path.name}.md5").read_text()
    assert text == f"MD5(pubmed26n0001.xml.gz)= {MD5_OF_ABC}\n"


@pytest.mark.parametrize(("content", "whole"), [(b"abc", True), (b"ab", False)])
def test_a_file_is_whole_by_its_sum(begun, content, whole):
    begun.path.write_bytes(content)
    begun.part.write_bytes(content)
    assert (begun.is_whole(MD5_OF_ABC), begun.is_part_whole(MD5_OF_ABC)) == (whole, whole)


@pytest.mark.parametrize(
    ("headers", "validator"),
    [
        ({"ETag": '"a"', "Last-Modified": "Thu"}, '"a"'),
        ({"ETag": 'W/"a"', "Last-Modified": "Thu"}, "Thu"),
        ({"Last-Modified": "Thu"}, "Thu"),
        ({}, ""),
    ],
)
def test_a_part_is_known_by_a_strong_tag_or_else_by_its_date(begun, headers, validator):
    begun.begin(headers)
    assert begun.validator == validator


def test_a_part_that_begins_anew_is_empty(begun):
    begun.part.write_bytes(b"abc")
    begun.begin({})
    assert begun.part_size == 0


def test_a_part_is_never_written_to_where_a_link_leads(begun, tmp_path):
    mine = tmp_path / "mine.txt"
    mine.write_bytes(b"mine")
    for path in (begun.part, begun.part.with_name(f"{begun.part.name}.from")):
        path.unlink()
        path.symlink_to(mine)
    assert begun.part_size == 0
    begun.begin({"ETag": '"first"'})
    keep(begun)
    assert (mine.read_bytes(), begun.path.is_symlink(), begun.path.read_bytes()) == (
        b"mine", False, b"abc",
    )  # fmt: skip


def test_a_damaged_note_about_a_part_is_as_good_as_none(begun):
    begun.part.with_name(f"{begun.part.name}.from").write_bytes(b"a\r\nX-Other: b")
    assert begun.validator == ""


def test_nothing_here_has_no_size_and_no_tag(tmp_path):
    begun = KeptFile(tmp_path, remote())
    assert (begun.part_size, begun.validator, begun.is_whole(""), begun.is_part_whole("")) == (
        0, "", False, False,
    )  # fmt: skip


@pytest.fixture
def seen():
    return []


def test_what_the_server_says_takes_the_place_of_what_was_planned(seen):
    tally = Tally({"a": 10, "b": 5}, on_progress=seen.append)
    with tally.transfer("a", 12) as came:
        came(12)
    assert seen[-1] == DownloadProgress("a", 12, 17, 0, 2)


def test_the_rest_of_a_cut_connection_is_planned_again_by_the_next(seen):
    tally = Tally({"a": 10}, on_progress=seen.append)
    for length, number in ((10, 4), (6, 6)):
        with tally.transfer("a", length) as came:
            came(number)
    tally.finish_file("a")
    assert seen[-1] == DownloadProgress("a", 10, 10, 1, 1)


def test_more_than_was_said_adds_to_the_total(seen):
    tally = Tally({"a": 0}, on_progress=seen.append)
    with tally.transfer("a", 0) as came:
        came(7)
    assert seen[-1] == DownloadProgress("a", 7, 7, 0, 1)


def test_what_does_not_come_is_no_longer_waited_for(seen):
    tally = Tally({"a": 10, "b": 5}, on_progress=seen.append)
    tally.finish_file("a")
    assert seen[-1] == DownloadProgress("a", 0, 5, 1, 2)


def test_a_failure_in_the_middle_is_counted_as_far_as_it_came():
    tally = Tally({"a": 10})
    with suppress(ConnectionError), tally.transfer("a", 10) as came:
        came(3)
        raise ConnectionError
    assert tally.bytes == 3


def test_a_folder_is_held_by_one_at_a_time(tmp_path):
    with (
        lock_folder(tmp_path),
        pytest.raises(DownloadError, match="another likewise is downloading into this folder"),
        lock_folder(tmp_path),
    ):
        pass


def test_a_folder_is_free_afterwards(tmp_path):
    with lock_folder(tmp_path):
        pass
    with lock_folder(tmp_path):
        assert (tmp_path / ".likewise-download.lock").exists()


def test_a_disk_without_locks_is_used_without(tmp_path, monkeypatch):
    def no_locks(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with lock_folder(tmp_path):
        assert (tmp_path / ".likewise-download.lock").exists()
