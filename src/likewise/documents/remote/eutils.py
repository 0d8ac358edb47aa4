"""NCBI's E-utilities: search PubMed, find linked papers, and fetch records.

Everything is sent as a form, never in an address, so that no message shows a key. Failures come
with any status, as JSON, as XML, as a web page, as nothing at all, or as an answer that breaks off;
most of them have passed by the next trial.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self, TypeVar

from lxml.etree import XMLParser, XMLSyntaxError, fromstring

from likewise.errors import DownloadError, SettingsError
from likewise.web import WebClient
from likewise.web.troubles import RefusedError

T = TypeVar("T")

NCBI = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/"
MOST_LISTED = 9999
"""PubMed lists no more PMIDs than this for one query."""
MOST_FETCHED = 200
"""Records to ask for at a time; what NCBI recommends."""
SIMILAR = "pubmed_pubmed"
"""The name of links with similar articles, which alone have scores."""
TRIALS = 4
"""How often to ask if the answers do not hold what was asked for."""


_ENVIRONMENT = ("LIKEWISE_EUTILS", "NCBI_EMAIL", "NCBI_API_KEY")
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


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who asks, and where; NCBI wants an email address to write to before it blocks anyone."""

    address: str = NCBI
    email: str = ""
    key: str = field(default="", repr=False)

    @classmethod
    def from_environment(cls) -> Caller:
        """Return the caller that LIKEWISE_EUTILS, NCBI_EMAIL and NCBI_API_KEY describe."""
        told = {name: os.environ.get(name, "").strip() for name in _ENVIRONMENT}
        address = (told["LIKEWISE_EUTILS"] or NCBI).rstrip("/") + "/"
        return cls(address=address, email=told["NCBI_EMAIL"], key=told["NCBI_API_KEY"])

    @property
    def per_second(self) -> float:
        """How many requests a second NCBI allows."""
        return 10.0 if self.key else 3.0

    @property
    def fields(self) -> dict[str, str]:
        """What is sent along with every request."""
        known = {"tool": "likewise", "email": self.email, "api_key": self.key}
        return {name: value for name, value in known.items() if value}


class Days(NamedTuple):
    """From one day to another, both included."""

    first: dt.date
    last: dt.date


class Eutils:
    """The E-utilities, asked no more often than they allow.

    Args:
        caller: Who asks, and where; by default what the environment says.
        web: The client to use; by default one that keeps to the caller's rate.
    """

    def __init__(self, caller: Caller | None = None, *, web: WebClient | None = None) -> None:
        self._caller = caller or Caller.from_environment()
        self._web = web or WebClient(per_second=self._caller.per_second, connections=1)

    @property
    def requests(self) -> int:
        """How many requests were sent so far."""
        return self._web.requests

    def search(
        self,
        query: str,
        *,
        days: Days | None = None,
        limit: int = MOST_LISTED,
        by_relevance: bool = False,
    ) -> PubmedHits:
        """Return what a query finds; at most `limit` of the records are listed.

        Args:
            query: In PubMed's own language.
            days: Only records that came into PubMed on these days (their Entrez date).
            limit: How many to list, at most `MOST_LISTED`.
            by_relevance: Whether the best match comes first, rather than the newest record.
        """
        most = str(min(limit, MOST_LISTED))
        fields = {"term": query, "retmode": "json", "retmax": most}
        if by_relevance:
            fields["sort"] = "relevance"
        if days:
            first, last = (day.isoformat().replace("-", "/") for day in days)
            fields |= {"datetype": "edat", "mindate": first, "maxdate": last}
        return self._ask("esearch.fcgi", fields, read=parse_hits)

    def fetch(self, pmids: Sequence[str]) -> bytes:
        """Return the records of some PMIDs as PubMed XML, without those that PubMed lacks."""
        fields = {"id": ",".join(pmids), "retmode": "xml"}
        return self._ask("efetch.fcgi", fields, read=check_records)

    def find_links(self, pmids: Sequence[str], name: str) -> dict[str, list[str]]:
        """Return the papers that PubMed links with each paper, the highest score first.

        Args:
            pmids: The papers.
            name: The kind of link, such as pubmed_pubmed for similar articles.
        """
        # Each PMID has a field of its own; otherwise the links of all would come in one heap.
        fields: dict[str, str | Sequence[str]] = {
            "dbfrom": "pubmed",
            "id": list(pmids),
            "linkname": name,
            "cmd": "neighbor_score" if name == SIMILAR else "neighbor",
            "retmode": "xml",
        }
        found = self._ask("elink.fcgi", fields, read=lambda answer: parse_links(answer, name))
        return {pmid: found.get(pmid, []) for pmid in pmids}

    def close(self) -> None:
        """Close the connections."""
        self._web.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(
        self, utility: str, fields: Mapping[str, str | Sequence[str]], *, read: Callable[[bytes], T]
    ) -> T:
        trial = 1
        while True:
            try:
                return read(self._answer(utility, fields))
            except AnswerError as error:
                if trial == TRIALS or not error.passes:
                    raise self._explain_failure(utility, error) from error
            self._web.back_off(trial)
            trial += 1

    def _answer(self, utility: str, fields: Mapping[str, str | Sequence[str]]) -> bytes:
        sent = {"db": "pubmed", **fields, **self._caller.fields}
        try:
            return self._web.get(self._caller.address + utility, fields=sent, post=True)
        except RefusedError as error:
            # The answer says what is wrong with the request, or inside NCBI.
            if not error.answer.strip():
                raise
            return error.answer

    def _explain_failure(self, utility: str, error: AnswerError) -> DownloadError:
        said = error.describe(secret=self._caller.key)
        advice = "try again later" if error.passes else "check NCBI_API_KEY"
        return DownloadError(f"{utility}: NCBI answers with {said}; {advice}")


