"""A review by keys alone: everything is reached, and the focus is always seen."""

import csv

from playwright.sync_api import expect

from server.browser.visiting import (
    current,
    entry,
    first_of,
    focused,
    hold,
    marks_in,
    open_session,
    see_list,
    see_saved,
    shot,
)


def has_ring(page):
    """Tell whether a person sees where the focus is."""
    return page.evaluate(
        """() => {
            const here = document.activeElement;
            const shown = here.type === "file" ? here.labels[0] : here;
            return getComputedStyle(shown).outlineStyle !== "none";
        }"""
    )


def tab_to(page, wanted, most=40):
    """Press Tab until an element has the focus; each stop on the way must be visible."""
    for _ in range(most):
        page.keyboard.press("Tab")
        assert has_ring(page), f"the focus is not seen on {focused(page)}"
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", wanted):
            return
    raise AssertionError(f"{wanted} can't be reached by Tab")


def test_what_is_typed_for_a_box_that_is_not_open_yet_marks_nothing(page, server, session):
    open_session(page, session)
    last = current(page)
    page.keyboard.press("G")
    expect(page.locator(".entry.current")).not_to_have_attribute("data-id", last)
    last = current(page)
    held = hold(page, "**/marks")
    page.keyboard.press("r")
    page.keyboard.press("a")
    page.keyboard.type("rim")
    first_of(page, held).continue_()
    expect(page.locator("input.tag")).to_be_focused()
    see_saved(page, last, "relevant")
    assert marks_in(server, session) == {last: "relevant"}


