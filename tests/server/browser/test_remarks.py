"""What a reviewer writes beside marks: reasons for exclusion, tags, notes, and the criteria."""

import re

import pytest
from playwright.sync_api import expect

from likewise.expansion.sessions.session import Session
from server.browser.test_looks import grave, grave_by_day_and_night
from server.browser.visiting import (
    current,
    entry,
    first_of,
    focused,
    hold,
    is_sideways,
    open_session,
    see_list,
    see_saved,
    shot,
)

REASONS = ("wrong population", "animals", "no control group")
CRITERIA = "Include:\n- adults with diabetes\n- trials\n\nExclude:\n- animals"
LONG = "A note that is long enough to be cut where it is not being read. " * 4


@pytest.fixture
def reasoned(server, session):
    """The id of a session with three reasons for exclusion."""
    with Session.open(server.file(session)) as opened:
        for name in REASONS:
            opened.review.add_reason(name)
    return session


def reasons_in(server, session):
    """Return the reasons of the marks that stand in a session's file, by document."""
    with Session.open(server.file(session), read_only=True) as opened:
        return {document: mark.reason for document, mark in opened.current().items()}


def remarks_in(server, session):
    """Return the tags and notes in a session's file, by document."""
    with Session.open(server.file(session), read_only=True) as opened:
        found = opened.review.remarks()
        return dict(found.tags), {name: notes[0].text for name, notes in found.notes.items()}


def see_remarks_saved(page):
    """Wait until nothing of what was written is on its way."""
    expect(page.locator(".remark-state")).to_have_text("")


def of(page, document):
    return page.locator(f'.entry[data-id="{document}"]')


def test_a_digit_excludes_for_a_reason_and_goes_on(page, server, reasoned):
    open_session(page, reasoned)
    document = current(page)
    page.keyboard.press("2")
    see_saved(page, document, "irrelevant")
    expect(of(page, document).locator(".remarks .reason")).to_contain_text("animals")
    expect(page.locator("#reasons-list li").nth(1).locator(".ranks")).to_have_text("1")
    assert reasons_in(server, reasoned) == {document: "animals"}
    assert current(page) != document
    expect(page.locator(".toast")).to_contain_text("“2” marked it irrelevant, for this reason")


def test_a_reason_is_changed_and_taken_off_by_its_keys_and_undone(page, server, reasoned):
    open_session(page, reasoned)
    document = current(page)
    for key in ("1", "k", "3", "k", "3"):
        page.keyboard.press(key)
    see_saved(page, document, "irrelevant")
    assert current(page) == document
    assert reasons_in(server, reasoned) == {document: ""}
    page.keyboard.press("u")
    see_saved(page, document, "irrelevant")
    expect(page.locator(".remarking select")).to_have_value("no control group")
    page.keyboard.press("u")
    page.keyboard.press("u")
    see_saved(page, document, "")
    assert reasons_in(server, reasoned) == {}


def test_what_was_relevant_is_excluded_by_a_reason_chosen_from_the_list(page, server, reasoned):
    open_session(page, reasoned)
    document = current(page)
    page.keyboard.press("r")
    page.keyboard.press("k")
    page.select_option(".remarking select", "wrong population")
    see_saved(page, document, "irrelevant")
    assert reasons_in(server, reasoned) == {document: "wrong population"}
    page.select_option(".remarking select", "")
    see_saved(page, document, "irrelevant")
    assert reasons_in(server, reasoned) == {document: ""}
    assert current(page) == document


def test_a_reason_beside_the_list_excludes_the_current_document(page, server, reasoned):
    open_session(page, reasoned)
    document = current(page)
    page.click("#reasons-list button:text-is('no control group')")
    see_saved(page, document, "irrelevant")
    assert reasons_in(server, reasoned) == {document: "no control group"}


def test_without_a_list_a_digit_marks_nothing_and_leads_to_writing_one(page, server, session):
    open_session(page, session)
    page.keyboard.press("1")
    page.click(".toast button:text-is('Write a list')")
    page.fill("#new-reason", "animals\nno control group")
    page.keyboard.press("Enter")
    expect(page.locator("#reasons-rows input")).to_have_count(2)
    page.click("#close-reasons")
    document = current(page)
    page.keyboard.press("2")
    see_saved(page, document, "irrelevant")
    assert reasons_in(server, session) == {document: "no control group"}


