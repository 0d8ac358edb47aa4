"""Draws of topics: the seeds in random order, and tasks made of the first of these."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import cast

import msgspec
import numpy as np

from likewise.bench import make_generator
from likewise.bench.tasks import (
    Label,
    Split,
    Task,
    TaskEntry,
    TaskMetadata,
    TaskSettings,
    Truth,
    describe_task,
    name_engine,
    name_topic,
)
from likewise.bench.tasks.bias import DrawFacts, order_by_bias
from likewise.bench.tasks.leakage import check_leakage
from likewise.bench.tasks.pools import (
    DocumentFetcher,
    NarrowedLibrary,
    Parts,
    TaskPool,
    count_needed,
    retrieve_case_control,
    retrieve_censoring,
    shorten_hits,
    split_pool,
    split_seeds,
)
from likewise.bench.topics import Members, Topic
from likewise.errors import TaskError, TopicError
from likewise.expansion.records import round_number
from likewise.expansion.saved import fingerprint_library
from likewise.library.more_like import more_like_these
from likewise.library.protocol import Hits, Library

SPARE = 20
"""For every 20 documents of a pool, one more is retrieved, since copies are left out."""
SAID = ("number", "pool", "pool_of", "scheme", "setting", "seeds_bias", "negatives",
        "negatives_bias")  # fmt: skip
"""The settings that a task's metadata names."""
DIGITS = 5
"""How many decimals of scores and shares are kept, since their last bits differ by machine."""


class TaskMaker:
    """What all tasks of a library have in common; documents are fetched once for all of them."""

    def __init__(
        self,
        library: Library,
        settings: TaskSettings,
        *,
        citations: Mapping[str, int] | None = None,
    ) -> None:
        self.library = library
        self.settings = settings
        self.fetched = DocumentFetcher(library, references=settings.keep_references)
        self.citations = citations
        self._info = library.info()

    @property
    def fingerprint(self) -> str:
        """The library's fingerprint."""
        return fingerprint_library(self._info)

    def keep_usable(self, members: Members) -> Members:
        """Return the documents on a topic that tasks can be made of."""
        if not members.is_mesh or self.settings.keep_unindexed:
            return members
        indexed = tuple(self.fetched.keep_indexed(members.relevant))
        unindexed = len(members.relevant) - len(indexed)
        return dataclasses.replace(members, relevant=indexed, unindexed=unindexed)

    def draw_background(self, tasks: Sequence[Collection[str]], *, is_mesh: bool) -> list[str]:
        """Draw documents from the library: for each task, as many new ones as its pool has.

        Args:
            tasks: The documents that each task names already.
            is_mesh: Whether to draw only documents that have headings and an abstract.
        """
        ids, size = self.library.list_ids(), self.settings.retrieved
        order = make_generator(self.settings.number, "background").permutation(len(ids))
        drawn: list[str] = []
        there = [0 for _ in tasks]
        for start in range(0, len(order), size):
            some = [ids[row] for row in order[start : start + size]]
            drawn += self.fetched.keep_indexed(some) if is_mesh else some
            there = [len(set(drawn).difference(named)) for named in tasks]
            if min(there, default=size) >= size:
                break
        return drawn

    def describe(self, topic: Topic, members: Members, *, seeds: int, draw: int) -> TaskMetadata:
        """Return the metadata of a task, as far as it is known before the task is made."""
        settings = self.settings
        return TaskMetadata(
            topic=str(topic),
            mesh_conjunction=members.uis,
            mesh_conjunction_str=members.names,
            seeds=seeds,
            draw=draw,
            **{name: getattr(settings, name) for name in SAID},
            unindexed_topic=members.unindexed,
            library=self.fingerprint,
            library_size=self._info.documents,
            engine=name_engine(self.library),
            query={"pool": settings.retrieved, **dataclasses.asdict(settings.more_like)},
            P_size=0,
            LP_size=0,
            U_size=0,
            precision=0.0,
            recall=0.0,
        )


