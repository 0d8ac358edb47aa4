"""PubMed's tagged format."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from documents.citations import cited_documents, settled
from documents.reading import lines_of, problems_in, read_data, read_path, read_text, written
from documents.strategies import other_ids, plain_words, several, texts
from likewise.documents import Document, MeshHeading
from likewise.documents.formats import nbib
from likewise.errors import ReadError


def read_one(*lines):
    (document,) = read_text(nbib, "\n".join(["PMID- 1", *lines, ""]))
    return document


# --- programs


def test_pubmed():
    first, _ = read_data(nbib, "pubmed_wrapped.nbib")
    assert first == Document(
        title="Feasibility of a nurse-led clinic for patients with gout: a mixed methods study in "
        "two invented towns.",
        abstract="OBJECTIVE: To see whether nurses can lead a clinic. METHODS: 60 patients with "
        "gout were seen by nurses for a year. RESULTS: Urate fell. CONCLUSION: They can.",
        year=2021,
        authors=("Fernandez, Lucia M", "Zhou, Wei", "Gout Clinic Group"),
        journal="Journal of made-up rheumatology",
        doi="10.5555/gout.2021.1",
        pmid="34560001",
        pmcid="PMC8560001",
        other_ids=("pii:S1234-5679(21)00001-1",),
        mesh=(
            MeshHeading("Gout", major=True),
            MeshHeading("Humans"),
            MeshHeading("Uric Acid", major=True),
        ),
        keywords=("gout", "nurse-led care"),
        publication_types=("Journal Article", "Research Support, Non-U.S. Gov't"),
        language="eng",
        pages="11-19",
        issn=("1234-5679",),
        date="2021/10/14",
        extra=(
            ("nbib:OWN", "NLM"),
            ("nbib:STAT", "MEDLINE"),
            ("nbib:DCOM", "20220105"),
            ("nbib:AD", "Department of Nowhere."),
            ("nbib:TA", "J Made Up Rheumatol"),
            ("nbib:MH", "Gout/drug therapy/*nursing"),
            ("nbib:OTO", "NOTNLM"),
            ("nbib:PST", "ppublish"),
            ("nbib:SO", "J Made Up Rheumatol. 2021 Oct 14;1(1):11-19. doi: 10.5555/gout.2021.1."),
        ),
    )


def test_a_title_that_is_not_available_gives_way_to_the_vernacular():
    _, second = read_data(nbib, "pubmed_wrapped.nbib")
    assert second == Document(
        title="Le pied plat de l'enfant.",
        year=1998,
        authors=("Dubois, PJ Jr",),
        pmid="34560002",
        language="fre",
        date="1998 Winter",
        extra=(("nbib:OWN", "NLM"), ("nbib:SO", "Rev Imag. 1998 Winter;3:4-5.")),
    )


def test_ovid():
    first, second = read_data(nbib, "ovid_numbered.nbib")
    assert first == Document(
        title="Light therapy in winter",
        year=2016,
        authors=("Berg, Anna",),
        journal="Seasonal Affairs of Medicine",
        doi="10.5555/sam.2016.3",
        pmid="29990003",
        language="English",
    )
    assert second.mesh == (MeshHeading("Melatonin", major=True),)


# --- quirks


@pytest.mark.parametrize("name", ["pubmed_no_blank_lines.nbib", "pubmed_double_spaced.nbib"])
def test_a_second_pmid_begins_a_record_with_and_without_blank_lines(name):
    assert [document.pmid for document in read_data(nbib, name)] == ["11", "12"]


def test_blank_lines_inside_a_record_do_not_cut_it():
    first, _ = read_data(nbib, "pubmed_double_spaced.nbib")
    assert first.title == "Every line has a blank one after it"


def test_a_record_without_pmid_does_not_take_that_of_the_next():
    first, second = read_text(nbib, "OWN - NLM\nTI  - One\n\nPMID- 2\nTI  - Two\n")
    assert (first.pmid, second.pmid) == ("", "2")


def test_a_doi_may_stand_in_the_source_only():
    (document,) = read_data(nbib, "pubmed_doi_in_so.nbib")
    assert document.doi == "10.5555/joe.2007.21"


def test_lines_that_lost_their_indent_still_go_on():
    assert read_one("TI  - Cats and", "IL-6 in the wild").title == "Cats and IL-6 in the wild"


def test_groups_keep_their_place_among_the_authors():
    lines = ["CN  - Cat Group", "FAU - Doe, Ann", "AU  - Doe A", "CN  - Dog Group"]
    assert read_one(*lines).authors == ("Cat Group", "Doe, Ann", "Dog Group")


@pytest.mark.parametrize(
    ("short", "name"),
    [
        ("Smith JA", "Smith, JA"),
        ("van der Berg J", "van der Berg, J"),
        ("King ML Jr", "King, ML Jr"),
        ("Plato", "Plato"),
        ("Doe, Ann", "Doe, Ann"),
    ],
)
def test_short_names_get_their_comma(short, name):
    assert read_one(f"AU  - {short}").authors == (name,)


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("Asthma", MeshHeading("Asthma")),
        ("*Asthma", MeshHeading("Asthma", major=True)),
        ("Asthma/drug therapy", MeshHeading("Asthma")),
        ("Asthma/drug therapy/*genetics", MeshHeading("Asthma", major=True)),
        ("*Asthma/genetics", MeshHeading("Asthma", major=True)),
    ],
)
def test_a_descriptor_is_major_if_it_or_a_qualifier_is(line, heading):
    assert read_one(f"MH  - {line}").mesh == (heading,)


def test_a_chapter_has_its_book_for_a_journal():
    document = read_one("BTI - The Book", "TI  - The Chapter")
    assert (document.title, document.journal) == ("The Chapter", "The Book")


def test_a_book_has_no_journal():
    document = read_one("BTI - The Book")
    assert (document.title, document.journal) == ("The Book", "")


def test_the_abbreviated_journal_serves_where_there_is_no_other():
    assert read_one("TA  - J Cats").journal == "J Cats"


def test_a_heading_with_qualifiers_is_written_as_it_was():
    lines = ["MH  - Gout/drug therapy/*nursing", "MH  - Humans", "MH  - *Uric Acid"]
    text = written(nbib, [read_one(*lines)]).decode()
    assert [line for line in text.splitlines() if line.startswith("MH")] == lines


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("VI  - 12", "volume", "12"),
        ("IP  - 3 Pt 1", "issue", "3 Pt 1"),
        ("PG  - e101-e9", "pages", "e101-e9"),
        ("IS  - 1234-567X (Linking)", "issn", ("1234-567X",)),
        ("ISBN- 978-3-16-148410-0", "isbn", ("978-3-16-148410-0",)),
        ("PB  - Invented Press", "publisher", "Invented Press"),
        ("PL  - Sweden", "place", "Sweden"),
        ("FED - Editor, Edith", "editors", ("Editor, Edith",)),
        ("CTI - Studies of Cats", "series", "Studies of Cats"),
        ("EN  - 2nd", "edition", "2nd"),
        ("DP  - 2021 Oct-Dec", "date", "2021 Oct-Dec"),
        ("GN  - NLM: Original DateCompleted: 19980305", "remarks",
         ("NLM: Original DateCompleted: 19980305",)),
        ("GN  - rank: 3", "remarks", ()),
        ("PHST- 2020/01/01 00:00 [received]", "extra",
         (("nbib:PHST", "2020/01/01 00:00 [received]"),)),
    ],
)  # fmt: skip
def test_tags(line, field, value):
    assert getattr(read_one(line), field) == value


def test_what_pubmed_says_is_written_again():
    originals = read_data(nbib, "pubmed_wrapped.nbib")
    assert settled(read_text(nbib, written(nbib, originals).decode())) == settled(originals)


# --- what is wrong


def test_a_file_without_records_fails(tmp_path):
    path = tmp_path / "notes.nbib"
    path.write_text("Only some notes.\n")
    with pytest.raises(ReadError, match=r"notes\.nbib: no PubMed record in it"):
        read_path(nbib, path)


def test_an_empty_record_is_a_problem_with_its_line():
    problems = problems_in(nbib, "PMID- 1\n\nPMID- \nOWN - NLM\n\nPMID- 3\n")
    assert [problem.line for problem in problems] == [3]


def test_the_source_knows_where_each_record_begins():
    assert lines_of(nbib, "\nPMID- 1\nTI  - One\n\n\nPMID- 2\n") == [2, 6]


# --- writing


def test_a_written_record():
    document = Document(
        id="a 1",
        title="Cats " * 20,
        year=2001,
        authors=("Doe, Ann-Marie B", "Cat Group"),
        pmid="7",
        doi="10.5555/x",
        mesh=(MeshHeading("Cats", ui="D002415", major=True),),
    )
    assert written(nbib, [document]).decode() == (
        "PMID- 7\n"
        "DP  - 2001\n"
        "TI  - Cats Cats Cats Cats Cats Cats Cats Cats Cats Cats Cats Cats Cats Cats Cats Cats\n"
        "      Cats Cats Cats Cats\n"
        "FAU - Doe, Ann-Marie B\n"
        "AU  - Doe AMB\n"
        "CN  - Cat Group\n"
        "MH  - *Cats\n"
        "AID - 10.5555/x [doi]\n"
        "OID - likewise: a 1\n"
        "\n"
    )


def is_other(identifier):
    """Whether its scheme is not one that has a field of its own, to which it would be read."""
    return identifier.partition(":")[0] not in ("doi", "pmid", "pubmed", "medline")


def by_name(headings):
    return tuple({heading.name: heading for heading in headings}.values())


def without_an_empty_book(document):
    """The document, of no kind if there is no title to tell that it is a book or in one."""
    told = document.title and (document.kind == "BOOK" or document.journal)
    return document if told else replace(document, kind="")


names = st.tuples(plain_words, texts(0, 2).map(lambda text: text.replace("/", ""))).map(
    lambda pair: " ".join(" ".join(pair).split())
)
headings = st.builds(MeshHeading, name=names, major=st.booleans())
titles = texts().filter(lambda title: title.strip("[].").lower() != "not available")


@given(
    originals=st.lists(
        cited_documents(
            kind=st.sampled_from(["", "BOOK", "CHAP"]),
            title=titles,
            other_ids=several(other_ids.filter(is_other)),
            keywords=several(texts(1, 3).filter(lambda text: not text.startswith("*"))),
            mesh=st.lists(headings, max_size=4).map(by_name),
        ).map(without_an_empty_book),
        min_size=1,
        max_size=3,
    )
)
def test_what_is_written_is_read_back(originals):
    assert settled(read_text(nbib, written(nbib, originals).decode())) == settled(originals)
