"""The identifiers of a RIS record, wherever programs put them.

No pattern here backtracks ("*+"), so the time grows no faster than the length of a value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any

from likewise.documents.document import Document
from likewise.documents.formats.tagged import TaggedRecord, one_line
from likewise.documents.identity import (
    clean_doi,
    clean_pmcid,
    clean_pmid,
    find_doi_in_link,
    find_pmcid_in_link,
    find_pmcid_in_note,
    find_pmid_in_link,
    find_pmid_in_note,
)

LINKS = ("UR", "LK", "L2", "L1", "L3")
CUSTOM = tuple(f"{letter}{digit}" for letter in "UC" for digit in range(1, 9))
_NOTES = ("N1", "M1", "M2")
# "PMID: 1", "PUBMED 1,EMBASE 2" (Cochrane), "MEDLINE:1" (Web of Science), "PMID: NLM1" (EBSCO).
_NAMED_PMID = re.compile(
    r"(?:^|[\s,;])(?:PMID|PubMed(?:\s*+ID)?+|MEDLINE)\W*+(?:NLM)?+(\d{1,9}+)(?!\w)", re.IGNORECASE
)
_MARKED_PMID = re.compile(r"\s*+(\d{1,9}+)\s*+\[pmid\]\s*+", re.IGNORECASE)
_MARKED_PMCID = re.compile(
    r"\s*+(?:PMCID\W*+)?+(PMC\d++)(?:\.\d++)?+\s*+(?:\[pmcid\])?+\s*+", re.IGNORECASE
)
_LINKED_PMID = re.compile(r"\s*+PM:\s*+0*+([1-9]\d{0,8}+)\s*+", re.IGNORECASE)
_EMBASE = re.compile(r"L\d{5,}+")
_SCHEME = re.compile(r"(?!https?:)[\w.-]++:(?=\S)")
_OVID_NUMBER = re.compile(r"\d{6,8}+")
_NOT_IN_SCHEME = re.compile(r"[^a-z0-9]++")
_PUBMED_NAME = re.compile(r"pubmed|medline|\bnlm\b")
_BETWEEN_NUMBERS = re.compile(r"[;\n]")


def find_identifiers(record: TaggedRecord) -> dict[str, Any]:
    """Return the identifiers of a paper, by the names of a document's fields."""
    customs, links = record.values(*CUSTOM), record.values(*LINKS)
    notes = "\n".join(record.values(*_NOTES))
    pmid = _find_pmid(record, customs, links) or find_pmid_in_note(notes)
    return {
        "doi": _find_doi(record, links),
        "pmid": pmid,
        "pmcid": _find_pmcid(customs, links) or find_pmcid_in_note(notes),
        "other_ids": _find_other_ids(record, pmid=pmid),
        "accession": _find_accession(record),
    }


def _find_doi(record: TaggedRecord, links: Sequence[str]) -> str:
    """Return the DOI from its own tag, else from where old exports put it, else from a link."""
    for value in chain(*map(record.values, ("DO", "M3", "L3"))):
        if doi := find_doi_in_link(value) or clean_doi(value):
            return doi
    return next((doi for value in links if (doi := find_doi_in_link(value))), "")


def _find_pmid(record: TaggedRecord, customs: Sequence[str], links: Sequence[str]) -> str:
    """Return the PMID, if something says that a number is one."""
    for value in customs:
        if found := _MARKED_PMID.fullmatch(value):
            return clean_pmid(found[1])
    accessions = [part for value in record.values("AN") for part in _split_accessions(value)]
    if accessions and _is_from_pubmed(record):
        for value in accessions:
            if len(value) < 9 and (pmid := clean_pmid(value)):
                return pmid
    for value in (*record.values("AN"), *customs):
        if found := _MARKED_PMID.fullmatch(value) or _NAMED_PMID.search(value):
            return clean_pmid(found[1])
    return _find_pmid_by_database(record) or next(
        (pmid for value in links if (pmid := _find_pmid_in_link(value))), ""
    )


def _find_pmcid(customs: Sequence[str], links: Sequence[str]) -> str:
    """Return the PMCID, whichever of the custom tags or links has it."""
    for value in customs:
        if found := _MARKED_PMCID.fullmatch(value):
            return clean_pmcid(found[1])
    return next((pmcid for value in links if (pmcid := find_pmcid_in_link(value))), "")


