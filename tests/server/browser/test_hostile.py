"""Texts that are markup and scripts stay texts, wherever they are shown."""

from playwright.sync_api import expect

from server.browser.conftest import HOSTILE
from server.browser.visiting import open_session, see_list

ATTACK = "window.hacked"


def hacked(page):
    return page.evaluate("window.hacked")


def test_a_hostile_document_is_text_among_search_results_and_seeds(page):
    page.goto("/")
    page.fill("#search", "insulin glucose diabetes pancreas islet glucagon")
    hostile = page.locator("#search-results > li", has_text=ATTACK)
    hostile.locator("summary").click()
    hostile.locator(".pick").click()
    expect(page.locator("#draft-list .title")).to_have_text(HOSTILE.title)
    assert hostile.locator(".abstract").inner_text() == HOSTILE.abstract
    assert page.locator("#name").input_value().startswith("<img src=x")
    assert hacked(page) is None


def test_a_hostile_document_is_text_in_the_list_and_what_changed(page, relearned):
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    open_session(page, relearned)
    hostile = page.locator('.entry[data-id="hostile"]')
    hostile.locator(".title").click()
    hostile.locator(".abstract").hover()
    assert hostile.locator(".title").inner_text() == HOSTILE.title
    assert HOSTILE.journal in hostile.locator(".about").inner_text()
    assert hostile.locator("img, script, iframe, svg, b[onmouseover]").count() == 0
    changed = page.locator("#changes-groups li", has_text=ATTACK)
    expect(changed.first).to_contain_text(HOSTILE.title)
    assert (hacked(page), dialogs) == (None, [])


def test_links_of_a_hostile_document_lead_to_known_places_only(page, session):
    open_session(page, session)
    links = page.locator('.entry[data-id="hostile"] a')
    addresses = [link.get_attribute("href") for link in links.all()]
    assert addresses
    assert all(address.startswith("https://doi.org/") for address in addresses)


def test_a_hostile_seed_is_text_where_documents_are_like_it(page, begun):
    page.goto(f"/sessions/{begun}")
    page.click("#start")
    see_list(page)
    page.select_option("#abstracts", "all")
    nearest = page.locator(".nearest", has_text=ATTACK).first
    expect(nearest).to_have_text(f"Most like: {HOSTILE.title}")
    page.click("#seeds summary")
    expect(page.locator("#seeds li", has_text=ATTACK)).to_be_visible()
    assert hacked(page) is None


def test_a_hostile_name_is_text_in_the_title_and_among_the_sessions(page, session):
    name = "<script>window.hacked=5</script>"
    page.request.patch(f"/api/sessions/{session}", data={"name": name})
    open_session(page, session)
    assert page.locator("#name").inner_text() == name
    page.goto("/")
    row = page.locator(f'[data-session="{session}"]')
    expect(row.locator("a.title")).to_have_text(name)
    row.locator('[data-action="Delete"]').click()
    expect(page.locator("dialog strong")).to_have_text(name)
    assert hacked(page) is None
