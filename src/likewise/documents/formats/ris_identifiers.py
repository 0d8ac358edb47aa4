"""The identifiers in a RIS record: every database has its own tags for them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from likewise.documents.formats.links import (
    doi_in_link,
    pmcid_in_link,
    pmcid_in_note,
    pmid_in_link,
    pmid_in_note,
)
from likewise.documents.formats.tagged import one_line
from likewise.documents.identity import clean_doi, clean_pmcid, clean_pmid

if TYPE_CHECKING:
    from likewise.documents.formats.tagged import TaggedRecord

_LINKS = ("UR", "LK", "L2", "L1", "L3")
_CUSTOM = tuple(f"{letter}{digit}" for letter in "UC" for digit in range(1, 9))
_NOTES = ("N1", "M1", "M2")

# "PMID: 1", "PUBMED 1,EMBASE 2" (Cochrane), "MEDLINE:1" (Web of Science), "PMID: NLM1" (EBSCO).
_NAMED_PMID = re.compile(
    r"(?:^|[\s,;])(?:PMID|PubMed(?:\s*ID)?|MEDLINE)\W*(?:NLM)?(\d{1,9})(?!\w)", re.IGNORECASE
)
_MARKED_PMID = re.compile(r"\s*(\d{1,9})\s*\[pmid\]\s*", re.IGNORECASE)
_MARKED_PMCID = re.compile(r"\s*(?:PMCID\W*)?(PMC\d+)(?:\.\d+)?\s*(?:\[pmcid\])?\s*", re.IGNORECASE)
_LINKED_PMID = re.compile(r"\s*PM:\s*0*([1-9]\d{0,8})\s*", re.IGNORECASE)
_EMBASE = re.compile(r"L\d{5,}")
_WITH_SCHEME = re.compile(r"(?!https?:)[\w.-]+:\S.*")


def doi_of(record: TaggedRecord) -> str:
    """Return the DOI: of its own tag, else of those where old exports put it, else of a link."""
    for value in record.values("DO") + record.values("M3") + record.values("L3"):
        if doi := doi_in_link(value) or clean_doi(value):
            return doi
    return next((doi for value in record.values(*_LINKS) if (doi := doi_in_link(value))), "")


def pmid_of(record: TaggedRecord) -> str:
    """Return the PMID, where something says that a number is one."""
    for value in _accessions(record):
        if len(value) < 9 and _from_pubmed(record) and (pmid := clean_pmid(value)):
            return pmid
    for value in record.values("AN", *_CUSTOM):
        if found := _MARKED_PMID.fullmatch(value) or _NAMED_PMID.search(value):
            return clean_pmid(found[1])
    return (
        _pmid_by_database(record)
        or next((pmid for value in record.values(*_LINKS) if (pmid := _pmid_in_link(value))), "")
        or pmid_in_note("\n".join(record.values(*_NOTES)))
    )


def pmcid_of(record: TaggedRecord) -> str:
    """Return the PMCID, whichever of the custom tags or links has it."""
    for value in record.values(*_CUSTOM):
        if found := _MARKED_PMCID.fullmatch(value):
            return clean_pmcid(found[1])
    linked = (pmcid for value in record.values(*_LINKS) if (pmcid := pmcid_in_link(value)))
    return next(linked, "") or pmcid_in_note("\n".join(record.values(*_NOTES)))


def other_ids_of(record: TaggedRecord) -> tuple[str, ...]:
    """Return the databases' own accession numbers, each as "scheme:value"."""
    pmid = pmid_of(record)
    database = re.sub(r"[^a-z0-9]+", "-", record.first("DB").lower()).strip("-") or "accession"
    found = [
        _with_scheme(value, database)
        for value in _accessions(record)
        if not (_NAMED_PMID.search(value) or (pmid and clean_pmid(value) == pmid))
    ]
    for value in map(one_line, record.values("U2")):
        if _EMBASE.fullmatch(value):
            found.append(f"embase:{value}")
        elif _WITH_SCHEME.fullmatch(value) and not _NAMED_PMID.search(value):
            found.append(value)
    return tuple(dict.fromkeys(found))


def _pmid_by_database(record: TaggedRecord) -> str:
    """Return the PMID from where only one database puts it, without a word that it is one."""
    # Embase gives its own number in U2 and PubMed's in C5.
    if any(_EMBASE.fullmatch(value.strip()) for value in record.values("U2")):
        return clean_pmid(record.first("C5"))
    database = record.first("DB").lower()
    if "scopus" in database:
        return clean_pmid(record.first("C2"))
    # Ovid may have no AN. EndNote's ID counts its records, so a short number is no PMID.
    if _names_pubmed(database) and not record.first("AN"):
        number = record.first("ID")
        return clean_pmid(number) if re.fullmatch(r"\d{6,8}", number) else ""
    return ""


def _pmid_in_link(value: str) -> str:
    found = _LINKED_PMID.fullmatch(value)
    return found[1] if found else pmid_in_link(value)


def _with_scheme(value: str, database: str) -> str:
    if _WITH_SCHEME.fullmatch(value):
        scheme, _, number = value.partition(":")
        return f"{scheme.lower()}:{number}"
    return f"central:{value}" if value.startswith("CN-") else f"{database}:{value}"


def _accessions(record: TaggedRecord) -> list[str]:
    parts = (part for value in record.values("AN") for part in re.split(r"[;\n]", value))
    return [text for part in parts if (text := one_line(part))]


def _from_pubmed(record: TaggedRecord) -> bool:
    """Tell whether the accession number is PubMed's."""
    said = " ".join(record.values("DB", "DP")).lower()
    # EndNote keeps PubMed's numbers in AN and C2, and often forgets the database.
    forgotten = any(_MARKED_PMCID.fullmatch(value) for value in record.values("C2"))
    return _names_pubmed(said) if said else forgotten


def _names_pubmed(said: str) -> bool:
    return bool(re.search(r"pubmed|medline|\bnlm\b", said)) and "embase" not in said