def test_a_number_beyond_the_list_is_said_and_marks_nothing(page, server, reasoned):
    open_session(page, reasoned)
    page.keyboard.press("7")
    expect(page.locator(".toast")).to_contain_text("There is no reason 7: the list has 3.")
    assert reasons_in(server, reasoned) == {}


def test_reasons_are_renamed_ordered_and_refused_twice(page, server, reasoned, artefacts):
    open_session(page, reasoned)
    document = current(page)
    page.keyboard.press("1")
    see_saved(page, document, "irrelevant")
    page.click("#edit-reasons")
    page.fill("#reasons-rows input >> nth=0", "children")
    page.press("#reasons-rows input >> nth=0", "Enter")
    expect(page.locator("#reasons-list button").first).to_have_text("children")
    page.click("#reasons-rows button[aria-label='Down: children']")
    expect(page.locator("#reasons-rows input").nth(1)).to_have_value("children")
    page.fill("#new-reason", "Animals")
    page.click("#reasons-add button[type=submit]")
    expect(page.locator("#reasons-problem")).to_contain_text("is in the list already")
    assert grave_by_day_and_night(page, artefacts / "reasons-edited") == []
    page.click("#close-reasons")
    expect(of(page, document).locator(".remarks .reason")).to_contain_text("children")
    assert page.locator("#reasons-list button").all_inner_texts() == [
        "animals",
        "children",
        "no control group",
    ]


def test_a_reason_that_marks_carry_is_removed_only_if_another_takes_its_place(
    page, server, reasoned, artefacts
):
    open_session(page, reasoned)
    document = current(page)
    page.keyboard.press("2")
    see_saved(page, document, "irrelevant")
    page.click("#edit-reasons")
    page.click("#reasons-rows button[aria-label='Remove: animals']")
    asked = page.locator("dialog[open]").last
    expect(asked).to_contain_text("1 document is excluded for “animals”.")
    shot(page, artefacts / "reason-removed.png")
    asked.locator("button:text-is('Cancel')").click()
    assert reasons_in(server, reasoned) == {document: "animals"}
    page.click("#reasons-rows button[aria-label='Remove: animals']")
    page.select_option("#replacement", label="no control group")
    page.click("dialog[open] button:text-is('Replace and remove')")
    expect(page.locator("#reasons-rows input")).to_have_count(2)
    page.click("#close-reasons")
    expect(of(page, document).locator(".remarks .reason")).to_contain_text("no control group")
    assert reasons_in(server, reasoned) == {document: "no control group"}


def test_the_documents_that_carry_a_reason_are_shown_before_it_is_removed(page, reasoned):
    open_session(page, reasoned)
    document = current(page)
    page.keyboard.press("1")
    see_saved(page, document, "irrelevant")
    page.click("#edit-reasons")
    page.click("#reasons-rows button[aria-label='Remove: wrong population']")
    page.click("dialog[open] button:text-is('Show these documents')")
    expect(page.locator("#words")).to_have_value('reason:"wrong population"')
    expect(page.locator("#count")).to_have_text("1 document")
    assert current(page) == document


def test_a_mark_whose_reason_was_removed_meanwhile_is_not_lost(page, server, reasoned):
    open_session(page, reasoned)
    with Session.open(server.file(reasoned)) as opened:
        opened.review.remove_reason("animals")
    document = current(page)
    page.keyboard.press("2")
    see_saved(page, document, "irrelevant")
    expect(page.locator(".toast p").last).to_contain_text("“animals” is no longer in the list")
    assert reasons_in(server, reasoned) == {document: ""}


