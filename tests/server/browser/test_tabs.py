"""Marks of several tabs and browsers, and of a page whose server is away."""

import shutil
import time

import pytest
from playwright.sync_api import expect

from server.browser.visiting import (
    Visits,
    entry,
    first_of,
    hold,
    mark,
    marks_in,
    open_session,
    see_saved,
)
from server.serving import free_port, served

SAVE = "**/api/sessions/*/marks"


def seen_again(page):
    """Let a page believe that it was hidden, and is seen again."""
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def test_a_mark_that_is_shown_as_saved_is_in_the_file(page, server, session):
    open_session(page, session)
    document = mark(page, 0, "relevant")
    see_saved(page, document, "relevant")
    assert marks_in(server, session) == {document: "relevant"}


def test_a_mark_is_shown_at_once_and_as_not_saved_until_it_is(page, server, session):
    open_session(page, session)
    held = hold(page, SAVE)
    document = mark(page, 0, "relevant")
    shown = page.locator(f'.entry[data-id="{document}"]')
    expect(shown.locator(".said")).to_have_text("saving …")
    before = marks_in(server, session)
    first_of(page, held).continue_()
    see_saved(page, document, "relevant")
    assert before == {}
    assert marks_in(server, session) == {document: "relevant"}


def test_a_mark_is_sent_again_only_after_the_time_that_the_server_asks_for(page, session):
    open_session(page, session)
    sent = []

    def refuse_the_first(route):
        sent.append(time.monotonic())
        if len(sent) > 1:
            route.continue_()
        else:
            busy = {"error": {"message": "busy", "kind": "busy"}}
            route.fulfill(status=503, headers={"Retry-After": "3"}, json=busy)

    page.route(SAVE, refuse_the_first)
    document = mark(page, 0, "relevant")
    see_saved(page, document, "relevant")
    # Left to itself, the page tries again after one second.
    assert sent[1] - sent[0] >= 3


def test_tabs_see_each_others_marks_and_undo_only_their_own(visits, server, session):
    context = visits.context()
    first, second = context.new_page(), context.new_page()
    open_session(first, session)
    open_session(second, session)
    one, other = mark(first, 0, "relevant"), mark(second, 1, "irrelevant")
    for page in (first, second):
        see_saved(page, one, "relevant")
        see_saved(page, other, "irrelevant")
    first.click("#undo")
    for page in (first, second):
        see_saved(page, one, "")
    assert marks_in(server, session) == {other: "irrelevant"}


def test_undo_does_not_take_back_what_another_tab_said_since(visits, server, session):
    context = visits.context()
    first, second = context.new_page(), context.new_page()
    open_session(first, session)
    open_session(second, session)
    document = mark(first, 0, "relevant")
    see_saved(second, document, "relevant")
    mark(second, 0, "maybe")
    see_saved(first, document, "maybe")
    first.click("#undo")
    expect(first.locator(".toast")).to_contain_text("changed elsewhere since")
    assert marks_in(server, session) == {document: "maybe"}


def test_a_mark_whose_answer_comes_late_does_not_hide_what_another_tab_said_since(
    visits, server, session
):
    context = visits.context()
    first, second = context.new_page(), context.new_page()
    open_session(first, session)
    open_session(second, session)
    late = []
    first.route(SAVE, lambda route: late.append((route, route.fetch())), times=1)
    document = mark(first, 0, "relevant")
    route, answer = first_of(first, late)
    mark(second, 0, "maybe")
    see_saved(second, document, "maybe")
    route.fulfill(response=answer)
    see_saved(first, document, "maybe")
    assert marks_in(server, session) == {document: "maybe"}


def test_marks_of_another_browser_are_there_when_the_page_is_seen_again(visits, server, session):
    first, second = visits.page(), visits.page()
    open_session(first, session)
    open_session(second, session)
    one, other = mark(first, 0, "relevant"), mark(second, 1, "irrelevant")
    see_saved(first, one, "relevant")
    see_saved(second, other, "irrelevant")
    for page in (first, second):
        seen_again(page)
        see_saved(page, one, "relevant")
        see_saved(page, other, "irrelevant")
    assert marks_in(server, session) == {one: "relevant", other: "irrelevant"}


def test_two_tabs_marking_at_once_lose_nothing(visits, server, session):
    context = visits.context()
    pages = [context.new_page(), context.new_page()]
    for page in pages:
        open_session(page, session)
    press = """(at) => {
        const buttons = [...document.querySelectorAll('.entry button[data-label="relevant"]')];
        for (const button of buttons.slice(at, at + 12)) button.click();
    }"""
    wanted = [entry(pages[0], at).get_attribute("data-id") for at in range(24)]
    for at, page in enumerate(pages):
        page.evaluate(press, 12 * at)
    for page in pages:
        for document in wanted:
            see_saved(page, document, "relevant")
    assert marks_in(server, session) == dict.fromkeys(wanted, "relevant")


@pytest.fixture
def away(library, expanded_file, tmp_path):
    """A server that can go away and come back: how to start it, and a session of it."""
    port = free_port()

    def start():
        return served(library, tmp_path / "sessions", port=port)

    (tmp_path / "sessions").mkdir()
    shutil.copy(expanded_file, tmp_path / "sessions" / "kept.likewise")
    return start, "kept"


def test_marks_given_while_the_server_is_away_are_saved_when_it_is_back(browser, away):
    start, session = away
    with start() as running:
        visits = Visits(browser, running.address)
        page = visits.page()
        open_session(page, session)
    with visits:
        document = mark(page, 0, "relevant")
        expect(page.locator("#unsaved")).to_contain_text("1 mark not saved yet")
        with start() as again:
            see_saved(page, document, "relevant")
            expect(page.locator("#unsaved")).to_be_hidden()
            assert marks_in(again, session) == {document: "relevant"}
