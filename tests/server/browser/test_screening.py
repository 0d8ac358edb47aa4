"""Going through the list: what comes next, what is counted, and boxes that let go of the keys."""

import pytest
from playwright.sync_api import expect

from likewise.expansion.sessions.session import Session
from server.browser.visiting import (
    current,
    entry,
    first_of,
    focused,
    hold,
    open_session,
    see_list,
    see_recall,
    see_saved,
    shot,
)


@pytest.fixture
def long_marked(server, session):
    """A session whose first 303 documents are marked, of 309; those read last were on topic."""
    with Session.open(server.file(session)) as opened:
        best = [place.id for place in opened.expansion().ranking if not place.seed]
        opened.mark(dict.fromkeys(best[:263], "irrelevant"))
        opened.mark(dict.fromkeys(best[263:303], "relevant"))
    return session


def advise_to_go_on(page):
    """Let the page be advised to go on, whatever was marked."""

    def advise(route):
        status = route.fetch().json()
        route.fulfill(json={**status, "advice": {**status["advice"], "kind": "go on"}})

    page.route("**/status", advise)


def rank(page):
    return int(page.locator(".entry.current").get_attribute("data-rank"))


def test_a_session_is_reopened_at_what_is_not_marked_however_far_that_is(page, long_marked):
    open_session(page, long_marked)
    expect(page.locator(".entry.current")).to_have_attribute("data-rank", "304")
    expect(page.locator(".entry.current")).to_be_in_viewport()


def test_go_on_leads_to_what_is_not_marked_by_the_first_click(page, long_marked):
    advise_to_go_on(page)
    open_session(page, long_marked)
    expect(page.locator(".entry.current")).to_have_attribute("data-rank", "304")
    page.keyboard.press("g")
    expect(page.locator(".entry.current")).to_have_attribute("data-mark", "irrelevant")
    page.click("#go-on")
    expect(page.locator(".entry.current")).to_have_attribute("data-rank", "304")
    expect(page.locator(".entry.current")).to_be_in_viewport()


def test_marking_goes_on_past_hundreds_that_are_marked(page, server, long_marked):
    open_session(page, long_marked)
    expect(page.locator(".entry.current")).to_have_attribute("data-rank", "304")
    page.keyboard.press("g")
    expect(page.locator(".entry.current")).to_have_attribute("data-rank", "1")
    first = current(page)
    page.keyboard.press("i")
    see_saved(page, first, "")
    page.keyboard.press("m")
    expect(page.locator(".entry.current")).to_have_attribute("data-rank", "304")


def test_at_the_end_go_on_leads_back_to_what_was_passed_by(page, session):
    open_session(page, session)
    passed = current(page)
    page.keyboard.press("G")
    expect(page.locator(".entry.current")).to_have_attribute("data-rank", "309")
    page.keyboard.press("i")
    page.click(".toast button:text('Continue above')")
    expect(page.locator(f'.entry.current[data-id="{passed}"]')).to_be_in_viewport()


def test_go_on_leaves_a_filter_in_which_all_is_marked(page, session):
    open_session(page, session)
    page.select_option("#view", "maybe")
    expect(page.locator("#empty")).to_be_visible()
    page.click("#go-on")
    expect(page.locator("#view")).to_have_value("all")
    assert rank(page) == 1


def test_what_is_counted_follows_a_mark_before_it_is_saved(page, session):
    open_session(page, session)
    page.route("**/api/sessions/*/marks", lambda route: None)
    page.keyboard.press("r")
    page.keyboard.press("i")
    expect(page.locator('[data-fact="found"] dd')).to_have_text("1")
    expect(page.locator('[data-fact="looked-at"] dd')).to_have_text("2of 309")
    expect(page.locator("#unlearned")).to_have_text("2 marks not learned from yet.")
    page.keyboard.press("u")
    expect(page.locator('[data-fact="looked-at"] dd')).to_have_text("1of 309")
    page.unroute_all()


def test_a_mark_that_a_late_status_counts_already_is_not_counted_twice(page, session):
    open_session(page, session)
    held = hold(page, "**/status", most=9)
    page.keyboard.press("r")
    asked = first_of(page, held)
    second = current(page)
    page.keyboard.press("i")
    see_saved(page, second, "irrelevant")
    asked.continue_()
    see_recall(page)
    assert page.locator('[data-fact="looked-at"] dd').inner_text() == "2of 309"
    page.unroute_all()


