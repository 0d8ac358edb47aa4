"""The script that asks the real services, against local ones."""

import importlib.util
from pathlib import Path

import pytest
from benchmarks.sources.europepmc import europe_pmc_server
from benchmarks.sources.ncbi import ncbi_server
from benchmarks.sources.serving import Reply

from likewise.documents import Document

PATH = Path(__file__).parents[3] / "scripts" / "try_pubmed.py"
SPEC = importlib.util.spec_from_file_location("try_pubmed", PATH)
script = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(script)

PAPERS = [
    Document(id=str(n), pmid=str(n), title="Gluconeogenesis of the liver") for n in range(1, 121)
] + [
    Document(id=script.OLD, pmid=script.OLD, title="Nucleic acids", doi=script.OLD_DOI),
    Document(id=script.CITING, pmid=script.CITING, title="Nucleic acids in Python"),
]


@pytest.fixture(params=["pubmed", "europepmc"])
def service(request, monkeypatch):
    monkeypatch.setattr("likewise.documents.remote.eutils.Caller.per_second", 1000.0)
    monkeypatch.setattr("likewise.library.sources.europepmc.PER_SECOND", 1000)
    name, serving, variable = {
        "pubmed": ("pubmed", ncbi_server, "LIKEWISE_EUTILS"),
        "europepmc": ("europepmc", europe_pmc_server, "LIKEWISE_EUROPEPMC"),
    }[request.param]
    with serving() as server:
        server.hold_papers(PAPERS)
        key = script.KEYS[name]
        server.citing = {key(script.CITING): [key(script.OLD)]}
        monkeypatch.setenv(variable, server.url)
        yield name, server


def test_a_service_that_behaves_holds(service, capsys):
    assert script.main([service[0]]) == 0
    assert capsys.readouterr().out.endswith("all as expected\n")


def test_what_does_not_hold_is_told(service, capsys):
    name, server = service
    server.trouble = lambda number: Reply(b"<html>Down</html>", 403) if number == 2 else None
    assert script.main([name]) == 1
    assert "FAIL" in capsys.readouterr().out
