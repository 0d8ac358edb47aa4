"""Identifiers inside web addresses and notes."""

import pytest

from likewise.documents.identity import (
    find_doi_in_link,
    find_pmcid_in_link,
    find_pmcid_in_note,
    find_pmid_in_link,
    find_pmid_in_note,
)


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
