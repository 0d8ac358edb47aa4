import datetime as dt
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents import Document
from likewise.documents.releases import (
    Release,
    RemoteFile,
    check_base,
    fetch_sum,
    list_files,
    read_sum,
    release_of,
    select_since,
    sort_by_release,
    version_of,
)
from likewise.errors import DownloadError, SettingsError


@pytest.mark.parametrize(
    "source",
    [
        "pubmed26n0007.xml.gz",
        "pubmed26n0007.xml",
        "pubmed:pubmed26n0007.xml.gz",
        "pubmed:medline26n0007.xml.gz",
        "pubmed26n000007.xml",
    ],
)
def test_a_numbered_file_of_pubmed_is_a_release(source):
    assert release_of(source) == Release(year=26, number=7)


@pytest.mark.parametrize(
    "source",
    [
        "",
        "pubmed:efetch",
        "refs.ris",
        "pubmed01.xml",
        "pubmed26n0007.xml.gz.md5",
        "pubmed26n0007.csv",
        "ris:pubmed26n0007.xml.gz",
        "old-pubmed26n0007.xml.gz",
        "pubmed26n\u0660\u0660\u0660\u0667.xml",
    ],
)
def test_any_other_name_is_no_release(source):
    assert release_of(source) is None


def test_a_years_files_come_after_all_those_of_the_year_before():
    assert release_of("pubmed26n0001.xml.gz") > release_of("pubmed25n1700.xml.gz")


def test_updates_come_after_the_baseline_wherever_they_lie():
    given = ["updates/pubmed26n1335.xml.gz", "baseline/pubmed26n0001.xml.gz"]
    ordered = sort_by_release(map(Path, given))
    assert [path.name[:12] for path in ordered] == ["pubmed26n000", "pubmed26n133"]


def test_a_number_of_more_digits_comes_after_one_of_fewer():
    given = [Path("pubmed26n10000.xml"), Path("pubmed26n9999.xml")]
    assert sort_by_release(given) == given[::-1]


@given(st.permutations(["a.ris", "z.csv", "pubmed26n0001.xml", "pubmed26n0002.xml", "b.xml"]))
def test_other_files_stay_where_they_were(names):
    ordered = [path.name for path in sort_by_release(map(Path, names))]
    assert sorted(ordered) == sorted(names)
    places = [(place, name) for place, name in enumerate(names) if "pubmed" not in name]
    assert [(place, ordered[place]) for place, _ in places] == places
    assert [name for name in ordered if "pubmed" in name] == [
        "pubmed26n0001.xml",
        "pubmed26n0002.xml",
    ]


@pytest.mark.parametrize(
    ("others", "version"),
    [((), 1), (("pmid-version:2",), 2), (("pmid-version:3", "pmid-version:2"), 3),
     (("pii:S0140", "pmid-version:", "pmid-version:x"), 1)],
)  # fmt: skip
def test_the_highest_version_that_is_told_counts(others, version):
    assert version_of(Document(other_ids=others)) == version


@pytest.mark.parametrize("version", ["", "x", "-2", "9" * 5000])
def test_what_is_no_number_is_no_version(version):
    assert version_of(Document(other_ids=(f"pmid-version:{version}",))) == 1


def test_another_id_that_has_the_words_in_it_is_no_version():
    assert version_of(Document(other_ids=("x:pmid-version:3", "pii:pmid-version:"))) == 1


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
    assert file == RemoteFile(
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
