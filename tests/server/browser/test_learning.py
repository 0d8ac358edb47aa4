"""Learning by itself: in the background, after some marks, without moving what one reads."""

import pytest
from playwright.sync_api import expect

from server.browser.visiting import (
    PATIENCE,
    current,
    entry,
    expansions_in,
    first_of,
    hold,
    marks_in,
    open_session,
    see_list,
    see_listed,
    see_recall,
    see_saved,
    shot,
)
from server.serving import wait_until

LEARNED = "Learned."
TOP = "document.querySelector('.entry.current').getBoundingClientRect().top"


@pytest.fixture
def page(visits):
    """A page that learns by itself, as a browser without a past does; 3 marks of 309 are enough."""
    return visits.page(learns=True)


def see_learned(page):
    expect(page.locator("#learn-note")).to_contain_text(LEARNED, timeout=PATIENCE)


def press(page, keys):
    for key in keys:
        page.keyboard.press(key)


def ranking(page, **asked):
    session = page.url.rsplit("/", 1)[1]
    answer = page.request.get(f"/api/sessions/{session}/ranking", params=asked).json()
    return [one["document"]["id"] for one in answer["entries"]]


def test_it_learns_after_a_hundredth_was_marked_and_what_is_read_stays(
    page, server, session, artefacts
):
    open_session(page, session)
    press(page, "iii")
    here, top = current(page), page.evaluate(TOP)
    see_learned(page)
    assert (current(page), page.evaluate(TOP)) == (here, pytest.approx(top, abs=1))
    expect(page.locator("#unlearned")).to_have_text("All marks have been learned.")
    shot(page, artefacts / "learned-by-itself.png")
    assert page.locator(".under-tools").bounding_box()["height"] < 45  # one line
    assert expansions_in(server, session) == 2
    assert not any("earn" in said for said in page.locator(".toast").all_inner_texts())


def test_what_comes_next_is_the_new_order(page, session):
    open_session(page, session)
    press(page, "iii")
    see_learned(page)
    here = current(page)
    expected = [one for one in ranking(page, view="unmarked") if one != here]
    press(page, "m")
    expect(page.locator(".entry.current")).to_have_attribute("data-id", expected[0])
    see_saved(page, here, "maybe")
    press(page, "j")
    shown = ranking(page, limit=200)
    assert shown.index(current(page)) == shown.index(expected[0]) + 1


def test_whoever_reads_elsewhere_on_purpose_goes_on_there(page, session):
    open_session(page, session)
    page.keyboard.press("G")
    expect(page.locator(".entry.current")).to_have_attribute("data-rank", "309")
    press(page, "kkkkkkkk")
    press(page, "iii")
    see_learned(page)
    here = current(page)
    shown = [one.get_attribute("data-id") for one in page.locator("#list > .entry").all()]
    press(page, "i")
    see_saved(page, here, "irrelevant")
    assert current(page) in shown[shown.index(here) :]


def test_a_reload_after_learning_shows_what_was_read(page, session):
    open_session(page, session)
    press(page, "iii")
    see_learned(page)
    here = current(page)
    page.reload()
    see_list(page)
    expect(page.locator(".entry.current")).to_have_attribute("data-id", here)


def test_fewer_marks_wait(page, server, session):
    open_session(page, session)
    with page.expect_response("**/status"):
        press(page, "ri")
    expect(page.locator("#unlearned")).to_have_text("2 marks not learned from yet.")
    page.wait_for_timeout(1_000)
    assert server.workers() == []
    assert expansions_in(server, session) == 1


def test_fewer_marks_are_learned_from_in_a_pause(visits, server, session):
    context = visits.context(learns=True)
    page = context.new_page()
    page.clock.install()
    open_session(page, session)
    press(page, "r")
    page.clock.run_for(1_000)
    see_recall(page)
    with page.expect_response("**/expansions"):
        page.clock.run_for(12_000)


def test_one_mark_in_a_long_list_is_learned_from_when_one_rests(visits, session):
    page = visits.context(learns=True).new_page()
    page.clock.install()
    large = lambda route: route.fulfill(json={**route.fetch().json(), "pool": 16_000})  # noqa: E731
    page.route("**/status", large)
    asked = []
    page.on("request", lambda one: one.url.endswith("/expansions") and asked.append(one))
    open_session(page, session)
    press(page, "r")
    page.clock.run_for(1_000)
    see_recall(page)
    page.clock.run_for(20_000)
    assert asked == []
    with page.expect_response("**/expansions"):
        page.clock.run_for(12_000)


