"""Records of PubMed into a library."""

import pytest
from benchmarks.sources.ncbi import ncbi_server
from benchmarks.sources.serving import Reply

from likewise.documents import Document
from likewise.errors import DownloadError
from likewise.library import fetching, open_library, shelf
from likewise.library.fetching import fetch_records
from likewise.library.sources.pubmed import PubmedSource

NO_TITLE = b"""<PubmedArticleSet><PubmedArticle><MedlineCitation>
<PMID Version="1">7</PMID><Article></Article></MedlineCitation></PubmedArticle>
</PubmedArticleSet>"""
MALFORMED = NO_TITLE.replace(b"<Article></Article>", b"<Article><ArticleTitle>A & B</Article>")
BOOK = b"""<PubmedArticleSet><PubmedBookArticle><BookDocument><PMID Version="1">7</PMID>
<Book><BookTitle>All about cats</BookTitle></Book></BookDocument></PubmedBookArticle>
</PubmedArticleSet>"""
DOWN = Reply(b"<html>Down</html>", 403)


@pytest.fixture
def ncbi():
    with ncbi_server() as server:
        yield server


@pytest.fixture
def fetched(ncbi, tmp_path):
    """Fetch PMIDs into the library, and return the report."""

    def fetch(*pmids, **options):
        with ncbi.eutils() as eutils:
            return fetch_records(pmids, tmp_path / "lib", source=PubmedSource(eutils), **options)

    return fetch


def ids_in(folder):
    with open_library(folder / "lib") as library:
        return library.list_ids()


def put(folder, *papers):
    with open_library(folder / "lib", write=True) as library:
        library.add(papers)
        library.commit()


def many(number):
    return [str(pmid) for pmid in range(1, number + 1)]


def test_records_come_into_a_new_library(ncbi, fetched, tmp_path):
    ncbi.hold("7", "8", "9")
    report = fetched("7", "8")
    assert (report.asked, report.fetched, report.counts.added, report.documents) == (2, 2, 2, 2)
    assert ids_in(tmp_path) == ["7", "8"]


def test_a_record_says_that_it_was_fetched(ncbi, fetched, tmp_path):
    ncbi.hold("7")
    fetched("7")
    with open_library(tmp_path / "lib") as library:
        assert library.get(["7"])[0].source == "pubmed:efetch"


def test_a_record_that_fails_while_it_is_taken_in_is_told_and_the_others_are_kept(
    ncbi, fetched, tmp_path, monkeypatch
):
    def fail_for_seven(document):
        if document.pmid == "7":
            raise ValueError("too long")
        return real(document)

    real = shelf.identity_keys
    monkeypatch.setattr(shelf, "identity_keys", fail_for_seven)
    ncbi.hold("7", "8")
    told = []
    fetched("7", "8", on_problem=told.append)
    assert ids_in(tmp_path) == ["8"]
    assert [str(problem)[:55] for problem in told] == [
        "PubMed: ValueError while taking the record in (too long)"[:55]
    ]


def test_200_are_asked_for_at_a_time_and_each_once(ncbi, fetched):
    ncbi.hold(*many(450))
    fetched(*many(450), *many(10))
    assert ncbi.groups() == [many(200), many(400)[200:], many(450)[400:]]


def test_what_is_in_the_library_is_not_fetched(ncbi, fetched, tmp_path):
    ncbi.hold("7", "8")
    put(tmp_path, Document(id="mine", pmid="7", title="Mine"))
    report = fetched("7", "8")
    assert (report.skipped, report.counts.added, ncbi.groups()) == (1, 1, [["8"]])


def test_what_is_in_the_library_is_fetched_again_on_request(ncbi, fetched, tmp_path):
    ncbi.hold("7")
    put(tmp_path, Document(id="7", pmid="7", title="Old", source="pubmed:pubmed26n0001.xml.gz"))
    report = fetched("7", again=True)
    assert (report.skipped, report.counts.revised) == (0, 1)
    with open_library(tmp_path / "lib") as library:
        assert library.get(["7"])[0].title == "Paper 7 on cats"


def test_with_nothing_to_fetch_nothing_is_asked_and_documents_are_counted(ncbi, fetched, tmp_path):
    put(tmp_path, Document(id="7", pmid="7", title="Mine"))
    assert (fetched("7").documents, ncbi.requests) == (1, [])


