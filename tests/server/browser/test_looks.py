"""How the page looks, kept as pictures that are looked at."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from server.browser.visiting import mark, mark_best, open_session, see_list, shot

UNKNOWN = {"name": "list.txt", "mimeType": "text/plain", "buffer": b"99999999\n"}
SOME_STAGES = """() => new Promise((resolve) => {
    const look = () => document.querySelectorAll(".stages li").length > 2
        ? resolve() : requestAnimationFrame(look);
    look();
})"""
"""Waits for a job's third stage, and misses none however quick they are."""
GRAVE = {"serious", "critical"}


def grave(page):
    """Return what axe-core finds that keeps people from using the page."""
    found = Axe().run(page).response["violations"]
    return [
        (rule["id"], [node["html"] for node in rule["nodes"]])
        for rule in found
        if rule["impact"] in GRAVE
    ]


def draft(page, seeds_file):
    page.goto("/")
    page.set_input_files("#files", seeds_file)
    page.set_input_files("#files", UNKNOWN)
    expect(page.locator("#draft-counts")).to_have_text("12 in the library, 1 not found")
    page.fill("#search", "insulin")
    expect(page.locator("#search-results > li")).to_have_count(10)


def test_home_without_papers_is_accessible(page, artefacts):
    page.goto("/")
    expect(page.locator("#lack")).to_have_text("Add at least three papers first.")
    shot(page, artefacts / "home-empty.png")
    assert grave(page) == []


def test_home_with_a_draft_is_accessible(page, seeds_file, artefacts):
    draft(page, seeds_file)
    shot(page, artefacts / "home-draft.png")
    assert grave(page) == []


def test_home_in_the_dark_is_accessible(visits, seeds_file, artefacts):
    page = visits.page(color_scheme="dark")
    draft(page, seeds_file)
    shot(page, artefacts / "home-draft-dark.png")
    assert grave(page) == []


def test_home_on_a_telephone_is_accessible(visits, seeds_file, artefacts):
    page = visits.narrow()
    draft(page, seeds_file)
    shot(page, artefacts / "narrow-home.png")
    page.locator("#find").scroll_into_view_if_needed()
    shot(page, artefacts / "narrow-home-begin.png")
    assert grave(page) == []


def test_progress_is_accessible(page, server, begun, artefacts):
    page.goto(f"/sessions/{begun}")
    page.click("#start")
    page.evaluate(SOME_STAGES)
    with server.held():
        shot(page, artefacts / "progress.png")
        found = grave(page)
        page.click(".job-progress .cancel")
        expect(page.locator("#start-note")).to_be_visible()
    assert found == []


def test_the_list_is_accessible(page, session, artefacts):
    open_session(page, session)
    for at, label in enumerate(["relevant", "irrelevant", "maybe"]):
        mark(page, at, label)
    expect(page.locator("#unlearned")).to_have_text("3 marks not learned from yet.")
    shot(page, artefacts / "list-light.png")
    assert grave(page) == []


def test_the_list_in_the_dark_is_accessible(visits, session, artefacts):
    page = visits.page(color_scheme="dark")
    open_session(page, session)
    for at, label in enumerate(["relevant", "irrelevant", "maybe"]):
        mark(page, at, label)
    shot(page, artefacts / "list-dark.png")
    assert grave(page) == []


def test_the_list_on_a_telephone_is_accessible(visits, session, artefacts):
    page = visits.narrow()
    page.goto(f"/sessions/{session}")
    see_list(page)
    mark(page, 0, "relevant")
    shot(page, artefacts / "narrow-list.png")
    found = grave(page)
    page.click("#open-side")
    shot(page, artefacts / "narrow-overview.png")
    assert [*found, *grave(page)] == []


def test_the_help_is_accessible(page, session, artefacts):
    open_session(page, session)
    page.keyboard.press("?")
    expect(page.locator("dialog#keys")).to_be_visible()
    shot(page, artefacts / "help.png")
    assert grave(page) == []


def test_the_export_and_the_line_are_accessible(page, session, artefacts):
    open_session(page, session)
    page.click("#to-line")
    page.locator("#export").scroll_into_view_if_needed()
    shot(page, artefacts / "line-and-export.png")
    assert grave(page) == []


def test_what_learning_again_changed_is_accessible(page, relearned, artefacts):
    open_session(page, relearned)
    expect(page.locator("#changes")).to_be_visible()
    shot(page, artefacts / "learned-again.png")
    assert grave(page) == []


def test_advice_is_accessible(page, session, artefacts):
    open_session(page, session)
    for turn in range(30):
        page.keyboard.press("r" if turn < 20 else "i")
    expect(page.locator('[data-fact="looked-at"] dd')).to_have_text("30of 309")
    shot(page, artefacts / "advice.png")
    assert grave(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_when_to_stop_is_accessible(visits, server, session, artefacts, scheme):
    mark_best(server, session, relevant=40, irrelevant=1000)
    page = visits.page(color_scheme=scheme, viewport={"width": 1280, "height": 2000})
    open_session(page, session)
    for summary in ("#rules summary", "#methods summary"):
        page.click(summary)
    shot(page, artefacts / f"when-to-stop-{scheme}.png")
    assert grave(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_course_is_accessible(visits, server, session, artefacts, scheme):
    mark_best(server, session, relevant=20, irrelevant=10)
    page = visits.page(color_scheme=scheme)
    open_session(page, session)
    expect(page.locator("#found-figure .band")).to_have_count(1)
    shot(page, artefacts / f"course-{scheme}.png")
    assert grave(page) == []
