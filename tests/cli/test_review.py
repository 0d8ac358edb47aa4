import json

import pytest

from cli.screening import OFF_TOPIC, ON_TOPIC, begin, copied
from likewise.cli import run
from likewise.expansion.sessions.session import Session

ON, ALSO = ON_TOPIC[:2]
OFF = OFF_TOPIC[0]


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    return begin(tmp_path_factory.mktemp("begun"))


@pytest.fixture
def session(begun, tmp_path):
    return copied(begun, tmp_path)


@pytest.fixture
def ask(session, capsys):
    """Return what runs a command on the session; its output is read, or with --json parsed."""

    def ask(name, *arguments, code=0):
        assert run([name, session, *arguments]) == code
        found = capsys.readouterr()
        return json.loads(found.out) if "--json" in arguments else found

    return ask


def test_a_mark_with_a_new_reason_adds_it_to_the_list_and_says_so(ask):
    told = ask("mark", "--irrelevant", OFF, "--reason", "not on bees").err
    assert "not on bees: a new reason, added to the session's list" in told
    assert ask("reasons", "--json") == {"reasons": {"not on bees": 1}}


def test_a_mark_with_a_known_reason_says_nothing_of_it(ask):
    ask("reasons", "--add", "not on bees")
    assert "a new reason" not in ask("mark", "--irrelevant", OFF, "--reason", "NOT on bees").err


def test_a_reason_goes_with_what_is_irrelevant_alone(ask):
    told = ask("mark", "--relevant", ON, "--reason", "not on bees", code=2).err
    assert "--reason says why documents are irrelevant: give --irrelevant ID" in told


def test_reasons_are_renamed_removed_and_put_in_order(ask):
    ask("reasons", "--add", "a", "--add", "b", "--add", "c")
    found = ask("reasons", "--rename", "a", "z", "--remove", "b", "--order", "c", "--json")
    assert list(found["reasons"]) == ["c", "z"]


def test_a_reason_that_marks_carry_is_removed_only_for_another(ask):
    ask("mark", "--irrelevant", OFF, "--reason", "a")
    told = ask("reasons", "--add", "b", "--remove", "a", code=1).err
    assert "1 mark carries the reason 'a'; say which reason takes its place (--replace-by" in told
    assert ask("reasons", "--json") == {"reasons": {"a": 1}}
    found = ask("reasons", "--add", "b", "--remove", "a", "--replace-by", "b", "--json")
    assert found == {"reasons": {"b": 1}}


def test_without_reasons_it_is_said_how_to_add_one(ask, session):
    assert f"add one with: likewise reasons {session} --add NAME" in ask("reasons").err


def test_tags_are_given_taken_off_and_counted(ask):
    ask("tag", ON, ALSO, "--add", "RCT", "new")
    ask("tag", ALSO, "--remove", "rct")
    assert ask("tag", ON, ALSO, "--json")["tags"] == {ON: ["RCT", "new"], ALSO: ["new"]}
    assert ask("tag").out.splitlines() == ["1\tRCT", "2\tnew"]


def test_where_no_tag_may_be_seen_it_is_said_why(ask):
    ask("tag", ON, "--add", "rct", "--reviewer", "Ann")
    assert "no tags that you may see" in ask("tag", "--reviewer", "Bob").err


def test_an_unknown_id_is_named_and_the_others_are_tagged(ask):
    told = ask("tag", ON, "nothing", "--add", "RCT", code=1)
    assert "1 id not in the library: nothing" in told.err
    assert ask("tag", ON, "--json")["tags"] == {ON: ["RCT"]}


def test_tags_without_a_document_are_refused(ask):
    assert "no document to tag" in ask("tag", "--add", "RCT", code=2).err


def test_a_note_is_written_shown_and_taken_back(ask):
    ask("note", ON, "Second trial", "--reviewer", "Ann")
    assert ask("note", ON, "--reviewer", "ann").out == "Ann: Second trial\n"
    assert "no note on it" in ask("note", ON).err
    ask("note", ON, "", "--reviewer", "Ann")
    assert ask("note", ON, "--reviewer", "Ann", "--json")["notes"] == []


def test_criteria_are_kept_and_shown(ask, tmp_path):
    assert "no criteria are kept" in ask("criteria").err
    (tmp_path / "criteria.txt").write_text("Adults.\nBees.\n")
    ask("criteria", "--file", str(tmp_path / "criteria.txt"))
    assert ask("criteria").out == "Adults.\nBees.\n"
    assert ask("criteria", "Bees alone.", "--json") == {"criteria": "Bees alone."}


def test_a_file_of_criteria_that_is_not_there_is_one_line(ask):
    assert "none.txt: no such file" in ask("criteria", "--file", "none.txt", code=1).err


def test_what_is_exported_brings_reasons_tags_and_notes_to_another_session(
    ask, session, begun, tmp_path, capsys
):
    ask("mark", "--irrelevant", OFF, "--reason", "not on bees")
    ask("tag", OFF, "--add", "ants")
    ask("note", OFF, "Not this one")
    ask("export", "-o", str(tmp_path / "screened.csv"))
    (tmp_path / "other").mkdir()
    other = copied(begun, tmp_path / "other")
    assert run(["mark", other, str(tmp_path / "screened.csv")]) == 0
    with Session.open(other) as opened:
        assert opened.current()[OFF].reason == "not on bees"
        remarks = opened.review.remarks()
        assert (remarks.tags[OFF], remarks.describe_notes(OFF)) == (("ants",), "Not this one")


def test_next_shows_a_reviewer_what_only_another_has_marked(ask):
    (first,) = ask("next", "--count", "1", "--json")
    name = first["document"]["id"]
    ask("mark", "--relevant", name, "--reviewer", "Ann")
    assert ask("next", "--count", "1", "--reviewer", "Bob", "--json")[0]["document"]["id"] == name
    assert ask("next", "--count", "1", "--reviewer", "Ann", "--json")[0]["document"]["id"] != name


def test_undo_takes_back_the_mark_of_the_reviewer_who_asks(ask):
    ask("mark", "--relevant", ON, "--reviewer", "Ann")
    ask("mark", "--maybe", ON, "--reviewer", "Bob")
    assert ask("mark", "--undo", ON, "--reviewer", "Ann").out == f"{ON}: no longer relevant\n"
    assert "not marked" in ask("mark", "--undo", ON, code=1).err


def test_a_conflict_is_settled_and_opened_again(ask, session):
    ask("mark", "--relevant", ON, "--reviewer", "Ann")
    ask("mark", "--irrelevant", ON, "--reason", "ants", "--reviewer", "Bob")
    ask("mark", "--relevant", ON, "--settle", "--reviewer", "Cat")
    with Session.open(session) as opened:
        assert opened.current()[ON].label == "relevant"
    assert ask("mark", "--settle", "--undo", ON).out == f"{ON}: no longer relevant\n"
    with Session.open(session) as opened:
        assert opened.current()[ON].label == "maybe"
