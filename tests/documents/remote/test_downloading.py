"""All of PubMed into a folder."""

import _thread
import datetime as dt
import errno
import shutil
import threading
from types import SimpleNamespace

import pytest

from likewise.documents.remote.downloading import (
    DownloadReport,
    DownloadSettings,
    download_pubmed,
    work_side_by_side,
)
from likewise.documents.remote.file_fetcher import KeptFile, lock_folder
from likewise.errors import DownloadError, SettingsError
from likewise.web import WebClient

ONE, TWO = "baseline/pubmed26n0001.xml.gz", "baseline/pubmed26n0002.xml.gz"
UPDATE = "updatefiles/pubmed26n1400.xml.gz"


@pytest.fixture
def mirror(server):
    """Two files of a baseline and one of updates, among other things."""
    server.put(ONE, b"one" * 1000)
    server.put(TWO, b"two" * 1000)
    server.put(UPDATE, b"update", listed="2026-02-01 09:00")
    server.put_plain("baseline/README.txt", b"read me")
    server.put_plain("updatefiles/pubmed26n1400_stats.html", b"<html>")
    return server


@pytest.fixture
def lines():
    return []


@pytest.fixture
def download(mirror, tmp_path, lines):
    """Download from the server into a folder."""

    def download(**settings):
        return download_pubmed(
            tmp_path / "pubmed",
            settings=DownloadSettings(base=mirror.base, **settings),
            web=WebClient(retries=1, pause=0.001, timeout=5),
            on_line=lines.append,
        )

    return download


def names_in(folder):
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("pubmed*")
        if path.is_file() and path.suffix != ".md5"
    )


def fetched_from(server):
    return sorted(path for path, _ in server.asked if path.endswith(".xml.gz"))


def test_baseline_and_updates_lie_in_folders_of_their_names(download, tmp_path):
    report = download()
    assert names_in(tmp_path / "pubmed") == [ONE, TWO, UPDATE]
    assert report == DownloadReport(str(tmp_path / "pubmed"), fetched=3, bytes=6006)


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ({"updates": False}, [ONE, TWO]),
        ({"baseline": False}, [UPDATE]),
        ({"since": dt.date(2026, 1, 11)}, [UPDATE]),
        ({"since": dt.date(2026, 1, 10)}, [ONE, TWO, UPDATE]),
        ({"since": dt.date(2026, 1, 10), "updates": False}, [ONE, TWO]),
    ],
)
def test_only_what_is_asked_for_is_fetched(download, tmp_path, settings, names):
    download(**settings)
    assert names_in(tmp_path / "pubmed") == names


def test_a_second_run_asks_for_nothing_but_the_listings(download, mirror):
    download()
    mirror.asked.clear()
    assert download().there == 3
    asked = [path for path, _ in mirror.asked]
    assert asked == ["/pubmed/baseline/", "/pubmed/updatefiles/"]


def test_a_second_run_fetches_what_is_new(download, mirror):
    download()
    mirror.asked.clear()
    mirror.put("updatefiles/pubmed26n1401.xml.gz", b"more")
    assert (download().fetched, fetched_from(mirror)) == (
        1, ["/pubmed/updatefiles/pubmed26n1401.xml.gz"],
    )  # fmt: skip


def test_a_file_that_was_put_there_again_is_fetched_again(download, mirror, tmp_path):
    download()
    mirror.put(ONE, b"corrected", listed="2026-01-12 08:00")
    assert (download().fetched, download().there) == (1, 3)
    assert (tmp_path / "pubmed" / ONE).read_bytes() == b"corrected"


def test_a_new_date_for_the_same_content_is_looked_into_once(download, mirror):
    download()
    mirror.files["/pubmed/" + ONE].listed = "2026-01-12 08:00"
    mirror.asked.clear()
    assert [download().there, download().there] == [3, 3]
    assert [path for path, _ in mirror.asked if path.endswith(".md5")] == [f"/pubmed/{ONE}.md5"]


def test_damage_is_found_when_it_is_looked_for(download, tmp_path):
    download()
    (tmp_path / "pubmed" / ONE).write_bytes(b"on" * 1000)
    assert download().fetched == 0
    assert (download(check=True).fetched, download(check=True).there) == (1, 3)


def test_a_file_that_fails_does_not_keep_the_others(download, mirror, lines, tmp_path):
    mirror.put_plain(f"{ONE}.md5", b"0" * 32)
    report = download()
    assert (report.fetched, report.failed, report.left) == (2, 1, 0)
    assert names_in(tmp_path / "pubmed") == [TWO, UPDATE]
    [line] = lines
    assert line.startswith(f"{mirror.base}{ONE}: came twice with the wrong checksum, and was")


def test_a_file_without_a_sum_is_not_taken(download, mirror, lines):
    del mirror.files[f"/pubmed/{ONE}.md5"]
    assert download().failed == 1
    assert lines == [f"{mirror.base}{ONE}.md5: the server has no such file (404)"]


def test_a_later_run_fetches_what_failed(download, mirror):
    sums = mirror.files.pop(f"/pubmed/{ONE}.md5")
    download()
    mirror.files[f"/pubmed/{ONE}.md5"] = sums
    report = download()
    assert (report.fetched, report.there, report.failed) == (1, 2, 0)


def test_where_file_after_file_fails_the_rest_is_left(download, mirror, lines):
    for number in range(10, 30):
        mirror.put(f"baseline/pubmed26n00{number}.xml.gz", b"")
    for path in [path for path in mirror.files if path.endswith(".md5")]:
        del mirror.files[path]
    report = download(connections=1)
    assert (report.failed, report.left) == (5, 18)
    assert lines[-1] == "5 files in a row failed: the rest are skipped"


