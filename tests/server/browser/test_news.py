"""What is new: a look finds what came into the library, shows it, and lets it be marked."""

import re

import msgspec
import pytest
from playwright.sync_api import expect

from expansion.corpus import corpus, library_in, on, seeds_on
from likewise.expansion.sessions.expanding import expand_session
from likewise.expansion.sessions.session import Session
from likewise.library import open_library
from server.browser.visiting import PATIENCE, Visits, first_of, open_session, shot
from server.serving import served

NEW = on("sugar")[38:]
RETRACTED, RETRACTED_LATER = seeds_on("sugar")[:2]
THE_SESSION = re.compile(r"/api/sessions/sugar$")
SEEN_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """A server of a library that lacks some papers, and a session of it."""
    folder = tmp_path_factory.mktemp("watched")
    missing = {document.id for document in NEW}
    library = library_in(folder / "lib", *(d for d in corpus() if d.id not in missing))
    sessions = folder / "sessions"
    sessions.mkdir()
    with Session.create(sessions / "sugar.likewise", library, seeds_on("sugar")) as session:
        expand_session(session)
    with served(library, sessions) as running:
        yield running, library


@pytest.fixture
def page(browser, watched):
    with Visits(browser, watched[0].address) as visits:
        yield visits.page()


def put(library, *documents):
    with open_library(library, write=True) as opened:
        opened.add(documents)
        opened.commit()


def retract(document, notice):
    return msgspec.structs.replace(document, extra=(("nbib:RIN", notice),))


def look(page):
    page.locator("#look").click()
    expect(page.locator("#look")).to_be_enabled(timeout=PATIENCE)
    return page.locator("#news-note")


def test_a_look_says_nothing_new_then_shows_badges_that_marks_take_off(page, watched, artefacts):
    _, library = watched
    open_session(page, "sugar")
    expect(look(page)).to_have_text("Nothing new.", use_inner_text=True)
    expect(page.locator("#show-new")).to_be_hidden()

    put(library, *NEW, retract(RETRACTED, "J Sugar. 2020"))
    expect(look(page)).to_contain_text("new documents.")
    expect(page.locator("#news-note")).to_contain_text("Retracted or doubted since: 1.")
    page.locator("#show-new").click()
    expect(page.locator("#words")).to_have_value("is:new")
    badges = page.locator(".entry .badge.new")
    expect(badges.first).to_be_visible()
    found = badges.count()
    assert found >= 5
    shot(page, artefacts / "news.png")
    alarm = page.locator("#seeds .badge.alarm", has_text="J Sugar")
    expect(alarm).to_have_text("retracted (J Sugar. 2020)")

    page.keyboard.press("r")
    expect(page.locator(".entry[data-mark=relevant] .badge.new:visible")).to_have_count(0)
    page.reload()
    expect(page.locator("#show-new")).to_have_text(f"Show {found - 1} new documents")
    expect(look(page)).to_have_text("Nothing new.", use_inner_text=True)


def test_an_older_answer_that_comes_late_hides_nothing_newer(page, watched):
    _, library = watched
    open_session(page, "sugar")
    late = []
    page.route(THE_SESSION, lambda route: late.append((route, route.fetch())), times=1)
    page.evaluate(SEEN_AGAIN)
    route, older = first_of(page, late)
    put(library, retract(RETRACTED_LATER, "J Late. 2021"))
    expect(look(page)).to_contain_text("Retracted or doubted since: 1.")
    alarm = page.locator("#seeds .badge.alarm", has_text="J Late")
    expect(alarm).to_be_attached()

    assert "J Late" not in older.text()
    with page.expect_event("requestfinished", lambda done: THE_SESSION.search(done.url)):
        route.fulfill(response=older)
    page.wait_for_timeout(300)
    expect(alarm).to_be_attached()


def test_a_look_goes_on_though_the_tab_is_seen_again_meanwhile(page):
    open_session(page, "sugar")
    asked = []

    def hold(route):
        if route.request.method == "POST":
            asked.append(route)
        else:
            route.continue_()

    page.route("**/looks", hold)
    page.locator("#look").click()
    with page.expect_response(lambda answer: answer.url.endswith("/looks")):
        page.evaluate(SEEN_AGAIN)
    page.wait_for_timeout(300)
    expect(page.locator("#look")).to_be_disabled()
    first_of(page, asked).continue_()
    expect(page.locator("#look")).to_be_enabled(timeout=PATIENCE)
    expect(page.locator("#news-note")).to_contain_text("new")


def test_it_fits_on_a_telephone(browser, watched, artefacts):
    with Visits(browser, watched[0].address) as visits:
        narrow = visits.narrow(color_scheme="dark")
        open_session(narrow, "sugar")
        narrow.locator("#open-side").click()
        expect(narrow.locator("#look")).to_be_visible()
        narrow.locator("#look").scroll_into_view_if_needed()
        shot(narrow, artefacts / "news-narrow.png")
        assert narrow.evaluate("document.documentElement.scrollWidth") <= 360


def test_looks_are_a_job_and_a_list_over_http(page):
    started = page.request.post("/api/sessions/sugar/looks", data={})
    assert (started.status, started.json()["kind"]) == (202, "watch")
    job = f"/api/jobs/{started.json()['id']}"
    while page.request.get(job).json()["state"] in ("waiting", "running"):
        page.wait_for_timeout(100)
    answer = page.request.get("/api/sessions/sugar/looks").json()
    assert answer["new"] <= sum(len(look["finds"]) for look in answer["looks"])
    assert answer["since"]
