"""Papers are given on the first page: dropped, chosen, pasted, and picked from the library."""

from playwright.sync_api import expect

from expansion.corpus import seeds_on
from server.browser.visiting import dropped, pasted

UNKNOWN = "99999999"
TITLE = "A paper on sugar that is in no library"


def states(page):
    """Return what became of the papers, in the order of the list."""
    rows = page.locator("#draft-list > li")
    return [row.get_attribute("data-state") for row in rows.all()]


def test_a_dropped_file_is_looked_up_in_the_library(page, seeds_file):
    page.goto("/")
    dropped(page, seeds_file)
    expect(page.locator("#draft-counts")).to_have_text("12 in the library")
    assert page.input_value("#name") == "sugar papers"


def test_a_chosen_file_is_looked_up_in_the_library(page, seeds_file):
    page.goto("/")
    with page.expect_file_chooser() as chooser:
        page.click("text=Choose files")
    chooser.value.set_files(seeds_file)
    expect(page.locator("#draft-counts")).to_have_text("12 in the library")
    assert page.locator("#given").inner_text() == "sugar papers.ris: 12 papers added."


def test_a_file_that_cannot_be_read_is_named_in_one_line(page, tmp_path):
    path = tmp_path / "photo.ris"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
    page.goto("/")
    page.set_input_files("#files", path)
    expect(page.locator("#given-error")).to_contain_text("photo.ris")
    assert "\n" not in page.locator("#given-error").inner_text()


def test_what_is_pasted_is_told_apart_by_what_became_of_it(page):
    known = [paper.pmid for paper in seeds_on("sugar", 3)]
    page.goto("/")
    pasted(page, "\n".join([*known, UNKNOWN, TITLE]))
    expect(page.locator("#draft-counts")).to_have_text("3 in the library, 1 text only, 1 not found")
    assert states(page) == ["not_found", "text_only", "matched", "matched", "matched"]


def test_papers_given_twice_are_there_once(page, seeds_file):
    page.goto("/")
    page.set_input_files("#files", seeds_file)
    expect(page.locator("#draft-list > li")).to_have_count(12)
    pasted(page, seeds_on("sugar", 1)[0].pmid)
    expect(page.locator("#given")).to_have_text("1 was there already.")
    assert page.locator("#draft-list > li").count() == 12


def test_papers_are_picked_from_the_library_and_taken_out_again(page):
    page.goto("/")
    page.fill("#search", "insulin")
    results = page.locator("#search-results .pick")
    expect(results).to_have_count(10)
    for at in range(3):
        results.nth(at).click()
    expect(page.locator("#find")).to_have_attribute("aria-disabled", "false")
    page.locator("#draft-list button").first.click()
    expect(page.locator("#lack")).to_contain_text("Add one more paper")
    assert [button.inner_text() for button in results.all()[:4]] == [
        "Remove",
        "Remove",
        "Add",
        "Add",
    ]


def test_a_search_that_finds_nothing_says_so(page):
    page.goto("/")
    page.fill("#search", "xylophone")
    expect(page.locator("#search-state")).to_have_text("Nothing found for “xylophone”.")
    assert page.locator("#search-results > li").count() == 0


def test_papers_and_their_name_survive_a_reload(page, seeds_file):
    page.goto("/")
    page.set_input_files("#files", seeds_file)
    expect(page.locator("#draft-list > li")).to_have_count(12)
    page.fill("#name", "Sweet things")
    page.reload()
    expect(page.locator("#draft-counts")).to_have_text("12 in the library")
    assert page.input_value("#name") == "Sweet things"


def test_nothing_is_begun_with_two_papers(page, server):
    before = set(server.sessions.iterdir())
    page.goto("/")
    pasted(page, "\n".join(paper.pmid for paper in seeds_on("sugar", 2)))
    expect(page.locator("#draft-list > li")).to_have_count(2)
    page.press("#find", "Enter")
    expect(page.locator("#announcer")).to_contain_text("Add one more paper")
    assert page.url == f"{server.address}/"
    assert set(server.sessions.iterdir()) == before