def test_tags_and_a_note_are_written_by_keys_and_are_there_after_a_reload(
    page, server, session, artefacts
):
    open_session(page, session)
    document = current(page)
    page.keyboard.press("a")
    page.keyboard.type("RCT")
    page.keyboard.press("Enter")
    page.keyboard.type("ask Ann, rct")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    assert focused(page) == "ARTICLE"
    page.keyboard.press("w")
    page.keyboard.type("See table 2; dose unclear")
    page.keyboard.press("Escape")
    see_remarks_saved(page)
    assert remarks_in(server, session) == (
        {document: ("RCT", "ask Ann")},
        {document: "See table 2; dose unclear"},
    )
    page.keyboard.press("r")
    see_saved(page, document, "relevant")
    page.reload()
    see_list(page)
    expect(of(page, document).locator(".badge")).to_have_text(["Tag: RCT", "Tag: ask Ann"])
    expect(of(page, document).locator(".noted")).to_have_text("Note: See table 2; dose unclear")
    shot(page, artefacts / "remarks.png")


def test_a_tag_is_taken_off_and_those_known_are_proposed(page, server, session):
    open_session(page, session)
    document = current(page)
    page.keyboard.press("a")
    page.keyboard.type("RCT;dose;")
    page.click(".remarking button[aria-label='Remove the tag: dose']")
    expect(page.locator(".remarking .badge")).to_have_count(1)
    see_remarks_saved(page)
    assert remarks_in(server, session)[0] == {document: ("RCT",)}
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    proposed = page.locator("#known-tags option").evaluate_all("(all) => all.map((o) => o.value)")
    assert proposed == ["RCT"]


def test_tags_notes_and_marks_are_undone_in_the_order_in_which_they_were_done(
    page, server, session
):
    open_session(page, session)
    first = current(page)
    page.keyboard.press("a")
    page.keyboard.type("RCT;")
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    see_saved(page, first, "relevant")
    second = current(page)
    page.keyboard.press("w")
    page.keyboard.type("dose unclear")
    page.keyboard.press("Escape")
    see_remarks_saved(page)
    assert remarks_in(server, session) == ({first: ("RCT",)}, {second: "dose unclear"})
    page.keyboard.press("u")
    expect(of(page, second).locator(".noted")).to_have_count(0)
    page.keyboard.press("Control+z")
    see_saved(page, first, "")
    assert current(page) == first
    page.keyboard.press("Control+z")
    expect(page.locator(".remarking .badge")).to_have_count(0)
    expect(page.locator("#undo")).to_be_disabled()
    see_remarks_saved(page)
    assert remarks_in(server, session) == ({}, {})


def test_a_tag_is_undone_where_it_was_typed_and_letters_are_undone_by_the_browser(
    page, server, session
):
    open_session(page, session)
    page.keyboard.press("a")
    page.keyboard.type("RCT;dos")
    page.keyboard.press("Control+z")
    expect(page.locator(".remarking .badge")).to_have_count(1)
    page.fill(".remarking input.tag", "")
    page.keyboard.press("Control+z")
    expect(page.locator(".remarking .badge")).to_have_count(0)
    assert focused(page) == "tag"
    see_remarks_saved(page)
    assert remarks_in(server, session)[0] == {}


def test_a_note_is_undone_as_a_whole_however_often_it_was_saved_meanwhile(page, server, session):
    open_session(page, session)
    document = current(page)
    with page.expect_request_finished(lambda asked: asked.url.endswith("/note")):
        page.keyboard.press("w")
        page.keyboard.type("dose")
    page.keyboard.type(" unclear")
    page.keyboard.press("Escape")
    see_remarks_saved(page)
    assert remarks_in(server, session)[1] == {document: "dose unclear"}
    page.click("#undo")
    expect(page.locator(".remarking textarea")).to_have_value("")
    see_remarks_saved(page)
    assert remarks_in(server, session)[1] == {}


def test_a_tag_that_was_taken_off_elsewhere_is_not_undone(visits, server, session):
    context = visits.context()
    one, other = context.new_page(), context.new_page()
    open_session(one, session)
    open_session(other, session)
    document = current(one)
    one.keyboard.press("a")
    one.keyboard.type("RCT;")
    other.click(f".entry[data-id='{document}'] button[aria-label='Remove the tag: RCT']")
    expect(one.locator(".remarking .badge")).to_have_count(0)
    one.click("#undo")
    expect(one.locator(".toast")).to_contain_text("changed elsewhere since")
    see_remarks_saved(one)
    assert remarks_in(server, session)[0] == {}


