"""likewise expand pubmed and likewise fetch --like, from a server on this machine."""

import datetime as dt
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from benchmarks.sources.europepmc import europe_pmc_server
from benchmarks.sources.ncbi import ncbi_server
from benchmarks.sources.serving import Reply
from msgspec.structs import replace

from library.sources.papers import make_papers
from likewise.cli import run
from likewise.documents import Document, read
from likewise.library import open_library

PAPERS = make_papers()


@pytest.fixture
def ncbi(monkeypatch, tmp_path):
    with ncbi_server() as server:
        server.hold_papers(PAPERS)
        monkeypatch.setenv("LIKEWISE_EUTILS", server.url)
        monkeypatch.setenv("LIKEWISE_CACHE", str(tmp_path / "cache"))
        # Tests need not wait their turn; how often is asked is measured by the benchmark.
        monkeypatch.setattr("likewise.documents.remote.eutils.Caller.per_second", 1000.0)
        yield server


@pytest.fixture
def seeds(tmp_path):
    path = tmp_path / "seeds.txt"
    path.write_text("\n".join(str(number) for number in range(1, 13)))
    return str(path)


@pytest.fixture
def ran(capsys):
    """Run a command, and return its exit code and what it printed."""

    def ran(*arguments):
        code = run([*map(str, arguments)])
        return code, *capsys.readouterr()

    return ran


def test_from_a_list_of_pmids_to_a_file_without_a_library(ncbi, ran, seeds, tmp_path):
    code, out, err = ran("expand", "pubmed", seeds, "-o", tmp_path / "f.ris", "--at-most", 120)
    assert code == 0
    assert "Found " in out
    assert "PubMed: 120 candidates; " in err
    assert f"kept in {tmp_path}/cache/sources/pubmed: 120 documents" in err
    assert len(list(read(tmp_path / "f.ris"))) > 10


def test_a_second_run_writes_the_same_without_a_request(ncbi, ran, seeds, tmp_path):
    ran("expand", "pubmed", seeds, "-o", tmp_path / "1.ris", "--at-most", 120)
    ncbi.forget()
    _, _, err = ran("expand", "pubmed", seeds, "-o", tmp_path / "2.ris", "--at-most", 120)
    assert "PubMed: 120 candidates; no requests: everything was already here" in err
    assert ncbi.requests == []
    assert (tmp_path / "1.ris").read_bytes() == (tmp_path / "2.ris").read_bytes()


def test_records_are_kept_where_one_says(ncbi, ran, seeds, tmp_path):
    ran("expand", "pubmed", seeds, "--at-most", 60, "--keep-in", tmp_path / "mine")
    with open_library(tmp_path / "mine") as library:
        assert library.count() == 60


def test_a_session_goes_on_from_what_was_gathered(ncbi, ran, seeds, tmp_path):
    session = tmp_path / "s.likewise"
    ran("expand", "pubmed", seeds, "--at-most", 120, "--session", session)
    ncbi.forget()
    code, _, _ = ran("expand", "--session", session)
    assert (code, ncbi.requests) == (0, [])


def test_a_folder_that_is_no_library_is_refused_before_anything_is_asked(
    ncbi, ran, seeds, tmp_path
):
    code, _, err = ran("expand", "pubmed", seeds, "--keep-in", tmp_path)
    assert (code, ncbi.requests) == (1, [])
    assert "this folder holds other files and is not a library; name a new folder" in err


def test_without_a_network_it_says_so_in_one_line(ran, seeds, tmp_path, monkeypatch):
    monkeypatch.setenv("LIKEWISE_EUTILS", "http://127.0.0.1:9/")
    monkeypatch.setattr("likewise.web.choose_pause", lambda *_, **__: 0.0)
    code, _, err = ran("expand", "pubmed", seeds, "--keep-in", tmp_path / "mine")
    told = [line for line in err.splitlines() if line]
    assert (code, len(told), (tmp_path / "mine").exists()) == (1, 1, False)
    assert "the server can't be reached; check the network and the address" in told[0]


def test_a_wrong_key_is_told_and_not_shown(ncbi, ran, seeds, monkeypatch):
    monkeypatch.setenv("NCBI_API_KEY", "s3cret")
    ncbi.replies = [Reply(b'{"error":"API key invalid","api-key":"s3cret"}', 400)]
    code, out, err = ran("expand", "pubmed", seeds)
    assert (code, "check NCBI_API_KEY" in err, "s3cret" in out + err) == (1, True, False)


def test_a_budget_of_a_source_is_no_option_of_a_library(ran, seeds, tmp_path):
    code, _, err = ran("expand", tmp_path / "lib", seeds, "--at-most", 10)
    assert (code, "are for a source, as in: likewise expand pubmed SEEDS..." in err) == (2, True)


