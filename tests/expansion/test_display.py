import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.expansion import display
from likewise.expansion.display import Highlighter, choose_telling
from likewise.library.analysis import build_analyzer


def by_initial(words):
    """An analysis simple enough to work out by hand: a word's term is its first letter."""
    return [[word[0].lower()] for word in words]


def by_library(words):
    return list(map(build_analyzer().analyze, words))


@pytest.fixture
def highlighter():
    return Highlighter(by_initial)


def test_words_that_give_a_term_are_marked(highlighter):
    assert highlighter.mark("Dogs, and cats.", {"c"}) == "Dogs, and <mark>cats</mark>."


def test_pieces_say_which_of_them_gave_a_term(highlighter):
    assert highlighter.pieces("Dogs, and cats.", {"c"}) == [
        *(("Dogs, and ", False), ("cats", True), (".", False))
    ]
    assert highlighter.pieces("cat-cows", {"c"}) == [("cat-cows", True)]


def test_no_more_words_are_remembered_than_a_library_has(monkeypatch):
    analysed = []
    monkeypatch.setattr(display, "MOST_WORDS", 3)
    highlighter = Highlighter(lambda words: analysed.extend(words) or by_initial(words))
    for text in ("cats and dogs", "bees", "cats and bees", "bees"):
        assert highlighter.mark(text, {"b"}) == text.replace("bees", "<mark>bees</mark>")
    assert analysed == ["cats", "and", "dogs", "bees", "cats", "and", "bees"]


def test_an_empty_text_has_no_pieces(highlighter):
    assert highlighter.pieces("", {"c"}) == []


@given(text=st.text(max_size=40), terms=st.sets(st.sampled_from("abcd<&"), max_size=3))
def test_pieces_put_together_are_the_text_and_none_is_empty(text, terms):
    pieces = Highlighter(by_initial).pieces(text, terms)
    assert "".join(piece.text for piece in pieces) == text
    assert all(piece.text for piece in pieces)


def test_words_side_by_side_share_a_mark(highlighter):
    marked = highlighter.mark("big dogs bark; bees buzz-bite. Or", {"b", "d"})
    assert marked == "<mark>big dogs bark</mark>; <mark>bees buzz-bite</mark>. Or"


def test_text_without_terms_or_words_stays_as_it_is(highlighter):
    assert highlighter.mark("Dogs.", set()) == "Dogs."
    assert highlighter.mark(" ... ", {"d"}) == " ... "
    assert highlighter.mark("", {"d"}) == ""


def test_markup_in_a_text_is_escaped_inside_and_outside_of_marks(highlighter):
    marked = highlighter.mark("<b>dogs</b> & \"cats'", {"d", "b"})
    assert (
        marked
        == "&lt;<mark>b</mark>&gt;<mark>dogs</mark>&lt;/<mark>b</mark>&gt; &amp; &quot;cats&#x27;"
    )


def test_an_escape_is_no_word(highlighter):
    assert highlighter.mark("p < 1", {"l"}) == "p &lt; 1"


def test_terms_are_spelled_as_the_text_spells_them(highlighter):
    assert highlighter.spell(["g", "d", "x"], "Glucose in DNA, and dogs") == ["glucose", "DNA", "x"]


def test_what_all_abstracts_say_tells_nothing():
    said = build_analyzer().analyze("Studies of 69 patients showed significant results, p < 0.05")
    assert choose_telling(said) == ["patient"]


def test_of_several_words_one_that_tells_is_enough():
    assert choose_telling(["studi group", "rat studi", "2 3"]) == ["rat studi"]


def test_each_word_is_analysed_once():
    asked = []
    highlighter = Highlighter(lambda words: asked.extend(words) or [[word] for word in words])
    for _ in range(3):
        highlighter.mark("to be or not to be", {"be"})
    assert asked == ["to", "be", "or", "not"]


def test_marks_follow_the_analysis_of_the_library():
    highlighter = Highlighter(by_library)
    marked = highlighter.mark("Sjögren's diseases were not studied", {"sjogren", "diseas", "studi"})
    assert marked == (
        "<mark>Sjögren</mark>&#x27;s <mark>diseases</mark> were not <mark>studied</mark>"
    )


def test_two_thousand_abstracts_are_marked_in_about_a_second():
    abstracts = [" ".join(f"word{(n * 7 + k) % 9_973}" for k in range(200)) for n in range(2_000)]
    highlighter = Highlighter(by_library)
    started = time.process_time()
    for number, abstract in enumerate(abstracts):
        highlighter.mark(abstract, {f"word{number}", f"word{number + 1}"})
    assert time.process_time() - started < 3
