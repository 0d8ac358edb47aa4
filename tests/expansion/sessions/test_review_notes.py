import json

import pytest

from expansion.samples import MATCHED, POOL
from expansion.sessions.samples import new_session, small_saved
from likewise.errors import SessionError
from likewise.expansion.mark_files import read_marks
from likewise.expansion.sessions.exporting import export_session
from likewise.expansion.sessions.marking import Statement, mark_papers
from likewise.expansion.sessions.session import Session
from likewise.library.memory import MemoryLibrary


@pytest.fixture
def library():
    with MemoryLibrary() as library:
        library.add([*MATCHED, *POOL])
        library.commit()
        yield library


@pytest.fixture
def session(tmp_path):
    with new_session(tmp_path) as session:
        session.add_expansion(small_saved())
        yield session


@pytest.fixture
def reviewed(session):
    """A session in which 201 is excluded for a reason, and 204 has tags and a note."""
    session.review.add_reason("wrong population")
    session.mark({"201": "irrelevant"}, reason="Wrong Population")
    session.mark({"204": "relevant"})
    session.review.tag(["204", "201"], add=["RCT", "ask Ann"])
    session.review.note("204", "Second trial;\nsee p. 3")
    return session


def carried(session):
    return {name: mark.reason for name, mark in session.current().items()}


def test_a_mark_carries_the_reason_as_the_list_spells_it(reviewed):
    assert carried(reviewed) == {"201": "wrong population", "204": ""}


def test_a_mark_is_read_with_the_name_that_its_reason_has_by_now(reviewed):
    reviewed.review.rename_reason("wrong population", "children")
    assert carried(reviewed)["201"] == "children"


def test_a_reason_that_is_not_in_the_list_marks_nothing(session):
    with pytest.raises(SessionError, match="no reason 'x' in the list of reasons; there is none"):
        session.mark({"201": "irrelevant"}, reason="x")
    assert session.history() == []


def test_what_is_relevant_has_no_reason_to_be_excluded(reviewed):
    with pytest.raises(SessionError, match="give it only with irrelevant"):
        reviewed.mark({"204": "relevant"}, reason="wrong population")


def test_the_same_label_with_another_reason_is_kept_as_a_mark(reviewed):
    reviewed.review.add_reason("editorial")
    marked = reviewed.mark({"201": "irrelevant"}, reason="editorial")
    assert (marked.new, marked.same, marked.changed) == (0, 1, ())
    assert carried(reviewed)["201"] == "editorial"


def test_the_same_label_without_a_reason_leaves_the_one_that_is_there(reviewed):
    reviewed.mark({"201": "irrelevant"})
    assert carried(reviewed)["201"] == "wrong population"


def test_an_empty_reason_takes_the_reason_away(reviewed):
    reviewed.mark({"201": "irrelevant"}, reason="")
    assert carried(reviewed)["201"] == ""


def test_undo_brings_the_reason_of_the_mark_before_back(reviewed):
    reviewed.mark({"201": "relevant"})
    reviewed.undo(["201"])
    assert carried(reviewed)["201"] == "wrong population"


def test_a_reason_that_a_mark_carries_is_removed_only_for_another(reviewed):
    reviewed.review.add_reason("editorial")
    with pytest.raises(SessionError, match="1 mark carries the reason 'wrong population'"):
        reviewed.review.remove_reason("wrong population")
    assert carried(reviewed)["201"] == "wrong population"
    reviewed.review.remove_reason("wrong population", replacement="editorial")
    assert carried(reviewed)["201"] == "editorial"


def test_a_reason_that_no_mark_carries_any_more_can_be_removed(reviewed):
    reviewed.undo(["201"])
    assert reviewed.review.remove_reason("wrong population").names == ()


def test_tags_that_differ_in_case_alone_are_one(reviewed):
    assert reviewed.review.tag(["204", "205"], add=["rct"]) == 1
    assert reviewed.review.remarks().tags["205"] == ("RCT",)


