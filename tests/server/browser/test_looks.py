"""How the page looks, kept as pictures that are looked at."""

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
SOME = {"exclude": [[".entry:nth-child(n + 5)"]]}
"""All of a page but the rest of a list, whose entries are alike; its first ones are marked."""
CONTRAST = "color-contrast"
"""All that the dark can change."""


def grave(page, *rules):
    """Return what axe-core finds that keeps people from using the page, by all rules or a few."""
    options = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = list(rules)
    found = Axe().run(page, context=SOME, options=options).response["violations"]
    return [
        (rule["id"], [node["html"] for node in rule["nodes"]])
        for rule in found
        if rule["impact"] in GRAVE
    ]


def grave_by_day_and_night(page, path):
    """Keep how a page looks in the light and in the dark, and return what axe-core finds."""
    shot(page, path.with_name(f"{path.name}-light.png"))
    found = grave(page)
    page.emulate_media(color_scheme="dark")
    shot(page, path.with_name(f"{path.name}-dark.png"))
    return [*found, *grave(page, CONTRAST)]


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
    assert grave_by_day_and_night(page, artefacts / "home-draft") == []


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
    assert grave_by_day_and_night(page, artefacts / "list") == []


def test_the_list_on_a_telephone_is_accessible(visits, session, artefacts):
    page = visits.narrow()
    page.goto(f"/sessions/{session}")
    see_list(page)
    page.tap('#thumb button[data-label="relevant"]')
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


def test_own_words_and_their_dialog_are_accessible(page, session, artefacts):
    open_session(page, session)
    page.click("#open-own")
    page.fill("#own-good", "insulin")
    page.fill("#own-bad", "weather")
    shot(page, artefacts / "own-dialog.png")
    found = grave(page)
    page.click("dialog#own button.primary")
    page.fill("#words", "pancreas")
    expect(page.locator("#list mark.sought").first).to_be_visible()
    assert [*found, *grave_by_day_and_night(page, artefacts / "own-words")] == []


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


def test_when_to_stop_is_accessible(visits, server, session, artefacts):
    mark_best(server, session, relevant=40, irrelevant=1000)
    page = visits.page(viewport={"width": 1280, "height": 2000})
    open_session(page, session)
    for summary in ("#rules summary", "#methods summary"):
        page.click(summary)
    assert grave_by_day_and_night(page, artefacts / "when-to-stop") == []


def test_the_course_is_accessible(page, server, session, artefacts):
    mark_best(server, session, relevant=20, irrelevant=10)
    open_session(page, session)
    expect(page.locator("#found-figure .band")).to_have_count(1)
    assert grave_by_day_and_night(page, artefacts / "course") == []
