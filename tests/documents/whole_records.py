"""Whole citations: strategies for their fields, and one realistic invented record."""

import msgspec
from hypothesis import strategies as st

from documents.strategies import people, plain_words, several, texts, words
from likewise.documents import Document

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


ARTICLE = Document(
    id="okafor2014",
    title="Sleep and shift work in nurses: a cohort of 1,204 wards",
    abstract="AIMS: To see who sleeps. RESULTS: Nurses on night shifts sleep 50% less.",
    year=2014,
    authors=("Okafor, Ngozi Adaeze", "van Dam, Anna B.", "WARDS Study Group"),
    journal="Journal of Invented Sleep",
    doi="10.5555/jis.2014.7",
    pmid="90000077",
    pmcid="PMC9000077",
    keywords=("nurses", "shift work"),
    publication_types=("Comparative Study", "Journal Article"),
    language="English",
    kind="JOUR",
    volume="12",
    issue="2 Suppl",
    pages="10-19",
    issn=("0000-0019", "0000-0027"),
    publisher="Imaginary Press",
    place="Utrecht",
    date="2014/03/01",
    urls=("https://example.org/jis/7", "https://example.org/jis/7.pdf"),
    remarks=("Cited by 4", "Cohort of wards"),
    database="Sleepbase",
    accession="SB00012345",
)
"""An article of a journal, with all that a reference to it needs."""

CHAPTER = Document(
    id="lind2001",
    title="Wards at night",
    year=2001,
    authors=("Lind, Per",),
    journal="A Handbook of Dark Rooms",
    kind="CHAP",
    pages="101-118",
    isbn=("978-3-0000-0000-1",),
    series="Rooms of the World",
    edition="2nd",
    editors=("Okafor, Ngozi", "Moreau, Zoé"),
    publisher="Imaginary Press",
    place="Lund",
)
"""A chapter of a book with editors, in a series."""
