"""Documents for property tests: every field, every kind of character that papers hold.

Texts have no control characters, and single spaces only between words. A format that can't
hold a field leaves it out: `documents(fields=FIELDS - {"mesh"})`.
"""

from hypothesis import strategies as st

from likewise.documents import Document, MeshHeading

FIELDS = frozenset(Document.__struct_fields__)

# The marks that some format gives a meaning to come up often, so that it has to protect them.
MARKS = "\"'`,;:|{}[]()<>\\/%$&#~^_*=+-@!?."

characters = st.one_of(
    st.sampled_from("abcdeABCDE0123"),
    st.sampled_from(MARKS),
    st.sampled_from("éüñßøÅαβγµΔ漢字仮名–—“”’×±≤"),  # noqa: RUF001  # papers hold them
    st.characters(codec="utf-8", exclude_categories=("C", "Z")),
)
words = st.text(characters, min_size=1, max_size=8)
PLAIN = "abcdefghijklmnopqrstuvwxyzéüλ"
plain_words = st.text(st.sampled_from(PLAIN), min_size=1, max_size=8)


# What a spreadsheet would take for the beginning of a formula, or for the mark that it is none.
formula_marks = st.sampled_from(["=", "+", "-", "@", "'", "'=", "''-", "'@", "\uff1d", "'\uff0b"])


def texts(min_words: int = 0, max_words: int = 6):
    plain = st.lists(words, min_size=min_words, max_size=max_words).map(" ".join)
    return st.one_of(plain, plain, st.tuples(formula_marks, plain).map("".join))


def several(values, *, most: int = 4):
    return st.lists(values, max_size=most, unique=True).map(tuple)


years = st.one_of(st.none(), st.integers(1500, 2199))
pmids = st.one_of(st.just(""), st.integers(1, 99_999_999).map(str))
pmcids = st.one_of(st.just(""), st.integers(1, 9_999_999).map(lambda number: f"PMC{number}"))
dois = st.one_of(
    st.just(""),
    st.from_regex(r"10\.[1-9][0-9]{3}/[a-z0-9][a-z0-9._()-]{0,8}[a-z0-9]", fullmatch=True),
)
families = plain_words.map(str.capitalize)
people = st.tuples(families, families).map(", ".join)
groups = st.tuples(families, families).map(lambda pair: f"{pair[0]} {pair[1]} Group")
authors = st.one_of(people, people, groups)
headings = st.builds(
    MeshHeading,
    name=texts(1, 3),
    ui=st.one_of(st.just(""), st.integers(1, 999_999).map(lambda number: f"D{number:06d}")),
    major=st.booleans(),
)
other_ids = st.tuples(plain_words, words).map(":".join)

references = st.one_of(pmids, dois).filter(bool)

VALUES = {
    "id": st.one_of(st.just(""), words),
    "title": st.one_of(texts(1), texts(1), texts()),
    "abstract": texts(0, 12),
    "year": years,
    "authors": several(authors),
    "journal": texts(),
    "doi": dois,
    "pmid": pmids,
    "pmcid": pmcids,
    "other_ids": several(other_ids),
    "mesh": several(headings),
    "keywords": several(texts(1, 3)),
    "publication_types": several(texts(1, 3)),
    "language": st.sampled_from(["", "eng", "ger", "chi"]),
    "source": st.one_of(st.just(""), plain_words.map(lambda word: f"ris:{word}.ris")),
}


def documents(fields=FIELDS, **narrower):
    """Documents with nothing in the fields that are not named, and something to know them by.

    A format that holds only some values of a field names those: `documents(title=plain_words)`.
    """
    values = {name: values for name, values in (VALUES | narrower).items() if name in fields}
    return st.builds(Document, **values).filter(_says_something)


def has_no_field_of_its_own(identifier: str) -> bool:
    return identifier.partition(":")[0] not in ("doi", "pmid", "pubmed", "medline", "pmc")


def _says_something(document: Document) -> bool:
    return any((document.title, document.abstract, document.doi, document.pmid, document.pmcid))
