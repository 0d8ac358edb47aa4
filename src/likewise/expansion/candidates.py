"""The candidates: what is known of the topic, and the pool, which grows with each round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from likewise.documents import Document
from likewise.expansion.citing import find_linked
from likewise.expansion.expansion import Stages
from likewise.expansion.kept_terms import KeptTerms
from likewise.expansion.marks import Marks
from likewise.expansion.retrieval import Retrieval
from likewise.expansion.seeds import Seeds, check_enough
from likewise.expansion.settings import ExpandSettings
from likewise.expansion.wording import format_count
from likewise.features.encoders import Encoder
from likewise.features.terms import TermCounter
from likewise.features.words import make_word_features
from likewise.learn.citations import (
    CitationFeatures,
    measure_worth,
    read_citations,
    weigh_citations,
)
from likewise.learn.folds import Scores
from likewise.learn.material import Material, weigh_by_propensity
from likewise.learn.stopping import Screening
from likewise.learn.stopping.posterior import expect_by_scores
from likewise.learn.views import ViewSources, make_views
from likewise.library.links import open_links
from likewise.library.protocol import Library
from likewise.library.where import Where
from likewise.machine import give_back_memory, measure_free_memory

BATCH = 2000
REPEATED = ("journal", "issn", "publication_types")
"""Fields that have few different values, besides headings."""
READ = 10_000
"""How many documents are read from the library at a time."""
LINKED = 0.1
"""How many documents citations may add at a time, as a share of the setting `pool`."""


BARE_MEMORY, CANDIDATE_MEMORY = 150_000_000, 13_000
"""The bytes that an expansion takes, and what each candidate adds (`make bench-scale`)."""


class Candidates:
    """What is known, and the pool; each document is read, and its terms counted, only once."""

    def __init__(
        self,
        library: Library,
        known: Knowledge,
        *,
        encoder: Encoder | None,
        stages: Stages,
        kept_terms: KeptTerms | None = None,
    ) -> None:
        self.seeds = known.seeds
        self.known = known
        self.pool: list[str] = []
        self.documents: dict[str, Document] = {seed.id: seed for seed in known.seeds.documents}
        self.seed_ids = list(self.documents)
        self.negative_ids = [document.id for document in known.negatives]
        self.documents |= {document.id: document for document in known.negatives}
        self._library = library
        self._encoder = encoder
        self._stages = stages
        self._shared: dict[Any, Any] = {}
        self._counter = (
            kept_terms.counter(library)
            if kept_terms
            else TermCounter(library.analyze_all, by_chunk=library.analyzes_by_chunk)
        )
        self._counter.add(self.documents.values())
        self.links = open_links(library)
        self.citations: CitationFeatures | None = None
        """Which of them cite which, if that is known."""
        self.by_links: frozenset[str] = frozenset()
        """The ids that citations of the seeds lead to, whether words had found them or not."""

    def add(self, ids: Sequence[str]) -> list[str]:
        """Add documents to the pool, each once; return the ids of those that were not in it."""
        new = [identifier for identifier in dict.fromkeys(ids) if identifier not in self.documents]
        with self._stages("documents"):
            documents = list(self._read(new))
        with self._stages("features"):
            for start in range(0, len(documents), BATCH):
                self._counter.add(documents[start : start + BATCH])
                self._stages.step(start, len(documents))
        joined = [document.id for document in documents]
        self.documents |= zip(joined, documents, strict=True)
        self.pool += joined
        return joined

    def _read(self, ids: Sequence[str]) -> Iterator[Document]:
        """Yield documents that share what many have, such as headings: half of their memory."""
        share = self._shared.setdefault
        for start in range(0, len(ids), READ):
            for document in self._library.get(ids[start : start + READ]):
                if document.mesh:
                    mesh = tuple([share(heading, heading) for heading in document.mesh])
                    msgspec.structs.force_setattr(document, "mesh", mesh)
                for name in REPEATED:
                    value = getattr(document, name)
                    msgspec.structs.force_setattr(document, name, share(value, value))
                yield document

    def find_linked(self, settings: ExpandSettings) -> list[str]:
        """Return the ids that citations of the seeds lead to, if they would have found these."""
        documents = [self.documents[identifier] for identifier in self.ids]
        features = read_citations(documents, self.links) if self.links else None
        if not features:
            return []
        seeds = len(self.seed_ids)
        evidence = weigh_citations(features, seeds=seeds)
        if not measure_worth(evidence, seeds=seeds, known=seeds + len(self.negative_ids)):
            return []
        found = self._follow_links(documents[:seeds], settings)
        self.by_links = frozenset(found)
        return found

    def find_linked_further(self, likely: Sequence[str], settings: ExpandSettings) -> list[str]:
        """Return the ids that citations of seeds and finds lead to, if those of seeds do."""
        if not self.by_links:
            return []
        known = [self.documents[identifier] for identifier in (*self.seed_ids, *likely)]
        return self._follow_links(known, settings)

    def _follow_links(self, known: Sequence[Document], settings: ExpandSettings) -> list[str]:
        if not self.links:
            return []
        limit, where = max(1, int(LINKED * settings.pool)), Where.parse(settings.where)
        return find_linked(self._library, self.links, known, limit=limit, where=where)

    def material(self, retrieval: Retrieval, *, vectors: bool = True) -> Material:
        """Return the material that methods score from; with vectors if there is an encoder."""
        ids = self.ids
        with self._stages("features"):
            words = make_word_features(self._counter.counts(ids))
            give_back_memory()
        self.words = words
        documents = [self.documents[identifier] for identifier in ids]
        sources = ViewSources(
            documents=documents,
            words=words,
            retrieval=self._extend_to_pool(retrieval.scores),
            engine_terms=retrieval.terms,
            read_words=lambda: self._counter.words(ids),
            vectors=self._encode(ids) if vectors else None,
            links=self.links,
        )
        views = make_views(sources)
        self.citations = views["citations"].evidence if "citations" in views else None
        return Material(
            seeds=len(self.seed_ids),
            documents=documents,
            views=views,
            analyze_all=self._library.analyze_all,
            outside=retrieval.outside_share,
            encoder=self._encoder,
            negatives=len(self.negative_ids),
            found=len(self.seeds.marked),
            negative_weights=self.known.weights,
        )

    def forget_words(self) -> None:
        """Free the features of a round before those of the next are made."""
        del self.words
        give_back_memory()

    @property
    def ids(self) -> list[str]:
        """The documents of all rows: seeds, negatives, pool."""
        return [*self.seed_ids, *self.negative_ids, *self.pool]

    def _extend_to_pool(self, retrieval: Scores) -> Scores:
        """Return the engine's scores of the whole pool; documents that it missed get the lowest."""
        later = max(0, len(self.pool) - len(retrieval.pool))
        return retrieval._replace(pool=np.pad(retrieval.pool, (0, later), mode="minimum"))

    def _encode(self, ids: list[str]) -> NDArray[np.float32] | None:
        if not self._encoder:
            return None
        from likewise.features.encoders import VectorCache, encode_texts

        with self._stages("encoding"):
            return encode_texts(
                [self.documents[identifier].text for identifier in ids],
                encoder=self._encoder,
                cache=VectorCache(),
                on_progress=lambda done: self._stages.step(done.encoded, done.total),
            )


