"""Links on a cluster: the same questions, and the same answers as in a folder."""

import numpy as np
import pytest

from expansion.test_citing import make_papers
from library.opensearch.answering import Answering
from library.opensearch.kept import filled_library
from library.test_links import A, B, C, follow
from likewise.documents import Document
from likewise.errors import ClusterError
from likewise.expansion.citing import find_linked
from likewise.expansion.flow import expand
from likewise.expansion.settings import ExpandSettings
from likewise.library import open_library
from likewise.library.links import LinkCounts, find_neighbours, open_links
from likewise.library.opensearch import Copies, OpenSearchLibrary, claim_layout
from likewise.library.opensearch import links as links_module
from likewise.library.opensearch.layouts import OwnLayout, make_index_body
from likewise.library.opensearch.links import PAPER, REFERENCES, ClusterLinks
from likewise.library.where import ANYWHERE

LAYOUT = OwnLayout("papers", window=100)


def page(*documents):
    """What a server answers to a search: papers, and what each of them cites."""
    hits = [
        {"_index": "papers", "sort": [paper], "fields": {PAPER: [paper], REFERENCES: references}}
        for paper, references in documents
    ]
    return {"hits": {"hits": hits}}


def counted(**counts):
    buckets = [{"key": name.strip("p"), "doc_count": count} for name, count in counts.items()]
    return {"aggregations": {"counts": {"buckets": buckets}}}


def links_of(*answers):
    connection = Answering(*answers)
    return ClusterLinks(connection, LAYOUT), connection


def asked_terms(connection):
    """The field and the values that each search asked for."""
    filters = [body["query"]["constant_score"]["filter"]["terms"] for body in connection.bodies]
    return [next(iter(each.items())) for each in filters]


def test_what_papers_cite_is_asked_for_by_what_they_cite_under():
    links, connection = links_of(page(("7", ["10", "10.5555/x"])))
    assert follow(links, "cites", "7", "8") == {"7": ["10", "10.5555/x"], "8": []}
    assert asked_terms(connection) == [(PAPER, ["7", "8"])]


def test_what_cites_papers_is_asked_for_by_references():
    links, connection = links_of(page(("7", ["10", "11"]), ("10.5555/c", ["12", "10"])))
    assert follow(links, "cited_by", "10", "13") == {"10": ["10.5555/c", "7"], "13": []}
    assert asked_terms(connection) == [(REFERENCES, ["10", "13"])]


def test_what_was_told_is_not_asked_for_again():
    links, connection = links_of(page(("7", ["10", "11"])))
    follow(links, "cited_by", "10")
    assert follow(links, "cites", "7") == {"7": ["10", "11"]}
    assert links.count(links.number(["7"]), "cites").tolist() == [2]
    assert len(connection.asked) == 1


def test_papers_are_asked_for_in_batches(monkeypatch):
    monkeypatch.setattr(links_module, "NAMES_AT_ONCE", 2)
    links, connection = links_of(page(("1", ["10"])), page(("3", ["10"])))
    assert follow(links, "cites", "1", "2", "3") == {"1": ["10"], "2": [], "3": ["10"]}
    assert sorted(len(values) for _, values in asked_terms(connection)) == [1, 2]


def test_a_question_reads_so_many_documents_and_no_more(monkeypatch):
    monkeypatch.setattr(links_module, "NAMES_AT_ONCE", 1)
    monkeypatch.setattr(links_module, "MOST_READ", 3)
    links, connection = links_of(page(("1", ["10"]), ("2", ["10"])), page(("3", ["11"])))
    found = follow(links, "cited_by", "10", "11", "12")
    assert found == {"10": ["1", "2"], "11": ["3"], "12": []}
    assert [body["size"] for body in connection.bodies] == [3, 1]


def test_how_many_cite_papers_is_counted_by_the_server():
    links, connection = links_of(counted(p10=2, p11=1))
    papers = links.number(["11", "12", "10", "11"])
    assert links.count(papers, "cited_by").tolist() == [1, 0, 2, 1]
    (body,) = connection.bodies
    assert body["aggs"]["counts"]["terms"]["include"] == ["11", "12", "10"]


def test_papers_are_counted_in_batches(monkeypatch):
    monkeypatch.setattr(links_module, "COUNTED_AT_ONCE", 1)
    links, connection = links_of(counted(p10=2), counted(p11=1))
    assert links.count(np.array([10, 11], dtype=np.uint64), "cited_by").sum() == 3
    assert len(connection.asked) == 2


def test_two_documents_of_one_paper_cite_as_one():
    links, _ = links_of(page(("7", ["10", "11"]), ("7", ["11", "12"])))
    assert follow(links, "cites", "7") == {"7": ["10", "11", "12"]}


def test_a_number_that_nobody_named_has_no_name():
    links, connection = links_of()
    unknown = np.array([(1 << 62) + 5], dtype=np.uint64)
    assert links.name(unknown) == [""]
    assert len(links.follow(unknown, "cites").papers) == 0
    assert connection.asked == []


def old_index(**fields):
    """An index that was made before what documents cite was indexed."""
    index = make_index_body()
    found = index["mappings"]["properties"]["find"]["properties"]
    del found["paper"], found["references"]
    return {"papers": {**index, "settings": {"index": {}}, **fields}}


def test_an_older_index_is_given_the_fields_when_it_is_written_to():
    connection = Answering(old_index(), {"acknowledged": True})
    assert claim_layout(connection, copies=Copies()).has_links
    assert connection.paths[-1] == "PUT /papers/_mapping"
    added = connection.bodies[-1]["properties"]["find"]["properties"]
    assert {field["type"] for field in added.values()} == {"keyword"}


