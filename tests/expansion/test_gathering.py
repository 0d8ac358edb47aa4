"""Gathering from a source for an expansion."""

from contextlib import closing

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


def test_what_was_learned_is_searched_for_and_asked_for_similar_papers(ncbi, gathered):
    report = gathered()
    searches = {fields["term"] for fields in ncbi.asked("esearch.fcgi")}
    assert (report.rounds, len(searches) > 12) == (1, True)
    similar = [fields["id"] for fields in ncbi.asked("elink.fcgi") if "refs" not in str(fields)]
    assert {key for ids in similar for key in ids} > {seed.id for seed in SEEDS}


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
    assert told == ["1 seed not in PubMed: title and abstract are used"]


def test_a_deleted_seed_is_told_and_the_others_go_on(gathered):
    assert gathered([*SEEDS, Document(id="777")]).missing == ["777"]


def test_no_seed_at_all_is_told(gathered):
    with pytest.raises(SeedsError, match="PubMed has none of the seeds; check their ids"):
        gathered([Document(id="777"), Document(id="778")])


def test_a_budget_too_small_for_the_seeds_is_refused(gathered):
    told = "a budget of 20 records leaves little room for others besides 12 seeds; raise --at-most"
    with pytest.raises(SettingsError, match=told):
        gathered(records=20)


def test_a_budget_of_requests_is_kept_to_and_gone_on_from(ncbi, gathered):
    report = gathered(requests=8)
    assert (len(ncbi.requests), report.spent) == (8, "8 requests")
    ncbi.forget()
    report = gathered()
    assert (report.spent, report.documents) == ("", 120)
    again = [fields["id"] for fields in ncbi.asked("elink.fcgi")]
    assert {seed.id for seed in SEEDS}.isdisjoint(key for ids in again for key in ids)


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


def test_what_the_source_tells_of_citations_is_kept_with_the_records(ncbi, gathered, tmp_path):
    ncbi.citing = {"13": ["1", "2", "40"], "1": ["2", "999", "14"], "15": ["13"]}
    gathered()
    with open_library(tmp_path / "lib") as library:
        told = {name: library[name].references for name in ("1", "13", "15")}
    # Of others than the seeds, that they cite seeds is all that was asked for.
    assert told == {"1": ("2", "999", "14"), "13": ("1", "2"), "15": ()}
    expansion = expand(tmp_path / "lib", give(SEEDS))
    assert expansion.links["13"].startswith("cites 2 of your papers")
    assert expansion.links["14"].startswith("is cited by one of your papers")


def test_europe_pmc_tells_of_citations_too_at_no_further_request(tmp_path):
    preprint = Document(id="PPR5", doi="10.1101/p", title="Insulin", abstract="Rats and insulin.")
    with europe_pmc_server() as server:
        server.hold_papers([*PAPERS, preprint])
        server.citing = {"MED/13": ["MED/1", "MED/2"], "PPR/PPR5": ["MED/1"], "MED/2": ["MED/1"]}
        with closing(server.source()) as source:
            gather(source, give(SEEDS), tmp_path / "lib", budget=Budget(records=120))
        asked = [path.rpartition("/")[2] for path, _ in server.requests]
    with open_library(tmp_path / "lib") as library:
        assert sorted(library["13"].references) == ["1", "2"]
        assert library["PPR5"].references == ("1",)
        assert library["2"].references == ("1",)
    # Those whose records say that they have no such list are not asked for it.
    assert (asked.count("citations"), asked.count("references")) == (2, 1)
