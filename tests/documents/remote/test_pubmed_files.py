"""What a server lists."""

import datetime as dt
import time

import pytest

from likewise.documents.remote.pubmed_files import (
    check_base,
    fetch_sum,
    list_files,
    read_sum,
    select_since,
)
from likewise.errors import DownloadError, SettingsError

SUM = "0123456789abcdef0123456789abcdef"


class Page:
    """A web with one page."""

    def __init__(self, page):
        self.page = page

    def get(self, url):
        return self.page.encode()


def listed(page, folder="baseline"):
    return list_files(Page(page), "http://host/pubmed/", folder=folder)


def test_files_come_with_folder_address_date_and_size():
    page = (
        '<pre><a href="?C=N;O=D">Name</a> <a href="?C=S;O=A">Size</a><hr>'
        '<a href="/pubmed/">Parent Directory</a>                 -   \n'
        '<a href="pubmed26n0001.xml.gz">pubmed26n0001.xml.gz</a>  2026-01-10 14:05   19M  \n'
        '<a href="pubmed26n0001.xml.gz.md5">pubmed26n0001.xml.gz.md5</a>  2026-01-10 14:05   60  \n'
        "<hr></pre>"
    )
    [file] = listed(page)
    assert file == (
        "baseline",
        "pubmed26n0001.xml.gz",
        "http://host/pubmed/baseline/pubmed26n0001.xml.gz",
        dt.datetime(2026, 1, 10, 14, 5, tzinfo=dt.UTC),
        19 * 1024 * 1024,
    )


@pytest.mark.parametrize(
    ("line", "date", "size"),
    [
        # Apache's table, nginx's list, and lighttpd's table.
        ("</td><td>2026-01-10 14:05  </td><td> 1.5K</td><td>&nbsp;</td></tr>", 10, 1536),
        ("                    09-Jan-2026 14:05            19923456", 9, 19923456),
        ("</td><td>2026-Jan-11 14:05:59</td><td>1.5K</td><td>application/gzip</td>", 11, 1536),
        ("  2026-01-10 14:05    -  ", 10, None),
        ("  2026-13-10 14:05   60  ", None, 60),
        ("   60  ", None, 60),
        ("", None, None),
    ],
)
def test_dates_and_sizes_as_servers_write_them(line, date, size):
    [file] = listed(f'<td><A class="x" HREF="pubmed26n0001.xml.gz">pubmed26..&gt;</A>{line}\n')
    assert (file.listed and file.listed.day, file.size) == (date, size)


def test_files_come_in_the_order_of_their_numbers():
    names = ["pubmed26n10000.xml.gz", "pubmed26n9999.xml.gz", "pubmed25n9999.xml.gz"]
    files = listed("".join(f'<a href="{name}">x</a>\n' for name in names))
    assert [file.name for file in files] == names[::-1]


@pytest.mark.parametrize(
    "link",
    [
        "README.txt",
        "pubmed26n0001_stats.html",
        "pubmed26n0001.xml.gz.md5",
        "../pubmed26n0001.xml.gz",
        "http://elsewhere/pubmed/baseline/pubmed26n0001.xml.gz",
        "..%2Fpubmed26n0001.xml.gz",
        "old/pubmed26n0001.xml.gz",
        "http://[host/pubmed26n0001.xml.gz",
        "pubmed26n0001.xml.gz'",
        "pubmed\N{FULLWIDTH DIGIT TWO}6n0001.xml.gz",
    ],
)
def test_other_links_are_passed_over(link):
    assert listed(f'<a href="{link}">x</a>\n', folder="updatefiles") == []


@pytest.mark.parametrize(
    "link", ["/pubmed/baseline/pubmed26n0001.xml.gz", "./pubmed26n0001.xml.gz"]
)
def test_links_to_the_same_place_count_however_they_are_written(link):
    [file] = listed(f'<a href="{link}">x</a>\n')
    assert file.url == "http://host/pubmed/baseline/pubmed26n0001.xml.gz"


