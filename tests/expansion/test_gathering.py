"""Gathering from a source for an expansion."""

import pytest
from benchmarks.sources.europepmc import europe_pmc_server
from benchmarks.sources.ncbi import ncbi_server
from benchmarks.sources.serving import Reply

from library.sources.papers import make_papers
from likewise.documents import Document
from likewise.errors import DownloadError, SeedsError, SettingsError
from likewise.expansion.flow import expand
from likewise.expansion.gathering import GatherListener, choose_folder, gather
from likewise.expansion.seed_sources import GivenPapers
from likewise.library import open_library
from likewise.library.sources.kept import Budget
from likewise.library.sources.pubmed import PubmedSource

PAPERS = make_papers()
SEEDS = [Document(id=str(number)) for number in range(1, 13)]
DOWN = Reply(b"<html>Down</html>", 403)


def give(seeds):
    return GivenPapers(list(seeds), [], [])


@pytest.fixture
def ncbi():
    with ncbi_server() as server:
        server.hold_papers(PAPERS)
        yield server


@pytest.fixture
def gathered(ncbi, tmp_path):
    """Gather into the library, and return the report."""

    def run(seeds=SEEDS, records=120, listener=None, **budget):
        source = PubmedSource(ncbi.eutils())
        limits = Budget(records=records, **budget)
        return gather(source, give(seeds), tmp_path / "lib", budget=limits, listener=listener)

    return run


def test_from_pmids_to_a_list_without_a_library(gathered, tmp_path):
    report = gathered()
    expansion = expand(tmp_path / "lib", give(SEEDS))
    best = [place.id for place in expansion.ranking if not place.seed][:28]
    assert (report.candidates, report.documents, report.fetched) == (120, 120, 120)
    assert sum(int(name) <= 40 for name in best) >= 25


def test_a_second_run_asks_nothing_and_brings_the_same_list(ncbi, gathered, tmp_path):
    gathered()
    before = expand(tmp_path / "lib", give(SEEDS)).ranking
    ncbi.forget()
    report = gathered()
    assert (ncbi.requests, report.requests, report.candidates) == ([], 0, 120)
    assert expand(tmp_path / "lib", give(SEEDS)).ranking == before


def test_a_run_that_broke_off_goes_on_where_it_was(ncbi, gathered, tmp_path):
    ncbi.trouble = lambda number: DOWN if number > 12 else None
    with pytest.raises(DownloadError):
        gathered()
    ncbi.trouble = lambda _: None
    asked = [fields for _, fields in ncbi.requests[:12]]
    ncbi.forget()
    gathered()
    assert not [fields for _, fields in ncbi.requests if fields in asked]
    with open_library(tmp_path / "lib") as library:
        assert library.count() == 120


def test_further_searches_are_made_of_what_was_learned(ncbi, gathered):
    report = gathered()
    searches = {fields["term"] for fields in ncbi.asked("esearch.fcgi")}
    assert (report.rounds, len(searches) > 15) == (1, True)


def test_a_seed_that_the_others_do_not_bring_in_counts_as_outside(gathered, tmp_path):
    odd = [Document(id=str(number)) for number in (1001, 1002, 1003)]
    gathered([*SEEDS, *odd], records=60)
    expansion = expand(tmp_path / "lib", give([*SEEDS, *odd]))
    assert expansion.estimates.outside.value >= 1 / 15


def test_seeds_are_found_by_doi_and_title_and_others_used_as_text(ncbi, gathered):
    ncbi.hold_papers([Document(id="77", pmid="77", title="Insulin of rats", doi="10.1000/rats")])
    told = []
    mine = Document(id="mine", title="Hepatic glucose", abstract="Insulin and the liver of rats.")
    seeds = [*SEEDS, Document(doi="10.1000/rats"), Document(title=PAPERS[20].title), mine]
    gathered(seeds, listener=GatherListener(on_line=told.append))
    assert told == ["1 seed not in PubMed: used for what they say"]


def test_a_deleted_seed_is_told_and_the_others_go_on(gathered):
    assert gathered([*SEEDS, Document(id="777")]).missing == ["777"]


def test_no_seed_at_all_is_told(gathered):
    with pytest.raises(SeedsError, match="PubMed has none of the seeds; check their ids"):
        gathered([Document(id="777"), Document(id="778")])


def test_a_budget_too_small_for_the_seeds_is_refused(gathered):
    told = "a budget of 20 records leaves little room for others beside 12 seeds; raise --at-most"
    with pytest.raises(SettingsError, match=told):
        gathered(records=20)


def test_a_budget_of_requests_is_kept_to_and_gone_on_from(ncbi, gathered):
    report = gathered(requests=8)
    assert (len(ncbi.requests), report.spent) == (8, "8 requests")
    ncbi.forget()
    report = gathered()
    assert (report.spent, report.documents) == ("", 120)
    assert len(ncbi.asked("elink.fcgi")) == 0


def test_progress_is_told(gathered):
    told = []
    gathered(listener=GatherListener(on_progress=told.append))
    assert {each.stage for each in told} == {"gathering"}
    assert told[-1].share == 1.0


def test_what_arrived_before_an_interrupt_is_kept(ncbi, gathered, tmp_path):
    def interrupt(progress):
        if "fetching: 1" in progress.note:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gathered(listener=GatherListener(on_progress=interrupt))
    with open_library(tmp_path / "lib") as library:
        assert library.count() >= 12


def test_europe_pmc_brings_preprints_too(tmp_path):
    preprint = Document(id="PPR1", title="Insulin and hepatic glucose", abstract="Liver of rats.")
    with europe_pmc_server() as server:
        server.hold_papers([*PAPERS, preprint])
        gather(server.source(), give(SEEDS), tmp_path / "lib", budget=Budget(records=120))
        server.forget()
        gather(server.source(), give(SEEDS), tmp_path / "lib", budget=Budget(records=120))
        assert server.requests == []
    with open_library(tmp_path / "lib") as library:
        assert "PPR1" in library.list_ids()


def test_each_source_has_a_folder_in_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("LIKEWISE_CACHE", str(tmp_path))
    assert choose_folder("pubmed") == tmp_path / "sources" / "pubmed"
