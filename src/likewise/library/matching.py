"""What records of one paper have in common, and the ids that they are kept under.

An id that a record came with may be another paper's. Then one is made for it, and the first is kept
among its further ids as `supplied:`, so that the record can be told again. An id that gives way in
a merge is kept there as `id:`, and the paper is still found under it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from likewise.documents import Document
from likewise.documents.identity import (
    MIN_TITLE_LETTERS,
    ensure_id,
    identity_keys,
    is_same_paper,
    merge,
    normalise_title,
    put_in_order,
)
from likewise.library.editions import find_dated_source, is_dated
from likewise.library.paper_notes import list_identifiers

# "No abstract available" is no evidence of being the same paper.
MIN_ABSTRACT = 100
KINDS = ("pmid", "doi", "pmcid")
_SUPPLIED = "supplied:"
_MADE = "made-"


def keep_identifiers(paper: Document, *records: Document) -> Document:
    """Return a paper that is found under all identifiers of its records.

    Records that a person has joined may have different PMIDs, and a document has one.
    """
    own = list_identifiers(paper)
    further = {name for record in records for name in list_identifiers(record)} - set(own)
    others = [name for name in paper.other_ids if name not in own]
    return put_in_order(msgspec.structs.replace(paper, other_ids=(*others, *further)))


def says_the_same(result: Document, known: Document) -> bool:
    """Tell whether a paper is as it was, but for what has no order, and for which file it is of.

    A source that tells the edition of PubMed's record is no matter of chance.
    """
    source = result.source if is_dated(result) else known.source
    return put_in_order(known) == put_in_order(msgspec.structs.replace(result, source=source))


def explain_match(paper: Document, document: Document) -> str:
    """Return what two records of a paper have in common: pmid, doi, pmcid, title or id.

    >>> explain_match(Document(id="1", pmid="7", doi="10.1/a"), Document(id="2", doi="10.1/a"))
    'doi'
    """
    for kind in KINDS:
        if getattr(paper, kind) and getattr(paper, kind) == getattr(document, kind):
            return kind
    return "title" if is_same_paper(paper, document) else "id"


def rank_match(paper: Document, document: Document) -> tuple[bool, int, str]:
    """Return what papers that a record may be the same as are sorted by, the likeliest first."""
    order = (*KINDS, "title", "id")
    return paper.id != document.id, order.index(explain_match(paper, document)), paper.id


def merge_records(known: Document, other: Document) -> Document:
    """Make one record of two of the same paper, under the id of the first."""
    merged = merge(known, other)
    if merged.id != merged.pmid:
        # It is a person's own record: the next edition is that of the file which it is from.
        return merged
    return msgspec.structs.replace(merged, source=find_dated_source(merged, known, other))


def is_same_by_id_and_text(paper: Document, document: Document) -> bool:
    """Tell whether records that nothing else identifies are editions of one: by id and text."""
    if paper.id != document.id or not set(_list_kinds(paper)).isdisjoint(_list_kinds(document)):
        return False
    if paper.text == document.text:
        return True
    title, abstract = normalise_title(paper.title), paper.abstract
    same_title = title == normalise_title(document.title) and len(title) >= MIN_TITLE_LETTERS
    return same_title or (abstract == document.abstract and len(abstract) >= MIN_ABSTRACT)


def _list_kinds(document: Document) -> list[str]:
    return [kind for kind in KINDS if getattr(document, kind)]


def give_ruled_id(document: Document, identifier: str, *, is_taken: bool) -> Document:
    """Return a record under the id of the paper that a person gave it to."""
    if document.id == identifier:
        return document
    # The paper is found under the record's own id too, unless that is another's.
    alias = f"{_SUPPLIED if is_taken else 'id:'}{document.id}"
    others = (*document.other_ids, alias)
    return put_in_order(msgspec.structs.replace(document, id=identifier, other_ids=others))


def give_made_id(document: Document) -> Document:
    """Return a record under an id that is made for it, since its own is another paper's."""
    others = (*document.other_ids, f"{_SUPPLIED}{document.id}")
    made = make_id(document, identity_keys(document))
    return put_in_order(msgspec.structs.replace(document, id=made, other_ids=others))


def restore_id(document: Document) -> Document:
    """Return the record that a paper was made of, under the id that it came with."""
    supplied = [other for other in document.other_ids if other.startswith(_SUPPLIED)]
    if len(supplied) != 1 or not document.id.startswith(_MADE):
        return document
    others = tuple(other for other in document.other_ids if other not in supplied)
    return msgspec.structs.replace(
        document, id=supplied[0].removeprefix(_SUPPLIED), other_ids=others
    )


def make_id(document: Document, identity: Sequence[str]) -> str:
    """Return an id for a record whose own is taken, made of the first of its identity keys."""
    # Not the PMID itself or the like: that may be the id of another paper.
    if identity:
        return _MADE + hashlib.blake2b(identity[0].encode(), digest_size=8).hexdigest()
    return ensure_id(msgspec.structs.replace(document, id="")).id
