"""Europe PMC as a source: what it alone does."""

import pytest
from benchmarks.sources.europepmc import europe_pmc_server

from likewise.documents import Document
from likewise.library.sources import SearchTerm, europepmc
from likewise.library.sources.europepmc import EUROPE_PMC, open_europe_pmc, parse_result

PREPRINT = Document(id="PPR12", title="A preprint on insulin", abstract="New.", doi="10.1101/x")


@pytest.fixture
def server():
    with europe_pmc_server() as served:
        served.hold_papers(
            [
                *(Document(id=str(n), pmid=str(n), title=f"Insulin {n}") for n in range(1, 13)),
                PREPRINT,
            ]
        )
        yield served


@pytest.fixture
def source(server):
    opened = server.source()
    yield opened
    opened.close()


def test_preprints_are_found_and_have_keys_of_their_own(source):
    found = source.search([SearchTerm("preprint")], limit=10)
    ((paper,),) = (each.documents for each in source.fetch(found))
    assert (found, source.key_of(paper)) == (["PPR/PPR12"], "PPR/PPR12")
    assert (paper.doi, paper.publication_types, source.identity_of(found[0])) == (
        "10.1101/x", ("Preprint",), "",
    )  # fmt: skip


def test_what_a_search_brought_is_not_asked_for_again(server, source):
    found = source.search([SearchTerm("insulin")], limit=20)
    came = list(source.fetch(found))
    assert (len(came[0].documents), len(server.requests)) == (13, 1)


def test_a_record_with_a_pmid_that_came_under_another_key_is_not_asked_for_again(server, source):
    told = {"id": "PMC7", "source": "PMC", "pmid": "7", "title": "On cats"}
    source._came["PMC/PMC7"] = parse_result(told, key="PMC/PMC7")
    (came,) = source.fetch(["PMC/PMC7"])
    assert ([paper.pmid for paper in came.documents], came.missing) == (["7"], [])
    assert server.requests == []


def test_long_lists_come_page_by_page(server, source, monkeypatch):
    monkeypatch.setattr(europepmc, "PAGE", 5)
    found = source.search([SearchTerm("insulin")], limit=12)
    cursors = [fields["cursorMark"] for _, fields in server.requests]
    assert (len(found), len(set(found)), cursors) == (12, 12, ["*", "mark5", "mark10"])


def test_a_list_ends_where_the_cursor_stays(server, source, monkeypatch):
    monkeypatch.setattr(europepmc, "PAGE", 5)
    assert len(source.search([SearchTerm("insulin")], limit=999)) == 13


def test_references_that_are_no_papers_here_are_passed_over(server, source):
    server.citing = {"MED/1": ["MED/2"]}
    assert list(source.find_linked(["MED/1"], "cited")) == [{"MED/1": ["MED/2"]}]


def test_markup_and_missing_parts_are_no_obstacle():
    told = {"id": "7", "source": "MED", "title": "On <i>E. coli</i>.", "authorList": None}
    paper = parse_result({**told, "abstractText": "<h4>Aim</h4>Find it."}, key="MED/7")
    assert (paper.title, paper.abstract, paper.pmid) == ("On E. coli.", "Aim: Find it.", "7")


def test_the_environment_names_another_address(monkeypatch):
    monkeypatch.delenv("LIKEWISE_EUROPEPMC", raising=False)
    assert open_europe_pmc()._address == EUROPE_PMC
    monkeypatch.setenv("LIKEWISE_EUROPEPMC", "http://localhost:1/rest")
    assert open_europe_pmc()._address == "http://localhost:1/rest/"
