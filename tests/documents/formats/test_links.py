"""Identifiers inside web addresses."""

import pytest

from likewise.documents.formats.links import doi_in_link, pmcid_in_link, pmid_in_link


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
    assert doi_in_link(text) == doi


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
    assert pmid_in_link(text) == pmid


@pytest.mark.parametrize(
    ("text", "pmcid"),
    [
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC77/pdf", "PMC77"),
        ("https://europepmc.org/article/PMC/PMC77", "PMC77"),
        ("10.5555/pmc77", ""),
    ],
)
def test_pmcids(text, pmcid):
    assert pmcid_in_link(text) == pmcid
