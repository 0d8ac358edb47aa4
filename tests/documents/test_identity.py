"""Which records are the same paper, and what becomes of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from documents.strategies import documents, words
from likewise.documents.document import Document, MeshHeading
from likewise.documents.identity import (
    LONGEST_KEPT,
    cache_short,
    clean_doi,
    clean_pmcid,
    clean_pmid,
    clean_year,
    ensure_id,
    find_doi_in_link,
    find_pmcid_in_link,
    find_pmcid_in_note,
    find_pmid_in_link,
    find_pmid_in_note,
    identity_keys,
    is_same_paper,
    measure_richness,
    merge,
    normalise_title,
    revise,
    settle,
    title_key,
)

LONG = "Inhaled corticosteroids for asthma in children"
SHORT = "Letter to the editor"

known = documents(
    {"title", "year", "pmid", "doi", "pmcid"},
    title=st.sampled_from([LONG, f"{LONG.upper()}.", SHORT, ""]),
    year=st.sampled_from([None, 2001, 2002]),
    pmid=st.sampled_from(["", "7", "8"]),
    doi=st.sampled_from(["", "10.1000/a", "10.1000/b"]),
    pmcid=st.sampled_from(["", "PMC1", "PMC2"]),
)
"""Records that are of the same paper often, and by chance."""
records = known | documents()


# --- the same paper


def test_equal_pmids_decide_over_different_dois():
    assert is_same_paper(Document(pmid="7", doi="10.1000/a"), Document(pmid="7", doi="10.1000/b"))


def test_different_pmids_decide_over_equal_dois():
    assert not is_same_paper(
        Document(pmid="7", doi="10.1000/a"), Document(pmid="8", doi="10.1000/a")
    )


def test_dois_decide_where_one_has_no_pmid():
    assert is_same_paper(Document(pmid="7", doi="10.1000/a"), Document(doi="10.1000/a"))


def test_different_dois_decide_over_equal_pmcids():
    one, other = Document(doi="10.1000/a", pmcid="PMC1"), Document(doi="10.1000/b", pmcid="PMC1")
    assert not is_same_paper(one, other)


def test_pmcids_decide_where_nothing_else_is_shared():
    assert is_same_paper(Document(pmid="7", pmcid="PMC1"), Document(doi="10.1000/a", pmcid="PMC1"))


def test_titles_decide_where_no_kind_of_identifier_is_shared():
    assert is_same_paper(
        Document(pmid="7", title=LONG, year=2001),
        Document(doi="10.1000/a", title=LONG.upper() + ".", year=2001),
    )


def test_equal_titles_do_not_outweigh_different_pmids():
    assert not is_same_paper(Document(pmid="7", title=LONG), Document(pmid="8", title=LONG))


def test_a_long_title_of_another_year_is_another_paper():
    assert not is_same_paper(Document(title=LONG, year=2001), Document(title=LONG, year=2002))


def test_a_short_title_is_no_evidence():
    assert not is_same_paper(Document(title=SHORT, year=2001), Document(title=SHORT, year=2001))


def test_two_empty_records_are_not_the_same_paper():
    assert not is_same_paper(Document(), Document())


def test_supplied_ids_are_no_evidence():
    assert not is_same_paper(Document(id="1"), Document(id="1"))


@given(one=records, other=records)
def test_being_the_same_paper_goes_both_ways(one, other):
    assert is_same_paper(one, other) == is_same_paper(other, one)


@given(one=records, other=records)
def test_records_of_the_same_paper_share_a_key(one, other):
    if is_same_paper(one, other):
        assert set(identity_keys(one)) & set(identity_keys(other))


# --- keys


def test_keys_are_identifiers_and_then_the_title():
    keys = identity_keys(Document(pmid="7", doi="10.1000/a", pmcid="PMC1", title=LONG, year=2001))
    assert [key.partition(":")[0] for key in keys] == ["pmid", "doi", "pmcid", "title"]


def test_a_short_title_gives_no_key():
    assert title_key(Document(title=SHORT, year=2001)) is None


@pytest.mark.parametrize(
    ("title", "letters"),
    [
        ("Étude: β-blockers!", "etudeβblockers"),
        ("CO<sub>2</sub> &amp; H<sub>2</sub>O", "co2h2o"),
        ("CO2 & H2O", "co2h2o"),
        ("", ""),
        ("...", ""),
        ("Straße", "strasse"),
        ("ﬁbrosis", "fibrosis"),
        ("p < 0.05 and q > 3", "p005andq3"),
    ],
)
def test_titles_are_compared_by_their_letters(title, letters):
    assert normalise_title(title) == letters


def test_a_number_that_is_no_character_ends_nothing():
    digits = "1" * 5000
    assert normalise_title(f"On &#{digits}; cats &#233;") == f"on{digits}catse"


# --- ids


def test_a_supplied_id_stays():
    assert ensure_id(Document(id="mine", pmid="7")).id == "mine"


@pytest.mark.parametrize(
    ("document", "made"),
    [
        (Document(pmid="7", doi="10.1000/a", pmcid="PMC1"), "7"),
        (Document(doi="10.1000/a", pmcid="PMC1"), "10.1000/a"),
        (Document(pmcid="PMC1", title=LONG), "PMC1"),
    ],
)
def test_an_id_is_made_of_the_best_identifier(document, made):
    assert ensure_id(document).id == made


def test_an_id_made_of_the_title_does_not_depend_on_case_or_marks():
    one, other = Document(title=LONG, year=2001), Document(title=f"{LONG.upper()}.", year=2001)
    assert ensure_id(one).id == ensure_id(other).id


def test_ids_made_of_titles_differ_by_year():
    assert ensure_id(Document(title=LONG, year=1)).id != ensure_id(Document(title=LONG, year=2)).id


def test_short_titles_of_different_authors_get_different_ids():
    one, other = (
        Document(title=SHORT, authors=("Doe, A",)),
        Document(title=SHORT, authors=("Roe, B",)),
    )
    assert ensure_id(one).id != ensure_id(other).id


def test_titles_without_letters_get_different_ids():
    assert ensure_id(Document(title="???")).id != ensure_id(Document(title="+++")).id


# --- merging


RICH = Document(id="r", title=LONG, abstract="Background.", doi="10.1000/a", year=2001)
POOR = Document(id="p", title="Inhaled steroids", doi="10.1000/a", pmcid="PMC1")


def test_the_richer_records_title_is_kept():
    assert merge(POOR, RICH).title == LONG


def test_what_the_richer_record_lacks_comes_from_the_other():
    assert merge(RICH, POOR).pmcid == "PMC1"


def test_the_first_id_is_kept():
    assert merge(POOR, RICH).id == "p"


def test_the_id_that_gives_way_becomes_an_alias():
    assert merge(POOR, RICH).other_ids == ("id:r",)


def test_equal_ids_make_no_alias():
    assert merge(POOR, replace(RICH, id="p")).other_ids == ()


def test_a_missing_id_makes_no_alias():
    assert merge(POOR, replace(RICH, id="")).other_ids == ()


def test_a_missing_id_is_taken_from_the_other():
    assert merge(replace(POOR, id=""), RICH).id == "r"


def test_aliases_of_both_are_kept_once_each():
    one, other = replace(POOR, other_ids=("a:1", "b:2")), replace(RICH, other_ids=("b:2", "c:3"))
    assert merge(one, other).other_ids == ("a:1", "b:2", "c:3", "id:r")


def test_the_kept_id_is_not_its_own_alias():
    renamed = merge(POOR, RICH)
    assert merge(RICH, renamed).other_ids == ("id:p",)


@pytest.mark.parametrize(
    ("field", "value"),
    [("volume", "12"), ("pages", "1-9"), ("publisher", "Invented Press"), ("date", "2001/03"),
     ("kind", "JOUR"), ("database", "Embase"), ("editors", ("Doe, A",)), ("series", "Air")],
)  # fmt: skip
def test_what_either_record_says_of_the_citation_is_kept(field, value):
    assert getattr(merge(RICH, replace(POOR, **{field: value})), field) == value


@pytest.mark.parametrize(
    ("field", "rich", "poor", "both"),
    [
        ("issn", ("2345-6789",), ("1234-5679", "2345-6789"), ("1234-5679", "2345-6789")),
        ("isbn", ("b",), ("a",), ("a", "b")),
        ("urls", ("https://b",), ("https://a", "https://b"), ("https://b", "https://a")),
        ("remarks", ("Read.",), ("Cited by 7",), ("Read.", "Cited by 7")),
        ("extra", (("ris:C1", "x"), ("ris:L1", "y")), (("ris:C1", "z"),),
         (("ris:C1", "x"), ("ris:C1", "z"), ("ris:L1", "y"))),
    ],
)  # fmt: skip
def test_numbers_addresses_remarks_and_further_tags_of_both_are_kept(field, rich, poor, both):
    one, other = replace(RICH, **{field: rich}), replace(POOR, **{field: poor})
    assert getattr(merge(one, other), field) == both
    assert getattr(merge(other, one), field) == both


def test_headings_are_not_mixed():
    one = replace(RICH, mesh=(MeshHeading("Asthma"),))
    assert merge(one, replace(POOR, mesh=(MeshHeading("Lung"),))).mesh == (MeshHeading("Asthma"),)


def test_of_records_with_equal_fields_the_one_with_more_text_is_richer():
    one, other = Document(abstract="Short."), Document(abstract="Rather longer.")
    assert merge(one, other).abstract == "Rather longer."


def test_what_has_no_order_is_put_in_one():
    told = Document(
        id="1", other_ids=("pii:S1", "mid:N2"), issn=("2", "1"), extra=(("b", "1"), ("a", "2"))
    )
    settled = settle(told)
    assert (settled.other_ids, settled.issn) == (("mid:N2", "pii:S1"), ("1", "2"))
    assert settled.extra == (("a", "2"), ("b", "1"))


def test_what_has_an_order_keeps_it():
    told = Document(id="1", authors=("B", "A"), keywords=("b", "a"), urls=("b", "a"))
    assert settle(told) == told


@given(document=documents())
def test_a_record_that_is_settled_stays_as_it_is(document):
    assert settle(settle(document)) == settle(document)


@given(document=documents())
def test_a_record_that_is_read_again_revises_nothing(document):
    settled = settle(document)
    assert revise(settled, settled) == merge(settled, settled) == settled


@given(document=documents())
def test_a_record_merged_with_itself_is_itself(document):
    in_order = replace(document, other_ids=tuple(sorted(document.other_ids)))
    assert merge(document, document) == in_order


@given(one=documents(), other=documents())
def test_merging_again_changes_nothing(one, other):
    merged = merge(one, other)
    assert merge(merged, other) == merged


def test_a_newer_edition_holds_even_where_it_says_less():
    assert revise(RICH, POOR).title == "Inhaled steroids"


def test_a_revised_record_keeps_its_id():
    assert revise(RICH, POOR).id == "r"


@given(one=documents(), other=documents())
def test_the_richer_record_wins_in_either_order(one, other):
    if measure_richness(one) != measure_richness(other):
        blank = {"id": "", "other_ids": ()}
        assert replace(merge(one, other), **blank) == replace(merge(other, one), **blank)


@given(one=documents(), other=documents())
def test_a_merged_record_is_at_least_as_rich_as_both(one, other):
    assert measure_richness(merge(one, other)) >= max(
        measure_richness(one), measure_richness(other)
    )


# --- identifiers as people write them


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("10.1000/ABC", "10.1000/abc"),
        ("doi:10.1000/abc", "10.1000/abc"),
        ("https://dx.doi.org/10.1000/abc", "10.1000/abc"),
        ("(10.1000/abc).", "10.1000/abc"),
        ("10.1016/0003-4916(63)90068-X", "10.1016/0003-4916(63)90068-x"),
        ("10.1016/s0140(01)", "10.1016/s0140(01)"),
        ('see "10.1000/abc").', "10.1000/abc"),
        ("10.1002/(SICI)1097(19980815)17:15<1661::AID-SIM968>3.0.CO;2-2",
         "10.1002/(sici)1097(19980815)17:15<1661::aid-sim968>3.0.co;2-2"),
        ("10.1000.10/123", "10.1000.10/123"),
        ("10.1000/abc [doi]", "10.1000/abc"),
        ("10.1000/abc[doi]", "10.1000/abc"),
        ("https://doi.org/10.1000/abc/", "10.1000/abc"),
        ('<a href="https://doi.org/10.1000/abc">here</a>', "10.1000/abc"),
        ("210.1000/abc", ""),
        ("10.1000/", ""),
        ("10.1000/.", ""),
        ("version 10.2", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_dois_are_made_bare_and_lower_case(text, doi):
    assert clean_doi(text) == doi


@given(text=st.tuples(st.sampled_from(["", "doi:", "("]), words).map("10.1000/x".join))
def test_a_clean_doi_stays_as_it_is(text):
    assert clean_doi(clean_doi(text)) == clean_doi(text)


@pytest.mark.parametrize(
    ("text", "pmid"),
    [
        ("429554", "429554"),
        (" 0429554 ", "429554"),
        ("PMID: 429554", "429554"),
        ("pubmed:429554", "429554"),
        ("429554 [pmid]", "429554"),
        ("429554.0", "429554"),
        ("0", ""),
        ("", ""),
        ("-5", ""),
        ("1234567890", ""),
        ("PMC123", ""),
        ("10.1000/123", ""),
        ("1٢3", ""),
    ],
)
def test_pmids_are_made_bare(text, pmid):
    assert clean_pmid(text) == pmid


@pytest.mark.parametrize(
    ("text", "pmcid"),
    [
        ("PMC123", "PMC123"),
        ("pmc123.2", "PMC123"),
        ("123", "PMC123"),
        ("PMCID: PMC123", "PMC123"),
        ("PMC0", ""),
        ("PMC", ""),
        ("x123", ""),
        ("", ""),
        ("1" * 5000, ""),
    ],
)
def test_pmcids_get_their_letters(text, pmcid):
    assert clean_pmcid(text) == pmcid


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("2001", 2001),
        ("2001/03/12/", 2001),
        ("12 Mar 2001", 2001),
        ("20010312", 2001),
        ("1998-99", 1998),
        ("c1998", 1998),
        ("1499", None),
        ("2200", None),
        ("12345", None),
        ("", None),
    ],
)
def test_years_are_found_in_dates(text, year):
    assert clean_year(text) == year


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("http://dx.doi.org/10.5555/A", "10.5555/a"),
        ("https://doi.org/10.5555%2Fa", "10.5555/a"),
        ("doi: 10.5555/a", "10.5555/a"),
        ("10.5555/a", "10.5555/a"),
        ("https://example.org/10.5555/a/pdf", ""),
        ("", ""),
    ],
)
def test_dois(text, doi):
    assert find_doi_in_link(text) == doi


@pytest.mark.parametrize(
    ("text", "pmid"),
    [
        ("https://pubmed.ncbi.nlm.nih.gov/77/", "77"),
        ("http://www.ncbi.nlm.nih.gov/pubmed/77?dopt=Abstract", "77"),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC77", ""),
        ("https://example.org/77", ""),
    ],
)
def test_pmids(text, pmid):
    assert find_pmid_in_link(text) == pmid


@pytest.mark.parametrize(
    ("text", "pmcid"),
    [
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC77/pdf", "PMC77"),
        ("https://europepmc.org/article/PMC/PMC77", "PMC77"),
        ("10.5555/pmc77", ""),
    ],
)
def test_pmcids(text, pmcid):
    assert find_pmcid_in_link(text) == pmcid


@pytest.mark.parametrize(
    ("text", "pmid"),
    [
        ("PMID: 77", "77"),
        ("Publisher: Nobody\nPMID: 77\nPMCID: PMC8", "77"),
        ("PubMed ID: 77.", "77"),
        ("PMID=77", "77"),
        ("PMID 77", "77"),
        ("NLM UID: 5. PMID: NLM77.", "77"),
        ("PMID: 77. Comment on: J Cats. 2001;1:1. PMID: 5", "77"),
        ("Erratum in: J Cats. PMID: 5\nPMID: 77", "77"),
        ("Comment on: PMID: 5", ""),
        ("PMID: 77, PMID: 78", ""),
        ("See 77 in PubMed", ""),
        ("", ""),
    ],
)
def test_pmids_in_notes(text, pmid):
    assert find_pmid_in_note(text) == pmid


@pytest.mark.parametrize(
    ("text", "pmcid"), [("PMCID: PMC77", "PMC77"), ("PMCID: 77", "PMC77"), ("PMC77 is better", "")]
)
def test_pmcids_in_notes(text, pmcid):
    assert find_pmcid_in_note(text) == pmcid


def test_only_short_texts_are_remembered():
    asked = []

    @cache_short(10)
    def spell(text, last):
        asked.append(text)
        return text[0] + last

    long = "a" * (LONGEST_KEPT + 1)
    assert [spell("b", "c"), spell("b", "c"), spell(long, "c"), spell(long, "c")] == [
        *("bc", "bc"),
        *("ac", "ac"),
    ]
    assert asked == ["b", long, long]