def test_a_review_is_done_by_keys_alone(page):
    page.goto("/")
    tab_to(page, "#search")
    page.keyboard.type("insulin glucose")
    expect(page.locator("#search-results .pick")).to_have_count(10)
    for _ in range(5):
        tab_to(page, ".pick")
        page.keyboard.press("Enter")
    expect(page.locator("#draft-list > li")).to_have_count(5)
    tab_to(page, "#draft-list button")
    page.keyboard.press("Enter")
    expect(page.locator("#draft-list > li")).to_have_count(4)
    assert page.evaluate("document.activeElement.closest('#draft-list') !== null")
    tab_to(page, "#find")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sessions/*")
    see_list(page)
    first = current(page)
    page.keyboard.press("r")
    see_saved(page, first, "relevant")
    assert current(page) != first
    tab_to(page, "#export-format")
    page.keyboard.type("csv")
    tab_to(page, "#export-link")
    with page.expect_download() as coming:
        page.keyboard.press("Enter")
    rows = csv.DictReader(coming.value.path().read_text().splitlines())
    assert [row["id"] for row in rows if row["mark"] == "relevant"] == [first]


def test_keys_move_mark_undo_and_draw_the_line(page, session):
    open_session(page, session)
    shown = [one.get_attribute("data-id") for one in page.locator("#list > .entry").all()[:6]]
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert current(page) == shown[1]
    for key, label in (("r", "relevant"), ("i", "irrelevant"), ("m", "maybe")):
        document = current(page)
        page.keyboard.press(key)
        see_saved(page, document, label)
    assert current(page) == shown[4]
    page.keyboard.press("u")
    see_saved(page, shown[3], "")
    assert current(page) == shown[3]
    page.keyboard.press("t")
    expect(page.locator("#line-rank")).to_have_value("4")
    assert focused(page) == "ARTICLE"


def test_the_same_key_again_takes_a_mark_back(page, session):
    open_session(page, session)
    first = current(page)
    page.keyboard.press("r")
    see_saved(page, first, "relevant")
    page.keyboard.press("k")
    page.keyboard.press("r")
    see_saved(page, first, "")
    assert current(page) == first


def test_without_single_keys_letters_do_nothing_and_arrows_still_move(page, server, session):
    open_session(page, session)
    page.keyboard.press("?")
    page.uncheck("#use-keys")
    page.keyboard.press("Escape")
    page.locator(".entry.current article").focus()
    page.keyboard.press("r")
    page.keyboard.press("ArrowDown")
    assert current(page) == entry(page, 1).get_attribute("data-id")
    assert marks_in(server, session) == {}


def test_slash_filters_and_escape_clears(page, session):
    open_session(page, session)
    everything = page.locator("#count").inner_text()
    page.keyboard.press("/")
    page.keyboard.type("metformin")
    expect(page.locator("#count")).not_to_have_text(everything)
    texts = page.locator("#list > .entry").all_inner_texts()
    page.keyboard.press("Escape")
    expect(page.locator("#count")).to_have_text(everything)
    assert focused(page) == "words"
    assert texts
    assert all("metformin" in text.lower() for text in texts)


def test_letters_typed_into_a_field_mark_nothing(page, server, session):
    open_session(page, session)
    page.keyboard.press("/")
    page.keyboard.type("rim")
    expect(page.locator("#count")).to_have_text("0 documents")
    assert marks_in(server, session) == {}


def test_the_question_mark_opens_the_keys_and_escape_leads_back(page, session):
    open_session(page, session)
    page.keyboard.press("j")
    here = current(page)
    page.keyboard.press("?")
    expect(page.locator("dialog#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog#keys")).to_be_hidden()
    assert (focused(page), current(page)) == ("ARTICLE", here)


def test_the_first_mark_by_a_key_says_what_it_did_once(page, session):
    open_session(page, session)
    page.keyboard.press("i")
    expect(page.locator(".toast")).to_contain_text("“i” marked it irrelevant. “u” takes it back.")
    page.click(".toast .close")
    page.keyboard.press("r")
    expect(page.locator('.entry[data-mark="relevant"]')).to_have_count(1)
    expect(page.locator(".toast")).to_have_count(0)


def choose(page, preset):
    page.keyboard.press("?")
    page.select_option("#keys-preset", preset)
    page.click("dialog#keys button.primary")


def test_rayyans_keys_include_exclude_and_leave_undecided(page, session):
    open_session(page, session)
    choose(page, "Rayyan")
    expect(page.locator("#hint")).to_contain_text("i relevant e irrelevant u maybe")
    for key, label in (("i", "relevant"), ("e", "irrelevant"), ("u", "maybe")):
        document = current(page)
        page.keyboard.press(key)
        see_saved(page, document, label)
    page.keyboard.press("z")
    see_saved(page, document, "")


def test_chosen_keys_are_there_after_a_reload(page, session):
    open_session(page, session)
    choose(page, "Rayyan")
    page.reload()
    see_list(page)
    document = current(page)
    page.keyboard.press("e")
    see_saved(page, document, "irrelevant")
    assert entry(page, 1).locator("button").last.get_attribute("title") == "Maybe (u)"


def test_a_key_is_changed_and_the_one_that_had_it_takes_the_other(page, session, artefacts):
    open_session(page, session)
    page.keyboard.press("?")
    page.click("#keys-list dt button:text-is('r')")
    page.keyboard.press("i")
    expect(page.locator("#keys-preset")).to_have_value("")
    shot(page, artefacts / "keys-changed.png")
    assert page.evaluate("document.activeElement.textContent") == "i"
    page.keyboard.press("Escape")
    document = current(page)
    page.keyboard.press("i")
    see_saved(page, document, "relevant")
    page.keyboard.press("r")
    expect(page.locator('.entry[data-mark="irrelevant"]')).to_have_count(1)


def test_escape_leaves_a_key_as_it_was_and_the_dialog_open(page, session):
    open_session(page, session)
    page.keyboard.press("?")
    page.click("#keys-list dt button:text-is('r')")
    page.keyboard.press("Escape")
    expect(page.locator("dialog#keys")).to_be_visible()
    expect(page.locator("#keys-preset")).to_have_value("likewise")


def test_n_goes_on_to_the_next_that_is_not_marked(page, session):
    open_session(page, session)
    shown = [one.get_attribute("data-id") for one in page.locator("#list > .entry").all()[:3]]
    page.keyboard.press("r")
    page.keyboard.press("k")
    assert current(page) == shown[0]
    page.keyboard.press("n")
    expect(page.locator(".entry.current")).to_have_attribute("data-id", shown[1])
