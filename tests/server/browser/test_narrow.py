"""The page on a telephone: 360 wide, by touch."""

import pytest
from playwright.sync_api import expect

from server.browser.visiting import (
    PATIENCE,
    downloaded,
    entry,
    is_sideways,
    marks_in,
    see_list,
    see_saved,
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
    expect(page.locator(".job-progress")).to_be_visible()
    assert not is_sideways(page)
    see_list(page)
    session = page.url.rsplit("/", 1)[1]
    document = entry(page, 0).get_attribute("data-id")
    entry(page, 0).locator('button[data-label="relevant"]').tap()
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
    assert small_targets(page, "#bar button, .entry.current button") == []


def test_buttons_of_the_first_page_are_large_enough_for_a_finger(telephone, session):
    page = telephone
    page.goto("/")
    expect(page.locator(f'[data-session="{session}"]')).to_be_visible()
    assert (
        small_targets(page, f'#papers button, #begin button, [data-session="{session}"] button')
        == []
    )