def _find_other_ids(record: TaggedRecord, *, pmid: str) -> tuple[str, ...]:
    """Return the databases' own accession numbers, each as "scheme:value"."""
    database = record.first("DB")
    found = [
        identifier
        for value in record.values("AN")
        for identifier in name_accessions(value, database=database, pmid=pmid)
    ]
    for value in map(one_line, record.values("U2")):
        if _EMBASE.fullmatch(value):
            found.append(f"embase:{value}")
        elif _SCHEME.match(value) and not _NAMED_PMID.search(value):
            found.append(value)
    return tuple(dict.fromkeys(found))


def _find_accession(record: TaggedRecord) -> str:
    """Return the number in the record's database; Embase gives its own in U2."""
    own = (value for value in map(one_line, record.values("U2")) if _EMBASE.fullmatch(value))
    return record.first("AN") or next(own, "")


def name_accessions(accession: str, *, database: str, pmid: str) -> list[str]:
    """Return the numbers in an accession number that are not the PMID, each as "scheme:value".

    >>> name_accessions("104800001", database="CINAHL Plus", pmid="")
    ['cinahl-plus:104800001']
    """
    scheme = _NOT_IN_SCHEME.sub("-", database.lower()).strip("-") or "accession"
    return [
        _add_scheme(value, scheme)
        for value in _split_accessions(accession)
        if not (_NAMED_PMID.search(value) or (pmid and clean_pmid(value) == pmid))
    ]


def tells_identifier(text: str, document: Document) -> bool:
    """Return whether a custom tag's value only repeats an identifier of the document."""
    if found := _MARKED_PMID.fullmatch(text):
        return clean_pmid(found[1]) == document.pmid
    if found := _MARKED_PMCID.fullmatch(text):
        return clean_pmcid(found[1]) == document.pmcid
    if document.pmid and clean_pmid(text) == document.pmid:
        return True
    return text in document.other_ids or f"embase:{text}" in document.other_ids


def is_pubmed_link(text: str) -> bool:
    """Return whether a link is a PMID as Reference Manager writes it, not an address."""
    return bool(_LINKED_PMID.fullmatch(text))


def is_pubmed_accession(document: Document) -> bool:
    """Return whether the accession number and its database are enough to read the PMID back."""
    return names_pubmed(document.database.lower()) and any(
        len(value) < 9 and clean_pmid(value) == document.pmid
        for value in _split_accessions(document.accession)
    )


def names_pubmed(said: str) -> bool:
    """Return whether a database's name, in lower case, is PubMed's."""
    return bool(_PUBMED_NAME.search(said)) and "embase" not in said


def _find_pmid_by_database(record: TaggedRecord) -> str:
    """Return the PMID from where its database puts it without saying that it is one."""
    # Embase gives its own number in U2 and PubMed's in C5.
    if any(_EMBASE.fullmatch(value.strip()) for value in record.values("U2")):
        return clean_pmid(record.first("C5"))
    database = record.first("DB").lower()
    if "scopus" in database:
        return clean_pmid(record.first("C2"))
    # Ovid may have no AN. EndNote's ID counts its records, so a short number is no PMID.
    if names_pubmed(database) and not record.first("AN"):
        number = record.first("ID")
        return clean_pmid(number) if _OVID_NUMBER.fullmatch(number) else ""
    return ""


def _find_pmid_in_link(value: str) -> str:
    found = _LINKED_PMID.fullmatch(value)
    return found[1] if found else find_pmid_in_link(value)


def _add_scheme(value: str, database: str) -> str:
    if _SCHEME.match(value):
        scheme, _, number = value.partition(":")
        return f"{scheme.lower()}:{number}"
    return f"central:{value}" if value.startswith("CN-") else f"{database}:{value}"


def _split_accessions(value: str) -> list[str]:
    return [text for part in _BETWEEN_NUMBERS.split(value) if (text := one_line(part))]


def _is_from_pubmed(record: TaggedRecord) -> bool:
    """Return whether the accession number is PubMed's."""
    said = " ".join(record.values("DB", "DP")).lower()
    # EndNote keeps PubMed's numbers in AN and C2, and often forgets the database.
    forgotten = any(_MARKED_PMCID.fullmatch(value) for value in record.values("C2"))
    return names_pubmed(said) if said else forgotten