def warn_of_memory(documents: int, *, pool: int) -> list[str]:
    """Return a warning if memory may not suffice for the candidates."""
    free, wanted = measure_free_memory(), min(documents, pool)
    if free >= BARE_MEMORY + wanted * CANDIDATE_MEMORY:
        return []
    fitting = max(1_000, (free - BARE_MEMORY) // CANDIDATE_MEMORY // 1_000 * 1_000)
    found = f"there may not be enough memory for {format_count(wanted, 'candidate')}"
    return [f"{found}; if the system stops this for lack of memory, try --pool {fitting}"]


@dataclass(frozen=True)
class Knowledge:
    """What is known to be on topic, and what is known not to be."""

    seeds: Seeds
    """The seeds, together with the documents marked relevant."""
    negatives: tuple[Document, ...] = ()
    weights: NDArray[np.float64] | None = None
    """How much each negative counts."""
    read: tuple[bool, ...] = ()
    """Whether each document that was read and judged is on topic, in the order of reading."""

    def describe_screening(self, scores: Scores) -> Screening:
        """Return what was read, and what out-of-fold scores predict for the rest."""
        given = len(self.seeds.given)
        found, off = scores.seeds[given:], scores.negatives
        marked = np.concatenate([found, off])
        known = np.where(np.isnan(marked), scores.pool.min(), marked)
        return Screening(
            labels=np.array(self.read, dtype=bool),
            size=len(self.read) + len(scores.pool),
            seeds=given,
            brought=len(found) - sum(self.read),
            scored=expect_by_scores(np.arange(len(marked)) < len(found), known, scores.pool),
        )


def combine_marks(library: Library, seeds: Seeds, marks: Marks) -> Knowledge:
    """Combine seeds and marks into what is known; if a seed is marked, the mark counts.

    Documents that the library no longer holds are left out, except seeds, whose text is known.
    Raises SeedsError if fewer than three different texts on topic are left.
    """
    if not marks:
        return Knowledge(seeds)
    denied = {*marks.irrelevant, *marks.maybe}
    given = {document.id: document for document in seeds.documents}
    held = library.get([name for name in (*marks.relevant, *marks.irrelevant) if name not in given])
    documents = given | {document.id: document for document in held}
    kept = replace(
        seeds,
        matched=tuple(seed for seed in seeds.matched if seed.id not in denied),
        text_only=tuple(seed for seed in seeds.text_only if seed.id not in denied),
        marked=tuple(
            documents[name] for name in marks.relevant if name in documents and name not in given
        ),
    )
    check_enough(kept, library=library)
    names = [name for name in marks.irrelevant if name in documents]
    ranks = np.array([marks.ranks.get(name, np.nan) for name in names], dtype=np.float64)
    weights = weigh_by_propensity(ranks) if names else None
    relevant = {document.id for document in kept.marked}
    judged = relevant.union(names)
    read = tuple(name in relevant for name in marks.read if name in judged)
    return Knowledge(kept, tuple(documents[name] for name in names), weights, read)


def rank_strangers_last(scores: Scores, material: Material) -> Scores:
    """Return scores that rank documents without any term of the query last.

    Only a library that is no larger than the pool has such candidates. Among them, those without an
    abstract come last.
    """
    is_stranger = material.retrieval.pool == 0
    if not is_stranger.any() or is_stranger.all():
        return scores
    documents = material.documents[material.known :]
    has_abstract = np.array([bool(document.abstract) for document in documents])
    strangers = np.flatnonzero(is_stranger)
    order = strangers[np.lexsort((-scores.pool[strangers], ~has_abstract[strangers]))]
    pool = scores.pool.copy()
    step = max(float(scores.pool.std()), 1e-6)
    pool[order] = pool[~is_stranger].min() - step * (1 + np.arange(len(order)) / len(order))
    return scores._replace(pool=pool)
