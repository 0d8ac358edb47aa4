"""The page on a telephone: 360 wide, by touch."""

import pytest
from playwright.sync_api import expect

from server.browser.visiting import (
    NARROW,
    PATIENCE,
    current,
    downloaded,
    entry,
    is_sideways,
    marks_in,
    see_list,
    see_saved,
    shot,
)

TARGET = 40


@pytest.fixture
def telephone(visits):
    return visits.narrow()


def small_targets(page, selector):
    """Return the buttons that a finger would miss."""
    boxes = [(one.inner_text(), one.bounding_box()) for one in page.locator(selector).all()]
    return [text for text, box in boxes if box and min(box["height"], box["width"]) < TARGET - 0.5]


def test_a_review_is_done_by_touch(telephone, server, seeds_file):
    page = telephone
    page.goto("/")
    page.set_input_files("#files", seeds_file)
    expect(page.locator("#find")).to_have_attribute("aria-disabled", "false")
    assert not is_sideways(page)
    page.tap("#find")
    page.wait_for_url("**/sessions/*")
    # A search of so few documents may be over before one looks.
    expect(page.locator(".job-progress, .entry").first).to_be_visible()
    assert not is_sideways(page)
    see_list(page)
    session = page.url.rsplit("/", 1)[1]
    document = entry(page, 0).get_attribute("data-id")
    page.tap('#thumb button[data-label="relevant"]')
    see_saved(page, document, "relevant")
    assert not is_sideways(page)
    page.tap("#open-side")
    page.tap("#learn-again")
    expect(page.locator("#changes")).to_be_visible(timeout=PATIENCE)
    assert not is_sideways(page)
    name, _ = downloaded(page)
    assert name.endswith(".ris")
    assert marks_in(server, session) == {document: "relevant"}


def test_every_part_of_the_list_fits_a_narrow_screen(telephone, session):
    page = telephone
    page.goto(f"/sessions/{session}")
    see_list(page)
    assert not is_sideways(page)
    page.tap("#open-tools")
    expect(page.locator("#words")).to_be_visible()
    assert not is_sideways(page)
    page.tap("#to-line")
    expect(page.locator("#line")).to_be_visible()
    assert not is_sideways(page)


def test_buttons_of_the_list_are_large_enough_for_a_finger(telephone, session):
    page = telephone
    page.goto(f"/sessions/{session}")
    see_list(page)
    assert small_targets(page, "#bar button, #thumb button, .entry button:visible") == []


def below_a_long_abstract(page, session):
    """Scroll to the end of a current document that is far longer than the screen."""
    page.goto(f"/sessions/{session}")
    see_list(page)
    page.locator(".entry.current .abstract").evaluate(
        "(one) => (one.textContent += ' more'.repeat(600))"
    )
    page.evaluate(
        """() => {
            const { bottom } = document.querySelector(".entry.current").getBoundingClientRect();
            scrollBy({ top: bottom - innerHeight / 2, behavior: "instant" });
        }"""
    )


def test_the_buttons_are_in_the_thumbs_reach_below_a_long_abstract(
    telephone, server, session, artefacts
):
    page = telephone
    below_a_long_abstract(page, session)
    document = current(page)
    button = page.locator('#thumb button[data-label="irrelevant"]')
    expect(button).to_be_in_viewport()
    shot(page, artefacts / "narrow-thumb.png")
    assert button.bounding_box()["y"] > 0.8 * NARROW["height"]
    button.tap()
    see_saved(page, document, "irrelevant")
    expect(page.locator(".entry.current")).to_be_in_viewport()
    assert current(page) != document
    assert not is_sideways(page)


def test_the_bar_goes_where_its_document_is_not_seen(telephone, session):
    page = telephone
    page.goto(f"/sessions/{session}")
    see_list(page)
    expect(page.locator("#thumb")).to_be_visible()
    page.evaluate("scrollBy({ top: 4000, behavior: 'instant' })")
    expect(page.locator("#thumb")).to_be_hidden()


def test_the_bar_says_how_its_document_is_marked(telephone, session):
    page = telephone
    page.goto(f"/sessions/{session}")
    see_list(page)
    page.tap('#thumb button[data-label="maybe"]')
    page.tap("#bar-undo")
    page.tap('.entry >> nth=1 >> button[data-label="relevant"]')
    pressed = page.locator('#thumb button[aria-pressed="true"]')
    expect(pressed).to_have_attribute("data-label", "relevant")


def test_buttons_of_the_first_page_are_large_enough_for_a_finger(telephone, session):
    page = telephone
    page.goto("/")
    expect(page.locator(f'[data-session="{session}"]')).to_be_visible()
    assert (
        small_targets(page, f'#papers button, #begin button, [data-session="{session}"] button')
        == []
    )