def test_unknown_pmids_are_asked_for_twice_and_told(ncbi, fetched):
    ncbi.hold("7")
    report = fetched("5", "7", "6")
    assert (report.missing, ncbi.groups()) == (["5", "6"], [["5", "7", "6"], ["5", "6"]])


def test_an_answer_with_fewer_records_than_asked_for_is_made_up_for(ncbi, fetched, tmp_path):
    ncbi.hold("7", "8")
    ncbi.replies = [Reply(ncbi.records("7"))]
    report = fetched("7", "8")
    assert (report.missing, report.fetched, ids_in(tmp_path)) == ([], 2, ["7", "8"])


def test_no_library_is_made_for_unknown_pmids(fetched, tmp_path):
    report = fetched("5")
    assert (report.missing, (tmp_path / "lib").exists()) == (["5"], False)


def test_an_answer_without_records_is_no_problem_of_a_file(fetched):
    problems = []
    assert (fetched("5", on_problem=problems.append).missing, problems) == (["5"], [])


def test_no_library_is_made_if_pubmed_is_away(ncbi, fetched, tmp_path):
    ncbi.replies = [DOWN]
    with pytest.raises(DownloadError):
        fetched("7")
    assert not (tmp_path / "lib").exists()


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (NO_TITLE, "PubMed: record '7' has neither title nor abstract; it was left out"),
        (MALFORMED, "PubMed: malformed XML in this record (xmlParseEntityRef: no name); it was"),
    ],
)
def test_a_record_that_cannot_be_used_is_told_and_not_missing(ncbi, fetched, answer, told):
    ncbi.replies = [Reply(answer)]
    problems = []
    report = fetched("7", on_problem=problems.append)
    assert (report.left_out, report.missing, report.fetched) == (["7"], [], 0)
    assert [str(problem)[: len(told)] for problem in problems] == [told]


def test_records_that_nobody_asked_for_are_not_taken(ncbi, fetched, tmp_path):
    ncbi.hold("7", "8")
    ncbi.replies = [Reply(ncbi.records("7,8"))]
    fetched("7")
    assert ids_in(tmp_path) == ["7"]


def test_books_are_taken_as_the_reader_takes_them(ncbi, fetched, tmp_path):
    ncbi.replies = [Reply(BOOK)]
    fetched("7")
    with open_library(tmp_path / "lib") as library:
        assert library.get(["7"])[0].title == "All about cats"


def test_what_came_before_a_failure_is_kept_and_told(ncbi, fetched, tmp_path):
    ncbi.hold(*many(450))
    ncbi.replies = [Reply(ncbi.records(",".join(many(200)))), DOWN]
    kept = "; 200 of 450 records were fetched and kept; run the command again for the others"
    with pytest.raises(DownloadError, match=kept):
        fetched(*many(450))
    assert len(ids_in(tmp_path)) == 200


def test_a_run_goes_on_where_another_was_broken_off(ncbi, fetched, tmp_path):
    ncbi.hold(*many(450))
    ncbi.replies = [Reply(ncbi.records(",".join(many(200)))), DOWN]
    with pytest.raises(DownloadError):
        fetched(*many(450))
    report = fetched(*many(450))
    assert (report.skipped, report.fetched, len(ids_in(tmp_path))) == (200, 250, 450)


def test_what_came_before_an_interrupt_is_kept(ncbi, fetched, tmp_path):
    ncbi.hold(*many(250))

    def interrupt(done, total):
        if (done, total) == (200, 250):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetched(*many(250), on_progress=interrupt)
    assert len(ids_in(tmp_path)) == 200


def test_what_came_is_committed_every_so_often(ncbi, fetched, tmp_path, monkeypatch):
    ncbi.hold(*many(450))
    seen = []
    monkeypatch.setattr(fetching, "COMMIT_DOCUMENTS", 200)
    fetched(*many(450), on_progress=lambda *_: seen.append(len(ids_in(tmp_path))))
    assert seen == [200, 400, 400]


def test_progress_is_told(ncbi, fetched):
    ncbi.hold(*many(250))
    told = []
    fetched(*many(250), on_progress=lambda *at: told.append(at))
    assert told == [(200, 250), (250, 250)]


def test_records_come_into_an_index_of_a_cluster(ncbi, opensearch_address):
    ncbi.hold("7", "8")
    with ncbi.eutils() as eutils:
        fetch_records(["7"], opensearch_address, source=PubmedSource(eutils))
        report = fetch_records(["7", "8"], opensearch_address, source=PubmedSource(eutils))
    assert (report.skipped, report.counts.added, report.documents) == (1, 1, 2)
