"""Europe PMC as a source: PubMed's papers and preprints, by its RESTful service.

Its answers to searches bring whole records, so that most keys need no second request. It has
no list of similar articles, but lists what papers cite and what cites them.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import Any

from likewise.documents import Document
from likewise.documents.document import MeshHeading
from likewise.errors import DownloadError
from likewise.library.sources import Arrivals, LinkKind, SearchTerm, split_groups
from likewise.web import WebClient
from likewise.web.troubles import NotFoundError, RefusedError

EUROPE_PMC = "https://www.ebi.ac.uk/europepmc/webservices/rest/"
PER_SECOND = 5.0
"""Requests per second: half of what Europe PMC is said to tolerate."""
PAGE = 500
"""Records per answer; the service sends at most 1,000."""
MOST_ASKED = 200
"""Keys to ask for at a time."""
MOST_CITING = 1000
TRIALS = 4
SOURCES = ("MED", "PPR", "PMC")
"""PubMed, preprints and what only PubMed Central has; no patents and no guidelines."""

_KEY = re.compile(r"([A-Z]{3})/([A-Za-z0-9]+)")
_ID = "europepmc"
_MARKUP = re.compile(r"(?i)</?[a-z][^<>]*>")
_HEADING = re.compile(r"(?i)</h[1-6]>")
_BLOCK = re.compile(r"(?i)</?(?:h[1-6]|p|br|[uo]l|li|div)\b[^<>]*>")
_WITHOUT_QUOTES = str.maketrans({'"': " ", "\\": " "})


class EuropePmcSource:
    """Europe PMC, whose keys are a source and an id: MED/7, PPR/PPR7.

    Args:
        address: The address of the service, if it is not the real one.
        web: The client that sends the requests.
    """

    label = "Europe PMC"
    links: Sequence[LinkKind] = ("citing", "cited")
    lists_at_once = False

    def __init__(self, address: str = EUROPE_PMC, *, web: WebClient | None = None) -> None:
        self._address = address.rstrip("/") + "/"
        self._web = web or WebClient(per_second=PER_SECOND, connections=1)
        # Records that came with the answers to searches, and were not asked for yet.
        self._came: dict[str, Document] = {}
        # Papers whose records say that they cite nothing, or that nothing cites them.
        self._unlinked: set[tuple[LinkKind, str]] = set()

    @property
    def requests(self) -> int:
        """How many requests were sent so far."""
        return self._web.requests

    def key_of(self, paper: Document) -> str:
        """Return the key of a paper: by its PMID, or the one that came with its record."""
        if paper.pmid:
            return f"MED/{paper.pmid}"
        own = (other.partition(":") for other in paper.other_ids)
        return next((value for scheme, _, value in own if scheme == _ID), "")

    def identity_of(self, key: str) -> str:
        """Return the identity key of a PMID; preprints have none until they are fetched."""
        source, _, identifier = key.partition("/")
        return f"pmid:{identifier}" if source == "MED" else ""

    def find_papers(self, papers: Sequence[Document]) -> Iterator[list[str]]:
        """Yield the keys of papers that have a DOI or a PMCID, then of those with a title."""
        named = [name for paper in papers if (name := _spell_identifier(paper))]
        for some in split_groups(named, MOST_ASKED):
            yield self._find(" OR ".join(some), limit=2 * len(some))
        for paper in papers:
            if paper.title and not _spell_identifier(paper):
                title = paper.title.translate(_WITHOUT_QUOTES).strip(" .")
                found = self._find(f'TITLE:"{title}"', limit=2)
                yield found if len(found) == 1 else []

    def find_linked(self, keys: Sequence[str], kind: LinkKind) -> Iterator[dict[str, list[str]]]:
        """Yield what cites each paper, or what it cites; known empty lists are not asked for."""
        method, listing, item = {
            "citing": ("citations", "citationList", "citation"),
            "cited": ("references", "referenceList", "reference"),
        }[kind]
        for key in keys:
            fields = {"format": "json", "page": "1", "pageSize": str(MOST_CITING)}
            try:
                is_empty = (kind, key) in self._unlinked
                answer = {} if is_empty else self._ask(f"{key}/{method}", fields)
            except NotFoundError:
                answer = {}
            named = (_name_key(each) for each in _list_items(answer, listing, item))
            yield {key: [other for other in named if other and other != key]}

    def search(
        self, terms: Sequence[SearchTerm], *, limit: int, since: dt.date | None = None
    ) -> list[str]:
        """Return the keys of the papers that have any of the terms, the best match first."""
        query = f"({' OR '.join(map(_spell_term, terms))})"
        query += f" AND ({' OR '.join(f'SRC:{name}' for name in SOURCES)})"
        if since:
            query += f" AND (FIRST_IDATE:[{since.isoformat()} TO 2100-12-31])"
        return self._find(query, limit=limit)

    def fetch(self, keys: Sequence[str]) -> Iterator[Arrivals]:
        """Yield records: first those that have come already, then the others."""
        here = dict.fromkeys(key for key in keys if key in self._came)
        if here:
            yield self._hand_over(list(here))
        for some in split_groups([key for key in keys if key not in here], MOST_ASKED):
            self._find(" OR ".join(map(_spell_key, some)), limit=len(some))
            yield self._hand_over(some)

    def _hand_over(self, keys: Sequence[str]) -> Arrivals:
        """Return those records of keys that have come, and remember them no longer."""
        came = {key: self._came.pop(key) for key in keys if key in self._came}
        return Arrivals(
            [paper for paper in came.values() if paper.text],
            missing=[key for key in keys if key not in came],
            unusable=[key for key, paper in came.items() if not paper.text],
        )

    def close(self) -> None:
        """Close the connections."""
        self._web.close()

    def _find(self, query: str, *, limit: int) -> list[str]:
        """Return the keys of what a query finds, and remember the records that come with them."""
        keys: dict[str, None] = {}
        cursor = "*"
        while len(keys) < limit:
            fields = {
                "query": query,
                "resultType": "core",
                "format": "json",
                "synonym": "false",
                "pageSize": str(min(PAGE, limit - len(keys))),
                "cursorMark": cursor,
            }
            answer = self._ask("searchPOST", fields, post=True)
            results = _list_items(answer, "resultList", "result")
            for result in results:
                if key := _name_key(result):
                    keys[key] = None
                    self._came[key] = parse_result(result, key=key)
                    if result.get("hasReferences") == "N":
                        self._unlinked.add(("cited", key))
                    if result.get("citedByCount") == 0:
                        self._unlinked.add(("citing", key))
            following = str(answer.get("nextCursorMark") or "")
            if len(results) < int(fields["pageSize"]) or following in ("", cursor):
                break
            cursor = following
        return list(keys)[:limit]

    def _ask(self, method: str, fields: Mapping[str, str], *, post: bool = False) -> dict[str, Any]:
        trial = 1
        while True:
            try:
                answer = self._web.get(self._address + method, fields=fields, post=post)
            except RefusedError as error:
                answer = error.answer
            try:
                return _parse_answer(answer)
            except ValueError as error:
                if trial == TRIALS:
                    raise DownloadError(
                        f"{method}: Europe PMC answers with {error}; try again later"
                    ) from error
            self._web.back_off(trial)
            trial += 1


def open_europe_pmc() -> EuropePmcSource:
    """Return Europe PMC, at its own address or at the one that LIKEWISE_EUROPEPMC names."""
    return EuropePmcSource(os.environ.get("LIKEWISE_EUROPEPMC", "").strip() or EUROPE_PMC)


def parse_result(result: Mapping[str, Any], *, key: str) -> Document:
    """Return the document that a result of resultType=core describes."""
    journal = _get_part(result, "journalInfo")
    named = _get_part(journal, "journal")
    year = _get_text(result, "pubYear") or _get_text(journal, "yearOfPublication")
    kinds = ["Preprint"] if key[:4] == "PPR/" else _get_list(result, "pubTypeList", "pubType")
    report = _get_part(result, "bookOrReportDetails")
    pmid = _get_text(result, "pmid") or (_get_text(result, "id") if key[:4] == "MED/" else "")
    return Document(
        id=pmid or _get_text(result, "id"),
        title=_strip_markup(_get_text(result, "title")),
        abstract=_strip_markup(_get_text(result, "abstractText")),
        year=int(year) if re.fullmatch(r"[0-9]{4}", year) else None,
        authors=tuple(filter(None, map(_name_author, _list_items(result, "authorList", "author")))),
        journal=_get_text(named, "title") or _get_text(report, "publisher"),
        doi=_get_text(result, "doi").lower(),
        pmid=pmid,
        pmcid=_get_text(result, "pmcid"),
        other_ids=() if pmid else (f"{_ID}:{key}",),
        mesh=tuple(
            MeshHeading(
                name=_get_text(heading, "descriptorName"),
                major=_get_text(heading, "majorTopic_YN") == "Y",
            )
            for heading in _list_items(result, "meshHeadingList", "meshHeading")
        ),
        keywords=tuple(map(str, _get_list(result, "keywordList", "keyword"))),
        publication_types=tuple(map(str, kinds)),
        language=_get_text(result, "language"),
        kind="JOUR",
        volume=_get_text(journal, "volume"),
        issue=_get_text(journal, "issue"),
        pages=_get_text(result, "pageInfo"),
        issn=tuple(filter(None, (_get_text(named, "issn"), _get_text(named, "essn")))),
        database="Europe PMC",
        source="europepmc:search",
    )


def _parse_answer(answer: bytes) -> dict[str, Any]:
    """Return an answer, or raise ValueError with what came instead."""
    text = answer.decode("utf-8", "replace").strip()
    if not text.startswith("{"):
        raise ValueError("something else" if text else "nothing at all")
    try:
        content = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        raise ValueError("JSON that breaks off") from error
    if complaint := content.get("errMsg") or content.get("errorMessage"):
        raise ValueError(f"an error ({' '.join(str(complaint).split())[:160]})")
    return dict(content)


def _name_key(item: Mapping[str, Any]) -> str:
    """Return the key of a result, a citation or a reference; "" if it has none."""
    key = f"{item.get('source', '')}/{item.get('id', '')}"
    return key if _KEY.fullmatch(key) else ""


def _spell_key(key: str) -> str:
    source, _, identifier = key.partition("/")
    return f"(EXT_ID:{identifier} AND SRC:{source})"


def _spell_identifier(paper: Document) -> str:
    if paper.doi:
        return f'DOI:"{paper.doi.translate(_WITHOUT_QUOTES)}"'
    return f"PMCID:{paper.pmcid}" if paper.pmcid else ""


def _spell_term(term: SearchTerm) -> str:
    """Return a term in Europe PMC's language.

    >>> _spell_term(SearchTerm("insulin")), _spell_term(SearchTerm("Liver", is_heading=True))
    ('TITLE:"insulin" OR ABSTRACT:"insulin"', 'KW:"Liver"')
    """
    plain = term.text.translate(_WITHOUT_QUOTES)
    return f'KW:"{plain}"' if term.is_heading else f'TITLE:"{plain}" OR ABSTRACT:"{plain}"'


def _name_author(author: Mapping[str, Any]) -> str:
    family, given = _get_text(author, "lastName"), _get_text(author, "firstName")
    given = given or _get_text(author, "initials")
    named = f"{family}, {given}" if family and given else family
    return named or _get_text(author, "collectiveName") or _get_text(author, "fullName")


def _strip_markup(text: str) -> str:
    apart = _BLOCK.sub(" ", _HEADING.sub(": ", text))
    return " ".join(unescape(_MARKUP.sub("", apart)).split())


def _get_part(item: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = item.get(name)
    return part if isinstance(part, dict) else {}


def _get_text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return " ".join(str(value).split()) if isinstance(value, str | int) else ""


def _get_list(item: Mapping[str, Any], listing: str, name: str) -> list[Any]:
    found = _get_part(item, listing).get(name)
    return found if isinstance(found, list) else []


def _list_items(item: Mapping[str, Any], listing: str, name: str) -> list[dict[str, Any]]:
    return [each for each in _get_list(item, listing, name) if isinstance(each, dict)]
