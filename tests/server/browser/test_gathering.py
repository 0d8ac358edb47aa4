"""From pasted PMIDs to a list, with no library at all: PubMed is a server on this machine."""

import datetime as dt
import time

import pytest
from benchmarks.sources.ncbi import ncbi_server
from benchmarks.sources.serving import Reply
from msgspec.structs import replace
from playwright.sync_api import expect

from library.sources.papers import make_papers
from server.browser.test_looks import grave_by_day_and_night
from server.browser.visiting import NARROW, PATIENCE, Visits, see_list, shot
from server.serving import served

PMIDS = "\n".join(str(number) for number in range(1, 13))


@pytest.fixture
def ncbi(monkeypatch):
    with ncbi_server() as server:
        server.hold_papers(make_papers())
        monkeypatch.setenv("LIKEWISE_EUTILS", server.url)
        monkeypatch.setenv("NCBI_API_KEY", "0123456789")
        yield server


@pytest.fixture
def visits(ncbi, browser, tmp_path):
    """Visits to a server that was started without a library."""
    with (
        served(None, tmp_path / "sessions", "--libraries", str(tmp_path / "libraries")) as empty,
        Visits(browser, empty.address) as opened,
    ):
        yield opened


def paste(page):
    page.goto("/")
    page.get_by_label("Papers on your topic").fill(PMIDS)
    page.get_by_label("Records at most").fill("200")


def test_pasted_pmids_become_a_library_and_a_list(visits, ncbi, artefacts):
    page = visits.page()
    paste(page)
    assert grave_by_day_and_night(page, artefacts / "gather-empty") == []
    page.emulate_media(color_scheme="light")
    page.get_by_role("button", name="Search PubMed").click()
    expect(page.locator("#gather-job")).to_contain_text("Asking for papers like yours")
    shot(page, artefacts / "gather-progress.png")
    page.wait_for_url("**/sessions/*", timeout=4 * PATIENCE)
    see_list(page)
    expect(page.locator(".library")).to_contain_text("PubMed: like 1")
    shot(page, artefacts / "gather-list.png")
    assert len(ncbi.requests) > 10
    page.goto("/")
    expect(page.locator("#libraries-list")).to_contain_text("PubMed: like 1")
    page.set_viewport_size(NARROW)
    page.locator("#gather summary").click()
    shot(page, artefacts / "gather-360.png")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_what_is_new_in_pubmed_is_looked_for_from_a_session(visits, ncbi, artefacts):
    page = visits.page()
    paste(page)
    page.get_by_role("button", name="Search PubMed").click()
    page.wait_for_url("**/sessions/*", timeout=4 * PATIENCE)
    see_list(page)
    button = page.get_by_role("button", name="Look for new in PubMed")
    button.click()
    expect(page.locator("#news-note")).to_have_text("Nothing new.", timeout=PATIENCE)
    today = dt.datetime.now(dt.UTC).date().isoformat()
    came = [
        replace(paper, id=f"9{paper.id}", pmid=f"9{paper.id}") for paper in make_papers()[30:40]
    ]
    ncbi.hold_papers(came, day=today)
    button.click()
    expect(page.locator("#news-note")).to_contain_text("new documents.", timeout=PATIENCE)
    page.locator("#show-new").click()
    expect(page.locator(".entry .badge.new").first).to_be_visible()
    shot(page, artefacts / "news-pubmed.png")


def test_a_search_is_cancelled_and_what_came_is_kept(visits, ncbi):
    ncbi.latency = 0.3
    page = visits.page()
    paste(page)
    page.get_by_role("button", name="Search PubMed").click()
    page.locator("#gather-job").get_by_role("button", name="Cancel").click()
    expect(page.locator("#gather-job")).to_contain_text("Cancelled")
    asked = len(ncbi.requests)
    time.sleep(1)
    assert len(ncbi.requests) <= asked + 1


def test_a_page_that_is_loaded_again_goes_on(visits, ncbi):
    ncbi.latency = 0.2
    page = visits.page()
    paste(page)
    page.get_by_role("button", name="Search PubMed").click()
    expect(page.locator("#gather-job")).to_contain_text("Asking for papers like yours")
    page.reload()
    expect(page.get_by_label("Papers on your topic")).to_have_value(PMIDS)
    page.wait_for_url("**/sessions/*", timeout=4 * PATIENCE)
    see_list(page)


def test_a_network_that_is_away_is_said_in_one_line(visits, ncbi):
    ncbi.trouble = lambda _: Reply(b"<html>Down</html>", 403)
    page = visits.page()
    paste(page)
    page.get_by_role("button", name="Search PubMed").click()
    expect(page.locator("#gather-error")).to_contain_text("refuses to hand it out (403)")
    expect(page.get_by_role("button", name="Search PubMed")).to_have_attribute(
        "aria-disabled", "false"
    )


def test_an_empty_box_is_said(visits):
    page = visits.page()
    page.goto("/")
    page.get_by_role("button", name="Search PubMed").click()
    expect(page.locator("#gather-error")).to_contain_text("The box is empty")
    expect(page.get_by_label("Papers on your topic")).to_be_focused()
