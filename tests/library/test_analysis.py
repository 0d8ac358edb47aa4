"""How text becomes terms."""

from hypothesis import example, given
from hypothesis import strategies as st

from likewise.library.analysis import (
    MAX_TERM_BYTES,
    analyze_text,
    analyze_texts,
    build_analyzer,
    split_chunks,
)

# Mostly what papers are written in: arbitrary characters are hardly ever letters of two cases.
texts = st.text() | st.text("aAbS sßİΣςµÅé-_'.+\u00d7\u00a0\u0307\u2019\u03b1\u03c3Ω中Ж09٣²")


@given(texts)
@example("x" * (MAX_TERM_BYTES - 1) + " " + "x" * MAX_TERM_BYTES + "—insulin")
@example("The patient's Sjögren-like \u0391Σ.\u0391 İ_IL-6 1.5\u00d710²")
def test_the_terms_of_a_text_are_those_of_its_chunks(text):
    analyze = build_analyzer().analyze
    assert [term for chunk in split_chunks(text) for term in analyze(chunk)] == analyze(text)


def test_chunks_end_at_ascii_signs_and_are_in_lower_case():
    assert split_chunks("IL-6_x (μg/ml)\nSjögren\u2019s") == [
        "il",
        "6",
        "x",
        "μg",
        "ml",
        "sjögren\u2019s",
    ]


def test_half_a_character_is_part_of_a_chunk():
    assert split_chunks("a\ud800b c") == ["a\ud800b", "c"]


def test_many_words_are_analysed_together_as_each_alone():
    words = ["Treated", "the", "IL-6", "", "Sjögren", "zqxend"] * 400
    assert analyze_texts(words[:1900]) == [list(analyze_text(word)) for word in words[:1900]]
    assert analyze_texts(words[:5] * 400) == [list(analyze_text(word)) for word in words[:5] * 400]
