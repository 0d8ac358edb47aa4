"""Seeds as people have them: not drawn at random, but from where they know their topic.

random  drawn at random
corner  a document and those of the topic that are most like it
search  the best matches of the topic's own words
short   from the third with the shortest texts
recent  from the latest quarter
mixed   half of a corner, half at random
journal from one journal
group   of one group of authors: a document, and those that share authors with one drawn before

Journals and authors come from the sample of real PubMed files, which has some of the records.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from benchmarks.labelled import CHECK_TAGS

from likewise.documents import Document, read
from likewise.documents.remote import fetch_sample
from likewise.features.terms import TermCounter
from likewise.features.words import make_word_features
from likewise.library.embedded import EmbeddedLibrary
from likewise.library.more_like import MoreLike, select_terms
from likewise.library.protocol import FIELDS, Query, Term

TOLD_BY_RECORDS = ("journal", "group")
KINDS = ("random", "corner", "search", "short", "recent", "mixed", *TOLD_BY_RECORDS)
TOLD = 4
"""Journals and groups with fewer documents on topic are no source of seeds."""
SHORT, RECENT = 1 / 3, 1 / 4
OWN_TERMS = 4
"""How many terms a search for a review has; one for a MeSH topic has the words of its headings."""


class SeedSource(NamedTuple):
    """A topic that seeds are drawn from."""

    topic: str
    documents: Mapping[str, Document]
    """Those on topic, by id."""
    library: EmbeddedLibrary
    years: Mapping[str, int] = {}
    records: Mapping[str, Document] = {}
    """Those of which journal and authors are known, by id."""

    def draw(self, kind: str, count: int, *, draw: int) -> list[str]:
        """Draw seeds of a kind, at most a third of the topic; always the same for the same draw.

        A small journal or group gives fewer, and there are no seeds if none has enough.
        """
        rng = random.Random(f"{self.topic} {kind} {count} {draw}")
        ids = sorted(self.documents)
        count = min(count, len(ids) // 3)
        if kind == "random":
            return rng.sample(ids, count)
        if kind == "corner":
            return self._find_corner(ids, count, rng=rng)
        if kind == "mixed":
            corner = self._find_corner(ids, count - count // 2, rng=rng)
            return corner + rng.sample(sorted(set(ids) - set(corner)), count // 2)
        if kind == "search":
            return self._search_topic(ids)[:count]
        if kind in TOLD_BY_RECORDS:
            sources = self._list_journals(ids) if kind == "journal" else self._list_groups(ids, rng)
            chosen = rng.choice(sources) if sources else []
            return (
                chosen[:count] if kind == "group" else rng.sample(chosen, min(count, len(chosen)))
            )
        texts = self.documents
        by_kind = {
            "short": (SHORT, lambda name: len(texts[name].text)),
            "recent": (RECENT, lambda name: -self.years.get(name, 0)),
        }
        share, key = by_kind[kind]
        return rng.sample(sorted(ids, key=key)[: max(count, int(share * len(ids)))], count)

    def _find_corner(self, ids: Sequence[str], count: int, *, rng: random.Random) -> list[str]:
        counter = TermCounter(self.library.analyze_all)
        counter.add(self.documents.values())
        rows = make_word_features(counter.counts(ids)).tfidf
        first = rng.randrange(len(ids))
        alike = (rows @ rows[[first]].T).toarray().ravel()
        alike[first] = np.inf
        return [ids[row] for row in np.argsort(-alike, kind="stable")[:count]]

    def _list_journals(self, ids: Sequence[str]) -> list[list[str]]:
        """Return the documents of each journal that has enough of them."""
        journals: defaultdict[str, list[str]] = defaultdict(list)
        for name in ids:
            if (record := self.records.get(name)) and record.journal:
                journals[record.journal].append(name)
        return [names for names in journals.values() if len(names) >= TOLD]

    def _list_groups(self, ids: Sequence[str], rng: random.Random) -> list[list[str]]:
        """Return groups that have enough documents, each in the order in which it was found.

        A document belongs to a group if it shares an author with a document of the group.
        """
        papers: defaultdict[str, list[str]] = defaultdict(list)
        for name in rng.sample(ids, len(ids)):
            for author in self.records[name].authors if name in self.records else ():
                papers[author].append(name)
        groups, seen = [], set()
        for first in [names[0] for names in papers.values()]:
            group = [] if first in seen else [first]
            seen.add(first)
            for name in group:
                near = [other for author in self.records[name].authors for other in papers[author]]
                found = [other for other in dict.fromkeys(near) if other not in seen]
                seen.update(found)
                group += found
            if len(group) >= TOLD:
                groups.append(group)
        return groups

    def _search_topic(self, ids: Sequence[str]) -> list[str]:
        """Return those on topic in the order in which a search for the topic's words finds them."""
        parts = self.topic.split(" + ")
        named = [part for part in parts if part not in CHECK_TAGS] or parts
        words = [term for part in named for term in self.library.analyze("title", part)]
        if "_" in self.topic:
            own = select_terms(self.library, list(self.documents.values()), settings=MoreLike())
            words = [term.text for term in own]
            words = list(dict.fromkeys(words))[:OWN_TERMS]
        query = Query(tuple(Term(field, word) for field in FIELDS for word in dict.fromkeys(words)))
        wanted = set(ids)
        found = self.library.find_best(query, limit=self.library.count()).ids
        return [name for name in found if name in wanted]


def read_sample_records(folder: Path) -> dict[str, Document]:
    """Return the records of the sample of PubMed files by PMID, fetched once into a folder."""
    files = fetch_sample(folder, on_step=print)
    return {document.pmid: document for path in files for document in read(path)}