def test_a_server_that_is_away_is_one_line_and_no_folder(tmp_path):
    settings = DownloadSettings(base="http://127.0.0.1:1/")
    with pytest.raises(DownloadError, match="the server can't be reached; check the network"):
        download_pubmed(tmp_path / "new", settings=settings, web=WebClient(pause=0.001))
    assert not (tmp_path / "new").exists()


def test_files_of_an_earlier_year_stay_and_are_told(download, mirror, lines, tmp_path):
    download()
    for path in [path for path in mirror.files if "pubmed26n" in path]:
        del mirror.files[path]
    mirror.put("baseline/pubmed27n0001.xml.gz", b"new year")
    download()
    assert names_in(tmp_path / "pubmed") == [ONE, TWO, "baseline/pubmed27n0001.xml.gz", UPDATE]
    assert lines[-1] == (
        f"{tmp_path / 'pubmed'}: files of the baseline of 2026 are here too, and stay; "
        "the server has that of 2027, which belongs in a new library"
    )


def test_a_folder_of_updates_that_is_still_empty_is_told(download, mirror, lines):
    del mirror.files[f"/pubmed/{UPDATE}"]
    assert download().fetched == 2
    assert lines == [f"{mirror.base}updatefiles/: no files yet"]


def test_a_listing_without_dates_is_told_where_dates_matter(download, mirror, lines):
    mirror.with_dates = False
    assert download(since=dt.date(1970, 1, 1)).fetched == 3
    assert lines == [
        f"{mirror.base}: lists files without dates; the server is asked for the date of each"
    ]


def test_what_does_not_fit_is_refused_before_it_begins(download, mirror, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=5000))
    with pytest.raises(DownloadError, match=r"0\.0 GB are to come, but only 0\.0 GB are free"):
        download()
    assert fetched_from(mirror) == []


def test_what_is_there_needs_no_room(download, monkeypatch):
    download()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=0))
    report = download(check=True)
    assert (report.there, report.fetched, report.left) == (3, 0, 0)


def test_a_disk_that_fills_up_is_one_line_and_ends_it(download, mirror, monkeypatch, tmp_path):
    def full(self):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(KeptFile, "open_part", full)
    with pytest.raises(DownloadError) as raised:
        download(connections=1)
    assert str(raised.value) == (
        f"{tmp_path / 'pubmed'}: can't be written: no space left on device; "
        "what has arrived is kept: solve this, and run it again"
    )
    assert len(fetched_from(mirror)) == 1


def test_a_folder_that_can_not_be_made_is_one_line(download, tmp_path):
    (tmp_path / "pubmed").write_bytes(b"")
    with pytest.raises(DownloadError, match="pubmed: can't be written: file exists"):
        download()


def test_two_downloads_into_one_folder_do_not_meet(download, tmp_path):
    (tmp_path / "pubmed").mkdir()
    with (
        lock_folder(tmp_path / "pubmed"),
        pytest.raises(DownloadError, match="another likewise is downloading into this folder"),
    ):
        download()


def test_no_more_connections_than_asked_for_are_open(mirror, tmp_path):
    open_now, most = set(), []
    answer, lock = mirror.answer, threading.Lock()

    def watched(handler):
        with lock:
            open_now.add(handler.client_address)
            most.append(len(open_now))
        answer(handler)

    mirror.answer = watched
    for number in range(10, 20):
        mirror.put(f"baseline/pubmed26n00{number}.xml.gz", b"")
    download_pubmed(tmp_path, settings=DownloadSettings(base=mirror.base, connections=2))
    assert max(most) <= 2


def test_progress_ends_with_everything(mirror, tmp_path):
    seen = []
    settings = DownloadSettings(base=mirror.base)
    download_pubmed(tmp_path, settings=settings, on_progress=seen.append)
    assert seen[-1][1:] == (6006, 6006, 3, 3)


@pytest.mark.parametrize("settings", [{"baseline": False, "updates": False}, {"connections": 0}])
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(SettingsError):
        DownloadSettings(**settings)


def nothing():
    pass


def test_everything_is_worked_on_once():
    done = []
    work_side_by_side(range(100), done.append, threads=3, stop=nothing)
    assert sorted(done) == list(range(100))


def test_one_thread_keeps_the_order():
    done = []
    work_side_by_side("abc", done.append, threads=1, stop=nothing)
    assert done == ["a", "b", "c"]


def test_as_many_things_are_at_work_as_there_are_threads():
    meeting = threading.Barrier(3, timeout=10)
    work_side_by_side(range(3), lambda _: meeting.wait(), threads=3, stop=nothing)
    assert not meeting.broken


def test_a_failure_is_raised_and_ends_the_rest():
    done = []

    def work(number):
        done.append(number)
        if number == 1:
            raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        work_side_by_side(range(1000), work, threads=1, stop=nothing)
    assert done == [0, 1]


def test_a_failure_stops_what_still_runs():
    stopped = threading.Event()

    def work(number):
        if number == 1:
            raise OSError("no space left")
        stopped.wait(10)

    with pytest.raises(OSError, match="no space left"):
        work_side_by_side(range(2), work, threads=2, stop=stopped.set)
    assert stopped.is_set()


def test_ctrl_c_stops_what_still_runs():
    stopped = threading.Event()

    def work(number):
        _thread.interrupt_main()
        stopped.wait(10)

    with pytest.raises(KeyboardInterrupt):
        work_side_by_side(range(1), work, threads=1, stop=stopped.set)
    assert stopped.is_set()
