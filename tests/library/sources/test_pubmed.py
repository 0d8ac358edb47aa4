"""PubMed as a source: what it alone does."""

import pytest
from benchmarks.sources.ncbi import ncbi_server
from benchmarks.sources.serving import Reply

from likewise.documents import Document
from likewise.documents.remote.eutils import AnswerError, parse_links
from likewise.errors import DownloadError
from likewise.library.sources import SearchTerm
from likewise.library.sources.pubmed import PubmedSource

SCORED = b"""<eLinkResult><LinkSet><DbFrom>pubmed</DbFrom><IdList><Id>7</Id></IdList>
<LinkSetDb><DbTo>pubmed</DbTo><LinkName>pubmed_pubmed</LinkName>
<Link><Id>7</Id><Score>99</Score></Link><Link><Id>8</Id><Score>5</Score></Link>
<Link><Id>9</Id><Score>40</Score></Link></LinkSetDb>
<LinkSetDb><DbTo>pubmed</DbTo><LinkName>pubmed_pubmed_reviews</LinkName>
<Link><Id>10</Id><Score>50</Score></Link></LinkSetDb></LinkSet>
<LinkSet><DbFrom>pubmed</DbFrom><IdList><Id>6</Id></IdList></LinkSet></eLinkResult>"""


@pytest.fixture
def ncbi():
    with ncbi_server() as server:
        server.hold_papers(
            Document(id=str(n), pmid=str(n), title=f"On {kind} {n}", abstract="Of rats and men.")
            for n, kind in enumerate(["insulin"] * 5 + ["sleep"] * 5, start=1)
        )
        yield server


@pytest.fixture
def source(ncbi):
    opened = PubmedSource(ncbi.eutils())
    yield opened
    opened.close()


def test_similar_articles_come_by_their_scores_without_the_paper_itself():
    assert parse_links(SCORED, "pubmed_pubmed") == {"7": ["9", "8"], "6": []}


def test_links_of_another_name_are_passed_over():
    assert parse_links(SCORED, "pubmed_pubmed_citedin") == {"7": [], "6": []}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"", "nothing at all"),
        (SCORED[:200], "links that break off"),
        (b"<eLinkResult><ERROR>Couldn't resolve #x</ERROR></eLinkResult>", "Couldn't resolve #x"),
        (b'{"error":"API rate limit exceeded"}', "API rate limit exceeded"),
        (b"<html>Down</html>", "a web page"),
    ],
)
def test_what_brings_no_links_is_told(answer, told):
    with pytest.raises(AnswerError, match=told):
        parse_links(answer, "pubmed_pubmed")


def test_each_paper_is_asked_for_in_a_field_of_its_own(ncbi, source):
    list(source.find_linked(["1", "2"], "similar"))
    (sent,) = ncbi.asked("elink.fcgi")
    assert (sent["id"], sent["cmd"], sent["linkname"]) == (
        ["1", "2"], "neighbor_score", "pubmed_pubmed",
    )  # fmt: skip


def test_similar_articles_are_the_nearest(source):
    (found,) = source.find_linked(["1"], "similar")
    assert set(found["1"][:4]) == {"2", "3", "4", "5"}


def test_twenty_papers_are_asked_about_at_a_time(ncbi, source):
    list(source.find_linked([str(n) for n in range(1, 46)], "citing"))
    assert [len(sent["id"]) for sent in ncbi.asked("elink.fcgi")] == [20, 20, 5]


def test_terms_are_sent_as_pubmed_spells_them(ncbi, source):
    source.search([SearchTerm("insulin"), SearchTerm('Rats, "Inbred"', is_heading=True)], limit=7)
    (sent,) = ncbi.asked("esearch.fcgi")
    assert sent["term"] == 'insulin[tiab] OR "Rats,  Inbred "[mh:noexp]'
    assert (sent["sort"], sent["retmax"]) == ("relevance", "7")


def test_a_merged_pmid_brings_no_record_of_another(ncbi, source):
    ncbi.merged = {"77": "1"}
    (came,) = source.fetch(["77"])
    assert (came.documents, came.missing) == ([], ["77"])


def test_a_wrong_key_is_told_without_showing_it(ncbi):
    ncbi.replies = [Reply(b'{"error":"API key invalid","api-key":"s3cret"}', 400)]
    with pytest.raises(DownloadError, match=r"API key invalid.*check NCBI_API_KEY") as raised:
        PubmedSource(ncbi.eutils(key="s3cret")).search([SearchTerm("x")], limit=1)
    assert "s3cret" not in str(raised.value)