class PubmedHits(NamedTuple):
    """What a query finds."""

    total: int
    """How many records there are, listed or not."""
    pmids: list[str]
    notes: list[str]
    """What PubMed remarks on the query, such as words that it does not know."""


class AnswerError(Exception):
    """An answer that does not hold what was asked for.

    Args:
        reason: What came instead, in words that continue "answers with".
        passes: Whether this may have passed by the next trial.
    """

    def __init__(self, reason: str, *, passes: bool = True) -> None:
        super().__init__(reason)
        self.passes = passes

    def describe(self, *, secret: str) -> str:
        """Return what came instead, cut short and without a secret."""
        reason = str(self).replace(secret, "(the key)") if secret else str(self)
        return reason if len(reason) <= _SHOWN else f"{reason[:_SHOWN]}..."


def parse_hits(answer: bytes) -> PubmedHits:
    """Return what an answer of esearch says."""
    text = answer.strip()
    if not text.startswith(b"{"):
        raise _explain_other(text)
    result = _parse_result(text)
    total, pmids = str(result.get("count", "")), _list_texts(result, "idlist")
    is_told = _NUMBER.fullmatch(total) and "idlist" in result
    if not (is_told and all(map(_NUMBER.fullmatch, pmids))):
        raise AnswerError("no count and no list of PMIDs")
    return PubmedHits(int(total), pmids, _describe_notes(result))


def check_records(answer: bytes) -> bytes:
    """Return an answer of efetch; raise AnswerError if it is not whole."""
    text = answer.strip()
    if text.startswith(b"{"):
        _parse_result(text)
        raise AnswerError("no records")
    if error := _ERROR.search(text):
        said = _one_line(error[1].decode("utf-8", "replace"))
        if _NOBODY.search(said):
            return NO_RECORDS
        raise AnswerError(f"an error ({said})")
    if _OPENING not in text[:_HEAD]:
        raise _explain_other(text)
    if not text.endswith((_CLOSING, b"<PubmedArticleSet/>")):
        raise AnswerError("records that break off")
    return answer


def parse_links(answer: bytes, name: str) -> dict[str, list[str]]:
    """Return the PMIDs of one kind of link by the PMID that they lead from, the best first.

    A paper without such links has an empty list; one that PubMed does not know may be missing.
    """
    text = answer.strip()
    if b"<eLinkResult" not in text[:_HEAD]:
        if text.startswith(b"{"):
            _parse_result(text)
        raise _explain_other(text)
    try:
        result = fromstring(text, XMLParser(resolve_entities=False, no_network=True))
    except XMLSyntaxError as error:
        raise AnswerError("links that break off") from error
    if complaint := result.findtext("ERROR"):
        raise AnswerError(f"an error ({_one_line(complaint)})")
    found: dict[str, list[str]] = {}
    for links in result.iter("LinkSet"):
        pmid = (links.findtext("IdList/Id") or "").strip()
        linked = [
            (float(link.findtext("Score") or 0), (link.findtext("Id") or "").strip())
            for group in links.iter("LinkSetDb")
            if group.findtext("LinkName") == name
            for link in group.iter("Link")
        ]
        linked.sort(key=lambda each: -each[0])
        # The first of the similar articles is the paper itself.
        found[pmid] = [other for _, other in linked if _NUMBER.fullmatch(other) and other != pmid]
    return found


