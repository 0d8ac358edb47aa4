"""Identifiers inside web addresses and notes, as reference managers leave them."""

from __future__ import annotations

import re
from urllib.parse import unquote

from likewise.documents.identity import MAX_IDENTIFIER, clean_doi, clean_pmcid

# Each of these looks only so far: a text made for it would take hours otherwise.
_DOI_LINK = re.compile(r"(?:doi\.org/|\bdoi:\s{0,9})(10\.\S+|10%2e\S+)", re.IGNORECASE)
_DOI_ALONE = re.compile(r"10\.\d+\S*/\S+")
_PMID_LINK = re.compile(r"ncbi\.nlm\.nih\.gov/(?:m/)?(?:pubmed/)?0*([1-9][0-9]{0,8})(?![0-9])")
_PMCID_LINK = re.compile(
    r"(?:ncbi\.nlm\.nih\.gov|europepmc\.org)/\S{0,200}?\b(PMC\d{1,9})(?!\w)", re.IGNORECASE
)

# Reference managers keep a number under its name; "NLM123" is EBSCO's way of writing it.
_PMID_NOTE = re.compile(
    r"(?<!\w)(?:(?:PMID|PubMed[ -]?ID)\s{0,9}[:=]?|PubMed\s{0,9}[:=])\s{0,9}(?:NLM)?0*"
    r"([1-9][0-9]{0,8})(?!\w)",
    re.IGNORECASE,
)
_PMCID_NOTE = re.compile(r"(?<!\w)PMCID\s*[:=]\s*((?:PMC)?[0-9]{1,9})(?!\w)", re.IGNORECASE)
# PubMed's notes about a paper name others by their numbers, and so may our own.
_OF_ANOTHER = re.compile(
    r"\b(?:comment|erratum|retraction|update|republished|summary for patients|"
    r"expression of concern)\s+(?:in|on|of|for|from|by)\b.*|\bcites\b.*"
    r"|(?:^|; |<p>)(?:words|nearest_seed): .*",
    re.IGNORECASE | re.MULTILINE,
)


def doi_in_link(text: str) -> str:
    """Return the DOI that a link to doi.org holds, or "".

    Publishers' own addresses hold DOIs too, but with words after them ("/abstract", ".pdf") that
    can't be told from the DOI, and a wrong DOI is worse than none.

    >>> doi_in_link("https://doi.org/10.1000%2FABC"), doi_in_link("https://a.org/10.1000/abc/pdf")
    ('10.1000/abc', '')
    """
    if found := _DOI_LINK.search(text):
        return clean_doi(unquote(found[1][:MAX_IDENTIFIER]))
    alone = text.strip()
    is_doi = len(alone) <= MAX_IDENTIFIER and _DOI_ALONE.fullmatch(alone)
    return clean_doi(unquote(alone)) if is_doi else ""


def pmid_in_link(text: str) -> str:
    """Return the PMID that a link to PubMed holds, or "".

    >>> pmid_in_link("https://pubmed.ncbi.nlm.nih.gov/429554/?from=x")
    '429554'
    """
    found = _PMID_LINK.search(text)
    return found[1] if found else ""


def pmcid_in_link(text: str) -> str:
    """Return the PMCID that a link to PubMed Central holds, or "".

    >>> pmcid_in_link("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC123/")
    'PMC123'
    """
    found = _PMCID_LINK.search(text)
    return clean_pmcid(found[1]) if found else ""


def pmid_in_note(text: str) -> str:
    """Return the PMID that a note names as such, or "" if it names none, or several.

    >>> pmid_in_note("PMID: 429554 PMCID: PMC123"), pmid_in_note("Comment on: PMID: 5")
    ('429554', '')
    """
    return _only(_PMID_NOTE, text)


def pmcid_in_note(text: str) -> str:
    """Return the PMCID that a note names as such, or "" if it names none, or several.

    >>> pmcid_in_note("PMID: 429554 PMCID: PMC123")
    'PMC123'
    """
    return clean_pmcid(_only(_PMCID_NOTE, text))


def _only(pattern: re.Pattern[str], text: str) -> str:
    if not pattern.search(text):
        return ""
    found = set(pattern.findall(_OF_ANOTHER.sub("", text)))
    return found.pop() if len(found) == 1 else ""