def test_a_library_that_is_called_like_a_source_stays_one(ran, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with open_library("pubmed", write=True) as library:
        library.add(PAPERS)
        library.commit()
    code, out, _ = ran("expand", "pubmed", *range(1, 13))
    assert (code, "Found " in out) == (0, True)


def test_a_folder_that_is_called_like_a_source_is_given_as_a_path(
    ran, seeds, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    code, _, err = ran("expand", "./pubmed", seeds)
    assert (code, "pubmed: no library here; make one with" in err) == (1, True)


def test_a_misspelt_source_is_suggested(ran, seeds, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = ran("expand", "pumed", seeds)
    assert code == 1
    assert err == "likewise: pumed: no library here; did you mean the source pubmed?\n"


def test_the_topic_of_seeds_is_fetched_into_a_library_of_ones_own(ncbi, ran, seeds, tmp_path):
    with open_library(tmp_path / "lib", write=True) as library:
        library.add([Document(id="own", title="My own paper")])
        library.commit()
    code, out, _ = ran("fetch", tmp_path / "lib", "--like", seeds, "--at-most", 60)
    assert code == 0
    assert out.startswith("PubMed: 60 candidates; ")
    assert f"kept in {tmp_path / 'lib'}: 61 documents" in out


def test_a_spent_budget_is_told_by_the_exit_code(ncbi, ran, seeds, tmp_path):
    code, out, _ = ran("fetch", tmp_path / "lib", "--like", seeds, "--requests", 5, "--json")
    assert (code, json.loads(out)["spent"], len(ncbi.requests)) == (1, "5 requests", 5)


def test_europe_pmc_is_asked_likewise(ran, seeds, tmp_path, monkeypatch):
    with europe_pmc_server() as server:
        server.hold_papers(PAPERS)
        monkeypatch.setenv("LIKEWISE_EUROPEPMC", server.url)
        monkeypatch.setattr("likewise.library.sources.europepmc.PER_SECOND", 1000)
        code, out, err = ran(
            "expand", "europepmc", seeds, "--at-most", 120, "--keep-in", tmp_path / "mine"
        )
    assert (code, "Found " in out, "Europe PMC: 120 candidates" in err) == (0, True, True)


def test_a_run_that_is_killed_is_gone_on_with(ncbi, ran, seeds, tmp_path):
    ncbi.latency = 0.02
    command = [sys.executable, "-m", "likewise", "expand", "pubmed", seeds, "--at-most", "120"]
    process = subprocess.Popen(
        command, env=os.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while len(ncbi.requests) < 8 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    asked = [fields for path, fields in ncbi.requests if "elink" in path]
    ncbi.forget()
    code, _, _ = ran("expand", "pubmed", seeds, "--at-most", 120)
    again = [fields for path, fields in ncbi.requests if "elink" in path]
    assert (code, [fields for fields in again if fields in asked]) == (0, [])


def test_a_source_without_seeds_is_told_what_it_is_for(ran, tmp_path):
    code, _, err = ran("expand", "pubmed", "--session", tmp_path / "s.likewise")
    assert (code, "pubmed is a source, and gathers for SEEDS: give some" in err) == (2, True)


def test_a_session_is_watched_in_pubmed(ncbi, ran, seeds, tmp_path):
    session, digest = tmp_path / "s.likewise", tmp_path / "new.ris"
    assert ran("expand", "pubmed", seeds, "--at-most", 120, "--session", session)[0] == 0
    assert ran("watch", session, "pubmed")[0] == 3
    today = dt.datetime.now(dt.UTC).date().isoformat()
    came = [replace(paper, id=f"9{paper.id}", pmid=f"9{paper.id}") for paper in PAPERS[30:40]]
    ncbi.hold_papers(came, day=today)
    code, out, _ = ran("watch", session, "pubmed", "-o", digest)
    assert code == 0
    assert "came into the library" in out
    found = {paper.pmid for paper in read(digest)}
    assert len(found) >= 5
    assert found <= {paper.pmid for paper in came}
    assert ran("watch", session, "pubmed")[0] == 3


def test_a_seed_that_pubmed_retracts_is_warned_of(ncbi, ran, seeds, tmp_path):
    session = tmp_path / "s.likewise"
    ran("expand", "pubmed", seeds, "--at-most", 120, "--session", session)
    ran("watch", session, "pubmed")
    ncbi.hold_papers([replace(PAPERS[0], publication_types=("Retracted Publication",))])
    code, _, err = ran("watch", session, "pubmed")
    assert code == 0
    assert f"warning: retracted: {PAPERS[0].title}" in err


def test_a_watch_without_a_network_is_one_line_and_loses_nothing(
    ncbi, ran, seeds, tmp_path, monkeypatch
):
    session = tmp_path / "s.likewise"
    ran("expand", "pubmed", seeds, "--at-most", 120, "--session", session)
    before = session.read_bytes()
    ncbi.trouble = lambda _: Reply(b"<html>Down</html>", 403)
    code, out, err = ran("watch", session, "pubmed")
    assert (code, out) == (1, "")
    assert "refuses to hand it out (403)" in err
    assert err.count("\n") == 1
    assert session.read_bytes() == before
