"""Asking the E-utilities."""

import datetime as dt

import pytest

from documents.remote.ncbi import EMPTY, KEY, Reply, ncbi_server
from likewise.documents.remote import eutils as module
from likewise.documents.remote.eutils import NO_RECORDS, TRIALS, Caller, Days, Eutils
from likewise.errors import DownloadError
from likewise.web.client import WebClient
from likewise.web.troubles import Pace, RefusedError

BUSY = b'{"error":"API rate limit exceeded","count":"4","limit":"3"}'


@pytest.fixture
def ncbi():
    with ncbi_server() as server:
        server.hold("7", "8")
        yield server


def test_a_query_is_asked_as_a_form_for_all_that_pubmed_lists(ncbi):
    with ncbi.eutils() as eutils:
        eutils.search("cats & dogs[ti]")
    assert ncbi.requests == [
        (
            "/esearch.fcgi",
            {
                "db": "pubmed",
                "term": "cats & dogs[ti]",
                "retmode": "json",
                "retmax": "9999",
                "tool": "likewise",
            },
        )
    ]


def test_days_are_sent_as_entrez_dates(ncbi):
    with ncbi.eutils() as eutils:
        eutils.search("cats", days=Days(dt.date(1999, 1, 2), dt.date(2000, 12, 31)))
    sent = ncbi.requests[0][1]
    told = (sent["datetype"], sent["mindate"], sent["maxdate"])
    assert told == ("edat", "1999/01/02", "2000/12/31")


def test_records_are_fetched_as_xml(ncbi):
    with ncbi.eutils() as eutils:
        records = eutils.fetch(["7", "9"])
    sent = {"db": "pubmed", "id": "7,9", "retmode": "xml", "tool": "likewise"}
    assert (ncbi.requests, records) == ([("/efetch.fcgi", sent)], ncbi.records("7"))


def test_email_and_key_are_sent_along(ncbi):
    with ncbi.eutils(email="me@example.org", key=KEY) as eutils:
        eutils.fetch(["7"])
    sent = ncbi.requests[0][1]
    assert (sent["email"], sent["api_key"]) == ("me@example.org", KEY)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(BUSY, 429),
        Reply(BUSY),
        Reply(BUSY, 400),
        Reply(b"<html>502</html>", 502),
        Reply(b"<html>502</html>"),
        Reply(b""),
        Reply(b"<eFetchResult><ERROR>Timeout</ERROR></eFetchResult>"),
        Reply(EMPTY[:-10]),
        Reply(EMPTY[:-10], cut=True),
        Reply(b"", 503, headers=(("Retry-After", "0"),)),
    ],
)
def test_a_failure_that_passes_is_outlived(ncbi, reply):
    ncbi.replies = [reply, reply]
    with ncbi.eutils() as eutils:
        records = eutils.fetch(["7"])
    assert (records, len(ncbi.requests)) == (ncbi.records("7"), 3)


def test_a_failure_that_stays_is_told_after_some_trials(ncbi):
    ncbi.replies = [Reply(b"<html>Down</html>")] * 100
    with ncbi.eutils() as eutils, pytest.raises(DownloadError) as raised:
        eutils.search("cats")
    told = "esearch.fcgi: NCBI answers with a page for people (Down); try again later"
    assert (str(raised.value), len(ncbi.requests)) == (told, TRIALS)


def test_a_key_that_is_refused_is_told_at_once_and_not_shown(ncbi):
    ncbi.replies = [Reply(f'{{"error":"API key invalid: {KEY}"}}'.encode())]
    with ncbi.eutils(key=KEY) as eutils, pytest.raises(DownloadError) as raised:
        eutils.search("cats")
    told = "esearch.fcgi: NCBI answers with an error (API key invalid: (the key)); check"
    assert str(raised.value) == f"{told} NCBI_API_KEY"


def test_not_even_a_piece_of_the_key_is_shown(ncbi):
    ncbi.replies = [Reply(f'{{"error":"{"x" * 140} {KEY}"}}'.encode())] * TRIALS
    with ncbi.eutils(key=KEY) as eutils, pytest.raises(DownloadError) as raised:
        eutils.search("cats")
    assert KEY[:3] not in str(raised.value)


class Refusing:
    """A way to a server that refuses everything, and tells in its answers why."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.waited = 0

    def get(self, url, **_):
        message = f"{url}: the server gives an odd answer (400)"
        error = RefusedError(message, answer=self.answers.pop(0))
        raise error

    def back_off(self, _):
        self.waited += 1


def test_what_a_refusal_says_is_read():
    nobody = b"<eFetchResult><ERROR>ID list is empty! Possibly it has no correct IDs.</ERROR>"
    web = Refusing(b"<eFetchResult><ERROR>proxy_stream() 502</ERROR></eFetchResult>", nobody)
    assert (Eutils(Caller(), web=web).fetch(["7"]), web.waited) == (NO_RECORDS, 1)


def test_a_refusal_without_a_word_stays_as_it_is():
    with pytest.raises(DownloadError, match=r"gives an odd answer \(400\)"):
        Eutils(Caller(), web=Refusing(b" ")).fetch(["7"])


def test_what_is_refused_does_not_show_the_key(ncbi):
    ncbi.replies = [Reply(b"", 403)] * 100
    with ncbi.eutils(key=KEY) as eutils, pytest.raises(DownloadError) as raised:
        eutils.search("cats")
    assert KEY not in str(raised.value)


def test_a_server_that_is_away_is_told_in_one_line():
    with ncbi_server() as server:
        pass
    with server.eutils() as eutils, pytest.raises(DownloadError, match="check the network"):
        eutils.search("cats")


def test_the_caller_does_not_show_the_key():
    assert KEY not in repr(Caller(key=KEY))


def test_the_caller_is_what_the_environment_says(monkeypatch):
    monkeypatch.setenv("LIKEWISE_EUTILS", "https://proxy.example/eutils")
    monkeypatch.setenv("NCBI_EMAIL", "me@example.org")
    monkeypatch.setenv("NCBI_API_KEY", f" {KEY}\n")
    expected = Caller(address="https://proxy.example/eutils/", email="me@example.org", key=KEY)
    assert Caller.from_environment() == expected


def test_without_an_environment_ncbi_is_asked(monkeypatch):
    for name in ("LIKEWISE_EUTILS", "NCBI_EMAIL", "NCBI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert Caller.from_environment() == Caller()


@pytest.mark.parametrize(("key", "allowed"), [("", 3.0), (KEY, 10.0)])
def test_ncbi_is_asked_as_often_as_it_allows(monkeypatch, key, allowed):
    made = []
    monkeypatch.setattr(module, "Web", lambda **options: made.append(options) or WebClient())
    Eutils(Caller(key=key))
    assert made == [{"per_second": allowed, "connections": 1}]


def test_requests_are_a_third_of_a_second_apart(ncbi, monkeypatch):
    now = [100.0]
    web = WebClient(per_second=Caller().per_second)
    monkeypatch.setattr(web, "_pace", Pace(3.0, clock=lambda: now[0]))
    monkeypatch.setattr(web, "rest", lambda seconds: now.__setitem__(0, now[0] + seconds))
    times = []
    for _ in range(4):
        Eutils(Caller(address=ncbi.url), web=web).search("cats")
        times.append(round(now[0] - 100, 6))
    web.close()
    assert times == [0.0, 0.333333, 0.666667, 1.0]