class TopicDraw:
    """Makes the tasks of one draw of a topic; larger tasks contain the seeds of smaller ones."""

    def __init__(self, maker: TaskMaker, topic: Topic, members: Members, *, draw: int) -> None:
        self.topic = topic
        self.members = members
        self.draw = draw
        self._maker = maker
        self._settings = maker.settings
        self._fetched = maker.fetched
        self._place = name_topic(members.names, members.uis, within=topic.within)
        self._order: list[str] = []

    def name(self, seeds: int) -> str:
        """Return the name of the task with this number of seeds, which is also its folder."""
        return f"L{seeds}/{self._place}/draw-{self.draw}"

    def make(self, seeds: int) -> tuple[Task, Truth]:
        """Make a task; raise an error if there are too few documents, or if it leaks its truth."""
        chosen = self._draw_seeds(seeds)
        left_out = () if self._settings.test_seeds else chosen.test
        truth = Truth(frozenset(self.members.relevant).difference(left_out))
        library = NarrowedLibrary(self._maker.library, self._accept)
        found = self._fill_pool(cast("Library", library), chosen, rng=self._rng("pool", seeds))
        negatives = self._draw_negatives(found.hits, rng=self._rng("negatives", seeds))
        entries = (
            *self._list_seeds(chosen, found.above),
            *self._list_pool(found.hits, negatives, rng=self._rng("split", seeds)),
        )
        metadata = self._maker.describe(self.topic, self.members, seeds=seeds, draw=self.draw)
        if self._is_indexed_only:
            metadata = msgspec.structs.replace(metadata, unindexed_pool=library.passed_over[0])
        task = Task(
            name=self.name(seeds),
            metadata=describe_task(metadata, entries, truth),
            entries=entries,
            documents=self._fetched.documents,
        )
        terms = (*self.members.names, *self.members.uis)
        check_leakage(task, truth, terms=terms, key_of=self._fetched.hash_text)
        return task, truth

    def _rng(self, *purpose: str | int) -> np.random.Generator:
        return make_generator(self._settings.number, self._place, self.draw, *purpose)

    def _draw_seeds(self, count: int) -> Parts:
        members = self.members.relevant
        if not self._order:
            known = self._gather_facts(members, ranks=self._rank_topic)
            self._order = order_by_bias(
                members, self._settings.seeds_bias, known=known, rng=self._rng("seeds")
            )
        wanted = count_needed(count, setting=self._settings.setting)
        order = self._fetched.take_first(self._order, wanted)
        if len(order) < wanted:
            raise TopicError(
                f"{self.topic}: {len(order)} of its documents have a text that no other has, "
                f"but {wanted} seeds are needed; ask for fewer: --seeds"
            )
        return split_seeds(order, count, setting=self._settings.setting)

    @property
    def _is_indexed_only(self) -> bool:
        return self.members.is_mesh and not self._settings.keep_unindexed

    def _accept(self, ids: Sequence[str]) -> Sequence[str]:
        """Return those of these documents about which the truth is known."""
        known = self.members.known
        if known is not None:
            ids = [identifier for identifier in ids if identifier in known]
        return self._fetched.keep_indexed(ids) if self._is_indexed_only else ids

    def _fill_pool(self, library: Library, seeds: Parts, *, rng: np.random.Generator) -> TaskPool:
        """Find the pool; raise TaskError if it can't be filled."""
        size = self._settings.retrieved
        # Some of the documents found are copies.
        asked = size + size // SPARE
        while True:
            found = self._find_pool(library, seeds, size=asked, rng=rng)
            hits = self._fetched.drop_copies(found.hits, beside=seeds.all)
            hits = self._fetched.drop_listings(hits, members=self.members.relevant)
            if len(hits) >= size or len(found.hits) < asked:
                break
            asked += 2 * (size - len(hits))
        if len(hits) < size and self.members.known is None:
            relax = "" if self._settings.more_like.relax else ", or relax it: --relax"
            raise TaskError(
                f"{self.topic}: its query finds {len(hits):,} usable documents, but a |U| of "
                f"{self._settings.pool:,} takes {size:,} in all parts together; "
                f"ask for fewer: --pool{relax}"
            )
        always = self.members.relevant if self._settings.scheme == "censoring" else ()
        return found._replace(hits=shorten_hits(hits, size, always=frozenset(always)))

    def _find_pool(
        self, library: Library, seeds: Parts, *, size: int, rng: np.random.Generator
    ) -> TaskPool:
        more_like, documents = self._settings.more_like, self._fetched.get(seeds.all)
        if self._settings.scheme == "censoring":
            members = self._fetched.get(self.members.relevant)
            return retrieve_censoring(
                library, members, seeds=documents, size=size, more_like=more_like, rng=rng
            )
        return retrieve_case_control(library, documents, size=size, more_like=more_like, rng=rng)

    def _draw_negatives(self, hits: Hits, *, rng: np.random.Generator) -> Parts:
        count, setting = self._settings.negatives, self._settings.setting
        if not count:
            return Parts(())
        relevant = set(self.members.relevant)
        off_topic = [identifier for identifier in hits.ids if identifier not in relevant]
        # Labelled negatives of a test part would be of no use.
        wanted = count_needed(count, setting=setting) - (
            count // 2 if setting == "inductive" else 0
        )
        if len(off_topic) <= wanted:
            raise TaskError(
                f"{self.topic}: {len(off_topic):,} documents of the pool are off topic, too few "
                f"for {wanted:,} labelled ones; ask for fewer, or for a larger pool"
            )
        ranks = {identifier: rank for rank, identifier in enumerate(hits.ids, 1)}
        known = self._gather_facts(off_topic, ranks=lambda: ranks)
        order = order_by_bias(off_topic, self._settings.negatives_bias, known=known, rng=rng)
        return split_seeds(order, count, setting=setting)._replace(test=())

    def _list_seeds(self, seeds: Parts, above: Mapping[str, float]) -> Iterator[TaskEntry]:
        if not self._settings.test_seeds:
            seeds = seeds._replace(test=())
        for seed, split in seeds.list_splits(self._settings.setting).items():
            share = round_number(above[seed], DIGITS) if seed in above else None
            yield TaskEntry(seed, "positive", split, above=share)

    def _list_pool(
        self, hits: Hits, negatives: Parts, *, rng: np.random.Generator
    ) -> Iterator[TaskEntry]:
        labelled = negatives.list_splits(self._settings.setting)
        rest = [identifier for identifier in hits.ids if identifier not in labelled]
        splits: dict[str, Split] = dict.fromkeys(rest, "all")
        if self._settings.setting == "inductive":
            splits = split_pool(rest, set(self.members.relevant), rng=rng)
        for rank, (identifier, score) in enumerate(zip(*hits, strict=True), 1):
            label: Label = "negative" if identifier in labelled else "unlabeled"
            split = labelled.get(identifier) or splits[identifier]
            yield TaskEntry(identifier, label, split, rank, round_number(score, DIGITS))

    def _gather_facts(
        self, ids: Sequence[str], *, ranks: Callable[[], Mapping[str, int]]
    ) -> DrawFacts:
        return DrawFacts(
            documents=lambda: self._fetched.get(ids),
            ranks=ranks,
            analyze_all=self._maker.library.analyze_all,
            citations=self._maker.citations,
        )

    def _rank_topic(self) -> dict[str, int]:
        """Return the ranks of the topic's documents in what the engine finds for all of them."""
        members = self._fetched.get(self.members.relevant)
        limit = self._settings.retrieved + len(members)
        more_like = self._settings.more_like
        library = cast("Library", NarrowedLibrary(self._maker.library, self._accept))
        found = more_like_these(library, members, limit=limit, settings=more_like)
        ranks = {identifier: rank for rank, identifier in enumerate(found.hits.ids, 1)}
        return {member.id: ranks[member.id] for member in members if member.id in ranks}
