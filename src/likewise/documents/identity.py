"""The identity of a paper: its identifiers, and whether two records are of the same one.

The first kind of identifier that both records have decides: PMID, then DOI, then PMCID.
If they share no kind, the normalised title and the year decide.
"""

from __future__ import annotations

import hashlib
import html
import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache, wraps
from itertools import islice
from operator import itemgetter
from typing import Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import unquote

import msgspec

from likewise.documents.document import Document

# Two papers of one year called "Editorial" or "Letter to the editor" may well be different.
MIN_TITLE_LETTERS = 24
# No identifier is this long, and looking for one in such a text would take hours.
MAX_IDENTIFIER = 1000
LONGEST_KEPT = 500
"""Texts that come again and again are short; caches of longer ones would grow with the file."""

# No pattern here backtracks: "*+" and "++" give nothing back, and a search that fails fails at
# once, so the time grows no faster than the length of the text.
_MARKUP = re.compile(r"</?\w{1,4}>")
_NOT_ALNUM = bytes(code for code in range(128) if not chr(code).isalnum())
_DOI = re.compile(r"(?<![0-9.])10\.[0-9]{4,9}+(?:\.[0-9]++)*+/[^\s\"]++")
_AFTER_DOI = ".,;'/"
_DOI_LABEL = "[doi]"
_BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}
_PMID = re.compile(
    r"\s*+(?:(?:pmid|pubmed(?:\s*+id)?+)\W*+)?+0*+([1-9][0-9]{0,8}+)(?:\.0)?\s*+(?:\[.*\]\s*+)?+",
    re.IGNORECASE,
)
_PMCID = re.compile(
    r"\s*+(?:PMCID\W*+)?+(?:PMC)?+0*+([1-9][0-9]{0,8}+)(?:\.[0-9]++)?+\s*+", re.IGNORECASE
)
# A longer number is no character, and Python refuses to read one of thousands of digits.
_ENTITY = re.compile(
    r"&(?:#[0-9]{1,7}+(?![0-9])|#[xX][0-9a-fA-F]{1,6}+(?![0-9a-fA-F])|[A-Za-z][A-Za-z0-9]{1,31}+);?"
)
# These have no order of their own, so they are sorted.
_UNORDERED = ("other_ids", "issn", "isbn")
# Of these, the values of both records are kept.
_UNITED = ("issn", "isbn", "urls", "remarks", "extra")
# A year, alone or with month and day written right after it.
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|2[01]\d\d)(?:[01]\d[0-3]\d)?(?!\d)")


P = ParamSpec("P")
T = TypeVar("T")