def test_who_may_not_change_an_index_writes_to_it_without_links(caplog):
    refused = ClusterError("not allowed", status=403, kinds=frozenset())
    layout = claim_layout(Answering(old_index(), refused), copies=Copies())
    assert not layout.has_links
    assert "what documents cite is not indexed (not allowed)" in caplog.text


def test_any_other_trouble_with_the_fields_is_told():
    broken = ClusterError("broken", status=500, kinds=frozenset())
    with pytest.raises(ClusterError, match="broken"):
        claim_layout(Answering(old_index(), broken), copies=Copies())


# From here on with a real server.


@pytest.fixture(scope="module", params=[1, 3], ids=["one shard", "three shards"])
def three(request, opensearch_url):
    with filled_library(opensearch_url, [A, B, C], shards=request.param) as library:
        yield library


@pytest.fixture
def folder(tmp_path):
    with open_library(tmp_path / "lib", write=True) as library:
        library.add([A, B, C])
        library.commit()
        yield library


NAMES = ["1", "2", "10", "11", "12", "10.5555/b", "10.5555/c", "id:c"]


@pytest.mark.parametrize("direction", ["cites", "cited_by"])
def test_links_are_those_of_a_folder(three, folder, direction):
    here, there = open_links(three), open_links(folder)
    assert follow(here, direction, *NAMES) == follow(there, direction, *NAMES)
    papers = there.number(NAMES)
    assert (
        here.count(here.number(NAMES), direction).tolist()
        == there.count(papers, direction).tolist()
    )


def test_all_links_are_counted(three, folder):
    # A folder keeps those of DOIs apart, and counts a paper of both once for each.
    assert open_links(three).count_all() == LinkCounts(links=6, citing=3, cited=4)
    assert open_links(folder).count_all().links == 6


@pytest.mark.parametrize("document", [A, B, C, Document(id="10", pmid="10")], ids=lambda d: d.id)
def test_neighbours_are_those_of_a_folder(three, folder, document):
    here = find_neighbours(three, open_links(three), document)
    assert here == find_neighbours(folder, open_links(folder), document)


def test_a_library_without_references_has_no_links(opensearch_url):
    with filled_library(opensearch_url, [Document(id="1", title="Ash")]) as library:
        assert open_links(library) is None


def test_an_older_index_has_links_once_its_files_are_indexed_again(opensearch_address):
    with OpenSearchLibrary(opensearch_address, write=True, replicas=0) as library:
        name, connection = library.address.index, library._connection
        connection.ask("DELETE", f"/{name}")
        body = make_index_body(replicas=0)
        del body["mappings"]["properties"]["find"]["properties"]["paper"]
        del body["mappings"]["properties"]["find"]["properties"]["references"]
        connection.ask("PUT", f"/{name}", body=body)
    with OpenSearchLibrary(opensearch_address) as library:
        assert open_links(library) is None
    with OpenSearchLibrary(opensearch_address, write=True) as library:
        library.add([A, B])
        library.commit()
    with OpenSearchLibrary(opensearch_address) as library:
        assert follow(open_links(library), "cited_by", "10") == {"10": ["1", "2"]}


def test_a_name_that_stands_for_an_older_index_too_has_the_links_of_the_newer(opensearch_address):
    name = opensearch_address.rpartition("/")[2]
    with OpenSearchLibrary(f"{opensearch_address}-newer", write=True, replicas=0) as library:
        library.add([A, B])
        library.commit()
        older = {**make_index_body(replicas=0), "mappings": old_index()["papers"]["mappings"]}
        library._connection.ask("PUT", f"/{name}-older", body=older)
        for index in ("older", "newer"):
            library._connection.ask("PUT", f"/{name}-{index}/_alias/{name}")
    with OpenSearchLibrary(opensearch_address) as library:
        links = open_links(library)
        assert follow(links, "cited_by", "10") == {"10": ["1", "2"]}
        assert links.count(links.number(["10", "11"]), "cited_by").tolist() == [2, 1]
        assert links.count_all().citing == 2


@pytest.fixture(scope="module")
def papers():
    return list(make_papers(np.random.default_rng(3)))


@pytest.fixture(scope="module")
def both(opensearch_url, papers, tmp_path_factory):
    """The same papers on a cluster and in a folder."""
    path = tmp_path_factory.mktemp("papers") / "lib"
    with open_library(path, write=True) as library:
        library.add(papers)
        library.commit()
    with filled_library(opensearch_url, papers) as cluster, open_library(path) as folder:
        yield cluster, folder


SEEDS = [str(number) for number in range(20, 420, 20)]


def test_links_bring_in_what_they_do_in_a_folder(both):
    found = [
        find_linked(library, open_links(library), library.get(SEEDS), limit=40, where=ANYWHERE)
        for library in both
    ]
    assert found[0] == found[1]
    assert len(found[0]) > 10


def test_an_expansion_is_that_of_a_folder(both):
    settings = ExpandSettings(rounds=1, pool=100)
    here, there = (expand(library, library.get(SEEDS), settings=settings) for library in both)
    assert here.links == there.links
    assert here.links
    assert [place.id for place in here.ranking] == [place.id for place in there.ranking]
    assert [place.id for place in here.found] == [place.id for place in there.found]


def test_pages_of_hits_are_read_to_their_end(both, monkeypatch):
    monkeypatch.setattr(links_module, "HITS_A_PAGE", 50)
    cluster, folder = both
    names = [str(number) for number in range(1, 801)]
    assert follow(open_links(cluster), "cites", *names) == follow(
        open_links(folder), "cites", *names
    )
