"""Pools: what the engine finds for seeds, where it would rank the seeds, and how both are split.

*Case-control* is the paper's main scheme: the seeds are the query, and the pool is what it finds.
*Censoring* is the scheme of its appendix A: all documents on topic are the query, and the pool is
what else it finds, together with all documents on topic that are not seeds.

Seeds and pool are split into a half and two quarters, as the authors of the paper did: |LP| and |U|
count what is for training. The seeds of a draw are in one order, and the parts take turns, so that
larger tasks of a draw contain the seeds of the smaller ones, part by part. Documents on topic and
off topic are split in the same proportions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple, cast

import numpy as np

from likewise.bench.tasks import ALL_PER_TRAINING, Setting, Split
from likewise.bench.tasks.leakage import hash_text, lists_topic, name_members, strip_labels
from likewise.documents import Document
from likewise.expansion.retrieval import retrieve
from likewise.expansion.seeds import Seeds
from likewise.expansion.settings import ExpandSettings
from likewise.library.more_like import MoreLike, more_like_these
from likewise.library.protocol import Hits, Library, Query
from likewise.library.where import ANYWHERE, Where

WIDER = 4
"""If too few of the documents found can be used, ask for this many times as many."""


class TaskPool(NamedTuple):
    """What was found for seeds."""

    hits: Hits
    """The pool, best first."""
    above: dict[str, float]
    """The share of the pool above each seed, by id, without those not retrieved when held out."""


def retrieve_case_control(
    library: Library,
    seeds: Sequence[Document],
    *,
    size: int,
    more_like: MoreLike,
    rng: np.random.Generator,
) -> TaskPool:
    """Return what seeds find, without the seeds themselves."""
    settings = ExpandSettings(pool=size, more_like=more_like)
    found = retrieve(library, Seeds(tuple(seeds), (), ()), settings=settings, rng=rng)
    shares = zip(seeds, found.above.tolist(), strict=True)
    return TaskPool(found.hits, {seed.id: above for seed, above in shares if not math.isnan(above)})


def retrieve_censoring(
    library: Library,
    members: Sequence[Document],
    *,
    seeds: Sequence[Document],
    size: int,
    more_like: MoreLike,
    rng: np.random.Generator,
) -> TaskPool:
    """Return a topic without its seeds, filled up with what the whole topic finds.

    It is ranked as the seeds alone would find it, since a query made of the whole topic would
    give away the truth. Documents that share no term with the seeds come last and score 0.
    """
    wanted = {member.id for member in members}
    room = max(0, size - len(wanted) + len(seeds))
    found = more_like_these(library, members, limit=room + len(wanted), settings=more_like).hits
    others = [identifier for identifier in found.ids if identifier not in wanted][:room]
    everyone = {*wanted, *others}
    pool = everyone - {seed.id for seed in seeds}
    chosen = cast("Library", NarrowedLibrary(library, everyone.intersection))
    ranked = retrieve_case_control(chosen, seeds, size=len(pool), more_like=more_like, rng=rng)
    last = sorted(pool.difference(ranked.hits.ids))
    hits = Hits([*ranked.hits.ids, *last], [*ranked.hits.scores, *(0.0 for _ in last)])
    return ranked._replace(hits=hits)


class NarrowedLibrary:
    """A library whose searches find only some of its documents: those that can be judged."""

    def __init__(self, library: Library, accept: Callable[[Sequence[str]], Iterable[str]]) -> None:
        """Wrap a library.

        Args:
            library: The whole library.
            accept: Given some documents, returns those that may be found.
        """
        self._library = library
        self._accept = accept
        self.passed_over: list[int] = []
        """How many documents each search found and left out."""

    def __getattr__(self, name: str) -> object:
        return getattr(self._library, name)

    def list_ids(self, where: Where = ANYWHERE) -> list[str]:
        """Return the ids of all documents that may be found, or of those within a limit."""
        return list(self._accept(self._library.list_ids(where)))

    def find_best(self, query: Query, *, limit: int, exclude: Collection[str] = ()) -> Hits:
        """Return the best accepted hits of a query, `limit` of them if there are as many."""
        everything = self._library.count()
        asked = limit
        while True:
            found = self._library.find_best(query, limit=asked, exclude=exclude)
            accepted = set(self._accept(found.ids))
            rows = [row for row, identifier in enumerate(found.ids) if identifier in accepted]
            if len(rows) >= limit or len(found) < asked or asked >= everything:
                best = rows[:limit]
                self.passed_over.append(best[-1] + 1 - len(best) if best else len(found))
                return Hits([found.ids[row] for row in best], [found.scores[row] for row in best])
            asked = min(WIDER * asked, everything)


class Parts(NamedTuple):
    """Labelled documents, by the part of a task that they are in."""

    train: tuple[str, ...]
    """Of a transductive task, all of them."""
    validation: tuple[str, ...] = ()
    test: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """All of them."""
        return self.train + self.validation + self.test

    def list_splits(self, setting: Setting) -> dict[str, Split]:
        """Return the split that each of the documents is in."""
        is_whole = setting == "transductive"
        return {
            **dict.fromkeys(self.train, "all" if is_whole else "train"),
            **dict.fromkeys(self.validation, "validation"),
            **dict.fromkeys(self.test, "test"),
        }


def count_needed(count: int, *, setting: Setting) -> int:
    """Return how many documents all parts have together, if the training part has `count`.

    >>> count_needed(20, setting="inductive"), count_needed(5, setting="inductive")
    (40, 10)
    """
    return ALL_PER_TRAINING * count if setting == "inductive" else count


def split_seeds(order: Sequence[str], count: int, *, setting: Setting) -> Parts:
    """Return the first of an order: `count` for training, and as many for the rest if inductive.

    >>> split_seeds("abcdefgh", 4, setting="inductive")
    Parts(train=('a', 'c', 'e', 'g'), validation=('b', 'f'), test=('d', 'h'))
    """
    taken = tuple(order[: count_needed(count, setting=setting)])
    if setting == "transductive":
        return Parts(taken)
    return Parts(taken[::2], taken[1::4], taken[3::4])


def split_pool(
    ids: Sequence[str], relevant: Collection[str], *, rng: np.random.Generator
) -> dict[str, Split]:
    """Split a pool: a half for training, a quarter for validation and the rest for testing."""
    splits: dict[str, Split] = {}
    for is_on_topic in (True, False):
        side = [identifier for identifier in ids if (identifier in relevant) is is_on_topic]
        # Of odd numbers, training gets the extra document on topic, and testing the one off topic.
        half, quarter = (len(side) + is_on_topic) // 2, len(side) // 4
        for place, row in enumerate(rng.permutation(len(side))):
            is_later = place >= half + quarter
            splits[side[row]] = "train" if place < half else "test" if is_later else "validation"
    return splits


class DocumentFetcher:
    """Fetches documents of a library as methods may see them, each once."""

    def __init__(self, library: Library, *, references: bool = False) -> None:
        self._library = library
        self._references = references
        self._keys: dict[str, bytes] = {}
        self._indexed: set[str] = set()
        self.documents: dict[str, Document] = {}
        """All documents that were fetched so far, by id."""

    def get(self, ids: Iterable[str]) -> list[Document]:
        """Return documents in the order asked; unknown ids are left out."""
        asked = list(ids)
        missing = [identifier for identifier in asked if identifier not in self.documents]
        for document in self._library.get(missing) if missing else ():
            self.documents[document.id] = strip_labels(document, references=self._references)
            if document.mesh and document.abstract:
                self._indexed.add(document.id)
        return [self.documents[each] for each in asked if each in self.documents]

    def keep_indexed(self, ids: Iterable[str]) -> list[str]:
        """Return those of these documents that have headings and an abstract."""
        return [document.id for document in self.get(ids) if document.id in self._indexed]

    def hash_text(self, document: Document) -> bytes:
        """Return a hash that is the same for documents with the same text."""
        if document.id not in self._keys:
            self._keys[document.id] = hash_text(document)
        return self._keys[document.id]

    def take_first(self, order: Sequence[str], count: int) -> list[str]:
        """Return the first documents of an order that have a text, leaving out copies."""
        chosen: dict[bytes, str] = {}
        for start in range(0, len(order), max(count, 1)):
            for document in self.get(order[start : start + count]):
                if document.text and len(chosen) < count:
                    chosen.setdefault(self.hash_text(document), document.id)
            if len(chosen) == count:
                break
        return list(chosen.values())

    def drop_listings(self, hits: Hits, *, members: Collection[str]) -> Hits:
        """Return hits without documents that list the topic's among their references."""
        if not self._references:
            return hits
        named = name_members(self.get(members))
        found = self.get(hits.ids)
        rows = [row for row, document in enumerate(found) if not lists_topic(document, named)]
        return Hits([hits.ids[row] for row in rows], [hits.scores[row] for row in rows])

    def drop_copies(self, hits: Hits, *, beside: Collection[str]) -> Hits:
        """Return hits without copies of better hits, or of the documents `beside` them."""
        seen = {self.hash_text(document) for document in self.get(beside)}
        rows = []
        found = {document.id: document for document in self.get(hits.ids)}
        for row, identifier in enumerate(hits.ids):
            key = self.hash_text(found[identifier])
            if key not in seen:
                seen.add(key)
                rows.append(row)
        return Hits([hits.ids[row] for row in rows], [hits.scores[row] for row in rows])


def shorten_hits(hits: Hits, size: int, *, always: frozenset[str]) -> Hits:
    """Return `size` hits: those that are always kept, and the first of the others.

    >>> shorten_hits(Hits(["a", "b", "c"], [3.0, 2.0, 1.0]), 2, always=frozenset("c")).ids
    ['a', 'c']
    """
    others = [row for row, identifier in enumerate(hits.ids) if identifier not in always]
    left_out = set(others[max(0, size - len(hits) + len(others)) :])
    rows = [row for row in range(len(hits)) if row not in left_out]
    return Hits([hits.ids[row] for row in rows], [hits.scores[row] for row in rows])
