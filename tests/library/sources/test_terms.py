"""Terms to search a source for."""

import math
from importlib.resources import files

import pytest

from likewise.documents import Document
from likewise.documents.document import MeshHeading
from likewise.library.sources import SearchTerm
from likewise.library.sources.terms import TABLE, load_frequencies, pick_best, weigh_terms

PAPERS = [
    Document(title="Insulin in the liver", abstract="We studied patients and gluconeogenesis."),
    Document(title="Insulin and rats", abstract="In patients, gluconeogenesis was studied."),
    Document(title="Insulin again", abstract="A single remark on caries in patients."),
]


def test_the_table_is_under_a_megabyte_and_of_real_records():
    packed = files("likewise.library.sources").joinpath(TABLE).read_bytes()
    table = load_frequencies()
    assert len(packed) < 1_000_000
    assert (table.texts, table.abstracts["patients"] > table.abstracts["insulin"] > 100) == (
        33277, True,
    )  # fmt: skip


def test_what_all_papers_have_and_few_records_is_worth_most():
    assert pick_best(weigh_terms(PAPERS), 1) == [SearchTerm("insulin")]


def test_a_term_weighs_its_worth_divided_by_its_idf():
    # Both papers have it, so it is worth ln(1 / b), with b the share of records that do.
    table, term = load_frequencies(), SearchTerm("caries")
    count = table.abstracts["caries"]
    worth = math.log((table.texts + 2) / (count + 1))
    idf = math.log(1 + (table.texts - count + 0.5) / (count + 0.5))
    papers = [Document(title="x", abstract="caries")] * 2
    assert weigh_terms(papers)[term] == pytest.approx(worth / idf, rel=0.02)


def test_a_word_of_one_paper_alone_is_no_term():
    assert SearchTerm("caries") not in weigh_terms(PAPERS)


def test_of_a_single_paper_every_word_counts():
    assert SearchTerm("caries") in weigh_terms(PAPERS[2:])


def test_headings_are_terms_of_their_own():
    indexed = [Document(title="X", mesh=(MeshHeading(name="Liver Glycogen"),))] * 2
    assert SearchTerm("Liver Glycogen", is_heading=True) in weigh_terms(indexed)


def test_papers_that_count_more_have_more_to_say():
    light = weigh_terms([*PAPERS, PAPERS[2]], [1, 1, 0.1, 0.1])
    heavy = weigh_terms([*PAPERS, PAPERS[2]], [1, 1, 5, 5])
    caries = SearchTerm("caries")
    assert light[caries] < heavy[caries]


def test_a_word_of_titles_is_worth_more_than_one_of_abstracts():
    titled = weigh_terms([Document(title="caries", abstract="x")] * 2)
    buried = weigh_terms([Document(title="x", abstract="caries")] * 2)
    caries = SearchTerm("caries")
    assert titled[caries] == pytest.approx(2 * buried[caries])
