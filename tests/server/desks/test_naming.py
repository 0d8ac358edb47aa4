import re

from hypothesis import given
from hypothesis import strategies as st

from likewise.documents import Document
from likewise.server.desks.folder import (
    IDENTIFIER,
    LONGEST,
    NAMELESS,
    clean_name,
    is_identifier,
    make_identifier,
    make_name,
)


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