def test_what_is_written_is_said_to_be_saved_only_when_it_is(page, server, session):
    open_session(page, session)
    document = current(page)
    held = hold(page, "**/note")
    page.keyboard.press("w")
    page.keyboard.type("dose")
    page.keyboard.press("Escape")
    expect(page.locator(".remark-state")).to_have_text("saving …")
    expect(page.locator(".noted")).to_have_count(1)
    assert remarks_in(server, session)[1] == {}
    first_of(page, held).continue_()
    see_remarks_saved(page)
    assert remarks_in(server, session)[1] == {document: "dose"}


def test_what_is_written_while_the_server_is_away_is_said_and_saved_when_it_is_back(
    page, server, session
):
    open_session(page, session)
    document = current(page)
    page.route("**/tags", lambda route: route.abort())
    page.keyboard.press("a")
    page.keyboard.type("RCT;")
    expect(page.locator("#unsaved")).to_contain_text("1 tag or note not saved yet; trying again.")
    page.unroute_all()
    expect(page.locator("#unsaved")).to_be_hidden()
    see_remarks_saved(page)
    assert remarks_in(server, session)[0] == {document: ("RCT",)}


def test_others_see_a_note_once_both_have_marked(visits, server, session):
    with Session.open(server.file(session)) as opened:
        best = next(place.id for place in opened.expansion().ranking if not place.seed)
        opened.mark({best: "maybe"}, reviewer="Ann")
        opened.review.note(best, "Dose unclear", reviewer="Ann")
    page = visits.page()
    open_session(page, session)
    expect(of(page, best).locator(".opinions")).to_have_count(0)
    page.keyboard.press("i")
    see_saved(page, best, "irrelevant")
    page.reload()
    see_list(page)
    expect(of(page, best).locator(".opinions .noted")).to_have_text("Ann: Dose unclear")


def test_a_note_is_saved_when_one_goes_on_in_the_middle_of_it(page, server, session):
    open_session(page, session)
    document = current(page)
    page.keyboard.press("w")
    page.keyboard.type("half a thou")
    entry(page, 2).locator(".title").click()
    expect(page.locator(".remarking textarea")).to_have_value("")
    expect(of(page, document).locator(".noted")).to_have_text("Note: half a thou")
    see_remarks_saved(page)
    assert remarks_in(server, session)[1] == {document: "half a thou"}


def test_another_tab_sees_reasons_tags_and_notes(visits, server, reasoned):
    context = visits.context()
    one, other = context.new_page(), context.new_page()
    open_session(one, reasoned)
    open_session(other, reasoned)
    document = current(one)
    one.keyboard.press("a")
    one.keyboard.type("RCT;")
    one.keyboard.press("Escape")
    one.keyboard.press("1")
    expect(of(other, document).locator(".remarking select")).to_have_value("wrong population")
    expect(of(other, document).locator(".tags .badge")).to_contain_text("RCT")


def test_the_filter_finds_tags_reasons_and_notes(page, server, reasoned):
    with Session.open(server.file(reasoned)) as opened:
        best = [place.id for place in opened.expansion().ranking if not place.seed]
        opened.mark({best[3]: "irrelevant"}, reason="animals")
        opened.mark({best[5]: "irrelevant"})
        opened.review.tag([best[4]], add=["RCT"])
        opened.review.note(best[2], "Dose unclear")
    open_session(page, reasoned)
    found = {
        "tag:rct": [best[4]],
        'reason:"animals"': [best[3]],
        "note:dose": [best[2]],
        "note:* OR tag:*": [best[2], best[4]],
    }
    for words, documents in found.items():
        page.fill("#words", words)
        expect(page.locator("#list > .entry")).to_have_count(len(documents))
        expect(page.locator("#list > .entry").first).to_have_attribute("data-id", documents[0])
        shown = [one.get_attribute("data-id") for one in page.locator("#list > .entry").all()]
        assert shown == documents
    page.select_option("#view", "irrelevant")
    page.fill("#words", "NOT reason:*")
    expect(page.locator("#list > .entry")).to_have_count(1)
    expect(page.locator("#list > .entry")).to_have_attribute("data-id", best[5])


