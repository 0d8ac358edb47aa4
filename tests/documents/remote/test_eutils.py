"""Asking the E-utilities."""

import datetime as dt
import json

import pytest
from benchmarks.sources.ncbi import EMPTY, KEY, ncbi_server
from benchmarks.sources.serving import Reply
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents.remote import eutils as module
from likewise.documents.remote.eutils import (
    ALL_DAYS,
    NO_RECORDS,
    TRIALS,
    AnswerError,
    Caller,
    Days,
    Eutils,
    PubmedHits,
    check_records,
    find_own_pmids,
    find_pmids,
    parse_hits,
)
from likewise.errors import DownloadError, SettingsError
from likewise.web import WebClient
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
    told = "esearch.fcgi: NCBI answers with a web page (Down); try again later"
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
    monkeypatch.setattr(module, "WebClient", lambda **options: made.append(options) or WebClient())
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


HEAD = b"""<?xml version="1.0" ?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2019//EN" "pubmed.dtd">
"""


def result(**said):
    return json.dumps({"esearchresult": {"count": "1", "idlist": ["7"], **said}}).encode()


def error_page(said):
    return f'<?xml version="1.0"?><eFetchResult>\n<ERROR>{said}</ERROR>\n</eFetchResult>'.encode()


def test_a_count_and_pmids_are_found():
    assert parse_hits(result()) == PubmedHits(1, ["7"], [])


def test_what_pubmed_does_not_understand_is_noted():
    errors = {"phrasesnotfound": ["qwxz"], "fieldsnotfound": ["xyz"]}
    warnings = {"phrasesignored": ["the"], "quotedphrasesnotfound": ['"no such"', "qwxz"]}
    assert parse_hits(result(errorlist=errors, warninglist=warnings)).notes == [
        "PubMed does not know 'qwxz'",
        "PubMed does not know '\"no such\"'",
        "PubMed has no field 'xyz'",
        "PubMed ignores 'the'",
    ]


@pytest.mark.parametrize("odd", [[], ["x"], "x", None, {"phrasesnotfound": None}])
def test_remarks_of_an_unknown_kind_are_passed_over(odd):
    assert parse_hits(result(errorlist=odd, warninglist=odd)).notes == []


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"", "nothing at all"),
        (b"<html><h1>502 Bad\nGateway</h1></html>", "a web page (502 Bad Gateway)"),
        (b"Service moved", "something else (Service moved)"),
        (b'{"esearchresult": {"cou', "JSON that breaks off"),
        (b'{"esearchresult": {}}', "no count and no list of PMIDs"),
        (b'{"header": {}}', "an error (of no known kind)"),
        (
            b'{"esearchresult": {"ERROR": "Search Backend\n failed"}}',
            "an error (Search Backend failed)",
        ),
        (b'{"error": "API rate limit exceeded"}', "an error (API rate limit exceeded)"),
        (b'{"a":' * 50_000, "JSON that breaks off"),
        (result(count="9" * 5000), "no count and no list of PMIDs"),
        (result(count=["1"]), "no count and no list of PMIDs"),
        (result(idlist=[None, {}]), "no count and no list of PMIDs"),
    ],
)
def test_an_answer_that_finds_nothing_is_told_in_one_line_and_may_pass(answer, told):
    with pytest.raises(AnswerError) as raised:
        parse_hits(answer)
    assert (str(raised.value), raised.value.passes) == (told, True)


def test_a_key_that_is_refused_does_not_pass():
    with pytest.raises(AnswerError) as raised:
        parse_hits(b'{"error":"API key invalid","api-key":"secret"}')
    assert (str(raised.value), raised.value.passes) == ("an error (API key invalid)", False)


@pytest.mark.parametrize(
    "records",
    [b"<PubmedArticleSet></PubmedArticleSet>\n", b"<PubmedArticleSet/>", NO_RECORDS],
)
def test_whole_records_are_as_they_came(records):
    assert check_records(HEAD + records) == HEAD + records


def test_pmids_that_are_none_bring_no_records():
    answer = error_page("ID list is empty! Possibly it has no correct IDs.")
    assert check_records(answer) == NO_RECORDS


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b" \n", "nothing at all"),
        (b'{"error":"API rate limit exceeded"}', "an error (API rate limit exceeded)"),
        (b'{"esearchresult": {"count": "0"}}', "no records"),
        (error_page("External viewer error: Timeout"), "an error (External viewer error: Timeout)"),
        (
            b"<eFetchResult><ERROR>proxy_stream() <html>502",
            "an error (proxy_stream() 502)",
        ),
        (b"<html>Down for maintenance</html>", "a web page (Down for maintenance)"),
        (HEAD + b"<PubmedArticleSet><PubmedArticle>", "records that break off"),
        (HEAD + b"<PubmedArticleSet><ERROR>no</ERROR></PubmedArticleSet>", "an error (no)"),
    ],
)
def test_an_answer_without_records_is_told_in_one_line(answer, told):
    with pytest.raises(AnswerError) as raised:
        check_records(answer)
    assert str(raised.value) == told


