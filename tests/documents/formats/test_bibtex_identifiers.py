"""The identifiers in a BibTeX entry."""

import pytest

from likewise.documents.formats.bibtex import other_ids_of, pmcid_of, pmid_of
from likewise.documents.formats.bibtex_syntax import BibtexEntry


def entry(**fields):
    return BibtexEntry(1, "article", "key", fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"pmid": "{77}"},
        {"pubmed_id": "77"},
        {"eprinttype": "pubmed", "eprint": "77"},
        {"url": "https://pubmed.ncbi.nlm.nih.gov/77/"},
        {"note": "{PMID:} 77"},
        {"note": "Cited by 5", "annote": "PMID: 77"},
    ],
    ids=str,
)
def test_pmids(fields):
    assert pmid_of(entry(**fields)) == "77"


def test_a_note_names_the_pmcid_on_the_line_of_the_pmid():
    assert pmcid_of(entry(note="PMID: 77 PMCID: PMC88")) == "PMC88"


def test_a_preprint_has_a_number_of_its_own():
    found = other_ids_of(entry(archiveprefix="arXiv", eprint="arXiv:2001.00001"))
    assert found == ("arxiv:2001.00001",)