def find_own_pmids(records: bytes) -> set[str]:
    """Return the PMIDs of the records in an answer of efetch, whether they can be read or not.

    >>> sorted(find_own_pmids(b'<MedlineCitation Owner="NLM"><PMID Version="1">7</PMID></...'))
    ['7']
    """
    return {pmid.decode() for pmid in _OWN_PMID.findall(records)}


def _parse_result(answer: bytes) -> dict[str, Any]:
    """Return the part of a JSON answer that matters, or raise what it complains about."""
    try:
        # NCBI passes errors on with whatever control characters they hold.
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


def _describe_notes(result: dict[str, Any]) -> list[str]:
    """Return what PubMed did not understand in a query."""
    errors, warnings = result.get("errorlist"), result.get("warninglist")
    unknown = [
        *_list_texts(errors, "phrasesnotfound"),
        *_list_texts(warnings, "quotedphrasesnotfound"),
    ]
    fields, ignored = _list_texts(errors, "fieldsnotfound"), _list_texts(warnings, "phrasesignored")
    return [
        *(f"PubMed does not know {_one_line(phrase)!r}" for phrase in dict.fromkeys(unknown)),
        *(f"PubMed has no field {_one_line(field)!r}" for field in fields),
        *(f"PubMed ignores {_one_line(phrase)!r}" for phrase in ignored),
    ]


def _explain_other(text: bytes) -> AnswerError:
    """Return the error to raise for an answer of another kind than was asked for."""
    if not text:
        return AnswerError("nothing at all")
    is_page = b"<html" in text[:_HEAD].lower()
    said = _one_line(text[:_HEAD].decode("utf-8", "replace"))
    return AnswerError(f"a web page ({said})" if is_page else f"something else ({said})")


def _list_texts(said: object, name: str) -> list[str]:
    """Return the list of texts under a name; empty if there is none."""
    found = said.get(name) if isinstance(said, dict) else None
    return list(map(str, found)) if isinstance(found, list) else []


def _one_line(text: str) -> str:
    return " ".join(_MARKUP.sub(" ", text).split())


# From before the oldest record until after all that can come.
ALL_DAYS = Days(dt.date(1700, 1, 1), dt.date(2100, 12, 31))


def find_pmids(
    query: str,
    *,
    eutils: Eutils,
    limit: int,
    on_progress: Callable[[int, int], None] | None = None,
) -> PubmedHits:
    """Return every PMID that a query finds, the newest in PubMed first.

    Args:
        query: In PubMed's own language.
        eutils: Where to ask.
        limit: How many it may find; a query that finds more is refused.
        on_progress: Called with how many are listed, and how many there are.
    """
    if not query.strip():
        raise SettingsError("the query is empty; say what to look for")
    found = eutils.search(query)
    if found.total > limit:
        raise SettingsError(
            f"the query finds {found.total:,} records of PubMed, but at most {limit:,} were asked "
            "for; narrow it, or raise --limit"
        )
    if len(found.pmids) >= found.total:
        return found
    pmids: dict[str, None] = {}
    for some in _find_by_day(query, ALL_DAYS, eutils=eutils):
        pmids |= dict.fromkeys(some)
        if on_progress:
            on_progress(len(pmids), found.total)
    notes = list(found.notes)
    if len(pmids) < found.total:
        notes.append(f"PubMed counts {found.total:,} records, but lists {len(pmids):,} of them")
    return PubmedHits(found.total, list(pmids), notes)


def _find_by_day(query: str, days: Days, *, eutils: Eutils) -> Iterator[list[str]]:
    found = eutils.search(query, days=days)
    if len(found.pmids) >= found.total:
        yield found.pmids
        return
    if days.first == days.last:
        raise DownloadError(
            f"the query finds {found.total:,} records that came into PubMed on {days.first}, but "
            f"PubMed lists only {len(found.pmids):,} of them; narrow the query"
        )
    middle = days.first + (days.last - days.first) // 2
    yield from _find_by_day(query, Days(middle + dt.timedelta(1), days.last), eutils=eutils)
    yield from _find_by_day(query, Days(days.first, middle), eutils=eutils)
