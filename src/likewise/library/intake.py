"""Taking records into a library, block by block, so that each paper is in it once.

A record that is the same paper as one on the shelf is not put beside it. A newer edition of its own
record (of the same file, or PubMed's) revises it, any other is merged with it (the richer one's
fields win); either way the paper keeps the id it has. An older edition of PubMed's, read later,
fills gaps and changes nothing else. A record whose id already names *another* paper (two exports
that both count from 1) is kept too, under an id made for it.

PubMed issues a paper's record again whenever something in it changes, and sometimes withdraws it.
The file that a record is from tells how late it is. A record that was fetched singly is later than
every file that the library had read before, and earlier than the files that come after those.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from likewise.documents import Deletion, Document
from likewise.documents.identity import (
    MIN_TITLE_LETTERS,
    ensure_id,
    fill,
    identity_keys,
    is_same_paper,
    merge,
    normalise_title,
    revise,
)
from likewise.documents.releases import FETCHED, Release, release_of, version_of
from likewise.library.keys import list_keys
from likewise.library.protocol import Library

# "No abstract available" is no evidence of being the same paper.
MIN_ABSTRACT = 100


class Intake:
    """Takes records into a library."""

    def __init__(self, library: Library, *, newest: Release | None = None) -> None:
        """Take records into a library.

        Args:
            library: Open for writing.
            newest: The latest release of PubMed that it has read before.
        """
        self.counts = IntakeCounts()
        self._library = library
        self._editions = Editions(newest)
        self._pending = _Pending()
        self._is_empty: bool | None = None

    def take(
        self,
        documents: Sequence[Document],
        *,
        on_renamed: Callable[[int, RenamedRecord], None] | None = None,
    ) -> None:
        """Take documents in.

        Args:
            documents: A block of them; a few hundred or thousand at a time is best.
            on_renamed: Called with the place of a document that got another id.
        """
        arrivals = [Arrival.of(document) for document in documents]
        found = self._find_known({key for arrival in arrivals for key in arrival.sought})
        shelf = Shelf(found, editions=self._editions)
        for place, arrival in enumerate(arrivals):
            renamed = shelf.put(arrival, counts=self.counts)
            if renamed and on_renamed:
                on_renamed(place, renamed)
        # What takes the place of others comes first, lest an interrupt leave neither.
        self._library.add(shelf.changed.values(), keys=shelf.keys)
        for document in shelf.changed.values():
            self._pending.add(document, shelf.keys[document.id])
        self._remove([gone for gone in shelf.removed if gone not in shelf.changed])

    def delete(
        self,
        deletions: Iterable[Deletion],
        *,
        release: Release | None = None,
        again: bool = False,
    ) -> None:
        """Remove withdrawn PubMed records, but no editions that came after the notices.

        Args:
            deletions: The notices.
            release: The release of the file that they are from.
            again: Whether they were heard before, and are for records that have come since.
        """
        withdraws = self._editions.withdraws_again if again else self._editions.withdraws
        notices = {each.pmid: each for each in sorted(deletions, key=lambda each: each.version)}
        withdrawn = [
            paper.id
            for paper in self._find_known({f"pmid:{pmid}" for pmid in notices})
            if paper.id == paper.pmid in notices and withdraws(notices[paper.pmid], release, paper)
        ]
        self._remove(withdrawn)
        self.counts.deleted += len(withdrawn)

    def commit(self) -> None:
        """Make everything taken so far durable."""
        self._library.commit()
        self._pending = _Pending()
        self._is_empty = None

    def _find_known(self, keys: set[str]) -> list[Document]:
        if not keys:
            return []
        if self._is_empty is None:
            # Nothing else writes to the library, so that it stays so until the next commit.
            self._is_empty = not self._library.count()
        committed = [] if self._is_empty else self._library.find(keys)
        found = [d for d in committed if not self._pending.changes(d.id)]
        # In one order, wherever the last commit fell.
        return sorted([*found, *self._pending.find(keys)], key=lambda document: document.id)

    def _remove(self, ids: Sequence[str]) -> None:
        self._library.delete(ids)
        for identifier in ids:
            self._pending.remove(identifier)


class _Pending:
    """What was added and removed since the last commit, which searches do not see yet."""

    def __init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self._removed: set[str] = set()
        self._by_key: defaultdict[int, list[str]] = defaultdict(list)

    def changes(self, identifier: str) -> bool:
        """Tell whether the document of an id is no longer what searches see."""
        return identifier in self._documents or identifier in self._removed

    def add(self, document: Document, keys: list[str]) -> None:
        """Note a document that was added."""
        self._documents[document.id] = document
        self._removed.discard(document.id)
        for key in keys:
            self._by_key[hash(key)].append(document.id)

    def remove(self, identifier: str) -> None:
        """Note a document that was removed."""
        self._documents.pop(identifier, None)
        self._removed.add(identifier)

    def find(self, keys: Iterable[str]) -> list[Document]:
        """Return the documents that may hold any of these keys."""
        ids = {found for key in keys for found in self._by_key.get(hash(key), ())}
        return [self._documents[i] for i in sorted(ids) if i in self._documents]


@dataclass
class IntakeCounts:
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


class RenamedRecord(NamedTuple):
    """A record that was kept under another id, and the paper that had its id already."""

    kept: Document
    namesake: Document


class Arrival(NamedTuple):
    """A record that arrives, with the keys that it is kept under, computed once."""

    document: Document
    keys: list[str]
    sought: list[str]
    """The keys under which the papers are found that it may be the same as."""

    @classmethod
    def of(cls, document: Document) -> Arrival:
        """Compute the keys of a record."""
        keys = list_keys(document)
        # A record that nothing identifies may have come before, and got another id then.
        is_anonymous = keys[-1].startswith("id:")
        return cls(document, keys, [*keys, f"id:{_make_id(document)}"] if is_anonymous else keys)


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
            self._place(document, list_keys(document))

    def put(self, arrival: Arrival, *, counts: IntakeCounts) -> RenamedRecord | None:
        """Put a record where it belongs, and tell if it was kept under another id."""
        document, keys, sought = arrival
        namesake = self._papers.get(document.id)
        same = self._find_same(document, sought)
        renamed = None
        if namesake and namesake not in same:
            # That id is another paper's, and must stay so.
            document = _give_made_id(document)
            keys = list_keys(document)
            twin = self._papers.get(document.id)
            same = same or ([twin] if twin else [])
            renamed = RenamedRecord(document, namesake) if not same else None
        if same:
            self._unite(document, same, counts=counts)
        else:
            counts.added += 1
            counts.renamed += renamed is not None
            self._change(document, keys)
        return renamed

    def _unite(self, document: Document, same: list[Document], *, counts: IntakeCounts) -> None:
        known, *others = same
        result, kind = self._combine(known, document)
        for other in others:
            # The record has shown two papers to be one, unless something else tells them apart.
            if is_same_paper(result, other):
                result, kind = _merge_records(result, other), "merged"
                self._remove(other)
        if result == known:
            counts.unchanged += 1
        else:
            setattr(counts, kind, getattr(counts, kind) + 1)
            self._change(result, list_keys(result))

    def _combine(self, known: Document, document: Document) -> tuple[Document, str]:
        if self._editions.is_older(document, known):
            return fill(known, document), "revised"
        is_own = known.id == document.id and _is_newer_edition(known, document)
        if is_own or self._editions.is_later(document, known):
            return revise(known, document), "revised"
        return _merge_records(known, document), "merged"

    def _find_same(self, document: Document, keys: list[str]) -> list[Document]:
        candidates = {found for key in keys for found in self._by_key.get(key, ())}
        papers = [self._papers[identifier] for identifier in sorted(candidates)]
        return [
            paper
            for paper in papers
            if is_same_paper(paper, document) or _is_same_by_id_and_text(paper, document)
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


def _merge_records(known: Document, other: Document) -> Document:
    merged = merge(known, other)
    if merged.id != merged.pmid:
        # It is a person's own record: the next edition is that of the file which it is from.
        return merged
    return msgspec.structs.replace(merged, source=find_dated_source(merged, known, other))


def _is_newer_edition(known: Document, document: Document) -> bool:
    """Tell whether a record comes from where the paper's own came: an edited file, or PubMed."""
    return known.source == document.source or document.source.startswith("pubmed:")


