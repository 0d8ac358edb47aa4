import os
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.documents import Document
from likewise.errors import SessionError
from likewise.expansion.sessions.session import Session
from likewise.server.desks import folder
from likewise.server.desks.folder import (
    IDENTIFIER,
    LONGEST,
    NAMELESS,
    Heads,
    clean_name,
    is_identifier,
    make_identifier,
    make_name,
)
from server.desks.samples import session_in


def test_new_identifiers_are_ids_and_differ():
    made = {make_identifier() for _ in range(100)}
    assert len(made) == 100
    assert all(is_identifier(one) for one in made)


def test_what_leads_out_of_the_folder_is_no_identifier():
    assert not any(map(is_identifier, ["..", "a/b", "a\\b", "a.b", "", "a\n", "é", "a" * 65]))


@given(st.text(max_size=70))
def test_the_pattern_of_addresses_says_the_same_as_the_check(text):
    said_by_schema = bool(re.search(IDENTIFIER, text)) and not text.endswith("\n")
    assert is_identifier(text) == said_by_schema


@given(st.text(max_size=200))
def test_a_clean_name_is_one_line_and_stays_as_it_is(text):
    once = clean_name(text)
    assert once.isprintable()
    assert clean_name(once) == once


def test_what_turns_text_around_is_taken_out_of_a_name():
    assert clean_name("cats\u202e and\x00 dogs") == "cats and dogs"


def test_a_session_is_called_like_its_first_seed_with_a_title():
    seeds = [Document(id="1"), Document(id="2", title="On  cats\n"), Document(title="On dogs")]
    assert make_name(seeds) == "On cats"


def test_a_long_title_is_cut_at_a_word():
    name = make_name([Document(title="word " * 40)])
    assert name == " ".join(["word"] * 15) + " …"


def test_a_title_of_one_long_word_is_cut_all_the_same():
    assert len(make_name([Document(title="w" * 300)])) == LONGEST


def test_seeds_without_titles_give_no_name():
    assert make_name([Document(id="7")]) == NAMELESS


@pytest.fixture
def reads(monkeypatch):
    """Which files are read."""
    read = []
    head_of = folder.read_head
    monkeypatch.setattr(
        folder, "read_head", lambda path, **more: read.append(path.stem) or head_of(path, **more)
    )
    return read


def set_time(path, seconds):
    os.utime(path, (seconds, seconds))


def test_a_head_says_what_a_session_holds(tmp_path):
    path = session_in(tmp_path, name="My review")
    with Session.open(path) as session:
        session.mark({"201": "relevant", "203": "irrelevant", "204": "maybe", "205": "maybe"})
    head = Heads(tmp_path).list_all().heads[0]
    assert (head.id, head.name, head.seeds, head.expansions) == ("abc", "My review", 4, 1)
    assert (head.relevant, head.irrelevant, head.maybe) == (1, 1, 2)


def test_the_session_changed_last_comes_first(tmp_path):
    for identifier, seconds in (("a", 100), ("b", 300), ("c", 200)):
        set_time(session_in(tmp_path, identifier), seconds)
    assert [head.id for head in Heads(tmp_path).list_all().heads] == ["b", "c", "a"]


def test_the_time_of_the_last_change_is_written_as_others_are(tmp_path):
    set_time(session_in(tmp_path), 1_700_000_000.25)
    assert Heads(tmp_path).list_all().heads[0].changed == "2023-11-14T22:13:20.250Z"


def test_a_session_without_a_name_is_called_like_its_file(tmp_path):
    session_in(tmp_path, "my-review")
    assert Heads(tmp_path).list_all().heads[0].name == "my-review"


def test_files_that_did_not_change_are_not_read_again(tmp_path, reads):
    listed = Heads(tmp_path)
    path = session_in(tmp_path, "a")
    session_in(tmp_path, "b")
    listed.list_all()
    reads.clear()
    with Session.open(path) as session:
        session.mark({"201": "relevant"})
    assert {head.id: head.relevant for head in listed.list_all().heads} == {"a": 1, "b": 0}
    assert reads == ["a"]


def test_what_was_deleted_is_listed_no_more(tmp_path):
    listed = Heads(tmp_path)
    path = session_in(tmp_path)
    listed.list_all()
    path.unlink()
    assert listed.list_all().heads == []


def test_a_file_that_is_no_session_has_a_line_of_its_own_and_breaks_nothing(tmp_path):
    session_in(tmp_path, "good")
    (tmp_path / "bad.likewise").write_text("hello")
    listing = Heads(tmp_path).list_all()
    assert [head.id for head in listing.heads] == ["good"]
    assert len(listing.unreadable) == 1
    assert listing.unreadable[0].startswith("bad.likewise: not a session")
    assert str(tmp_path) not in listing.unreadable[0]


def test_a_session_that_could_not_be_read_for_a_while_is_listed_after_it(tmp_path, monkeypatch):
    session_in(tmp_path)
    listed = Heads(tmp_path)

    def locked(path, **_more):
        raise SessionError(f"{path}: another program has been writing to it for 30 seconds")

    with monkeypatch.context() as patch:
        patch.setattr(folder, "read_head", locked)
        assert len(listed.list_all().unreadable) == 1
    assert ([head.id for head in listed.list_all().heads], listed.list_all().unreadable) == (
        ["abc"],
        [],
    )


def test_a_session_whose_file_is_called_otherwise_is_told_of(tmp_path):
    session_in(tmp_path).rename(tmp_path / "my review.likewise")
    assert Heads(tmp_path).list_all().unreadable == [
        "my review.likewise: rename it; letters, digits, - and _ are allowed"
    ]


def test_other_files_are_not_looked_at(tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "abc.likewise-journal").write_text("hello")
    assert Heads(tmp_path).list_all() == ([], [])


def test_a_link_that_leads_to_itself_is_told_of_and_breaks_nothing(tmp_path):
    session_in(tmp_path, "good")
    (tmp_path / "loop.likewise").symlink_to("loop.likewise")
    listing = Heads(tmp_path).list_all()
    assert [head.id for head in listing.heads] == ["good"]
    assert listing.unreadable == ["loop.likewise: can't be read: too many levels of symbolic links"]


def test_names_that_are_no_text_are_told_of_in_a_line_that_can_be_sent(tmp_path):
    for name in (b"a\nb\x1b.likewise", b"\xff.likewise"):
        (tmp_path / os.fsdecode(name)).write_bytes(b"")
    first, second = (line.encode() for line in Heads(tmp_path).list_all().unreadable)
    assert first.startswith(b".likewise: rename it;")
    assert second.startswith(b"a b .likewise: rename it;")
