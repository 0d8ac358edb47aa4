"""One file of PubMed, from a server that behaves, or does not."""

import hashlib
import random

import pytest

from likewise.documents.remote.file_fetcher import Fetcher, KeptFile, Tally
from likewise.documents.remote.pubmed_files import list_files
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
        fetched = Fetcher(web, Tally({})).fetch(file, kept)
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
    with pytest.raises(DownloadError, match="came twice with the wrong sum, and was thrown away"):
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
