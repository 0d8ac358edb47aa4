"""Notices about a paper: that it was retracted, doubted or corrected, or is such a notice itself.

PubMed says so by publication types and by pointers between records (`CommentsCorrections` in XML,
a tag such as RIN in its tagged format). Pointers are kept among a document's further tags under
the tagged format's names, so that a paper reads the same whichever way it came. Other databases
have the publication types alone, and publishers put "RETRACTED:" before the title.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from likewise.documents.document import Document

NoticeKind = Literal["retracted", "doubted", "notice", "corrected"]
"""The paper was retracted; its editors are concerned; it is a notice on another; it was corrected.
"""

POINTER_TAGS = {
    "RetractionIn": "RIN", "RetractionOf": "ROF",
    "ExpressionOfConcernIn": "ECI", "ExpressionOfConcernFor": "ECF",
    "RetractedandRepublishedIn": "RRI", "RetractedandRepublishedFrom": "RRF",
    "CorrectedandRepublishedIn": "CRI", "CorrectedandRepublishedFrom": "CRF",
    "RepublishedIn": "RPI", "RepublishedFrom": "RPF",
    "ErratumIn": "EIN", "ErratumFor": "EFR", "UpdateIn": "UIN", "UpdateOf": "UOF",
}  # fmt: skip
"""Those pointers of PubMed's XML that are kept, and what the tagged format calls them; comments and
references are not."""

_BY_TAG: dict[str, NoticeKind] = {
    "RIN": "retracted", "RRI": "retracted", "ECI": "doubted", "ROF": "notice", "ECF": "notice",
    "EIN": "corrected", "CRI": "corrected",
}  # fmt: skip
_BY_TYPE: dict[str, NoticeKind] = {
    "retracted publication": "retracted",
    "retraction of publication": "notice",
    "retraction notice": "notice",
    "expression of concern": "notice",
}
_RETRACTED_TITLE = re.compile(r"(?i)\W{0,4}retracted(?: (?:article|paper|chapter))?\s?[:\]]")
_NOTICE_TITLE = re.compile(r"(?i)\W{0,4}retraction (?:note|notice)(?: to| for)?\s?:")

NOTICE_WORDS: dict[NoticeKind, str] = {
    "retracted": "retracted",
    "doubted": "expression of concern",
    "notice": "notice on another paper",
    "corrected": "corrected",
}
WARNED: tuple[NoticeKind, ...] = ("retracted", "doubted", "notice")
"""What readers are warned of, the worst first; a correction is told where the record is read."""


class Notice(NamedTuple):
    """A notice about a paper."""

    kind: NoticeKind
    where: str = ""
    """The citation and the PMID of the notice, as far as they are told."""

    def __str__(self) -> str:
        """Return it in words.

        >>> str(Notice("retracted", "Lancet. 2010. PMID: 7"))
        'retracted (Lancet. 2010. PMID: 7)'
        """
        return (
            f"{NOTICE_WORDS[self.kind]} ({self.where})" if self.where else NOTICE_WORDS[self.kind]
        )


def find_notices(document: Document) -> list[Notice]:
    """Return the notices about a paper, one of each kind, the worst first.

    >>> find_notices(Document(title="On cats", extra=(("nbib:RIN", "J Cats. 2001. PMID: 7"),)))
    [Notice(kind='retracted', where='J Cats. 2001. PMID: 7')]
    >>> find_notices(Document(title="RETRACTED: On cats"))
    [Notice(kind='retracted', where='')]
    """
    found: dict[NoticeKind, str] = {}
    for tag, where in document.extra:
        kind = _BY_TAG.get(tag.removeprefix("nbib:")) if tag.startswith("nbib:") else None
        if kind and not found.get(kind):
            found[kind] = where
    for name in document.publication_types:
        if kind := _BY_TYPE.get(name.casefold()):
            found.setdefault(kind, "")
    # The pattern is tried on few titles: most papers have no such word.
    if "etract" in document.title or "ETRACT" in document.title:
        if _RETRACTED_TITLE.match(document.title):
            found.setdefault("retracted", "")
        elif _NOTICE_TITLE.match(document.title):
            found.setdefault("notice", "")
    return [Notice(kind, found[kind]) for kind in (*WARNED, "corrected") if kind in found]


def find_warning(document: Document) -> Notice | None:
    """Return the worst notice that readers are to be warned of; None for most papers."""
    notices = [notice for notice in find_notices(document) if notice.kind in WARNED]
    return notices[0] if notices else None


def describe_warning(document: Document) -> str:
    """Return in a few words what readers are to be warned of; "" for most papers."""
    return str(find_warning(document) or "")


def list_warnings(documents: Iterable[Document]) -> dict[str, str]:
    """Return what readers are to be warned of, by the ids of the papers that it is about."""
    found = {document.id: describe_warning(document) for document in documents}
    return {name: warning for name, warning in found.items() if warning}


def format_pointer(source: str, pmid: str) -> str:
    """Return where a notice is, as PubMed's tagged format writes it.

    >>> format_pointer("Lancet. 2010 Feb 6;375(9713):445", "20137807")
    'Lancet. 2010 Feb 6;375(9713):445. PMID: 20137807'
    """
    stop = "" if not source or source.endswith(".") else "."
    return f"{source}{stop}{' PMID: ' if source else 'PMID: '}{pmid}" if pmid else source
