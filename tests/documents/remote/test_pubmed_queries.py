"""All the PMIDs that a query finds."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.remote.ncbi import ncbi_server
from likewise.documents.remote.eutils import ALL_DAYS, PubmedHits, find_pmids
from likewise.errors import DownloadError, SettingsError


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
    told = "lists only 3 of the 4 records that came into it on 2001-01-01 and that the query finds"
    with pytest.raises(DownloadError, match=told):
        find_pmids("cats", eutils=Calendar([NEW_YEAR] * 4), limit=10)


def test_too_many_are_refused_before_anything_else_is_asked():
    calendar = Calendar([MAY] * 11)
    with pytest.raises(SettingsError) as raised:
        find_pmids("cats", eutils=calendar, limit=10)
    told = "the query finds 11 records of PubMed, and at most 10 were asked for"
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
    assert notes[-1] == "PubMed counts 4 records, and lists 3 of them"


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
