"""The command that brings records of PubMed."""

import io
import json
import sys

import pytest

from documents.remote.ncbi import KEY, Reply, ncbi_server
from likewise.cli import run
from likewise.documents import Document, write
from likewise.documents.remote import eutils
from likewise.web.client import WebClient


@pytest.fixture
def ncbi(monkeypatch):
    with ncbi_server() as server:
        monkeypatch.setenv("LIKEWISE_EUTILS", server.url)
        monkeypatch.setattr(eutils, "WebClient", lambda **_: WebClient(pause=0.001))
        server.hold("7", "8", "9")
        yield server


@pytest.fixture
def fetch(ncbi, tmp_path, capsys):
    """Run the command on a library, and return its exit code, and what it printed."""

    def ran(*arguments):
        code = run(["fetch", str(tmp_path / "lib"), *map(str, arguments)])
        return code, *capsys.readouterr()

    return ran


@pytest.fixture
def listed(tmp_path):
    (tmp_path / "list.txt").write_text("7\n8\n")
    return tmp_path / "list.txt"


def test_records_of_a_list_are_fetched(fetch, listed, tmp_path):
    code, out, err = fetch("--pmids", listed)
    said = [f"{tmp_path / 'lib'}: 2 documents", "  records  2 added"]
    assert (code, out.splitlines(), err) == (0, said, "")


def test_what_is_there_already_is_passed_over(fetch, listed, tmp_path):
    fetch("--pmids", listed)
    _, out, _ = fetch("--pmids", listed)
    assert out.splitlines()[1] == "  records  2 there already, and not fetched"


def test_what_is_there_already_is_fetched_again_on_request(fetch, listed):
    fetch("--pmids", listed)
    _, out, _ = fetch("--pmids", listed, "--again")
    assert out.splitlines()[1] == "  records  2 unchanged"


def test_pmids_can_be_in_any_file_of_records(fetch, ncbi, tmp_path):
    papers = [Document(id="1", title="No PMID"), Document(id="2", pmid="9", title="One")]
    write(papers, tmp_path / "papers.ris")
    code, _, err = fetch("--pmids", tmp_path / "papers.ris")
    told = f"{tmp_path / 'papers.ris'}: 1 record without a PMID passed over\n"
    assert (code, ncbi.groups(), err) == (0, [["9"]], told)


def test_pmids_can_be_piped_in(fetch, ncbi, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"7, 8\nPMID: 9\n")))
    fetch("--pmids", "-")
    assert ncbi.groups() == [["7", "8", "9"]]


def test_pmids_with_zeros_before_them_are_the_same_when_piped_in(fetch, ncbi, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"0007\n8\n0\n")))
    code, _, err = fetch("--pmids", "-")
    told = "standard input: 1 record without a PMID passed over\n"
    assert (code, ncbi.groups(), err) == (0, [["7", "8"]], told)


def test_a_file_without_pmids_is_told(fetch, tmp_path):
    write([Document(id="1", title="No PMID")], tmp_path / "papers.ris")
    code, _, err = fetch("--pmids", tmp_path / "papers.ris")
    advice = "give a list of PMIDs, or a file of records that have them"
    assert (code, err) == (
        1,
        f"likewise: {tmp_path / 'papers.ris'}: no PMID in it; {advice}\n",
    )


def test_a_missing_file_is_told(fetch):
    code, _, err = fetch("--pmids", "nowhere/list.txt")
    assert (code, "nowhere/list.txt: no such file" in err) == (1, True)


def test_what_a_query_finds_is_fetched(fetch, ncbi):
    code, out, err = fetch("--query", "cats")
    assert (code, out.splitlines()[1]) == (0, "  records  3 added")
    assert err == "PubMed finds 3 records\n"


def test_what_pubmed_remarks_on_a_query_is_told(fetch, ncbi):
    ncbi.notes = {"errorlist": {"phrasesnotfound": ["qwxz"]}}
    _, _, err = fetch("--query", "cats")
    assert err.splitlines()[0] == "PubMed does not know 'qwxz'"


def test_a_query_that_finds_nothing_makes_no_library(fetch, tmp_path):
    code, out, err = fetch("--query", "dogs")
    assert (code, err, (tmp_path / "lib").exists()) == (0, "PubMed finds 0 records\n", False)
    assert out.splitlines()[1] == "  records  none"


def test_a_query_that_finds_too_many_fetches_nothing(fetch, ncbi):
    code, _, err = fetch("--query", "cats", "--limit", "2")
    assert (code, ncbi.groups()) == (1, [])
    assert err.endswith("at most 2 were asked for; narrow it, or raise --limit\n")


def test_records_that_are_not_in_pubmed_are_listed(fetch, tmp_path):
    (tmp_path / "list.txt").write_text("7\n5\n6\n")
    code, out, _ = fetch("--pmids", tmp_path / "list.txt")
    assert (code, out.splitlines()[-1]) == (1, "  not in PubMed: 5, 6")


def test_of_many_that_are_not_in_pubmed_some_are_shown(fetch, tmp_path):
    (tmp_path / "list.txt").write_text("\n".join(map(str, range(100, 130))))
    _, out, _ = fetch("--pmids", tmp_path / "list.txt")
    assert out.splitlines()[-1].endswith("118, 119 and 10 more; --json lists them all")


def test_records_that_cannot_be_used_are_listed(fetch, ncbi, listed):
    empty = b'<MedlineCitation><PMID Version="1">7</PMID></MedlineCitation>'
    record = b"<PubmedArticle>" + empty + b"</PubmedArticle>"
    eight = ncbi.records("8").replace(b"</PubmedArticleSet>", record + b"</PubmedArticleSet>")
    ncbi.replies = [Reply(eight)]
    code, out, err = fetch("--pmids", listed)
    assert (code, out.splitlines()[1:]) == (1, ["  records  1 added", "  can't be used: 7"])
    assert err.startswith("PubMed: record '7' has neither title nor abstract")


def test_as_json(fetch, tmp_path):
    (tmp_path / "list.txt").write_text("7\n5\n")
    code, out, _ = fetch("--pmids", tmp_path / "list.txt", "--json")
    report = json.loads(out)
    assert (code, report["fetched"], report["missing"]) == (1, 1, ["5"])
    assert (report["counts"]["added"], report["documents"]) == (1, 1)


@pytest.mark.parametrize("given", [[], ["--pmids", "a.txt", "--query", "cats"]])
def test_either_a_file_or_a_query_is_given(fetch, given):
    code, _, err = fetch(*given)
    assert (code, "give either --pmids or --query" in err) == (2, True)


def test_a_failure_is_one_line_without_the_key(fetch, ncbi, listed, monkeypatch):
    monkeypatch.setenv("NCBI_API_KEY", KEY)
    ncbi.replies = [Reply(f'{{"error":"API key invalid","api-key":"{KEY}"}}'.encode())]
    code, _, err = fetch("--pmids", listed)
    told = "efetch.fcgi: NCBI answers with an error (API key invalid); check NCBI_API_KEY"
    assert (code, err) == (1, f"likewise: {told}\n")
