"""When to stop, in the page: the target is chosen, and what follows from it is shown."""

import re

import pytest
from playwright.sync_api import expect

from likewise.expansion.sessions.session import Session
from likewise.learn.estimates import Target
from likewise.learn.stopping.rules import RULES
from server.browser.visiting import is_sideways, mark_best, open_session, see_list


def target_in(server, session):
    with Session.open(server.file(session), read_only=True) as opened:
        return opened.target()


@pytest.fixture
def marked(server, session):
    """The id of a session in which thirty were marked."""
    mark_best(server, session, relevant=20, irrelevant=10)
    return session


@pytest.fixture
def finished(server, session):
    """The id of a session in which everything was looked at."""
    mark_best(server, session, relevant=40, irrelevant=1000)
    return session


def test_a_target_is_chosen_and_is_still_chosen_after_a_reload(page, server, session):
    open_session(page, session)
    expect(page.locator("#target-recall")).to_have_value("0.95")
    expect(page.locator("#promise")).to_contain_text("at least 95 have found 95 % of their topic")
    page.select_option("#target-recall", "0.8")
    expect(page.locator("#promise")).to_contain_text("at least 95 have found 80 % of their topic")
    page.select_option("#target-proof", "audits")
    expect(page.locator("#promise")).to_contain_text("Whatever the ranking is")
    page.reload()
    see_list(page)
    expect(page.locator("#target-recall")).to_have_value("0.8")
    expect(page.locator("#target-confidence")).to_have_value("0.95")
    expect(page.locator("#target-proof")).to_have_value("audits")
    assert target_in(server, session) == Target(0.8, 0.95, "audits")


def test_a_target_that_is_not_usual_is_offered_too(page, server, session):
    with Session.open(server.file(session)) as opened:
        opened.choose_target(Target(0.925, 0.5))
    open_session(page, session)
    expect(page.locator("#target-recall option:checked")).to_have_text("92.5 %")
    expect(page.locator("#target-recall option")).to_have_count(6)
    expect(page.locator("#target-confidence option").first).to_have_text("50 %")


def test_a_target_that_can_t_be_kept_is_said_and_shown_as_it_was(page, session):
    open_session(page, session)
    page.route("**/target", lambda route: route.abort())
    page.select_option("#target-recall", "0.99")
    expect(page.locator(".toast.error")).to_be_visible()
    expect(page.locator("#target-recall")).to_have_value("0.95")


def test_the_course_is_drawn_with_its_axes_and_what_is_ahead(page, marked):
    open_session(page, marked)
    figure = page.locator("#found-figure")
    expect(figure.locator(".growth")).to_have_count(1)
    expect(figure.locator(".band, .ahead, .threshold, .end-range")).to_have_count(4)
    expect(figure.locator("text", has_text="looked at")).to_have_count(1)
    expect(figure.locator("text", has_text=re.compile("^stop at about [0-9,]+$"))).to_have_count(1)
    expect(figure.locator("figcaption")).to_contain_text("20 found among 30 looked at")
    expect(page.locator("#further")).to_contain_text("more to read")
    assert figure.locator("desc").text_content() == figure.locator("figcaption").inner_text()
    page.keyboard.press("m")
    told = "20 found among 30 looked at. 1 document is marked maybe, and not counted here."
    expect(figure.locator("figcaption")).to_contain_text(told)


def test_the_course_goes_by_the_target(page, marked):
    open_session(page, marked)
    page.select_option("#target-proof", "audits")
    expect(page.locator("#found-figure figcaption")).to_contain_text("An audit is probably due")
    expect(page.locator("#further")).to_contain_text("then an audit")


def test_before_much_was_looked_at_no_course_is_drawn(page, session):
    open_session(page, session)
    expect(page.locator("#found-figure")).to_be_hidden()


def test_the_course_is_legible_on_a_telephone(visits, marked):
    page = visits.narrow()
    open_session(page, marked)
    page.click("#open-side")
    box = page.locator("#found-figure svg").bounding_box()
    assert 300 <= box["width"] <= 360
    assert not is_sideways(page)


def test_what_each_rule_says_is_a_table_in_words(page, marked):
    open_session(page, marked)
    page.click("#rules summary")
    rows = page.locator("#rules tbody tr")
    expect(rows).to_have_count(len(RULES))
    expect(page.locator("#rules thead th")).to_have_text(["rule", "says", "when it stops"])
    expect(rows.first).to_contain_text("calibratedrecall=0.95, confidence=0.95")
    assert set(page.locator("#rules td:nth-child(2)").all_inner_texts()) <= {
        "would stop",
        "goes on",
    }


def test_while_one_goes_on_there_is_nothing_for_the_methods_section(page, marked):
    open_session(page, marked)
    expect(page.locator("#methods")).to_be_hidden()


def test_the_paragraph_for_the_methods_section_is_copied(visits, finished):
    context = visits.context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    open_session(page, finished)
    page.click("#methods summary")
    page.click("#copy-methods")
    expect(page.locator(".toast")).to_contain_text("Copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator("#methods-text").inner_text()
    assert copied.startswith("Records were screened with likewise")


def test_where_a_page_may_not_copy_the_paragraph_is_selected(page, finished):
    page.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))")
    open_session(page, finished)
    page.click("#methods summary")
    page.click("#copy-methods")
    expect(page.locator(".toast")).to_contain_text("The paragraph is selected")
    selected = page.evaluate("getSelection().toString()")
    assert selected == page.locator("#methods-text").inner_text()