def cache_short(
    size: int,
) -> Callable[[Callable[Concatenate[str, P], T]], Callable[Concatenate[str, P], T]]:
    """Return a decorator that lets a function cache its results for `size` short texts."""

    def decorate(function: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
        kept = lru_cache(size)(function)

        @wraps(function)
        def call(text: str, /, *args: P.args, **options: P.kwargs) -> T:
            chosen = kept if len(text) <= LONGEST_KEPT else function
            return chosen(text, *args, **options)  # type: ignore[arg-type]  # all can be hashed

        return call

    return decorate


def is_same_paper(one: Document, other: Document) -> bool:
    """Return whether two records describe the same paper."""
    for kind in ("pmid", "doi", "pmcid"):
        here, there = getattr(one, kind), getattr(other, kind)
        if here and there:
            return bool(here == there)
    key = title_key(one)
    return key is not None and key == title_key(other)


def identity_keys(document: Document) -> list[str]:
    """Return the keys under which another record of the same paper can be found.

    >>> from likewise.documents.document import Document
    >>> identity_keys(Document(id="x", pmid="7", doi="10.1/a"))
    ['pmid:7', 'doi:10.1/a']
    """
    keys = [
        f"{kind}:{value}" for kind in ("pmid", "doi", "pmcid") if (value := getattr(document, kind))
    ]
    key = title_key(document)
    return [*keys, key] if key else keys


def title_key(document: Document) -> str | None:
    """Return a key of the normalised title and the year, or None if the title says too little."""
    letters = normalise_title(document.title)
    if len(letters) < MIN_TITLE_LETTERS:
        return None
    digest = hashlib.blake2b(letters.encode(), digest_size=10).hexdigest()
    return f"title:{digest}:{document.year or ''}"


def normalise_title(title: str) -> str:
    """Return a title's letters and digits, without case, accents, marks and spaces.

    >>> normalise_title("[Sjögren's syndrome: a <i>review</i>.]")
    'sjogrenssyndromeareview'
    """
    plain = title
    if "&" in title:
        plain = _ENTITY.sub(lambda found: html.unescape(found[0]), title)
    plain = _MARKUP.sub("", plain) if "<" in plain else plain
    if plain.isascii():
        return plain.lower().encode().translate(None, _NOT_ALNUM).decode()
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", plain))).casefold()


def settle(document: Document, *, source: str = "") -> Document:
    """Return a record as it is kept: with an id, and with unordered lists sorted.

    So a record that is read again equals the one that was read before.

    Args:
        document: As it was read.
        source: Where it was read, if the record does not say so itself.
    """
    changed = _find_order(document)
    if not document.id:
        changed["id"] = _derive_id(document)
    if source and not document.source:
        changed["source"] = source
    return msgspec.structs.replace(document, **changed) if changed else document


def put_in_order(document: Document) -> Document:
    """Return a record with its further ids, numbers and tags sorted, each of them once."""
    changed = _find_order(document)
    return msgspec.structs.replace(document, **changed) if changed else document


def _find_order(document: Document) -> dict[str, Any]:
    """Return the sorted values of the fields that are not in order."""
    changed: dict[str, Any] = {
        name: ordered
        for name in _UNORDERED
        if len(values := getattr(document, name)) > 1
        and (ordered := tuple(sorted(set(values)))) != values
    }
    if len(document.extra) > 1:
        # The values of one tag keep their order.
        extra = tuple(sorted(dict.fromkeys(document.extra), key=itemgetter(0)))
        if extra != document.extra:
            changed["extra"] = extra
    return changed


def ensure_id(document: Document) -> Document:
    """Give an id to a document that has none; a supplied id is never overwritten."""
    if document.id:
        return document
    return msgspec.structs.replace(document, id=_derive_id(document))


def _derive_id(document: Document) -> str:
    return document.pmid or document.doi or document.pmcid or _make_id(document)


def _make_id(document: Document) -> str:
    said = f"{normalise_title(document.title)}:{document.year or ''}"
    if title_key(document) is None:
        # Two papers called "Editorial" must not become one because neither has an identifier.
        rest = (document.title, document.abstract, document.journal, *document.authors)
        said = "\n".join([said, *rest])
    return "made-" + hashlib.blake2b(said.encode(), digest_size=8).hexdigest()


def merge(kept: Document, other: Document) -> Document:
    """Merge two records of the same paper under the id of the first.

    The richer record's fields win; what it lacks comes from the other. The ISSNs, ISBNs,
    links, remarks and further tags of both are kept. The id that gives way is kept among
    `other_ids`, so that the paper is still found under it.
    """
    if measure_richness(other) > measure_richness(kept):
        return _combine(other, kept, identifier=kept.id)
    return _combine(kept, other, identifier=kept.id)


def revise(kept: Document, newer: Document) -> Document:
    """Merge a paper's record with a newer edition of it: the newer one's fields win."""
    return _combine(newer, kept, identifier=kept.id)


def fill(kept: Document, older: Document) -> Document:
    """Merge a paper's record with an older edition of it, which only fills gaps."""
    return _combine(kept, older, identifier=kept.id)


def _combine(winner: Document, loser: Document, *, identifier: str) -> Document:
    filled = {
        field: getattr(winner, field) or getattr(loser, field) for field in winner.__struct_fields__
    }
    for field in _UNITED:
        filled[field] = tuple(dict.fromkeys((*getattr(winner, field), *getattr(loser, field))))
    filled["id"] = identifier or winner.id or loser.id
    own = {"id:", f"id:{filled['id']}"}
    known = {*loser.other_ids, *winner.other_ids, f"id:{loser.id}", f"id:{winner.id}"}
    filled["other_ids"] = tuple(known - own)
    return put_in_order(msgspec.structs.replace(winner, **filled))


def measure_richness(document: Document) -> tuple[int, int]:
    """Measure how much a record tells: how many fields are filled, then how long its text is."""
    skipped = {"id", "source"}
    fields = [name for name in document.__struct_fields__ if name not in skipped]
    return sum(bool(getattr(document, name)) for name in fields), len(document.text)


def clean_doi(text: str) -> str:
    """Return the bare, lower-case DOI in a text, or "" if there is none.

    >>> clean_doi("https://doi.org/10.1000/XYZ.5.")
    '10.1000/xyz.5'
    """
    found = _DOI.search(text)
    doi, longer = found[0].lower() if found and len(found[0]) <= MAX_IDENTIFIER else "", ""
    while doi != longer:
        longer, doi = doi, doi.rstrip(_AFTER_DOI).removesuffix(_DOI_LABEL)
        opening = _BRACKETS.get(doi[-1:])
        if opening and doi.count(doi[-1]) > doi.count(opening):
            doi = doi[:-1]
    return doi if "/" in doi else ""


def clean_pmid(text: str) -> str:
    """Return the bare PMID in a text such as "PMID: 0123 [pubmed]", or "" if there is none.

    >>> clean_pmid("PMID: 429554")
    '429554'
    """
    found = _PMID.fullmatch(text) if len(text) <= MAX_IDENTIFIER else None
    return found[1] if found else ""


def clean_pmcid(text: str) -> str:
    """Return a PMCID as "PMC123", or "" if there is none.

    >>> clean_pmcid("pmc123.1")
    'PMC123'
    """
    found = _PMCID.fullmatch(text) if len(text) <= MAX_IDENTIFIER else None
    return f"PMC{found[1]}" if found else ""


def clean_year(text: str) -> int | None:
    """Return the first year between 1500 and 2199 in a text, or None.

    >>> clean_year("Winter 1998-99"), clean_year("n.d.")
    (1998, None)
    """
    found = _YEAR.search(text)
    return int(found[1]) if found else None


# Each of these looks only so far, or does not backtrack: no text can make it take hours.
_DOI_LINK = re.compile(r"(?:doi\.org/|\bdoi:\s{0,9})(10\.\S++|10%2e\S++)", re.IGNORECASE)
_PMID_LINK = re.compile(r"ncbi\.nlm\.nih\.gov/(?:m/)?(?:pubmed/)?0*+([1-9][0-9]{0,8}+)(?![0-9])")
_PMCID_LINK = re.compile(
    r"(?:ncbi\.nlm\.nih\.gov|europepmc\.org)/\S{0,200}?\b(PMC\d{1,9})(?!\w)", re.IGNORECASE
)
# Reference managers keep a number under its name; "NLM123" is EBSCO's way of writing it.
_PMID_NOTE = re.compile(
    r"(?<!\w)(?:(?:PMID|PubMed[ -]?ID)\s{0,9}[:=]?|PubMed\s{0,9}[:=])\s{0,9}(?:NLM)?0*+"
    r"([1-9][0-9]{0,8}+)(?!\w)",
    re.IGNORECASE,
)
_PMCID_NOTE = re.compile(r"(?<!\w)PMCID\s*+[:=]\s*+((?:PMC)?+[0-9]{1,9}+)(?!\w)", re.IGNORECASE)
# PubMed's notes about a paper name others by their numbers, and so may our own.
_OF_ANOTHER = re.compile(
    r"\b(?:comment|erratum|retraction|update|republished|summary for patients|"
    r"expression of concern)\s++(?:in|on|of|for|from|by)\b.*|\bcites\b.*"
    r"|(?:^|; |<p>)(?:words|nearest_seed): .*",
    re.IGNORECASE | re.MULTILINE,
)


def find_doi_in_link(text: str) -> str:
    """Return the DOI that a link to doi.org holds, or "".

    Publishers' own addresses hold DOIs too, but with words after them ("/abstract", ".pdf") that
    can't be told from the DOI, and a wrong DOI is worse than none.

    >>> find_doi_in_link("https://doi.org/10.1000%2FABC")
    '10.1000/abc'
    >>> find_doi_in_link("https://a.org/10.1000/abc/pdf")
    ''
    """
    if found := _DOI_LINK.search(text):
        return clean_doi(unquote(found[1][:MAX_IDENTIFIER]))
    alone = text.strip()
    is_doi = len(alone) <= MAX_IDENTIFIER and alone[:3] == "10." and alone[3:4].isdecimal()
    has_spaces = len(alone.split(None, 1)) > 1
    return clean_doi(unquote(alone)) if is_doi and "/" in alone and not has_spaces else ""


def find_pmid_in_link(text: str) -> str:
    """Return the PMID that a link to PubMed holds, or "".

    >>> find_pmid_in_link("https://pubmed.ncbi.nlm.nih.gov/429554/?from=x")
    '429554'
    """
    found = _PMID_LINK.search(text)
    return found[1] if found else ""


def find_pmcid_in_link(text: str) -> str:
    """Return the PMCID that a link to PubMed Central holds, or "".

    >>> find_pmcid_in_link("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC123/")
    'PMC123'
    """
    found = _PMCID_LINK.search(text)
    return clean_pmcid(found[1]) if found else ""


def find_pmid_in_note(text: str) -> str:
    """Return the PMID that a note names as such, or "" if it names none, or several.

    >>> find_pmid_in_note("PMID: 429554 PMCID: PMC123"), find_pmid_in_note("Comment on: PMID: 5")
    ('429554', '')
    """
    return _find_only(_PMID_NOTE, text)


def find_pmcid_in_note(text: str) -> str:
    """Return the PMCID that a note names as such, or "" if it names none, or several.

    >>> find_pmcid_in_note("PMID: 429554 PMCID: PMC123")
    'PMC123'
    """
    return clean_pmcid(_find_only(_PMCID_NOTE, text))


def _find_only(pattern: re.Pattern[str], text: str) -> str:
    if not pattern.search(text):
        return ""
    found = set(pattern.findall(_OF_ANOTHER.sub("", text)))
    return found.pop() if len(found) == 1 else ""


MOST_REFERENCES = 10_000
"""Of one paper: the longest list that a journal prints has some thousands."""


def list_references(found: Iterable[str]) -> tuple[str, ...]:
    """Return references as they are kept: each once, in their order, at most `MOST_REFERENCES`.

    >>> list_references(["7", "", "10.1000/abc", "7"])
    ('7', '10.1000/abc')
    """
    return tuple(islice(dict.fromkeys(filter(None, found)), MOST_REFERENCES))


def clean_reference(text: str) -> str:
    """Return the PMID if a text is one, or else the DOI in it, or "".

    >>> ways = ("10.1000/ABC", "doi:10.1000/abc", "https://doi.org/10.1000%2Fabc", "10.1000/abc.")
    >>> [clean_reference(way) for way in (*ways, "PMID: 007")]
    ['10.1000/abc', '10.1000/abc', '10.1000/abc', '10.1000/abc', '7']
    """
    return clean_pmid(text) or find_doi_in_link(text) or clean_doi(text)


def find_references(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the papers that cited references name by a PMID or a DOI, each once.

    A bare number does not count as a PMID: databases count references, and number them.

    >>> find_references(["Li A, 2001, J CATS, V1, P2, DOI 10.1000/ABC", "Berg T, 2002", "35"])
    ('10.1000/abc',)
    >>> find_references(["Li A. On cats. doi: 10.1000/abc. PMID: 429554"])
    ('429554',)
    """
    named = (find_pmid_in_note(line) or find_doi_in_link(line) or clean_doi(line) for line in lines)
    return list_references(named)
