"""Citations in the page: a find says how it is linked with the seeds."""

import numpy as np
import pytest
from playwright.sync_api import expect

from expansion.test_citing import make_papers
from likewise.expansion.flow import expand
from likewise.expansion.sessions.expanding import expand_session
from likewise.expansion.sessions.session import Session
from likewise.expansion.settings import ExpandSettings
from likewise.library import open_library
from likewise.library.memory import MemoryLibrary
from server.browser.test_looks import grave, grave_by_day_and_night
from server.browser.visiting import NARROW, Visits, open_session, shot
from server.serving import served


@pytest.fixture
def page(browser, tmp_path):
    """A session whose topic only references tell."""
    with open_library(tmp_path / "lib", write=True) as library:
        library.add(make_papers(np.random.default_rng(3)))
        library.commit()
        seeds = library.get([str(number) for number in range(20, 420, 20)])
    (tmp_path / "sessions").mkdir()
    path = tmp_path / "sessions" / "linked.likewise"
    with Session.create(path, tmp_path / "lib", seeds) as session:
        expand_session(session)
    with (
        served(tmp_path / "lib", tmp_path / "sessions") as running,
        Visits(browser, running.address) as visits,
    ):
        yield visits.page()


def test_a_find_says_how_citations_link_it_with_the_seeds(page, artefacts):
    open_session(page, "linked")
    told = page.locator(".entry .links").first
    expect(told).to_contain_text("Citations: shares ")
    expect(told).to_contain_text("with Okafor 2014 (")
    shot(page, artefacts / "citations.png")


def test_the_map_shows_finds_and_the_seeds_they_are_linked_with(page, artefacts):
    open_session(page, "linked")
    drawn = page.locator("#map")
    expect(drawn.locator(".dot.seed").first).to_be_visible()
    drawn.locator(".dot.find").first.hover()
    expect(drawn.locator(".told")).to_contain_text("(2014): shares ")
    expect(drawn.locator(".link.on").first).to_be_visible()
    assert grave_by_day_and_night(page, artefacts / "map") == []


def test_a_find_on_the_map_leads_to_it_in_the_list(page):
    open_session(page, "linked")
    last = page.locator("#map .dot.find").last
    title = last.get_attribute("aria-label").partition(" (2014): ")[0]
    last.click()
    expect(page.locator(".entry.current .title")).to_contain_text(title)


def test_keys_move_through_the_map(page):
    open_session(page, "linked")
    first = page.locator('#map .dot[tabindex="0"]')
    expect(page.locator('#map .dot[tabindex="-1"]').first).to_be_visible()
    first.focus()
    before = first.get_attribute("aria-label")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#map .dot:focus")).not_to_have_attribute("aria-label", before)
    page.keyboard.press("Tab")
    expect(page.locator("#map summary")).to_be_focused()


def test_the_map_is_told_in_words_too(page):
    open_session(page, "linked")
    words = page.locator("#map details")
    words.locator("summary").click()
    expect(words.locator("li").first).to_contain_text("shares ")
    words.locator("li button").nth(1).click()
    expect(page.locator(".entry.current .rank")).to_contain_text("2")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    library = MemoryLibrary()
    library.add(make_papers(np.random.default_rng(3)))
    library.commit()
    seeds = library.get([str(number) for number in range(20, 420, 20)])
    path = tmp_path_factory.mktemp("report") / "report.html"
    # Few of them: axe-core takes long over long lists.
    expand(library, seeds, settings=ExpandSettings(rounds=1, keep="top=30")).write(path)
    return path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_map_of_a_report_opens_offline(browser, report, artefacts, scheme):
    page = browser.new_page(viewport=NARROW, color_scheme=scheme)
    page.goto(report.as_uri())
    page.locator("#map .dot.find").nth(2).hover()
    expect(page.locator("#map-told")).to_contain_text("shares ")
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    page.locator("#map").screenshot(path=artefacts / f"report-map-{scheme}.png")
    assert grave(page) == []
    page.locator("#map .dot.seed").first.click()
    expect(page.locator("li:target")).to_be_visible()
    page.close()
