"""Making tasks: from topics of a library to a folder of tasks.

Only documents that a task names are fetched; nothing reads the whole library. Tasks are added
to a folder that was made with the same settings, and those that it holds are not made again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec

from likewise.bench.tasks import TaskSettings
from likewise.bench.tasks.bias import read_citations
from likewise.bench.tasks.draws import TaskMaker, TopicDraw
from likewise.bench.tasks.folders import (
    HEAD,
    FolderHead,
    is_whole,
    list_whole_tasks,
    read_entries,
    read_head,
    write_documents,
    write_head,
    write_task,
)
from likewise.bench.tasks.pools import count_needed
from likewise.bench.topics import Members, Topic, Vocabulary, check_enough
from likewise.bench.topics.labels import Labels, read_labels
from likewise.bench.topics.mesh import MeshTree, read_mesh_tree
from likewise.errors import TaskError, TopicError
from likewise.library.protocol import Library

OnProgress = Callable[[int, int, str], None]

LEAST_HIDDEN = 20
"""How many documents on topic there must be besides the seeds, so that some can be found."""


class TopicMembers(NamedTuple):
    """A topic and the documents that are on it."""

    topic: Topic
    members: Members


@dataclass(frozen=True)
class TruthFiles:
    """The files beside a library that tasks are made with; None for those that are not used."""

    labels: Path | None = None
    field: str = "labels"
    """The field of that file that has the labels."""
    tree: Path | None = None
    """NLM's file of MeSH."""
    citations: Path | None = None

    @property
    def name(self) -> str:
        """What the truth is read from, as the folder of tasks says it."""
        read = self.labels.name if self.labels else "MeSH"
        return f"{read}, with all headings below" if self.tree else read


class MakeReport(NamedTuple):
    """Which tasks were made, and which were not."""

    made: tuple[str, ...]
    """The tasks that were made, by name."""
    kept: tuple[str, ...]
    """Those that were there before."""
    left_out: tuple[str, ...]
    """Why tasks were not made, a line each."""


def make_topic_tasks(
    library: Library,
    topics: Sequence[Topic],
    *,
    settings: TaskSettings,
    out: Path,
    files: TruthFiles,
    on_progress: OnProgress | None = None,
) -> MakeReport:
    """Find the documents on each topic, and make its tasks; `make_tasks` says how.

    The report also lists the topics that can't be used.
    """
    citations = read_citations(files.citations) if files.citations else None
    found, left_out = find_topic_members(
        library,
        topics,
        labels=read_labels(files.labels, files.field) if files.labels else None,
        tree=read_mesh_tree(files.tree) if files.tree else None,
    )
    report = make_tasks(
        library,
        found,
        settings=settings,
        out=out,
        truth_from=files.name,
        citations=citations,
        on_progress=on_progress,
    )
    return report._replace(left_out=(*left_out, *report.left_out))


def find_topic_members(
    library: Library,
    topics: Sequence[Topic],
    *,
    labels: Labels | None = None,
    tree: MeshTree | None = None,
) -> tuple[list[TopicMembers], list[str]]:
    """Return topics with the documents on them, and a line for each topic that can't be used.

    Topics with the same terms are one, however they are spelled. TopicError is raised if the only
    topic can't be used, or if none can.
    """
    vocabulary = Vocabulary(library, labels=labels, tree=tree)
    found, left_out = dict[tuple[frozenset[str], str], TopicMembers](), []
    for topic in topics:
        try:
            members = vocabulary.find_members(topic)
            named = topic._replace(terms=members.names)
            key = frozenset(members.names), topic.within
            found.setdefault(key, TopicMembers(named, members))
        except TopicError as error:
            if len(topics) == 1:
                raise
            left_out.append(str(error))
    if not found:
        raise TopicError(f"none of {len(topics)} topics can be used; the first: {left_out[0]}")
    return list(found.values()), left_out


