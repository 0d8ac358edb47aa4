"""Jobs as a person sees them: running, waiting, cancelled, and after a reload."""

import re

from playwright.sync_api import expect

from server.browser.visiting import (
    PATIENCE,
    expansions_in,
    mark,
    open_session,
    see_list,
)

STATE = ".job-progress"


def start(page, session):
    """Start the job of a session from its page, and wait until it is shown."""
    page.goto(f"/sessions/{session}")
    page.click("#start")
    expect(page.locator(STATE)).to_be_visible()


def test_stages_are_shown_as_they_happen(page, begun):
    page.goto(f"/sessions/{begun}")
    page.evaluate(
        """() => {
            window.stages = new Set();
            const look = () => document.querySelectorAll(".stages li .sign").forEach(
                (sign) => window.stages.add(sign.nextSibling.textContent));
            new MutationObserver(look).observe(document.body, { childList: true, subtree: true });
        }"""
    )
    page.click("#start")
    see_list(page)
    assert page.evaluate("[...window.stages]")[:4] == [
        "Reading your papers",
        "Searching the library",
        "Fetching the candidates",
        "Counting words",
    ]


def test_a_running_job_that_is_cancelled_leaves_nothing_and_can_be_started_again(
    page, server, begun
):
    start(page, begun)
    with server.held():
        page.click(".cancel")
        expect(page.locator("#start-note")).to_have_text("Cancelled. Nothing was found yet.")
    assert expansions_in(server, begun) == 0
    page.click("text=Start again")
    see_list(page)
    assert expansions_in(server, begun) == 1


def test_a_waiting_job_says_how_many_are_before_it_and_is_cancelled(
    visits, server, begun, begun_file
):
    first, second = visits.page(), visits.page()
    other = server.put(begun_file)
    start(first, begun)
    with server.held():
        start(second, other)
        expect(second.locator(".progress-state")).to_have_text("Waiting: 1 search before it")
        second.click(".cancel")
        expect(second.locator("#start-note")).to_have_text("Cancelled. Nothing was found yet.")
        expect(first.locator(STATE)).to_have_attribute("data-state", "running")
        first.click(".cancel")
        expect(first.locator("#start-note")).to_be_visible()
    assert expansions_in(server, other) == 0


def test_a_reload_in_the_middle_shows_the_progress_again_and_then_the_list(page, server, begun):
    start(page, begun)
    with server.held():
        expect(page.locator(STATE)).to_have_attribute("data-state", "running")
        page.reload()
        expect(page.locator(STATE)).to_have_attribute("data-state", "running")
    see_list(page)
    assert expansions_in(server, begun) == 1


def test_a_page_that_is_closed_does_not_end_its_job(visits, server, begun):
    page = visits.page()
    start(page, begun)
    with server.held():
        page.close()
        again = visits.page()
        again.goto("/")
        running = again.locator(f'[data-session="{begun}"] .running')
        expect(running).to_be_visible()
        again.click(f'[data-session="{begun}"] a')
        expect(again.locator(STATE)).to_have_attribute("data-state", "running")
        again.click(".cancel")
        expect(again.locator("#start-note")).to_be_visible()
    assert expansions_in(server, begun) == 0


def test_the_list_can_be_used_while_it_learns_again(page, server, session):
    open_session(page, session)
    mark(page, 0, "irrelevant")
    page.click("#learn-again")
    expect(page.locator(STATE)).to_be_visible()
    with server.held():
        document = mark(page, 1, "relevant")
        shown = page.locator(f'.entry[data-id="{document}"]')
        expect(shown).not_to_have_class(re.compile(r"\bsaving\b"))
        page.click(".cancel")
        expect(page.locator("#learn-note")).to_have_text("Cancelled. The list is as it was.")
    expect(page.locator("#unlearned")).to_have_text("2 marks not learned from yet.")
    assert expansions_in(server, session) == 1


def test_a_job_that_fails_is_told_and_can_be_started_again(page, server, begun):
    start(page, begun)
    with server.held() as workers:
        workers[0].kill()
    expect(page.locator("#start-note")).to_contain_text("It failed", timeout=PATIENCE)
    assert page.locator("#start").inner_text() == "Start again"
