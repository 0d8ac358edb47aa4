"""From the exports of databases, dropped into an empty server, to the first ranked record."""

import re

import pytest
from msgspec.structs import replace
from playwright.sync_api import expect

from expansion.corpus import corpus
from likewise.documents import write
from server.browser.test_looks import grave_by_day_and_night
from server.browser.visiting import NARROW, PATIENCE, Visits, first_of, hold, see_list, shot
from server.serving import served

IN_RIS, IN_NBIB, IN_CSV = slice(0, 160), slice(120, 240), slice(200, None)
"""Which records each database has: 40 are in the first two, 40 in the last two."""


@pytest.fixture
def visits(browser, tmp_path):
    """Visits to a server that was started without a library."""
    with (
        served(None, tmp_path / "sessions", "--libraries", str(tmp_path / "libraries")) as empty,
        Visits(browser, empty.address) as opened,
    ):
        yield opened


@pytest.fixture(scope="module")
def exports(tmp_path_factory):
    """The same field in three databases, each in its own format."""
    folder = tmp_path_factory.mktemp("exports")
    papers = [
        replace(paper, doi=f"10.5555/jxm.{number}", journal="Journal of Examples", year=2011)
        for number, paper in enumerate(corpus())
    ]
    names = {"scopus.ris": IN_RIS, "pubmed-set.nbib": IN_NBIB, "embase.csv": IN_CSV}
    for name, part in names.items():
        write(papers[part], folder / name)
    others = [replace(paper, title=f"{paper.title} (reprint)") for paper in papers[200:]]
    write(others, folder / "embase.csv")
    with (folder / "scopus.ris").open("a") as file:
        file.write("TY  - JOUR\nAU  - Nemo, N\nPY  - 2011\nER  - \n")
    return [folder / name for name in names]


def bring(page, files):
    """Give files, and wait until they are read."""
    page.set_input_files("#exports", files)
    expect(page.locator("table.sources")).to_be_visible(timeout=4 * PATIENCE)


def rows(page):
    """Return the numbers of the table: read, new, the same as another, problems."""
    lines = page.locator("table.sources tbody tr, table.sources tfoot tr").all()
    return {
        line.locator("th").inner_text(): [
            int(cell) for cell in line.locator("td").all_inner_texts()
        ]
        for line in lines
    }


def test_three_exports_become_a_library_and_a_ranking(visits, exports, seeds_file, artefacts):
    page = visits.page()
    page.goto("/")
    expect(page.get_by_role("heading", name="Bring in your records")).to_be_visible()
    assert grave_by_day_and_night(page, artefacts / "bring-empty") == []
    page.emulate_media(color_scheme="light")
    page.get_by_label("Name of the library").fill("Sugar & sleep")
    bring(page, exports)
    total = len(corpus())
    assert rows(page) == {
        "scopus.ris": [160, 160, 0, 1],
        "pubmed-set.nbib": [120, 80, 40, 0],
        "embase.csv": [total - 200, total - 240, 40, 0],
        "Together": [total + 80, total, 80, 1],
    }
    assert grave_by_day_and_night(page, artefacts / "bring-library") == []
    page.set_viewport_size(NARROW)
    shot(page, artefacts / "bring-library-360.png")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.set_input_files("#files", seeds_file)
    expect(page.locator("#draft-counts")).to_contain_text("12 in the library")
    page.get_by_role("button", name="Find the rest").click()
    see_list(page)
    expect(page.locator(".library")).to_contain_text("Sugar & sleep")


def test_duplicates_are_looked_at_in_pairs_and_told_apart(visits, exports, artefacts):
    page = visits.page()
    page.goto("/?library=new")
    page.get_by_label("Name of the library").fill("Pairs")
    bring(page, exports[1:])
    page.get_by_text("Look at the 40 duplicates in pairs").click()
    pair = page.locator(".pair").first
    expect(page.locator(".pair")).to_have_count(10)
    expect(pair).to_contain_text("One paper: the same")
    assert grave_by_day_and_night(page, artefacts / "bring-pairs") == []
    pair.get_by_role("button", name="Split them").click()
    expect(pair).to_contain_text("2 papers now")
    pair.get_by_role("button", name="Undo").click()
    expect(pair.get_by_role("button", name="Split them")).to_be_focused()


def test_a_file_dropped_twice_is_said_and_a_library_is_renamed_and_deleted(visits, exports):
    page = visits.page()
    page.goto("/?library=new")
    page.get_by_label("Name of the library").fill("Twice")
    bring(page, exports[1:2])
    page.set_input_files("#exports", exports[1:2])
    expect(page.locator("#brought")).to_contain_text(
        "pubmed-set.nbib is already here, so it was not"
    )
    page.get_by_role("button", name="Rename: Twice").click()
    page.get_by_role("dialog").get_by_label("Name").fill("Once")
    page.get_by_role("dialog").get_by_role("button", name="Rename").click()
    page.get_by_role("button", name="Delete: Once").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator("#libraries-list")).not_to_contain_text("Once")


def test_more_files_reach_a_library_that_has_some(visits, exports):
    page = visits.page()
    page.goto("/?library=new")
    page.get_by_label("Name of the library").fill("More")
    bring(page, exports[:1])
    bring_more = page.locator("table.sources tbody tr")
    page.set_input_files("#exports", exports[2:])
    expect(bring_more).to_have_count(2, timeout=4 * PATIENCE)
    assert rows(page)["Together"] == [len(corpus()) - 40, len(corpus()) - 40, 0, 1]


def test_what_is_dropped_while_a_file_is_sent_is_read_too(visits, exports):
    page = visits.page()
    page.goto("/?library=new")
    held = hold(page, re.compile(r"/files\?name=pubmed-set"))
    page.set_input_files("#exports", exports[1:2])
    expect(page.locator("#brought")).to_contain_text("Sending pubmed-set.nbib")
    page.set_input_files("#exports", exports[2:])
    first_of(page, held).continue_()
    expect(page.locator("table.sources tbody tr")).to_have_count(2, timeout=4 * PATIENCE)


def test_the_page_waits_for_a_file_on_its_way_when_the_one_before_it_was_read(visits, exports):
    page = visits.page()
    page.goto("/?library=new")
    page.set_input_files("#exports", exports[1:2])
    held = hold(page, re.compile(r"/files\?name=embase"))
    with page.expect_request(re.compile(r"/files\?name=embase")):
        page.set_input_files("#exports", exports[2:])
    expect(page.locator("#intake")).to_contain_text("Done", timeout=4 * PATIENCE)
    first_of(page, held).continue_()
    expect(page.locator("table.sources tbody tr")).to_have_count(2, timeout=4 * PATIENCE)


def test_what_was_refused_is_still_said_when_the_rest_is_read(visits, exports, tmp_path):
    page = visits.page()
    page.goto("/?library=new")
    empty = tmp_path / "empty.ris"
    empty.touch()
    bring(page, [empty, exports[1]])
    expect(page.locator("#brought-error")).to_contain_text("empty.ris")
