"""How much has come, of how much."""

from contextlib import suppress

import pytest

from likewise.documents.remote.file_fetcher import DownloadProgress, Tally


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
    tally.done("a")
    assert seen[-1] == DownloadProgress("a", 10, 10, 1, 1)


def test_more_than_was_said_adds_to_the_total(seen):
    tally = Tally({"a": 0}, on_progress=seen.append)
    with tally.transfer("a", 0) as came:
        came(7)
    assert seen[-1] == DownloadProgress("a", 7, 7, 0, 1)


def test_what_does_not_come_is_no_longer_waited_for(seen):
    tally = Tally({"a": 10, "b": 5}, on_progress=seen.append)
    tally.done("a")
    assert seen[-1] == DownloadProgress("a", 0, 5, 1, 2)


def test_a_failure_in_the_middle_is_counted_as_far_as_it_came():
    tally = Tally({"a": 10})
    with suppress(ConnectionError), tally.transfer("a", 10) as came:
        came(3)
        raise ConnectionError
    assert tally.bytes == 3