def test_criteria_are_written_once_folded_and_there_after_a_reload(page, session, artefacts):
    open_session(page, session)
    page.click("#edit-criteria")
    page.fill("#criteria-field", CRITERIA)
    page.click("#save-criteria")
    expect(page.locator("#criteria-text")).to_have_text(CRITERIA)
    page.locator(".entry.current article").focus()
    assert grave_by_day_and_night(page, artefacts / "criteria") == []
    page.keyboard.press("c")
    expect(page.locator("#criteria-text")).to_be_hidden()
    page.reload()
    see_list(page)
    expect(page.locator("#criteria-text")).to_be_hidden()
    page.keyboard.press("c")
    expect(page.locator("#criteria-text")).to_have_text(CRITERIA)


def test_criteria_that_cannot_be_saved_are_said_and_stay_written(page, session):
    open_session(page, session)
    page.route("**/criteria", lambda route: route.abort())
    page.click("#edit-criteria")
    page.fill("#criteria-field", "adults")
    page.click("#save-criteria")
    expect(page.locator("#criteria-problem")).to_contain_text("can't be reached")
    expect(page.locator("#criteria-field")).to_have_value("adults")
    page.unroute_all()
    page.click("#save-criteria")
    expect(page.locator("#criteria-text")).to_have_text("adults")


def test_what_is_written_on_a_document_looks_calm_and_is_accessible(
    page, server, reasoned, artefacts
):
    with Session.open(server.file(reasoned)) as opened:
        best = [place.id for place in opened.expansion().ranking if not place.seed]
        opened.mark(dict.fromkeys(best[1:3], "irrelevant"), reason="animals")
        opened.review.tag(best[:3], add=["RCT", "ask Ann"])
        opened.review.note(best[0], "Dose unclear")
        opened.review.note(best[2], LONG)
        opened.review.write_criteria(CRITERIA)
    open_session(page, reasoned)
    assert grave_by_day_and_night(page, artefacts / "remarks-list") == []


def test_on_a_telephone_criteria_and_notes_are_one_tap_away(visits, server, reasoned, artefacts):
    with Session.open(server.file(reasoned)) as opened:
        opened.review.write_criteria(CRITERIA)
    page = visits.narrow()
    open_session(page, reasoned)
    document = current(page)
    shot(page, artefacts / "narrow-thumb.png")
    page.tap("#thumb .open-criteria")
    expect(page.locator("#criteria-text")).to_be_visible()
    shot(page, artefacts / "narrow-criteria.png")
    assert grave(page) == []
    page.tap(".sheet button:text-is('Done')")
    page.tap("#open-remarks")
    page.select_option(".sheet select", "animals")
    page.fill(".sheet input", "RCT")
    page.press(".sheet input", "Enter")
    page.fill(".sheet textarea", "Dose unclear")
    shot(page, artefacts / "narrow-remarks.png")
    assert grave(page) == []
    assert not is_sideways(page)
    page.tap(".sheet button:text-is('Done')")
    see_saved(page, document, "irrelevant")
    expect(of(page, document).locator(".remarks")).to_have_text(
        re.compile("animals.*RCT.*Dose unclear")
    )
    expect(page.locator("#unsaved")).to_be_hidden()
    expect(page.locator(".remark-state")).to_have_count(0)
    assert reasons_in(server, reasoned) == {document: "animals"}


def test_a_conflict_that_is_settled_before_the_last_is_answered_is_the_next_one(
    page, server, session
):
    with Session.open(server.file(session)) as opened:
        best = [place.id for place in opened.expansion().ranking if not place.seed][:2]
        opened.mark(dict.fromkeys(best, "relevant"), reviewer="Ann")
        opened.mark(dict.fromkeys(best, "irrelevant"), reviewer="Bo")
    open_session(page, session)
    page.keyboard.press("s")
    expect(page.locator(".conflict")).to_have_count(2)
    held = hold(page, "**/conflicts/settle")
    page.keyboard.press("r")
    answered = first_of(page, held)
    page.keyboard.press("i")
    answered.continue_()
    settled = page.locator(".conflict .settled")
    expect(settled).to_have_text(["Settled: relevant", "Settled: irrelevant"])