def test_marks_given_while_it_learns_are_kept_and_learned_from_next(page, server, session):
    open_session(page, session)
    with page.expect_response("**/expansions"):
        press(page, "iii")
    with server.held():
        given = [current(page)]
        press(page, "r")
        see_saved(page, given[0], "relevant")
        assert page.locator("#learn-again").is_disabled()
    see_learned(page)
    press(page, "iii")
    expect(page.locator("#unlearned")).to_have_text(
        "All marks have been learned.", timeout=PATIENCE
    )
    assert len(marks_in(server, session)) == 7
    assert expansions_in(server, session) >= 3


def test_switched_off_it_stays_off_in_this_browser(visits, server, session):
    page = visits.page(learns=True)
    open_session(page, session)
    page.uncheck("#learns-itself")
    press(page, "iii")
    expect(page.locator("#unlearned")).to_have_text("3 marks not learned from yet.")
    page.reload()
    see_list(page)
    expect(page.locator("#learns-itself")).not_to_be_checked()
    with page.expect_response("**/status"):
        press(page, "i")
    page.wait_for_timeout(500)
    assert server.workers() == []
    assert expansions_in(server, session) == 1


def move_line(page, rank):
    page.fill("#line-rank", rank)
    with page.expect_response("**/threshold"):
        page.keyboard.press("Enter")


def test_a_line_that_was_moved_stays_at_its_rank(page, session):
    open_session(page, session)
    move_line(page, "20")
    press(page, "iii")
    with page.expect_response("**/threshold", timeout=PATIENCE):
        see_learned(page)
    expect(page.locator("#line-rank")).to_have_value("20")


def test_a_line_that_was_moved_stays_where_the_server_is_ahead_of_the_page(page, server, session):
    open_session(page, session)
    move_line(page, "20")
    held = hold(page, "**/events")
    with page.expect_request("**/events"):
        press(page, "iii")
    wait_until(lambda: expansions_in(server, session) == 2)
    with page.expect_response("**/curve"):
        press(page, "i")
    expect(page.locator("#line-rank")).to_have_value("20")
    with page.expect_response("**/threshold"):
        first_of(page, held).continue_()
    expect(page.locator("#line-rank")).to_have_value("20")


def test_a_filter_that_is_on_its_way_when_it_has_learned_is_shown(page, server, session):
    open_session(page, session)
    events = hold(page, "**/events")
    asked = hold(page, "**/ranking?words=*")
    press(page, "iii")
    wait_until(lambda: expansions_in(server, session) == 2)
    page.fill("#words", "insulin")
    filtered = first_of(page, asked)
    with page.expect_response("**/curve"):
        first_of(page, events).continue_()
    # Whatever else is asked for now is asked for too early.
    page.wait_for_timeout(300)
    filtered.continue_()
    see_listed(page)
    expect(page.locator("#count")).not_to_have_text("309 documents")
    assert page.locator("#list > .entry").count() > 1


def test_what_is_drawn_stays_while_it_learns(page, session):
    open_session(page, session)
    page.select_option("#order", "uncertain")
    expect(page.locator("#count")).to_have_text("20 documents drawn")
    before = [one.get_attribute("data-id") for one in page.locator("#list > .entry").all()]
    page.locator(".entry.current article").focus()
    press(page, "iii")
    see_learned(page)
    assert [one.get_attribute("data-id") for one in page.locator("#list > .entry").all()] == before


def test_a_learning_that_fails_is_said_and_not_tried_again(page, server, session):
    open_session(page, session)
    with page.expect_response("**/expansions"):
        press(page, "iii")
    with server.held() as workers:
        workers[0].kill()
    expect(page.locator("#learn-note")).to_contain_text("It failed", timeout=PATIENCE)
    press(page, "iii")
    expect(page.locator("#unlearned")).to_have_text("6 marks not learned from yet.")
    assert entry(page, 0).get_attribute("data-mark") == "irrelevant"
    assert expansions_in(server, session) == 1