def test_a_tag_that_is_taken_off_is_gone_and_its_giving_is_kept(reviewed):
    reviewed.review.tag(["204"], remove=["rct"])
    assert reviewed.review.remarks().tags == {"204": ("ask Ann",), "201": ("RCT", "ask Ann")}
    assert [change.is_given for change in reviewed.review.tag_history()] == [1, 1, 1, 1, 0]


def test_a_note_takes_the_place_of_the_one_before_and_an_empty_one_takes_it_back(reviewed):
    reviewed.review.note("204", "Third trial")
    assert reviewed.review.remarks().describe_notes("204") == "Third trial"
    reviewed.review.note("204", " ")
    assert reviewed.review.remarks().notes == {}
    assert len(reviewed.review.note_history()) == 3


def test_a_note_that_is_too_long_is_refused(session):
    with pytest.raises(SessionError, match="a note of 20,001 characters; at most 20,000 fit"):
        session.review.note("204", "x" * 20_001)


def test_criteria_are_kept_with_what_they_were_before(session, tmp_path):
    session.review.write_criteria("Adults.")
    session.review.write_criteria("Adults.\nTrials.")
    session.review.write_criteria("Adults.\nTrials.\n")
    with Session.open(tmp_path / "review.likewise", read_only=True) as again:
        assert again.review.criteria() == "Adults.\nTrials."
        assert [one.text for one in again.review.criteria_history()] == [
            *("Adults.", "Adults.\nTrials.")
        ]


def test_everything_written_is_in_the_json_of_a_session(reviewed, tmp_path):
    reviewed.review.write_criteria("Adults.")
    export_session(reviewed, tmp_path / "all.json")
    found = json.loads((tmp_path / "all.json").read_bytes())
    assert found["reasons"] == [{"number": 1, "name": "wrong population"}]
    assert [one["tag"] for one in found["tags"]] == ["RCT", "ask Ann"] * 2
    assert [one["text"] for one in found["notes"]] == ["Second trial;\nsee p. 3"]
    assert [one["text"] for one in found["criteria"]] == ["Adults."]
    assert [one["reason"] for one in found["marks"]] == ["wrong population", ""]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "xlsx", "ris", "nbib", "bib", "enw", "jsonl"])
def test_reasons_tags_and_notes_are_read_back_out_of_what_is_written(
    reviewed, tmp_path, library, suffix
):
    path = tmp_path / f"found.{suffix}"
    export_session(reviewed, path, library=library)
    marks = {mark.document.pmid: mark for mark in read_marks(path).marks}
    assert marks["201"].reason == "wrong population"
    assert marks["204"].tags == marks["201"].tags == ("RCT", "ask Ann")
    assert " ".join(marks["204"].note.split()) == "Second trial; see p. 3"


def test_what_a_file_says_of_a_paper_is_written_to_the_session(session, library):
    statement = Statement(
        POOL[0], "irrelevant", "here", reason="editorial", tags=("RCT",), note="see p. 3"
    )
    mark_papers(session, [statement], library=library)
    assert carried(session) == {"201": "editorial"}
    assert session.review.remarks().tags == {"201": ("RCT",)}
    assert session.review.remarks().describe_notes("201") == "see p. 3"


def test_if_a_part_of_what_a_file_says_can_t_be_written_nothing_is(session, library):
    good = Statement(POOL[0], "relevant", "here")
    bad = Statement(POOL[1], "relevant", "here", note="x" * 20_001)
    with pytest.raises(SessionError):
        mark_papers(session, [good, bad], library=library)
    assert session.current() == {}


def test_rayyan_s_reasons_are_read(tmp_path):
    path = tmp_path / "rayyan.ris"
    note = 'RAYYAN-INCLUSION: {"Ann"=>"Excluded"} | RAYYAN-EXCLUSION-REASONS: wrong population'
    path.write_text(f"TY  - JOUR\nTI  - On bees\nN1  - {note}\nER  - \n")
    assert [mark.reason for mark in read_marks(path).marks] == ["wrong population"]