def test_keys_work_again_after_a_number_was_typed(page, session):
    open_session(page, session)
    page.fill("#line-rank", "20")
    with page.expect_response("**/threshold"):
        page.keyboard.press("Enter")
    assert focused(page) == "ARTICLE"
    first = current(page)
    page.keyboard.press("r")
    see_saved(page, first, "relevant")


@pytest.mark.parametrize("box", ["#line-rank", "#order", "#export-format"])
def test_escape_leaves_a_box_for_the_list(page, session, box):
    open_session(page, session)
    page.focus(box)
    page.keyboard.press("Escape")
    assert focused(page) == "ARTICLE"
    page.keyboard.press("j")
    assert current(page) == entry(page, 1).get_attribute("data-id")


def test_a_filter_that_is_not_understood_is_said_and_the_rest_holds(page, session):
    open_session(page, session)
    page.fill("#words", "insulin year:soon")
    expect(page.locator("#complaint")).to_have_text(
        "“year:soon” was left out; write for example year:2010..2015."
    )
    expect(page.locator("#count")).not_to_have_text("309 documents")
    page.fill("#words", "")
    expect(page.locator("#complaint")).to_be_hidden()


def test_the_list_is_sorted_by_year(page, session):
    open_session(page, session)
    page.select_option("#order", "year")
    expect(page.locator("#to-line")).to_be_hidden()
    latest = page.evaluate(
        """() => fetch(`/api/sessions/${document.body.dataset.session}/ranking?sort=year`)
            .then((answer) => answer.json()).then(({ entries }) => entries[0].document.id)"""
    )
    expect(entry(page, 0)).to_have_attribute("data-id", latest)


def marks_of(page, kind):
    """Return the words of a kind that are seen in the list, in small letters, each once."""
    return set(map(str.lower, page.locator(f"#list mark.{kind}").all_inner_texts()))


def bring_along(page, **fields):
    page.click("#open-own")
    for name, text in fields.items():
        page.fill(f"#{name.replace('_', '-')}", text)
    page.click("dialog#own button.primary")


def test_the_words_of_the_filter_are_seen(page, session):
    open_session(page, session)
    page.fill("#words", '"of" NOT swarm OR glucos')
    expect(page.locator("#list mark.sought").first).to_be_visible()
    assert marks_of(page, "sought") == {"of", "glucos"}


def test_own_words_are_seen_and_kept_with_the_session(page, session, artefacts):
    open_session(page, session)
    bring_along(page, own_good="insul\nPANCREAS", own_bad="weather, sugar x")
    expect(page.locator("dialog#own")).to_be_hidden()
    assert marks_of(page, "good") == {"insulin", "pancreas"}
    assert marks_of(page, "bad") == {"weather"}
    shot(page, artefacts / "own-words.png")
    page.reload()
    see_list(page)
    assert marks_of(page, "good") == {"insulin", "pancreas"}


def test_words_that_were_kept_wrongly_keep_nobody_from_reading(visits, session):
    context = visits.context()
    keep = f"localStorage.setItem('likewise.words.{session}', '{{\"good\": 7, \"bad\": [null')"
    context.add_init_script(f'if (location.protocol === "http:") {keep}')
    open_session(context.new_page(), session)


def test_a_phrase_of_ones_own_is_seen_across_what_spoke_for_a_document(page, session):
    open_session(page, session)
    title = page.locator(".entry.current .title").inner_text()
    bring_along(page, own_good=title)
    whole = page.locator(".entry.current .title mark.good").all_inner_texts()
    assert "".join(whole) == title


def test_full_texts_are_found_where_ones_library_has_them(page, session, artefacts):
    open_session(page, session)
    bring_along(page, resolver="https://resolver.example/?id={pmid}&doi={doi}")
    link = page.locator(".entry.current .full-text")
    document = current(page)
    assert link.get_attribute("href") == f"https://resolver.example/?id={document}&doi="
    assert link.get_attribute("rel") == "noreferrer noopener"
    assert page.locator(".entry.current .about a").all_inner_texts() == ["PubMed", "Full text"]


@pytest.mark.parametrize("wrong", ["javascript:alert('{doi}')", "https://resolver.example/"])
def test_what_is_no_place_of_full_texts_is_said(page, session, wrong):
    open_session(page, session)
    bring_along(page, resolver=wrong)
    expect(page.locator("#resolver-problem")).to_contain_text("Begin with https://")
    page.keyboard.press("Escape")
    expect(page.locator(".full-text")).to_have_count(0)
