"""What the E-utilities answer: found PMIDs, records, or one of many ways of saying that all failed.

Failures come with any status, as JSON, as XML, as a page for people, as nothing at all, or as an
answer that breaks off; most of them are over the next time.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

NO_RECORDS = b"<PubmedArticleSet></PubmedArticleSet>"

_OPENING, _CLOSING = b"<PubmedArticleSet", b"</PubmedArticleSet>"
# Before the records there is a declaration and a document type, and nothing else.
_HEAD = 2000
_ERROR = re.compile(rb"<ERROR>(.*?)(?:</ERROR>|\Z)", re.DOTALL | re.IGNORECASE)
_NOBODY = re.compile(r"ID list is empty|no correct IDs", re.IGNORECASE)
_MARKUP = re.compile(r"<[^<>]*>")
# References and comments name PMIDs of other papers; a record's own comes first in it.
_OWN_PMID = re.compile(rb"<(?:MedlineCitation|BookDocument)\b[^<>]*>\s*<PMID[^<>]*>\s*0*(\d+)\s*<")
_NUMBER = re.compile(r"[0-9]{1,12}")
_SHOWN = 160


class Found(NamedTuple):
    """What a query finds."""

    total: int
    """How many records there are, listed or not."""
    pmids: list[str]
    notes: list[str]
    """What PubMed remarks on the query, such as words that it does not know."""


class AnswerError(Exception):
    """An answer that does not bring what was asked for, in words that go on from "answers with".

    Args:
        reason: What came instead.
        passes: Whether it may be over the next time.
    """

    def __init__(self, reason: str, *, passes: bool = True) -> None:
        super().__init__(reason)
        self._reason = reason
        self.passes = passes

    def told(self, *, secret: str = "") -> str:
        """Return what came instead, in short and without a secret."""
        reason = self._reason.replace(secret, "(the key)") if secret else self._reason
        return reason if len(reason) <= _SHOWN else f"{reason[:_SHOWN]}..."

    def __str__(self) -> str:
        return self.told()


def found_in(answer: bytes) -> Found:
    """Return what an answer of esearch says."""
    if not answer.strip():
        raise AnswerError("nothing at all")
    if not answer.lstrip().startswith(b"{"):
        raise _no_records(answer)
    result = _result(answer)
    total, pmids = str(result.get("count", "")), _texts(result, "idlist")
    is_told = _NUMBER.fullmatch(total) and "idlist" in result
    if not (is_told and all(map(_NUMBER.fullmatch, pmids))):
        raise AnswerError("no count and no list of PMIDs")
    return Found(int(total), pmids, _notes(result))


def records_in(answer: bytes) -> bytes:
    """Return an answer of efetch if it is whole."""
    text = answer.strip()
    if not text:
        raise AnswerError("nothing at all")
    if text.startswith(b"{"):
        _result(text)
        raise AnswerError("no records")
    if error := _ERROR.search(text):
        said = _one_line(error[1].decode("utf-8", "replace"))
        if _NOBODY.search(said):
            return NO_RECORDS
        raise AnswerError(f"an error ({said})")
    if _OPENING not in text[:_HEAD]:
        raise _no_records(text)
    if not text.endswith((_CLOSING, b"<PubmedArticleSet/>")):
        raise AnswerError("records that break off")
    return answer


def pmids_in(records: bytes) -> set[str]:
    """Return the PMIDs of the records in an answer of efetch, whether they can be read or not.

    >>> sorted(pmids_in(b'<MedlineCitation Owner="NLM"><PMID Version="1">7</PMID></...'))
    ['7']
    """
    return {pmid.decode() for pmid in _OWN_PMID.findall(records)}


def _result(answer: bytes) -> dict[str, Any]:
    """Return the part of a JSON answer that matters, or raise what it complains about."""
    try:
        # Errors are handed through with whatever control characters they hold.
        said = json.loads(answer.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError) as error:
        raise AnswerError("JSON that breaks off") from error
    complaint = said.get("error")
    result = said.get("esearchresult")
    if not complaint and isinstance(result, dict):
        complaint = result.get("ERROR")
        if not complaint:
            return result
    complaint = _one_line(str(complaint or "of no known kind"))
    raise AnswerError(f"an error ({complaint})", passes="key" not in complaint.lower())


def _notes(result: dict[str, Any]) -> list[str]:
    """Return what was not understood of a query."""
    errors, warnings = result.get("errorlist"), result.get("warninglist")
    unknown = [*_texts(errors, "phrasesnotfound"), *_texts(warnings, "quotedphrasesnotfound")]
    fields, ignored = _texts(errors, "fieldsnotfound"), _texts(warnings, "phrasesignored")
    return [
        *(f"PubMed does not know {_one_line(phrase)!r}" for phrase in dict.fromkeys(unknown)),
        *(f"PubMed has no field {_one_line(field)!r}" for field in fields),
        *(f"PubMed passes over {_one_line(phrase)!r}" for phrase in ignored),
    ]


def _no_records(text: bytes) -> AnswerError:
    is_page = b"<html" in text[:_HEAD].lower()
    said = _one_line(text[:_HEAD].decode("utf-8", "replace"))
    return AnswerError(f"a page for people ({said})" if is_page else f"something else ({said})")


def _texts(said: object, name: str) -> list[str]:
    """Return the list of texts that stands under a name, if there is one."""
    found = said.get(name) if isinstance(said, dict) else None
    return list(map(str, found)) if isinstance(found, list) else []


def _one_line(text: str) -> str:
    return " ".join(_MARKUP.sub(" ", text).split())
