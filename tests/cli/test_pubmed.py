"""likewise download, from a server on this machine."""

import io
import json
import signal
import subprocess
import sys
import time

import pytest
from benchmarks.sources.ncbi import KEY, ncbi_server
from benchmarks.sources.serving import Reply

from likewise.cli import run
from likewise.documents import Document, write
from likewise.documents.remote import eutils
from likewise.web import WebClient
from web.file_server import FileServer

ONE, UPDATE = "baseline/pubmed26n0001.xml.gz", "updatefiles/pubmed26n1400.xml.gz"
CONTENT = bytes(range(256)) * 2000


@pytest.fixture
def server():
    server = FileServer()
    server.put(ONE, CONTENT)
    server.put(UPDATE, b"update", listed="2026-02-01 09:00")
    yield server
    server.close()


@pytest.fixture
def ran(server, tmp_path, capsys):
    """Run the command, and return its exit code and what it printed."""

    def ran(*options):
        code = run(["download", "pubmed", str(tmp_path / "pm"), "--from", server.base, *options])
        return code, *capsys.readouterr()

    return ran


def test_it_says_what_it_did_and_what_is_next(ran, tmp_path):
    folder = tmp_path / "pm"
    assert ran() == (
        0,
        f"{folder}: 2 files fetched (512.0 kB)\n  next  likewise index {folder} --into LIB\n",
        "",
    )


def test_a_second_run_finds_everything_there(ran, tmp_path):
    ran()
    assert ran()[1].startswith(f"{tmp_path / 'pm'}: 2 files already there\n")


def test_the_report_as_json(ran, tmp_path):
    report = json.loads(ran("--json", "--updates")[1])
    assert report == {
        "folder": str(tmp_path / "pm"), "fetched": 1, "there": 0, "failed": 0, "left": 0,
        "bytes": 6,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "fetched"),
    [
        (["--baseline"], 1),
        (["--updates"], 1),
        (["--baseline", "--updates"], 2),
        (["--since", "2026-01-11"], 1),
        (["--since", "2026-03-01"], 0),
    ],
)
def test_options_choose_the_files(ran, options, fetched):
    assert json.loads(ran("--json", *options)[1])["fetched"] == fetched


def test_nothing_that_new_is_said_so(ran, tmp_path):
    said = f"{tmp_path / 'pm'}: nothing to fetch\n"
    assert ran("--since", "2026-03-01") == (0, said, "")


def test_a_file_that_fails_makes_the_exit_code_1(ran, server):
    server.put_plain(f"{ONE}.md5", b"0" * 32)
    code, out, err = ran()
    assert code == 1
    assert "1 file fetched (1.0 MB), 1 file failed\n  next  run it again" in out
    assert err.startswith(f"{server.base}{ONE}: came twice with the wrong checksum")


def test_the_address_comes_from_the_environment(server, tmp_path, monkeypatch):
    monkeypatch.setenv("LIKEWISE_PUBMED", server.base)
    assert run(["download", "pubmed", str(tmp_path)]) == 0


def test_without_a_network_it_is_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("likewise.web.TRIALS_OF_STRANGERS", 0)
    code = run(["download", "pubmed", str(tmp_path), "--from", "http://127.0.0.1:1/pubmed"])
    said = "the server can't be reached; check the network and the address"
    line = f"likewise: http://127.0.0.1:1/pubmed/baseline/: {said}\n"
    assert (code, *capsys.readouterr()) == (1, "", line)


@pytest.mark.parametrize(
    "options", [["--since", "yesterday"], ["--connections", "0"], ["--connections", "99"]]
)
def test_options_that_make_no_sense_are_refused(ran, options):
    assert ran(*options)[0] == 2


def test_only_pubmed_is_known(tmp_path):
    assert run(["download", "arxiv", str(tmp_path)]) == 2


@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_what_has_come_stays_and_the_next_run_goes_on(server, ran, tmp_path, way):
    served = server.put(ONE, CONTENT, stalls_at=400_000)
    command = ["download", "pubmed", str(tmp_path / "pm"), "--baseline", "--from", server.base]
    download = subprocess.Popen([sys.executable, "-m", "likewise", *command], stderr=-1)
    part = tmp_path / "pm" / f"{ONE}.part"
    until = time.monotonic() + 20
    while not (part.exists() and part.stat().st_size >= 300_000) and time.monotonic() < until:
        time.sleep(0.02)
    download.send_signal(way)
    _, said = download.communicate(timeout=20)
    assert (download.returncode, b"Traceback" in said) in {(130, False), (-9, False)}
    served.stalls_at = None
    server.asked.clear()
    assert json.loads(ran("--baseline", "--json")[1])["bytes"] < 250_000
    assert (tmp_path / "pm" / ONE).read_bytes() == CONTENT


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
    assert out.splitlines()[1] == "  records  2 already there, and not fetched"


def test_what_is_there_already_is_fetched_again_on_request(fetch, listed):
    fetch("--pmids", listed)
    _, out, _ = fetch("--pmids", listed, "--again")
    assert out.splitlines()[1] == "  records  2 unchanged"


def test_pmids_can_be_in_any_file_of_records(fetch, ncbi, tmp_path):
    papers = [Document(id="1", title="No PMID"), Document(id="2", pmid="9", title="One")]
    write(papers, tmp_path / "papers.ris")
    code, _, err = fetch("--pmids", tmp_path / "papers.ris")
    told = f"{tmp_path / 'papers.ris'}: 1 record without a PMID skipped\n"
    assert (code, ncbi.groups(), err) == (0, [["9"]], told)


def test_pmids_can_be_piped_in(fetch, ncbi, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"7, 8\nPMID: 9\n")))
    fetch("--pmids", "-")
    assert ncbi.groups() == [["7", "8", "9"]]


def test_pmids_with_zeros_before_them_are_the_same_when_piped_in(fetch, ncbi, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"0007\n8\n0\n")))
    code, _, err = fetch("--pmids", "-")
    told = "standard input: 1 record without a PMID skipped\n"
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
    assert (code, "give one of --pmids, --query and --like" in err) == (2, True)


def test_a_failure_is_one_line_without_the_key(fetch, ncbi, listed, monkeypatch):
    monkeypatch.setenv("NCBI_API_KEY", KEY)
    ncbi.replies = [Reply(f'{{"error":"API key invalid","api-key":"{KEY}"}}'.encode())]
    code, _, err = fetch("--pmids", listed)
    told = "efetch.fcgi: NCBI answers with an error (API key invalid); check NCBI_API_KEY"
    assert (code, err) == (1, f"likewise: {told}\n")
