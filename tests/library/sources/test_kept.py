"""Asking a source once."""

import pytest

from likewise.documents import Document
from likewise.errors import SettingsError
from likewise.library import open_library
from likewise.library.sources import SearchTerm
from likewise.library.sources.kept import (
    ASKED,
    Asker,
    Budget,
    KeptAnswer,
    KeptAnswers,
    read_reach,
)


class CountingSource:
    """A source that counts what it is asked."""

    label = "Counting"
    links = ("citing",)
    lists_at_once = True

    def __init__(self):
        self.requests = 0

    def find_papers(self, papers):
        for _ in papers:
            self.requests += 1
            yield ["9"]

    def find_linked(self, keys, kind):
        for key in keys:
            self.requests += 1
            yield {key: [f"{kind}-{key}"]}

    def search(self, terms, *, limit, since=None):
        self.requests += 1
        return [term.text for term in terms][:limit]


@pytest.fixture
def folder(tmp_path):
    open_library(tmp_path / "lib", write=True).close()
    return tmp_path / "lib"


def ask(folder, **budget):
    source = CountingSource()
    return source, Asker(source, KeptAnswers(folder), budget=Budget(**budget))


def test_the_same_question_is_asked_once_and_by_no_later_run(folder):
    terms = [SearchTerm("liver"), SearchTerm("Rats", is_heading=True)]
    for expected in (4, 0):
        source, asker = ask(folder)
        assert asker.search(terms, limit=5) == ("liver", "Rats")
        assert asker.find_linked(["1", "2"], "citing") == {"1": ("citing-1",), "2": ("citing-2",)}
        assert asker.find_papers([Document(doi="10.1000/x")]) == ("9",)
        assert source.requests == expected


def test_a_word_and_a_heading_are_different_questions(folder):
    source, asker = ask(folder)
    asker.search([SearchTerm("liver")], limit=5)
    asker.search([SearchTerm("liver", is_heading=True)], limit=5)
    assert source.requests == 2


def test_only_what_is_new_is_asked_for(folder):
    ask(folder)[1].find_linked(["1"], "citing")
    source, asker = ask(folder)
    asker.find_linked(["1", "2"], "citing")
    assert source.requests == 1


def test_without_a_library_answers_are_kept_for_the_while(tmp_path):
    source, asker = ask(tmp_path / "none")
    for _ in range(2):
        asker.search([SearchTerm("liver")], limit=5)
    assert (source.requests, (tmp_path / "none").exists()) == (1, False)


def test_answers_that_came_before_the_library_are_written_once_it_is_there(tmp_path):
    kept = KeptAnswers(tmp_path / "lib")
    kept.keep(KeptAnswer("early", ("1",)))
    open_library(tmp_path / "lib", write=True).close()
    kept.save()
    assert KeptAnswers(tmp_path / "lib").get("early").keys == ("1",)


def test_a_line_that_was_cut_off_is_asked_again_and_harms_no_other(folder):
    kept = KeptAnswers(folder)
    kept.keep(KeptAnswer("one", ("1",)))
    with (folder / ASKED).open("ab") as stream:
        stream.write(b'{"question":"two","keys":["')
    kept = KeptAnswers(folder)
    kept.keep(KeptAnswer("three", ("3",)))
    again = KeptAnswers(folder)
    assert [again.get(name) and again.get(name).keys for name in ("one", "two", "three")] == [
        ("1",), None, ("3",),
    ]  # fmt: skip


def test_requests_end_with_the_budget(folder):
    source, asker = ask(folder, requests=2)
    assert asker.find_linked(["1", "2", "3"], "citing").keys() == {"1", "2"}
    assert asker.search([SearchTerm("liver")], limit=5) == ()
    assert (source.requests, asker.spent) == (2, "2 requests")


def test_minutes_end_too(folder):
    source, asker = ask(folder, minutes=1e-9)
    assert asker.search([SearchTerm("liver")], limit=5) == ()
    assert (source.requests, asker.spent) == (0, "1e-09 minutes")


def test_what_was_asked_before_costs_nothing(folder):
    ask(folder)[1].search([SearchTerm("liver")], limit=5)
    assert ask(folder, minutes=1e-9)[1].search([SearchTerm("liver")], limit=5) == ("liver",)


def test_a_budget_of_nothing_is_refused():
    with pytest.raises(SettingsError, match="a budget of 0 requests allows nothing"):
        Budget(requests=0)


def test_of_two_gatherings_the_later_says_how_far_a_seed_is_reached(folder):
    kept = KeptAnswers(folder)
    kept.keep(KeptAnswer("first", reach={"1": True, "2": True}))
    kept.keep(KeptAnswer("second", reach={"2": False}))
    assert read_reach(folder) == {"1": True, "2": False}


def test_keys_that_were_fetched_are_remembered(folder):
    KeptAnswers(folder).note_fetched(["1", "2"])
    KeptAnswers(folder).note_fetched(["2", "3"])
    assert KeptAnswers(folder).fetched == {"1", "2", "3"}