def test_a_date_before_the_next_link_is_not_of_the_one_before_it():
    rows = [
        f'-rw-r--r-- 2026-01-1{day} 14:05 <a href="pubmed26n000{day}.xml.gz">x</a><br>'
        for day in (1, 2)
    ]
    assert [file.listed for file in listed("".join(rows))] == [None, None]


def test_links_that_never_end_are_links():
    files = listed("<li><a href=pubmed26n0001.xml.gz>one<li><a href='pubmed26n0002.xml.gz'>two")
    assert [file.name for file in files] == ["pubmed26n0001.xml.gz", "pubmed26n0002.xml.gz"]


@pytest.mark.parametrize("piece", ["<a href=x>", "<a ", "<a href=", "<a href= href='", "<"])
def test_a_long_page_of_nonsense_is_read_in_no_time(piece):
    started = time.process_time()
    assert listed(piece * 20_000, folder="updatefiles") == []
    assert time.process_time() - started < 5


def test_a_baseline_without_files_is_refused():
    with pytest.raises(DownloadError, match="baseline/: lists no file of PubMed"):
        listed("<html>Welcome to our hotel; please log in</html>")


def test_dates_of_the_listing_tell_what_is_new(server, web):
    server.put("updatefiles/pubmed26n1400.xml.gz", b"", listed="2026-01-10 23:59")
    server.put("updatefiles/pubmed26n1401.xml.gz", b"", listed="2026-01-11 00:00")
    files = list_files(web, server.base, folder="updatefiles")
    new = select_since(files, dt.date(2026, 1, 11), web=web)
    assert [file.name for file in new] == ["pubmed26n1401.xml.gz"]


def test_without_dates_the_server_is_asked_for_them(server, web):
    server.with_dates = False
    server.put("updatefiles/pubmed26n1400.xml.gz", b"")
    files = list_files(web, server.base, folder="updatefiles")
    # The server's files are of 1970.
    assert select_since(files, dt.date(1970, 1, 1), web=web) == files
    assert select_since(files, dt.date(1970, 1, 2), web=web) == []


def test_a_file_of_unknown_date_is_taken():
    class Dateless(Page):
        def head(self, url):
            return {}

    web = Dateless('<a href="pubmed26n0001.xml.gz">x</a>')
    files = list_files(web, "http://host/", folder="baseline")
    assert select_since(files, dt.date(2026, 1, 1), web=web) == files


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"MD5(pubmed26n0001.xml.gz)= {SUM}\n", SUM),
        (f"MD5 (pubmed26n0001.xml.gz) = {SUM.upper()}\r\n", SUM),
        (f"{SUM}  pubmed26n0001.xml.gz\n", SUM),
        ("<html>busy</html>", ""),
        (SUM + "0", ""),
    ],
)
def test_sums_are_read_in_every_form(text, found):
    assert read_sum(text) == found


def test_a_file_of_sums_without_a_sum_is_told(server, web):
    server.put("baseline/pubmed26n0001.xml.gz", b"")
    server.put_plain("baseline/pubmed26n0001.xml.gz.md5", b"<html>busy</html>")
    [file] = list_files(web, server.base, folder="baseline")
    with pytest.raises(DownloadError, match=r"gz\.md5: holds no MD5; try again later"):
        fetch_sum(web, file)


def test_a_base_address_ends_with_one_slash():
    assert check_base("http://host:8080/mirror//") == "http://host:8080/mirror/"


@pytest.mark.parametrize("address", ["host/pubmed", "ftp://host/pubmed/", "http://", "http://h:x/"])
def test_an_address_that_is_none_is_refused(address):
    with pytest.raises(SettingsError, match=r"not a web address.*PubMed's files are below"):
        check_base(address)


@pytest.mark.parametrize("scheme", ["https", "ftp"])
def test_an_address_with_a_password_is_refused_and_not_repeated(scheme):
    with pytest.raises(SettingsError) as raised:
        check_base(f"{scheme}://me:hush@host/")
    assert "hush" not in str(raised.value)
