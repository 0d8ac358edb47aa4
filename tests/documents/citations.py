"""Whole citations for tests: a document with all there is to cite, and strategies for more."""

from datetime import date

from hypothesis import strategies as st
from msgspec.structs import replace

from documents.strategies import (
    FIELDS,
    VALUES,
    authors,
    documents,
    has_no_field_of_its_own,
    other_ids,
    several,
    texts,
)
from likewise.documents import Document, MeshHeading
from likewise.documents.identity import settle

CITED = Document(
    id="own-17",
    title="Home oxygen for adults: a crossover trial",
    abstract="Oxygen was given at home. It helped most of them.",
    year=2021,
    authors=("Lindqvist, Maja Elisabet", "Okafor, Chidi B.", "Home Oxygen Group"),
    journal="Annals of Invented Pulmonology",
    doi="10.5555/aip.2021.17",
    pmid="34560017",
    pmcid="PMC8560017",
    other_ids=("cinahl:150000017", "pii:S1234-5679(21)00017-1"),
    mesh=(MeshHeading("Lung Diseases", major=True), MeshHeading("Oxygen")),
    keywords=("home care", "oxygen"),
    publication_types=("Journal Article", "Randomized Controlled Trial"),
    language="eng",
    kind="JOUR",
    volume="12",
    issue="3",
    pages="101-109",
    issn=("1234-5679", "2345-678X"),
    isbn=("978-3-16-148410-0",),
    series="Studies of Air",
    edition="2nd",
    editors=("Editor, Edith", "Van Dam, Bo"),
    publisher="Invented Press",
    place="Uppsala",
    date="2021/03/15",
    urls=("https://www.example.org/17", "https://www.example.org/17/more"),
    remarks=("Read by Ann; see table 2", "Cited by 7"),
    database="CINAHL",
    accession="150000017",
    references=("10900001", "10.5555/aip.2001.4", "10900002"),
)
"""A paper with everything that any format has a place for."""


def settled(papers):
    """The papers with their ids, and with what has no order in order."""
    return [settle(paper) for paper in papers]


plain = texts(1, 3).filter(lambda text: ";" not in text)
digits = st.integers(1, 9999).map(str)
halves = st.integers(0, 9999).map("{:04}".format)
issns = st.tuples(halves, halves).map("-".join)
isbns = st.integers(0, 9_999_999_999).map(lambda number: f"978{number:010d}")
pages = st.one_of(
    st.just(""),
    digits,
    st.tuples(digits, digits).filter(lambda pair: pair[0] != pair[1]).map("-".join),
    digits.map("e{}".format),
)
dates = st.one_of(
    st.just("2021/03"),
    st.dates(date(1500, 1, 1), date(2199, 12, 31)).map("{:%Y/%m/%d}".format),
    st.just("1998 Winter"),
)
CITATION = {
    "kind": st.sampled_from(["JOUR", "CHAP", "BOOK", "THES", "GEN"]),
    "volume": plain,
    "issue": plain,
    "pages": pages,
    "issn": several(issns, most=2),
    "isbn": several(isbns, most=2),
    "series": plain,
    "edition": plain,
    "editors": several(authors, most=2),
    "publisher": plain,
    "place": plain,
    "date": st.one_of(st.just(""), dates),
    "urls": several(st.integers(1, 99).map("https://www.example.org/{}".format), most=2),
    "remarks": several(st.integers(1, 99).map("See table {}; and the end".format), most=2),
}


def cited_documents(*without, **narrower):
    """Documents as RIS and its like hold them, without these fields."""
    values = VALUES | {
        "other_ids": several(other_ids.filter(has_no_field_of_its_own)),
        "keywords": several(plain),
        "publication_types": several(plain),
        "mesh": several(st.builds(MeshHeading, plain, major=st.booleans())),
    }
    values |= CITATION | narrower
    fields = FIELDS - {"source", *without}
    return documents(fields, **{n: v for n, v in values.items() if n in fields}).map(_agree)


def _agree(document):
    """The document with the year of its date, and with PubMed for the database of a PMID."""
    year = int(document.date[:4]) if document.date else document.year
    found = {"year": year}
    if document.pmid:
        found |= {"database": "PubMed", "accession": document.pmid}
    return replace(document, **found)