def make_tasks(  # noqa: PLR0913  # each is something else
    library: Library,
    topics: Iterable[TopicMembers],
    *,
    settings: TaskSettings,
    out: Path,
    truth_from: str = "",
    citations: Mapping[str, int] | None = None,
    on_progress: OnProgress | None = None,
) -> MakeReport:
    """Make the tasks of topics, and write them to a folder.

    A task that can't be made is left out; if none is left, the first error is raised.

    Args:
        library: Where the documents are.
        topics: The topics to make tasks of.
        settings: How they are made.
        out: The folder; it may hold tasks that were made with the same settings.
        truth_from: What the truth was read from, as the folder will say.
        citations: How often documents are cited, if that is a bias.
        on_progress: Called with how many tasks are done, of how many, and the next one's name.
    """
    _check_pool(library, settings)
    maker = TaskMaker(library, settings, citations=citations)
    head = _claim_folder(
        out,
        FolderHead(
            made={**settings.to_dict(), "truth_from": truth_from},
            library=maker.fingerprint,
        ),
    )
    errors: list[TopicError | TaskError] = []
    wanted = list(_plan_tasks(maker, topics, errors=errors))
    made: list[str] = []
    kept: list[str] = []
    for done, (draw, seeds) in enumerate(wanted):
        name = draw.name(seeds)
        if on_progress:
            on_progress(done, len(wanted), name)
        if is_whole(out, name):
            kept.append(name)
            continue
        try:
            task, truth = draw.make(seeds)
        except (TopicError, TaskError) as error:
            errors.append(error)
            continue
        if not made and not (out / HEAD).is_file():
            write_head(out, head)
        write_task(out, task, truth)
        made.append(name)
    if not made and not kept:
        raise errors[0] if errors else TopicError("no topic to make tasks of; give one")
    is_mesh = any(draw.members.is_mesh for draw, _ in wanted) and not settings.keep_unindexed
    _finish(out, head, maker=maker, is_mesh=is_mesh)
    return MakeReport(tuple(made), tuple(kept), tuple(dict.fromkeys(map(str, errors))))


def _plan_tasks(
    maker: TaskMaker, topics: Iterable[TopicMembers], *, errors: list[TopicError | TaskError]
) -> Iterator[tuple[TopicDraw, int]]:
    """Yield draws and numbers of seeds, if a topic has enough documents; else add to `errors`."""
    for topic, members in topics:
        found = maker.keep_usable(members)
        enough: list[int] = []
        for seeds in sorted(maker.settings.seeds):
            try:
                least = count_needed(seeds, setting=maker.settings.setting) + LEAST_HIDDEN
                check_enough(found, least, topic)
            except TopicError as error:
                errors.append(error)
                break
            enough.append(seeds)
        for number in range(maker.settings.draws):
            draw = TopicDraw(maker, topic, found, draw=number)
            yield from ((draw, seeds) for seeds in enough)


def _check_pool(library: Library, settings: TaskSettings) -> None:
    if settings.retrieved > library.count():
        raise TaskError(
            f"a |U| of {settings.pool:,} takes {settings.retrieved:,} documents, but the library "
            f"has {library.count():,}; ask for fewer: --pool"
        )


def _claim_folder(out: Path, head: FolderHead) -> FolderHead:
    """Return the head that a folder has or is to have; raise TaskError if it holds other tasks."""
    if not (out / HEAD).is_file():
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise TaskError(f"{out}: holds something else; give another --out")
        return head
    found = read_head(out)
    if "pool_of" not in found.made:
        raise TaskError(
            f"{out}: holds tasks of an earlier version, whose pool counts all parts, and not only "
            "the training part; give another --out"
        )
    if found.library != head.library:
        raise TaskError(f"{out}: holds tasks of another library; give another --out")
    for name, value in head.made.items():
        if found.made.get(name) != value:
            raise TaskError(
                f"{out}: holds tasks made with {name} {found.made.get(name)!r}, not {value!r}; "
                "give another --out"
            )
    return found


def _finish(out: Path, head: FolderHead, *, maker: TaskMaker, is_mesh: bool) -> None:
    """Write the documents of all complete tasks, and then the names of these tasks."""
    names = list_whole_tasks(out)
    named = [{entry.id for entry in read_entries(out, name)} for name in names]
    background = maker.draw_background(named, is_mesh=is_mesh)
    ids = sorted(set().union(background, *named))
    write_documents(out, maker.fetched.get(ids), background=background)
    write_head(out, msgspec.structs.replace(head, tasks=names))
