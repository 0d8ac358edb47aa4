"""Limiting the list by what there is to choose from, and searching with the same words."""

from playwright.sync_api import expect

from likewise.expansion.sessions.session import Session
from server.browser.test_looks import grave_by_day_and_night
from server.browser.visiting import PATIENCE, is_sideways, open_session, see_listed, shot


def years_shown(page):
    told = page.locator("#list > .entry .about > span").all_inner_texts()
    return [int(text) for text in told if text.isdigit()]


def test_the_list_is_limited_by_year_and_tag_and_the_filter_says_so(
    page, server, session, artefacts
):
    with Session.open(server.file(session)) as opened:
        best = [place.id for place in opened.expansion().ranking if not place.seed]
        opened.review.tag(best[:40], add=["for the meeting"])
    open_session(page, session)
    page.click("#open-limits")
    page.fill("#limit-from", "2000")
    page.select_option("#limit-tag", "for the meeting")
    page.click("#limits summary")
    assert grave_by_day_and_night(page, artefacts / "limits") == []
    page.click("#limits button.primary")
    expect(page.locator("#words")).to_have_value('year:2000.. tag:"for the meeting"')
    see_listed(page)
    expect(page.locator("#count")).not_to_have_text("309 documents")
    assert min(years_shown(page)) >= 2000
    page.click("#open-limits")
    expect(page.locator("#limit-from")).to_have_value("2000")
    expect(page.locator("#limit-tag")).to_have_value("for the meeting")
    page.click("#clear-limits")
    page.click("#limits button.primary")
    expect(page.locator("#count")).to_have_text("309 documents")


def test_limits_leave_the_words_and_what_was_written_by_hand(page, session):
    open_session(page, session)
    page.fill("#words", "insulin OR glucose")
    page.click("#open-limits")
    expect(page.locator("#limit-words")).to_have_value("insulin OR glucose")
    page.fill("#limit-to", "1999")
    page.press("#limit-to", "Enter")
    expect(page.locator("#words")).to_have_value("(insulin OR glucose) year:..1999")
    see_listed(page)
    expect(page.locator("#count")).not_to_have_text("309 documents")
    assert max(years_shown(page)) <= 1999


def test_limits_fit_a_narrow_screen(visits, session, artefacts):
    page = visits.narrow()
    open_session(page, session)
    page.tap("#open-tools")
    page.tap("#open-limits")
    expect(page.locator("#limits")).to_be_visible()
    shot(page, artefacts / "narrow-limits.png")
    assert not is_sideways(page)


def test_the_search_takes_phrases_fields_and_not_and_says_what_it_does_not_understand(page):
    page.goto("/")
    page.fill("#search", "insulin NOT glucose")
    expect(page.locator("#search-results > li").first).to_be_visible()
    found = page.locator("#search-results .abstract").all_text_contents()
    assert found
    assert not any("glucose" in text.lower() for text in found)
    page.fill("#search", "insulin NOT glucose year:soon")
    expect(page.locator("#search-state")).to_contain_text("“year:soon” was left out; write")


def test_what_leaves_a_filter_by_what_is_written_on_it_keeps_nothing_else_from_being_shown(
    page, server, session
):
    with Session.open(server.file(session)) as opened:
        best = [place.id for place in opened.expansion().ranking if not place.seed]
        opened.review.tag(best[:120], add=["RCT"])
    open_session(page, session)
    page.fill("#words", "tag:rct")
    expect(page.locator("#count")).to_have_text("120 documents")
    for _ in range(4):
        page.click(".entry.current .remarking button[aria-label='Remove the tag: RCT']")
        expect(page.locator(".remark-state")).to_have_text("")
        page.keyboard.press("Escape")
        page.keyboard.press("j")
    last = page.locator(f'.entry[data-id="{best[119]}"]')
    for _ in range(PATIENCE // 200):
        if last.count():
            break
        page.locator("#list > .entry").last.scroll_into_view_if_needed()
        page.wait_for_timeout(200)
    shown = [one.get_attribute("data-id") for one in page.locator("#list > .entry").all()]
    assert shown == best[:120]
