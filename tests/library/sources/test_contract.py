"""What every source does, on local servers that behave as the real services are documented to."""

import datetime as dt
from contextlib import contextmanager

import pytest
from benchmarks.sources.europepmc import europe_pmc_server
from benchmarks.sources.ncbi import ncbi_server
from benchmarks.sources.serving import Reply

from likewise.documents import Document
from likewise.documents.document import MeshHeading
from likewise.errors import DownloadError
from likewise.library.sources import BUILT_IN, SearchTerm
from likewise.library.sources.pubmed import PubmedSource

PAPERS = [
    Document(id="1", pmid="1", title="Insulin and the liver", abstract="Rats ate sugar."),
    Document(id="2", pmid="2", title="Insulin in the liver of rats", abstract="Liver, liver."),
    Document(id="3", pmid="3", title="Sleep of cats", abstract="Cats sleep.", doi="10.1000/cats"),
    Document(id="4", pmid="4", title="Dreams of cats", abstract="Asleep.", pmcid="PMC44"),
    Document(id="5", pmid="5", title="A cat", mesh=(MeshHeading(name="Sleep Stages"),)),
]
DOWN = Reply(b"<html>Down for maintenance</html>", 200)


@contextmanager
def pubmed():
    with ncbi_server() as server:
        yield server, lambda: PubmedSource(server.eutils()), str


@contextmanager
def europe_pmc():
    with europe_pmc_server() as server:
        yield server, server.source, "MED/{}".format


SERVICES = {"pubmed": pubmed, "europepmc": europe_pmc}


class Asked:
    """A server, a source that asks it, and the source's keys."""

    def __init__(self, server, source, key):
        self.server, self.source, self.key = server, source, key

    def keys(self, *pmids):
        return [self.key(pmid) for pmid in pmids]


@pytest.fixture(params=SERVICES)
def asked(request):
    with SERVICES[request.param]() as (server, open_it, key):
        server.hold_papers(PAPERS)
        source = open_it()
        yield Asked(server, source, key)
        source.close()


def ids(arrivals):
    return sorted(paper.pmid for each in arrivals for paper in each.documents)


def test_every_built_in_source_is_held_to_this():
    assert {entry.name for entry in BUILT_IN} == set(SERVICES)


def test_a_key_is_told_by_a_record_and_identifies_it(asked):
    key = asked.source.key_of(PAPERS[0])
    assert (key, asked.source.identity_of(key)) == (asked.key("1"), "pmid:1")


def test_a_paper_without_identifiers_has_no_key(asked):
    assert asked.source.key_of(Document(id="x", title="Mine")) == ""


def test_a_search_finds_what_has_any_of_the_terms_the_best_first(asked):
    found = asked.source.search([SearchTerm("liver"), SearchTerm("dreams")], limit=10)
    assert set(found) == set(asked.keys("1", "2", "4"))
    assert found.index(asked.key("2")) < found.index(asked.key("1"))


def test_a_search_finds_headings(asked):
    found = asked.source.search([SearchTerm("Sleep Stages", is_heading=True)], limit=10)
    assert found == asked.keys("5")


def test_a_search_lists_no_more_than_asked_for(asked):
    assert len(asked.source.search([SearchTerm("liver"), SearchTerm("cats")], limit=2)) == 2


def test_a_search_can_be_limited_to_what_came_since_a_day(asked):
    newer = Document(id="9", pmid="9", title="A new paper on the liver")
    asked.server.hold_papers([newer], day="2026-03-04")
    found = asked.source.search([SearchTerm("liver")], limit=10, since=dt.date(2026, 3, 4))
    assert found == asked.keys("9")


def test_papers_are_found_by_doi_pmcid_and_title(asked):
    given = [
        Document(doi="10.1000/cats"),
        Document(pmcid="PMC44"),
        Document(title="Insulin in the liver of rats"),
        Document(title="Something that nobody has written"),
    ]
    found = [key for some in asked.source.find_papers(given) for key in some]
    assert sorted(found) == asked.keys("2", "3", "4")


def test_citing_and_cited_papers_are_found(asked):
    asked.server.citing = {asked.key("2"): asked.keys("1"), asked.key("4"): asked.keys("1")}
    found = {}
    for some in asked.source.find_linked(asked.keys("1"), "citing"):
        found |= some
    for some in asked.source.find_linked(asked.keys("2"), "cited"):
        found |= some
    assert found == {asked.key("1"): asked.keys("2", "4"), asked.key("2"): asked.keys("1")}


def test_what_is_linked_with_nothing_or_unknown_has_no_links(asked):
    for kind in asked.source.links:
        found = {}
        for some in asked.source.find_linked(asked.keys("777"), kind):
            found |= some
        assert found == {asked.key("777"): []}


def test_records_come_whole_and_what_is_not_there_is_told(asked):
    asked.server.hold_papers(
        [
            Document(
                id="8", pmid="8", title="Whole", abstract="All of it.", year=2001,
                authors=("Ann, Bea",), journal="J", doi="10.1000/whole",
                mesh=(MeshHeading(name="Liver", major=True),),
            )
        ]
    )  # fmt: skip
    came = list(asked.source.fetch(asked.keys("8", "777")))
    (paper,) = (paper for each in came for paper in each.documents)
    assert (paper.title, paper.year, paper.authors, paper.doi, paper.journal) == (
        "Whole", 2001, ("Ann, Bea",), "10.1000/whole", "J",
    )  # fmt: skip
    assert paper.abstract.endswith("All of it.")
    assert [(each.name, each.major) for each in paper.mesh] == [("Liver", True)]
    assert [key for each in came for key in each.missing] == asked.keys("777")


def test_what_a_source_brought_it_knows_again(asked):
    came = [paper for each in asked.source.fetch(asked.keys("1", "2")) for paper in each.documents]
    assert sorted(map(asked.source.key_of, came)) == asked.keys("1", "2")


def test_requests_are_counted_those_sent_again_too(asked):
    asked.server.replies = [Reply(status=503)]
    asked.source.search([SearchTerm("liver")], limit=10)
    assert asked.source.requests == len(asked.server.requests) == 2


TROUBLES = {
    "asked too often": Reply(b'{"error":"API rate limit exceeded"}', 429, (("Retry-After", "0"),)),
    "out of order": Reply(b"", 502),
    "cut off": Reply(b"{", cut=True),
    "a page for people": DOWN,
    "nothing": Reply(),
    "half a JSON": Reply(b'{"esearchresult": {"count": "1", "idli'),
}


@pytest.mark.parametrize("trouble", TROUBLES.values(), ids=TROUBLES)
def test_a_trouble_that_passes_is_survived(asked, trouble):
    asked.server.replies = [trouble, trouble]
    assert len(asked.source.search([SearchTerm("liver")], limit=10)) == 2
    asked.server.replies = [trouble, trouble]
    assert ids(asked.source.fetch(asked.keys("3"))) == ["3"]


def test_links_survive_troubles_and_xml_that_is_cut_off(asked):
    asked.server.citing = {asked.key("2"): asked.keys("1")}
    asked.server.replies = [Reply(b"<eLinkResult><LinkSet><IdLi"), DOWN]
    (found,) = asked.source.find_linked(asked.keys("1"), "citing")
    assert found == {asked.key("1"): asked.keys("2")}


def test_a_trouble_that_stays_is_told_in_one_line(asked):
    asked.server.replies = [DOWN] * 10
    with pytest.raises(DownloadError, match=r"answers with .*; try again later"):
        asked.source.search([SearchTerm("liver")], limit=10)