def _is_same_by_id_and_text(paper: Document, document: Document) -> bool:
    """Tell whether records that nothing else identifies are editions of one: by id and text."""
    if paper.id != document.id or not set(_list_kinds(paper)).isdisjoint(_list_kinds(document)):
        return False
    if paper.text == document.text:
        return True
    title, abstract = normalise_title(paper.title), paper.abstract
    same_title = title == normalise_title(document.title) and len(title) >= MIN_TITLE_LETTERS
    return same_title or (abstract == document.abstract and len(abstract) >= MIN_ABSTRACT)


def _list_kinds(document: Document) -> list[str]:
    return [kind for kind in ("pmid", "doi", "pmcid") if getattr(document, kind)]


def _give_made_id(document: Document) -> Document:
    others = (*document.other_ids, f"supplied:{document.id}")
    return msgspec.structs.replace(document, id=_make_id(document), other_ids=others)


def _make_id(document: Document) -> str:
    # Not the PMID itself or the like: that may be the id of another paper.
    if keys := identity_keys(document):
        return "made-" + hashlib.blake2b(keys[0].encode(), digest_size=8).hexdigest()
    return ensure_id(msgspec.structs.replace(document, id="")).id


class Editions(NamedTuple):
    """What tells which edition is the later one."""

    newest: Release | None = None
    """The latest release that the library had read before."""

    def is_older(self, document: Document, known: Document) -> bool:
        """Tell whether a record is an earlier edition than the one that the library holds."""
        if not (_is_dated(document) and _is_dated(known)):
            return False
        version, other = version_of(document), version_of(known)
        if version != other:
            return version < other
        return self._precedes(release_of(document.source), known)

    def is_later(self, document: Document, known: Document) -> bool:
        """Tell whether both are of PubMed, and the record is no earlier edition."""
        return _is_dated(document) and _is_dated(known) and not self.is_older(document, known)

    def withdraws(self, deletion: Deletion, release: Release | None, known: Document) -> bool:
        """Tell whether a notice of deletion, in a file of this release, is about this edition."""
        return deletion.version >= version_of(known) and not self._precedes(release, known)

    def withdraws_again(self, deletion: Deletion, release: Release | None, known: Document) -> bool:
        """Tell whether a notice that was heard before is about an edition that has come since.

        That is one of an earlier file: what came in the same file, and what is of no release, was
        there when the notice was heard.
        """
        there = release_of(known.source)
        is_earlier = release is not None and there is not None and there < release
        return is_earlier and self.withdraws(deletion, release, known)

    def _precedes(self, release: Release | None, known: Document) -> bool:
        if release is None:
            return False
        if known.source == FETCHED:
            return self.newest is not None and release <= self.newest
        there = release_of(known.source)
        return there is not None and release < there


def find_dated_source(*documents: Document) -> str:
    """Return the first source of a paper's records that is a file of PubMed, or was fetched.

    It tells which edition of PubMed's record a merged one is, so it must not be lost. If none of
    them is from PubMed, the first record's source is returned.
    """
    return next((each.source for each in documents if _is_dated(each)), documents[0].source)


def _is_dated(document: Document) -> bool:
    return document.source == FETCHED or release_of(document.source) is not None