def test_what_is_told_is_short():
    with pytest.raises(AnswerError) as raised:
        check_records(error_page("long " * 1000))
    assert len(raised.value.describe(secret="")) < 200


def test_what_is_told_holds_no_piece_of_a_secret():
    with pytest.raises(AnswerError) as raised:
        check_records(error_page("x" * 147 + "hush-hush"))
    assert raised.value.describe(secret="").endswith("xhus...")
    assert raised.value.describe(secret="hush-hush").endswith("x(th...")


def test_pmids_of_papers_and_books_are_known_and_those_they_cite_are_not():
    records = b"""<PubmedArticle><MedlineCitation Status="MEDLINE">
      <PMID Version="1">7</PMID><CommentsCorrections><PMID Version="1">8</PMID>
      </CommentsCorrections></MedlineCitation></PubmedArticle>
      <PubmedBookArticle><BookDocument><PMID Version="2">9</PMID></BookDocument>"""
    assert find_own_pmids(records) == {"7", "9"}


class Calendar:
    """A stand-in for PubMed: how many records came on which day, and how many it lists."""

    def __init__(self, days, *, most=3):
        self.pmids = {str(number): day for number, day in enumerate(sorted(days), 1)}
        self.most = most
        self.asked = []

    def search(self, query, *, days=None):
        self.asked.append(days)
        first, last = days or ALL_DAYS
        found = [pmid for pmid, day in self.pmids.items() if first <= day <= last][::-1]
        return PubmedHits(len(found), found[: self.most], [f"note on {query}"])


NEW_YEAR, MAY = dt.date(2001, 1, 1), dt.date(1950, 5, 1)


def test_what_is_listed_at_once_is_asked_for_once():
    calendar = Calendar([NEW_YEAR, MAY])
    found = find_pmids("cats", eutils=calendar, limit=10)
    assert (found, calendar.asked) == (PubmedHits(2, ["2", "1"], ["note on cats"]), [None])


def test_what_finds_nothing_is_no_error():
    assert find_pmids("cats", eutils=Calendar([]), limit=10).pmids == []


def test_longer_lists_are_asked_for_by_halves_the_later_first():
    calendar = Calendar([MAY, NEW_YEAR, NEW_YEAR, MAY])
    find_pmids("cats", eutils=calendar, limit=10)
    _, whole, later, *_, earlier = calendar.asked
    assert whole == ALL_DAYS
    assert (earlier.first, later.last) == ALL_DAYS
    assert later.first - earlier.last == dt.timedelta(1)


@given(days=st.lists(st.dates(*ALL_DAYS), max_size=20, unique=True))
def test_every_pmid_is_found_once_and_the_latest_first(days):
    found = find_pmids("cats", eutils=Calendar(days), limit=100)
    assert found.pmids == [str(number) for number in range(len(days), 0, -1)]


def test_a_day_with_more_than_can_be_listed_is_told():
    told = "finds 4 records that came into PubMed on 2001-01-01, but PubMed lists only 3 of them"
    with pytest.raises(DownloadError, match=told):
        find_pmids("cats", eutils=Calendar([NEW_YEAR] * 4), limit=10)


def test_too_many_are_refused_before_anything_else_is_asked():
    calendar = Calendar([MAY] * 11)
    with pytest.raises(SettingsError) as raised:
        find_pmids("cats", eutils=calendar, limit=10)
    told = "the query finds 11 records of PubMed, but at most 10 were asked for"
    assert str(raised.value) == f"{told}; narrow it, or raise --limit"
    assert calendar.asked == [None]


def test_an_empty_query_is_refused():
    with pytest.raises(SettingsError, match="the query is empty"):
        find_pmids("  ", eutils=Calendar([]), limit=10)


def test_records_without_a_day_are_noted():
    calendar = Calendar([MAY] * 3)
    whole = calendar.search
    calendar.search = lambda query, *, days=None: whole(query, days=days)._replace(
        total=3 if days else 4
    )
    notes = find_pmids("cats", eutils=calendar, limit=10).notes
    assert notes[-1] == "PubMed counts 4 records, but lists 3 of them"


def test_progress_is_told():
    told = []
    calendar = Calendar([MAY, MAY, NEW_YEAR, NEW_YEAR])
    find_pmids("cats", eutils=calendar, limit=10, on_progress=lambda *at: told.append(at))
    assert [at for at in told if at[0]][-1] == (4, 4)


def test_a_real_request_splits_by_the_days_that_the_server_knows():
    with ncbi_server() as ncbi, ncbi.eutils() as eutils:
        ncbi.most_listed = 2
        ncbi.hold("1", "2", day="1999-12-31")
        ncbi.hold("3", "4", day="2000-01-01")
        assert find_pmids("cats", eutils=eutils, limit=10).pmids == ["3", "4", "1", "2"]
