"""A review by mouse: from papers to an export, and back again later."""

import csv
import re

from playwright.sync_api import expect

from server.browser.visiting import (
    PATIENCE,
    downloaded,
    expansions_in,
    focused,
    mark,
    marks_in,
    open_session,
    see_list,
    see_saved,
)

LABELS = {"relevant", "irrelevant", "maybe"}
EXPECTED = re.compile(r"below rank (\d+)\s· expected precision ([\d.]+)\s· recall ([\d.]+)")


def figures(page):
    """Return what the line says: its rank, expected precision, and recall."""
    count, precision, recall = EXPECTED.search(page.locator("#line-figures").inner_text()).groups()
    return int(count), float(precision), float(recall)


def test_a_review_is_done_by_mouse(page, server, seeds_file):
    page.goto("/")
    page.set_input_files("#files", seeds_file)
    expect(page.locator("#find")).to_have_attribute("aria-disabled", "false")
    page.click("#find")
    page.wait_for_url("**/sessions/*")
    see_list(page)
    session = page.url.rsplit("/", 1)[1]
    wrong, right = mark(page, 0, "irrelevant"), mark(page, 1, "relevant")
    see_saved(page, right, "relevant")
    expect(page.locator("#unlearned")).to_have_text("2 marks not learned from yet.")
    page.click("#learn-again")
    expect(page.locator("#changes-words")).to_contain_text("came above", timeout=PATIENCE)
    expect(page.locator("#changes-groups summary").last).to_have_text("Fallen")
    expect(page.locator("#unlearned")).to_have_text("All marks have been learned.")
    assert marks_in(server, session) == {wrong: "irrelevant", right: "relevant"}
    assert expansions_in(server, session) == 2


def test_what_rose_leads_to_its_document(page, relearned):
    open_session(page, relearned)
    page.click("#changes-groups summary:text('Risen')")
    lead = page.locator("#changes-groups details:has(summary:text('Risen')) .lead").first
    title = lead.inner_text()
    lead.click()
    expect(page.locator(".entry.current .title")).to_have_text(title)
    assert page.locator(".entry.current .title").inner_text() == title


def test_the_line_moves_by_arrow_keys(page, session):
    open_session(page, session)
    count, precision, recall = figures(page)
    page.click("#to-line")
    expect(page.locator("#line .slider")).to_be_focused()
    for _ in range(3):
        page.keyboard.press("ArrowUp")
    expect(page.locator("#line-rank")).to_have_value(str(count - 3))
    after = figures(page)
    assert after[0] == count - 3
    assert after[1] >= precision
    assert after[2] < recall


def test_the_line_moves_by_its_number_and_stays_after_a_reload(page, session):
    open_session(page, session)
    page.fill("#line-rank", "20")
    with page.expect_response("**/threshold"):
        page.press("#line-rank", "Enter")
    moved = figures(page)
    page.reload()
    see_list(page)
    assert moved[0] == 20
    assert figures(page) == moved


def test_the_line_is_dragged_and_led_back(page, session):
    open_session(page, session)
    count, _, _ = figures(page)
    page.click("#to-line")
    expect(page.locator("#line .slider")).to_be_focused()
    slider = page.locator("#line .slider").bounding_box()
    x, y = slider["x"] + 60, slider["y"] + slider["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 260, steps=4)
    expect(page.locator("#line-rank")).not_to_have_value(str(count))
    with page.expect_response("**/threshold"):
        page.mouse.up()
    dragged, _, _ = figures(page)
    page.click("#line-learned")
    expect(page.locator("#line-rank")).to_have_value(str(count))
    assert dragged > count


def test_exports_hold_the_marks_of_this_moment(page, session):
    open_session(page, session)
    right, wrong = mark(page, 0, "relevant"), mark(page, 1, "irrelevant")
    page.select_option("#export-format", "csv")
    name, text = downloaded(page)
    rows = {row["id"]: row["mark"] for row in csv.DictReader(text.splitlines())}
    page.select_option("#export-format", "ris")
    page.select_option("#export-which", "all")
    _, whole = downloaded(page)
    assert name.endswith(".csv")
    assert {id_: said for id_, said in rows.items() if said in LABELS} == {
        right: "relevant",
        wrong: "irrelevant",
    }
    assert whole.count("TY  -") > len(rows)
    assert whole.count("mark: irrelevant") == 1


def test_an_audit_is_drawn_and_its_marks_say_so(page, server, session):
    open_session(page, session)
    page.select_option("#order", "audit")
    expect(page.locator("#count")).to_have_text("20 documents drawn")
    document = mark(page, 0, "irrelevant")
    see_saved(page, document, "irrelevant")
    answer = page.request.get(f"/api/sessions/{session}/marks").json()
    assert [one["strategy"] for one in answer["marks"]] == ["audit"]


def test_a_session_is_renamed_found_again_and_deleted(page, server, session):
    open_session(page, session)
    page.click("#open-rename")
    page.fill("#new-name", "Sugar, renamed")
    page.keyboard.press("Enter")
    expect(page.locator("#name")).to_have_text("Sugar, renamed")
    page.click("text=All sessions")
    row = page.locator(f'[data-session="{session}"]')
    row.locator("a", has_text="Sugar, renamed").click()
    see_list(page)
    page.go_back()
    row.locator('[data-action="Delete"]').click()
    page.click("dialog button.danger")
    expect(row).to_have_count(0)
    assert not server.file(session).exists()


def test_a_session_is_renamed_in_the_list(page, server, session):
    page.goto("/")
    row = page.locator(f'[data-session="{session}"]')
    row.locator('[data-action="Rename"]').click()
    page.fill("dialog #new-name", "Named in the list")
    page.keyboard.press("Enter")
    expect(row.locator("a.title")).to_have_text("Named in the list")
    assert focused(page) != "BODY"


def test_an_unknown_session_is_said_to_be_none(page):
    answer = page.goto("/sessions/nowhere")
    assert answer.status == 404
    assert page.locator("h1").inner_text() == "There is no such session"
