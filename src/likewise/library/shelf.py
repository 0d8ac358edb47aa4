"""The shelf: where an arriving record belongs among the papers that it may be the same as.

A record that is the same paper as one on the shelf is not put beside it. A newer edition of its own
record (of the same file, or PubMed's) revises it, any other is merged with it (the richer one's
fields win); either way the paper keeps the id it has. An older edition of PubMed's, read later,
fills gaps and changes nothing else. A record whose id already names *another*
paper (two exports that both count from 1) is kept too, under an id made for it.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from likewise.documents.identity import (
    MIN_TITLE_LETTERS,
    fill,
    identity_keys,
    merge,
    normalise_title,
    revise,
    same_paper,
    with_id,
)
from likewise.library.editions import Editions, dated_source
from likewise.library.identifiers import library_keys

if TYPE_CHECKING:
    from collections.abc import Iterable

    from likewise.documents import Document


# "No abstract available" is no evidence of being the same paper.
MIN_ABSTRACT = 100


@dataclass
class Counts:
    """What became of the records."""

    added: int = 0
    revised: int = 0
    merged: int = 0
    unchanged: int = 0
    deleted: int = 0
    renamed: int = 0
    """Those among the added whose id named another paper."""

    @property
    def taken(self) -> int:
        """How many records there were."""
        return self.added + self.revised + self.merged + self.unchanged


class Renamed(NamedTuple):
    """A record that was kept under another id, and the paper that had its id already."""

    kept: Document
    namesake: Document


class Shelf:
    """The papers that a block of arriving records may be the same as."""

    def __init__(self, documents: Iterable[Document], *, editions: Editions | None = None) -> None:
        self._editions = editions or Editions()
        self.changed: dict[str, Document] = {}
        self.removed: list[str] = []
        self.keys: dict[str, list[str]] = {}
        self._papers: dict[str, Document] = {}
        self._by_key: defaultdict[str, list[str]] = defaultdict(list)
        for document in documents:
            self._place(document, library_keys(document))

    def put(self, document: Document, keys: list[str], *, counts: Counts) -> Renamed | None:
        """Put a record where it belongs, and tell if it was kept under another id."""
        namesake = self._papers.get(document.id)
        same = self._same(document, keys)
        renamed = None
        if namesake and namesake not in same:
            # That id is another paper's, and must stay so.
            document = _with_made_id(document)
            keys = library_keys(document)
            twin = self._papers.get(document.id)
            same = same or ([twin] if twin else [])
            renamed = Renamed(document, namesake) if not same else None
        if same:
            self._unite(document, same, counts=counts)
        else:
            counts.added += 1
            counts.renamed += renamed is not None
            self._change(document, keys)
        return renamed

    def _unite(self, document: Document, same: list[Document], *, counts: Counts) -> None:
        known, *others = same
        result, kind = self._united(known, document)
        for other in others:
            # The record has shown two papers to be one, unless something else tells them apart.
            if same_paper(result, other):
                result, kind = _merged(result, other), "merged"
                self._remove(other)
        if result == known:
            counts.unchanged += 1
        else:
            setattr(counts, kind, getattr(counts, kind) + 1)
            self._change(result, library_keys(result))

    def _united(self, known: Document, document: Document) -> tuple[Document, str]:
        if self._editions.is_older(document, known):
            return fill(known, document), "revised"
        is_own = known.id == document.id and _is_newer_edition(known, document)
        if is_own or self._editions.is_later(document, known):
            return revise(known, document), "revised"
        return _merged(known, document), "merged"

    def _same(self, document: Document, keys: list[str]) -> list[Document]:
        candidates = {found for key in keys for found in self._by_key.get(key, ())}
        papers = [self._papers[identifier] for identifier in sorted(candidates)]
        return [
            paper
            for paper in papers
            if same_paper(paper, document) or _same_by_id_and_text(paper, document)
        ]

    def _remove(self, document: Document) -> None:
        self.removed.append(document.id)
        self.changed.pop(document.id, None)
        del self._papers[document.id]
        for identifiers in self._by_key.values():
            if document.id in identifiers:
                identifiers.remove(document.id)

    def _change(self, document: Document, keys: list[str]) -> None:
        self.changed[document.id] = document
        self._place(document, keys)

    def _place(self, document: Document, keys: list[str]) -> None:
        self._papers[document.id] = document
        self.keys[document.id] = keys
        for key in keys:
            if document.id not in self._by_key[key]:
                self._by_key[key].append(document.id)


def _merged(known: Document, other: Document) -> Document:
    merged = merge(known, other)
    if merged.id != merged.pmid:
        # It is a person's own record: the next edition is that of the file which it is from.
        return merged
    return msgspec.structs.replace(merged, source=dated_source(merged, known, other))


def _is_newer_edition(known: Document, document: Document) -> bool:
    """Tell whether a record comes from where the paper's own came: an edited file, or PubMed."""
    return known.source == document.source or document.source.startswith("pubmed:")


def _same_by_id_and_text(paper: Document, document: Document) -> bool:
    """Tell whether records that nothing else identifies are editions of one: by id and text."""
    if paper.id != document.id or not set(_kinds(paper)).isdisjoint(_kinds(document)):
        return False
    if paper.text == document.text:
        return True
    title, abstract = normalise_title(paper.title), paper.abstract
    same_title = title == normalise_title(document.title) and len(title) >= MIN_TITLE_LETTERS
    return same_title or (abstract == document.abstract and len(abstract) >= MIN_ABSTRACT)


def _kinds(document: Document) -> list[str]:
    return [kind for kind in ("pmid", "doi", "pmcid") if getattr(document, kind)]


def _with_made_id(document: Document) -> Document:
    others = (*document.other_ids, f"supplied:{document.id}")
    return msgspec.structs.replace(document, id=_made_id(document), other_ids=others)


def _made_id(document: Document) -> str:
    # Not the PMID itself or the like: that may be the id of another paper.
    if keys := identity_keys(document):
        return "made-" + hashlib.blake2b(keys[0].encode(), digest_size=8).hexdigest()
    return with_id(msgspec.structs.replace(document, id="")).id


def shelf_keys(document: Document) -> list[str]:
    """Return the keys under which the papers are found that a record may be the same as."""
    keys = library_keys(document)
    # A record that nothing identifies may have come before, and got another id then.
    if keys[-1].startswith("id:"):
        keys.append(f"id:{_made_id(document)}")
    return keys
