"""Whole citations: strategies for their fields; whole records are those that are attacked too."""

import msgspec
from hypothesis import strategies as st

from documents.strategies import people, plain_words, several, texts, words

phrases = st.lists(plain_words, max_size=3).map(" ".join)
numbers = st.one_of(st.just(""), st.integers(1, 999).map(str))
pages = st.one_of(
    st.just(""),
    st.tuples(st.integers(1, 99), st.integers(100, 200)).map(lambda pair: f"{pair[0]}-{pair[1]}"),
    st.integers(1, 99).map(lambda number: f"e{number}"),
)
CITATION = {
    "kind": st.sampled_from(["JOUR", "BOOK", "CHAP", "CPAPER", "THES", "RPRT", "GEN"]),
    "volume": numbers,
    "issue": numbers,
    "pages": pages,
    "issn": several(st.from_regex(r"[0-9]{4}-[0-9]{3}[0-9X]", fullmatch=True), most=2),
    "isbn": several(st.from_regex(r"978-[0-9]-[0-9]{4}-[0-9]{4}-[0-9]", fullmatch=True), most=2),
    "series": phrases,
    "edition": phrases,
    "editors": several(people, most=3),
    "publisher": phrases,
    "place": phrases,
    "urls": several(
        plain_words.map(lambda word: f"https://example.org/{word.encode().hex()}"), most=3
    ),
    "remarks": several(plain_words.map(lambda word: f"said {word}"), most=3),
    "database": phrases,
    "accession": numbers,
}
"""What documents hold beside what they always held: give it to `documents(**CITATION)`."""


EXTRA = several(st.tuples(words.map(lambda word: f"csv:{word}"), texts()), most=3)
"""What no field is for; only our own formats hold it whatever its tag is."""


def add_date(document):
    """The document with a day of its year, as all formats know dates."""
    date = f"{document.year}/03/{1 + len(document.title) % 28:02}" if document.year else ""
    return msgspec.structs.replace(document, date=date)
