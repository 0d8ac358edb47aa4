"""The maker of tasks: what all tasks of a library have in common."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from likewise.bench import make_generator
from likewise.bench.tasks.draws import TopicDraw
from likewise.bench.tasks.pools import DocumentFetcher
from likewise.bench.tasks.settings import TaskSettings
from likewise.bench.tasks.task import TaskMetadata, name_engine
from likewise.expansion.saved import fingerprint_library
from likewise.library.protocol import Library

if TYPE_CHECKING:
    from likewise.bench.topics.topics import Members, Topic


class TaskMaker:
    """Makes the tasks of a library; documents that tasks have in common are fetched once."""

    def __init__(
        self,
        library: Library,
        settings: TaskSettings,
        *,
        citations: Mapping[str, int] | None = None,
    ) -> None:
        self.library = library
        self.settings = settings
        self.fetched = DocumentFetcher(library)
        self._citations = citations
        self._info = library.info()

    @property
    def fingerprint(self) -> str:
        """The library's."""
        return fingerprint_library(self._info)

    def keep_usable(self, members: Members) -> Members:
        """Return the members of a topic without those that it is not to be made of."""
        if not members.is_mesh or self.settings.keep_unindexed:
            return members
        indexed = tuple(self.fetched.keep_indexed(members.relevant))
        unindexed = len(members.relevant) - len(indexed)
        return replace(members, relevant=indexed, unindexed=unindexed)

    def background(self, tasks: Sequence[Collection[str]], *, is_mesh: bool) -> list[str]:
        """Draw documents from the library, for each task as many as it has without a label.

        Args:
            tasks: The documents that each task names, which it can't be given.
            is_mesh: Whether they are drawn among those with headings and abstract.
        """
        ids, size = self.library.having(), self.settings.retrieved
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

    def of(self, topic: Topic, members: Members, *, draw: int) -> TopicDraw:
        """Return what makes the tasks of one draw of a topic."""
        return TopicDraw(self, topic, members, draw=draw, citations=self._citations)

    def metadata(self, topic: Topic, members: Members, *, seeds: int, draw: int) -> TaskMetadata:
        """Return what can be said of a task before it is made."""
        settings = self.settings
        return TaskMetadata(
            topic=str(topic),
            mesh_conjunction=members.uis,
            mesh_conjunction_str=members.names,
            seeds=seeds,
            draw=draw,
            number=settings.number,
            pool=settings.pool,
            pool_of=settings.pool_of,
            unindexed_topic=members.unindexed,
            scheme=settings.scheme,
            setting=settings.setting,
            seeds_bias=settings.seeds_bias,
            negatives=settings.negatives,
            negatives_bias=settings.negatives_bias,
            library=self.fingerprint,
            library_size=self._info.documents,
            engine=name_engine(self.library),
            query={"pool": settings.retrieved, **asdict(settings.more_like)},
            P_size=0,
            LP_size=0,
            U_size=0,
            precision=0.0,
            recall=0.0,
        )
